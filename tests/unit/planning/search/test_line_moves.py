"""Moves of whole lines, against plain burning of the plan fires under each plan."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from break_cases import BREAKS
from firebreak.env.storage.problem import problem_of
from firebreak.fire import Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import limits
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import NO_CORRIDORS
from firebreak.planning.core.limits import Effort, SearchOptions, forever
from firebreak.planning.search import moves
from firebreak.planning.search.moves import (
    LINES_REMOVED,
    MAY_LOSE,
    Line,
    lines_best_first,
    move_lines,
    near_lines,
)
from firebreak.planning.search.plan_state import PlanState

FIRES, SHARE = 24, 0.12


def priced(kind: str) -> Scene:
    land = generate(8, (11, 13))
    cost = np.random.default_rng(2).uniform(0.5, 3.0, land.shape)
    return make_scene(replace(land, cost=cost), BREAKS[kind], 1)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return priced("hard")


def state_of(scene: Scene) -> PlanState:
    fires = scene.fires("plan", FIRES)
    return PlanState(problem_of(scene, SHARE, fires, fires.first(0)))


def any_lines(scene: Scene) -> BuildRules:
    """Rules of lines that are no corridors."""
    return BuildRules(NO_CORRIDORS, scene.landscape)


def loss_of(scene: Scene, cells: list[int]) -> float:
    mask = np.zeros(scene.landscape.shape, bool)
    mask.ravel()[cells] = True
    return float(burn(scene, scene.fires("plan", FIRES), mask).loss.mean())


def random_lines(state: PlanState, rng: np.random.Generator) -> list[Line]:
    """Spends what is left on rows of up to three available cells."""
    placed: list[Line] = []
    while (cells := state.available()).size:
        first = int(rng.choice(cells))
        line: Line = []
        for cell in range(first, first + 3):
            if cell in state.available():
                state.place(cell)
                state.evaluated += 1
                line.append(cell)
        placed.append(line)
    return placed


@pytest.mark.parametrize("kind", BREAKS)
@pytest.mark.parametrize("may_lose", [MAY_LOSE, 10.0])
def test_moves_keep_the_budget_and_never_lose(kind: str, may_lose: float,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "LINES_LOSE", may_lose)
    scene, rng = priced(kind), np.random.default_rng(0)
    state, land = state_of(scene), scene.landscape
    budget = SHARE * land.cost[land.treatable].astype(float).sum()
    lines = random_lines(state, rng)
    start, seen = state.loss, []

    def refill(gone: list[Line]) -> list[Line]:
        assert not {cell for line in gone for cell in line} & set(state.cells)
        placed = random_lines(state, rng)
        spent = land.cost.ravel()[state.cells].astype(float).sum()
        seen.append(state.loss)
        assert spent <= budget * (1.0 + 1e-9)
        return placed

    found = move_lines(state, lines, refill, Effort(SearchOptions(evaluations=150)), rng,
                       any_lines(scene))
    assert len(seen) > 10
    assert any(loss > min(seen[:k]) for k, loss in enumerate(seen) if k)  # moves that lose too
    assert state.loss == pytest.approx(min([start, *seen]))
    assert state.loss == pytest.approx(loss_of(scene, state.cells))
    assert sorted(cell for line in found for cell in line) == sorted(state.cells)


def test_a_move_takes_whole_lines(scene: Scene) -> None:
    state, rng = state_of(scene), np.random.default_rng(1)
    lines = random_lines(state, rng)
    counts: list[int] = []

    def refill(gone: list[Line]) -> list[Line]:
        state.evaluated += 1
        there = set(state.cells)
        assert all(line in lines for line in gone)
        assert there == {cell for line in lines if line not in gone for cell in line}
        counts.append(len(gone))
        for line in gone:
            state.change([], line)
        return gone

    move_lines(state, lines, refill, Effort(SearchOptions(evaluations=40)), rng,
               any_lines(scene))
    assert len(counts) == 40
    assert set(counts) == set(range(1, LINES_REMOVED + 1))


def test_near_lines_are_those_beside_a_random_one() -> None:
    lines = [[0, 1], [13, 14], [11 * 13 - 1], [10 * 13 - 1, 9 * 13 - 1], [60 * 13]]
    rng = np.random.default_rng(0)
    pairs = [near_lines(lines, 13, 2, rng) for _ in range(300)]
    assert {len(pair) for pair in pairs} == {2}
    assert {k for pair in pairs for k in pair} == {0, 1, 2, 3, 4}
    assert all(pair in ({0, 1}, {2, 3}) for pair in pairs if 4 not in pair)
    assert 0 < sum(4 in pair for pair in pairs) < 100  # only where the lone line comes first
    assert near_lines(lines[:1], 13, 3, rng) == {0}


def test_lines_come_in_the_order_of_what_they_save_per_cost(scene: Scene) -> None:
    state = state_of(scene)
    lines = random_lines(state, np.random.default_rng(3))
    before, loss = sorted(state.cells), state.loss
    ordered = lines_best_first(state, lines, forever)
    assert sorted(map(sorted, ordered)) == sorted(map(sorted, lines))
    assert state.cells == [cell for line in ordered for cell in line]
    assert sorted(state.cells) == before
    assert state.loss == pytest.approx(loss)
    cost = scene.landscape.cost.ravel().astype(float)
    for place in range(len(ordered)):
        begun = [cell for line in ordered[:place] for cell in line]
        rate = [(loss_of(scene, begun) - loss_of(scene, [*begun, *line])) / cost[line].sum()
                for line in ordered[place:]]
        assert rate[0] == pytest.approx(max(rate))
    assert lines_best_first(state, lines, lambda: False) == lines


def test_a_search_that_is_stopped_leaves_the_start(scene: Scene,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(limits, "process_time", lambda: float(next(ticks)))
    state, rng = state_of(scene), np.random.default_rng(0)
    lines = random_lines(state, rng)
    begun, loss = list(state.cells), state.loss
    effort = Effort(SearchOptions(seconds=3.0))
    assert move_lines(state, lines, lambda gone: [], effort, rng, any_lines(scene)) == lines
    assert next(ticks) <= 6  # looks at the clock, a second each
    assert sorted(state.cells) == sorted(begun)
    assert state.loss == pytest.approx(loss)
