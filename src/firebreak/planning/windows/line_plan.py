"""The lines of a plan: all plan fires rate them, and the best are taken until the budget is spent,
those that must be included first, and no piece that is shorter than the rules allow.
"""

from collections.abc import Sequence
from math import ceil, floor, inf, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.executors.base import Executor, call_each
from firebreak.fire import Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import cost_of, cost_unit
from firebreak.planning.core.progress import Reporter
from firebreak.planning.core.rules import ROUNDS, short_pieces, too_little
from firebreak.planning.windows.choose import Ratings, choose_lines
from firebreak.planning.windows.kept import Kept, ratings_from, ratings_in, shards_key
from firebreak.planning.windows.region import Lines, Region, RegionWorker
from firebreak.planning.windows.shards.shard_plan import (
    ROOM,
    Rating,
    ShardPlan,
    Wanted,
)

_COST_BITS, _CHEAPEST_BITS = 40, 22
"""Of the cost of the dearest cell in whole units, at most, and of the cheapest, at least: what a
plan spends may differ from its budget by as much as sums of costs round."""


class LinePlan(NamedTuple):
    """lines: chosen, in order, none where none saves anything or keeps to the rules; lost: by all
    plan fires under them, in whole units; rated, risen: see `Ratings`; short: whether some were
    given up because their pieces were too short; untried: what was left of the budget, in units of
    cost, when trials ended, None where they did not.
    """

    lines: list[int]
    lost: int
    rated: int
    risen: int
    short: bool = False
    untried: float | None = None


class ShardedFires:
    """All plan fires, in shards on the workers of an executor.

    Args:
        shards: of the plan fires.
        lines: to rate, by number.
        kept: what was computed before, see `Kept`.
        most_tried: see `Ratings`.

    Attributes:
        lines, shards, executor, most_tried: as given.
    """

    def __init__(self, region: Region, shards: Sequence[ShardPlan], lines: Lines,
                 executor: Executor, kept: Kept, most_tried: float = inf) -> None:
        self.executor, self._kept, self.most_tried = executor, kept, most_tried
        kept.begin(shards_key(shards))
        self.lines, self.shards = lines, shards
        self.meets = _meets(lines, shards, region.scene)
        executor.share(lines)

    def give_back(self) -> None:
        """Frees the memory of every worker's shards now: nothing is rated after this."""
        self.executor.share([])
        call_each(self.executor, RegionWorker.shards_held.__name__,
                  [() for _ in range(self.executor.workers)])

    def lost(self, taken: tuple[int, ...] = ()) -> int:
        """The loss of all fires under lines, in whole units."""
        return sum(self.lost_by_shard(taken))

    def lost_by_shard(self, taken: tuple[int, ...] = ()) -> list[int]:
        """The same by shard."""
        def ask() -> dict[str, NDArray]:
            calls = [(k, shard, taken) for k, shard in enumerate(self.shards)]
            return {"lost": np.array(call_each(self.executor, RegionWorker.lost.__name__, calls))}

        return self._kept.answer(ask)["lost"].tolist()

    def worth(self, taken: tuple[int, ...]) -> list[int]:
        """The saving of each line taken beside the others, of all fires, in whole units."""
        def ask() -> dict[str, NDArray]:
            wanted = [Wanted(line) for line in taken]
            places: list[list[int]] = [[] for _ in self.shards]
            for place, line in enumerate(taken):
                for shard in self.meets[line]:
                    places[shard].append(place)
            asked = [shard for shard, own in enumerate(places) if own]
            calls = [(shard, self.shards[shard], taken, [wanted[place] for place in places[shard]],
                      True) for shard in asked]
            worth = np.zeros(len(taken), np.int64)
            for own, rating in zip((places[shard] for shard in asked), call_each(
                    self.executor, RegionWorker.rate.__name__, calls, asked), strict=True):
                worth[own] += [int(saved.sum()) for saved in rating.saved]
            return {"worth": worth}

        return self._kept.answer(ask)["worth"].tolist()

    def rate(self, taken: tuple[int, ...], wanted: dict[int, list[Wanted]]) -> dict[int, Rating]:
        """The saving of lines by shard."""
        def ask() -> dict[str, NDArray]:
            calls = [(shard, self.shards[shard], taken, own) for shard, own in wanted.items()]
            return ratings_in(call_each(self.executor, RegionWorker.rate.__name__, calls,
                                        list(wanted)))

        return dict(zip(wanted, ratings_from(self._kept.answer(ask), [
            len(own) for own in wanted.values()]), strict=True))


