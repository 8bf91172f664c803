"""Calls of kernels of travel fields, breaks and planning with what they do not take: an error in
one sentence, never memory that is not theirs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent import kernels as agent
from firebreak.env import kernels as env
from firebreak.fire.travel import kernels as travel
from firebreak.fire.travel.stencil import REACH
from firebreak.planning.core import kernels as planning

H, W = 4, 5
WIDTH = W + 2 * REACH
P = (H + 2 * REACH) * WIDTH
NUMBERS = [0, 1, -1, 2, 3, 127, 252, 255, P, -P, 2**31, -2**31, 2**62, -2**63, 2**63 - 1]
INSIDE = (np.arange(H)[:, None] + REACH) * WIDTH + np.arange(W) + REACH
STEP_INDEX = np.full((7, 7), -1)


def floats(*shape: int) -> np.ndarray:
    return np.full(shape, 0.5, np.float32)


def doubles(*shape: int) -> np.ndarray:
    return np.full(shape, 0.5)


def zeros(kind: Any, *shape: int) -> np.ndarray:
    return np.zeros(shape, kind)


def wholes(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def land() -> tuple:
    """Maps of two slots: flags, and what they cost."""
    return np.ones((2, H, W), np.bool_), floats(2, H, W), doubles(2), zeros(np.bool_, 2, H, W)


def calls() -> list[tuple[Callable, tuple]]:
    """A good call of each entry."""
    free, cost, left, breaks = land()
    line = np.stack([np.zeros(3, np.int64), np.arange(3)], axis=1)
    ints, seen, codes = zeros(np.int32, 2, P), zeros(np.uint8, P), np.full((2, P), 254, np.uint8)
    offset = zeros(np.int64, 32)
    paths = np.ones((3, 4), np.int32)
    return [
        (travel.fill_ground, (doubles(H, W), doubles(H, W), doubles(3, H, W), wholes(0))),
        (travel.fill_metric, (*(doubles(2, H, W) for _ in range(4)), doubles(3, H, W),
                              np.ones((H, W), np.bool_), 30.0, WIDTH, floats(2, P, 5),
                              floats(2, P, 8), floats(2, P), wholes(0))),
        (travel.open_arcs, (INSIDE.ravel().copy(), INSIDE.ravel().copy(), WIDTH, 1,
                            floats(2, P, 5), floats(2, P, 8), floats(2, P), np.ones(P, np.bool_),
                            zeros(np.uint64, 2, P), *(zeros(np.uint32, 2, P) for _ in range(3)),
                            doubles(2, P, 8))),
        (travel.heat_per_speed, (floats(P, 5), floats(P, 3), doubles(P))),
        (travel.write_breaks, (wholes(1, 9), 1, 3, zeros(np.bool_, H, W), zeros(np.uint8, P))),
        (env.allow_lines, (np.full((2, H, W), env.PLACED, np.uint8), free, doubles(2, H, W),
                           np.array([1.0, 1e9]), line[None].copy(), wholes(1, 3), wholes(1),
                           zeros(np.uint8, H, W), zeros(np.bool_, 2, 3, H, W))),
        (env.place_breaks, (wholes(0, 1, 1), wholes(0, 7, 19), np.array([3, 4], np.uint8), free,
                            cost, left, breaks, zeros(np.bool_, 2, H, W), zeros(np.uint8, 2, P),
                            wholes(0, 0, 0))),
        (env.write_cells, (wholes(1, 0), zeros(np.int64, 2, P), zeros(np.int64, 2, P), doubles(2),
                           wholes(1, 1), doubles(2), free, breaks, free, doubles(2),
                           zeros(np.uint8, 2, 5, H, W))),
        (planning.choose_spaced, (wholes(1, 2, 19), wholes(0, 1, 3), 9, 2, zeros(np.bool_, H, W),
                                  wholes(0), zeros(np.bool_, 2))),
        (planning.score_lines, (INSIDE[:2].ravel().copy(), line, wholes(1, 2, 3),
                                np.full(P, env.PLACED, np.uint8), doubles(P), 9.0, doubles(P),
                                doubles(32, P), STEP_INDEX.copy(), np.arange(3), doubles(10, 3),
                                doubles(10, 3))),
        (planning.lay_paths, (doubles(3, H), zeros(np.int64, 2, 3), False, doubles(2, 4),
                              doubles(2, 4), zeros(np.int32, 2, 3, 4), zeros(np.int32, 2, 3, 4))),
        (planning.path_steps, (3, paths, paths.copy(), zeros(np.int64, 5, 2), wholes(0))),
        (planning.path_counts, (codes, doubles(2), doubles(P), offset, ints, seen, doubles(2, P),
                                doubles(P))),
        (planning.flows, (codes, doubles(2), doubles(P), offset, ints, seen, doubles(P),
                          doubles(P), doubles(32, P))),
        (planning.value_behind, (codes, doubles(2), doubles(P), offset, ints, seen, wholes(0, 7, 9),
                                 wholes(0, 2, 3), zeros(np.uint64, P), doubles(2, 2))),
        (planning.cut_sides, (*(np.array(own, np.int32) for own in (
            [[0, 1], [1, 2], [2, 1], [1, 3]], [[3, 0], [2, 0], [1, 0], [2, 0]])), 0, 3,
            zeros(np.int64, 5), zeros(np.int32, 8), zeros(np.int64, 4), zeros(np.int32, 4, 4),
            zeros(np.bool_, 4))),
        (agent.add_along, (floats(2, 2, H, W), line, wholes(0, 1, 3), floats(2, 2, H, W)))]


NAMES = [call.__name__ for call, _ in calls()]


def refused(call: Callable, values: tuple) -> bool:
    """Whether a call is refused; in one sentence."""
    said = ""
    try:
        call(*values)
    except (TypeError, ValueError) as error:
        said = str(error)
    assert "\n" not in said
    return bool(said)


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_arrays_of_another_kind_are_refused(number: int) -> None:
    call, values = calls()[number]
    assert not refused(call, values)
    for place, value in enumerate(values):
        if not isinstance(value, np.ndarray):
            continue
        other = np.float32 if value.dtype == np.float64 else np.float64
        wide = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)[..., ::2]
        for wrong in (value.astype(other), value[None], value.tolist(), None,
                      *([wide] if value.size > 1 else [])):
            assert refused(call, (*values[:place], wrong, *values[place + 1:])), (place, wrong)
    assert refused(call, values[:-1])
    assert refused(call, (*values, 1))


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_results_go_to_arrays_that_can_be_written(number: int) -> None:
    call, values = calls()[number]
    place = -2 if call is travel.heat_per_speed else -1
    values[place].flags.writeable = False
    assert refused(call, values)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_other_lengths_never_lead_outside(number: int, seed: int) -> None:
    rng, (call, values) = np.random.default_rng(seed), calls()[number]
    arrays = [place for place, value in enumerate(values) if isinstance(value, np.ndarray)]
    given_ = list(values)
    for place in rng.choice(arrays, rng.integers(1, 3)):
        value = given_[place]
        shape = list(value.shape)
        axis = int(rng.integers(len(shape)))
        shape[axis] = max(0, shape[axis] + int(rng.choice([-shape[axis], -1, 1, 7])))
        given_[place] = np.resize(value, shape) if value.size else np.zeros(shape, value.dtype)
    refused(call, tuple(given_))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_other_numbers_never_lead_outside(number: int, seed: int) -> None:
    rng, (call, values) = np.random.default_rng(seed), calls()[number]
    share = float(rng.choice([0.0, 0.02, 0.2, 1.0]))
    with np.errstate(all="ignore"):
        for value in values:
            if not isinstance(value, np.ndarray) or value.dtype == np.bool_:
                continue
            where = rng.random(value.shape) < share
            own = ([np.nan, np.inf, -np.inf, -0.0, 1e300, -1e300, 1e-320]
                   if value.dtype.kind == "f" else NUMBERS)
            value[where] = np.array(rng.choice(np.array(own), int(where.sum()))).astype(value.dtype)
    whole = [int(rng.choice(NUMBERS)) if isinstance(value, int) and rng.random() < 0.3 else value
             for value in values]
    refused(call, tuple(whole))


def replaced(values: tuple, place: int, value: Any) -> tuple:
    return (*values[:place], value, *values[place + 1:])


@pytest.mark.parametrize(("name", "place", "value"), [
    ("fill_metric", 6, 0.0), ("fill_metric", 6, np.nan), ("fill_metric", 7, WIDTH + 1),
    ("open_arcs", 0, wholes(0)), ("open_arcs", 0, wholes(P)), ("open_arcs", 0, wholes(-1)),
    ("open_arcs", 2, 6), ("open_arcs", 2, 0), ("open_arcs", 2, -WIDTH), ("open_arcs", 2, P),
    ("open_arcs", 1, wholes(3 * WIDTH + 2)), ("open_arcs", 1, wholes(3 * WIDTH - 4)),
    ("open_arcs", 3, 0), ("open_arcs", 3, 3),
    ("write_breaks", 0, wholes(0, H * W)), ("write_breaks", 0, wholes(-1)),
    ("write_breaks", 2, 256),
    ("allow_lines", 5, wholes(3, 3)), ("allow_lines", 5, wholes(0, 3)),
    ("allow_lines", 5, wholes(1, 4)), ("allow_lines", 6, wholes(0)), ("allow_lines", 6, wholes(3)),
    ("allow_lines", 4, np.array([[[0, 0], [-1, 0], [2, 0]]])),
    ("allow_lines", 4, np.array([[[0, 0], [0, 5], [1, 0]]])),
    ("place_breaks", 0, wholes(0, 0, 2)), ("place_breaks", 1, wholes(0, -1, 2)),
    ("place_breaks", 1, wholes(0, H * W, 2)), ("write_cells", 0, wholes(2, 0)),
    ("choose_spaced", 0, wholes(1, 2, H * W)), ("choose_spaced", 1, wholes(0, 2, 1)),
    ("choose_spaced", 1, wholes(0, 2, 4)), ("choose_spaced", 1, wholes(-1, 2, 3)),
    ("choose_spaced", 5, wholes(-1)), ("score_lines", 8, np.full((7, 7), 32)),
    ("score_lines", 8, np.where(np.arange(49).reshape(7, 7) == 0, 1, -1)),
    ("lay_paths", 1, np.full((2, 3), 2**62)), ("path_steps", 0, 4), ("path_steps", 0, -1),
    ("path_steps", 1, np.full((3, 4), 4, np.int32)),
    ("path_steps", 2, np.full((3, 4), -1, np.int32)),
    ("flows", 0, np.zeros((2, P), np.uint8)), ("flows", 8, np.zeros((32, P - 1))),
    ("path_counts", 5, np.ones(P, np.uint8)),
    ("value_behind", 6, wholes(0, 7, P)), ("value_behind", 6, wholes(-1, 7, 9)),
    ("value_behind", 7, wholes(0, 2, 4)), ("value_behind", 7, wholes(0, 3, 2)),
    ("value_behind", 8, np.ones(P, np.uint64)),
    ("cut_sides", 0, np.full((4, 2), 4, np.int32)), ("cut_sides", 0, np.full((4, 2), -1, np.int32)),
    ("cut_sides", 1, np.full((4, 2), -1, np.int32)), ("cut_sides", 1, np.ones((4, 2), np.int32)),
    ("cut_sides", 2, 4), ("cut_sides", 3, 0), ("cut_sides", 4, wholes(0)),
    ("cut_sides", 5, zeros(np.int32, 7)),
    ("path_counts", 3, wholes(*[2**40] * 32)), ("add_along", 2, wholes(0, 3, 2)),
    ("add_along", 2, wholes(0, 1, 4)), ("add_along", 1, np.full((3, 2), 2**62))])
def test_what_leads_outside_is_refused(name: str, place: int, value: Any) -> None:
    call, values = calls()[NAMES.index(name)]
    assert refused(call, replaced(values, place, value))


def test_parents_in_a_circle_are_refused() -> None:
    call, values = calls()[NAMES.index("flows")]
    offset = np.where(np.arange(32) % 2 == 0, 1, -1)
    codes = np.full((2, P), 255, np.uint8)
    codes[1, 50], codes[1, 51] = 0, 1  # each came from the other
    assert refused(call, (codes, *values[1:3], offset, *values[4:]))
