"""Station tables as their makers write them: the same hours in the names and units of each."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.weather.formats.read import read_weather
from firebreak.weather.formats.table import WeatherTable, WeatherWarning

KM_H = 1000.0 / 60.0
OURS = ("datetime,TMP,RH,WS,WD,APCP", "2025-07-01 00:00,15,57,18,250,0",
        "2025-07-01 01:00,20,60,36,285,2.54")
CFFDRS = ("id,lat,long,yr,mon,day,hr,temp,rh,ws,wd,prec", "1,33.8,-117.7,2025,7,1,0,15,57,18,250,0",
          "1,33.8,-117.7,2025,7,1,1,20,60,36,285,2.54")
OPEN_METEO = ("latitude,longitude,elevation", "33.79,-117.66,640.0", "",
              "time,temperature_2m (°C),relative_humidity_2m (%),precipitation (mm),"
              "wind_speed_10m (km/h),wind_direction_10m (°)",
              "2025-07-01T00:00,15,57,0,18,250", "2025-07-01T01:00,20,60,2.54,36,285")
SYNOPTIC = ("# STATION: XYZ01", "# ELEVATION [ft]: 2100",
            "Station_ID,Date_Time,air_temp_set_1,relative_humidity_set_1,wind_speed_set_1,"
            "wind_direction_set_1,precip_accum_one_hour_set_1",
            ",,Celsius,%,m/s,Degrees,Millimeters",
            "XYZ01,2025-07-01T00:00:00-0700,15,57,5,250,0",
            "XYZ01,2025-07-01T01:00:00-0700,20,60,10,285,2.54")
MPH = ("datetime,TMP (F),RH,WS (mph),WD,APCP (in)",
       f"2025-07-01 00:00,59,57,{18 / 1.609344!r},250,0",
       f"2025-07-01 01:00,68,60,{36 / 1.609344!r},285,0.1")
FW21 = ("StationID,DateTime,Temperature(F),RelativeHumidity(%),Precipitation(in),WindSpeed(mph),"
        "WindAzimuth(degrees),SnowFlag,GustSpeed(mph)",
        "045453,2025-07-01T00:00:00-07:00,59,57,0.00,10,250,0,19",
        "045453,2025-07-01T01:00:00-07:00,68,60,0.10,20,285,0,29")


def read(folder: Path, *lines: str) -> WeatherTable:
    path = folder / "station.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_weather(path)


@pytest.mark.filterwarnings("ignore:.*at what height")
@pytest.mark.parametrize("lines", [CFFDRS, OPEN_METEO, SYNOPTIC, MPH, FW21],
                         ids=["cffdrs", "open-meteo", "synoptic", "mph", "fw21"])
def test_the_same_hours_in_the_names_and_units_of_each_maker(tmp_path: Path,
                                                             lines: tuple[str, ...]) -> None:
    ours, theirs = read(tmp_path, *OURS), read(tmp_path, *lines)
    for name in ("time", "minutes", "wind_from_deg", "temperature_c", "relative_humidity",
                 "rain_mm"):
        values = getattr(theirs, name)
        if name == "time":
            assert (values == ours.time).all()
        else:
            np.testing.assert_allclose(values, getattr(ours, name), err_msg=name)
    # FW21's wind is measured at 20 ft, that of the others at 10 m.
    wind = np.array([10.0, 20.0]) * 1609.344 / 60 if lines is FW21 else ours.wind_20ft_m_min
    np.testing.assert_allclose(theirs.wind_20ft_m_min, wind)


@pytest.mark.parametrize(("head", "words"), [
    ("datetime,WindSpeed,WD", "a unit of 'WindSpeed' such as km/h, .*got none; write it into"),
    ("datetime,WS (ft/s),WD", "a unit of 'WS .ft/s.' such as km/h, .*got 'ft/s'"),
    ("datetime,Wind,WD", "line 1: expected a column 'WS', km/h at 10 m, got columns"),
    ("datetime,WS,Direction", "a column 'WD', degrees that the wind blows from, got columns"),
])
def test_the_unit_that_is_wanted_is_named(tmp_path: Path, head: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, head, "2025-07-01 00:00,10,250", "2025-07-01 01:00,10,250")


def test_remarks_above_the_header_do_not_move_the_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"csv, line 4: expected a wind speed .*got 'x'"):
        read(tmp_path, "# a remark", OURS[0], OURS[1], "2025-07-01 01:00,20,60,x,285,2.54")
    with pytest.raises(InputError, match=r"csv, line 2: expected a column 'WD'"):
        read(tmp_path, "# a remark", "datetime,WS", "2025-07-01 01:00,20")


def hours(count: int, day: str = "2025-07-01") -> list[str]:
    return [f"{day} {hour:02}:00,15,57,{hour},250,0" for hour in range(count)]


@pytest.mark.parametrize("cell", ["", "NA", "999", "-9999", "null"])
@pytest.mark.parametrize("column", [1, 2, 3, 4])
def test_a_missing_hour_is_a_gap(tmp_path: Path, cell: str, column: int) -> None:
    rows = hours(20)
    cells = rows[7].split(",")
    rows[7] = ",".join([*cells[:column], cell, *cells[column + 1:]])
    with pytest.warns(WeatherWarning, match=r"line 9: a number is missing; this row is left out"
                      ), pytest.warns(WeatherWarning, match="2 hours after the row before"):
        table = read(tmp_path, OURS[0], *rows)
    assert table.minutes.tolist() == [60.0 * hour for hour in range(20) if hour != 7]
    rows[8:] = [rows[7].replace(" 07:", f" {hour:02}:") for hour in range(8, 20)]
    with pytest.raises(InputError, match="line 9: expected"):
        read(tmp_path, OURS[0], *rows)


def test_a_drought_code_of_999_is_a_number(tmp_path: Path) -> None:
    rows = [f"{row},999" for row in hours(20)]
    assert (read(tmp_path, f"{OURS[0]},DC", *rows).drought_code == 999.0).all()


def test_the_hour_that_the_clock_repeats_is_left_out(tmp_path: Path) -> None:
    rows = hours(24, "2025-11-02")
    with pytest.warns(WeatherWarning, match="line 4: the clock repeats an hour; this row is left"):
        table = read(tmp_path, OURS[0], *rows[:2], rows[1], *rows[2:])
    assert table.minutes.tolist() == [60.0 * hour for hour in range(24)]
    with pytest.raises(InputError, match="line 14: expected times that rise"):
        read(tmp_path, OURS[0], *rows[:12], rows[11], *rows[12:])


def test_dates_without_a_time_of_day_are_hours_of_a_fire(tmp_path: Path) -> None:
    rows = [f"F1,2007-05-{27 + hour // 24},8,300" for hour in range(30)]
    with pytest.warns(WeatherWarning, match="dates have no time of day, so each row is read as"):
        table = read(tmp_path, "Scenario,datetime,WS,WD", *rows)
    assert table.minutes.tolist() == [60.0 * hour for hour in range(30)]
    assert table.time is None


SOLAR = np.timedelta64(round(4 * -117.66), "m")
"""From UTC to the local solar time of the place of these tables."""


@pytest.mark.parametrize("zone", ["GMT,GMT", "UTC,UTC", "Etc/UTC,UTC", '"GMT","GMT"', "UTC,GMT"])
def test_an_export_of_open_meteo_in_utc_is_read_by_the_sun_of_its_place(tmp_path: Path,
                                                                        zone: str) -> None:
    place = ("latitude,longitude,elevation,utc_offset_seconds,timezone,timezone_abbreviation",
             f"33.79,-117.66,640.0,0,{zone}", "")
    table = read(tmp_path, *place, *OPEN_METEO[3:])
    assert (table.time == read(tmp_path, *OURS).time + SOLAR).all()


@pytest.mark.parametrize("zone", ["-25200,America/Los_Angeles,GMT-7", "0,Africa/Abidjan,GMT",
                                  "0,Europe/London,GMT", "3600,Europe/London,BST"])
def test_an_export_of_open_meteo_in_the_time_of_its_place_stays_as_it_is(tmp_path: Path,
                                                                         zone: str) -> None:
    place = ("latitude,longitude,elevation,utc_offset_seconds,timezone,timezone_abbreviation",
             f"33.79,-117.66,640.0,{zone}", "")
    assert (read(tmp_path, *place, *OPEN_METEO[3:]).time == read(tmp_path, *OURS).time).all()


@pytest.mark.filterwarnings("ignore:.*at what height")
def test_times_in_utc_take_the_longitude_of_a_remark(tmp_path: Path) -> None:
    lines = [line.replace("-0700", "Z") for line in SYNOPTIC]
    with pytest.warns(WeatherWarning, match="times are in UTC and no longitude is given"):
        assert (read(tmp_path, *lines).time == read(tmp_path, *OURS).time).all()
    table = read(tmp_path, "# LATITUDE: 33.79", "# LONGITUDE: -117.66", *lines)
    assert (table.time == read(tmp_path, *OURS).time + SOLAR).all()


@pytest.mark.parametrize(("zone", "is_utc"), [("UTC", True), ("GMT", True), ("LST", False)])
def test_a_zone_beside_the_name_of_the_times_holds(tmp_path: Path, zone: str,
                                                   is_utc: bool) -> None:
    lines = ("# longitude: -117.66", OURS[0].replace("datetime", f"datetime ({zone})"), *OURS[1:])
    found = read(tmp_path, *lines).time
    assert (found == read(tmp_path, *OURS).time + (SOLAR if is_utc else np.timedelta64(0))).all()
    with pytest.raises(InputError, match=r"a column 'datetime'.*datetime \(PST\)"):
        read(tmp_path, OURS[0].replace("datetime", "datetime (PST)"), *OURS[1:])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("unit", "height_m"), [("km/h at 10 m", 10.0), ("km/h at 20 ft", 6.096),
                                                ("km/h @ 6.1m", 6.1), ("kmh at 10 m", 10.0)])
def test_the_height_of_a_wind_may_stand_beside_its_unit(tmp_path: Path, unit: str,
                                                        height_m: float) -> None:
    rows = ("2025-07-01 00:00,18,250", "2025-07-01 01:00,36,285")
    wind = read(tmp_path, f"datetime,WindSpeed ({unit}),WD", *rows).wind_20ft_m_min
    per_20ft = 1.15 if height_m == 10.0 else 1.0
    np.testing.assert_allclose(wind, np.array([18.0, 36.0]) * KM_H / per_20ft)
    row = read(tmp_path, "datetime,WindSpeed,WD", f",{unit},degrees", *rows).wind_20ft_m_min
    np.testing.assert_allclose(row, wind)
    with pytest.raises(InputError, match="a wind measured at 10 m or at 20 ft"):
        read(tmp_path, "datetime,WindSpeed (km/h at 2 m),WD", *rows)


@pytest.mark.parametrize("name", ["WindSpeed (mph)", "wind_speed (km/h)"])
def test_a_wind_of_unknown_height_is_said_to_be_read_as_at_10_m(tmp_path: Path,
                                                               name: str) -> None:
    with pytest.warns(WeatherWarning, match="nothing says at what height '[Ww]ind.* at 20 ft for"):
        read(tmp_path, f"datetime,{name},WD", "2025-07-01 00:00,18,250", "2025-07-01 01:00,36,285")


@pytest.mark.parametrize("lines", [
    ("datetime,T,RH,WS,WD,APCP", ",F,%,km/h,deg,mm", "2025-07-01 00:00,59,57,18,250,0",
     "2025-07-01 01:00,68,60,36,285,2.54"),
    ("datetime,T (F),RH (%),WS,WD,APCP", "2025-07-01 00:00,59,57,18,250,0",
     "2025-07-01 01:00,68,60,36,285,2.54"),
    ("datetime,T,RH,WS,WD,APCP", *OURS[1:])])
def test_a_short_name_of_the_temperature_has_its_unit_too(tmp_path: Path,
                                                          lines: tuple[str, ...]) -> None:
    assert np.allclose(read(tmp_path, *lines).temperature_c, [15.0, 20.0])


def test_brackets_do_not_hide_a_column(tmp_path: Path) -> None:
    table = read(tmp_path, "datetime,WS,WD,FFMC (-),m_1h (%)", "2025-07-01 00:00,18,250,90,6",
                 "2025-07-01 01:00,36,285,91,7")
    assert table.fine_fuel_moisture_code.tolist() == [90.0, 91.0]
    np.testing.assert_allclose(table.dead_moisture_1h, [0.06, 0.07])


@pytest.mark.parametrize("name", ["id", "Station_ID", "location_id"])
def test_rows_of_several_stations_are_refused(tmp_path: Path, name: str) -> None:
    rows = [f"{station},2025-07-0{day} {hour:02}:00,18,250"
            for day, station in ((1, "A"), (2, "B")) for hour in range(3)]
    with pytest.raises(InputError, match="the rows of one station, got 2, such as 'A' and 'B'"):
        read(tmp_path, f"{name},datetime,WS,WD", *rows)


@pytest.mark.parametrize("cell", ["M", "NaN", "-999", "-99.9", ""])
def test_a_missing_rain_is_no_rain(tmp_path: Path, cell: str) -> None:
    rows = hours(4)
    rows[2] = rows[2].removesuffix("0") + cell
    with pytest.warns(WeatherWarning, match="line 4: rain is blank here"):
        table = read(tmp_path, OURS[0], *rows)
    assert table.rain_mm.tolist() == [0.0] * 4
