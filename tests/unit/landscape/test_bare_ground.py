"""How wide bare ground is, on maps small enough to see."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.landscape.bare_ground import (
    ROAD_M,
    hemmed_in,
    run_of,
    with_bare_widths,
    with_starts_moved,
)
from firebreak.landscape.fuels import BARREN, URBAN
from firebreak.landscape.landscape import NODATA, Landscape
from strategies import plain_landscape

WATER = 98


def land_of(picture: str, size: float = 30.0) -> Landscape:
    """`.` fuel, `r` NB1, `w` water, `b` NB9, `x` outside the data."""
    code = {".": 101, "r": URBAN, "w": WATER, "b": BARREN, "x": NODATA}
    rows = [[code[mark] for mark in row] for row in picture.split()]
    fuel = np.array(rows, np.int16)
    return replace(plain_landscape(np.ones(fuel.shape, bool)), fuel_model=fuel, cell_size_m=size)


def widths(picture: str, size: float = 30.0, **given: object) -> np.ndarray:
    made = with_bare_widths(land_of(picture, size), **given).bare_m  # type: ignore[arg-type]
    assert made is not None
    return made


def test_a_road_is_10_m_wide_at_most_its_cell_and_other_strips_are_their_cells() -> None:
    picture = "..r.w.x ..r.w.x rrr.w.x ....w.x"
    assert (widths(picture)[:3, 2] == ROAD_M).all()
    assert (widths(picture)[2, :2] == ROAD_M).all()
    assert (widths(picture)[:, 4] == 30.0).all()
    assert (widths(picture, 5.0)[:2, 2] == 5.0).all()
    assert (widths(picture)[:, [3, 5, 6]] == 0.0).all()


def test_a_town_is_no_road_and_the_road_that_leaves_it_is_one() -> None:
    made = widths("....... .rrr... .rrrrrr .rrr... .......")
    assert (made[1:4, 1:4] == 90.0).all()
    assert (made[2, 4:] == ROAD_M).all()


def test_a_road_on_the_steps_of_its_pixels_is_one_road() -> None:
    made = widths("rr... .rr.. ..rr. ...rr ....r")
    assert set(made[made > 0].tolist()) == {ROAD_M}


def test_given_widths_hold_but_no_road_is_wider_than_its_cells() -> None:
    picture = "..r.w ..r.w ..r.w"
    said = np.full((3, 5), np.nan)
    said[:, 2] = [6.0, 25.0, 99.0]
    said[:, 4] = 12.0
    made = widths(picture, barriers=np.zeros((3, 5), bool), width_m=said)
    np.testing.assert_array_equal(made[:, 2], [6.0, 25.0, 30.0])
    assert (made[:, 4] == 12.0).all()


def test_given_barriers_are_roads_where_they_are_thin() -> None:
    picture = "..b.. ..b.. ..b.. ..b.."
    assert (widths(picture)[:, 2] == 30.0).all()
    barriers = np.zeros((4, 5), bool)
    barriers[:, 2] = True
    assert (widths(picture, barriers=barriers)[:, 2] == ROAD_M).all()


def test_widths_that_are_known_are_kept() -> None:
    land = with_bare_widths(land_of("..b.. ..b.."))
    barriers = np.zeros((2, 5), bool)
    barriers[:, 2] = True
    again = with_bare_widths(land, barriers).bare_m
    assert again is not None
    assert (again[:, 2] == 30.0).all()


def test_land_without_narrow_bare_ground_stays_as_it_is() -> None:
    land = land_of("wwww. wwww. .....")
    assert with_bare_widths(land) is land


@pytest.mark.parametrize("axis", [0, 1])
def test_runs_against_a_slow_count(axis: int) -> None:
    mask = np.random.default_rng(axis).random((17, 23)) < 0.7
    before, length = run_of(mask, axis)
    rows, slow = (mask.T if axis == 0 else mask), []
    for row in rows:
        words = "".join("x" if cell else " " for cell in row).split(" ")
        counts = []
        for word in words:
            counts += [(k, len(word)) for k in range(len(word))] + [(0, 0)]
        slow.append(counts[:-1])
    found = np.array(slow)
    for made, want in ((before, found[..., 0]), (length, found[..., 1])):
        np.testing.assert_array_equal(made.T if axis == 0 else made, want)


HEMMED = "bbbbbbb b.bb..b bb.b..b b.bb..b bbbb..b bbbb..b bbbbbbb"


def test_small_pieces_are_hemmed_in_also_those_that_touch_at_corners() -> None:
    found = hemmed_in(land_of(HEMMED))
    assert np.argwhere(found).tolist() == [[1, 1], [2, 2], [3, 1]]
    assert not hemmed_in(land_of(".b..... bb..... .......")).any()


def test_starts_that_are_hemmed_in_or_bare_move_to_the_nearest_fuel() -> None:
    land = land_of(HEMMED)
    weight = np.zeros(land.shape, np.float32)
    weight[2, 2], weight[0, 3], weight[4, 5] = 2.0, 1.0, 5.0
    moved, count = with_starts_moved(replace(land, ignition_weight=weight))
    assert count == 2
    assert moved.ignition_weight[2, 4] == 2.0
    assert moved.ignition_weight[1, 4] == 1.0
    assert moved.ignition_weight[4, 5] == 5.0
    assert moved.ignition_weight.sum() == 8.0
    same, none = with_starts_moved(moved)
    assert none == 0
    assert same is moved
