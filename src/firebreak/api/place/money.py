"""What may be spent: in all, and by year."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firebreak.api.place.options import PlaceOptions
from firebreak.checks import fail
from firebreak.settings.planning import NO_PHASES

if TYPE_CHECKING:
    from firebreak.planning.evaluation.build_order import Phase


def phases_of(text: str | None, config: Path | None) -> "list[Phase]":
    """Years and what may be spent in each, of `2027:50000,2028:80000` or else of the [[phase]]
    tables of a plan's TOML file; none where neither has any.

    Raises:
        InputError: no year or no budget, or years out of order.
    """
    from firebreak.planning.evaluation.build_order import Phase, check_phases
    from firebreak.reading import read_toml

    pairs: list[tuple[Any, ...]]
    if text == NO_PHASES:
        return []
    if text is not None:
        where, pairs = "--phases", [tuple(part.split(":")) for part in text.split(",")]
    elif config is not None:
        given = read_toml(config).get("phase", [])
        where = str(config)
        tables = given if isinstance(given, list) else [given]
        pairs = [(table.get("year"), table.get("budget")) if isinstance(table, dict)
                 and set(table) == {"year", "budget"} else () for table in tables]
    else:
        return []
    try:
        phases = [Phase(_whole_year(year), float(_no_truth(budget))) for year, budget in pairs]
    except (TypeError, ValueError, OverflowError):
        raise fail(expected="a year and a budget for each phase",
                   given=f"'{text}'" if text else "others", where=where,
                   remedy="write 2027:50000,2028:80000, or [[phase]] with year and budget",
                   ) from None
    if phases:
        check_phases(phases, where)
    return phases


def money_of(options: PlaceOptions, phases: "list[Phase]") -> float | None:
    """What may be spent in all, in the unit of the costs; None where only a share is named.

    Raises:
        InputError: money beside phases, or none of it.
    """
    from firebreak.planning.evaluation.build_order import total_budget

    if phases and options.money is not None:
        raise fail(expected="--money or phases", given="both", where="--money",
                   remedy="the phases' budgets are the money: leave one of them out")
    money = total_budget(phases) if phases else options.money
    if money is not None and not 0.0 < money < np.inf:
        raise fail(expected="a budget above 0", given=f"{money:g}", where="--money",
                   remedy="correct it")
    return money


def money_by_year(phases: "list[Phase]", money: float,
                  horizon: int) -> tuple[list[int], list[float]]:
    """Each year of a horizon and what may be spent in it: the phases', none where there is none; or
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


def _whole_year(year: Any) -> int:
    whole = int(_no_truth(year))
    if whole != float(year):
        raise ValueError("part of a year")
    return whole


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("neither year nor money")
    return value
