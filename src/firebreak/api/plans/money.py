"""The money of a plan: in all, and by year."""

from typing import TYPE_CHECKING

from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.checks import fail
from firebreak.reading import number_in

if TYPE_CHECKING:
    from firebreak.planning.evaluation.build_order import Phase


def phases_of(text: str | None) -> "list[Phase]":
    """Years and the money of each, of `2027:50000,2028:80000`; none of no text.

    Raises:
        InputError: no year or no budget, or years out of order.
    """
    from firebreak.planning.evaluation.build_order import Phase, check_phases

    if not text:
        return []
    try:
        pairs = [part.split(":") for part in text.split(",")]
        phases = [Phase(_whole_year(year), number_in(budget)) for year, budget in pairs]
    except (ValueError, OverflowError):
        raise fail(expected="a year and a budget for each phase", given=f"'{text}'",
                   where="--phases",
                   remedy="write 2027:50000,2028:80000, or [[phase]] with year and budget",
                   ) from None
    check_phases(phases, "--phases")
    return phases


def money_of(options: PlaceOptions, phases: "list[Phase]") -> float | None:
    """Money in all, in the unit of the costs; None where only a share is named."""
    from firebreak.planning.evaluation.build_order import total_budget

    return total_budget(phases) if phases else options.money


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


def _whole_year(text: str) -> int:
    whole = int(number_in(text))
    if whole != number_in(text):
        raise ValueError("part of a year")
    return whole
