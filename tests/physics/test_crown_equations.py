"""Equations of crown fire at points where their value is known, and against other programs."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.fire.behavior import crown
from firebreak.fire.behavior.crown_fire import Site, crowning_wind, cruz_run, rothermel_run
from firebreak.fire.behavior.rothermel import fuel_bed, fuel_particles
from firebreak.fire.behavior.surface import point_behavior, spread_of_beds
from firebreak.fire.behavior.types import ACTIVE_CROWN_FIRE, PASSIVE_CROWN_FIRE
from firebreak.fire.behavior.wind import crown_length_to_width, wind_adjustment_factor
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.units import (
    KG_M3_PER_LB_FT3,
    KJ_M2_PER_BTU_FT2,
    KW_M_PER_BTU_FT_S,
    M_MIN_PER_CHAIN_HOUR,
    M_MIN_PER_FT_MIN,
    M_MIN_PER_KM_H,
    M_MIN_PER_MPH,
    METRES_PER_FOOT,
    WIND_10M_PER_20FT,
)
from tables import read_columns

DATA = Path(__file__).parent / "data"
BEHAVE_HEAT_KJ_KG = 8000.0 * KJ_M2_PER_BTU_FT2 / (KG_M3_PER_LB_FT3 * METRES_PER_FOOT)


def test_crowns_a_metre_up_with_100_percent_moisture_need_168_kilowatts():
    assert crown.critical_intensity(1.0, 1.0) == pytest.approx(30.5**1.5)
    assert crown.critical_intensity(4.0, 1.0) == pytest.approx(8.0 * 30.5**1.5)
    assert crown.critical_intensity(1.0, 1.2) > crown.critical_intensity(1.0, 0.8)


def test_active_fire_needs_three_kilograms_a_square_metre_and_minute():
    np.testing.assert_allclose(crown.critical_rate([0.05, 0.3]), [60.0, 10.0])


def test_thomas_flame_length_in_metric_units():
    intensity = np.array([1000.0, 20_000.0])
    expected = 0.0266 * intensity ** (2.0 / 3.0)
    np.testing.assert_allclose(crown.crown_flame_length(intensity), expected, rtol=2e-3)


def test_exponential_fraction_is_nine_tenths_nine_tenths_of_the_way():
    rates = np.array([2.0, 2.0 + 0.9 * 8.0, 40.0])
    fraction = crown.exponential_fraction(rates, np.full(3, 2.0), np.full(3, 10.0))
    np.testing.assert_allclose(fraction[:2], [0.0, 0.9])
    assert 0.9 < fraction[2] <= 1.0
    # Crowns that light only above the active rate burn whole.
    assert crown.exponential_fraction(np.array(9.0), np.array(8.0), np.array(6.0)) == 1.0


def test_finney_keeps_the_surface_rate_until_crowns_carry_the_fire():
    surface, start, critical = np.array([3.0, 3.0, 9.0]), np.full(3, 2.0), np.full(3, 10.0)
    linked = crown.finney(surface, start, np.array([12.0, 60.0, 60.0]), critical)
    fraction = crown.exponential_fraction(surface, start, critical)
    raised = surface + fraction * (np.array([12.0, 60.0, 60.0]) - surface)
    np.testing.assert_array_equal(linked.fire_type, [2, 3, 3])
    np.testing.assert_allclose(linked.rate_m_min, [3.0, raised[1], raised[2]])
    assert raised[0] < 2.0 + 0.9 * 8.0 < 10.0 < raised[1]


def test_finney_between_nine_tenths_and_all_of_the_way_runs_but_is_called_passive():
    surface, start, critical = np.array([8.0]), np.array([2.0]), np.array([10.0])
    fraction = crown.exponential_fraction(surface, start, critical)
    run = surface + (9.5 - surface) / fraction
    linked = crown.finney(surface, start, run, critical)
    assert linked.fire_type[0] == PASSIVE_CROWN_FIRE
    assert linked.rate_m_min[0] == pytest.approx(9.5)


def test_scott_reinhardt_shares_grow_in_proportion_and_are_whole_when_active():
    linked = crown.scott_reinhardt(
        np.array([2.0, 4.0, 5.0]), np.full(3, 2.0), np.array([8.0, 8.0, 12.0]), np.full(3, 10.0),
        np.full(3, 6.0))
    np.testing.assert_allclose(linked.crown_fraction_burned, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(linked.rate_m_min, [2.0, 6.0, 12.0])
    np.testing.assert_array_equal(linked.fire_type, [2, 2, 3])


@pytest.mark.parametrize("link", [crown.finney, crown.cruz])
def test_crowns_never_slow_the_fire_below_them(link):
    linked = link(np.array([30.0]), np.array([1.0]), np.array([5.0]), np.array([10.0]))
    assert linked.rate_m_min[0] == 30.0


@pytest.fixture(scope="module")
def cruz_cases():
    return read_columns(DATA / "crown_cases_cruz.csv")


def test_cruz_rates_types_intensities_and_ellipses_agree_with_pyretechnics(cruz_cases):
    wind = cruz_cases["wind_10m_km_h"] * M_MIN_PER_KM_H / WIND_10M_PER_20FT
    density, still = cruz_cases["canopy_bulk_density_kg_m3"], np.zeros(len(wind))
    run = cruz_run(Site(wind, np.full(len(wind), 250.0), still, still), density,
                   cruz_cases["dead_moisture_1h"])
    critical = crown.critical_rate(density)
    linked = crown.cruz(still + 1e-9, still, run.rate_m_min, critical)
    np.testing.assert_allclose(critical, cruz_cases["critical_rate_m_min"], rtol=1e-6)
    np.testing.assert_array_equal(linked.fire_type, cruz_cases["fire_type"])
    assert set(linked.fire_type) == {PASSIVE_CROWN_FIRE, ACTIVE_CROWN_FIRE}
    np.testing.assert_allclose(linked.rate_m_min, cruz_cases["crown_rate_m_min"], rtol=0.005)
    np.testing.assert_allclose(run.length_to_width, cruz_cases["length_to_width"], rtol=0.01)
    np.testing.assert_array_equal(run.heading_deg, 70.0)
    load = density * (cruz_cases["canopy_height_m"] - cruz_cases["canopy_base_height_m"])
    intensity = crown.crown_fire_intensity(linked.rate_m_min, still, load, still + 1.0)
    np.testing.assert_allclose(intensity, cruz_cases["crown_intensity_kw_m"], rtol=0.01)


class BehaveStand:
    """One case of BEHAVE's own suite: surface fire on the slope, crown fire run without slope."""

    def __init__(self, fuel, moistures, wind_20ft_m_min, adjustment, slope_tan, foliar, height_ft,
                 base_ft, density_lb_ft3):
        names = ("dead_moisture_1h", "dead_moisture_10h", "dead_moisture_100h",
                 "live_moisture_herb", "live_moisture_woody")
        moisture = dict(zip(names, moistures, strict=True))
        self.moisture, self.fuel = moisture, fuel
        self.adjustment, self.slope_tan = adjustment, slope_tan
        self.surface = self.surface_in(wind_20ft_m_min)
        bed = fuel_bed(fuel_particles([FUEL_MODELS[10]]), **moisture)
        wind, nil = np.array([wind_20ft_m_min]), np.zeros(1)
        site = Site(wind, nil, nil, nil)
        self.run = rothermel_run(bed, site)
        base = base_ft * METRES_PER_FOOT
        density = density_lb_ft3 * KG_M3_PER_LB_FT3
        self.load = density * (height_ft - base_ft) * METRES_PER_FOOT
        self.critical = crown.critical_rate(np.array([density]))
        self.heat = 60.0 * self.surface.fireline_intensity_kw_m / self.surface.rate_of_spread_m_min
        self.ignition = crown.critical_intensity(base, foliar)
        self.initiation = 60.0 * self.ignition / self.heat
        self.crowning_wind = crowning_wind(bed, site, self.critical)

    def surface_in(self, wind_20ft_m_min):
        return point_behavior(
            self.fuel, **self.moisture, midflame_wind_m_min=wind_20ft_m_min * self.adjustment,
            wind_from_deg=0.0, slope_tan=self.slope_tan, aspect_deg=0.0)

    def scott_reinhardt(self):
        full = self.surface_in(self.crowning_wind).rate_of_spread_m_min
        return crown.scott_reinhardt(self.surface.rate_of_spread_m_min, self.initiation,
                                     self.run.rate_m_min, self.critical, full)

    def intensity(self, linked_rate, fraction):
        return crown.crown_fire_intensity(linked_rate, self.heat, self.load, fraction,
                                          BEHAVE_HEAT_KJ_KG)


