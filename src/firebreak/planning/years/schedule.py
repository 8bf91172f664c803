"""Schedules: the segments to build and to maintain in each year, from the money of the year.

Segments are built in their order. A segment that is maintained in a year, or treated again, is as
in the year it was made; else it is a year older. What a year does not spend goes to the next.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import Corridor

_ROUNDING = 1e-6  # relative; sums of costs carry rounding
NOT_BUILT = -1


class Rule(NamedTuple):
    """A rule that shares out the money of a year.

    name: as tables have it. upkeep: standing segments are maintained first, in build order, as far
    as the money goes. again: segments that are older than their first state are treated again
    before others are built. share: of the plan's cost, which no more than is built for.
    """

    name: str
    upkeep: bool = False
    again: bool = False
    share: float = 1.0


BUILD_ONCE = Rule("build-once")
RULES = (BUILD_ONCE, Rule("build-and-treat-again", again=True),
         Rule("build-and-keep-up", upkeep=True),
         *(Rule(f"keep-up-{100 * share:.0f}%", upkeep=True, share=share)
           for share in (0.25, 0.5, 0.75)))
"""The candidates; building once is the first where two are alike."""


class Prices(NamedTuple):
    """f64 [n] by segment: to build it, a year's upkeep; i64 [n]: last year of its first state."""

    build: NDArray[np.float64]
    upkeep: NDArray[np.float64]
    fresh_years: NDArray[np.int64]


class Schedule(NamedTuple):
    """The work of Y years on n segments.

    Attributes:
        age: i64 [Y, n], of each segment in each year, or NOT_BUILT.
        done: of each year the numbers of the segments that are built, maintained, treated again.
        built, kept, again: f64 [Y], what these cost.
    """

    age: NDArray[np.int64]
    done: tuple[tuple[list[int], list[int], list[int]], ...]
    built: NDArray[np.float64]
    kept: NDArray[np.float64]
    again: NDArray[np.float64]


def schedule_of(rule: Rule, prices: Prices, money: Sequence[float]) -> Schedule:
    """The schedule of a rule, with so much money in each year."""
    count, years = prices.build.size, len(money)
    most = rule.share * prices.build.sum() * (1.0 + _ROUNDING)
    age = np.full((years, count), NOT_BUILT, np.int64)
    spent = np.zeros((3, years))
    standing, left, paid_for, done = np.full(count, NOT_BUILT), 0.0, 0.0, []
    for year in range(years):
        left += money[year]
        standing[standing >= 0] += 1
        kept: list[int] = []
        again: list[int] = []
        built: list[int] = []
        for k in np.flatnonzero(standing >= 0).tolist():
            grown = standing[k] - prices.fresh_years[k]  # years that it is in a later state
            if rule.again and grown > 0 and _pays(left, prices.build[k]):
                price, chosen = prices.build[k], again
            elif rule.upkeep and grown <= 1 and _pays(left, prices.upkeep[k]):
                price, chosen = prices.upkeep[k], kept  # what was left for a year is not maintained
            else:
                continue
            left -= price
            standing[k] = 0
            chosen.append(k)
        for k in np.flatnonzero(standing < 0).tolist():
            if not _pays(left, prices.build[k]) or paid_for + prices.build[k] > most:
                break  # the next in order is waited for
            left -= prices.build[k]
            paid_for += prices.build[k]
            standing[k] = 0
            built.append(k)
        age[year] = standing
        done.append((built, kept, again))
        spent[:, year] = (prices.build[built].sum(), prices.upkeep[kept].sum(),
                          prices.build[again].sum())
    return Schedule(age, tuple(done), spent[0], spent[1], spent[2])


def _pays(left: float, price: float) -> bool:
    return bool(price <= left * (1.0 + _ROUNDING) + 1e-12)


def prices_of(segments: Sequence[Corridor], upkeep: NDArray[np.float64],
              fresh_years: NDArray[np.int64]) -> Prices:
    """Prices of segments, from what a year's upkeep of each cell costs, f64 [cells of the map], and
    the last year of each cell's first state; a segment is as fresh as its first cell to grow over.
    """
    return Prices(np.array([one.cost for one in segments]),
                  np.array([upkeep[one.cells].sum() for one in segments]),
                  np.array([fresh_years[one.cells].min() for one in segments], np.int64))
