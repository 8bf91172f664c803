"""Corridors of a map: where they run, what they keep off, and that they cost least."""

import heapq
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.landscape.candidates.corridor import Corridor, length_of
from firebreak.landscape.candidates.corridors.anchors import APART_M, anchors_of
from firebreak.landscape.candidates.corridors.find import (
    corridors_on,
    gaps_of,
    with_names,
)
from firebreak.landscape.candidates.corridors.ground import (
    check_houses,
    ground_of,
    houses_of,
    within,
)
from firebreak.landscape.candidates.corridors.routes import joined_by_edges, routes_between
from firebreak.landscape.landscape import AREA, MARGIN, Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.terrain import slope_aspect

SIDE, SIZE_M = 61, 30.0
ROWS, COLS = np.mgrid[0:SIDE, 0:SIDE]
BARE, GRASS = 98, 102


def land_of(elevation: np.ndarray, fuel: np.ndarray | None = None,
            value: np.ndarray | None = None) -> Landscape:
    """A map of these heights, of grass and of one value unless said otherwise."""
    slope, aspect = slope_aspect(elevation.astype(np.float32), SIZE_M)
    return replace(generate(6, elevation.shape, cell_size_m=SIZE_M), elevation_m=elevation,
                   slope_tan=slope, aspect_deg=aspect, canopy_cover=np.zeros(elevation.shape),
                   fuel_model=np.full(elevation.shape, GRASS) if fuel is None else fuel,
                   treatable=np.ones(elevation.shape, np.bool_),
                   value=np.ones(elevation.shape) if value is None else value)


FLAT = np.zeros((SIDE, SIDE))
RIDGE = 300.0 - np.abs(COLS - 30) * 8.0 - np.abs(ROWS - 30) * 0.5  # to the north and the south


@pytest.fixture(scope="module")
def of_ridge() -> list[Corridor]:
    land = land_of(RIDGE)
    return corridors_on(land, ground_of(land))


def test_a_ridge_has_a_corridor_along_it(of_ridge: list[Corridor]) -> None:
    along = [own for own in of_ridge if own.ground is not None and own.ground.ridge > 0.8]
    assert along
    assert all((np.abs(own.path % SIDE - 30) <= 3).mean() > 0.7 for own in along)


def test_a_corridor_is_one_way_of_touching_cells_of_its_length(of_ridge: list[Corridor]) -> None:
    land = land_of(RIDGE)
    for own in of_ridge:
        down, right = np.abs(np.diff(np.stack(np.divmod(own.path, SIDE))))
        assert (np.maximum(down, right) == 1).all()
        assert np.unique(own.path).size == own.path.size
        assert own.length_m == length_of(own.path, land) >= 300.0
        assert own.cost == pytest.approx(land.cost.ravel()[own.cells].sum())
        assert {anchor.cell for anchor in own.anchors} == {own.path[0], own.path[-1]}


def test_a_small_area_has_its_anchors_closer_together(monkeypatch: pytest.MonkeyPatch) -> None:
    land = land_of(RIDGE)
    land = replace(land, treatable=(np.abs(ROWS - 30) < 16) & (np.abs(COLS - 30) < 16))
    ground = ground_of(land)
    many = corridors_on(land, ground)
    monkeypatch.setattr("firebreak.landscape.candidates.corridors.find.CLOSER", (1.0,))
    few = corridors_on(land, ground)
    assert len(few) < 20 < 100 <= len(many)
    assert min(own.length_m for own in many) >= 300.0


def test_no_corridor_comes_within_the_buffer_of_a_house() -> None:
    value = np.zeros((SIDE, SIDE))
    value[20:23, 24:37] = 1.0  # across the ridge
    land = land_of(RIDGE, value=value)
    for buffer_m in (0.0, 30.0, 95.0):
        found = corridors_on(land, ground_of(land, buffer_m))
        near = within(value > 0, buffer_m, SIZE_M)
        assert found
        assert not any(near.ravel()[own.path].any() for own in found)
    assert houses_of(land).sum() == 39
    assert not houses_of(land_of(RIDGE)).any()  # value lies everywhere
    zone = np.full((SIDE, SIDE), MARGIN, np.int8)
    zone[10:20, 10:20] = AREA
    part = replace(land_of(RIDGE, value=np.where(zone == AREA, 1.0, 0.0)), zone=zone)
    assert not houses_of(part).any()  # in all of a small area of a domain


