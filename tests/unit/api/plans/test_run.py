"""The run of a plan: what is refused before any work, and what a brief report promises."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from firebreak.api.options import filled
from firebreak.api.plans import at_once
from firebreak.api.plans.at_once import PlanAtOnce
from firebreak.api.plans.request import read_request
from firebreak.api.plans.run import make_run
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.checks import InputError
from firebreak.fire import Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.evaluation.knee import Knee

FEW = {"method": "downstream-value", "plan_fires": 12, "test_fires": 0, "threads": 1}


def bar(total: int, unit: str) -> "nullcontext[Callable[[int], None]]":
    return nullcontext(lambda _: None)


def planned(landscape: str | Landscape, **options: Any) -> PlanAtOnce:
    made = make_run(read_request(landscape, filled(PlanOptions, FEW | options, "plan")), bar)
    assert isinstance(made, PlanAtOnce)
    return made


@pytest.mark.parametrize(("options", "said"), [
    ({"discount_rate": 0.03}, "horizon together with discount_rate"),
    ({"treatment": "bare-line", "horizon": 3}, "no test_fires 0 beside horizon"),
    ({"treatment": "bare-line", "horizon": 3, "test_fires": 20, "report": "brief"},
     "no report brief beside horizon"),
])
def test_a_horizon_that_cannot_be_planned_is_refused_before_anything_is_read(
        options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        planned("no-such-map.tif", **options)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "given", "memory", "form"), [
    (None, {}, True, (False, True)), ("dqn", {}, True, (False, True)),
    (None, {}, False, (True, False)), (None, {"cells": True}, True, (True, False)),
    (None, {"window_cells": 32}, True, (True, False))])
def test_a_large_map_has_corridors_where_they_fit_the_memory(
        monkeypatch: pytest.MonkeyPatch, method: str | None, given: dict[str, Any], memory: bool,
        form: tuple[bool, bool]) -> None:
    monkeypatch.setattr("firebreak.api.plans.request.MAX_TREATABLE", 1000)
    monkeypatch.setattr("firebreak.api.plans.request._check_windows", lambda request: None)
    monkeypatch.setattr("firebreak.planning.core.fire_counts.fits", lambda *job: memory)
    options = filled(PlanOptions, FEW | given | {"method": method}, "plan")
    request = read_request("sample:santa-ana", options)
    assert (request.by_windows, request.corridors) == form


@pytest.mark.slow
@pytest.mark.parametrize(("method", "most", "dqn"), [
    ("dqn-lookahead", 100, False), ("dqn-lookahead", 10_000, True),
    ("downstream-value", 10_000, False)])
def test_methods_of_cells_stand_beside_corridors_a_policy_on_small_maps_alone(
        monkeypatch: pytest.MonkeyPatch, method: str, most: int, dqn: bool) -> None:
    asked: list[str] = []
    making = "firebreak.api.plans.making"
    monkeypatch.setattr(f"{making}.MAX_TREATABLE", most)
    monkeypatch.setattr(f"{making}.beside", lambda _, methods, *rest, **more: asked.extend(methods))
    monkeypatch.setattr(f"{making}.at_knee", lambda scene, plan, parts, *rest: Knee(plan, parts))
    run = planned("sample:santa-ana", method=method, area="20:44,20:44", test_fires=12)
    assert run.request.corridors
    assert {"random", "downstream-value"} <= set(asked)
    assert ("dqn" in asked) == dqn


@pytest.mark.slow
def test_what_is_not_spent_is_what_the_plan_leaves_where_it_stops(
        monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Plan] = []

    def at_knee(scene: Scene, plan: Plan, parts: Sequence[Corridor], *rest: object) -> Knee:
        made.append(plan)
        half = plan.cells[:plan.cells.size // 2]
        return Knee(replace(plan, cells=half, cost=cost_of(half, scene.landscape)), list(parts))

    monkeypatch.setattr("firebreak.api.plans.making.at_knee", at_knee)
    monkeypatch.setattr("firebreak.planning.evaluation.auto._unspent", lambda *_: 0.0)
    run = planned("sample:santa-ana", method="auto", area="20:44,20:44")
    assert run.choice is not None
    assert made[0].cost > run.plan.cost
    assert run.choice.unspent == made[0].cost - run.plan.cost  # of a whole plan that spends all


@pytest.mark.slow
def test_one_plan_of_corridors_has_one_number_of_pieces_under_any_name(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "counts_of", lambda cells, land, ground, buffer_m, parts: [
        part.path.tolist() for part in parts])
    monkeypatch.setattr("firebreak.api.plans.making.at_knee",
                        lambda scene, plan, parts, *rest: Knee(plan, parts))
    run = planned("sample:santa-ana", method="segments", area="20:44,20:44", test_fires=12,
                  report="brief")
    assert run.evaluation is not None
    own, names = run.plan, ("enclose", f"auto{at_once.AT_EXISTING_COST}")
    plans = {**run.evaluation.plans[0], **dict.fromkeys((*names, "downstream-value"), own)}
    judged = replace(run, evaluation=replace(run.evaluation, plans=(plans,)),
                     others={"enclose": own, "downstream-value": own}).judged(bar).judgement
    assert judged is not None
    counts = judged.result.counts
    assert counts["segments"]
    assert counts["enclose"] == counts[names[1]] == counts["segments"]
    assert not counts["downstream-value"]  # a plan of cells in the table


def test_a_plan_that_nothing_judges_has_no_comparison() -> None:
    run = planned(generate(3, 20))
    assert run.request.source == ""
    assert run.evaluation is None