CROWNING_STAND = BehaveStand(10, (0.08, 0.09, 0.10, 0.3, 1.17), 2187.226624 * M_MIN_PER_FT_MIN,
                             0.12, 0.2, 1.0, 38.104626, 2.952756, 0.01311)
TORCHING_STAND = BehaveStand(5, (0.05, 0.06, 0.08, 0.3, 1.17), 24.854848 * M_MIN_PER_MPH, 0.15,
                             0.2, 1.0, 71.631562, 4.92126, 0.003746)


# Expected: feet a minute, feet, BTU/ft/s and feet a minute, from testBehave.cpp of firelab/behave.
@pytest.mark.parametrize(("stand", "kind", "rate", "flame", "intensity", "wind"), [
    (CROWNING_STAND, ACTIVE_CROWN_FIRE, 65.221842, 60.744542, 5293.170672, 1717.916785),
    (TORCHING_STAND, PASSIVE_CROWN_FIRE, 29.475388, 12.759447, 509.568753, 3874.421988),
])
def test_scott_reinhardt_cases_of_behaves_own_suite(stand, kind, rate, flame, intensity, wind):
    linked = stand.scott_reinhardt()
    assert linked.fire_type[0] == kind
    # BEHAVE's kW per BTU/s differs from the International Table BTU by 0.06 %.
    assert linked.rate_m_min[0] / M_MIN_PER_FT_MIN == pytest.approx(rate, rel=1e-3)
    found = stand.intensity(linked.rate_m_min, linked.crown_fraction_burned)[0]
    assert found / KW_M_PER_BTU_FT_S == pytest.approx(intensity, rel=2e-3)
    assert crown.crown_flame_length(found) / METRES_PER_FOOT == pytest.approx(flame, rel=1e-3)
    assert stand.crowning_wind[0] / M_MIN_PER_FT_MIN == pytest.approx(wind, rel=1e-4)


