"""Masks of lines against walking along every line, cell by cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from firebreak.env.core import _LENGTHS, _PERIODS, _STEPS_BY_DIRECTION
from firebreak.env.kernels import PLACED, STOPS, allow_lines
from firebreak.line_actions import SHAPES


def walked(state: NDArray, available: NDArray, cost: NDArray, most: float,
           steps: NDArray) -> NDArray[np.bool_]:
    """Every line from its start, cell by cell."""
    rows, cols = state.shape
    out = np.zeros((SHAPES, rows, cols), np.bool_)
    out[0] = available
    for row, col in np.argwhere(available).tolist():
        for direction, own in enumerate(steps.tolist()):
            spent = 0.0
            for j, (down, right) in enumerate(own):
                r, c = row + down, col + right
                if not (0 <= r < rows and 0 <= c < cols) or state[r, c] == STOPS:
                    break
                spent += cost[r, c] if state[r, c] == PLACED else 0.0
                if spent > most:
                    break
                if j + 1 in _LENGTHS and state[r, c] == PLACED:
                    number = 1 + direction * len(_LENGTHS) + int(np.searchsorted(_LENGTHS, j + 1))
                    down, right = own[(j + 1) // 2]
                    out[number, row + down, col + right] = True
    return out


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 30), cols=st.integers(1, 30),
       joined=st.booleans(), budget=st.sampled_from([3.0, 20.0, 1e9]))
def test_masks_are_those_of_a_walk_whatever_the_budget_pays_for(
        seed: int, rows: int, cols: int, joined: bool, budget: float) -> None:
    rng = np.random.default_rng(seed)
    stops = rng.uniform(0.0, 0.15)
    state = rng.choice(3, (1, rows, cols), p=[stops, 0.1, 0.9 - stops]).astype(np.uint8)
    available = (state == PLACED) & (rng.random(state.shape) < 0.9)
    cost = rng.uniform(0.5, 1.5, state.shape)
    out = np.zeros((1, SHAPES, rows, cols), np.bool_)
    allow_lines(state, available, cost, np.array([budget]), _STEPS_BY_DIRECTION[joined], _LENGTHS,
                _PERIODS[joined], np.empty((rows, cols), np.uint8), out)
    assert (out[0] == walked(state[0], available[0], cost[0], budget,
                             _STEPS_BY_DIRECTION[joined])).all()


@pytest.mark.parametrize("joined", [False, True])
def test_directions_repeat_after_their_period_and_go_down_or_right(joined: bool) -> None:
    for steps, period in zip(_STEPS_BY_DIRECTION[joined], _PERIODS[joined], strict=True):
        assert (steps[period:] == steps[:-period] + steps[period]).all()
        assert (np.diff(steps[:, 0]) >= 0).all()
        assert (steps[:, 0].any() or (np.diff(steps[:, 1]) > 0).all())
        # What is clear further on is known before: a row below, or to the right in its own.
        assert steps[period][0] > 0 or steps[period][1] > 0
