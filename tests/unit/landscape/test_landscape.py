"""The landscape type: read-only, checked, cropped in place."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.landscape.synthetic.generate import generate


def test_grids_cannot_be_written_and_do_not_share_memory() -> None:
    land = generate(1, 12)
    with pytest.raises(ValueError, match="read-only"):
        land.fuel_model[0, 0] = 101
    with pytest.raises(ValueError, match="read-only"):
        land.burnable[0, 0] = True
    value = np.ones(land.shape, dtype=np.float32)
    other = replace(land, value=value)
    value[0, 0] = 9
    assert other.value[0, 0] == 1


def test_treatable_never_where_nothing_burns() -> None:
    land = generate(1, 12, family="interface")
    assert not replace(land, treatable=np.ones(land.shape, dtype=bool)).treatable[
        ~land.burnable].any()


@pytest.mark.parametrize("name", ["slope_tan", "aspect_deg", "value", "cost", "treatable"])
def test_a_landscape_has_every_grid_that_is_not_optional(name: str) -> None:
    with pytest.raises(InputError, match=r"of shape \(12, 12\)"):
        replace(generate(1, 12), **{name: None})  # type: ignore[arg-type]


def test_crop_keeps_the_place() -> None:
    land = generate(1, (12, 14))
    part = land.crop(2, 3, 5, 6)
    assert part.shape == (5, 6)
    np.testing.assert_array_equal(part.fuel_model, land.fuel_model[2:7, 3:9])
    assert part.transform == (100.0, 0.0, 300.0, 0.0, -100.0, 1000.0)
    with pytest.raises(InputError, match="a window inside 12 x 14 cells, got rows 8:13"):
        land.crop(8, 3, 5, 6)


@pytest.mark.parametrize(("name", "value", "words"), [
    ("fuel_model", 17, r"unknown codes 17 \(144 cells\)"),
    ("cost", 0.0, "cost > 0"),
    ("value", -1.0, "value >= 0"),
    ("elevation_m", np.nan, "finite elevation_m"),
])
def test_bad_numbers_are_refused(name: str, value: float, words: str) -> None:
    land = generate(1, 12)
    with pytest.raises(InputError, match=words):
        replace(land, **{name: np.full(land.shape, value)})


def test_checksum_sees_every_grid() -> None:
    land = generate(1, 12)
    higher = replace(land, elevation_m=land.elevation_m + 1)
    assert len({land.checksum(), higher.checksum(), replace(land, cell_size_m=30.0).checksum()}
               ) == 3
