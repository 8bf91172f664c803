"""Rows across the whole map beside the lines of windows: which plan is kept, and what rows give up.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, FireRegime, Fires, burn, make_scene
from firebreak.fire.effects.losses import BURNED
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.fire_counts import CHOICE_SET, choice_count
from firebreak.planning.core.line_trials import UNTRIED, untried_words
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.patterns.rows import Across, RowPlan
from firebreak.planning.windows import exchange, line_plan, make
from firebreak.planning.windows.choose import Ratings
from firebreak.planning.windows.cores import Core
from firebreak.planning.windows.exchange import _without_least
from firebreak.planning.windows.make import (
    Region,
    WindowPlan,
    WindowSettings,
    make_region,
    plan_by_windows,
    region_recipe,
)
from firebreak.planning.windows.reached import losses_by_workers
from firebreak.planning.windows.region import Lines, Proposal, RegionWorker
from firebreak.planning.windows.shards.shard_plan import loss_bound, loss_unit

SIZE, BUDGET = 80, 0.04


@pytest.fixture(scope="module")
def region() -> Region:
    """Fires that are large against the lines of windows, of one wind."""
    wide = make_scene(generate(5, SIZE), FireConditions(
        scenarios=1, regime=FireRegime(burned_share=0.2)), 5, tiled=True)
    return make_region(wide, BUDGET, "downstream-value", seed=5, plan_fires=40)


def planned(region: Region, workers: int = 1, most: int = 2**20) -> WindowPlan:
    with closing(open_executor("in-process", region_recipe(region), workers)) as executor:
        return plan_by_windows(region, BUDGET, executor, WindowSettings(core=40),
                               most_shard_fires=most)


def choice_loss(region: Region, made: WindowPlan) -> float:
    fires = region.scene.fires(CHOICE_SET, choice_count(40, SIZE * SIZE))
    return float(burn(region.scene, fires, made.plan.break_mask()).loss.sum())


def no_plan(*arguments: Any, **named: Any) -> Any:
    raise InputError("no line is left")


def given_rows(monkeypatch: pytest.MonkeyPatch, *plans: RowPlan) -> None:
    monkeypatch.setattr(exchange, "row_plans", lambda *arguments: list(plans))


@pytest.mark.slow
def test_rows_are_kept_where_fires_that_chose_neither_lose_less(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    """And their plan is the same for any shards."""
    one = planned(region)
    assert one.rows
    assert one.plan.cost <= one.plan.budget * (1.0 + 1e-9)
    other = planned(region, 3, 5)
    assert (one.plan.cells == other.plan.cells).all()
    assert (one.promised, one.rated) == (other.promised, other.rated)
    given_rows(monkeypatch)
    windows = planned(region)
    assert not windows.rows
    assert choice_loss(region, one) < choice_loss(region, windows)
    free = int(np.flatnonzero(region.scene.landscape.treatable)[0])
    given_rows(monkeypatch, RowPlan(np.array([free]), (Across((1.0, 0.0), 1.0),)))
    monkeypatch.setattr(exchange, "_fewer", no_plan)
    same = planned(region)
    assert not same.rows
    assert (same.plan.cells == windows.plan.cells).all()
    assert same.promised == windows.promised


@pytest.mark.slow
def test_rows_stay_as_they_were_where_giving_up_pieces_helps_the_plan_fires_alone(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    land = region.scene.landscape
    monkeypatch.setattr(exchange, "_fewer", lambda region, sharded, *rest, **options:
                        exchange.LinePlan([0], 0, 0, 0))
    made = planned(region)
    assert made.rows
    assert 0.8 * made.plan.budget < cost_of(made.plan.cells, land) <= made.plan.budget
    after = burn(region.scene, region.fires, made.plan.break_mask()).loss.sum()
    before = burn(region.scene, region.fires).loss.sum()
    assert made.promised == pytest.approx(1.0 - after / before, rel=1e-9)


@pytest.mark.slow
def test_fires_that_burn_under_rows_are_counted(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    """In burns of all plan fires, beside what windows burn."""
    burned = []

    def losses(self: RegionWorker, fires: Fires, plans: list[np.ndarray]) -> np.ndarray:
        burned.append(fires.source.size * len(plans))
        return original(self, fires, plans)

    original = RegionWorker.losses
    monkeypatch.setattr(RegionWorker, "losses", losses)
    monkeypatch.setattr(exchange, "FIRST_FIRES", 16)
    with_rows = planned(region).plan.simulations
    counted = sum(burned)
    assert counted > 2 * 40
    given_rows(monkeypatch)
    assert planned(region).plan.simulations == pytest.approx(with_rows - counted / 40)
    assert sum(burned) == counted  # no rows, no fires under any


@pytest.mark.slow
def test_no_worker_holds_shards_while_rows_are_laid(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one that has nothing else to do either."""
    workers, held = list[RegionWorker](), list[int]()

    def make(region: Region) -> RegionWorker:
        workers.append(RegionWorker(region))
        return workers[-1]

    def lay(*arguments: Any) -> list[RowPlan]:
        held.extend(worker.shards_held() for worker in workers)
        return []

    monkeypatch.setattr(exchange, "row_plans", lay)
    with closing(open_executor("in-process", Recipe(make, (region,)), 3)) as executor:
        plan_by_windows(region, BUDGET, executor, WindowSettings(core=40), most_shard_fires=4)
    assert held == [0] * len(workers)
    assert workers


