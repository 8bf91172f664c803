"""The budget of a plan on its land: money in all and by year, and hectares that may be treated.

Methods know one limit, a sum of costs. Where costs differ and an area limits a plan too, a cell
counts with its cost, or with the money over the number of cells that the area allows if this is
more: what keeps to the money then keeps to the area, and may spend less than both.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firebreak.checks import fail
from firebreak.settings.budget import Limits, limits_of

if TYPE_CHECKING:
    from firebreak.api.plans.area import PlanningArea
    from firebreak.fire import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.evaluation.build_order import Phase
    from firebreak.planning.evaluation.evaluate import Evaluation

WHERE = "--budget"


def phases_of(budget: float | str) -> "list[Phase]":
    """Years and the money of each; none where the budget names no years.

    Raises:
        InputError: years out of order, or no money.
    """
    from firebreak.planning.evaluation.build_order import Phase, check_phases

    phases = [Phase(*one) for one in limits_of(budget).years]
    if phases:
        check_phases(phases, WHERE)
    return phases


def money_in(limits: Limits, land: "Landscape", each_ha: float, *,
             over_years: bool) -> tuple[float | None, float | None]:
    """Money that may be spent, None where a share alone is named, and cells that may be treated,
    None where money alone decides.

    Args:
        each_ha: hectares of a treated cell.
        over_years: money that builds no more maintains what stands.

    Raises:
        InputError: more than all treatable cells cost or cover, less than one cell, an area alone
            over years.
    """
    cost = land.cost[land.treatable].astype(np.float64)
    whole, money = float(cost.sum()), limits.money
    if money is not None and whole > 0.0 and not over_years and money > whole * (1.0 + 1e-9):
        raise fail(expected=f"a budget of at most {whole:g}, the cost of all treatable cells",
                   given=f"{money:g}", where=WHERE, remedy="lower it, or widen the area")
    if limits.share is not None and (money is not None or limits.hectares is not None):
        money = min(limits.share * whole, np.inf if money is None else money)
    if limits.hectares is None or not cost.size:
        return money, None
    if over_years and money is None:
        raise fail(expected="money or a share together with --horizon",
                   given=f"{limits.hectares:g} ha alone", where=WHERE,
                   remedy="name the money too: it is divided over the years")
    cells = limits.hectares / each_ha
    if not 1.0 <= cells <= cost.size * (1.0 + 1e-9):
        raise fail(expected=f"an area from {each_ha:g} ha, one cell, to {cost.size * each_ha:g} "
                            "ha, all treatable cells", given=f"{limits.hectares:g} ha",
                   where=WHERE, remedy="correct it, or widen the area")
    dearest = float(cost.max())
    money = min(cells * dearest, np.inf if money is None else money)
    return money, None if dearest == cost.min() else cells


def as_counted(scene: "Scene", area: "PlanningArea", share: float) -> "tuple[Scene, float]":
    """A scene whose costs are what its cells count in the budget, and the share of their sum that
    may be spent; the scene and the share as they are where no area limits the plan.
    """
    from firebreak.planning.core.plan import cost_of

    money, land = area.rules.budget, scene.landscape
    if area.most_cells is None or money is None:
        return scene, share
    cost = np.maximum(land.cost, np.float32(money / area.most_cells))
    land = replace(land, cost=cost)
    return replace(scene, landscape=land), min(
        1.0, money / cost_of(np.flatnonzero(land.treatable), land))


def priced(plan: "Plan", area: "PlanningArea", budget: float | str) -> "Plan":
    """A plan that was made on a scene of `as_counted`, at what its cells cost."""
    from firebreak.planning.core.plan import cost_of, cost_unit

    if area.most_cells is None or area.rules.budget is None:
        return plan
    land, limits = area.land, limits_of(budget)
    cost = cost_of(plan.cells, land)
    by_area = limits.money is None and limits.share is None
    return replace(plan, cost=cost, cost_unit=cost_unit(land),
                   landscape_checksum=land.checksum(), budget_share=area.share,
                   budget=cost if by_area else max(cost, area.rules.budget))


def priced_rows(found: "Evaluation", area: "PlanningArea", budget: float | str) -> "Evaluation":
    """A comparison on a scene of `as_counted`, its plans at what their cells cost."""
    if area.most_cells is None:
        return found
    return replace(
        found, rows=tuple(row._replace(budget=area.share) for row in found.rows),
        plans=tuple({name: priced(plan, area, budget) for name, plan in plans.items()}
                    for plans in found.plans))


def money_by_year(phases: "list[Phase]", money: float,
                  horizon: int) -> tuple[list[int], list[float]]:
    """Each year of a horizon and its money: that of its phase, none where there is none; or
    equal parts of all the money, in years 1, 2, ...

    Raises:
        InputError: phases beyond the horizon.
    """
    if not phases:
        return list(range(1, horizon + 1)), [money / horizon] * horizon
    years = list(range(phases[0].year, phases[0].year + horizon))
    last = phases[-1].year
    if last > years[-1]:
        raise fail(expected=f"phases within {horizon} years from {years[0]}", given=f"{last}",
                   where="--horizon", remedy="widen it, or leave the later phases out")
    budgets = {phase.year: phase.budget for phase in phases}
    return years, [budgets.get(year, 0.0) for year in years]