def gs4_stand(mph=5.0, dead_moisture_1h=0.06, height_ft=30.0, base_ft=6.0, density_lb_ft3=0.03):
    """BEHAVE's stand above GS4: the crown ratio that shelters the wind follows from the heights."""
    factor = float(wind_adjustment_factor(2.1 * METRES_PER_FOOT, 0.5, height_ft * METRES_PER_FOOT,
                                          1.0 - base_ft / height_ft))
    return BehaveStand(124, (dead_moisture_1h, 0.07, 0.08, 0.6, 0.9), mph * M_MIN_PER_MPH, factor,
                       0.3, 1.2, height_ft, base_ft, density_lb_ft3)


def test_rothermel_crown_run_of_behaves_own_suite():
    stand = gs4_stand()
    assert stand.run.rate_m_min[0] / M_MIN_PER_CHAIN_HOUR == pytest.approx(10.259921, rel=1e-5)
    intensity = stand.intensity(stand.run.rate_m_min, 1.0)[0]
    assert intensity / KW_M_PER_BTU_FT_S == pytest.approx(1775.061222, rel=1e-3)
    assert crown.crown_flame_length(intensity) / METRES_PER_FOOT == pytest.approx(29.320557,
                                                                                  rel=1e-3)


@pytest.mark.parametrize(("change", "lit", "active"), [
    ({"dead_moisture_1h": 0.20}, False, False),
    ({}, True, False),
    ({"mph": 10.0}, True, True),
    ({"height_ft": 60.0, "base_ft": 30.0, "density_lb_ft3": 0.06}, False, True),
])
def test_fire_types_of_behaves_own_suite(change, lit, active):
    stand = gs4_stand(**change)
    assert (stand.surface.fireline_intensity_kw_m[0] >= stand.ignition) == lit
    assert (stand.run.rate_m_min[0] >= stand.critical[0]) == active


@pytest.mark.parametrize(("mph", "ratio"), [(0.0, 1.0), (5.0, 1.625), (10.0, 2.25), (15.0, 2.875)])
def test_crown_ellipses_of_behaves_own_suite(mph, ratio):
    assert crown_length_to_width(mph * M_MIN_PER_MPH) == pytest.approx(ratio)
    if mph:
        assert gs4_stand(mph=mph).run.length_to_width[0] == pytest.approx(ratio)
    assert crown_length_to_width(200.0 * M_MIN_PER_MPH) == 8.0


@pytest.mark.parametrize("wind_from", [0.0, 60.0, 135.0, 180.0])
@pytest.mark.parametrize("slope_tan", [0.0, 0.3, 0.8])
def test_crowning_wind_is_the_wind_at_which_the_crown_run_is_just_active(wind_from, slope_tan):
    bed = fuel_bed(fuel_particles([FUEL_MODELS[10]]), **CROWNING_STAND.moisture)
    site = Site(np.zeros(1), np.array([wind_from]), np.array([slope_tan]), np.zeros(1))
    critical = np.array([25.0])
    wind = crowning_wind(bed, site, critical)
    run = rothermel_run(bed, site._replace(wind_20ft_m_min=wind))
    assert run.rate_m_min == pytest.approx(critical)


def test_fuel_too_wet_for_a_crown_run_needs_a_wind_that_never_blows():
    wet = CROWNING_STAND.moisture | {"dead_moisture_1h": 0.9, "dead_moisture_10h": 0.9,
                                     "live_moisture_woody": 3.0}
    bed = fuel_bed(fuel_particles([FUEL_MODELS[10]]), **wet)
    nil = np.zeros(1)
    wind = crowning_wind(bed, Site(nil, nil, nil, nil), np.array([10.0]))
    assert np.isfinite(wind).all()
    assert wind[0] > 1e6
    again = spread_of_beds(bed, midflame_wind_m_min=wind, wind_from_deg=nil, slope_tan=nil,
                           aspect_deg=nil)
    assert again.rate_of_spread_m_min[0] == 0.0
