"""Rows of least cost: they part the map, cost no more than straight ones, and fit the budget."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import cost_of
from firebreak.planning.patterns.rows import (
    APART_DEG,
    LENGTH,
    Across,
    _Bands,
    _paths,
    cheap_rows,
    main_winds,
    most_rows,
    row_plans,
    rows_across,
)
from firebreak.planning.patterns.strips import Pattern, along, distance_to_strips
from firebreak.planning.windows.memory import ROWS_BYTES
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import WeatherStreams

ROWS, COLS = 34, 41


def land_of(seed: int) -> Landscape:
    return generate(seed, (ROWS, COLS))


def wind(degrees: float) -> tuple[float, float]:
    return -float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 30), degrees=st.floats(0, 360), count=st.integers(1, 4),
       room=st.floats(0.1, 0.9), joined=st.booleans())
def test_no_fire_passes_a_row(seed: int, degrees: float, count: int, room: float,
                              joined: bool) -> None:
    land, towards = land_of(seed), wind(degrees)
    rows = cheap_rows(land, towards, count, room, joined)
    closed = ~land.burnable
    for cells in rows:
        assert land.treatable.ravel()[cells].all()
        assert np.unique(cells).size == cells.size
        closed.ravel()[cells] = True
    parts, _ = ndimage.label(~closed, np.ones((3, 3)) if joined else None)
    ahead = along(land.shape, towards)
    spacing = (ahead.max() - ahead.min() + 1.0) / count
    for k in range(count):
        middle = ahead.min() - 0.5 + (k + 0.5) * spacing
        near = 0.5 * room * spacing + 3.0  # a band is whole cells
        before, behind = (set(np.unique(parts[side & (parts > 0)])) for side in (
            ahead < middle - near, ahead > middle + near))
        assert not before & behind


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 30), degrees=st.sampled_from([0.0, 90.0, 180.0, 270.0]),
       count=st.integers(1, 4))
def test_rows_that_bend_cost_no_more_than_straight_ones(seed: int, degrees: float,
                                                        count: int) -> None:
    land, towards = land_of(seed), wind(degrees)
    straight = np.flatnonzero((distance_to_strips(
        land.shape, towards, Pattern(4.0, 1.0, count), False) <= 0.0) & land.treatable)
    bent = np.concatenate([np.empty(0, np.int64), *cheap_rows(land, towards, count, 0.5, False)])
    assert cost_of(bent, land) <= cost_of(straight, land) + LENGTH * count * max(ROWS, COLS)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 30), degrees=st.floats(0.0, 360.0), count=st.integers(1, 4),
       room=st.floats(0.1, 0.9), joined=st.booleans())
def test_a_path_costs_what_the_shortest_one_in_a_graph_does(
        seed: int, degrees: float, count: int, room: float, joined: bool) -> None:
    """Cells of the band are nodes; steps lead up, down and into the next column."""
    rng, towards = np.random.default_rng(seed), wind(degrees)
    if abs(towards[1]) > abs(towards[0]):
        towards = towards[::-1]
    shape = (int(rng.integers(3, 12)), int(rng.integers(2, 12)))
    price = rng.integers(1, 9, shape).astype(float) * rng.choice([1.0, 20.0], shape)
    bands, columns = _Bands(shape, towards, count, room), range(shape[1])
    first = bands.first_rows(np.arange(count), np.arange(shape[1]))
    for band, (cols, rows) in enumerate(_paths(price, bands, np.arange(count), columns, joined)):
        assert (np.diff(cols) >= 0).all()
        assert (np.diff(cols) + np.abs(np.diff(rows)) <= (1 if joined else 2)).all()
        assert np.abs(np.diff(rows)).max(initial=0) <= 1
        assert cols[[0, -1]].tolist() == [0, shape[1] - 1]
        inside = (rows >= 0) & (rows < shape[0])
        found = price[rows[inside], cols[inside]].sum()
        assert found == pytest.approx(_shortest(price, first[band], bands.height, joined))


def _shortest(price: np.ndarray, first: np.ndarray, height: int, joined: bool) -> float:
    """The least sum of prices of the paths through a band, from its first column to its last: steps
    are tried until none makes a path cheaper.
    """
    steps = [(0, -1), (0, 1), (1, 0)] + ([] if joined else [(1, -1), (1, 1)])
    own = {(col, row): price[row, col] if 0 <= row < price.shape[0] else 0.0
           for col in range(first.size) for row in range(first[col], first[col] + height)}
    best = {cell: cost if cell[0] == 0 else np.inf for cell, cost in own.items()}
    changed = True
    while changed:
        changed = False
        for (col, row), cost in own.items():
            for along_cols, along_rows in steps:
                through = best.get((col - along_cols, row - along_rows), np.inf) + cost
                if through < best[col, row]:
                    best[col, row], changed = through, True
    return min(cost for (col, _), cost in best.items() if col == first.size - 1)


def test_a_row_goes_where_nothing_burns() -> None:
    """Along two rivers, but for a bridge and from the one to the other."""
    land = generate(0, (21, 30), family="grassland")
    fuel = np.full(land.shape, 101, land.fuel_model.dtype)
    fuel[13, :20] = 98
    fuel[8, 20:] = 98
    fuel[13, 7] = 101
    own = replace(land, fuel_model=fuel, treatable=np.ones(land.shape, np.bool_))
    (cells,) = cheap_rows(own, (1.0, 0.0), 1, 0.9, False)
    assert 13 * 30 + 7 in cells.tolist()
    assert cells.size == 5  # and four cells between the two rivers


@settings(max_examples=100, deadline=None)
@given(steps=st.lists(st.floats(0.0, 9.0), min_size=1, max_size=40), budget=st.floats(0.0, 200.0))
def test_as_many_rows_as_the_budget_buys(steps: list[float], budget: float) -> None:
    cost = np.cumsum(steps)
    found = most_rows(lambda count: float(cost[count - 1]), budget, len(steps))
    assert found == int((cost <= budget).sum())


@settings(max_examples=100, deadline=None)
@given(most=st.integers(1, 4000), free=st.integers(0, 4000), power=st.floats(0.2, 4.0),
       budget=st.floats(0.0, 2000.0))
def test_rows_are_not_counted_one_by_one(most: int, free: int, power: float,
                                         budget: float) -> None:
    """Though the first cost next to nothing and those after them much, or the other way round."""
    asked = []

    def cost_of(count: int) -> float:
        assert 1 <= count <= most
        asked.append(count)
        return 1e-9 * count + max(count - free, 0)**power

    found = most_rows(cost_of, budget, most)
    assert len(asked) <= 50
    assert found == sum(cost_of(count) <= budget for count in range(1, most + 1))


@pytest.mark.parametrize("degrees", [44.9, 90.0])
def test_rows_across_a_long_narrow_map_take_the_memory_that_is_told(degrees: float) -> None:
    """Also where bands leave it soon, or are higher than it."""
    land, towards = generate(0, (16, 240)), wind(degrees)
    budget = 0.1 * cost_of(np.flatnonzero(land.treatable), land)
    tracemalloc.start()
    for count in (1, 4, 60):
        cheap_rows(land, towards, count, 0.9, joined=False)
    assert rows_across(land, (Across(towards, 1.0),), 0.9, budget, joined=False).size
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < ROWS_BYTES * land.fuel_model.size


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9), rows=st.integers(3, 12), degrees=st.floats(0.0, 360.0),
       count=st.integers(1, 5), room=st.floats(0.1, 0.9), joined=st.booleans(),
       turned=st.booleans())
def test_rows_cost_the_same_whatever_room_their_bands_have_beyond_the_map(
        seed: int, rows: int, degrees: float, count: int, room: float, joined: bool,
        turned: bool) -> None:
    """Bands one at a time, only where they lie on the map, against all of them at once."""
    land = generate(seed, (40, 40)).map_grids(
        lambda grid: grid[:, :rows].copy() if turned else grid[:rows].copy())
    towards = wind(degrees)
    narrow = cheap_rows(land, towards, count, room, joined)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Bands, "groups", lambda self: iter(
            [(np.arange(count), range(self._shape[1]))]))
        whole = cheap_rows(land, towards, count, room, joined)
    assert [cells.tolist() for cells in narrow] == [cells.tolist() for cells in whole]


@pytest.mark.slow
def test_the_main_winds_take_no_more_memory_with_more_weather() -> None:
    """Which a map of each row of weather would: 24 bytes a cell."""
    peaks = {}
    for hours in (1, 8):
        drawn = draw_scenarios(WindClimate(), np.random.default_rng(4), 8 * hours)
        step_min = 60.0 if hours > 1 else float("inf")
        scene = make_scene(generate(5, 400), FireConditions(
            scenarios=8, regime=FireRegime(duration_min=60.0),
            weather=WeatherStreams(drawn, hours, step_min, np.full(8, 0.125))), 5, tiled=True)
        tracemalloc.start()
        main_winds(scene, list(range(8)))
        peaks[hours] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[8] - peaks[1] < 24 * 56 * 400**2 / 4


def test_plans_of_rows_lie_across_winds_that_differ_and_fit_the_budget() -> None:
    scene = make_scene(land_of(3), FireConditions(
        scenarios=6, regime=FireRegime(duration_min=60.0)), 3, tiled=True)
    lost = [1, 5, 2, 0, 3, 4]
    winds = main_winds(scene, lost)
    assert winds[0] == main_winds(scene, [0, 1, 0, 0, 0, 0])[0]
    for k, one in enumerate(winds):
        assert np.hypot(*one) == pytest.approx(1.0)
        for other in winds[:k]:
            apart = np.degrees(np.arccos(min(1.0, abs(one[0] * other[0] + one[1] * other[1]))))
            assert apart >= APART_DEG
    land = scene.landscape
    for budget in (0.0, 1.0, 30.0, 200.0):
        for plan in row_plans(land, winds, budget, False):
            assert 0.0 < cost_of(plan.cells, land) <= budget * (1.0 + 1e-9)
            assert np.unique(plan.cells).size == plan.cells.size
            assert land.treatable.ravel()[plan.cells].all()
    assert rows_across(land, (Across(winds[0], 1.0),), 0.6, 0.0, False).size == 0
