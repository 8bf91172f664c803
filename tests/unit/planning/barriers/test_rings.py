"""Rings around value: closed, near, off houses, over roads; and parts of them."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from firebreak.landscape.candidates.corridors.ground import GroundMaps, ground_of
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.terrain import slope_aspect
from firebreak.planning.barriers.cut import CORNERS, EDGES
from firebreak.planning.barriers.rings import WITHIN_M, rings_around

SIDE, SIZE_M, LEAST_M = 61, 30.0, 300.0
GRASS, BARE = 102, 99


def case(*houses: tuple[int, int], road: int | None = None,
         side: int = SIDE) -> tuple[Landscape, GroundMaps]:
    """Flat grass with houses, and a road of bare cells along a column."""
    flat = np.zeros((side, side), np.float32)
    fuel = np.full(flat.shape, GRASS)
    if road is not None:
        fuel[:, road] = BARE
    value = flat.copy()
    for place in houses:
        value[place] = 1.0
    slope, aspect = slope_aspect(flat, SIZE_M)
    land = replace(generate(6, flat.shape, cell_size_m=SIZE_M), elevation_m=flat, slope_tan=slope,
                   aspect_deg=aspect, canopy_cover=flat, fuel_model=fuel, value=value,
                   treatable=fuel == GRASS, cost=np.ones(flat.shape, np.float32))
    return land, ground_of(land, 30.0)


@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("road", [None, 33])
def test_a_ring_shuts_a_cluster_in_near_it_and_off_houses(leak: bool, road: int | None) -> None:
    land, ground = case((30, 30), (32, 31), road=road)
    houses = land.value > 0.0
    found = rings_around(houses, land, ground, least_m=LEAST_M, leak=leak)
    assert all(own.kind == "cut" and not ground.near_houses.ravel()[own.cells].any()
               and land.treatable.ravel()[own.cells].all() for own in found)
    away = ndimage.distance_transform_edt(~houses).ravel() * SIZE_M
    assert all(away[own.path].max() <= max(WITHIN_M) for own in found)

    def closed(path: np.ndarray) -> bool:
        passable = np.ones(land.shape, np.bool_)
        passable.ravel()[path] = False
        number = ndimage.label(passable, CORNERS if leak else EDGES)[0]
        return bool((number[houses] != number[0, 0]).all())

    whole = [own for own in found if closed(own.path)]
    parts = [own for own in found if not closed(own.path)]
    assert whole
    assert parts
    assert all(own.length_m >= LEAST_M for own in parts)
    assert road is None or any((own.path % SIDE == road).any() for own in whole)


def test_houses_far_apart_have_rings_of_their_own_and_near_ones_one() -> None:
    land, ground = case((10, 10), (12, 12), (50, 50))
    found = rings_around(land.value > 0.0, land, ground, least_m=LEAST_M, leak=False)
    rows = [set((own.path // SIDE > 30).tolist()) for own in found]
    assert {True} in rows
    assert {False} in rows
    assert {True, False} not in rows


def test_nothing_is_shut_in_where_nothing_may_be_built() -> None:
    land, ground = case((30, 30))
    none = replace(land, treatable=np.zeros(land.shape, np.bool_))
    assert not rings_around(land.value > 0.0, none, ground, least_m=LEAST_M, leak=False)
    assert not rings_around(np.zeros(land.shape, np.bool_), land, ground, least_m=LEAST_M,
                            leak=False)


@pytest.mark.parametrize("houses", [[(0, 0)], [(0, 30)], [(3, 2)], [(60, 30)],
                                    [(2, 28), (2, 33)]])
@pytest.mark.parametrize("least_m", [LEAST_M, 900.0])
def test_no_corridor_of_a_ring_is_shorter_than_the_shortest(houses: list[tuple[int, int]],
                                                            least_m: float) -> None:
    """At the map's edge too, where a ring is open: no part of it goes on at its other end."""
    land, ground = case(*houses, road=33)
    for own in rings_around(land.value > 0.0, land, ground, least_m=least_m, leak=False):
        assert own.length_m >= least_m
        assert np.hypot(*np.diff(np.divmod(own.path, SIDE))).max() < 1.5


def test_many_clusters_take_no_more_room_than_their_map() -> None:
    land, ground = case(side=400)
    value = np.zeros(land.shape, np.bool_)
    value[10:-10:13, 10:-10:13] = True
    bare = replace(land, fuel_model=np.full(land.shape, BARE), treatable=value & False)
    lake = ground._replace(wide=np.ones(land.shape, np.int32))
    tracemalloc.start()
    assert not rings_around(value, bare, lake, least_m=LEAST_M, leak=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 * value.size
