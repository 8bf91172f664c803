"""Series of fire weather codes against published days, hours and each other."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.weather import fwi
from firebreak.weather.fwi_series import daily_codes, hourly_codes

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
    month, start = np.full(12, 6.0), np.array([70.0, 80.0, 90.0])
    together = daily_codes(**weather, month=month, start_ffmc=start)
    hourly = hourly_codes(**weather, buildup_index=60.0, start_ffmc=start)
    for station in range(3):
        own = {name: values[:, station] for name, values in weather.items()}
        alone = daily_codes(**own, month=month, start_ffmc=start[station])
        for name, values in alone._asdict().items():
            np.testing.assert_allclose(getattr(together, name)[:, station], values, rtol=1e-12)
        hours = hourly_codes(**own, buildup_index=60.0, start_ffmc=start[station])
        np.testing.assert_allclose(hourly.ffmc[:, station], hours.ffmc, rtol=1e-12)


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


def test_hourly_indices_follow_from_code_wind_and_buildup():
    wind = np.array([5.0, 20.0, 35.0])
    found = hourly_codes(**WEATHER | {"wind_10m_km_h": wind}, buildup_index=90.0)
    isi = fwi.initial_spread_index(found.ffmc, wind)
    np.testing.assert_array_equal(found.isi, isi)
    np.testing.assert_array_equal(found.fwi, fwi.fire_weather_index(isi, 90.0))
    assert np.all(np.diff(found.ffmc) > 0.0)
    halves = hourly_codes(**WEATHER, buildup_index=90.0, hours=np.array([0.5, 0.5, 1.0]))
    whole = hourly_codes(**WEATHER, buildup_index=90.0, hours=np.array([1.0, 1.0]))
    np.testing.assert_allclose(halves.ffmc[1:], whole.ffmc, rtol=1e-9)


@pytest.mark.parametrize(("change", "word"), [
    ({"rain_mm": [0.0, np.nan]}, "rain_mm"), ({"humidity_pct": [40.0, 140.0]}, "140"),
    ({"temperature_c": [20.0, 20.0, 20.0]}, "one length"), ({"start_ffmc": 102.0}, "start_ffmc"),
    ({"month": 0.0}, "month"), ({"rain_mm": 0.0}, "at least one"),
])
def test_bad_series_are_refused(change, word):
    series = WEATHER | {"rain_mm": [0.0, 0.0], "month": 7.0}
    with pytest.raises(InputError, match=word):
        daily_codes(**series | change)
