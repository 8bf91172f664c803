"""Weather files: what each format becomes, and what is refused in one sentence."""

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.weather.formats.read import numbered_weather, read_weather
from firebreak.weather.formats.table import (
    WeatherWarning,
    hourly,
    runs,
    step_min,
    wind_at_20ft,
)

KM_H = 1000.0 / 60.0
MPH = 1609.344 / 60.0
HEAD = "Scenario,datetime,APCP,TMP,RH,WS,WD"
ROWS = ("A,2001-10-16 13:00,0,17.7,20,23,235", "A,2001-10-16 14:00,0.5,16.9,18,0,0",
        "A,2001-10-16 15:00,0,16.1,20,11.5,360")


def written(tmp_path, *lines, name="Weather.csv", end="\n"):
    path = tmp_path / name
    path.write_bytes(end.join(lines).encode())
    return path


def test_a_cell2fire_table_is_read_in_our_units(tmp_path):
    table = read_weather(written(tmp_path, HEAD, *ROWS))
    np.testing.assert_allclose(table.wind_20ft_m_min, np.array([23.0, 0.0, 11.5]) * KM_H / 1.15)
    np.testing.assert_array_equal(table.wind_from_deg, [235.0, 0.0, 0.0])
    np.testing.assert_allclose(table.relative_humidity, [0.2, 0.18, 0.2])
    np.testing.assert_array_equal(table.temperature_c, [17.7, 16.9, 16.1])
    np.testing.assert_array_equal(table.rain_mm, [0.0, 0.5, 0.0])
    np.testing.assert_array_equal(table.minutes, [0.0, 60.0, 120.0])
    assert table.one_fire
    assert str(table.time[2]) == "2001-10-16T15:00"
    assert table.buildup_index is None
    assert table.dead_moisture_1h is None


def test_line_ends_blank_lines_semicolons_and_letter_case_do_not_matter(tmp_path):
    plain = read_weather(written(tmp_path, HEAD, *ROWS))
    other = read_weather(written(tmp_path, HEAD.replace(",", ";").lower(), "",
                                 *(row.replace(",", ";") for row in ROWS), "", end="\r\n",
                                 name="other.csv"))
    np.testing.assert_array_equal(plain.wind_20ft_m_min, other.wind_20ft_m_min)
    np.testing.assert_array_equal(plain.time, other.time)


def test_wind_directions_can_be_read_as_towards(tmp_path):
    path = written(tmp_path, HEAD, *ROWS)
    np.testing.assert_array_equal(read_weather(path, wind_towards=True).wind_from_deg,
                                  [55.0, 180.0, 180.0])


@pytest.mark.parametrize(("stamps", "first", "last"), [
    (("10-08-2018 0:00", "10-08-2018 1:00"), "2018-08-10T00:00", "2018-08-10T01:00"),
    (("31/12/13 23:00", "01/01/14 0:00"), "2013-12-31T23:00", "2014-01-01T00:00"),
    (("11/11/13 23:00", "11/12/13 0:00"), "2013-11-11T23:00", "2013-11-12T00:00"),  # month first
    (("2018-06-21T02:30:00Z", "2018-06-21T03:30:00Z"), "2018-06-21T02:30", "2018-06-21T03:30"),
    (("2018-06-21 23:00:00", "2018-06-21 24:00:00"), "2018-06-21T23:00", "2018-06-22T00:00"),
])
def test_dates_are_read_in_every_style(tmp_path, stamps, first, last):
    table = read_weather(written(tmp_path, "Instance,datetime,WS,WD",
                                 *(f"x,{stamp},5,90" for stamp in stamps)))
    assert [str(time) for time in table.time] == [first, last]


@pytest.mark.parametrize("hours", [("13:00",) * 3, ("22:00", "23:00", "0:00")])
def test_where_the_dates_do_not_advance_the_rows_are_the_clock(tmp_path, hours):
    path = written(tmp_path, "Instance,datetime,WS,WD",
                   *(f"x,15/07/13 {hour},5,90" for hour in hours))
    with pytest.warns(WeatherWarning, match="each row is read as the hour after the row before"):
        table = read_weather(path)
    assert table.time is None
    np.testing.assert_array_equal(table.minutes, [0.0, 60.0, 120.0])


