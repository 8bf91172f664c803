"""The cheapest barrier between what is valued and where fires come from: a smallest vertex cut.

Every cell that burns is split in two, joined by an arc that costs what treating the cell costs.
Value hangs on cells by arcs of what fires lose there, fires on the cells in which they start. A
maximum flow gives the cells whose treatment, with the value that stays exposed, costs least: loss +
cost / willing, where `willing` is what may be spent to keep a unit of loss. A start may be
conceded, at the value lost to the fires from there, for no barrier helps houses among which a fire
starts; not where fires come in from the map's edge. A fire that starts in a break still burns.

Cuts of rising cost lie on the lower convex hull of cost and loss: between two known ones the next
is sought at the willingness at which both are equal. The hull passes over barriers that do not pay
their share, so each cluster of value is also enclosed by itself.

Sources: Ford & Fulkerson (1956), doi:10.4153/CJM-1956-045-5, for cuts by flows; Picard (1976),
doi:10.1287/mnsc.22.11.1268, for values that a cut may give up; Eisner & Severance (1976),
doi:10.1145/321978.321982, for the hull.
"""

from functools import cached_property
from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.landscape import mask_of_cells
from firebreak.planning.core.break_segments import CORNERS, EDGES
from firebreak.planning.core.kernels import cut_sides

MOST = 2**31 - 2
"""The most that an arc carries."""
LEAST_UNITS, MOST_UNITS = 1000, 2**20
"""Units of flow for the cheapest cell: how finely costs and values are told."""


Mask = NDArray[np.bool_]
Cells = NDArray[np.int64]
Floats = NDArray[np.float64]


class Stakes(NamedTuple):
    """The value that fires threaten, where they come from, and what stands between; all [H, W].

    Attributes:
        open: fire passes here.
        cost: of treating the cell, inf where it may not be treated.
        value: lost here, mean over fires, without breaks.
        entry: fires come in from the map's edge here.
        start: lost to the fires that start here, mean over all fires; 0 at entries.
        leak: fire passes between two closed cells that touch at a corner.
    """

    open: Mask
    cost: Floats
    value: Floats
    entry: Mask
    start: Floats
    leak: bool

    @property
    def steps(self) -> Mask:
        """The neighbours to which fire passes, [3, 3]."""
        return CORNERS if self.leak else EDGES


class Cut(NamedTuple):
    """A set of cells to treat.

    Attributes:
        cells: int64 [n], flat, ascending.
        cost: of the cells.
        lost: of the value behind it, mean over fires, as far as they can reach it in any time.
        exposed: bool [H, W], cells that fire still reaches.
    """

    cells: Cells
    cost: float
    lost: float
    exposed: Mask


def cut_of(stakes: Stakes, cells: Cells) -> Cut:
    """Treated flat cells, and what they leave exposed. Of open ground that no entry joins the
    lesser is lost: its value, or what the fires lose that start in it.
    """
    treated = mask_of_cells(cells, stakes.open.shape)
    treated &= stakes.open & ~stakes.entry
    parts, count = ndimage.label(stakes.open & ~treated, stakes.steps)
    number = np.arange(count + 1)
    value = ndimage.sum_labels(stakes.value, parts, number)
    starts = ndimage.sum_labels(stakes.start, parts, number)
    joined = ndimage.sum_labels(stakes.entry, parts, number) > 0
    value[0] = starts[0] = joined[0] = 0
    reached = joined | ((starts > 0.0) & (value <= starts))
    lost = np.where(joined, value, np.minimum(value, starts)).sum()
    return Cut(np.flatnonzero(treated), float(stakes.cost[treated].sum()),
               float(lost + stakes.start[treated].sum()), reached[parts])


