"""Fires put aside: what comes back is what went, and boxes hold all that fires came to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.incremental.aside import extent, put_in, taken_out
from firebreak.fire.incremental.structs import KeptFires
from firebreak.fire.solver.structs import FireTable
from firebreak.fire.travel.stencil import REACH, UNBURNED

ROWS, WIDTH, FIRES = 30, 40, 2


def kept(rng: np.random.Generator) -> tuple[FireTable, KeptFires]:
    """Fires of which each came to some cells of a box."""
    cells = ROWS * WIDTH
    time = np.full((FIRES, cells), np.inf, np.float32)
    weight = np.zeros((FIRES, cells), np.float32)
    code = np.full((FIRES, cells), UNBURNED, np.uint8)
    for fire in range(FIRES):
        top, left = rng.integers(0, 20, 2)
        rows, cols = rng.integers(top, top + 10, 15), rng.integers(left, left + 12, 15)
        own = rows * WIDTH + cols
        time[fire, own], weight[fire, own] = rng.random((2, 15))
        code[fire, own] = rng.integers(0, UNBURNED, 15)
    none = np.zeros((0, 0), np.int64)
    return (FireTable(*(rng.integers(0, 9, FIRES) for _ in range(3)), rng.random(FIRES),
                      rng.integers(0, 2**60, FIRES).astype(np.uint64), rng.integers(1, 9, FIRES),
                      rng.integers(0, 9, (FIRES, 2)), *rng.random((2, FIRES, 2))),
            KeptFires(time, weight, code, np.array([True, False]), rng.integers(0, 9, FIRES),
                      rng.random(FIRES), none, none.ravel(), none, none[None], none[None]))


def box_of(code: np.ndarray) -> tuple[int, int, int, int]:
    rows, cols = np.nonzero(code.reshape(ROWS, WIDTH) != UNBURNED)
    return rows.min(), cols.min(), rows.max() + 1, cols.max() + 1


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_fire_comes_back_as_it_went_to_another_place_too(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, store = kept(rng)
    before = [part[0].copy() for part in (*table, *store[:6])]
    asides = [taken_out(fire, box_of(store.code[fire]), table, store, WIDTH)
              for fire in range(FIRES)]
    assert (store.code == UNBURNED).all()
    assert np.isinf(store.time).all()
    put_in(1, asides[0], table, store, WIDTH)
    code = before[len(table) + 2]
    burned = code != UNBURNED
    for own, part in zip(before, (*table, *store[:6]), strict=True):
        if own.shape == code.shape:
            assert (part[1][burned] == own[burned]).all()
        else:
            assert (part[1] == own).all()
    assert (store.code[1][~burned] == UNBURNED).all()
    assert np.isinf(store.time[1][~burned]).all()


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), steps=st.integers(0, 60))
def test_the_box_of_a_fire_holds_all_that_it_came_to(seed: int, steps: int) -> None:
    """However it came out of the box that it had: step by step, each within REACH."""
    rng = np.random.default_rng(seed)
    code = np.full((ROWS, WIDTH), UNBURNED, np.uint8)
    cell = rng.integers(12, 18, 2)
    code[tuple(cell)] = 1
    known = box_of(code)
    for _ in range(steps):
        cell = np.clip(cell + rng.integers(-REACH, REACH + 1, 2), 0, (ROWS - 1, WIDTH - 1))
        code[tuple(cell)] = 1
    assert extent(code, known) == extent(code, None) == box_of(code)


def test_a_box_may_shrink() -> None:
    code = np.full((ROWS, WIDTH), UNBURNED, np.uint8)
    code[5, 6] = 1
    assert extent(code, (2, 2, 20, 20)) == (5, 6, 6, 7)
    with pytest.raises(IndexError):
        extent(np.full((ROWS, WIDTH), UNBURNED, np.uint8), None)