def test_the_buffer_is_measured_from_the_middle_of_a_cell_of_houses() -> None:
    mask = np.zeros((9, 9), np.bool_)
    mask[4, 4] = True
    assert within(mask, 0.0, 30.0).sum() == 1
    assert within(mask, 30.0, 30.0).sum() == 9  # those beside it begin 15 m off
    assert within(mask, 45.1, 30.0).sum() == 13  # the next four begin 45 m off
    assert within(mask, 30.0, 10.0).sum() == 45  # all of 7 x 7 but its corners
    assert within(mask, 30.0, 90.0).sum() == 1  # those beside it begin 45 m off


def test_where_it_is_known_what_burns_routes_are_found_there_alone(
        monkeypatch: pytest.MonkeyPatch) -> None:
    land = land_of(RIDGE)
    ground, worth = ground_of(land), np.where(COLS < 15, 1.0, 0.0)
    every = corridors_on(land, ground, 300.0, worth=worth)
    monkeypatch.setattr("firebreak.landscape.candidates.corridors.find.CLOSER", (0.25,))
    monkeypatch.setattr("firebreak.landscape.candidates.corridors.find.MOST_PAIRS", 40)
    some = corridors_on(land, ground, 300.0, worth=worth)
    assert 0 < len(some) <= 40 < 100 <= len(every)
    assert all((own.path % SIDE < 20).mean() > 0.5 for own in some)


def test_a_buffer_that_leaves_nothing_is_refused() -> None:
    value = np.zeros((SIDE, SIDE))
    value[30, 30] = 1.0
    check_houses(land_of(FLAT, value=value), 30.0)
    with pytest.raises(InputError, match="treatable ground outside the buffer of houses, got none"):
        check_houses(land_of(FLAT, value=value), 1e5)


def test_a_gap_between_two_lakes_is_named_and_closes_it() -> None:
    fuel = np.full((SIDE, SIDE), GRASS)
    fuel[20:40, 10:28] = fuel[20:40, 33:50] = BARE
    land = land_of(FLAT, fuel)
    (gap,) = gaps_of(land, ground_of(land), 300.0, joined=False)
    assert gap.kind == "gap"
    assert sorted(gap.path % SIDE) == [28, 29, 30, 31, 32]
    assert gap.length_m == 150.0
    assert any(own.kind == "gap" for own in corridors_on(land, ground_of(land)))
    assert not gaps_of(land, ground_of(land), 120.0, joined=False)


