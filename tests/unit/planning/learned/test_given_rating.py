"""Given lines, by the values of a policy of their runs as paths: those that may be built."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from firebreak.agent.path_values import Paths, paths_of
from firebreak.agent.targets import unit_of
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES, action_cells, shape_number
from firebreak.planning.core.corridors import NO_CORRIDORS, Corridors
from firebreak.planning.core.rounds import loaded
from firebreak.planning.learned.policy import GivenRating
from lines_of_cells import lines_of
from untrained import untrained

SIZE, FIRES = 24, 12
LAND = generate(1, SIZE)
SCENE = make_scene(LAND, FireConditions(scenarios=2), 0)


def bent(row: int) -> np.ndarray:
    """A row of cells to the east that turns south at its end."""
    east = row * SIZE + np.arange(3, 11)
    return np.concatenate([east, east[-1] + SIZE * np.arange(1, 4)])


@pytest.fixture
def slots() -> ProblemBatch:
    fires = SCENE.fires("plan", FIRES)
    return loaded(problem_of(SCENE, 0.2, fires, fires.first(0)))


def test_runs_come_by_the_value_of_their_paths(slots: ProblemBatch) -> None:
    runs = [bent(4), bent(9)[:-2], bent(14)[:5], np.array([18 * SIZE + 5])]
    policy = untrained(SHAPES)
    rating = GivenRating(policy, lines_of(runs, (0, 1, 2, 3)), SCENE)
    assert [run.tolist() for run in rating.runs] == [run.tolist() for run in runs]
    slots.place(0, bent(4)[:2])
    observation = torch.from_numpy(to_floats(slots.layers[:1]))
    with torch.no_grad():
        values = (100.0 * unit_of(observation, OBSERVATION) * policy.network.values_along(
            observation, paths_of(runs, SIZE))).numpy()
    cells, worth = rating.best(slots, 4, 1.0)
    assert worth == pytest.approx(np.sort(values)[::-1])
    left = [run[LAND.treatable.ravel()[run] & ~slots.breaks[0].ravel()[run]] for run in runs]
    for found, k in zip(cells, np.argsort(-values), strict=True):
        assert found.tolist() == left[k].tolist()


def test_runs_that_cannot_be_paid_for_are_left(slots: ProblemBatch) -> None:
    runs = [bent(4), bent(9)[:3]]
    slots.budget_left[0] = 3.5 * float(LAND.cost.mean())
    cells, _ = GivenRating(untrained(SHAPES), lines_of(runs, (0, 1)), SCENE).best(slots, 4, 1.0)
    assert [own.tolist() for own in cells] == [runs[1].tolist()]


def test_the_dearest_runs_come_after_those_worth_most(slots: ProblemBatch) -> None:
    ring = np.concatenate([bent(4), bent(9)[::-1], bent(18)])
    ring = ring[LAND.treatable.ravel()[ring]]
    runs = [bent(14)[:3], ring, ring[:-1], ring[-1:], ring[:-8]]
    price = np.array([LAND.cost.ravel()[run].sum() for run in runs])
    assert np.argsort(-price).tolist() == [1, 2, 4, 0, 3]
    slots.budget_left[0] = price[1]
    rating = GivenRating(untrained(SHAPES), lines_of(runs, range(5)), SCENE)
    first, worth = (own[0] for own in rating.best(slots, 1, 0.5))
    cells, more = rating.best(slots, 1, 0.5, 2)
    assert (cells[0].tolist(), more[0]) == (first.tolist(), worth)
    # One cell fewer is the same run.
    dearest = [runs[k].tolist() for k in (1, 4, 0, 3) if not np.array_equal(runs[k], first)]
    assert [own.tolist() for own in cells[1:]] == dearest[:2]


def test_a_run_without_cells_is_never_chosen(slots: ProblemBatch) -> None:
    lines = lines_of([np.empty(0, np.int64), bent(9)], (0, 1))
    cells, _ = GivenRating(untrained(SHAPES), lines, SCENE).best(slots, 4, 1.0)
    assert [own.tolist() for own in cells] == [bent(9).tolist()]


def test_without_runs_none_is_chosen(slots: ProblemBatch) -> None:
    assert GivenRating(untrained(SHAPES), NO_CORRIDORS, SCENE).best(slots, 4, 1.0) == ([], [])


def paths_seen(lines: Corridors, scene: Scene = SCENE) -> Paths:
    return GivenRating(untrained(SHAPES), lines, scene)._paths


def test_a_wide_line_is_valued_along_its_middle() -> None:
    path = bent(9)
    wide = np.unique(np.concatenate([path - SIZE, path, path + SIZE, path + 1, path - 1]))
    own = lines_of([path], (0,))
    both = replace(own, corridors=(own.corridors[0]._replace(cells=wide),))
    for seen, wanted in zip(paths_seen(both), paths_of([path], SIZE), strict=True):
        assert seen.tolist() == wanted.tolist()


@pytest.mark.parametrize("turned", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_a_pair_is_valued_from_end_to_end_however_its_halves_run(turned: tuple[int, int]) -> None:
    whole = bent(9)
    halves = [half[::turn] for half, turn in zip((whole[:6], whole[6:]), turned, strict=True)]
    seen = paths_seen(replace(lines_of(halves, (0, 1)), pairs=((0, 1),)))
    wanted = paths_of([whole], SIZE)
    assert seen.cells[seen.first[2]:].tolist() in (whole.tolist(), whole[::-1].tolist())
    assert (seen.middle[2], *seen.like[2].tolist()) == (
        wanted.middle[0], *wanted.like[0].tolist())


def test_where_breaks_leak_line_actions_are_joined() -> None:
    scene = make_scene(LAND, FireConditions(scenarios=2, leak=True), 0)
    shape = shape_number(np.array(1), np.array(12))
    line = action_cells(int(shape) * SIZE**2 + 12 * SIZE + 12, (SIZE, SIZE), True)
    assert int(paths_seen(lines_of([line], (0,)), scene).like[0].argmax()) == shape
    assert paths_seen(lines_of([line], (0,)), scene).like[0].max() == 1.0
