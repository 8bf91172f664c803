"""Pieces of barriers are offered where closing is what a job is about, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.env.storage.problem import Problem, problem_of
from firebreak.fire import FireConditions, HoldRule, Scene, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.landscape import AREA, MARGIN
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.barriers import offer
from firebreak.planning.barriers.offer import is_concentrated, may_close, with_pieces
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.settings.scene import DRAWN_HOLD_BY
from untrained import untrained

SIDE = 24
FIRES = 32


def scene(town: float, seed: int = 5) -> Scene:
    """Land of little value with a town, or of one value where the town is worth no more."""
    land = generate(seed, SIDE)
    value = np.where(land.burnable, 1.0, 0.0)
    value[10:14, 10:14] *= town
    return make_scene(replace(land, value=value.astype(np.float32)), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=0.6, edge_share=1.0)), 0)


def problem(of: Scene) -> Problem:
    fires = of.fires("plan", FIRES)
    return problem_of(of, 0.05, fires, fires.first(0))


def test_pieces_are_offered_around_a_town_that_the_budget_nearly_closes() -> None:
    own = problem(scene(town=500.0))
    assert is_concentrated(own.scene)
    candidate = METHODS["enclose"].candidate
    assert candidate is not None
    assert candidate.fits(own.scene, 0.05, 16)
    lines = with_pieces(own, 14.0, None)
    assert lines is not None
    assert {corridor.kind for corridor in lines.corridors} == {"cut"}
    assert with_pieces(own, 1.0, None) is None
    more = with_pieces(own, 14.0, lines)
    assert more is not None
    assert len(more.corridors) == 2 * len(lines.corridors)


@pytest.mark.parametrize("seed", range(4))
def test_where_values_are_spread_nothing_is_offered(seed: int) -> None:
    own = problem(scene(town=1.0, seed=seed))
    assert not is_concentrated(own.scene)
    candidate = METHODS["enclose"].candidate
    assert candidate is not None
    assert not candidate.fits(own.scene, 0.05, 16)
    assert with_pieces(own, 30.0, None) is None


def test_closing_is_tried_where_fires_come_from_around_an_area_that_is_not_too_large(
        monkeypatch: pytest.MonkeyPatch) -> None:
    own = scene(town=1.0)
    zone = np.full((SIDE, SIDE), MARGIN, np.int8)
    zone[6:18, 6:18] = AREA
    around = replace(own, landscape=replace(own.landscape, zone=zone))
    assert not is_concentrated(around)
    assert not may_close(own)
    assert may_close(around)
    monkeypatch.setattr(offer, "MOST_CELLS_AROUND", SIDE * SIDE - 1)
    assert not may_close(around)


def test_the_methods_that_are_offered_pieces_choose_among_lines(
        monkeypatch: pytest.MonkeyPatch) -> None:
    offered = [name for name, method in METHODS.items() if method.offered]
    assert offered == ["segments", "dqn-lookahead", "dqn-search"]
    assert all(METHODS[name].takes_lines for name in offered)
    town = scene(town=500.0)
    with_them = make_plan(town, 0.05, FIRES, "segments", seed=0, rules=PlanRules(budget=14.0))
    monkeypatch.setitem(METHODS, "segments", METHODS["segments"]._replace(offered=False))
    without = make_plan(town, 0.05, FIRES, "segments", seed=0, rules=PlanRules(budget=14.0))
    assert set(with_them.cells.tolist()) != set(without.cells.tolist())


def test_a_policy_of_cells_searches_a_town_without_pieces() -> None:
    plan = make_plan(scene(town=500.0), 0.05, FIRES, "dqn-search", seed=0, policy=untrained(),
                     rules=PlanRules(budget=14.0), search=SearchOptions(evaluations=4))
    assert plan.cells.size == 14


def test_one_barrier_is_offered_where_every_trial_burns_anew() -> None:
    own = problem(scene(town=500.0))
    rules = replace(own.scene.conditions, treatment=Treatment(kind="shaded"),
                    hold=HoldRule(by=DRAWN_HOLD_BY))
    held = make_scene(own.scene.landscape, rules, 0)
    slow = with_pieces(problem(held), 24.0, None)
    quick = with_pieces(own, 24.0, None)
    assert slow is not None
    assert quick is not None
    assert set(slow.line) == {0}
    assert set(quick.line) == {0, 1, 2}
