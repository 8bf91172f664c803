"""Plans that choose among lines that are given: only their cells, and the choice of a slow greedy.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.env.storage.problem import budget_cost
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.raster.line_cells import cells_along
from firebreak.landscape.synthetic.closed_form import closed_form
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from lines_of_cells import lines_of
from untrained import fitting, untrained

SIZE, FIRES = 14, 12
LAND = generate(5, SIZE, cell_size_m=30.0)
SCENES = {
    "front": make_scene(LAND, FireConditions(scenarios=2), 0),
    "costs": make_scene(replace(LAND, cost=np.random.default_rng(1).uniform(
        0.5, 3.0, LAND.shape).astype(np.float32)), FireConditions(scenarios=2), 0),
    "narrow": make_scene(LAND, FireConditions(scenarios=2, breach="wilson",
                                              treatment=Treatment(width_m=6.0)), 0),
    "leaking": make_scene(LAND, FireConditions(scenarios=2, leak=True), 0),
    "shaded": make_scene(LAND, FireConditions(scenarios=2, treatment=Treatment(kind="shaded")), 0),
}
SEARCH = SearchOptions(evaluations=200)
TAKERS = [name for name, method in METHODS.items() if method.takes_lines]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return untrained()


def drawn(seed: int, *, only: bool, joined: bool = False, count: int = 5) -> Corridors:
    """Some bent lines in pieces of a few cells, their treatable cells."""
    rng = np.random.default_rng(seed)
    pieces, line = [], []
    for number in range(count):
        corners = rng.uniform(0, SIZE, (3, 2))
        cells = cells_along(corners, joined)
        flat = cells[:, 0] * SIZE + cells[:, 1]
        flat = flat[np.sort(np.unique(flat, return_index=True)[1])]
        for part in np.array_split(flat, max(1, flat.size // 4)):
            own = part[LAND.treatable.ravel()[part]]
            if own.size:
                pieces.append(own)
                line.append(number)
    return lines_of(pieces, line, only=only)


def restricted(scene: Scene, lines: Corridors) -> Scene:
    land = scene.landscape
    return replace(scene, landscape=replace(land, treatable=land.treatable
                                            & lines.mask(land.shape)))


def slow_greedy(scene: Scene, lines: Corridors, budget: float) -> np.ndarray:
    """Every time all runs burn anew on all fires."""
    fires, land = scene.fires("plan", FIRES), scene.landscape
    cost = land.cost.ravel().astype(np.float64)
    mask = np.zeros(land.shape, np.bool_)
    left = budget

    def loss(cells: np.ndarray) -> float:
        trial = mask.copy()
        trial.ravel()[cells] = True
        return float(burn(scene, fires, trial).loss.mean())

    none = np.empty(0, np.int64)
    while True:
        before, best, rate = loss(none), none, 1e-9
        for run in lines.runs():
            own = run[~mask.ravel()[run] & land.treatable.ravel()[run]]
            if own.size and cost[own].sum() <= left * (1 + 1e-9) + 1e-9:
                saved = (before - loss(own)) / cost[own].sum()
                if saved > rate * (1 + 1e-9):
                    best, rate = own, saved
        if not best.size:
            return mask
        mask.ravel()[best] = True
        left -= cost[best].sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["front", "costs", "narrow", "leaking"])
@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_the_choice_is_that_of_a_slow_greedy(kind: str, seed: int) -> None:
    lines = drawn(seed, only=True, joined=kind == "leaking")
    scene = restricted(SCENES[kind], lines)
    share = 0.5
    plan = make_plan(scene, share, FIRES, "segments", seed=0, batch=1,
                     rules=PlanRules(lines=lines))
    slow = slow_greedy(scene, lines, budget_cost(scene.landscape, share))
    fires = scene.fires("plan", FIRES)
    own, other = (burn(scene, fires, mask).loss.mean()
                  for mask in (plan.break_mask(), slow))
    # Runs of equal saving per cost may come in another order.
    assert own == pytest.approx(other, rel=1e-6) or np.array_equal(plan.break_mask(), slow)


@pytest.mark.slow
@pytest.mark.parametrize("method", TAKERS)
@pytest.mark.parametrize("kind", ["front", "costs", "shaded"])
@settings(max_examples=2, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_the_plan_has_cells_of_the_lines_only(kind: str, method: str, policy: Policy,
                                              seed: int) -> None:
    lines = drawn(seed, only=True)
    scene = restricted(SCENES[kind], lines)
    plan = make_plan(scene, 0.4, FIRES, method, seed=0, policy=fitting(method, policy),
                     rules=PlanRules(lines=lines, shortest_m=60.0), search=SEARCH)
    assert not (plan.break_mask() & ~lines.mask(LAND.shape)).any()
    assert plan.cost <= plan.budget * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("method", TAKERS)
@pytest.mark.parametrize("only", [True, False])
def test_a_bent_line_that_closes_a_corner_is_built_first(
        method: str, policy: Policy, only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No straight line holds the fires of this corner; two pieces of a given one do, together."""
    monkeypatch.setattr("firebreak.planning.learned.lookahead.DISTRUST", 0.0)  # fires decide
    form = closed_form("corner", 12)
    land, count = form.landscape, form.budget_cells
    scene = make_scene(land, FireConditions(scenarios=1, regime=FireRegime(duration_min=1e7)), 0)
    side = count // 2
    down = np.array([row * 12 + side for row in range(side)])
    along = np.array([side * 12 + col for col in reversed(range(side))])
    far = np.array([11 * 12 + 11, 11 * 12 + 10])
    lines = lines_of((down, along, far), (0, 0, 1), only=only)
    scene = restricted(scene, lines) if only else scene
    share = 1.0 if only else (count + 3.5) / int(land.treatable.sum())
    plan = make_plan(scene, share, 64, method, seed=0, batch=1, policy=fitting(method, policy),
                     rules=PlanRules(lines=lines), search=SEARCH)
    assert sorted(plan.cells[:count].tolist()) == sorted([*down.tolist(), *along.tolist()])
    if only:
        saves_nothing = method in ("segments", "enclose")  # which spends what is left as that does
        assert plan.cells.size == count + (0 if saves_nothing else far.size)
    else:
        assert plan.cells.size == count + 3


def test_other_methods_refuse_lines() -> None:
    with pytest.raises(InputError, match="chooses among corridors or given lines: segments, "
                                         "enclose, dqn-lookahead, dqn-search, auto, got 'strips'"):
        make_plan(SCENES["front"], 0.1, FIRES, "strips", seed=0,
                  rules=PlanRules(lines=drawn(1, only=False)))


def test_runs_are_of_neighbours_of_one_line() -> None:
    pieces = tuple(np.arange(4 * k, 4 * k + 4) for k in range(6))
    lines = lines_of(pieces, (0, 0, 0, 1, 1, 1))
    assert sorted(run.tolist() for run in lines.runs()) == sorted(
        [list(range(4 * first, 4 * last)) for first, last in (
            (0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3),
            (3, 4), (4, 5), (5, 6), (3, 5), (4, 6), (3, 6))])
