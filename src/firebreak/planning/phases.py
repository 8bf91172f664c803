"""Building a plan over years: what is built by the end of a year is a beginning of its order."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from firebreak.checks import fail
from firebreak.planning.stretches import Segment

_ROUNDING = 1e-6  # relative; sums of costs carry rounding


class Phase(NamedTuple):
    """A year, and what may be spent in it, in units of cost. What is left goes to the next."""

    year: int
    budget: float


def check_phases(phases: Sequence[Phase], where: str) -> None:
    """Holds phases to rising years and budgets that are not negative.

    Raises:
        InputError: they are not.
    """
    years = [phase.year for phase in phases]
    if years != sorted(set(years)):
        raise fail(expected="years that rise", given=", ".join(map(str, years)), where=where,
                   remedy="list each year once, the first one first")
    if any(not 0.0 <= phase.budget < np.inf for phase in phases) or not total(phases) > 0.0:
        raise fail(expected="a budget of 0 or more for each year, and above 0 in all",
                   given=", ".join(f"{phase.budget:g}" for phase in phases), where=where,
                   remedy="correct them")


def total(phases: Sequence[Phase]) -> float:
    """What may be spent in all years."""
    return float(sum(phase.budget for phase in phases))


def years_of(segments: Sequence[Segment], phases: Sequence[Phase]) -> list[int]:
    """The year of each segment, in the order to build them: the first by whose end all that was
    ever to be spent pays for it and those before it.

    Raises:
        InputError: the years together do not pay for the segments.
    """
    paid = np.cumsum([phase.budget for phase in phases])
    spent = np.cumsum([segment.cost for segment in segments])
    place = np.searchsorted(paid * (1.0 + _ROUNDING), spent)
    if place.size and int(place[-1]) == len(phases):
        raise fail(expected=f"phases that pay for the plan ({spent[-1]:g})",
                   given=f"{paid[-1]:g}", where="phases", remedy="raise their budgets")
    return [phases[k].year for k in place.tolist()]
