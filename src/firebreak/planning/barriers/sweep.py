"""Barriers by what they cost: the lower convex hull of cost and loss, and what lies between.

From no barrier to the cheapest one around everything, the cuts of least loss + cost / willing lie
on a convex hull. Between two known ones the next is sought at the willingness at which both are
equal (Eisner & Severance 1976, doi:10.1145/321978.321982). Where all fires enter from the edge, the
exposed ground of a cut lies in that of each cheaper one; the treated cells do not.

The hull passes over barriers that do not pay their share: with two towns alike it has both or none.
So each cluster of value is also enclosed by itself, and the best that the budget buys are kept.
"""

from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from firebreak.planning.barriers.cut import CORNERS, Cut, Floats, Mask, Network, Stakes, cut_of

MOST_CUTS = 16
"""Flows that the hull takes, at most."""
MOST_CLUSTERS, APART = 6, 2
"""Clusters of value that are enclosed each by itself, those of most value; cells between two."""
_HELPS = 1e-6  # relative; less is rounding to whole numbers


class Barriers(NamedTuple):
    """Cuts, each list by cost. bought: those that the budget pays for, none the first; beyond:
    cheapest ones that it does not pay for.
    """

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
    """The cuts of the hull by rising cost, no barrier first: those nearest to the budget, and one
    beyond it.
    """
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
    """The cheapest barrier around each cluster of value, and around several as far as the budget
    goes.
    """
    stakes, alone = network.stakes, around_each(network)
    joined = [cut_of(stakes, np.unique(np.concatenate([cut.cells for cut in some])))
              for count in range(2, len(alone) + 1) for some in combinations(alone, count)]
    return [*alone, *(cut for cut in joined if cut.cost <= budget)]


def around_each(network: Network) -> list[Cut]:
    """The cheapest barrier around each cluster of value by itself, at any cost."""
    return [cut for own in clusters_of(network.stakes)
            if (cut := _around(network, own)).cells.size]


def _around(network: Network, cluster: Mask) -> Cut:
    """The cheapest barrier around a cluster, at any cost."""
    value = np.where(cluster, network.stakes.value, 0.0)
    return network.cut(network.most_willing(value), value)


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
