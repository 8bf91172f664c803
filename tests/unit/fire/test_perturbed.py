"""Scenes as they might be: what is perturbed, and what stays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire import FireConditions, Perturbation, Scene, burn, make_scene, perturbed
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.fire.effects.losses import ResponseFunction
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.weather.fwi import ffmc_of_moisture, fine_fuel_moisture

LAND = generate(5, 16, cell_size_m=30.0)
CODES = LAND.fuels.burnable_codes.tolist()
SCENE = make_scene(LAND, FireConditions(scenarios=3), 0)
NARROW = make_scene(LAND, FireConditions(scenarios=3, breach="wilson",
                                         treatment=Treatment(width_m=6.0)), 0)
SHADED = make_scene(LAND, FireConditions(scenarios=3, treatment=Treatment(kind="shaded")), 0)
FLAMES = make_scene(LAND, FireConditions(scenarios=3, response=ResponseFunction(
    name="r", loss=(0.0, 0.1, 0.3, 0.6, 0.9, 1.0))), 0)
MASK = np.zeros(LAND.shape, np.bool_)
MASK[8] = LAND.treatable[8]


def losses(scene: Scene, world: Scene, stretch: float = 1.0) -> np.ndarray:
    fires = scene.fires("test", 40)
    fires = fires._replace(duration_min=fires.duration_min * stretch)
    return burn(world, fires, MASK).loss


@pytest.mark.parametrize("scene", [SCENE, NARROW, SHADED, FLAMES])
def test_no_change_is_no_change(scene: Scene) -> None:
    world = perturbed(scene, Perturbation())
    np.testing.assert_array_equal(losses(scene, world), losses(scene, scene))
    np.testing.assert_array_equal(world.value_by_class, scene.value_by_class)


@settings(max_examples=8, deadline=None)
@given(st.floats(0.5, 2.0), st.floats(-30, 30), st.floats(0.8, 1.25))
def test_the_fires_stay_as_they_are(rate: float, turn: float, moisture: float) -> None:
    world = perturbed(NARROW, Perturbation(tuple((code, rate) for code in CODES), turn, moisture,
                                           2.0))
    for own, other in zip(NARROW.fires("test", 50), world.fires("test", 50), strict=True):
        np.testing.assert_array_equal(own, other)
    assert world.median_duration_min == NARROW.median_duration_min
    rows, own_rows = world.scenarios, NARROW.scenarios
    np.testing.assert_allclose(rows.wind_from_deg, (own_rows.wind_from_deg + turn) % 360.0)
    np.testing.assert_allclose(rows.dead_moisture_10h, own_rows.dead_moisture_10h * moisture)
    np.testing.assert_array_equal(rows.live_moisture_herb, own_rows.live_moisture_herb)
    np.testing.assert_allclose(fine_fuel_moisture(rows.fine_fuel_moisture_code),
                               fine_fuel_moisture(own_rows.fine_fuel_moisture_code) * moisture)


@pytest.mark.parametrize("scene", [SCENE, SHADED])
def test_twice_the_rate_burns_what_twice_the_time_burns(scene: Scene) -> None:
    world = perturbed(scene, Perturbation(tuple((code, 2.0) for code in CODES)))
    np.testing.assert_allclose(losses(scene, world), losses(scene, scene, 2.0))
    assert losses(scene, world).sum() > losses(scene, scene).sum()


def test_rates_change_in_their_fuel_and_intensity_and_flames_with_them() -> None:
    code = int(np.bincount(LAND.fuel_model[LAND.burnable]).argmax())
    own = fire_behavior(LAND, SCENE.scenarios)
    changed = fire_behavior(LAND, SCENE.scenarios, BehaviorModel(rate_factors=((code, 1.5),)))
    here = LAND.fuel_model == code
    for name in ("rate_of_spread_m_min", "backing_rate_m_min", "fireline_intensity_kw_m"):
        np.testing.assert_allclose(getattr(changed, name)[:, here],
                                   1.5 * getattr(own, name)[:, here])
        np.testing.assert_array_equal(getattr(changed, name)[:, ~here],
                                      getattr(own, name)[:, ~here])
    power = np.where(own.fire_type[:, here] > 1, 2 / 3, 0.46)
    np.testing.assert_allclose(changed.flame_length_m[:, here],
                               1.5**power * own.flame_length_m[:, here])


def test_breaches_are_capped_at_certainty() -> None:
    before = NARROW.field.breaks.breach
    assert 0.0 < before[before > 0.0].min() < 0.5
    world = perturbed(NARROW, Perturbation(breach=2.0))
    np.testing.assert_allclose(world.field.breaks.breach, np.minimum(2.0 * before, 1.0))
    often = perturbed(NARROW, Perturbation(breach=1e6)).field.breaks.breach
    assert often.max() == 1.0
    np.testing.assert_array_equal(often > 0.0, before > 0.0)
    for name in ("wind_from_deg", "dead_moisture_1h"):
        np.testing.assert_array_equal(getattr(world.scenarios, name),
                                      getattr(NARROW.scenarios, name))


def test_a_code_is_that_of_its_moisture() -> None:
    code = np.array([60.0, 85.0, 92.0])
    np.testing.assert_allclose(ffmc_of_moisture(fine_fuel_moisture(code)), code)


def test_values_by_flame_length_stay() -> None:
    scene = replace(FLAMES, value_by_class=FLAMES.value_by_class * np.float32(3.0))
    world = perturbed(scene, Perturbation(dead_moisture=1.25))
    np.testing.assert_array_equal(world.value_by_class, scene.value_by_class)
    assert world.field.heat.size
