"""A comparison takes the budgets that a plan takes, and that of a plan where none is said."""

from pathlib import Path
from typing import Any

import pytest

import firebreak
from firebreak.checks import InputError

LAND = "synthetic:3:16"
FEW: dict[str, Any] = {"plan_fires": 8, "test_fires": 20, "threads": 1}


@pytest.mark.parametrize("budget", ["5%", "12", "9ha", ["10%", "12"]])
def test_a_comparison_and_a_plan_may_spend_the_same(budget: Any) -> None:
    made = firebreak.plan(LAND, budget=budget, method="downstream-value", report="none", **FEW)
    found = firebreak.evaluate(LAND, budget=budget, methods="downstream-value", **FEW)
    assert found.plans[0]["downstream-value"].cells.tolist() == made.plan.cells.tolist()


def test_a_plan_is_compared_at_its_own_budget_where_none_is_said(tmp_path: Path) -> None:
    made = firebreak.plan(LAND, budget="9", method="downstream-value", report="none", **FEW)
    made.save(tmp_path / "out")
    for place in ("out", "out/data/plan.csv", "out/data/firebreaks.csv"):
        found = firebreak.evaluate(LAND, plans=tmp_path / place, methods="none,random", **FEW)
        given, = set(found.methods) - {"none", "random"}
        assert found.plans[0][given].cells.size == 9
        assert found.plans[0]["random"].cells.size == 9


@pytest.mark.parametrize(("budget", "words"), [
    ("2027:3,2028:4",
     "budget: expected a share, an area or money for a comparison, got '2027:3,2028:4'"),
    ("1e6", "budget: expected a budget of at most .*; say what cells cost"),
    ("1e6ha", "budget: expected an area from")])
def test_what_no_comparison_can_spend_is_refused(budget: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        firebreak.evaluate(LAND, budget=budget, methods="none", **FEW)


def test_an_area_says_no_share_where_costs_differ() -> None:
    land = firebreak.read_landscape(LAND)
    costs = land.cost.copy()
    costs[0] = 3.0
    with pytest.raises(InputError, match="expected a share or money where cells differ in cost"):
        firebreak.evaluate(land, cost=costs, budget="9ha", methods="none", **FEW)