class Network:
    """The network of stakes, for cuts at any willingness to pay.

    Nodes are the sides of open cells from which fire comes and on which it goes on, one for all
    cells that touch and may not be treated: no barrier parts them. Arcs lead from value towards
    fires.
    """

    def __init__(self, stakes: Stakes) -> None:
        self.stakes = stakes
        self._open = np.flatnonzero(stakes.open)
        self._cost = stakes.cost.ravel()[self._open]
        can = np.isfinite(self._cost)
        self._can = np.flatnonzero(can)
        number, count = ndimage.label(stakes.open & ~np.isfinite(stakes.cost), stakes.steps)
        place = count + np.cumsum(can) - 1
        self._behind = np.where(can, place, number.ravel()[self._open] - 1)
        self._before = np.where(can, place + self._can.size, self._behind)
        self._value = count + 2 * self._can.size
        self._fire = self._value + 1
        self._pairs = self._neighbours()

    @cached_property
    def scale(self) -> float:
        """Units of flow for a unit of cost, the same for every cut of a job."""
        cost = self._cost[self._can]
        if not cost.size:
            return 1.0
        wanted = MOST / 2 / (cost.sum() / cost.min())
        return float(np.clip(np.floor(wanted), LEAST_UNITS, MOST_UNITS) / cost.min())

    def most_willing(self, value: Floats | None = None) -> float:
        """The most cost for a unit of loss that the integers hold."""
        total = float((self.stakes.value if value is None else value).sum())
        return 0.98 * MOST / (self.scale * total) if total > 0.0 else 0.0

    def cut(self, willing: float, value: Floats | None = None) -> Cut:
        """The cut of least loss + cost / willing; of equals that nearest to the value.

        willing: in cost for a unit of loss; more than `most_willing` counts as that.
        value: [H, W], to keep in the place of that of the stakes.
        """
        stakes, nodes = self.stakes, self._fire + 1
        own = stakes.value if value is None else value
        willing = min(willing, self.most_willing(own))
        units = _whole(willing * self.scale * own.ravel()[self._open])
        most = int(units.sum()) + 1
        start = np.minimum(np.rint(willing * self.scale * stakes.start.ravel()[self._open]), most)
        start[stakes.entry.ravel()[self._open]] = most
        start = np.minimum(np.bincount(self._behind, start, nodes), most)
        price = np.minimum(np.rint(self.scale * self._cost[self._can]), most)
        arcs = [(np.full(units.size, self._value), self._behind, units),
                (np.arange(nodes), np.full(nodes, self._fire), start),
                (self._behind[self._can], self._before[self._can], price),
                (*self._pairs, np.full(self._pairs[0].size, most))]
        tail, head, capacity = (np.concatenate(part) for part in zip(*arcs, strict=True))
        some = capacity > 0
        kept = _kept(tail[some], head[some], capacity[some], self._value, self._fire)
        behind, before = self._behind[self._can], self._before[self._can]
        return cut_of(stakes, self._open[self._can[kept[behind] & ~kept[before]]])

    def _neighbours(self) -> tuple[Cells, Cells]:
        """Arcs from the side of each open cell from which fire comes to where it comes from."""
        rows, cols = self.stakes.open.shape
        number = np.full((rows + 2, cols + 2), -1)
        number[1:-1, 1:-1][self.stakes.open] = np.arange(self._open.size)
        tails, heads = [], []
        for down, right in zip(*np.nonzero(self.stakes.steps), strict=True):
            if (down, right) == (1, 1):
                continue
            there = number[down:down + rows, right:right + cols].ravel()[self._open]
            some = there >= 0
            tails.append(self._before[some])
            heads.append(self._behind[there[some]])
        tail, head = np.concatenate(tails), np.concatenate(heads)
        apart = tail != head
        return tail[apart], head[apart]


def _kept(tail: Cells, head: Cells, capacity: Floats, value: int, fire: int) -> Mask:
    """Mask of the nodes that stay joined to the value behind the smallest cut, the fewest."""
    nodes, count = fire + 1, tail.size
    left = np.zeros((count, 2), np.int32)
    left[:, 0] = capacity
    kept = np.zeros(nodes, np.bool_)
    cut_sides(np.stack([tail, head], axis=1).astype(np.int32), left, value, fire,
              np.zeros(nodes + 1, np.int64), np.zeros(2 * count, np.int32),
              np.zeros(nodes, np.int64), np.zeros((4, nodes), np.int32), kept)
    return kept


def _whole(amounts: Floats) -> Floats:
    """Whole numbers with the sums of the amounts, rounded: thin amounts are not rounded away."""
    return np.diff(np.rint(np.cumsum(amounts)), prepend=0.0)


