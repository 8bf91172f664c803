"""Weather for fires: what tables, folders and roses become."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.weather import load
from firebreak.weather.formats.read import read_weather
from firebreak.weather.formats.table import WeatherTable, WeatherWarning, take
from firebreak.weather.from_table import rows_of
from firebreak.weather.fwi import (
    START_FFMC,
    daily_codes,
    hourly_codes,
    hourly_fine_fuel_moisture_code,
)
from firebreak.weather.load import burning_periods, percentile_scenarios, period_starts, weather_of
from firebreak.weather.moisture import (
    Moistures,
    boundary_moistures,
    conditioned,
    equilibrium_moisture,
)
from firebreak.weather.scenarios import make_scenarios, rose_of

KM_H = 1000.0 / 60.0


def season(days=20, *, seed=1, clock=True, wind=400.0, **columns):
    """Hourly rows of `days` days with a daily course of humidity, drier from day to day."""
    hours = 24 * days
    rng = np.random.default_rng(seed)
    hour = np.arange(hours)
    humidity = 0.5 - 0.3 * np.sin(np.pi * (hour % 24 - 8) / 12) - 0.1 * hour / hours
    given = {"temperature_c": np.full(hours, 20.0),
             "relative_humidity": np.clip(humidity, 0.05, 1.0)} | columns
    return WeatherTable(
        where="season.csv", one_fire=False, minutes=60.0 * hour,
        time=np.datetime64("2023-01-01T00:00", "m") + 60 * hour if clock else None,
        wind_20ft_m_min=rng.uniform(wind - 400.0, wind, hours),
        wind_from_deg=rng.uniform(0.0, 359.0, hours), **given)


def afternoon(table):
    return np.isin(np.arange(table.rows) % 24, range(12, 19))


def test_dead_moisture_follows_the_weather_hour_by_hour():
    table = season(rain_mm=np.where(np.arange(480) == 100, 3.0, 0.0))
    rows = rows_of(table)
    boundary = boundary_moistures(
        equilibrium_moisture(table.temperature_c, table.relative_humidity), table.rain_mm)
    moistures = conditioned(boundary, table.minutes)
    np.testing.assert_allclose(rows.dead_moisture_1h, moistures[:, 0])
    np.testing.assert_allclose(rows.dead_moisture_100h, moistures[:, 2])
    assert rows.dead_moisture_1h[100] > rows.dead_moisture_1h[99] + 0.1
    np.testing.assert_array_equal(rows.live_moisture_herb, 0.6)


def test_after_a_gap_conditioning_begins_anew():
    table = season()
    whole = rows_of(table)
    minutes = np.array(table.minutes)
    minutes[200:] += 600.0
    apart = rows_of(WeatherTable(**{name: getattr(table, name) for name in table.__slots__}
                                 | {"minutes": minutes, "time": None}))
    np.testing.assert_array_equal(apart.dead_moisture_100h[:200], whole.dead_moisture_100h[:200])
    boundary = boundary_moistures(
        equilibrium_moisture(table.temperature_c, table.relative_humidity), None)
    np.testing.assert_allclose(apart.dead_moisture_100h[200],
                               boundary[200:224, 2].mean())


def test_what_a_table_says_of_moisture_comes_first():
    plain = {"temperature_c": None, "relative_humidity": None}
    ones = np.ones(48)
    code = rows_of(season(2, **plain, fine_fuel_moisture_code=92.0 * ones))
    assert code.fine_fuel_moisture_code[0] == pytest.approx(92.0)
    assert code.dead_moisture_1h[0] == pytest.approx(0.08749, abs=1e-5)
    scenario = rows_of(season(2, **plain, fine_fuel_moisture_code=92.0 * ones,
                              fire_scenario=np.where(np.arange(48) < 24, 1.0, 3.0)))
    np.testing.assert_allclose(scenario.dead_moisture_1h[[0, 47]], [0.03, 0.09])
    np.testing.assert_allclose(scenario.live_moisture_woody[[0, 47]], [0.6, 1.2])
    five = {name: 0.1 * (k + 1) * ones for k, name in enumerate(
        ("dead_moisture_1h", "dead_moisture_10h", "dead_moisture_100h", "live_moisture_herb",
         "live_moisture_woody"))}
    own = rows_of(season(2, fire_scenario=ones, **five))
    np.testing.assert_allclose([values[0] for values in own[2:7]], [0.1, 0.2, 0.3, 0.4, 0.5])
    none = season(2, **plain)
    with pytest.raises(InputError, match=r"season.csv: expected temperature and humidity, FFMC"):
        rows_of(none)
    assert rows_of(none, moisture="D2L2").dead_moisture_10h[0] == pytest.approx(0.07)
    assert rows_of(season(2)).live_moisture_woody[0] == pytest.approx(0.9)


def test_codes_of_the_canadian_system_are_taken_over():
    ones = np.ones(48)
    rows = rows_of(season(2, fine_fuel_moisture_code=90.0 * ones, buildup_index=60.0 * ones))
    assert (rows.fine_fuel_moisture_code[5], rows.buildup_index[5]) == (90.0, 60.0)
    derived = rows_of(season(2, duff_moisture_code=64.0 * ones, drought_code=535.0 * ones))
    assert derived.buildup_index[0] == pytest.approx(99.0, abs=0.5)  # Dogrib's own pair


DRY = {"temperature_c": np.full(480, 25.0), "relative_humidity": np.full(480, 0.4),
       "rain_mm": np.zeros(480)}


def test_a_season_tells_its_own_buildup_index():
    table = season(**DRY)
    noon = (table.time - table.time.astype("datetime64[D]")).astype(int) == 720
    wind = table.wind_20ft_m_min[noon] * 1.15 / KM_H
    for asked, latitude in ((None, 46.0), (46.0, 46.0), (-39.3, -39.3)):
        codes = daily_codes(temperature_c=np.full(20, 25.0), humidity_pct=np.full(20, 40.0),
                            rain_mm=np.zeros(20), wind_10m_km_h=wind, month=1,
                            latitude_deg=latitude)
        found = rows_of(table, latitude_deg=asked).buildup_index
        np.testing.assert_allclose(found, np.repeat(codes.bui, 24))  # a day's code holds all day
    south, north = (rows_of(table, latitude_deg=degrees).buildup_index[-1]
                    for degrees in (-39.3, 46.0))
    assert south > 1.5 * north  # January's days are long in the south


def test_rain_until_noon_counts_for_the_day():
    def index(hour):
        rain = np.where(np.arange(480) == hour, 20.0, 0.0)
        return rows_of(season(**DRY | {"rain_mm": rain}), latitude_deg=-39.3).buildup_index
    dry = rows_of(season(**DRY), latitude_deg=-39.3).buildup_index
    for hour, first in ((240 + 12, 240), (240 + 13, 264)):
        np.testing.assert_array_equal(index(hour)[:first], dry[:first])
        assert (index(hour)[first:] < dry[first:]).all()


def test_a_season_tells_its_own_fine_fuel_moisture_code_hour_by_hour():
    table = season(**DRY)
    codes = hourly_codes(temperature_c=table.temperature_c, humidity_pct=np.full(480, 40.0),
                         rain_mm=np.zeros(480), hours=np.ones(480),
                         wind_10m_km_h=table.wind_20ft_m_min * 1.15 / KM_H)
    np.testing.assert_allclose(rows_of(table).fine_fuel_moisture_code, codes)
    own = rows_of(season(**DRY, dead_moisture_1h=np.full(480, 0.06),
                         dead_moisture_10h=np.full(480, 0.07),
                         dead_moisture_100h=np.full(480, 0.08)))
    assert np.ptp(own.fine_fuel_moisture_code) == 0.0
    assert rows_of(season(**DRY, fine_fuel_moisture_code=np.full(480, 77.0))
                   ).fine_fuel_moisture_code[9] == 77.0


def test_codes_begin_anew_or_stand_still_across_gaps():
    table = season(**DRY)
    rows = rows_of(take(table, np.r_[0:246, 300:480]))  # the tenth day ends at 5 h
    first = hourly_fine_fuel_moisture_code(
        START_FFMC, temperature_c=25.0, humidity_pct=40.0, rain_mm=0.0,
        wind_10m_km_h=table.wind_20ft_m_min[300] * 1.15 / KM_H)
    assert rows.fine_fuel_moisture_code[246] == pytest.approx(float(first))
    np.testing.assert_array_equal(rows.buildup_index[240:246], rows.buildup_index[239])
    assert rows.buildup_index[246] > rows.buildup_index[245]


@pytest.mark.parametrize("lacking", [
    {"rain_mm": None}, {"relative_humidity": None, "fine_fuel_moisture_code": np.full(480, 90.0)},
    {"clock": False}, {"days": 11}, {"one_fire": True}])
def test_where_codes_cannot_follow_the_buildup_index_is_80(lacking):
    days = lacking.get("days", 20)
    columns = {name: None if values is None else values[:24 * days]
               for name, values in (DRY | lacking).items() if name in WeatherTable.__slots__
               and name != "one_fire"}
    table = season(days, clock=lacking.get("clock", True), **columns)
    table = replace(table, one_fire=lacking.get("one_fire", False))
    rows = rows_of(table, latitude_deg=-39.3)
    np.testing.assert_array_equal(rows.buildup_index, 80.0)
    if table.fine_fuel_moisture_code is None:
        one_hour = make_scenarios(**rows._asdict() | {"fine_fuel_moisture_code": None})
        np.testing.assert_array_equal(rows.fine_fuel_moisture_code,
                                      one_hour.fine_fuel_moisture_code)


def test_extreme_seasons_keep_codes_in_their_range():
    fierce = season(400, temperature_c=np.full(9600, 60.0), relative_humidity=np.zeros(9600),
                    rain_mm=np.zeros(9600), wind=5990.0)
    assert rows_of(fierce).buildup_index[-1] == 1000.0
    flood = rows_of(season(rain_mm=np.full(480, 700.0)))
    assert flood.buildup_index.max() < 20.0
    assert flood.fine_fuel_moisture_code.max() < 40.0


def test_the_sun_dries_by_day_only():
    table = season(3)
    shaded, sunlit = rows_of(table), rows_of(table, sunlit=True)
    hour = np.arange(72) % 24
    assert (sunlit.dead_moisture_1h < shaded.dead_moisture_1h)[(hour > 8) & (hour <= 18)].all()
    np.testing.assert_array_equal(sunlit.dead_moisture_1h[:8], shaded.dead_moisture_1h[:8])
    with pytest.raises(InputError, match="expected times of day"):
        rows_of(season(3, clock=False), sunlit=True)


def test_classes_of_the_afternoon_carry_their_frequency():
    table = season(40)
    rows = rows_of(table)
    found = percentile_scenarios(table, rows)
    here = afternoon(table)
    dry = here & (rows.dead_moisture_1h <= np.median(rows.dead_moisture_1h[here]))
    assert found.weight.sum() == pytest.approx(1.0)
    # A weighted mean over classes is the mean over the rows behind them.
    for name in ("wind_20ft_m_min", "dead_moisture_1h", "dead_moisture_100h"):
        assert (found.weight * getattr(found, name)).sum() == pytest.approx(
            getattr(rows, name)[dry].mean())
    limits = np.percentile(rows.dead_moisture_1h[here], [50, 20, 10, 3])
    for limit, share in zip(limits, (1.0, 0.4, 0.2, 0.06), strict=True):
        assert found.weight[found.dead_moisture_1h <= limit].sum() == pytest.approx(share, abs=0.02)


def test_a_class_blows_from_its_own_sector(monkeypatch):
    for name, own in (("DRYNESS", (0.0,)), ("SPEED", ())):
        monkeypatch.setattr(load, f"{name}_PERCENTILES", own)
    monkeypatch.setattr(load, "SECTORS", 4)
    table = season(40)
    for direction in (0.0, 90.0, 200.0, 290.0):
        rows = rows_of(table)._replace(
            wind_from_deg=(direction + np.tile([-10.0, 10.0], 480)) % 360.0,
            wind_20ft_m_min=np.full(960, 100.0))
        found = percentile_scenarios(table, rows)
        assert len(found.weight) == 1
        assert abs((found.wind_from_deg[0] - direction + 180.0) % 360.0 - 180.0) < 2.0


def test_few_scenarios_stand_for_many_classes_without_bias():
    table = season(40)
    rows = rows_of(table)
    every = percentile_scenarios(table, rows)
    assert len(every.weight) > 40
    few = [percentile_scenarios(table, rows, most=8, seed=seed) for seed in range(200)]
    assert all(len(one.weight) <= 8 and one.weight.sum() == pytest.approx(1.0) for one in few)
    wind = np.mean([(one.weight * one.wind_20ft_m_min).sum() for one in few])
    assert wind == pytest.approx((every.weight * every.wind_20ft_m_min).sum(), rel=0.03)
    same = percentile_scenarios(table, rows, most=8, seed=3)
    np.testing.assert_array_equal(same.wind_from_deg, few[3].wind_from_deg)


def test_equal_moisture_is_one_class_of_dryness(monkeypatch):
    monkeypatch.setattr(load, "SECTORS", 1)
    monkeypatch.setattr(load, "SPEED_PERCENTILES", ())
    table = season(10)
    rows = rows_of(table)
    flat = rows._replace(dead_moisture_1h=np.full(240, 0.06))
    found = percentile_scenarios(table, flat)
    assert len(found.weight) == 1
    assert found.wind_20ft_m_min[0] == pytest.approx(rows.wind_20ft_m_min[afternoon(table)].mean())


def test_hours_without_rows_are_refused(monkeypatch):
    monkeypatch.setattr(load, "AFTERNOON", (25, 26))
    table = season(1)
    with pytest.raises(InputError, match="rows between 25 and 26 h, got a table that has none; "
                       "add rows of these hours"):
        percentile_scenarios(table, rows_of(table))


@given(st.integers(1, 20), st.integers(1, 40), st.integers(0, 3))
def test_burning_periods_are_the_tables_own_rows(streams, hours, seed):
    table = season(12)
    rows = rows_of(table)
    found = burning_periods(table, rows, streams=streams, hours=hours, seed=seed,
                            from_percentile=0.0)
    assert found.steps_per_stream == hours
    assert found.weight.sum() == pytest.approx(1.0)
    wind = found.steps.wind_20ft_m_min.reshape(-1, hours)
    days = [int(np.flatnonzero(rows.wind_20ft_m_min == first)[0]) for first in wind[:, 0]]
    assert days == sorted(set(days))
    assert all(day % 24 == 10 for day in days)
    for day, one in zip(days, wind, strict=True):
        np.testing.assert_array_equal(one, rows.wind_20ft_m_min[day:day + hours])
    assert len(days) == min(streams, 12 - (hours + 9) // 24)


def test_only_dry_days_are_burning_periods():
    table = season(20)
    rows = rows_of(table)
    found = burning_periods(table, rows, streams=99, hours=8, seed=1, from_percentile=80.0)
    assert len(found.weight) == 4
    mean = rows.dead_moisture_1h[(10 + 24 * np.arange(20))[:, None] + np.arange(8)].mean(axis=1)
    np.testing.assert_allclose(
        np.sort(found.steps.dead_moisture_1h.reshape(4, 8).mean(axis=1)), np.sort(mean)[:4])


def test_burning_periods_do_not_cross_gaps():
    table = season(3)
    minutes, time = np.array(table.minutes), np.array(table.time)
    minutes[36:], time[36:] = minutes[36:] + 180.0, time[36:] + 180
    apart = WeatherTable(**{name: getattr(table, name) for name in table.__slots__}
                         | {"minutes": minutes, "time": time})
    assert period_starts(table, 6).tolist() == [10, 34, 58]
    assert period_starts(apart, 6).tolist() == [10, 55]
    with pytest.raises(InputError, match="expected a day with 99 hours"):
        burning_periods(table, rows_of(table), streams=1, hours=99, seed=0)


def weather_file(folder, name, count, first=0, step=1):
    rows = [f"x,2023-01-01 {hour:02}:00,0,20,30,{first + hour},90" for hour in
            range(0, count * step, step)]
    (folder / name).write_text("\n".join(["Scenario,datetime,APCP,TMP,RH,WS,WD", *rows]))


def test_a_fires_own_weather_is_one_stream(tmp_path):
    weather_file(tmp_path, "Weather.csv", 5)
    for path in (tmp_path, tmp_path / "Weather.csv"):
        found = weather_of(path, scenarios=9, hours=None, seed=0)
        assert (found.steps_per_stream, found.step_min, found.weight.tolist()) == (5, 60.0, [1.0])
        np.testing.assert_allclose(found.steps.wind_20ft_m_min, np.arange(5) * KM_H / 1.15)
    assert weather_of(tmp_path, scenarios=1, hours=3, seed=0).steps_per_stream == 3
    with pytest.warns(WeatherWarning, match="has 5 of 8 rows, so its last row holds"):
        assert weather_of(tmp_path, scenarios=1, hours=8, seed=0).steps_per_stream == 5
    towards = weather_of(tmp_path, scenarios=1, hours=None, seed=0, wind_towards=True)
    np.testing.assert_array_equal(towards.steps.wind_from_deg, 270.0)


def test_a_folder_of_weather_is_a_stream_per_file_and_short_ones_hold(tmp_path):
    for number, count in ((1, 3), (2, 5), (10, 5)):
        weather_file(tmp_path, f"Weather{number}.csv", count, first=100 * number // 10)
    with pytest.warns(WeatherWarning, match=r"Weather1.csv: has 3 of 5 rows"):
        found = weather_of(tmp_path, scenarios=9, hours=None, seed=0)
    speed = found.steps.wind_20ft_m_min.reshape(3, 5) * 1.15 / KM_H
    np.testing.assert_allclose(speed, [[10, 11, 12, 12, 12], [20, 21, 22, 23, 24],
                                       [100, 101, 102, 103, 104]])
    some = weather_of(tmp_path, scenarios=2, hours=2, seed=4)
    assert some.steps.wind_from_deg.shape == (4,)
    weather_file(tmp_path, "Weather11.csv", 4, step=2)
    with pytest.raises(InputError, match=r"Weather11.csv: expected a row every 60 min as in"):
        weather_of(tmp_path, scenarios=9, hours=None, seed=0)


def test_a_fires_weather_keeps_its_short_steps(tmp_path):
    rows = [f"x,2023-01-01 13:{minute:02},{minute},90" for minute in (0, 10, 20, 30)]
    (tmp_path / "Weather.csv").write_text("\n".join(["Instance,datetime,WS,WD", *rows]))
    found = weather_of(tmp_path, scenarios=1, hours=None, seed=0, moisture="D1L1")
    assert (found.steps_per_stream, found.step_min) == (4, 10.0)


def test_too_few_scenarios_or_hours_are_refused(tmp_path):
    for scenarios, hours, words in ((0, None, "got 0 scenarios;"),
                                    (1, 0, "got 1 scenario of 0 hours;")):
        with pytest.raises(InputError, match=f"at least 1 scenario.*{words}"):
            weather_of(tmp_path, seed=0, scenarios=scenarios, hours=hours)


ROSE = {"wind_from_deg": [0, 90], "wind_10m_km_h": [11.5, 23.0, 46.0],
        "frequency": [[1, 2, 0], [3, 0, 4]], "moisture": "D2L2"}


def test_a_rose_becomes_weighted_scenarios():
    found = rose_of(ROSE)
    np.testing.assert_allclose(found.weight, [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(found.wind_from_deg, [0, 0, 90, 90])
    np.testing.assert_allclose(found.wind_20ft_m_min, np.array([10, 20, 10, 40]) * KM_H)
    np.testing.assert_allclose(found.live_moisture_herb, 0.6)


def test_a_rose_may_name_moistures_with_weights():
    found = rose_of(ROSE | {"moisture": {"D1L1": 1, "D3L2": 3}, "buildup_index": 120,
                            "curing": 0.5})
    assert len(found.weight) == 8
    assert found.weight[np.isclose(found.dead_moisture_1h, 0.03)].sum() == pytest.approx(0.25)
    np.testing.assert_array_equal(found.buildup_index, 120.0)
    np.testing.assert_allclose(found.live_moisture_herb, 0.75)
    five = {"dead_moisture_1h": 0.05, "dead_moisture_10h": 0.06, "dead_moisture_100h": 0.07,
            "live_moisture_herb": 0.5, "live_moisture_woody": 0.8}
    single = rose_of({"wind_from_deg": 270, "wind_20ft_mph": 10} | five)
    assert single.wind_20ft_m_min[0] == pytest.approx(268.224)
    assert single.dead_moisture_100h[0] == 0.07


@given(st.integers(1, 6), st.integers(1, 4), st.data())
def test_weights_of_a_rose_sum_to_one(directions, speeds, data):
    row = st.lists(st.floats(0.0, 100.0), min_size=speeds, max_size=speeds)
    frequency = data.draw(st.lists(row, min_size=directions, max_size=directions))
    table = {"wind_from_deg": np.linspace(0, 300, directions).tolist(), "frequency": frequency,
             "wind_20ft_m_min": np.linspace(10, 100, speeds).tolist(), "moisture": "D1L2"}
    if np.sum(frequency) > 0.0:
        assert rose_of(table).weight.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("change", "words"), [
    ({"winds": [1]}, "key 'winds'"),
    ({"wind_20ft_mph": [1]}, "expected one of wind_20ft_m_min, wind_20ft_mph, wind_10m_km_h"),
    ({"wind_from_deg": ["north"]}, "expected numbers for wind_from_deg"),
    ({"wind_from_deg": []}, "expected numbers for wind_from_deg"),
    ({"frequency": [[1, 2, 3]]}, "expected 2 rows of 3 numbers"),
    ({"frequency": [[0, 0, 0], [0, 0, 0]]}, "not all 0"),
    ({"frequency": [[1, 1, 1], [1, -1, 1]]}, "frequencies of 0 or more"),
    ({"moisture": "D9L1"}, "moisture scenario 'D9L1'"),
    ({"moisture": {"D1L1": 0}}, "rose.toml, moisture"),
    ({"dead_moisture_1h": 0.1}, "either 'moisture' or all of"),
    ({"curing": 80}, "write 80 % as 0.8"),
    ({"wind_from_deg": [[0, 90]]}, "expected numbers for wind_from_deg"),
    ({"wind_10m_km_h": [[1, 2, 3]]}, "expected numbers for wind_10m_km_h"),
    ({"moisture": 5}, "expected moisture as the name of a scenario, or a table .*, got 5"),
    ({"moisture": ["D2L2"]}, "expected moisture as the name of a scenario"),
    ({"moisture": {}}, "expected numbers for moisture"),
    ({"moisture": {"D1L1": [1, 2]}}, "expected numbers for moisture"),
    ({"foliar_moisture": [1.0, 0.8]}, "expected one number for foliar_moisture"),
    ({"buildup_index": [60, 80]}, "expected one number for buildup_index"),
    ({"curing": [0.5, 0.8]}, "expected one number for curing"),
    ({"foliar_moisture": 100}, "rose.toml: expected foliar_moisture in .*write 60 % as 0.6"),
])
def test_a_bad_rose_is_refused(change, words):
    with pytest.raises(InputError, match=words) as error:
        rose_of(ROSE | change, "rose.toml")
    assert str(error.value).startswith("rose.toml")


def test_each_of_the_five_moistures_of_a_rose_is_one_number():
    five = {name: 0.5 for name in Moistures._fields}
    rose = {"wind_from_deg": 270, "wind_20ft_mph": 10} | five
    for name in five:
        with pytest.raises(InputError, match=f"wind rose: expected one number for {name}"):
            rose_of(rose | {name: [0.5, 0.6]})


def test_the_errors_of_a_rose_name_its_file(tmp_path):
    path = tmp_path / "rose.toml"
    path.write_text('wind_from_deg = [0]\nwind_20ft_mph = [5]\nmoisture = "D9L9"\n')
    with pytest.raises(InputError) as error:
        weather_of(path, scenarios=1, hours=None, seed=0)
    assert str(error.value).startswith(f"{path}: ")


def test_a_rose_needs_directions():
    with pytest.raises(InputError, match="expected a key 'wind_from_deg'"):
        rose_of({"wind_20ft_mph": [1], "moisture": "D1L1"})


@pytest.mark.slow
def test_real_stations_give_scenarios_and_streams(data_dir):
    path = data_dir / "weather-chile-dmc" / "Pudahuel.csv"
    scenarios = weather_of(path, scenarios=500, hours=None, seed=1)
    assert scenarios.steps_per_stream == 1
    assert 30 < len(scenarios.weight) <= 96
    assert 0.02 < scenarios.steps.dead_moisture_1h.min() < 0.05
    streams = weather_of(path, scenarios=12, hours=10, seed=1)
    assert (len(streams.weight), streams.steps_per_stream) == (12, 10)
    # Half a year without rain dries deep layers; the reference is 80 where nothing is known.
    south = weather_of(path, scenarios=500, hours=None, seed=1, latitude_deg=-33.4).steps
    assert 300.0 < np.median(south.buildup_index) < 400.0
    # The wind of Santiago's summer afternoons comes from the south-west.
    strong = scenarios.steps.wind_20ft_m_min > 350.0
    heavy = scenarios.weight[strong & (np.abs(scenarios.steps.wind_from_deg - 215.0) < 45.0)].sum()
    assert heavy > 0.8 * scenarios.weight[strong].sum()


def test_real_cell2fire_folders_give_streams(data_dir):
    found = weather_of(data_dir / "cell2fire-sub20x20" / "Weathers", scenarios=999, hours=None,
                       seed=0)
    assert (len(found.weight), found.steps_per_stream) == (129, 8)
    dogrib = weather_of(data_dir / "cell2fire-dogrib", scenarios=1, hours=None, seed=0)
    table = read_weather(data_dir / "cell2fire-dogrib" / "Weather.csv")
    np.testing.assert_array_equal(dogrib.steps.fine_fuel_moisture_code,
                                  table.fine_fuel_moisture_code)
    np.testing.assert_array_equal(dogrib.steps.wind_20ft_m_min, table.wind_20ft_m_min)
    np.testing.assert_array_equal(dogrib.steps.buildup_index, 99.0)
