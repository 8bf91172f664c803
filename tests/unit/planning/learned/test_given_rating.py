"""What a policy says of given lines: the mean per cell of its values of their straight pieces."""

import numpy as np
import pytest

from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import LINE_LENGTHS
from firebreak.planning.learned.policy import GivenRating, straight_actions
from lines_of_cells import lines_of

SIZE = 40


def bent(row: int) -> np.ndarray:
    """A row of cells to the east and one that turns south at its end."""
    east = row * SIZE + np.arange(3, 3 + max(LINE_LENGTHS))
    return np.append(east, east[-1] + SIZE)


def test_a_line_is_worth_the_mean_of_its_cells() -> None:
    runs = [bent(4), bent(12)[:-1], np.array([20 * SIZE + 5])]
    lines = lines_of(runs, (0, 1, 2))
    rating = GivenRating(lines, generate(1, SIZE), joined=False)
    assert [run.tolist() for run in rating.runs] == [run.tolist() for run in runs]
    actions = [straight_actions(run, (SIZE, SIZE), False) for run in runs]
    assert sorted(size for _, size in actions[0]) == [1, max(LINE_LENGTHS)]
    values = np.random.default_rng(1).uniform(1.0, 9.0, 1 + max(
        action for own in actions for action, _ in own)).astype(np.float32)
    slow = [np.mean(np.concatenate([np.full(size, values[action]) for action, size in own]))
            for own in actions]
    np.testing.assert_allclose(rating._worth(values), slow, rtol=1e-6)
    values[actions[0][0][0]] = -np.inf  # may not be built
    (other, size), whole = actions[0][1], runs[0].size
    assert rating._worth(values)[0] == pytest.approx(values[other] * size / whole)