def test_narrow_bare_ground_is_part_of_a_route_and_not_its_end() -> None:
    fuel = np.full((SIDE, SIDE), GRASS)
    fuel[15] = BARE  # a road across the ridge
    land = land_of(RIDGE, fuel)
    found = [own for own in corridors_on(land, ground_of(land)) if own.kind == "route"]
    crossing = [own for own in found if (own.path // SIDE == 15).any()]
    assert crossing
    assert all(np.isin(own.path[[0, -1]], own.cells).all() for own in found)
    assert all(own.cells.size < own.path.size for own in crossing)


def test_anchors_are_apart() -> None:
    land = land_of(RIDGE)
    places = np.stack(np.divmod([own.cell for own in anchors_of(land, ground_of(land))], SIDE), 1)
    away = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) * SIZE_M
    assert len(places) > 4
    assert away[~np.eye(len(places), dtype=bool)].min() > APART_M


def slow_cost(surface: np.ndarray, start: tuple[int, int], end: tuple[int, int]) -> float:
    """The cost of the cheapest way of 16 steps, one cell after the other."""
    steps = [(a, b) for a in range(-2, 3) for b in range(-2, 3)
             if (a, b) != (0, 0) and abs(a) + abs(b) != 4 and (abs(a), abs(b)) not in
             ((0, 2), (2, 0))]
    done, queue = set(), [(0.0, start)]
    while queue:
        cost, at = heapq.heappop(queue)
        if at == end:
            return cost
        if at in done:
            continue
        done.add(at)
        for down, right in steps:
            to = (at[0] + down, at[1] + right)
            if not (0 <= to[0] < surface.shape[0] and 0 <= to[1] < surface.shape[1]):
                continue
            met = [surface[at], surface[to]]
            if abs(down) + abs(right) == 3:
                straight = (at[0] + int(down / 2), at[1] + int(right / 2))
                slanted = (at[0] + int(np.sign(down)), at[1] + int(np.sign(right)))
                met.append(min(surface[straight], surface[slanted]))
            if np.isfinite(met).all():
                heapq.heappush(queue, (cost + float(np.mean(met) * np.hypot(down, right)), to))
    return np.inf


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_a_route_costs_least_and_goes_over_open_cells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    surface = rng.uniform(0.5, 2.0, (9, 11))
    surface[rng.random(surface.shape) < 0.1] = np.inf
    surface[0, 0] = surface[8, 10] = 1.0
    routes = routes_between(surface, np.array([0, 8 * 11 + 10]), np.array([[0, 1]]), 30.0, 500.0)
    least = slow_cost(surface, (0, 0), (8, 10))
    for route in routes:
        assert np.isfinite(surface.ravel()[route.path]).all()
        assert (route.path[0], route.path[-1]) == (0, 98)
        # Of a knight's move the path has the cell that it passes: no other way is cheaper.
        assert np.isfinite(least)
        rows, cols = np.divmod(route.path, 11)
        assert (np.maximum(np.abs(np.diff(rows)), np.abs(np.diff(cols))) == 1).all()
        assert _cost_along(surface, route.path) <= least * 1.35
        both = joined_by_edges(route.path, np.where(np.isfinite(surface), surface, 9.0))
        rows, cols = np.divmod(both, 11)
        assert (np.abs(np.diff(rows)) + np.abs(np.diff(cols)) == 1).all()
        assert np.isin(route.path, both).all()


def _cost_along(surface: np.ndarray, path: np.ndarray) -> float:
    rows, cols = np.divmod(path, surface.shape[1])
    own = surface[rows, cols]
    return float(((own[:-1] + own[1:]) / 2 * np.hypot(np.diff(rows), np.diff(cols))).sum())


def test_names_say_place_and_ground_and_differ(of_ridge: list[Corridor]) -> None:
    names = [own.name for own in with_names(of_ridge, land_of(RIDGE))]
    assert len(set(names)) == len(names)
    assert "central ridge 1" in names
    named = of_ridge[0]._replace(name="Main Divide")
    assert with_names([named], land_of(RIDGE))[0].name == "Main Divide"
    assert [own.name for own in with_names([named, named], land_of(RIDGE))] == [
        "Main Divide 1", "Main Divide 2"]


def test_a_line_that_has_a_name_keeps_it_beside_what_runs_along_it(
        of_ridge: list[Corridor]) -> None:
    given = of_ridge[0]._replace(name="central ridge 1", kind="given")
    names = [own.name for own in with_names([given, *of_ridge], land_of(RIDGE),
                                            {given.name: given.path})]
    assert names[0] == "central ridge 1"
    assert len(set(names)) == len(names)


def test_what_runs_along_a_road_has_its_name(of_ridge: list[Corridor]) -> None:
    along = next(own for own in of_ridge if own.ground is not None and own.ground.ridge > 0.8)
    beside = along.path + 1
    assert named(along, {"Truck Trail": beside[:9], "Main Divide": beside[9:]}) == "Main Divide"
    assert named(along, {"Main Divide": beside + 5}) == "north ridge 1"
    assert named(along, {"Main Divide": beside[:along.path.size // 2 - 2]}) == "north ridge 1"


def named(own: Corridor, roads: dict[str, np.ndarray]) -> str:
    return with_names([own], land_of(RIDGE), roads)[0].name
