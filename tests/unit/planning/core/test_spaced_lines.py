"""Lines of one round, against choosing them one by one; plans on a borrowed travel field."""

import hashlib
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from firebreak.agent.policy_file import load_policy
from firebreak.env.storage import problem_batch
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import rounds
from firebreak.planning.core.rounds import SPACING, line_list, spaced_lines
from firebreak.planning.learned.policy import leading_actions
from firebreak.planning.making import make_plan


def one_by_one(lines: Iterable[NDArray[np.int64]], max_cells: int,
               shape: tuple[int, int]) -> list[list[int]]:
    """The rule, cell by cell."""
    chosen: list[NDArray[np.int64]] = []
    for cells in lines:
        taken = [divmod(cell, shape[1]) for line in chosen for cell in line.tolist()]
        apart = all(max(abs(r - row), abs(c - col)) >= SPACING
                    for r, c in taken for row, col in (divmod(k, shape[1]) for k in cells.tolist()))
        if chosen and (len(taken) + cells.size > max_cells or not apart):
            continue
        chosen.append(cells)
        if len(taken) + cells.size >= max_cells:
            break
    return [line.tolist() for line in chosen]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 12), cols=st.integers(1, 12),
       most=st.integers(1, 30), cut=st.integers(0, 40))
def test_lines_of_a_round_are_those_chosen_one_by_one(seed: int, rows: int, cols: int, most: int,
                                                      cut: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [rng.choice(rows * cols, rng.integers(1, min(6, rows * cols) + 1), replace=False)
             for _ in range(40)]
    found = spaced_lines((line_list(part) for part in (lines[:cut], lines[cut:])), most,
                         (rows, cols))
    assert [line.tolist() for line in found] == one_by_one(lines, most, (rows, cols))


def test_a_later_list_is_not_asked_for_where_the_first_is_enough() -> None:
    def lists() -> Iterable[rounds.LineList]:
        yield line_list([np.array([0, 1])])
        raise AssertionError("asked for")

    assert len(spaced_lines(lists(), 2, (3, 3))) == 1


def scene(**conditions: object) -> Scene:
    return make_scene(generate(4, 18), FireConditions(scenarios=2, **conditions), 4)  # type: ignore[arg-type]


def hash_of(scene: Scene) -> str:
    digest = hashlib.sha256()
    for array in scene.field:
        if isinstance(array, np.ndarray):
            digest.update(array.tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("method", ["segments", "dqn", "downstream-value", "dqn-search"])
def test_a_plan_on_a_borrowed_field_is_that_on_a_copy_and_the_scene_stays(
        method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = scene(breach="wilson")
    before, plans = hash_of(own), []
    for borrows in (True, False):
        def slots(sizes: problem_batch.Sizes, *, borrows: bool = False,
                  allowed: bool = borrows) -> problem_batch.ProblemBatch:
            return problem_batch.ProblemBatch(sizes, borrows=borrows and allowed)

        monkeypatch.setattr(rounds, "ProblemBatch", slots)
        plans.append(make_plan(own, 0.1, 16, method, seed=4, policy=load_policy(),
                               search=rounds.SearchOptions(evaluations=30)))
        assert hash_of(own) == before
    assert (plans[0].cells == plans[1].cells).all()
    assert plans[0].simulations == plans[1].simulations


def test_only_one_slot_can_borrow_and_no_field_that_breaks_are_written_into() -> None:
    with pytest.raises(AssertionError, match="several slots"):
        problem_batch.ProblemBatch(problem_batch.Sizes(2, (5, 5), 1, 2, 0), borrows=True)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 9000), count=st.integers(1, 300),
       kinds=st.sampled_from([2, 50, 10**6]), refused=st.sampled_from([0.0, 0.5, 0.99, 1.0]))
def test_leading_actions_are_the_first_of_all_sorted(seed: int, size: int, count: int, kinds: int,
                                                     refused: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-kinds, kinds, size).astype(np.float32)
    if seed % 2:
        values = np.sort(values)
    values[rng.random(size) < refused] = -np.inf
    every = np.argsort(-values, kind="stable")
    expected = every[values[every] > -np.inf][:count]
    assert leading_actions(values, count).tolist() == expected.tolist()
