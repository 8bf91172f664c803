"""The run of a plan: what is refused before any work, and what a brief report promises."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from firebreak.api.options import filled
from firebreak.api.plans.at_once import PlanAtOnce, _promised
from firebreak.api.plans.request import read_request
from firebreak.api.plans.run import make_run
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.checks import InputError
from firebreak.fire import burn
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate

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


def test_a_plan_promises_what_it_saves_of_its_plan_fires() -> None:
    run = planned(generate(3, 20))
    scene, plan = run.scene, run.plan
    fires = scene.fires("plan", plan.plan_fires)
    each = [fires.part(slice(k, k + 1)) for k in range(plan.plan_fires)]
    before, after = (sum(float(burn(scene, fire, breaks).loss[0])
                         for fire in each) for breaks in (None, plan.break_mask()))
    promised = _promised(scene, plan)
    assert promised is not None
    assert 0.0 < promised < 1.0
    assert promised == pytest.approx(1.0 - after / before)
    assert run.request.source == ""
    assert run.evaluation is None
