"""The smallest cut: against a linear program, against the engine, and on maps done by hand."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from firebreak.fire import FireConditions, burn, make_scene
from firebreak.fire.fires import FireRegime, Fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.barriers.cut import (
    LEAST_UNITS,
    MOST,
    Network,
    Stakes,
    _kept,
    _whole,
    cut_of,
)

SIDE = 12


def drawn(seed: int, *, leak: bool = False, entries: bool = True, starts: bool = True,
          side: int = SIDE) -> Stakes:
    """A map with barriers, cells that may not be treated, a little value all over and some more."""
    rng = np.random.default_rng(seed)
    opened = rng.random((side, side)) < 0.8
    cost = np.where(opened & (rng.random((side, side)) < 0.85), rng.uniform(1.0, 3.0, (side, side)),
                    np.inf)
    value = np.where(rng.random((side, side)) < 0.2, rng.uniform(0.0, 1.0, (side, side)), 0.0)
    row, col = rng.integers(3, side - 3, 2)
    value[row - 1:row + 2, col - 1:col + 2] += 5.0
    edge = np.ones((side, side), np.bool_)
    edge[1:-1, 1:-1] = False
    entry = opened & edge & (rng.random((side, side)) < 0.7) & entries
    start = np.where(opened & ~entry & (rng.random((side, side)) < 0.1),
                     rng.uniform(0.0, 4.0, (side, side)), 0.0) * starts
    return Stakes(opened, cost, np.where(opened, value, 0.0), entry, start, leak)


def least(stakes: Stakes, willing: float) -> float:
    """The least loss + cost / willing, by a linear program with one row for each way of fire.

    Variables of each cell: fire stands before it, fire goes on from it, it is treated, the fire
    that starts in it is conceded.
    """
    rows, cols = stakes.open.shape
    size = rows * cols
    can = np.isfinite(stakes.cost.ravel())
    price = np.concatenate([np.zeros(size), stakes.value.ravel(),
                            np.where(can, stakes.cost.ravel() / willing, 0.0),
                            stakes.start.ravel()])
    bounds = [(0, 1)] * (4 * size)
    below, entries = [], []

    def at_most(bound: float, *terms: tuple[int, float]) -> None:
        entries.extend((len(below), column, factor) for column, factor in terms)
        below.append(bound)

    for cell in np.flatnonzero(stakes.open).tolist():
        row, col = divmod(cell, cols)
        if not can[cell]:
            bounds[2 * size + cell] = (0, 0)
        at_most(0.0, (cell, 1.0), (size + cell, -1.0), (2 * size + cell, -1.0))
        if stakes.entry.ravel()[cell]:
            bounds[size + cell] = (1, 1)
        elif stakes.start.ravel()[cell] > 0.0:
            at_most(-1.0, (size + cell, -1.0), (3 * size + cell, -1.0))
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            r, c = row + down, col + right
            if (down and right and not stakes.leak) or not (0 <= r < rows and 0 <= c < cols):
                continue
            if stakes.open[r, c]:
                at_most(0.0, (size + cell, 1.0), (r * cols + c, -1.0))
    row_of, column, factor = zip(*entries, strict=True)
    table = coo_array((factor, (row_of, column)), shape=(len(below), 4 * size)).tocsr()
    solved = linprog(price, A_ub=table, b_ub=below, bounds=bounds, method="highs")
    assert solved.success
    return float(solved.fun)


@pytest.mark.parametrize("leak", [False, True])
def test_the_rounded_optimum_is_that_of_a_linear_program(leak: bool) -> None:
    for seed in range(6):
        compare(seed, leak=leak)


@pytest.mark.slow
def test_the_rounded_optimum_is_that_of_a_linear_program_on_100_maps() -> None:
    for seed in range(100):
        compare(1000 + seed, leak=seed % 2 == 1)


def compare(seed: int, *, leak: bool) -> None:
    stakes = drawn(seed, leak=leak, entries=seed % 3 != 0)
    network = Network(stakes)
    for willing in (0.5, 2.0, 20.0):
        cut = network.cut(willing)
        found = cut.lost + cut.cost / willing
        assert found == pytest.approx(least(stakes, willing), rel=1e-4, abs=1e-4)


def test_a_flow_as_large_as_the_integers_hold_is_cut_where_little_may_be_treated() -> None:
    stakes = drawn(20)
    stakes = stakes._replace(cost=np.where(
        np.random.default_rng(1020).random((SIDE, SIDE)) < 0.5, stakes.cost, np.inf))
    network = Network(stakes)
    willing = network.most_willing()
    cut = network.cut(willing)
    assert cut.lost + cut.cost / willing == pytest.approx(least(stakes, willing), rel=1e-4)


def test_the_scale_fits_the_integers_and_tells_a_thousandth_of_a_cell() -> None:
    for cells, dearest in ((100, 1.0), (1000, 900.0), (1000, 1.0)):
        cost = np.ones((cells, cells))
        cost[0] = dearest
        some = np.zeros((cells, cells))
        some[-1] = 0.25
        network = Network.__new__(Network)
        network.stakes = Stakes(cost > 0.0, cost, some, some < 0.0, some, False)
        network._cost, network._can = cost.ravel(), np.arange(cost.size)
        assert network.scale >= LEAST_UNITS
        assert network.most_willing() * network.scale * some.sum() < MOST


def burned_in_the_end(stakes: Stakes, cells: np.ndarray, seed: int) -> np.ndarray:
    """Cells that the engine burns from all entries, however long that takes."""
    land = generate(seed, stakes.open.shape[0])
    scene = make_scene(land, FireConditions(
        scenarios=1, leak=stakes.leak, regime=FireRegime(duration_min=1e7, duration_sigma=0.0)), 0)
    source = np.flatnonzero(stakes.entry)
    fires = Fires(source, np.zeros_like(source), np.full(source.size, 1e7),
                  np.arange(source.size, dtype=np.uint64))
    return burn(scene, fires, cells, want="statistics").burn_probability > 0.0


@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("seed", [3, 8])
def test_the_engine_burns_what_a_cut_leaves_exposed(seed: int, leak: bool) -> None:
    land = generate(seed, 20)
    inside = np.zeros(land.shape, np.bool_)
    inside[7:12, 8:13] = True
    edge = land.burnable.copy()
    edge[1:-1, 1:-1] = False
    stakes = Stakes(land.burnable, np.where(land.treatable & ~inside, 1.0, np.inf),
                    np.where(inside & land.burnable, 1.0, 0.0), edge, np.zeros(land.shape), leak)
    network = Network(stakes)
    cut = network.cut(network.most_willing())
    assert cut.cells.size > 4
    assert cut.lost == 0.0
    np.testing.assert_array_equal(burned_in_the_end(stakes, cut.cells, seed), cut.exposed)
    # Each cell is needed: without it fire reaches the value.
    for gone in range(cut.cells.size):
        assert cut_of(stakes, np.delete(cut.cells, gone)).lost > 0.0


def ring(side: int, *, leak: bool) -> Stakes:
    """Value in the middle of open ground, fires from all edges."""
    value = np.zeros((side, side))
    value[side // 2, side // 2] = 1.0
    cost = np.ones((side, side))
    cost[value > 0.0] = np.inf
    entry = np.ones((side, side), np.bool_)
    entry[1:-1, 1:-1] = False
    return Stakes(value >= 0.0, cost, value, entry, 0.0 * value, leak)


def test_diagonals_hold_unless_breaks_leak() -> None:
    sizes = [Network(ring(9, leak=leak)).cut(1e6).cells.size for leak in (False, True)]
    assert sizes == [4, 8]


def test_a_barrier_is_part_of_the_ring_and_a_gate_that_cannot_be_treated_is_gone_round() -> None:
    stakes = ring(9, leak=False)
    stakes.open[3, 4] = False
    assert Network(stakes).cut(1e6).cells.size == 3
    stakes = ring(9, leak=False)
    stakes.cost[3, 4] = np.inf
    assert Network(stakes).cut(1e6).cells.size == 6


def test_nothing_is_treated_for_less_than_it_costs() -> None:
    stakes = ring(9, leak=False)
    assert Network(stakes).cut(3.9).cells.size == 0
    assert Network(stakes).cut(4.1).cells.size == 4


def test_a_start_is_conceded_where_keeping_it_out_costs_more_than_it_loses() -> None:
    stakes = ring(9, leak=False)._replace(entry=np.zeros((9, 9), np.bool_))
    stakes.start[4, 5], stakes.start[0, 0] = 0.2, 0.8
    dear = Network(stakes).cut(12.0)  # the four cells around the value cost 4 / 12
    assert dear.lost == 0.0 or dear.lost == pytest.approx(0.2)
    cheap = Network(stakes).cut(4.0)
    assert cheap.cells.tolist() == [1, 9]  # the far start alone, in its corner
    assert cheap.lost == pytest.approx(0.2)
    assert not cheap.exposed[4, 4]


def test_fires_that_come_in_over_a_break_at_the_edge_come_in_all_the_same() -> None:
    left = cut_of(ring(9, leak=False), np.array([4, 40]))
    assert left.cells.size == 1
    assert left.exposed[0, 4]


def test_value_spread_thin_is_not_rounded_away() -> None:
    units = _whole(np.full(1000, 0.3))
    assert set(units) == {0.0, 1.0}
    assert units.sum() == 300.0


def test_a_fire_that_starts_in_a_break_starts_all_the_same() -> None:
    stakes = ring(9, leak=False)._replace(entry=np.zeros((9, 9), np.bool_))
    stakes.start[0, 0] = 1.0
    assert cut_of(stakes, np.array([0])).lost == 1.0
    assert Network(stakes).cut(100.0).lost == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_sides_of_any_network_are_those_of_another_algorithm(seed: int) -> None:
    """Of equal cuts that with the fewest nodes beside the source is one set for every largest flow.
    """
    rng = np.random.default_rng(seed)
    nodes, count = int(rng.integers(3, 60)), int(rng.integers(1, 400))
    tail, head = rng.integers(0, nodes, (2, count))
    most = rng.choice([3, 1000, MOST // count])
    capacity = rng.integers(1, most + 1, count)
    source, sink = nodes - 2, nodes - 1
    graph = csr_array((capacity.astype(np.int32), (tail, head)), shape=(nodes, nodes))
    graph.setdiag(0)
    left = graph - maximum_flow(graph, source, sink).flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    expected = np.zeros(nodes, np.bool_)
    expected[breadth_first_order(left, source, return_predecessors=False)] = True
    np.testing.assert_array_equal(_kept(tail, head, capacity.astype(float), source, sink), expected)
