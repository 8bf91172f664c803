"""Codes of the Canadian Fire Weather Index System against published days and each other."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.weather import fwi

NOON = {"temperature_c": 17.0, "humidity_pct": 42.0, "wind_10m_km_h": 25.0, "rain_mm": 0.0}
NAMES = ("FFMC", "DMC", "DC", "ISI", "BUI", "FWI", "DSR")

# The first days of the sample of Van Wagner & Pickett 1985, codes to four digits: month,
# temperature, humidity, wind, rain, then the codes in the order of NAMES.
SAMPLE = (
    (4, 17.0, 42.0, 25.0, 0.0, 87.65, 8.545, 19.01, 10.78, 8.49, 10.04, 1.612),
    (4, 20.0, 21.0, 25.0, 2.4, 86.20, 10.40, 23.57, 8.771, 10.36, 9.22, 1.387),
    (4, 8.5, 40.0, 17.0, 0.0, 86.91, 11.80, 26.05, 6.478, 11.74, 7.517, 0.9664),
    (4, 6.5, 25.0, 6.0, 0.0, 88.76, 13.18, 28.18, 4.851, 13.11, 6.095, 0.6668),
)


def codes_of(days):
    """Codes [N, 7] of successive days (month, temperature, humidity, wind, rain, latitude)."""
    ffmc, dmc, dc = fwi.START_FFMC, fwi.START_DMC, fwi.START_DC
    rows = []
    for month, heat, humidity, wind, rain, latitude in days:
        ffmc = fwi.fine_fuel_moisture_code(ffmc, temperature_c=heat, humidity_pct=humidity,
                                           wind_10m_km_h=wind, rain_mm=rain)
        dmc = fwi.duff_moisture_code(dmc, temperature_c=heat, humidity_pct=humidity, rain_mm=rain,
                                     month=month, latitude_deg=latitude)
        dc = fwi.drought_code(dc, temperature_c=heat, rain_mm=rain, month=month,
                              latitude_deg=latitude)
        isi, bui = fwi.initial_spread_index(ffmc, wind), fwi.buildup_index(dmc, dc)
        index = fwi.fire_weather_index(isi, bui)
        rows.append([ffmc, dmc, dc, isi, bui, index, fwi.daily_severity_rating(index)])
    return np.array(rows)


def test_first_days_of_the_published_sample():
    computed = codes_of([(*day[:5], 46.0) for day in SAMPLE])
    np.testing.assert_allclose(computed, [day[5:] for day in SAMPLE], rtol=1e-3)


def test_every_day_agrees_with_cffdrs(reference_dir):
    folder = reference_dir / "reference-cffdrs"
    with (folder / "fwi_inputs.csv").open(newline="") as file:
        days = [[float(row[name]) for name in ("mon", "temp", "rh", "ws", "prec", "lat")]
                for row in csv.DictReader(file, delimiter=";")]
    with (folder / "fwi_expected.csv").open(newline="") as file:
        expected = np.array([[float(row[name]) for name in NAMES] for row in csv.DictReader(file)])
    computed = codes_of([(int(month), *rest) for month, *rest in days])
    assert len(days) == 48
    # The expected numbers have four digits.
    np.testing.assert_allclose(computed, expected, rtol=5e-4)


@given(st.floats(0.0, 101.0))
def test_code_and_moisture_are_inverse(ffmc):
    assert fwi.ffmc_of_moisture(fwi.fine_fuel_moisture(ffmc)) == pytest.approx(ffmc, abs=1e-9)


@given(st.floats(0.0, 101.0), st.floats(0.5, 100.0))
def test_rain_wets_fine_fuel(ffmc, rain):
    dry = fwi.fine_fuel_moisture_code(ffmc, **NOON)
    assert fwi.fine_fuel_moisture_code(ffmc, **NOON | {"rain_mm": rain}) <= dry + 1e-9


@given(st.floats(0.0, 250.0), st.floats(0.0, 800.0))
def test_light_rain_never_reaches_duff(dmc, dc):
    dry = {"temperature_c": -5.0, "month": 1}
    assert fwi.duff_moisture_code(dmc, humidity_pct=50.0, rain_mm=1.5, **dry) == dmc
    assert fwi.drought_code(dc, rain_mm=2.8, **dry) == dc
    assert fwi.duff_code_after_rain(dmc, 10.0) <= dmc + 0.6  # the rounding of eq. 12
    assert fwi.drought_code_after_rain(dc, 10.0) <= dc + 1e-9


def test_warm_days_dry_duff_by_the_length_of_the_day():
    def gain(month, latitude):
        day = {"temperature_c": 20.0, "rain_mm": 0.0, "month": month, "latitude_deg": latitude}
        return (fwi.duff_moisture_code(10.0, humidity_pct=40.0, **day) - 10.0,
                fwi.drought_code(100.0, **day) - 100.0)

    # Effective day lengths at 46 N: 12.4 h in July, 6 h in December; the south has it reversed.
    assert gain(7, 55.0)[0] / gain(12, 55.0)[0] == pytest.approx(12.4 / 6.0)
    assert gain(7, 55.0)[1] - gain(12, 55.0)[1] == pytest.approx(0.5 * (6.4 + 1.6))
    assert gain(7, -40.0)[0] / gain(12, -40.0)[0] == pytest.approx(6.5 / 11.8)
    assert gain(7, -40.0)[1] - gain(12, -40.0)[1] == pytest.approx(-0.5 * (1.6 + 5.8))
    assert gain(7, 0.0) == gain(12, 0.0)


@given(st.floats(0.0, 101.0), st.floats(0.0, 100.0), st.floats(0.0, 20.0), st.floats(0.0, 300.0))
def test_wind_and_buildup_never_lower_the_fire_weather_index(ffmc, wind, more, bui):
    isi, windier = fwi.initial_spread_index(ffmc, np.array([wind, wind + more]))
    assert windier >= isi
    assert fwi.fire_weather_index(windier, bui) >= fwi.fire_weather_index(isi, bui)
    # The two branches of the duff function meet at 80, to 0.1 %.
    below, above = fwi.fire_weather_index(isi, np.array([bui, bui + more]))
    assert above >= below * (1.0 - 1.5e-3)


def test_buildup_index_lies_between_nothing_and_its_codes():
    dmc, dc = np.meshgrid(np.linspace(0.0, 200.0, 41), np.linspace(0.0, 800.0, 41))
    bui = fwi.buildup_index(dmc, dc)
    assert bui.min() == 0.0
    assert (bui <= np.maximum(dmc, 0.4 * dc) * 2.0).all()
    assert fwi.buildup_index(0.0, 0.0) == 0.0
    assert fwi.buildup_index(20.0, 50.0) == pytest.approx(20.0)  # where the branches meet
