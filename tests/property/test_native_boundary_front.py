"""Whatever numbers the arrays of a fire in constant weather hold, it stays in memory and ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.jobs import make_job, table_of
from firebreak.fire.solver.kernels import burn_many
from firebreak.fire.solver.structs import Results
from firebreak.fire.travel.travel_field import padded_width, unpad
from native_probes import probe_neighbors, probe_order
from strategies import random_case

FLOATS = (0.0, -0.0, 1e-45, 1e-30, 1.0, 1e30, np.inf, -np.inf, np.nan, -1.0, -1e30)


def damaged(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """With any bits in some places."""
    made, where = array.copy(), rng.random(array.shape) < rng.choice([0.02, 0.3, 1.0])
    if made.dtype.kind == "f":
        made[where] = rng.choice(FLOATS, where.sum()) * rng.choice([1.0, 1e-3])
    else:
        most = np.iinfo(made.dtype).max
        made[where] = rng.integers(0, most, where.sum(), made.dtype, endpoint=True)
    return made


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_a_fire_on_damaged_arrays_ends_within_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(1, 14, 2)
    case = random_case(rng, rows, cols, fires=3)
    job = make_job(case.field(), case.value, case.breaks)
    table = table_of(job.field, case.fires)
    arcs = list(tuple(job.arcs)[:11])
    for part in (0, 1, 2, 3, 4, 8, 10):
        if rng.random() < 0.5:
            arcs[part] = damaged(rng, arcs[part])
    arcs[9] = arcs[9] * rng.choice([1e-300, 1e-9, 1.0, 1e9, 1e300])
    state = job.overlays.state.copy()
    inside = unpad(state, (rows, cols))
    if rng.random() < 0.5:
        inside[...] = damaged(rng, inside)
    table = table._replace(duration=rng.choice([np.nan, -1.0, 0.0, 5.0, 1e300, np.inf], 3))
    results = Results(np.empty((3, job.cells)), np.empty((3, job.cells), np.uint8),
                      np.empty((3, job.cells)), np.empty((3, job.cells), np.uint8), np.empty(3))
    burn_many(np.arange(3), padded_width(cols), tuple(arcs), job.spots, job.rules, table,
              job.overlays._replace(state=state), results, job.scratch)
    assert np.isinf(job.scratch.time).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_neighbors_of_damaged_arrays_lie_within_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width, height = rng.integers(7, 12, 2)
    count = int(width * height)
    inner = np.arange(count).reshape(height, width)[3:-3, 3:-3].ravel()
    found, weight = np.zeros((inner.size, 5), np.uint64), np.zeros((inner.size, 8), np.float32)
    arrays = [np.zeros(count, np.uint8), np.ones((count, 5), np.float32), np.ones((count, 8)),
              np.ones(count, np.float32), np.zeros((inner.size, 2), np.uint64)]
    probe_neighbors(int(width), inner, *(damaged(rng, array) for array in arrays), found, weight)
    assert (found[:, :4] < 256).all()


@pytest.mark.parametrize(("width", "cell", "fault"), [
    (10, 33, None), (10, 32, "cells"), (10, 67, "cells"), (10, -1, "cells"), (10, 2**62, "cells"),
    (9, 33, "width"), (0, 33, "width"), (-10, 33, "width"), (5, 33, "width"), (50, 33, "width")])
def test_neighbors_are_asked_of_inner_cells(width: int, cell: int, fault: str | None) -> None:
    call = (width, np.array([cell]), np.zeros(100, np.uint8), np.ones((100, 5), np.float32),
            np.ones((100, 8)), np.ones(100, np.float32), np.zeros((1, 2), np.uint64),
            np.zeros((1, 5), np.uint64), np.zeros((1, 8), np.float32))
    if fault is None:
        probe_neighbors(*call)
    else:
        with pytest.raises(ValueError, match=fault):
            probe_neighbors(*call)


def test_words_that_cannot_be_put_in_order_are_refused() -> None:
    for words in (np.zeros(7, np.uint64), np.full(9, 2**63, np.uint64)):
        with pytest.raises(ValueError, match="words"):
            probe_order(words, words.copy())