def test_all_modes_of_c2fw_have_their_columns(tmp_path):
    row = "x,2013-11-11 18:00,26,321"
    five = read_weather(written(tmp_path, "Instance,datetime,WS,WD,m_1h,m_10h,m_100h,m_lherb,"
                                "m_lwoody", f"{row},3,4,5,30,60"))
    assert (five.dead_moisture_1h[0], five.dead_moisture_10h[0], five.dead_moisture_100h[0],
            five.live_moisture_herb[0], five.live_moisture_woody[0]) == pytest.approx(
                (0.03, 0.04, 0.05, 0.3, 0.6))
    scenario = read_weather(written(tmp_path, "Instance,datetime,WS,WD,FireScenario", f"{row},2"))
    assert scenario.fire_scenario[0] == 2.0
    ffmc = read_weather(written(tmp_path, "Instance,datetime,WS,WD,FFMC", f"{row},92"))
    assert ffmc.fine_fuel_moisture_code[0] == 92.0
    air = read_weather(written(tmp_path, "Instance,datetime,WS,WD,T,RH", f"{row},18,30"))
    assert (air.temperature_c[0], air.relative_humidity[0]) == (18.0, pytest.approx(0.3))


def test_a_station_may_have_gaps_and_blank_rain_which_are_told(tmp_path):
    path = written(tmp_path, "datetime,TMP,RH,APCP,WS,WD", "2023-01-01 00:00:00,9,80,,2,305",
                   "2023-01-01 01:00:00,9,80,1,2,305", "2023-01-01 05:00:00,9,80,0,2,305",
                   "2023-01-01 06:00:00,9,80,0,2,305")
    with pytest.warns(WeatherWarning) as told:
        table = read_weather(path)
    said = " ".join(str(one.message) for one in told)
    assert "line 2: rain is blank here" in said
    assert "line 4: 4 hours after the row before" in said
    assert not table.one_fire
    assert table.rain_mm[0] == 0.0
    assert runs(table) == [slice(0, 2), slice(2, 4)]
    assert step_min(table) == 60.0


@pytest.mark.parametrize("zone", ["Z", "+00:00", "+0000"])
def test_a_station_in_greenwich_time_is_told(tmp_path, zone):
    rows = [f"2023-01-01T{hour:02}:00:00{zone},2,305" for hour in range(3)]
    with pytest.warns(WeatherWarning, match=r"s\.csv: times are in UTC"):
        table = read_weather(written(tmp_path, "datetime,WS,WD", *rows, name="s.csv"))
    assert str(table.time[0]) == "2023-01-01T00:00"


@pytest.mark.filterwarnings("error::firebreak.weather.formats.table.WeatherWarning")
def test_local_time_and_a_fires_own_hours_are_not_told(tmp_path):
    for head, zone, mark in (("datetime", "-03:00", ""), ("datetime", "", ""),
                             ("Scenario,datetime", "Z", "x,")):
        rows = [f"{mark}2023-01-01T{hour:02}:00:00{zone},2,305" for hour in range(3)]
        assert read_weather(written(tmp_path, f"{head},WS,WD", *rows)).rows == 3


WINDNINJA = ('"Station_Name","Coord_Sys(PROJCS,GEOGCS)","Datum(WGS84,NAD83,NAD27)","Lat/YCoord",'
             '"Lon/XCoord","Height","Height_Units(meters,feet)","Speed",'
             '"Speed_Units(mph,kph,mps,kts)","Direction(degrees)","Temperature",'
             '"Temperature_Units(F,C)","Cloud_Cover(%)","Radius_of_Influence",'
             '"Radius_of_Influence_Units(miles,feet,meters,km)","date_time"')


def windninja(speed="10,mph", heat="50,F", height="20,feet", hour=18):
    return (f"S,GEOGCS,WGS84,46.9,-120,{height},{speed},350,{heat},25,-1,km,"
            f"2018-06-21T{hour}:30:00Z")


def test_units_of_each_row_are_honoured_and_the_clock_becomes_solar(tmp_path):
    table = read_weather(written(tmp_path, WINDNINJA, windninja(), windninja("10,mps", hour=19),
                                 windninja("10,kph", "10,C", hour=20),
                                 windninja("10,kts", hour=21)))
    np.testing.assert_allclose(table.wind_20ft_m_min, [10 * MPH, 600.0, 10 * KM_H, 18.52 * KM_H])
    np.testing.assert_allclose(table.temperature_c, 10.0)
    assert str(table.time[0]) == "2018-06-21T10:30"  # 120 degrees west is 8 hours
    assert table.cloud_cover[0] == 0.25