MOST_CUTS = 16
"""Flows that the hull takes, at most."""
MOST_CLUSTERS, APART = 6, 2
"""Clusters of value that are enclosed each by itself, those of most value; cells between two."""
_HELPS = 1e-6  # relative; less is rounding to whole numbers


class Barriers(NamedTuple):
    """Cuts, each list by cost. bought: by the budget, none the first; beyond: cheapest ones."""

    bought: list[Cut]
    beyond: list[Cut]


def barriers(network: Network, budget: float) -> Barriers:
    """Barriers worth building for a budget, and those that are next to it."""
    found = [*hull(network, budget), *_clusters(network, budget)]
    own: dict[bytes, Cut] = {cut.cells.tobytes(): cut for cut in found}
    in_order = sorted(own.values(), key=lambda cut: (cut.cost, cut.lost))
    bought = [cut for cut in in_order if cut.cost <= budget]
    least = min((cut.lost for cut in bought), default=np.inf)
    beyond = [cut for cut in in_order if cut.cost > budget and cut.lost < least]
    return Barriers(bought, beyond)


def hull(network: Network, budget: float, most: int = MOST_CUTS) -> list[Cut]:
    """The cuts nearest to the budget by rising cost, no barrier first, one beyond it last."""
    first = cut_of(network.stakes, np.empty(0, np.int64))
    last = network.cut(network.most_willing())
    cuts, waiting = [first], list[tuple[float, int, int]]()

    def add(cut: Cut, *beside: int) -> None:
        cuts.append(cut)
        for other in beside:
            low, high = sorted((cuts[other], cut), key=lambda one: one.cost)
            if low.cost < budget and low.lost > high.lost * (1.0 + _HELPS) + _HELPS * first.lost:
                away = max(0.0, budget - high.cost)
                heappush(waiting, (away, other, len(cuts) - 1))

    add(last, 0)
    flows = 1
    while waiting and flows < most:
        _, one, other = heappop(waiting)
        low, high = sorted((cuts[one], cuts[other]), key=lambda cut: cut.cost)
        if high.cost - low.cost <= 0.0:
            continue
        willing = (high.cost - low.cost) / (low.lost - high.lost)
        between, flows = network.cut(willing), flows + 1
        if _weighs(between, willing) < _weighs(low, willing) * (1.0 - _HELPS):
            add(between, one, other)
    return sorted(cuts, key=lambda cut: cut.cost)


def _weighs(cut: Cut, willing: float) -> float:
    return cut.lost + cut.cost / willing


def _clusters(network: Network, budget: float) -> list[Cut]:
    """The cheapest barrier around each cluster of value, and around several in the budget."""
    stakes, alone = network.stakes, around_each(network)
    joined = [cut_of(stakes, np.unique(np.concatenate([cut.cells for cut in some])))
              for count in range(2, len(alone) + 1) for some in combinations(alone, count)]
    return [*alone, *(cut for cut in joined if cut.cost <= budget)]


def around_each(network: Network) -> list[Cut]:
    """The cheapest barrier around each cluster of value by itself, at any cost."""
    found = []
    for cluster in clusters_of(network.stakes):
        value = np.where(cluster, network.stakes.value, 0.0)
        found.append(network.cut(network.most_willing(value), value))
    return [cut for cut in found if cut.cells.size]


def clusters_of(stakes: Stakes) -> list[Mask]:
    """Groups of cells that lose the mean or more, bool [H, W] each, most lost first.
    """
    value: Floats = np.where(stakes.open, stakes.value, 0.0)
    if not (value > 0.0).any():
        return []
    high = value >= value[value > 0.0].mean() * (1.0 - _HELPS)
    near = ndimage.binary_dilation(high, CORNERS, iterations=APART)
    parts, count = ndimage.label(near, CORNERS)
    worth = ndimage.sum_labels(np.where(high, value, 0.0), parts, np.arange(1, count + 1))
    first = 1 + np.argsort(-worth, kind="stable")[:MOST_CLUSTERS]
    return [high & (parts == number) for number in first.tolist()]
