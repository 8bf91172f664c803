"""Rivals that search, against plain burning of the plan fires under each plan."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import rivals
from benchmarks.rivals.anneal import anneal
from benchmarks.rivals.starts import FILTERED, starts_of

from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core import limits
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.rounds import Placement, Task
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS, called
from firebreak.planning.search.plan_state import PlanState

CONDITIONS = FireConditions(scenarios=3)
FIRES = 32
FEW = SearchOptions(evaluations=400)


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with rivals.known():
        yield


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, (11, 13)), CONDITIONS, 1)


@pytest.fixture(scope="module")
def priced() -> Scene:
    land = generate(8, (11, 13))
    cost = np.random.default_rng(2).uniform(0.5, 4.0, land.shape)
    return make_scene(replace(land, cost=cost), CONDITIONS, 1)


def loss_of(scene: Scene, cells: list[int]) -> float:
    """Mean loss of the plan fires, burned anew."""
    mask = np.zeros(scene.landscape.shape, bool)
    mask.ravel()[cells] = True
    return float(burn(scene, scene.fires("plan", FIRES), mask).loss.mean())


def plan_of(scene: Scene, method: str, search: SearchOptions = FEW, start: str | None = None,
            seed: int = 0) -> Plan:
    with rivals.known(rivals.from_start(start)):
        return make_plan(scene, 0.06, FIRES, method, seed=seed, search=search)


@pytest.mark.parametrize("method", ["swap", "anneal"])
@pytest.mark.parametrize("start", [None, "downstream-value", "random"])
def test_a_search_ends_no_worse_than_it_starts(scene: Scene, priced: Scene, method: str,
                                               start: str | None) -> None:
    for where in (scene, priced):
        found = plan_of(where, method, FEW, start)
        names = [start] if start else ["greedy", "downstream-value"]
        starts = [loss_of(where, plan_of(where, name).cells.tolist()) for name in names]
        assert loss_of(where, found.cells.tolist()) <= min(starts) + 1e-9


@pytest.mark.parametrize("method", ["swap", "anneal"])
def test_a_search_from_a_random_plan_beats_greedy_downstream_value(scene: Scene,
                                                                   method: str) -> None:
    found = plan_of(scene, method, SearchOptions(evaluations=3000), "random")
    assert loss_of(scene, found.cells.tolist()) < loss_of(
        scene, plan_of(scene, "downstream-value").cells.tolist())


@pytest.mark.parametrize("method", ["swap", "anneal"])
def test_evaluations_and_seed_decide_the_plan(scene: Scene, method: str) -> None:
    limit = SearchOptions(evaluations=1500)
    first, again, other = (plan_of(scene, method, limit, seed=seed) for seed in (1, 1, 2))
    assert first.cells.tolist() == again.cells.tolist()
    assert first.simulations == again.simulations
    assert first.cells.tolist() != other.cells.tolist() or first.simulations != other.simulations


@pytest.mark.parametrize("method", ["swap", "anneal"])
def test_more_evaluations_cost_more_simulations(scene: Scene, method: str) -> None:
    few, many = (plan_of(scene, method, SearchOptions(evaluations=count)).simulations
                 for count in (100, 2000))
    assert few < many


@pytest.mark.parametrize("method", ["swap", "anneal"])
def test_the_clock_ends_a_search_within_a_move(scene: Scene, method: str,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands at the limit when the search begins leaves the start as it is."""
    time = iter(range(10**9))
    monkeypatch.setattr(limits, "process_time", lambda: float(next(time)))
    moved = []
    monkeypatch.setattr(ProblemBatch, "remove", counted(ProblemBatch.remove, moved))
    plan_of(scene, method, SearchOptions(seconds=3.0), "random")
    looks = len(moved)
    time = iter(range(10**9))
    moved.clear()
    plan_of(scene, method, SearchOptions(seconds=1.0), "random")
    # Two seconds of this clock are two looks at it: at most so many moves of a few breaks each.
    assert len(moved) < looks <= len(moved) + 2 * 8