def test_only_winds_at_10_m_and_20_ft_are_known():
    np.testing.assert_allclose(wind_at_20ft(np.array([115.0]), 10.0, "x"), [100.0])
    np.testing.assert_array_equal(wind_at_20ft(np.array([115.0]), 6.0959, "x"), [115.0])
    with pytest.raises(InputError, match="at 10 m or at 20 ft"):
        wind_at_20ft(np.array([115.0]), 2.0, "x")


def test_frequent_rows_are_thinned_to_the_last_of_each_hour(tmp_path):
    rows = [f"2023-01-01 {hour:02}:{minute:02}:00,9,80,1,{10 * hour + minute / 10},305"
            for hour in (4, 5) for minute in range(0, 60, 10)]
    table = hourly(read_weather(written(tmp_path, "datetime,TMP,RH,APCP,WS,WD", *rows)))
    assert [str(time)[-5:] for time in table.time] == ["04:00", "05:00", "06:00"]
    np.testing.assert_allclose(table.wind_20ft_m_min * 1.15 / KM_H, [40.0, 50.0, 55.0])
    np.testing.assert_array_equal(table.minutes, [0.0, 60.0, 120.0])
    np.testing.assert_array_equal(table.rain_mm, [1.0, 6.0, 5.0])


WXS = ("RAWS_UNITS: English", "RAWS_ELEVATION: 100", "RAWS: 2",
       "Year Mth Day Time Temp RH HrlyPcp WindSpd WindDir CloudCov",
       "2023 2 1 2300 50 64 0.10 10 155 30", "2023 2 2 0000 59 68 0.00 20 360 0")


def test_a_wxs_file_is_read_in_either_system(tmp_path):
    english = read_weather(written(tmp_path, *WXS, name="a.wxs"))
    np.testing.assert_allclose(english.temperature_c, [10.0, 15.0])
    np.testing.assert_allclose(english.rain_mm, [2.54, 0.0])
    np.testing.assert_allclose(english.wind_20ft_m_min, [10 * MPH, 20 * MPH])
    np.testing.assert_allclose(english.cloud_cover, [0.3, 0.0])
    metric = read_weather(written(tmp_path, WXS[0].replace("English", "metric"), *WXS[1:3],
                                  *WXS[4:], name="b.wxs"))
    np.testing.assert_array_equal(metric.temperature_c, [50.0, 59.0])
    np.testing.assert_allclose(metric.wind_20ft_m_min, np.array([10.0, 20.0]) * KM_H / 1.15)
    np.testing.assert_array_equal(metric.wind_from_deg, [155.0, 0.0])


def test_a_raws_block_is_found_inside_an_input_file(tmp_path):
    table = read_weather(written(tmp_path, "FUEL_MOISTURES_DATA: 1", "0 5 6 7 30 60", *WXS,
                                 "FOLIAR_MOISTURE_CONTENT: 100", name="run.input"))
    assert table.rows == 2


def test_wtr_and_wnd_make_hourly_weather_between_the_extremes(tmp_path):
    written(tmp_path, "METRIC", "2 1 12 600 1400 10 30 80 20 482 100 400",
            "2 2 0 600 1400 12 32 80 20 482", name="a.wtr")
    wind = written(tmp_path, "METRIC", "2 1 0 23 155 0", "2 1 1230 11.5 0 50", "2 2 2300 46 90 0",
                   name="a.wnd")
    table = read_weather(wind)
    assert table.rows == 48
    assert table.temperature_c[[6, 14, 30, 38]] == pytest.approx([10.0, 30.0, 12.0, 32.0])
    assert table.relative_humidity[[6, 14]] == pytest.approx([0.8, 0.2])
    assert table.temperature_c[10] == pytest.approx(20.0)  # half way, half the cosine
    # Ten of the sixteen hours from the 30 degrees of a day before to the 10.
    assert table.temperature_c[0] == pytest.approx(20.0 + 10.0 * np.cos(np.pi * 10 / 16))
    np.testing.assert_allclose(table.rain_mm[:7], [0, 0, 4, 4, 4, 0, 0])
    assert table.rain_mm.sum() == pytest.approx(12.0)
    np.testing.assert_allclose(table.wind_20ft_m_min[[12, 13, 46, 47]],
                               np.array([23.0, 11.5, 11.5, 46.0]) * KM_H / 1.15)
    same = read_weather(tmp_path / "a.wtr")
    np.testing.assert_array_equal(same.temperature_c, table.temperature_c)


