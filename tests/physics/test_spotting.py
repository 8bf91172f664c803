"""Embers: published numbers, hand-worked landings, statistics of many throws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.effects.keyed_random import fire_keys
from firebreak.fire.effects.spotting import (
    ON_MAPS,
    SpottingModel,
    ignition_probability,
    log_distance,
    longest_flight_m,
    plume_length_m,
    spot_parameters,
    surface_flight_mi,
    throw_probability,
    torching_flight_mi,
)
from firebreak.landscape.synthetic.generate import generate
from firebreak.weather.scenarios import make_scenarios
from native_probes import probe_ignitions, probe_landings

MOIST = {"dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08, "live_moisture_herb": 0.6,
         "live_moisture_woody": 0.9}
EAST = (1.0, 0.0)
LOG_100 = np.log(100.0)
KEYS = fire_keys(1, "test", "spotting", 4000)


# BEHAVE's own test suite: 6 %, 80 F, half shade; 7 %, 90 F, a quarter. Its fuel is warmer than the
# air by 25 F less 20 F times the shade.
@pytest.mark.parametrize(("moisture", "fuel_f", "expected"), [
    (0.06, 95.0, 0.54831705), (0.07, 110.0, 0.50717573)])
def test_ignition_probabilities_are_those_of_behave(moisture, fuel_f, expected):
    celsius = (fuel_f - 32.0) * 5.0 / 9.0
    assert ignition_probability(moisture, celsius) == pytest.approx(expected, abs=1e-8)


@given(st.floats(0.001, 1.0), st.floats(0.0, 0.3), st.floats(-20.0, 80.0))
def test_wetter_fuel_never_ignites_more_easily(moisture, wetter, celsius):
    dry, wet = ignition_probability([moisture, moisture + wetter], celsius)
    assert 0.0 <= wet <= dry <= 1.0


def test_fuel_wetter_than_about_half_does_not_ignite():
    assert ignition_probability(0.5, 36.0) == 0.0
    assert ignition_probability(0.02, 36.0) > 0.9


# By hand: Lc = (I / (1.1 x 1.0 x 300 x 9.81^0.5))^(2/3), I in kW/m, Fr = U / (9.81 Lc)^0.5.
@pytest.mark.parametrize(("intensity", "wind", "mean", "sd"), [
    # Lc 4.54 m, Fr 1.50, wind-driven: 1.32 x 10^0.37 - 0.02 and 4.95 x 10^-0.03 - 3.48.
    (10_000.0, 10.0, 3.0744, 1.1396),
    # Lc 7.21 m, Fr 0.59, buoyant: 1.47 x 5.0416 x 0.41260 + 1.14, 0.86 x 0.53305 x 2.0302 + 0.19.
    (20_000.0, 5.0, 4.1980, 1.1207),
    # Lc 11.4 m, Fr 0.28, buoyant: a mean of 7.03 is cut to 5.
    (40_000.0, 3.0, 5.0, 0.8327),
])
def test_log_distances_by_hand(intensity, wind, mean, sd):
    made = log_distance(intensity, wind)
    assert made[0] == pytest.approx(mean, abs=2e-4)
    assert made[1] == pytest.approx(sd, abs=2e-4)


def test_plume_length_by_hand():
    assert plume_length_m(10_000.0) == pytest.approx(4.540, abs=1e-3)


def test_the_two_regimes_nearly_meet():
    """At Fr = 1, within the intensities of crown fires."""
    for intensity in (10_000.0, 20_000.0, 40_000.0):
        wind = np.sqrt(9.81 * plume_length_m(intensity))
        buoyant, driven = (log_distance(intensity, wind * f) for f in (0.999, 1.001))
        assert abs(buoyant[0] - driven[0]) < 0.4
        assert abs(buoyant[1] - driven[1]) < 0.4


@given(st.floats(0.0, 2e5), st.floats(0.0, 60.0))
def test_distances_are_finite_and_bounded(intensity, wind):
    mean, sd = log_distance(intensity, wind)
    assert mean <= 5.0
    assert np.isfinite(mean)
    assert sd >= 0.0
    assert np.isfinite(sd)


def behavior(intensity, crown_fraction, shape=(1, 12, 12)):
    grid = np.full(shape, 10.0)
    return FireBehavior(
        rate_of_spread_m_min=grid, backing_rate_m_min=grid, flanking_rate_m_min=grid,
        heading_deg=grid, fireline_intensity_kw_m=np.broadcast_to(intensity, shape),
        flame_length_m=grid, crown_fraction_burned=np.broadcast_to(crown_fraction, shape),
        fire_type=np.full(shape, 3, np.uint8))


def test_a_crowning_cell_of_90_m_throws_with_a_fifth_and_smaller_cells_add_up_to_it():
    crowns = behavior(20_000.0, 1.0, (1, 1, 1))
    large, small = (throw_probability(SpottingModel(), crowns, size).item()
                    for size in (90.0, 30.0))
    assert large == pytest.approx(0.20, abs=0.002)
    assert 1 - (1 - small) ** 9 == pytest.approx(large)


def test_throwing_rises_with_the_crowns_that_burn_and_a_surface_fire_throws_only_if_told():
    model = SpottingModel()
    half, none = (throw_probability(model, behavior(9000.0, f), 30.0).max() for f in (0.5, 0.0))
    assert 0.0 == none < half < throw_probability(model, behavior(9000.0, 1.0), 30.0).max()
    told = SpottingModel(surface_brands_per_ha=1.0)
    assert throw_probability(told, behavior(500.0, 0.0), 30.0).min() > 0.08
    assert throw_probability(told, behavior(0.0, 0.0), 30.0).max() == 0.0


def scenarios(wind=600.0, wind_from=270.0, moisture=0.05):
    return make_scenarios(wind_20ft_m_min=wind, wind_from_deg=wind_from, dead_moisture_1h=moisture,
                          **MOIST)


def test_the_field_of_a_landscape():
    land = generate(3, 12)
    field = spot_parameters(SpottingModel(), behavior(20_000.0, 1.0, (3, 12, 12)),
                            scenarios([600.0, 600.0, 0.0], [270.0, 0.0, 0.0]), land)
    assert all(part.dtype == np.float32 for part in field[:-1])
    assert field.throw_probability.shape == field.log_distance_sd.shape == (3, 12, 12)
    np.testing.assert_allclose(field.downwind_east, [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(field.downwind_north, [0.0, -1.0, -1.0], atol=1e-6)
    # 600 m/min at 20 ft are 11.5 m/s at 10 m, a minute for 690 m.
    np.testing.assert_allclose(field.flight_min_per_m, [1 / 690.0, 1 / 690.0, 0.0], rtol=1e-6)
    mean, sd = log_distance(20_000.0, 11.5)
    np.testing.assert_allclose(field.log_distance_mean[0], mean, rtol=1e-6)
    np.testing.assert_allclose(field.log_distance_sd[1], sd, rtol=1e-6)
    np.testing.assert_allclose(field.side_sd_m, 0.92 * plume_length_m(20_000.0), rtol=1e-6)
    np.testing.assert_allclose(field.ignition_probability, ignition_probability(0.05, 36.0))
    assert (field.throw_probability[:2] > 0.0).all()
    assert (field.throw_probability[2] == 0.0).all()
    assert field.ignition_delay_min == 8.7


# By hand, Albini 1983 in the form of BEHAVE: 5 mi/h, a flame of 5 ft (187.6 Btu/ft/s), 30 ft of
# cover. f = 322 x 2.37^-1.01 = 134.7, lifted 1.055 x (134.7 x 187.6)^0.5 = 167.7 ft, ratio 5.590:
# 0.000718 x 5 x 5.477 x (0.362 + 1.1822 x 1.7210) = 0.04712, and a drift of 0.00139 x 26.93.
def test_a_surface_fire_throws_as_far_as_by_hand():
    assert surface_flight_mi(187.6, 5.0, 30.0) == pytest.approx(0.0846, rel=0.005)
    assert surface_flight_mi(0.0, 5.0, 30.0) == 0.0


# Albini 1979: ten Douglas firs of 10 in: flames of 15.7 x 2.825 x 2.512 = 111.4 ft for 10.7 x
# 0.5272 x 0.6310 = 3.560; trees of 60 ft: 3.64 x 3.560^0.391 x 111.4 + 30 = 696 ft, at 50 mi/h
# 0.0359 x 7.746 x (0.362 + 1.703 x 2.451) = 1.262 mi.
def test_torching_trees_throw_as_far_as_by_hand():
    assert torching_flight_mi(50.0, 60.0) == pytest.approx(1.262, rel=0.005)


@given(st.floats(1.0, 100_000.0), st.floats(20.0, 2000.0), st.floats(0.0, 40.0))
def test_brands_fly_further_in_more_wind_and_from_hotter_fires(intensity, wind, canopy):
    calm, windy, hot = (longest_flight_m(behavior(heat, 0.0, (1, 1, 1)), np.array(speed), canopy)
                        .item() for heat, speed in ((intensity, wind), (intensity, 1.2 * wind),
                                                    (2.0 * intensity, wind)))
    assert 0.0 <= calm <= hot
    assert calm <= windy * 1.01  # wind bends the plume: it lifts less
    assert calm < 20_000.0


def test_on_maps_shrub_and_timber_throw_and_no_brand_passes_the_longest_flight():
    land = generate(3, 40)
    fires = behavior(20_000.0, 0.0, (1, 40, 40))
    field = spot_parameters(ON_MAPS, fires, scenarios([900.0], [270.0]), land)
    kinds = np.vectorize(lambda code: land.fuels.kinds.get(code, ""))(land.fuel_model)
    throws = field.throw_probability[0] > 0.0
    assert throws[np.isin(kinds, ["shrub", "timber litter", "timber-understory"])].all()
    assert not throws[kinds == "grass"].any()
    assert throws.any()
    assert np.isfinite(field.longest_m).all()
    crowns = spot_parameters(ON_MAPS, behavior(20_000.0, 1.0, (1, 40, 40)),
                             scenarios([900.0], [270.0]), land)
    assert (crowns.longest_m >= field.longest_m).all()
    assert np.isinf(spot_parameters(SpottingModel(), fires, scenarios([900.0], [270.0]),
                                    land).longest_m).all()


def throw(key, *, probability=1.0, mean=LOG_100, sd=0.0, side=0.0, longest=np.inf, to=EAST,
          size=201, row=100, col=20, cell_size=10.0):
    out = np.empty((1, 3))
    probe_landings(np.array([key]), np.array([[row * size + col, row, col]]), size, size, cell_size,
                   np.array([probability, mean, sd, side, longest, *to]), out)
    landed, across, metres = out[0].tolist()
    return int(landed), int(across), metres


@pytest.mark.parametrize(("to", "row", "col"), [
    ((1.0, 0.0), 100, 30), ((-1.0, 0.0), 100, 10), ((0.0, 1.0), 90, 20), ((0.0, -1.0), 110, 20),
    ((0.6, 0.8), 92, 26)])
def test_a_brand_of_100_m_lands_ten_cells_downwind(to, row, col):
    assert throw(KEYS[0], to=to) == (row, col, pytest.approx(100.0))


def test_what_leaves_the_map_or_stays_in_the_cell_counts_as_nothing():
    for lost in ({"probability": 0.0}, {"col": 195}, {"mean": np.log(4.9)}, {"mean": 500.0},
                 {"longest": 99.0}):
        assert throw(KEYS[0], **lost) == (-1, -1, 0.0)
    assert throw(KEYS[0], mean=np.log(5.1))[:2] == (100, 21)


def test_many_brands_have_the_distribution_that_was_asked_for():
    thrown = [throw(key, mean=4.0, sd=0.5, side=20.0, probability=0.8, size=4001, row=2000,
                    col=2000, cell_size=1.0) for key in KEYS]
    rows, cols, metres = (np.array(part) for part in zip(*thrown, strict=True))
    flew = rows >= 0
    assert flew.mean() == pytest.approx(0.8, abs=0.03)
    along, side = np.log(cols[flew] - 2000.0), rows[flew] - 2000.0
    assert along.mean() == pytest.approx(4.0, abs=0.04)
    assert along.std() == pytest.approx(0.5, abs=0.03)
    assert side.mean() == pytest.approx(0.0, abs=1.5)
    assert side.std() == pytest.approx(20.0, abs=1.0)
    assert abs(np.corrcoef(along, side)[0, 1]) < 0.07
    np.testing.assert_allclose(metres[flew], np.hypot(cols[flew] - 2000.0, side), atol=0.8)


def test_turning_the_wind_turns_the_landing():
    for key in KEYS[:200]:
        made = throw(key, sd=0.3, side=15.0, col=100)
        turned = throw(key, sd=0.3, side=15.0, col=100, to=(0.0, 1.0))
        assert (made[0] < 0) == (turned[0] < 0)
        if made[0] >= 0:  # a landing on the line between two cells may go either way
            assert abs((turned[0] - 100) + (made[1] - 100)) <= 1
            assert abs((turned[1] - 100) - (made[0] - 100)) <= 1


def test_throwing_less_often_moves_no_landing():
    often, seldom = ([throw(key, sd=0.5, probability=p) for key in KEYS[:500]] for p in (0.9, 0.3))
    kept = [(a, b) for a, b in zip(often, seldom, strict=True) if b[0] >= 0]
    assert 80 < len(kept) < 220
    assert all(a == b for a, b in kept)


def test_brands_ignite_as_often_as_told():
    ignited = np.empty(len(KEYS), np.uint8)
    probe_ignitions(KEYS, np.arange(len(KEYS)), 0.3, ignited)
    assert ignited.mean() == pytest.approx(0.3, abs=0.03)
