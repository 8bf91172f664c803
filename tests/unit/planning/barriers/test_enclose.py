"""Method `enclose`: barriers that are closed, parts of those that cannot be, and what it says."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import firebreak
from firebreak.checks import InputError
from firebreak.env.storage.problem import Problem, problem_of
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.candidates.corridor import corridor_of
from firebreak.landscape.fuels import BARREN
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.closed_form import closed_form
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.barriers import enclose
from firebreak.planning.barriers.cut import Network, cut_of
from firebreak.planning.barriers.enclose import (
    joined,
    place_enclose,
    relying_on_bare_ground,
    stakes_of,
)
from firebreak.planning.barriers.pieces import corridors_of
from firebreak.planning.barriers.words import barrier_words
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import SEARCH
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.rounds import Placement, Task
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.making import make_plan

SIDE = 20
FIRES = 48
FROM_OUTSIDE = FireRegime(burned_share=0.6, edge_share=1.0)


def town(seed: int) -> Landscape:
    """A town of 5 x 5 cells in the middle that may not be treated, on land of little value."""
    land = generate(seed, SIDE)
    inside = np.zeros(land.shape, np.bool_)
    inside[8:13, 8:13] = True
    value = np.where(inside & land.burnable, 1.0, 0.001).astype(np.float32)
    return replace(land, value=value, treatable=land.treatable & ~inside)


@cache
def scene_of(seed: int, regime: FireRegime = FROM_OUTSIDE) -> Scene:
    return make_scene(town(seed), FireConditions(scenarios=2, regime=regime), 0)


def problem(scene: Scene, cells: float) -> Problem:
    fires = scene.fires("plan", FIRES)
    return replace(problem_of(scene, 0.5, fires, fires.first(0)), budget=cells)


def made(scene: Scene, cells: float, method: str = "enclose",
         lines: Corridors | None = None, include: tuple[int, ...] = ()) -> Plan:
    return make_plan(scene, 0.5, FIRES, method, seed=0, rules=PlanRules(
        budget=cells, lines=lines, include=np.array(include, np.int64)))


def saved(scene: Scene, plan: Plan) -> float:
    test = scene.fires("test", 200)
    return 1.0 - float(burn(scene, test, plan.break_mask()).loss.mean()
                       / burn(scene, test).loss.mean())


def ring_of(scene: Scene) -> int:
    """Cells of the cheapest barrier around the town."""
    stakes = stakes_of(problem(scene, 10.0))
    inside = np.where(scene.landscape.value > 0.5, stakes.value, 0.0)
    network = Network(stakes)
    return network.cut(network.most_willing(inside), inside).cells.size


@pytest.mark.parametrize("seed", [3, 8])
def test_a_town_is_closed_where_the_budget_pays_for_it_and_lines_do_not(seed: int) -> None:
    scene = scene_of(seed)
    cells = ring_of(scene) + 0.5
    plan = made(scene, cells)
    assert saved(scene, plan) > 0.9
    assert saved(scene, made(scene, cells, "segments")) < saved(scene, plan) - 0.05
    assert barrier_words([plan]) is None
    left = cut_of(stakes_of(problem(scene, cells)), plan.cells)
    assert not left.exposed[scene.landscape.value > 0.5].any()


def test_below_the_ring_the_budget_is_spent_and_the_price_of_the_ring_is_said() -> None:
    scene = scene_of(3)
    ring = ring_of(scene)
    plan = made(scene, 0.6 * ring)
    assert saved(scene, plan) > 0.0
    assert plan.cost == np.floor(0.6 * ring)
    words = barrier_words([replace(plan, notes=None), plan])
    assert words is not None
    assert "cannot be closed for" in words or "closes a barrier that" in words
    assert plan.notes is not None
    assert plan.notes["beyond_cost"] <= ring
    assert f"{plan.notes['beyond_cost']:,.6g} cells and shuts out" in words


def test_the_report_says_what_the_budget_does_not_close(tmp_path: Path) -> None:
    land = town(3)
    edge = np.pad(np.zeros(np.subtract(land.shape, 2)), 1, constant_values=1.0)
    planned = firebreak.plan(land, budget=0.02, method="enclose", burned_share=0.6,
                             ignitions=edge, plan_fires=32, test_fires=40, report="brief",
                             quiet=True)
    planned.save(tmp_path / "plan")
    words = barrier_words([planned.plan])
    assert words is not None
    page = " ".join((tmp_path / "plan" / "report.html").read_text().split())
    assert f"<li>{words}</li>" in page


def test_a_plan_is_never_worse_on_its_fires_than_the_best_closed_barrier() -> None:
    scene = scene_of(8)
    task = problem(scene, 12.0)
    network = Network(stakes_of(task))
    placed = place_enclose(Task(task, 0, 1, None, SEARCH))
    own = burn(scene, task.plan_fires, placed.cells).loss.mean()
    for willing in (1.0, 10.0, 100.0, 1000.0):
        cut = network.cut(willing)
        if cut.cost <= 12.0:
            assert own <= burn(scene, task.plan_fires, cut.cells).loss.mean() * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", [3, 8])
def test_a_plan_is_that_of_proposals_burned_anew(
        seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = made(scene_of(seed), 40.0).cells
    quick = made(scene_of(seed), 12.0, include=tuple(ring[:3].tolist()))
    monkeypatch.setattr(enclose, "trial_in_place", lambda *_: False)
    anew = made(scene_of(seed), 12.0, include=tuple(ring[:3].tolist()))
    assert quick.cells.tolist() == anew.cells.tolist()


def test_what_saves_most_and_what_saves_most_per_cost_are_filled(
        monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[tuple[float, float]] = []
    task = problem(scene_of(3), 30.0)
    whole = burn(task.scene, task.plan_fires).loss.mean()

    def fill(own: Task, cells: np.ndarray) -> Placement:
        saved = whole - burn(own.problem.scene, own.problem.plan_fires, cells).loss.mean()
        filled.append((saved, saved / cells.size))
        return Placement(cells, 0.0)

    monkeypatch.setattr(enclose, "_filled", fill)
    best = place_enclose(Task(task, 0, 1, None, SEARCH))
    (most, by_cell), (less, more_by_cell) = filled
    assert most > less
    assert by_cell < more_by_cell
    own = whole - burn(task.scene, task.plan_fires, best.cells).loss.mean()
    assert own == pytest.approx(most)


def test_breaks_that_stand_are_part_of_the_barrier() -> None:
    scene = scene_of(3)
    count = ring_of(scene)
    ring = made(scene, count + 0.5).cells
    plan = made(scene, count + 0.5, include=tuple(ring[:5].tolist()))
    assert set(ring[:5].tolist()) <= set(plan.cells.tolist())
    assert saved(scene, plan) > 0.9
    assert plan.notes is not None
    begun = stakes_of(replace(problem(scene, 50.0), standing=ring[:5]))
    inside = np.where(scene.landscape.value > 0.5, 1.0, 0.0)
    network = Network(begun)
    assert network.cut(network.most_willing(inside), inside).cost == count - 5


def test_where_only_given_lines_may_be_built_the_barrier_is_made_of_them() -> None:
    scene = scene_of(3)
    frame = np.zeros((SIDE, SIDE), np.bool_)
    frame[5:16, 5:16] = True
    frame[6:15, 6:15] = False
    cells = np.flatnonzero(frame & scene.landscape.treatable)
    lines = corridors_of([cut_of(stakes_of(problem(scene, 10.0)), cells)], scene.landscape,
                         leak=False)
    assert lines is not None
    plan = made(scene, cells.size + 0.5, lines=replace(lines, only=True))
    assert set(plan.cells.tolist()) <= set(cells.tolist())
    assert saved(scene, plan) > 0.8


def test_where_no_part_of_a_barrier_saves_anything_the_plan_is_one_of_lines() -> None:
    land = town(3)
    far = replace(land, cost=np.where(np.indices(land.shape)[0] < 18, 9.0, 1.0).astype(np.float32))
    scene = make_scene(far, FireConditions(scenarios=2, regime=FROM_OUTSIDE), 0)
    assert made(scene, 1.5).cells.size == 1


def test_a_barrier_may_rely_on_bare_ground_that_fire_crosses_and_burning_decides() -> None:
    """A town between two roads: with them the barrier costs less, but fire comes over them."""
    land = generate(4, SIDE)
    fuel = np.where(land.burnable, land.fuel_model, land.fuel_model[land.burnable][0])
    fuel[[6, 14]] = BARREN
    inside = np.zeros(land.shape, np.bool_)
    inside[8:13, 8:13] = True
    burnable = fuel != BARREN
    roads = replace(land, fuel_model=fuel, treatable=burnable & ~inside,
        bare_m=np.where(burnable, 0.0, 5.0).astype(np.float32),
        value=np.where(inside, 1.0, 0.001 * burnable).astype(np.float32))
    crossed = make_scene(roads, FireConditions(scenarios=2, regime=FROM_OUTSIDE,
                                               breach="wilson"), 0)
    task = problem(crossed, 18.0)
    stakes = stakes_of(task)
    assert stakes.open[6].any()
    assert np.isinf(stakes.cost[6]).all()
    own = Network(stakes)
    wide = own.cut(own.most_willing())
    relying = relying_on_bare_ground(stakes, task)
    assert min(cut.cost for cut in (*relying.bought, *relying.beyond) if cut.cells.size) < wide.cost
    walls = problem(make_scene(replace(roads, bare_m=None), crossed.conditions, 0), 18.0)
    assert relying_on_bare_ground(stakes_of(walls), walls) == ([], [])
    assert made(crossed, 18.0).cells.size > 0


def test_lines_are_joined_as_lines_of_their_own() -> None:
    scene = scene_of(3)
    network = Network(stakes_of(problem(scene, 10.0)))
    lines = corridors_of([network.cut(network.most_willing())], scene.landscape, leak=False)
    assert lines is not None
    both = joined(lines, lines)
    assert both is not None
    assert both.line == (*lines.line, *(1 + max(lines.line) + k for k in lines.line))
    assert joined(None, lines) is lines is joined(lines, None)


def test_starts_within_the_town_are_told_as_what_no_barrier_helps() -> None:
    scene = scene_of(3, FireRegime(burned_share=0.6, edge_share=0.4))
    weight = np.where(scene.landscape.value > 0.5, 1.0, 0.0) + np.eye(SIDE) * 0.5
    land = replace(scene.landscape, ignition_weight=weight.astype(np.float32))
    scene = make_scene(land, scene.conditions, 0)
    words = barrier_words([made(scene, 60.0)])
    assert words is not None
    assert "Fires that start behind any barrier cause" in words


def test_what_no_barrier_can_enclose_is_refused_in_a_sentence() -> None:
    land = town(3)
    shut = replace(land, treatable=land.treatable & (np.arange(SIDE) < 2))
    scene = make_scene(shut, FireConditions(scenarios=2, regime=FROM_OUTSIDE), 0)
    with pytest.raises(InputError, match="fire reaches over ground that cannot be treated"):
        made(scene, 3.0)
    town_only = replace(land, ignition_weight=(land.value > 0.5).astype(np.float32),
                        value=np.where(land.value > 0.5, 1.0, 0.0).astype(np.float32))
    scene = make_scene(town_only, FireConditions(scenarios=2), 0)
    with pytest.raises(InputError, match="fires that all start among the value"):
        made(scene, 3.0)


def test_a_corner_is_closed_where_fire_starts_in_it() -> None:
    form = closed_form("corner", 12)
    scene = make_scene(form.landscape, FireConditions(
        scenarios=2, regime=FireRegime(duration_min=1e7, duration_sigma=0.0)), 0)
    plan = make_plan(scene, form.budget_share, 64, "enclose", seed=0)
    loss = burn(scene, scene.fires("check", 100), plan.break_mask()).loss
    assert loss.mean() == pytest.approx(form.optimal_loss)


def test_of_corridors_barriers_are_bought_whole_or_as_many_neighbours_as_the_money_pays_for(
        ) -> None:
    land = replace(generate(1, 12), fuel_model=np.full((12, 12), 101, np.int16),
                   treatable=np.ones((12, 12), np.bool_))
    pieces = [np.arange(3) + 12 * k for k in (2, 5, 8)]
    lines = Corridors(corridors=tuple(corridor_of(own, land, kind) for own, kind in zip(
        [*pieces, np.arange(5) + 120], ["cut", "cut", "cut", "route"], strict=True)),
        line=(0, 0, 0, 1))

    def sizes(budget: float) -> list[int]:
        return [own.size for own in enclose.of_corridors(lines, land, budget)]

    assert sizes(9.0) == [9, 6, 3]
    assert sizes(6.5) == [6, 6, 3]
    assert sizes(2.0) == []
