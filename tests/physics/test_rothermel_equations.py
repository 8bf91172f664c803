"""Equations of surface fire at points where their value is known without a computer."""

import numpy as np
import pytest

from firebreak.fire.behavior import rothermel, wind
from firebreak.fire.behavior.surface import combined_factor, point_behavior
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.units import M_MIN_PER_MPH, METRES_PER_FOOT

MOIST = {"dead_moisture_1h": 0.06, "dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08,
         "live_moisture_herb": 0.6, "live_moisture_woody": 0.9}


def test_herbs_cure_fully_below_30_percent_and_not_at_all_above_120():
    cured = rothermel.cured_fraction([0.1, 0.3, 0.6, 1.2, 2.0])
    np.testing.assert_allclose(cured, [1.0, 1.0, 0.667, 0.001, 0.0], atol=1e-12)


def test_curing_moves_load_without_losing_any_and_only_in_dynamic_models():
    fuels = rothermel.fuel_particles([FUEL_MODELS[102], FUEL_MODELS[2]])
    cured = rothermel.cured_loads(fuels.load_lb_ft2, fuels.dynamic, 0.6)
    np.testing.assert_allclose(cured.sum(axis=0), fuels.load_lb_ft2.sum(axis=0))
    herb = FUEL_MODELS[102].load_herb_lb_ft2
    np.testing.assert_allclose(cured[3:5, 0], [0.667 * herb, 0.333 * herb])
    np.testing.assert_array_equal(cured[:, 1], fuels.load_lb_ft2[:, 1])


def test_moisture_damping_is_one_when_dry_and_zero_from_extinction_on():
    damping = rothermel.moisture_damping(np.array([0.0, 0.25, 0.4]), np.array(0.25))
    np.testing.assert_allclose(damping, [1.0, 0.0, 0.0], atol=1e-12)


def test_mineral_damping_of_the_standard_silica_free_content():
    assert rothermel.mineral_damping() == pytest.approx(0.4174, abs=1e-4)
    assert rothermel.mineral_damping(1e-6) == 1.0


def test_reaction_velocity_is_greatest_at_the_optimum_packing():
    relative = np.array([0.8, 1.0, 1.25])
    velocity = rothermel.reaction_velocity(np.array(2000.0), relative)
    assert velocity.argmax() == 1
    assert velocity[1] == pytest.approx(2000**1.5 / (495 + 0.0594 * 2000**1.5))


def test_net_load_weights_classes_of_one_size_together():
    load = np.array([1.0, 2.0, 4.0])
    sav = np.array([2000.0, 1500.0, 10.0])
    shares = np.array([0.6, 0.3, 0.1])
    # The first two are one size class of weight 0.9, the last is too coarse to count.
    assert rothermel.net_load(load, sav, shares) == pytest.approx(0.9 * 3.0 * (1 - 0.0555))


def test_live_extinction_is_never_below_the_dead_one():
    fuels = rothermel.fuel_particles([FUEL_MODELS[124]])
    wet = np.full((6, 1), 0.5)
    extinction = rothermel.live_extinction_moisture(
        fuels.load_lb_ft2, fuels.sav_ft, wet, fuels.extinction_moisture)
    assert extinction == pytest.approx(FUEL_MODELS[124].extinction_moisture)


def test_effective_wind_undoes_the_wind_factor():
    fuels = rothermel.fuel_particles([FUEL_MODELS[code] for code in (1, 102, 124, 165, 204)])
    bed = rothermel.fuel_bed(fuels, **MOIST)
    speed_ft_min = np.full(5, 440.0)
    factor = rothermel.wind_factor(bed, speed_ft_min)
    np.testing.assert_allclose(rothermel.effective_wind_speed(bed, factor), speed_ft_min)


def test_fuel_too_wet_to_burn_does_not_spread():
    wet = MOIST | {"dead_moisture_1h": 0.5, "dead_moisture_10h": 0.5, "dead_moisture_100h": 0.5}
    spread = point_behavior(1, **wet, midflame_wind_m_min=300.0, wind_from_deg=90.0, slope_tan=0.2,
                            aspect_deg=0.0)
    assert rothermel.moisture_damping(np.array(0.3), np.array(0.3)) == 0.0
    assert spread.rate_of_spread_m_min == 0.0
    assert spread.flame_length_m == 0.0
    assert spread.fireline_intensity_kw_m == 0.0


def test_byram_flame_length():
    assert rothermel.flame_length(np.array(100.0)) == pytest.approx(0.45 * 100**0.46)
    assert rothermel.byram_intensity(np.array(600.0), np.array(10.0)) == pytest.approx(100.0)


def test_crown_fill_of_exactly_5_percent_counts_as_open():
    low, edge, dense = wind.wind_adjustment_factor(
        METRES_PER_FOOT, np.array([0.29, np.float32(0.3), 0.31]), 15.24, 0.5)
    assert low == edge == pytest.approx(0.362104, abs=1e-6)
    assert dense < 0.25


def test_canopy_below_6_feet_does_not_shelter():
    open_ground = wind.wind_adjustment_factor(0.3)
    assert wind.wind_adjustment_factor(0.3, 0.9, 1.5, 1.0) == open_ground
    assert wind.wind_adjustment_factor(0.3, 0.9, 2.5, 1.0) < open_ground


def test_length_to_width_runs_from_a_circle_to_the_limit():
    ratio = wind.length_to_width(np.array([0.0, 5.0, 1000.0]) * M_MIN_PER_MPH)
    np.testing.assert_allclose(ratio, [1.0, 1.59006, 8.0], atol=1e-5)


def test_ellipse_rates_fit_together():
    head, ratio = 10.0, 2.0
    back, flank = wind.backing_rate(head, ratio), wind.flanking_rate(head, ratio)
    assert wind.eccentricity(ratio) == pytest.approx(np.sqrt(3.0) / 2.0)
    assert (head + back) / (2.0 * flank) == pytest.approx(ratio)
    # The ignition is a focus: semi-axes and distance from the centre are pythagorean.
    assert ((head + back) / 2) ** 2 - flank**2 == pytest.approx(((head - back) / 2) ** 2)
    assert wind.backing_rate(head, 1.0) == head


def test_wind_and_slope_at_right_angles_add_as_vectors():
    factor, heading = combined_factor(np.array(3.0), np.array(180.0), np.array(4.0),
                                      np.array(270.0))
    assert factor == pytest.approx(5.0)
    assert heading == pytest.approx(np.degrees(np.arctan2(4.0, 3.0)))


def test_without_wind_and_slope_there_is_no_heading():
    factor, heading = combined_factor(np.array(0.0), np.array(0.0), np.array(0.0), np.array(0.0))
    assert (factor, heading) == (0.0, 0.0)


def test_heading_a_rounding_west_of_north_is_north():
    _, heading = combined_factor(np.array(1.0), np.array(180.0), np.array(1e-20), np.array(90.0))
    assert 0.0 <= heading < 360.0