def counted(method, calls):
    def wrapped(self, *args):
        calls.append(args)
        return method(self, *args)
    return wrapped


def test_the_order_of_a_plan_is_that_of_what_each_break_adds(scene: Scene) -> None:
    cells = plan_of(scene, "swap").cells.tolist()
    for place in range(len(cells)):
        own = loss_of(scene, cells[:place + 1])
        rest = [loss_of(scene, [*cells[:place], other]) for other in cells[place:]]
        assert own == pytest.approx(min(rest))


@pytest.mark.parametrize("method", ["swap", "anneal"])
def test_a_limit_by_the_clock_holds_within_a_move(scene: Scene, method: str,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(limits, "process_time", lambda: float(next(ticks)))
    asked: list[int] = []
    gains = PlanState.gains

    def counted(self: PlanState, cells: np.ndarray) -> np.ndarray:
        asked.append(cells.size)
        return gains(self, cells)

    start = plan_of(scene, "downstream-value")
    monkeypatch.setattr(PlanState, "gains", counted)
    plan = plan_of(scene, method, SearchOptions(seconds=5.0), "downstream-value")
    # Each look at the clock takes a second of it: a handful of looks, not a whole refill.
    assert len(asked) <= 8
    assert plan.cells.size == start.cells.size


def test_searches_start_from_the_method_that_is_named(
        scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in ("random", "downstream-value", "greedy"):
        own = METHODS[name]

        def place(task: Task, own=own, name=name):
            asked.append(name)
            return called(own.place)(task)
        monkeypatch.setitem(METHODS, name, own._replace(place=place))
    plan_of(scene, "swap", start="random")
    assert asked == ["random"]
    plan_of(scene, "anneal")
    assert asked == ["random", "downstream-value", "greedy"]


@pytest.mark.parametrize(("conditions", "start"), [
    (CONDITIONS, "greedy"),
    (replace(CONDITIONS, treatment=Treatment(kind="shaded")), "greedy-filtered"),
])
def test_searches_start_from_exact_greedy_where_its_trials_are_quick(
        conditions: FireConditions, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = make_scene(generate(8, (11, 13)), conditions, 1)
    fires = scene.fires("plan", FIRES)
    asked: list[str] = []

    def placing(name: str) -> Callable[[Task], Placement]:
        def place(task: Task) -> Placement:
            asked.append(name)
            return Placement(np.empty(0, np.int64), 0.0)
        return place

    for name in ("greedy", "downstream-value"):
        monkeypatch.setitem(METHODS, name, METHODS[name]._replace(place=placing(name)))
    monkeypatch.setattr("benchmarks.rivals.starts.place_greedy_filtered",
                        placing("greedy-filtered"))
    starts_of(Task(problem_of(scene, 0.06, fires, fires.first(0)), 0, 1, None, FEW), None)
    assert asked == ["downstream-value", start]


def test_greedy_filtered_takes_the_best_of_the_cells_of_most_downstream_value(
        scene: Scene) -> None:
    cells = plan_of(scene, "greedy-filtered").cells.tolist()
    below = burn(scene, scene.fires("plan", FIRES), want="statistics").downstream_value.ravel()
    free = np.flatnonzero(scene.landscape.treatable)
    tried = free[np.argsort(-below[free], kind="stable")[:FILTERED]].tolist()
    assert loss_of(scene, cells[:1]) == pytest.approx(min(loss_of(scene, [one]) for one in tried))


def test_the_best_plan_seen_is_left_however_much_may_be_lost(scene: Scene) -> None:
    state = PlanState(problem_of(scene, 0.06, scene.fires("plan", FIRES),
                                 scene.fires("plan", FIRES).first(0)))
    state.become(plan_of(scene, "greedy").cells.tolist())
    loss, rng = state.loss, np.random.default_rng(0)
    anneal(state, Effort(SearchOptions(evaluations=1000)), rng, hot=0.99, cold=1.0)
    assert state.loss <= loss
    before, spent = list(state.cells), Effort(SearchOptions(evaluations=1))
    spent.evaluated = 1
    anneal(state, spent, rng)
    assert state.cells == before
