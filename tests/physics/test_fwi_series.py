"""Series of fire weather codes against published days, hours and each other."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.weather import fwi
from firebreak.weather.fwi import daily_codes, hourly_codes

# Hourly codes of cffdrs: code before, temperature, humidity, wind, rain, hours, code after.
HOURLY = np.array([
    (0.0, -16.7, 4.58, 291.6, 252.44, 9.0, 39.6278377),
    (0.0, 25.9, 48.32, 291.6, 252.44, 9.0, 86.3858710),
    (0.0, 4.6, 26.45, 291.6, 252.44, 9.0, 68.4840648),
    (72.9, 31.8, 11.87, 0.0, 0.0, 9.0, 91.4575033),
    (72.9, 18.7, 48.32, 0.0, 0.0, 9.0, 79.9395457),
    (72.9, 43.2, 99.35, 72.9, 0.0, 9.0, 73.3822574),
    (72.9, -12.5, 92.06, 72.9, 0.0, 9.0, 72.8999987),
    (72.9, 26.4, 11.87, 0.0, 55.61, 9.0, 54.7205998),
    (72.9, 11.5, 48.32, 145.8, 55.61, 9.0, 67.3883068),
    (72.9, -22.4, 92.06, 0.0, 121.22, 9.0, 7.1007868),
])
WEATHER = {"temperature_c": 24.0, "humidity_pct": 35.0, "wind_10m_km_h": 15.0, "rain_mm": 0.0}


def test_hourly_codes_agree_with_cffdrs():
    before, heat, humidity, wind, rain, hours, after = HOURLY.T
    found = fwi.hourly_fine_fuel_moisture_code(
        before, temperature_c=heat, humidity_pct=humidity, wind_10m_km_h=wind, rain_mm=rain,
        hours=hours)
    np.testing.assert_allclose(found, after, rtol=1e-7)


def test_daily_series_agree_with_cffdrs(reference_dir):
    folder = reference_dir / "reference-cffdrs"
    with (folder / "fwi_inputs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    heat, humidity, wind, rain, month, latitude = (
        np.array([float(row[name]) for row in rows])
        for name in ("temp", "rh", "ws", "prec", "mon", "lat"))
    found = daily_codes(temperature_c=heat, humidity_pct=humidity, wind_10m_km_h=wind,
                        rain_mm=rain, month=month, latitude_deg=latitude)
    with (folder / "fwi_expected.csv").open(newline="") as file:
        expected = list(csv.DictReader(file))
    for name, values in found._asdict().items():
        np.testing.assert_allclose(values, [float(row[name.upper()]) for row in expected],
                                   rtol=5e-4, err_msg=name)


def test_stations_side_by_side_are_stations_one_by_one():
    rng = np.random.default_rng(4)
    weather = {"temperature_c": rng.uniform(5, 30, (12, 3)), "rain_mm": rng.exponential(1, (12, 3)),
               "humidity_pct": rng.uniform(20, 90, (12, 3)),
               "wind_10m_km_h": rng.uniform(0, 40, (12, 3))}
    together = daily_codes(**weather, month=6)
    hourly = hourly_codes(**weather, hours=np.ones(12))
    for station in range(3):
        own = {name: values[:, station] for name, values in weather.items()}
        alone = daily_codes(**own, month=6)
        for name, values in alone._asdict().items():
            np.testing.assert_allclose(getattr(together, name)[:, station], values, rtol=1e-12)
        np.testing.assert_allclose(hourly[:, station], hourly_codes(**own, hours=np.ones(12)),
                                   rtol=1e-12)


@given(st.floats(0.0, 101.0), st.floats(-10.0, 40.0), st.floats(5.0, 95.0), st.floats(0.0, 60.0))
def test_two_half_hours_without_rain_are_one_hour(ffmc, heat, humidity, wind):
    air = {"temperature_c": heat, "humidity_pct": humidity, "wind_10m_km_h": wind, "rain_mm": 0.0}
    half = fwi.hourly_fine_fuel_moisture_code(ffmc, **air, hours=0.5)
    twice = fwi.hourly_fine_fuel_moisture_code(half, **air, hours=0.5)
    once = fwi.hourly_fine_fuel_moisture_code(ffmc, **air)
    assert twice == pytest.approx(once, abs=1e-6)


@given(st.floats(0.0, 101.0), st.floats(0.01, 30.0))
def test_every_drop_of_an_hour_wets_fine_fuel(ffmc, rain):
    air = WEATHER | {"rain_mm": [0.0, rain]}
    dry, wet = fwi.hourly_fine_fuel_moisture_code(ffmc, **air)
    assert wet <= dry


def test_hourly_codes_dry_fuel_at_the_same_rate_in_steps_of_any_length():
    def codes(*hours):
        weather = {name: np.full(len(hours), value) for name, value in WEATHER.items()}
        return hourly_codes(**weather, hours=np.array(hours))

    assert np.all(np.diff(codes(1.0, 1.0, 1.0)) > 0.0)
    np.testing.assert_allclose(codes(0.5, 0.5, 1.0)[1:], codes(1.0, 1.0), rtol=1e-9)
