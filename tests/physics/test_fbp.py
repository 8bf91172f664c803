"""The Canadian FBP System against published cases, and what must hold of it everywhere."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire.fbp.crown import critical_rate
from firebreak.fire.fbp.fuels import FUEL_NAMES, FUEL_TYPES, NON_FUELS
from firebreak.fire.fbp.spread import (
    buildup_effect,
    curing_factor,
    slope_factor,
    spread_index,
    wind_function,
)
from firebreak.fire.fbp.system import FbpBehavior, fbp_behavior

FUELS = st.sampled_from(sorted(FUEL_TYPES))
CODES = st.floats(70.0, 99.0)
BUILDUPS = st.floats(1.0, 250.0)
WINDS = st.floats(0.0, 100.0)
ANGLES = st.floats(0.0, 359.9)
ROUNDING = 1.0 + 1e-12
# The two pieces of the wind function miss each other by this much at 40 km/h (eqs. 53, 53a).
WIND_STEP = 1.0 + 3e-4

NUMBERS = {
    "FFMC": ("ffmc", 90.0), "BUI": ("bui", 60.0), "WS": ("wind_10m_km_h", 10.0),
    "WD": ("wind_from_deg", 0.0), "GS": ("slope_pct", 0.0), "Aspect": ("aspect_deg", 0.0),
    "LAT": ("latitude_deg", 55.0), "LONG": ("longitude_deg", -120.0), "ELV": ("elevation_m", 0.0),
    "Dj": ("day_of_year", 180.0), "D0": ("minimum_moisture_day", np.nan),
    "PC": ("percent_conifer", 50.0), "PDF": ("percent_dead_fir", 35.0),
    "GFL": ("grass_fuel_load_kg_m2", 0.35), "cc": ("curing_pct", 80.0),
    "CBH": ("crown_base_height_m", np.nan), "CFL": ("crown_fuel_load_kg_m2", np.nan),
}
OUTPUTS = {
    "ROS": "rate_of_spread_m_min", "HFI": "fireline_intensity_kw_m",
    "CFB": "crown_fraction_burned", "FROS": "flank_rate_m_min", "BROS": "back_rate_m_min",
    "LB": "length_to_breadth", "WSV": "net_wind_km_h", "ISI_out": "initial_spread_index",
    "FMC_out": "foliar_moisture_pct", "SFC": "surface_consumption_kg_m2",
    "TFC": "total_consumption_kg_m2", "CFC": "crown_consumption_kg_m2",
}

# Cases of cffdrs: inputs, then ROS, HFI, CFB, RAZ, FROS, BROS, LB, WSV.
PUBLISHED = (
    ({"FuelType": "C-1", "FFMC": 90, "BUI": 130, "WS": 20, "GS": 15, "Aspect": 270, "LAT": 55,
      "LONG": 110, "Dj": 182},
     (5.556055, 3139.249, 0.6460599, 174.6964, 1.076659, 0.002459667, 2.581372, 20.08599)),
    ({"FuelType": "c6", "FFMC": 90, "BUI": 80, "WS": 15, "GS": 10, "Aspect": 270, "LAT": 46,
      "LONG": 77, "Dj": 171},
     (4.388532, 2683.363, 0.0, 173.2568, 1.127483, 0.1011491, 1.991019, 15.10449)),
    ({"FuelType": "M-1", "FFMC": 90, "BUI": 40, "WS": 15.5, "WD": 180, "GS": 25, "Aspect": 180,
      "LAT": 47, "LONG": 85, "Dj": 182, "PC": 55},
     (13.29422, 6809.254, 0.7795241, 0.0, 2.160849, 0.402662, 3.169329, 24.7525)),
    ({"FuelType": "m3", "FFMC": 87, "BUI": 25, "WS": 10.7, "WD": 180, "GS": 8, "Aspect": 273,
      "LAT": 56, "LONG": 90, "ELV": 10, "Dj": 130, "PDF": 70},
     (9.355199, 4002.86, 0.3159539, 13.30574, 3.743862, 2.276724, 1.553466, 10.86055)),
    ({"FuelType": "O-1A", "FFMC": 95, "BUI": 20, "WS": 35, "WD": 180, "GS": 50, "Aspect": 270,
      "LAT": 56, "LONG": 90, "Dj": 244, "GFL": 1, "cc": 90},
     (134.6718, 40401.54, 0.0, 40.70779, 10.41146, 0.9105292, 6.511208, 46.17136)),
    ({"FuelType": "S-2", "FFMC": 87, "BUI": 63, "WS": 0, "LAT": 50, "LONG": 90, "Dj": 182},
     (1.01076, 3473.277, 0.0, 180.0, 1.01076, 1.01076, 1.0, 0.0)),
    ({"FuelType": "C5", "FFMC": 92, "BUI": 80, "WS": 0, "WD": 225, "GS": 60, "Aspect": 225,
      "LAT": 51.62, "LONG": -115.6, "ELV": 1500, "Dj": 259},
     (2.490157, 1522.604, 0.0, 45.0, 0.7306921, 0.04066146, 1.731796, 12.68627)),
)


def read_cases(path, delimiter=","):
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def behavior_of(cases) -> FbpBehavior:
    """Behaviour of rows in the columns of cffdrs; blanks are its standard values."""
    given = {}
    for column, (argument, standard) in NUMBERS.items():
        texts = [case.get(column, "") for case in cases]
        given[argument] = np.array([standard if text in ("", "NA") else float(text)
                                    for text in texts])
    return fbp_behavior([case["FuelType"] for case in cases], **given)


def turn_between(first, second):
    return np.abs((np.asarray(first) - np.asarray(second) + 180.0) % 360.0 - 180.0)


def test_published_cases():
    computed = behavior_of([case for case, _ in PUBLISHED])
    expected = dict(zip(("ROS", "HFI", "CFB", "RAZ", "FROS", "BROS", "LB", "WSV"),
                        np.array([numbers for _, numbers in PUBLISHED]).T, strict=True))
    assert turn_between(computed.spread_direction_deg, expected.pop("RAZ")).max() < 1e-4
    for column, numbers in expected.items():
        np.testing.assert_allclose(getattr(computed, OUTPUTS[column]), numbers, rtol=1e-6,
                                   atol=1e-9, err_msg=column)


def test_every_reference_case_agrees_with_cffdrs(reference_dir):
    cases = read_cases(reference_dir / "fbp-reference.csv")
    computed = behavior_of(cases)
    assert len({case["FuelType"].replace("-", "").upper() for case in cases}) == 17
    for column, field in OUTPUTS.items():
        expected = [float(case[column]) for case in cases]
        # Printed with seven digits.
        np.testing.assert_allclose(getattr(computed, field), expected, rtol=1e-6, atol=1e-9,
                                   err_msg=column)
    expected = [float(case["RAZ"]) for case in cases]
    assert turn_between(computed.spread_direction_deg, expected).max() < 1e-4


def test_all_cases_of_the_cffdrs_package_agree(reference_dir):
    folder = reference_dir / "reference-cffdrs"
    cases = read_cases(folder / "fbp_inputs.csv", ";")
    expected = read_cases(folder / "fbp_primary_expected.csv")
    computed = behavior_of(cases)
    assert len(cases) == len(expected) == 20
    for column in ("ROS", "HFI", "CFB", "SFC", "TFC", "CFC"):
        # Printed with four digits, intensity with two decimals.
        np.testing.assert_allclose(getattr(computed, OUTPUTS[column]),
                                   [float(row[column]) for row in expected], rtol=5e-4,
                                   err_msg=column)
    direction = [float(row["RAZ"]) for row in expected]
    assert turn_between(computed.spread_direction_deg, direction).max() < 6e-3


@given(FUELS, CODES, BUILDUPS, WINDS, WINDS)
def test_more_wind_never_slows_the_head_nor_speeds_the_back(fuel, ffmc, bui, wind, more):
    fire = fbp_behavior(fuel, ffmc=ffmc, bui=bui, wind_10m_km_h=[wind, wind + more])
    calm, windy = fire.rate_of_spread_m_min
    assert windy * WIND_STEP**5 >= calm  # the step, to the power of the spread curve
    assert fire.back_rate_m_min[1] <= fire.back_rate_m_min[0] * ROUNDING
    assert fire.length_to_breadth[1] * ROUNDING >= fire.length_to_breadth[0]


@given(FUELS, CODES, BUILDUPS, WINDS, ANGLES, st.floats(0.0, 80.0), ANGLES)
def test_head_flank_and_back_are_in_order(fuel, ffmc, bui, wind, origin, slope, aspect):
    fire = fbp_behavior(fuel, ffmc=ffmc, bui=bui, wind_10m_km_h=wind, wind_from_deg=origin,
                        slope_pct=slope, aspect_deg=aspect)
    head, back = fire.rate_of_spread_m_min[0], fire.back_rate_m_min[0]
    assert 0.0 <= back <= head * ROUNDING
    assert fire.flank_rate_m_min[0] <= head * ROUNDING
    assert fire.length_to_breadth[0] >= 1.0
    assert 0.0 <= fire.crown_fraction_burned[0] <= 1.0
    assert 0.0 <= fire.spread_direction_deg[0] < 360.0
    assert all(np.isfinite(values).all() for values in fire)


@given(FUELS, CODES, BUILDUPS, st.floats(0.0, 39.0), st.floats(0.0, 60.0), ANGLES, ANGLES)
@settings(max_examples=50)
def test_turning_wind_and_slope_turns_the_fire(fuel, ffmc, bui, wind, slope, aspect, turn):
    apart = {"ffmc": ffmc, "bui": bui, "wind_10m_km_h": wind, "slope_pct": slope}
    fire = fbp_behavior(fuel, wind_from_deg=[30.0, (30.0 + turn) % 360.0],
                        aspect_deg=[aspect, (aspect + turn) % 360.0], **apart)
    for name in set(fire._fields) - {"spread_direction_deg"}:
        first, second = getattr(fire, name)
        assert first == pytest.approx(second, rel=1e-6, abs=1e-9), name
    if fire.net_wind_km_h[0] > 0.01:
        first, second = fire.spread_direction_deg
        assert turn_between(second - first, turn) < 1e-3


def test_a_slope_speeds_calm_fires_by_the_slope_factor():
    # On flat ground the slope-equivalent wind is the wind that does just that (eqs. 39 to 44).
    pure = [name for name in FUEL_TYPES if not name.startswith(("M", "C-6"))]
    for slope in (10.0, 30.0):
        given = {"ffmc": 90.0, "bui": 90.0, "wind_10m_km_h": 0.0, "aspect_deg": 90.0}
        flat = fbp_behavior(pure, **given).rate_of_spread_m_min
        steep = fbp_behavior(pure, slope_pct=slope, **given)
        np.testing.assert_allclose(steep.rate_of_spread_m_min / flat, slope_factor(slope),
                                   rtol=1e-9)
        np.testing.assert_allclose(steep.spread_direction_deg, 270.0)
    assert slope_factor(np.array([0.0, 70.0, 200.0])).tolist() == [1.0, 10.0, 10.0]


@given(CODES, WINDS, st.floats(0.0, 100.0), st.floats(0.0, 100.0))
def test_cured_grass_burns_faster(ffmc, wind, first, second):
    given_ = {"ffmc": ffmc, "bui": 50.0, "wind_10m_km_h": wind}
    low, high = sorted((first, second))
    for fuel in ("O-1a", "O-1b"):
        rate = fbp_behavior(fuel, curing_pct=[low, high], **given_).rate_of_spread_m_min
        assert rate[1] >= rate[0]


def test_curing_factor_joins_at_58_8_and_ends_at_1():
    factor = curing_factor(np.array([0.0, 58.8 - 1e-9, 58.8, 100.0]))
    np.testing.assert_allclose(factor, [0.0, 0.176, 0.176, 1.0], atol=1e-3)


@given(FUELS, BUILDUPS)
def test_drier_duff_never_slows_a_fire(fuel, bui):
    index = np.array([FUEL_NAMES.index(fuel)] * 2)
    moist, dry = buildup_effect(index, np.array([bui, bui + 5.0]))
    assert dry >= moist
    average = FUEL_TYPES[fuel].average_bui
    assert buildup_effect(index, np.array([average, 0.0])).tolist() == [1.0, 1.0]


def test_green_aspen_burns_at_a_fifth_of_the_leafless_rate_from_a_buildup_index_of_80():
    given_ = {"ffmc": 93.0, "wind_10m_km_h": 25.0, "slope_pct": 20.0, "aspect_deg": 200.0}
    leafless, green = (fbp_behavior(name, bui=[79.999, 80.0, 140.0], **given_)
                       for name in ("D-1", "D-2"))
    np.testing.assert_allclose(
        green.rate_of_spread_m_min / leafless.rate_of_spread_m_min, [0.0, 0.2, 0.2], rtol=1e-9)
    np.testing.assert_allclose(
        green.surface_consumption_kg_m2 / leafless.surface_consumption_kg_m2, [0.0, 1.0, 1.0])
    assert green.fireline_intensity_kw_m[0] == 0.0
    np.testing.assert_array_equal(green.length_to_breadth, leafless.length_to_breadth)


def test_no_table_of_the_reference_folder_is_left_out(reference_dir):
    tables = {path.name for path in (reference_dir / "reference-cffdrs").glob("*.csv")}
    assert tables == {"fbp_inputs.csv", "fbp_primary_expected.csv",  # here and on landscapes
                      "fwi_inputs.csv", "fwi_expected.csv"}  # test_fwi.py


def test_pure_stands_burn_as_their_parts():
    given_ = {"ffmc": 91.0, "bui": 50.0, "wind_10m_km_h": 20.0, "buildup_effect": False}
    rate = {name: fbp_behavior(name, **given_).rate_of_spread_m_min[0] for name in ("C-2", "D-1")}
    for mixed, share in (("M-1", "percent_conifer"), ("M-2", "percent_conifer"),
                         ("M-3", "percent_dead_fir"), ("M-4", "percent_dead_fir")):
        none, full = fbp_behavior(mixed, **given_, **{share: [0.0, 100.0]}).rate_of_spread_m_min
        green = 0.2 if mixed in ("M-2", "M-4") else 1.0
        assert none == pytest.approx(green * rate["D-1"])
        if share == "percent_conifer":
            assert full == pytest.approx(rate["C-2"])


def test_strong_wind_levels_off():
    assert wind_function(np.array([0.0])) == 1.0
    below, above = wind_function(np.array([40.0, 40.0 + 1e-9]))
    assert below == pytest.approx(above, rel=3e-4)
    assert wind_function(np.array([200.0])) == pytest.approx(12.0, rel=1e-5)


def test_what_is_given_replaces_what_the_system_works_out():
    weather = {"ffmc": 92.0, "bui": 70.0, "wind_10m_km_h": 25.0}
    plain = fbp_behavior("C-3", **weather)
    assert plain.foliar_moisture_pct < 120.0
    humid = fbp_behavior("C-3", foliar_moisture_pct=120.0, **weather)
    assert humid.crown_fraction_burned < plain.crown_fraction_burned
    low = fbp_behavior("C-3", crown_base_height_m=1.0, **weather)
    assert low.crown_fraction_burned > plain.crown_fraction_burned
    heavy = fbp_behavior("C-3", crown_fuel_load_kg_m2=2.3, **weather)
    assert heavy.crown_consumption_kg_m2 == pytest.approx(2.0 * plain.crown_consumption_kg_m2)
    slow = fbp_behavior("C-3", initial_spread_index=3.0, **weather)
    assert slow.rate_of_spread_m_min < plain.rate_of_spread_m_min
    assert slow.back_rate_m_min == plain.back_rate_m_min
    driest = fbp_behavior("C-3", minimum_moisture_day=180.0, **weather)
    assert driest.foliar_moisture_pct == 85.0
    calm = spread_index(np.array([92.0]), np.array([25.0]))
    assert plain.initial_spread_index == pytest.approx(calm)


def test_without_surface_fuel_no_crown_ignites():
    assert critical_rate(np.array([1000.0]), np.array([0.0])) == np.inf
    assert fbp_behavior("C-2", ffmc=99.0, bui=0.0, wind_10m_km_h=80.0).crown_fraction_burned == 0.0


def test_non_fuels_do_not_burn():
    fire = fbp_behavior(NON_FUELS, ffmc=95.0, bui=80.0, wind_10m_km_h=30.0, slope_pct=20.0)
    for name, values in fire._asdict().items():
        assert (values == float(name == "length_to_breadth")).all(), name


def test_behaviour_is_finite_at_the_ends_of_the_ranges():
    for ffmc, bui, wind, slope in ((0.0, 0.0, 0.0, 0.0), (101.0, 1000.0, 300.0, 1000.0)):
        fire = fbp_behavior(FUEL_NAMES, ffmc=ffmc, bui=bui, wind_10m_km_h=wind, slope_pct=slope,
                            curing_pct=0.0, percent_conifer=0.0, percent_dead_fir=0.0)
        assert all(np.isfinite(values).all() for values in fire)


@pytest.mark.parametrize(("change", "word"), [
    ({"ffmc": 102.0}, "ffmc"), ({"slope_pct": -1.0}, "slope_pct"), ({"bui": np.nan}, "bui"),
    ({"curing_pct": [80.0, 180.0]}, "index 1"), ({"fuel_type": "C-22"}, "'C-2'"),
])
def test_bad_cases_are_refused(change, word):
    with pytest.raises(InputError, match=word):
        fbp_behavior(**{"fuel_type": "C-2", "ffmc": 90.0, "bui": 60.0, "wind_10m_km_h": 10.0}
                     | change)


def test_the_published_formulas_of_a_plantation_give_one_fraction() -> None:
    """Eqs. 56 to 65 of ST-X-3, written out for a case, with no function of this code."""
    isi, moisture = 15.0, 100.0
    case = fbp_behavior("C-6", ffmc=90.0, bui=62.0, wind_10m_km_h=0.0, initial_spread_index=isi,
                        foliar_moisture_pct=moisture, buildup_effect=False)
    consumption = float(case.surface_consumption_kg_m2[0])
    surface = 30.0 * (1.0 - np.exp(-0.08 * isi)) ** 3.0  # eqs. 62, 63
    critical = 0.001 * 7.0**1.5 * (460.0 + 25.9 * moisture) ** 1.5 / (300.0 * consumption)
    fraction = 1.0 - np.exp(-0.23 * (surface - critical))  # eq. 58
    effect = (1.5 - 0.00275 * moisture) ** 4 / (460.0 + 25.9 * moisture) * 1000.0
    crown = 60.0 * (1.0 - np.exp(-0.0497 * isi)) * effect / 0.778  # eqs. 61, 64
    assert 0.1 < fraction < 0.9
    assert case.crown_fraction_burned[0] == pytest.approx(fraction, rel=1e-12)
    assert case.rate_of_spread_m_min[0] == pytest.approx(
        surface + fraction * (crown - surface), rel=1e-12)