def test_english_wtr_rain_is_in_hundredths_of_an_inch(tmp_path):
    written(tmp_path, "ENGLISH", "2 1 100 600 1400 50 86 80 20 482", name="a.wtr")
    table = read_weather(written(tmp_path, "ENGLISH", "2 1 0 10 155 0", "2 1 2400 10 155 0",
                                 name="a.wnd"))
    assert table.rain_mm.sum() == pytest.approx(25.4)
    assert table.temperature_c.max() == pytest.approx(30.0)


def cell2fire(*rows, head=HEAD):
    return [head, *rows]


@pytest.mark.parametrize(("lines", "words"), [
    ([""], "expected rows of weather, got an empty file"),
    ([HEAD], "line 1: expected rows of weather below the header, got none"),
    (cell2fire(ROWS[0], ROWS[2], ROWS[2].replace("15:", "16:")),
     "line 4: expected a row every 120 min, got one after 60 min; fill the gap"),
    (cell2fire(*ROWS[:2], ROWS[2].replace("15:", "19:")),
     "line 4: expected a row every 60 min, got one after 300 min; fill the gap"),
    (cell2fire(ROWS[0], ROWS[1].replace("2001-10-16", "16/10/2001")),
     "line 3: expected dates written like '2001-10-16 13:00', got '16/10/2001 14:00'"),
    (cell2fire(ROWS[0], ROWS[1].replace("2001-10-16", "16-10-2001")), "line 3: expected dates"),
    (cell2fire(ROWS[0].replace("2001-10", "2001-13")), "line 2: expected a date and time that e"),
    (cell2fire(ROWS[0].replace("2001-10-16", "31-02-2001")), "line 2: expected a date and time"),
    (cell2fire(ROWS[0].replace("13:00", "25:00")), "line 2: expected a date and time that exist"),
    (cell2fire(ROWS[0].replace("2001-10-16 13:00", "noon")), "line 2: expected a date and time"),
    (cell2fire(ROWS[1], ROWS[0].replace("10-16", "10-15")), "line 3: expected times that rise"),
    (cell2fire(ROWS[0].replace(",23,", ",fast,")), "line 2: expected a wind speed as a number"),
    (cell2fire(ROWS[0].replace(",23,", ",,")), "line 2: expected a wind speed as a number, got"),
    (cell2fire(ROWS[0].replace(",23,", ",999,")), r"line 2: expected a wind speed in .0, 360. km"),
    (cell2fire(ROWS[0].replace(",23,", ",-1,")), "line 2: expected a wind speed in"),
    (cell2fire(ROWS[0].replace(",23,", ",nan,")), "line 2: expected a wind speed in"),
    (cell2fire(ROWS[0].replace(",235", ",361")), r"line 2: expected a wind direction in .0, 360"),
    (cell2fire(ROWS[0].replace("17.7", "170")), r"line 2: expected a temperature in \[-60, 60\] C"),
    (cell2fire(ROWS[0].replace(",20,", ",120,")), r"line 2: expected a relative humidity in .0,"),
    (cell2fire(*(row.replace(",20,", ",0.2,").replace(",18,", ",0.18,") for row in ROWS)),
     "expected relative humidities in percent, got at most 0.2"),
    (cell2fire(ROWS[0] + ",1"), "line 2: expected 7 cells as in the header, got 8"),
    (["Scenario,datetime,TMP,WS", "A,2001-10-16 13:00,17.7,23"], "expected a column 'WD'"),
    (["Scenario,when,WS,WD", "A,2001-10-16 13:00,17.7,23"], "expected a column 'datetime'"),
    (["Instance,datetime,WS,WD,FireScenario", "A,2001-10-16 13:00,17,23,5"],
     r"line 2: expected a moisture scenario in \[1, 4\]"),
    (["Instance,datetime,WS,WD,FireScenario", "A,2001-10-16 13:00,17,23,1.5"],
     "line 2: expected a moisture scenario 1, 2, 3 or 4, got 1.5"),
    (["Station_File_List,", "KMSO.csv", "TS934.csv"],
     "got a list of station files; name one of them, such as KMSO.csv"),
    (["Station_File_List"], "got a list of station files; name a station's file"),
    ([",,", ",,"], "line 1: expected rows of weather below the header"),
    (["datetime,TMP,WS", "2001-10-16 13:00,17.7,23"], "expected a column 'WD'.*add a column 'WD'"),
    (["datetime,WDR,WS", "2001-10-16 13:00,17.7,23"], "is 'WDR' meant. rename it"),
    (["Station_File_List,", "KMSO.csv,"], "got a list of station files; name one of them"),
    ([WINDNINJA, windninja("10,furlongs")], "line 2: expected a unit of mph, kph, mps, kts"),
    ([WINDNINJA, windninja(height="high,feet")], "line 2: expected a height as a number"),
    ([WINDNINJA, windninja(height="6,feet")], "expected a wind measured at 10 m or at 20 ft"),
    ([WINDNINJA, windninja(), windninja(height="10,meters", hour=19)],
     "line 3: expected one height of the wind, 6.096 m, got 10 m"),
    ([WXS[0].replace("English", "Imperial"), *WXS[1:]], "expected RAWS_UNITS: English or Metric"),
    ([*WXS[:2], *WXS[3:]], "expected a heading 'RAWS: number of rows'"),
    (WXS[:-1], "line 5: expected 2 rows as the heading says, got 1"),
    ([*WXS[:-1], "2023 2 2 0000 59 68"], "line 6: expected 10 numbers"),
    ([*WXS[:-1], WXS[-1].replace("2 2 0000", "13 2 0000")], "line 6: expected a date and"),
    ([*WXS[:-1], WXS[-1].replace("0000", "noon")], "line 6: expected year, month, day and"),
    ([WXS[0], WXS[1], "RAWS: 3", *WXS[4:], WXS[-1].replace("0000", "0300")],
     "line 6: expected a row every 60 min, got one after 180 min"),
    ([*WXS[:-1], WXS[-1].replace("59", "212")], r"line 6: expected a temperature in .-76, 140. F"),
])
def test_a_bad_file_is_refused_with_its_name_and_line(tmp_path, lines, words):
    path = written(tmp_path, *lines)
    with pytest.raises(InputError, match=words) as error:
        read_weather(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("wtr", "wnd", "words"), [
    (None, ["METRIC", "2 1 0 23 155 0"], "expected a.wtr beside it"),
    (["metre"], ["METRIC", "2 1 0 23 155 0"], "a.wtr, line 1: expected ENGLISH or METRIC"),
    (["METRIC"], ["METRIC", "2 1 0 23 155 0"], "a.wtr: expected rows of weather below"),
    (["METRIC", "2 1 0 600 1400 10 30 80 20"], ["METRIC", "2 1 0 23 155 0"],
     "a.wtr, line 2: expected 10 or 12 numbers"),
    (["METRIC", "2 1 0 600 1475 10 30 80 20 4"], ["METRIC", "2 1 0 23 155 0"],
     "a.wtr, line 2: expected a time of day as HHMM, got '1475'"),
    (["METRIC", "2 1 9 600 1400 10 30 80 20 4 900 800"], ["METRIC", "2 1 0 23 155 0"],
     "a.wtr, line 2: expected rain that ends after it starts"),
    (["METRIC", "2 1 0 600 1400 10 30 80 20 4", "2 4 0 600 1400 10 30 80 20 4",
      "2 5 0 600 1400 10 30 80 20 4"], ["METRIC", "2 1 0 23 155 0"],
     "a.wtr, line 4: expected a row every 4320 min"),
    (["METRIC", "2 1 0 600 1400 10 30 80 20 4"], ["METRIC", "2 1 0 23 155 0", "2 1 0 23 155 0"],
     "a.wnd, line 3: expected times that rise"),
])
def test_a_bad_wtr_or_wnd_is_refused_with_its_name_and_line(tmp_path, wtr, wnd, words):
    if wtr:
        written(tmp_path, *wtr, name="a.wtr")
    with pytest.raises(InputError, match=words):
        read_weather(written(tmp_path, *wnd, name="a.wnd"))


