"""Arrays in place of rasters: any kind of real numbers, and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.on_grid import array_on
from firebreak.landscape.synthetic.generate import generate

SIZE = 8


@pytest.fixture(scope="module")
def land() -> Landscape:
    return generate(0, SIZE)


def numbers(kind: str) -> NDArray:
    return (np.arange(SIZE * SIZE).reshape(SIZE, SIZE) % 100).astype(kind)


@given(kind=st.sampled_from(["?", "i1", ">i2", "<u4", "i8", "f2", ">f4", "<f8", "g"]),
       order=st.sampled_from("CF"), writeable=st.booleans(), step=st.sampled_from([1, -1]))
def test_kinds_orders_and_strides_make_no_difference(kind: str, order: str, writeable: bool,
                                                     step: int) -> None:
    land, handed = generate(0, SIZE), np.asarray(numbers(kind), order=order)[:, ::step]  # type: ignore[call-overload]
    before = handed.copy()
    handed.flags.writeable = writeable
    found = array_on(land, handed, "value")
    assert (found.values == before.astype(np.float64)).all()
    assert not np.shares_memory(found.values, handed)
    assert (handed == before).all()


def test_what_an_array_masks_has_no_value(land: Landscape) -> None:
    mask = numbers("i4") % 3 == 0
    found = array_on(land, np.ma.masked_array(numbers("i4"), mask), "value").values
    assert np.isnan(found[mask]).all()
    assert (found[~mask] == numbers("f8")[~mask]).all()


@pytest.mark.parametrize(("values", "said"), [
    (numbers("c16"), "complex128"), (numbers("i4").astype(str), "<U"),
    (numbers("i8").astype("datetime64[D]"), "datetime64"), (numbers("O"), "object"),
    ([[1.0], [1.0, 2.0]], "list"), ({"a": 1}, "dict"), (lambda: 1, "function"),
    (torch.ones(SIZE, SIZE, requires_grad=True), "float32")],
    ids=["complex", "text", "times", "objects", "ragged", "dict", "function", "gradient"])
def test_what_is_no_real_number_is_refused(land: Landscape, values: object, said: str) -> None:
    with pytest.raises(InputError, match="value: expected an array of numbers") as told:
        array_on(land, values, "value")
    assert said in str(told.value)