def test_what_fires_lose_is_the_same_in_any_calls(region: Region,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    free = np.flatnonzero(region.scene.landscape.treatable)
    plans, fires = [free[::7], free[:0], free[3::5]], region.scene.fires("test", 30)
    whole = RegionWorker(region).losses(fires, plans)
    monkeypatch.setattr("firebreak.planning.windows.reached._FIRES_PER_CALL", 4)
    for workers in (1, 2, 40):
        with closing(open_executor("in-process", region_recipe(region), workers)) as executor:
            assert (losses_by_workers(region, fires, plans, executor) == whole).all()
    unit = loss_unit(loss_bound(region.scene, region.fires.source.size))
    for cells, own in zip(plans, whole, strict=True):
        mask = np.zeros((SIZE, SIZE), np.bool_)
        mask.ravel()[cells] = True
        loss = burn(region.scene, fires, mask).loss
        assert own.tolist() == np.rint(loss * unit).tolist()


def test_every_worker_burns_some_of_the_fires(region: Region,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    original = RegionWorker.losses

    def losses(self: RegionWorker, fires: Fires, plans: list[np.ndarray]) -> np.ndarray:
        sizes.append(fires.source.size)
        return original(self, fires, plans)

    monkeypatch.setattr(RegionWorker, "losses", losses)
    monkeypatch.setattr("firebreak.planning.windows.reached._FIRES_PER_CALL", 28)
    with closing(open_executor("in-process", region_recipe(region), 3)) as executor:
        losses_by_workers(region, region.scene.fires("test", 30), [], executor)
    assert sizes == [10, 10, 10]


def test_what_saves_least_for_its_cost_goes_first() -> None:
    worth = {0: 0, 1: 8, 2: 3, 3: 9, 4: 2}
    sharded: Any = SimpleNamespace(worth=lambda taken: [worth[line] for line in taken])
    costs = [1.0, 4.0, 1.0, 3.0, 1.0]
    assert _without_least(sharded, [0, 1, 2, 3, 4], 1, costs, 10.0) == [0, 1, 2, 3, 4]
    assert _without_least(sharded, [0, 1, 2, 3, 4], 1, costs, 9.0) == [0, 2, 3, 4]
    assert _without_least(sharded, [0, 1, 2, 3, 4], 1, costs, 5.5) == [0, 2, 3]
    assert _without_least(sharded, [0, 1, 2, 3, 4], 1, costs, 0.0) == [0]


@pytest.mark.slow
def test_rows_stay_as_they_are_where_giving_up_pieces_leaves_no_plan(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_fewer", no_plan)
    assert planned(region).rows


def planned_of_grass(monkeypatch: pytest.MonkeyPatch, minutes: float, *, line: int | None,
                     shortest_m: float = 0.0) -> WindowPlan:
    """Of grass in which fires run from the first rows of the map to the last, where the value is.

    line: row of the four cells that windows propose; None: what their method does, far from the
    fires and with value where they start.
    """
    land = generate(3, 48)
    value, treatable = np.zeros(land.shape, np.float32), np.zeros(land.shape, np.bool_)
    value[-3:], treatable[40 if line is None else 10:] = 1.0, True
    land = replace(land, fuel_model=np.full(land.shape, 102, np.int16), treatable=treatable,
                   value=value if line is not None else value[::-1],
                   ignition_weight=value[::-1].copy())
    wide = make_scene(land, FireConditions(
        scenarios=1, response=BURNED, regime=FireRegime(duration_min=minutes)), 5, tiled=True)
    region = make_region(wide, BUDGET, "downstream-value", seed=5, plan_fires=20,
                         rules=PlanRules(shortest_m=shortest_m))

    def propose(self: RegionWorker, core: Core, fires: Fires) -> Proposal:
        cells = np.arange(4) + 48 * (line or 0) + 20
        return Proposal([cells] if core.number == 0 else [], 1.0)

    if line is not None:
        monkeypatch.setattr(RegionWorker, "propose", wraps(RegionWorker.propose)(propose))
    with closing(open_executor("in-process", region_recipe(region), 1)) as executor:
        return plan_by_windows(region, BUDGET, executor, WindowSettings(core=24))


@pytest.mark.parametrize(("line", "shortest_m"), [(30, 0.0), (46, 900.0)])
def test_rows_are_weighed_where_no_line_saves_anything_or_is_long_enough(
        line: int, shortest_m: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fires go around one in the midst of the map; one on what is of value saves that."""
    made = planned_of_grass(monkeypatch, 3000.0, line=line, shortest_m=shortest_m)
    assert made.rows
    assert made.promised > 0.9


@pytest.mark.parametrize(("line", "shortest_m", "message"), [
    (30, 0.0, "expected lines or rows of breaks that save something of the plan fires, got none "
              "that does, of 20 plan fires; raise --plan-fires"),
    (46, 900.0, "expected pieces of at least 900 m, got only shorter ones with this budget; lower "
                "--shortest-m")])
def test_breaks_that_save_nothing_are_refused(
        line: int, shortest_m: float, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given_rows(monkeypatch)
    with pytest.raises(InputError, match=message):
        planned_of_grass(monkeypatch, 3000.0, line=line, shortest_m=shortest_m)


def test_where_no_fire_comes_near_land_to_treat_that_is_what_is_said(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """And no larger budget is asked for."""
    with pytest.raises(InputError, match="expected plan fires that come near land that may be "
                                         "treated, got none of 20; raise --plan-fires"):
        planned_of_grass(monkeypatch, 0.2, line=None)


@pytest.mark.parametrize(("cheap", "dear"), [(1e-6, 1e3), (1e-6, 1e8), (3.0, 5.0)])
def test_costs_may_lie_far_apart(cheap: float, dear: float) -> None:
    """Lines that cost next to nothing beside the dearest cell still cost something, and the plan
    keeps to its budget.
    """
    land = generate(3, 40)
    cost = np.full(land.shape, cheap, np.float32)
    cost[0] = dear
    wide = make_scene(replace(land, cost=cost), FireConditions(
        scenarios=1, regime=FireRegime(burned_share=0.05)), 5, tiled=True)
    budget = 60.0 * cheap
    region = make_region(wide, 0.05, "downstream-value", seed=5, plan_fires=10,
                         rules=PlanRules(budget=budget))
    with closing(open_executor("in-process", region_recipe(region), 1)) as executor:
        made = plan_by_windows(region, 0.05, executor, WindowSettings(core=20))
    assert 0.5 * budget < made.plan.cost <= budget * (1.0 + 1e-6)


def test_no_plan_fires_are_none(region: Region) -> None:
    with pytest.raises(InputError, match="at least 1 fire, got 0"):
        make_region(region.scene, BUDGET, "downstream-value", seed=5, plan_fires=0)


@pytest.mark.slow
def test_trials_that_burn_anew_end_at_a_bound_that_shards_do_not_change(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is rated at least once, and fires that are repaired in place have no bound."""
    shaded = replace(region, scene=make_scene(region.scene.landscape, replace(
        region.scene.conditions, treatment=Treatment(kind="shaded")), 5, tiled=True))
    free, whole = planned(region), planned(shaded)
    monkeypatch.setattr(make, "MOST_BURNED", 1)
    assert planned(region).plan.cells.tolist() == free.plan.cells.tolist()
    less, other = planned(shaded), planned(shaded, 2, 3)
    assert less.lines <= less.rated < whole.rated
    assert less.plan.cells.tolist() == other.plan.cells.tolist()
    assert (less.rated, less.promised) == (other.rated, other.promised)
    assert less.promised > 0.5 * whole.promised
    assert UNTRIED not in {*(free.plan.notes or {}), *(whole.plan.notes or {})}
    assert less.plan.notes == other.plan.notes
    given_rows(monkeypatch)  # which may be kept as they were
    plan = planned(shaded).plan
    assert 0.0 < (plan.notes or {})[UNTRIED] <= plan.budget
    assert "lines after that are those that saved most when last tried" in str(untried_words(plan))


@pytest.mark.slow
def test_rounds_of_short_pieces_share_the_bound_of_trials(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    shaded = replace(region, rules=PlanRules(shortest_m=150.0), scene=make_scene(
        region.scene.landscape, replace(region.scene.conditions, treatment=Treatment(
            kind="shaded")), 5, tiled=True))
    asked: list[float] = []

    def ratings(lines: Lines, cols: int, meets: Sequence[Sequence[int]], most: float) -> Ratings:
        asked.append(most)
        return Ratings(lines, cols, meets, most)

    given_rows(monkeypatch)
    monkeypatch.setattr(make, "_most_tried", lambda *_: 2000.0)
    monkeypatch.setattr(line_plan, "Ratings", ratings)
    assert planned(shaded).plan.cells.size
    assert asked[0] == 2000.0
    assert len(asked) > 1
    assert all(later < before for before, later in pairwise(asked))
