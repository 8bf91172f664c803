"""Lines chosen one after another by what they save per cost, each by all fires under those before;
and what they save, as far as it is known: by line, shard and fire.

Most lines are not rated again before one is chosen: savings mostly fall, so a line that saved less
than the best is passed over, until what it saved comes to the front. After a line was taken, what
another saves of a fire that depends on both is out of date, and so is all that a line saves whose
end lies beside it: savings rise where a gap closes. What is out of date goes by fires, not by
shards, so that the plan does not depend on which fires share a shard.

Source: lazy evaluation, Minoux (1978), "Accelerated greedy algorithms"; CELF, Leskovec et al.
(2007). Here savings can rise, which neither allows for: lines beside the one that was chosen are
rated again at once.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.windows.shards.shard_plan import Rating, Wanted

BESIDE = 3
"""Cells (Chebyshev) between a line's end and another line that may close a gap with it."""

Pair = tuple[int, int]
"""Line, shard."""


class Ratings:
    """Ratings of n lines.

    Args:
        lines: flat cells of the whole map; cols: its columns.
        meets: of each line the shards that it has cells in.

    Attributes:
        rated: how often a line was rated; risen: how often it then saved more than before.
    """

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int,
                 meets: Sequence[Sequence[int]]) -> None:
        self._meets = meets
        self._saved: dict[Pair, dict[int, int]] = {}  # by fire
        self._total = [0] * len(lines)
        self._lines_of: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # shard, fire
        # All of a line, or by shard the fires; which, must not depend on who shares a shard.
        self._whole = set(range(len(lines)))
        self._stale: list[dict[int, set[int]]] = [{} for _ in lines]
        self._beside = _Ends(lines, cols)
        self._known: set[int] = set()
        self.risen = self.rated = 0

    def saved(self, line: int) -> int:
        """Whole units, as last rated."""
        return self._total[line]

    def stale(self, line: int) -> bool:
        """True where a line must be rated again."""
        return line in self._whole or bool(self._stale[line])

    def wanted(self, lines: Iterable[int]) -> dict[int, list[Wanted]]:
        """Lines, of these, that each shard must rate again; both in order."""
        found: defaultdict[int, list[Wanted]] = defaultdict(list)
        for line in sorted(lines):
            if line in self._whole:
                whole = Wanted(line)
                for shard in self._meets[line]:
                    found[shard].append(whole)
            else:
                for shard, fires in self._stale[line].items():
                    found[shard].append(Wanted(line, np.array(sorted(fires), np.int32)))
        return dict(sorted(found.items()))

    def put(self, lines: Iterable[int], wanted: Mapping[int, Sequence[Wanted]],
            ratings: Mapping[int, Rating]) -> None:
        """Takes what shards say of lines: of those that are out of date, what was `wanted`."""
        rated_again = {line for line in lines if self.stale(line)}
        before = {line: self._total[line] for line in rated_again & self._known}
        for shard, own in wanted.items():
            for one, fires, saved in zip(own, ratings[shard].fires, ratings[shard].saved,
                                         strict=True):
                self._put(shard, one, dict(zip(fires.tolist(), saved.tolist(), strict=True)))
        for line in rated_again:
            self._stale[line].clear()
        self._whole -= rated_again
        self._known |= rated_again
        self.rated += len(rated_again)
        self.risen += sum(self._total[line] > saved for line, saved in before.items())

    def _put(self, shard: int, wanted: Wanted, now: dict[int, int]) -> None:
        line, some = wanted
        known = self._saved.get((line, shard), {})
        if not known and not now:  # as with most shards, where all are asked
            return
        self._saved[line, shard] = known
        before = {fire: known.pop(fire) for fire in (
            list(known) if some is None else some.tolist()) if fire in known}
        for fire in before.keys() - now.keys():
            self._lines_of[shard, fire].discard(line)
        for fire in now.keys() - before.keys():
            self._lines_of[shard, fire].add(line)
        known |= now
        self._total[line] += sum(now.values()) - sum(before.values())

    def take(self, line: int) -> set[int]:
        """Marks what is out of date once a line is broken; returns the lines with ends beside it,
        whose savings may rise.
        """
        for shard in self._meets[line]:
            for fire in self._saved.pop((line, shard), ()):
                for other in self._lines_of[shard, fire]:
                    self._stale[other].setdefault(shard, set()).add(fire)
        beside = self._beside.of(line)
        self._whole |= beside
        return beside


class _Ends:
    """The cells of lines, to find lines beside others."""

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int) -> None:
        self._lines, self._cols = lines, cols
        self._at: defaultdict[Pair, set[int]] = defaultdict(set)
        for number, cells in enumerate(lines):
            row, col = np.divmod(cells, cols)
            for block in set(zip((row // BESIDE).tolist(), (col // BESIDE).tolist(), strict=True)):
                self._at[block].add(number)

    def of(self, line: int) -> set[int]:
        """Other lines with a cell at most BESIDE from one of a line's."""
        row, col = np.divmod(self._lines[line], self._cols)
        near = {number for r, c in zip((row // BESIDE).tolist(), (col // BESIDE).tolist(),
                                       strict=True)
                for down in (-1, 0, 1) for right in (-1, 0, 1)
                for number in self._at.get((r + down, c + right), ())} - {line}
        return {number for number in near if self._distance(line, number) <= BESIDE}

    def _distance(self, one: int, other: int) -> int:
        first, second = (np.stack(np.divmod(self._lines[k], self._cols)) for k in (one, other))
        return int(np.abs(first[:, :, None] - second[:, None]).max(axis=0).min())


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
