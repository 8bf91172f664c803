"""Bare ground that fire crosses: which cells share a draw, and whose fire comes over them."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import FireConditions, FireRegime, Fires, Scene, burn, fire_keys, make_scene
from firebreak.fire.effects.breaks import in_one_cell, wilson
from firebreak.fire.travel.arcs import BARE, GATES
from firebreak.fire.travel.bare_ground import codes_of, fuel_before, with_trees
from firebreak.fire.travel.travel_field import unpad
from firebreak.landscape.bare_ground import with_bare_widths
from firebreak.landscape.fuels import URBAN
from firebreak.landscape.landscape import Landscape
from firebreak.weather.scenarios import make_scenarios
from strategies import plain_landscape

SHAPE = (9, 13)


def land_with(road: object, size: float = 30.0, **fields: np.ndarray) -> Landscape:
    fuel = np.full(SHAPE, 102, np.int16)
    fuel[road] = URBAN  # type: ignore[index]
    land = plain_landscape(np.ones(SHAPE, bool))
    return with_bare_widths(replace(land, fuel_model=fuel, cell_size_m=size, **fields))


def west_wind(land: Landscape, km_h: float = 60.0) -> Scene:
    weather = make_scenarios(
        wind_20ft_m_min=km_h * 1000.0 / 60.0, wind_from_deg=270.0, dead_moisture_1h=0.03,
        dead_moisture_10h=0.04, dead_moisture_100h=0.05, live_moisture_herb=0.3,
        live_moisture_woody=0.6)
    return make_scene(land, FireConditions(regime=FireRegime(duration_min=600.0)), 1, weather)


def test_cells_side_by_side_share_the_draw_of_the_first_of_the_thin_way() -> None:
    code = codes_of(land_with((slice(None), slice(4, 6))))
    assert (code[:, 4] == BARE).all()
    assert (code[:, 5] == BARE + GATES.index((0, -1))).all()
    code = codes_of(land_with((slice(4, 6), slice(None))))
    assert (code[4] == BARE).all()
    assert (code[5] == BARE + GATES.index((-1, 0))).all()


def test_wide_bare_ground_and_land_without_widths_have_no_codes() -> None:
    assert not codes_of(land_with((slice(None), slice(4, 8))))[:, 4:8].any()
    land = land_with((slice(None), 4))
    assert codes_of(replace(land, bare_m=None)).size == 0


@pytest.mark.parametrize(("wind_from", "step"), [(270.0, (0, -1)), (90.0, (0, 1)),
                                                 (315.0, (-1, -1)), (0.0, (0, 1))])
def test_fire_comes_from_the_fuel_against_the_wind(wind_from: float,
                                                   step: tuple[int, int]) -> None:
    """A north wind blows along the road: fuel is looked for beside it, clockwise first."""
    land = land_with((slice(None), 4))
    cell = 4 * SHAPE[1] + 4
    found = fuel_before(land, np.array([cell]), np.array([wind_from]))
    row, col = divmod(int(found[0, 0]), SHAPE[1])
    assert (np.sign(row - 4), np.sign(col - 4)) == (step if wind_from else (-1, 1))


def test_the_chance_is_wilson_s_of_the_capped_fire_before_it() -> None:
    cover, height = np.zeros(SHAPE, np.float32), np.zeros(SHAPE, np.float32)
    cover[:3, 5], height[:3, 5] = 0.3, 8.0
    land = land_with((slice(None), 4), canopy_cover=cover, canopy_height_m=height)
    assert with_trees(land, 20.0)[:, 4].tolist() == [True] * 4 + [False] * 5
    scene = west_wind(land)
    chance = unpad(scene.field.breaks.breach, SHAPE)[0]
    head = scene.behavior.fireline_intensity_kw_m[0, 5, 3]
    assert 1_000.0 < head < 17_000.0
    for row, trees in ((1, True), (6, False)):
        crossed = wilson(np.array(head), np.array(10.0), trees=trees)
        assert chance[row, 4] == pytest.approx(in_one_cell(crossed, 30.0), rel=1e-5)
    assert (chance[:, [3, 5]] == 0.0).all()
    hot = west_wind(land_with((slice(None), 4)), 200.0)
    assert hot.behavior.fireline_intensity_kw_m[0, 5, 3] > 17_000.0
    capped = wilson(np.array(17_000.0), np.array(10.0), trees=False)
    assert unpad(hot.field.breaks.breach, SHAPE)[0, 5, 4] == pytest.approx(
        in_one_cell(capped, 30.0), rel=1e-5)


def test_a_road_does_not_burn_has_no_value_and_is_no_ignition() -> None:
    land = land_with((slice(None), 4))
    scene = west_wind(land)
    rules = scene.field.breaks
    sure = rules._replace(breach=np.where(rules.breach > 0, np.float32(1.0), np.float32(0.0)))
    scene = replace(scene, travel=scene.field._replace(breaks=sure))
    fires = Fires(np.array([4 * SHAPE[1] + 1]), np.zeros(1, np.int64), np.array([600.0]),
                  fire_keys(0, "test", "road", 1))
    made = burn(scene, fires, want="statistics")
    assert (made.burn_probability[:, 5:] == 1.0).any()
    assert (made.burn_probability[:, 4] == 0.0).all()
    assert made.loss[0] == made.burn_probability.sum()
    assert land.bare_m is not None
    assert not scene.landscape.burnable[:, 4].any()
    drawn = scene.fires("test", 500).source
    assert scene.landscape.burnable.ravel()[drawn].all()


def test_a_fire_keeps_its_pace_over_a_road() -> None:
    """Beyond the road it arrives as if fuel had been there."""
    land = land_with((slice(None), 4))
    scene, bare = west_wind(land), west_wind(replace(land, fuel_model=np.full(SHAPE, 102),
                                                     bare_m=None))
    rules = scene.field.breaks
    sure = rules._replace(breach=np.where(rules.breach > 0, np.float32(1.0), np.float32(0.0)))
    scene = replace(scene, travel=scene.field._replace(breaks=sure))
    fires = Fires(np.array([4 * SHAPE[1] + 1]), np.zeros(1, np.int64), np.array([600.0]),
                  fire_keys(0, "test", "road", 1))
    over, through = (burn(one, fires, want="arrival").arrivals_min[0] for one in (scene, bare))
    np.testing.assert_array_equal(over[:, 5:], through[:, 5:])