@pytest.mark.parametrize("days", [("2 28", "2 29", "3 1"), ("02 28", "03 01")])
def test_wtr_and_wnd_have_a_leap_day_where_they_name_it(tmp_path, days):
    written(tmp_path, "METRIC", *(f"{day} 0 600 1400 10 30 80 20 4" for day in days), name="a.wtr")
    wind = written(tmp_path, "METRIC", f"{days[0]} 0 23 155 0", f"{days[-1]} 2300 23 155 0",
                   name="a.wnd")
    assert read_weather(wind).rows == 24 * len(days)


def test_missing_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="got no such file"):
        read_weather(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"got 0 files Weather<N>\.csv; name the weather file"):
        read_weather(tmp_path)
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="text file in UTF-8"):
        read_weather(tmp_path / "x.csv")


def test_numbered_files_come_in_the_order_of_their_numbers(tmp_path):
    folder = tmp_path / "Weathers"
    folder.mkdir()
    for number in (10, 2, 1, 33):
        (folder / f"Weather{number}.csv").touch()
    (folder / "Weather.txt").touch()
    for place in (folder, tmp_path):
        assert [path.name for path in numbered_weather(place)] == [
            "Weather1.csv", "Weather2.csv", "Weather10.csv", "Weather33.csv"]
    (tmp_path / "Weather.csv").touch()
    assert numbered_weather(tmp_path) == []


