"""The cheapest barrier between what is valued and where fires come from: a smallest vertex cut.

Every cell that burns is split in two, joined by an arc that costs what treating the cell costs;
fire passes from cell to cell at no cost. Value hangs on cells by arcs of what fires lose there,
fires on the cells in which they start. A maximum flow gives the cells whose treatment, together
with the value that stays exposed to fire, costs least: loss + cost / willing, where `willing` is
what may be spent to keep a unit of loss.

Where fires come in from the map's edge nothing is conceded. Another start may be conceded, at the
value lost to the fires from there: no barrier helps houses among which a fire starts. A fire that
starts in a break starts all the same.

Sources: Ford & Fulkerson (1956), doi:10.4153/CJM-1956-045-5, for cuts by flows; Picard (1976),
doi:10.1287/mnsc.22.11.1268, for values that a cut may give up.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.planning.core.kernels import cut_sides

MOST = 2**31 - 2
"""The most that an arc carries."""
LEAST_UNITS, MOST_UNITS = 1000, 2**20
"""Units of flow for the cheapest cell: how finely costs and values are told."""

EDGES = ndimage.generate_binary_structure(2, 1)
CORNERS = np.ones((3, 3), np.bool_)

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
    """Treated flat cells, and what they leave exposed.

    Of open ground behind them that no entry joins, the lesser is lost: its value, or what the fires
    lose that start in it.
    """
    treated = np.zeros(stakes.open.shape, np.bool_)
    treated.ravel()[cells] = True
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
    """Whole numbers whose sums from the first on are those of the amounts, rounded: what is spread
    thin over many cells is not rounded away.
    """
    return np.diff(np.rint(np.cumsum(amounts)), prepend=0.0)
