"""Whatever numbers the arrays of a fire in constant weather hold, it stays in memory and ends."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.burn_setup import make_setup, table_of
from firebreak.fire.solver.kernels import burn_many
from firebreak.fire.solver.structs import Results
from firebreak.fire.travel.travel_field import padded_width, unpad
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
    job = make_setup(case.field(), case.value, case.breaks)
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
