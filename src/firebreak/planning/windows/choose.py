"""Lines chosen one after another by what they save per cost, each by all fires under those before.

Most lines are not rated again before one is chosen: savings mostly fall, so a line that saved less
than the best is passed over, until what it saved comes to the front.

Source: lazy evaluation, Minoux (1978), "Accelerated greedy algorithms"; CELF, Leskovec et al.
(2007). Here savings can rise, which neither allows for: lines beside the one that was chosen are
rated again at once.
"""

import heapq
from collections.abc import Callable, Container, Sequence
from fractions import Fraction
from typing import NamedTuple

from firebreak.planning.windows.ratings import Ratings
from firebreak.planning.windows.shards.line_table import Rating, Wanted

BATCH = 32
"""Lines rated at once, at most, besides those beside the last one: the same for any number of
workers, for it decides what is rated and so, where savings rise, the plan."""

Rate = Callable[[tuple[int, ...], dict[int, list[Wanted]]], dict[int, Rating]]
"""(lines taken so far, by shard the lines to rate) -> by shard their ratings."""


class Selection(NamedTuple):
    """lines: chosen, in order, those that had to be first; saved: by each of the others when it was
    chosen, in whole units; left: of the budget, in units of cost.
    """

    lines: list[int]
    saved: list[int]
    left: int


def choose_lines(costs: Sequence[int], budget: int, ratings: Ratings, rate: Rate, *,
                 first: Sequence[int] = (), without: Container[int] = (), lazy: bool = True,
                 report: Callable[[int], object] = lambda spent: None) -> Selection:
    """The lines that save most per cost, until the budget buys none that saves anything.

    Savings per cost are compared exactly; of equals the line of the lower number is taken.

    Args:
        costs, budget: whole units of cost.
        first: lines that are taken before any is chosen, whatever they save; the budget pays.
        without: lines that are not chosen.
        lazy: else every line that is out of date is rated before one is chosen.
        report: takes what was spent.
    """
    left = budget - sum(costs[line] for line in first)
    chosen, saved = list(first), list[int]()
    for line in first:
        ratings.take(line)
    open_ = {line for line, cost in enumerate(costs)
             if cost <= left and line not in chosen and line not in without}
    heap: list[tuple[Fraction, int]] = []
    at: dict[int, Fraction] = {}
    urgent = set(open_)
    while open_:
        if urgent:
            wanted = ratings.wanted(urgent)
            ratings.put(urgent, wanted, rate(tuple(chosen), wanted) if wanted else {})
            for line in urgent:
                at[line] = Fraction(-ratings.saved(line), costs[line])
                heapq.heappush(heap, (at[line], line))
            urgent = set()
        best, before = _leading(heap, at, open_, ratings)
        if before:
            urgent = set(before)
            continue
        if best is None or ratings.saved(best) <= 0:
            break
        chosen.append(best)
        saved.append(ratings.saved(best))
        left -= costs[best]
        open_.discard(best)
        report(costs[best])
        beside = ratings.take(best)
        open_ = {line for line in open_ if costs[line] <= left}
        urgent = beside & open_ if lazy else {k for k in open_ if ratings.stale(k)}
    return Selection(chosen, saved, left)


def _leading(heap: list[tuple[Fraction, int]], at: dict[int, Fraction], open_: set[int],
             ratings: Ratings) -> tuple[int | None, list[int]]:
    """The best line that is up to date, and up to BATCH before it that are not."""
    passed: list[tuple[Fraction, int]] = []
    stale: list[int] = []
    best = None
    while heap and len(stale) < BATCH:
        key, line = heap[0]
        if line not in open_ or at[line] != key:
            heapq.heappop(heap)
            continue
        if not ratings.stale(line):
            best = line
            break
        passed.append(heapq.heappop(heap))
        stale.append(line)
    for entry in passed:
        heapq.heappush(heap, entry)
    return best, stale