def test_the_columns_of_a_table_are_read_only(tmp_path):
    table = read_weather(written(tmp_path, HEAD, *ROWS))
    with pytest.raises(ValueError, match="read-only"):
        table.wind_20ft_m_min[0] = 1.0


def test_a_folder_of_weather_rasters_is_told_what_to_give_instead(tmp_path):
    for name in ("ws_1.tif", "wd_1.tif"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match="expected a table of weather, got rasters of hourly"):
        read_weather(tmp_path)


@pytest.mark.filterwarnings("ignore::firebreak.weather.formats.table.WeatherWarning")
@pytest.mark.parametrize(("name", "rows", "one_fire"), [
    ("cell2fire-sub20x20", 8, True), ("cell2fire-sub40x40/Weather.csv", 7, True),
    ("cell2fire-dogrib/Weather.csv", 8, True), ("cell2fire-arrowhead-fire1", 24, True),
    ("c2fw-kitral-portezuelo", 10, True), ("c2fw-sb-vilopriu", 7, True),
    ("c2fw-sb-vilo100/Weather.csv", 14, True), ("c2fw-sb-vilo100/Weather_night.csv", 12, True),
    ("c2fw-sb-vilo100/Weather_direct.csv", 7, True),
    ("weather-chile-dmc/Panguipulli.csv", 3864, False),
    ("weather-chile-dmc/Pudahuel.csv", 4368, False),
    ("weather-chile-dmc/Rucatayo.csv", 5112, False),
    ("weather-chile-dmc/Villarrica.csv", 4368, False),
    ("weather-missoula-stations/KMSO-MDT-2018-06-20_2128-2018-06-21_2128-0.csv", 341, False),
    ("weather-missoula-stations/TR266-MDT-2018-06-20_2128-2018-06-21_2128-3.csv", 27, False),
    ("weather-streams-derived/pudahuel_2023-02.wxs", 240, False),
    ("weather-streams-derived/pudahuel_2023-02.wtr", 240, False),
    ("weather-streams-derived/pudahuel_2023-02.wnd", 240, False),
])
def test_real_files_have_their_rows(data_dir, name, rows, one_fire):
    table = read_weather(data_dir / name)
    assert (table.rows, table.one_fire) == (rows, one_fire)
    assert np.isfinite(table.wind_20ft_m_min).all()


def test_the_real_wxs_agrees_with_the_station_and_the_wtr_it_was_made_from(data_dir):
    folder = data_dir / "weather-streams-derived"
    wxs = read_weather(folder / "pudahuel_2023-02.wxs")
    pair = read_weather(folder / "pudahuel_2023-02.wtr")
    station = read_weather(data_dir / "weather-chile-dmc" / "Pudahuel.csv")
    first = int(np.flatnonzero(station.time == wxs.time[0])[0])
    here = slice(first, first + wxs.rows)
    # The streams were rounded to whole km/h, degrees and percent.
    rounding = 0.5 * KM_H / 1.15 + 1e-9
    assert np.abs(wxs.wind_20ft_m_min - station.wind_20ft_m_min[here]).max() <= rounding
    assert np.abs(wxs.temperature_c - station.temperature_c[here]).max() <= 0.5 + 1e-9
    np.testing.assert_array_equal(pair.wind_20ft_m_min, wxs.wind_20ft_m_min)
    np.testing.assert_array_equal(pair.time, wxs.time)
    # A cosine between a day's extremes is near the measured course of the day.
    assert np.abs(pair.temperature_c - wxs.temperature_c).mean() < 2.0
    assert np.abs(pair.relative_humidity - wxs.relative_humidity).mean() < 0.07


def test_real_weather_sets_have_their_files(data_dir):
    assert len(numbered_weather(data_dir / "cell2fire-sub20x20" / "Weathers")) == 129
    files = numbered_weather(data_dir / "cell2fire-sub40x40" / "Weathers")
    assert len(files) == 360
    assert read_weather(files[7]).wind_from_deg[0] == 7.0
