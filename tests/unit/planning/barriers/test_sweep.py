"""The hull of cost and loss, against all sets of cells of small maps; clusters it passes over."""

from itertools import chain, combinations, pairwise

import numpy as np
import pytest

from firebreak.planning.barriers.cut import Network, Stakes, barriers, clusters_of, cut_of, hull


def towns(*worth: float, apart: int = 9) -> Stakes:
    """Towns of one cell each side by side, the ring around each costs 4."""
    shape = (9, apart * len(worth))
    value = np.zeros(shape)
    value[4, apart // 2::apart] = worth
    entry = np.ones(shape, np.bool_)
    entry[1:-1, 1:-1] = False
    return Stakes(value >= 0.0, np.where(value > 0.0, np.inf, 1.0), value, entry, 0.0 * value,
                  False)


def corridor(seed: int) -> Stakes:
    """A small map of which every set of treated cells can be tried."""
    rng = np.random.default_rng(seed)
    opened = np.ones((3, 7), np.bool_)
    opened[rng.integers(0, 3), rng.integers(1, 6)] = False
    value = np.where(rng.random((3, 7)) < 0.5, rng.uniform(0.1, 2.0, (3, 7)), 0.0)
    value[:, 0] = 0.0
    entry = np.zeros((3, 7), np.bool_)
    entry[:, 0] = opened[:, 0]
    can = opened & ~entry & (rng.random((3, 7)) < 0.65)
    cost = np.where(can, rng.integers(1, 4, (3, 7)).astype(float), np.inf)
    return Stakes(opened, cost, np.where(opened, value, 0.0), entry, np.zeros((3, 7)), False)


@pytest.mark.parametrize("seed", range(4))
def test_the_hull_is_that_of_all_sets_of_cells(seed: int) -> None:
    stakes = corridor(seed)
    can = np.flatnonzero(np.isfinite(stakes.cost))[:11]
    stakes.cost[...] = np.where(np.isin(np.arange(21).reshape(3, 7), can), stakes.cost, np.inf)
    every = [cut_of(stakes, np.array(cells, np.int64)) for cells in chain.from_iterable(
        combinations(can.tolist(), count) for count in range(can.size + 1))]
    found = hull(Network(stakes), 1e9, most=100)
    for willing in (0.3, 0.7, 1.3, 2.9, 7.0, 40.0):
        best = min(cut.lost + cut.cost / willing for cut in every)
        own = min(cut.lost + cut.cost / willing for cut in found)
        assert own == pytest.approx(best, rel=1e-3)


def test_exposed_ground_of_the_hull_is_nested_where_fires_come_from_the_edge() -> None:
    stepped = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        shape = (20, 20)
        entry = np.ones(shape, np.bool_)
        entry[1:-1, 1:-1] = False
        opened = rng.random(shape) < 0.85
        value = np.where(opened, rng.uniform(0.0, 1.0, shape)**4, 0.0)
        stakes = Stakes(opened, np.where(opened, 1.0, np.inf), value, opened & entry,
                        np.zeros(shape), False)
        found = hull(Network(stakes), 60.0)
        costs, losses = [cut.cost for cut in found], [cut.lost for cut in found]
        assert costs == sorted(costs)
        assert losses == sorted(losses, reverse=True)
        for cheap, dear in pairwise(found):
            assert not (dear.exposed & ~cheap.exposed & ~np.isin(
                np.arange(400).reshape(shape), cheap.cells)).any()
            stepped += 1
    assert stepped > 20


def test_towns_alike_are_closed_one_by_one() -> None:
    network = Network(towns(1.0, 1.0, 1.0))
    assert [round(cut.cost) for cut in hull(network, 9.0)] in ([0, 12], [0, 4, 12], [0, 8, 12])
    found = barriers(network, 9.0)
    assert [cut.cost for cut in found.bought][-1] == 8.0
    assert found.bought[-1].lost == pytest.approx(1.0)
    assert [cut.cost for cut in found.beyond] == [12.0]


def test_the_richer_town_is_closed_where_one_can_be() -> None:
    found = barriers(Network(towns(1.0, 1.2)), 5.0)
    best = min(found.bought, key=lambda cut: cut.lost)
    assert best.cost == 4.0
    assert best.lost == pytest.approx(1.0)


def test_clusters_are_told_by_value_the_most_first() -> None:
    stakes = towns(1.0, 2.0)
    stakes.value[:] += 0.001
    first, second = clusters_of(stakes)
    assert np.argwhere(first).tolist() == [[4, 13]]
    assert np.argwhere(second).tolist() == [[4, 4]]


def test_nothing_to_keep_is_one_empty_barrier() -> None:
    stakes = towns(1.0)
    stakes.cost[:] = np.inf
    found = barriers(Network(stakes), 5.0)
    assert [cut.cells.size for cut in found.bought] == [0]
    assert found.beyond == []