def plan_of_lines(region: Region, sharded: ShardedFires, lines: Lines, forced: Sequence[int],
                  budget: float, report: Reporter) -> LinePlan:
    """The lines of the plan.

    Args:
        forced: lines that the plan must have.
        budget: in units of cost.
        report: takes the share of the budget that is spent.

    Raises:
        InputError: a budget that buys no line.
    """
    land = region.scene.landscape
    unit = _units_in_one(land)
    costs = [round(cost_of(line, land) * unit) for line in lines]
    whole = floor(budget * (1.0 + 1e-9) * unit)
    if costs and not forced and min(costs) > whole:
        raise fail(expected="a budget that buys one of the lines that windows propose",
                   given=f"{budget:g} {cost_unit(land)}", where=f"landscape {land.name}",
                   remedy="raise the budget")
    rated = risen = 0
    any_short, most_tried = False, sharded.most_tried
    first, without = list(forced), set[int]()
    for last in range(ROUNDS):
        ratings = Ratings(lines, land.shape[1], sharded.meets, most_tried)
        chosen = choose_lines(costs, whole, ratings, sharded.rate, first=first, without=without,
                              report=report)
        rated, risen, most_tried = rated + ratings.rated, risen + ratings.risen, ratings.left
        short = _short(region, lines, chosen.lines)
        any_short |= bool(short)
        first = [line for line in chosen.lines if line not in short]
        if not short or last == ROUNDS - 1:
            break
        without |= {line for line, hopeless in short.items() if hopeless}
    while left := _short(region, lines, first):  # others may have been a part of their pieces
        first = [line for line in first if line not in left]
    return LinePlan(first, sharded.lost(tuple(first)), rated, risen, any_short,
                    None if chosen.untried is None else min(chosen.untried / unit, budget))


def _units_in_one(land: Landscape) -> float:
    """Whole units in a cost of 1, a power of 2: costs that lie close together keep their bits."""
    cheapest = float(land.cost[land.treatable].min(initial=np.inf))
    dearest = _COST_BITS - ceil(log2(float(land.cost.max())))
    return 2.0**(dearest if cheapest == np.inf else max(
        dearest, _CHEAPEST_BITS - floor(log2(cheapest))))


def budget_of(region: Region, budget_share: float) -> float:
    """Money that a plan may spend, in units of cost."""
    land = region.scene.landscape
    return (budget_share * cost_of(np.flatnonzero(land.treatable), land)
            if region.rules.budget is None else region.rules.budget)


def check_included(region: Region, budget: float) -> None:
    """Refuses a budget that does not pay for what a plan must include.

    Raises:
        InputError: naming both.
    """
    land = region.scene.landscape
    unit = _units_in_one(land)
    needed = cost_of(region.rules.include, land)
    if round(needed * unit) > floor(budget * (1.0 + 1e-9) * unit):
        raise too_little(needed, budget, land)


def _short(region: Region, lines: Lines, taken: Sequence[int]) -> dict[int, bool]:
    """Lines in pieces that are too short, and whether they stay so: below half, or shortest."""
    if region.rules.shortest_m <= 0.0:
        return {}
    cells = np.concatenate([np.empty(0, np.int64), *(lines[k] for k in taken)])
    short = short_pieces(cells, region.rules, region.scene.landscape,
                         region.scene.conditions.leak)
    if not short:
        return {}
    most = max(0.5 * region.rules.shortest_m, min(length for length, _ in short))
    found: dict[int, bool] = {}
    for (length, _), piece in short.items():
        for line in taken:
            if np.isin(lines[line], piece).any():
                found[line] = found.get(line, False) or length <= most
    return found


def _meets(lines: Lines, shards: Sequence[ShardPlan], scene: Scene) -> list[list[int]]:
    """Shards in which each line may have cells; all where a fire may run on with breaks."""
    if scene.conditions.may_run_on:
        return [list(range(len(shards)))] * len(lines)
    boxes = np.array([shard.box for shard in shards], np.int64)
    found = []
    for line in lines:
        row, col = np.divmod(line, scene.landscape.shape[1])
        near = ((boxes[:, 0] - ROOM <= row.max()) & (boxes[:, 2] + ROOM > row.min())
                & (boxes[:, 1] - ROOM <= col.max()) & (boxes[:, 3] + ROOM > col.min()))
        found.append(np.flatnonzero(near).tolist())
    return found
