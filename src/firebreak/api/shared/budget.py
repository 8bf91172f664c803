"""The budget of a plan on its land: money in all and by year, and cells that may be treated."""

from typing import TYPE_CHECKING

import numpy as np

from firebreak.checks import fail
from firebreak.settings.budget import Limits
from firebreak.settings.planning import BUDGET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.evaluation.build_order import Phase

WHERE = "--budget"
SINGLE = 1e-6
"""Relative difference of costs in single precision that is none."""


def phases_of(limits: Limits) -> "list[Phase]":
    """Years and the money of each; none where the budget names no years.

    Raises:
        InputError: years out of order, or no money.
    """
    from firebreak.planning.evaluation.build_order import Phase, check_phases

    phases = [Phase(*one) for one in limits.years]
    if phases:
        check_phases(phases, WHERE)
    return phases


def money_in(limits: Limits, land: "Landscape", width_m: float | None, *,
             over_years: bool) -> tuple[float | None, float | None]:
    """Money that may be spent, None where a share alone is named, and cells that may be treated,
    None where money alone decides.

    Args:
        width_m: of breaks, see `treated_ha`. The cells are whole ones: a strip counts as a part.
        over_years: money that builds no more maintains what stands.

    Raises:
        InputError: more than all treatable cells cost or cover, less than one cell, an area alone
            over years.
    """
    cost = land.cost[land.treatable].astype(np.float64)
    whole, money = float(cost.sum()), limits.money
    if money is not None and whole > 0.0 and not over_years and money > whole * (1.0 + 1e-9):
        costs = "" if (cost != 1.0).any() else "say what cells cost (--treatment, --cost), "
        raise fail(expected=f"a budget of at most {whole:g}, the cost of all treatable cells",
                   given=f"{money:g}", where=WHERE, remedy=f"{costs}lower it, or widen the area")
    if limits.share is not None and (money is not None or limits.hectares is not None):
        money = min(limits.share * whole, np.inf if money is None else money)
    if limits.hectares is None or not cost.size:
        return money, None
    if over_years and money is None:
        raise fail(expected="money or a share together with --horizon",
                   given=f"{limits.hectares:g} ha alone", where=WHERE,
                   remedy="name the money too: it is divided over the years")
    part, most_ha = parts_of_cell(land, width_m)
    part = part[land.treatable]
    cells = limits.hectares / most_ha
    if not part.min() <= cells <= part.sum() * (1.0 + 1e-9):
        raise fail(expected=f"an area from {part.min() * most_ha:g} ha, one cell, to "
                            f"{part.sum() * most_ha:g} ha, all treatable cells",
                   given=f"{limits.hectares:g} ha", where=WHERE,
                   remedy="correct it, or widen the area")
    price = cost / part
    dearest = float(price.max())
    money = min(cells * dearest, np.inf if money is None else money)
    return money, None if dearest <= price.min() * (1.0 + SINGLE) else cells


def parts_of_cell(land: "Landscape",
                  width_m: float | None) -> "tuple[NDArray[np.float64], float]":
    """The hectares that are treated in each cell, [H, W], as parts of those of the treatable cell
    with the most; and these.
    """
    from firebreak.landscape.treatment_table import treated_ha

    each = treated_ha(land, width_m)
    most = float(each[land.treatable].max())
    return each / most, most


def share_of(limits: Limits, land: "Landscape", width_m: float | None) -> float:
    """The share of the cost of all treatable cells that may be spent in a comparison of methods,
    BUDGET where the limits are none.

    width_m: see `money_in`.

    Raises:
        InputError: as `money_in`; money by year; an area where costs differ, which no share says.
    """
    money, cells = money_in(limits, land, width_m, over_years=False)
    if limits.years or cells is not None:
        raise fail(expected="a share, an area or money for a comparison" if limits.years else
                   "a share or money where cells differ in cost", given=f"'{limits}'", where=WHERE,
                   remedy="name one of them")
    if money is None:
        return limits.share or BUDGET
    return min(1.0, money / float(land.cost[land.treatable].sum(dtype=np.float64)))


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
