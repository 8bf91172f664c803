"""Lines chosen one after another by what they save per cost, each by all fires under those before.

Savings mostly fall, so a line that saved less than the best is passed over until what it saved
comes to the front. After a line was taken, what another saves of a fire that depends on both is out
of date, and so is all that a line saves whose end lies beside it: savings rise where a gap closes.
That goes by fires, not by shards, so that the plan does not depend on which fires share a shard.
Where trials have burned as many fires as they may, lines follow as they were last rated.

Source: lazy evaluation, Minoux (1978), "Accelerated greedy algorithms"; CELF, Leskovec et al.
(2007). Here savings can rise, which neither allows for: lines beside the one that was chosen are
rated again at once.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from firebreak.planning.core.progress import Reporter, no_report
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
        most_tried: fires that burn in trials, each as often as it does, once every line is rated.

    Attributes:
        rated: how often a line was rated; risen: how often it then saved more than before.
        left: of most_tried, below 0 once trials have ended.
    """

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int,
                 meets: Sequence[Sequence[int]], most_tried: float = inf) -> None:
        self._meets, self.left = meets, most_tried
        self._saved: dict[Pair, dict[int, int]] = {}  # by fire
        self._total = [0] * len(lines)
        self._lines_of: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # shard, fire
        # All of a line, or by shard the fires; which, must not depend on who shares a shard.
        self._whole = set(range(len(lines)))
        self._stale: list[dict[int, set[int]]] = [{} for _ in lines]
        self._owner = np.repeat(np.arange(len(lines)), [line.size for line in lines])
        self._places = [np.stack(np.divmod(line, cols), axis=1) for line in lines]
        self._near = cKDTree(np.concatenate([np.empty((0, 2), np.int64), *self._places]))
        self._known: set[int] = set()
        self.risen = self.rated = 0

    def saved(self, line: int) -> int:
        """Whole units, as last rated."""
        return self._total[line]

    @property
    def ended(self) -> bool:
        """True once trials have burned as many fires as they may."""
        return self.left <= 0.0

    def stale(self, line: int) -> bool:
        """True where a line must be rated again."""
        if self.ended:
            return line not in self._known
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
                self.left -= fires.size
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
        """Marks what a new line makes stale; returns the lines beside it, which may save more."""
        for shard in self._meets[line]:
            for fire in self._saved.pop((line, shard), ()):
                for other in self._lines_of[shard, fire]:
                    self._stale[other].setdefault(shard, set()).add(fire)
        near = self._near.query_ball_point(self._places[line], BESIDE, p=np.inf)
        beside = {int(self._owner[k]) for own in near for k in own} - {line}
        self._whole |= beside
        return beside


BATCH = 32
"""Lines rated at once, at most: the same for any number of workers, for it decides what is rated
and so, where savings rise, the plan."""

Rate = Callable[[tuple[int, ...], dict[int, list[Wanted]]], dict[int, Rating]]
"""(lines taken so far, by shard the lines to rate) -> by shard their ratings."""


class Selection(NamedTuple):
    """lines: chosen, in order, the first too; saved: by the others then, in whole units; left: of
    the budget; untried: the same when trials ended, None where they did not.
    """

    lines: list[int]
    saved: list[int]
    left: int
    untried: int | None = None


def choose_lines(costs: Sequence[int], budget: int, ratings: Ratings, rate: Rate, *,
                 first: Sequence[int] = (), without: Container[int] = (),
                 report: Reporter = no_report) -> Selection:
    """The lines that save most per cost, until the budget buys none that saves anything.

    Savings per cost are compared exactly; of equals the line of the lower number is taken.

    Args:
        costs, budget: whole units of cost.
        first: lines that are taken before any is chosen, whatever they save; the budget pays.
        without: lines that are not chosen.
        report: takes the share of the budget that is spent.
    """
    left, untried = budget - sum(costs[line] for line in first), None
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
        untried = left if ratings.ended and untried is None else untried
        chosen.append(best)
        saved.append(ratings.saved(best))
        left -= costs[best]
        open_.discard(best)
        report((budget - left) / max(budget, 1))
        beside = ratings.take(best)
        open_ = {line for line in open_ if costs[line] <= left}
        urgent = {line for line in beside & open_ if ratings.stale(line)}
    return Selection(chosen, saved, left, untried)


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
