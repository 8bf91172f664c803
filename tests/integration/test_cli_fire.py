"""Fire behaviour as a user meets it: the options of every command that burns, and what they refuse.

Small maps and files are written here; real folders are asked for and skipped where they are absent.
"""

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from firebreak.cli import main

Out = pytest.CaptureFixture[str]

SIZE, CELL_M = 24, 30.0
WEST, NORTH = 500_000.0, 5_000_000.0
BARRIER_ROW = 14
SOUTHWARD = 'wind_from_deg = [0]\nwind_20ft_mph = [20]\nmoisture = "D2L2"\n'

pytestmark = pytest.mark.filterwarnings("ignore:.*coordinate reference system",
                                        "ignore:.*grass curing", "ignore:.*canopy height",
                                        "ignore:.*have one date", "ignore:.*disagree")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take a second a run and are tested elsewhere."""
    monkeypatch.setattr("firebreak.report.pages.run_report.write_simulation_report",
                        lambda *_args, **_options: [])
    monkeypatch.setattr("firebreak.report.pages.plan_report.write_plan_report",
                        lambda *_args, **_options: [])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with grass.tif, wood.tif, south.toml, start.csv and line.csv."""
    monkeypatch.chdir(tmp_path)
    write_land("grass.tif", fuel=102)
    write_land("wood.tif", fuel=165, cover=60, height=180, base=10, density=15)
    Path("south.toml").write_text(SOUTHWARD)
    Path("start.csv").write_text("row,col\n4,12\n")
    cells = "\n".join(f"{BARRIER_ROW},{col}" for col in range(SIZE))
    Path("line.csv").write_text(f"row,col\n{cells}\n")
    return tmp_path


def write_land(name: str, *, fuel: int | np.ndarray, elevation: int = 1000, cover: int = 0,
               height: int = 0, base: int = 0, density: int = 0) -> None:
    """A flat landscape of eight bands in LANDFIRE's units."""
    bands = np.zeros((8, SIZE, SIZE), np.int16)
    for band, value in ((0, elevation), (3, fuel), (4, cover), (5, height), (6, base),
                        (7, density)):
        bands[band] = value
    write_raster(name, bands)


def write_raster(name: str, grid: np.ndarray, crs: str | None = "EPSG:32611",
                 west: float = WEST) -> None:
    bands = grid if grid.ndim == 3 else grid[None]
    with rasterio.open(name, "w", driver="GTiff", width=bands.shape[2], height=bands.shape[1],
                       count=bands.shape[0], dtype=bands.dtype, crs=crs,
                       transform=rasterio.Affine(CELL_M, 0, west, 0, -CELL_M, NORTH)) as raster:
        raster.write(bands)


def read(name: str, folder: str = "out") -> np.ndarray:
    """The first band of a result, nan where it has no data."""
    with rasterio.open(Path(folder) / f"{name}.tif") as raster:
        return raster.read(1, masked=True).astype(float).filled(np.nan)


def run(capsys: Out, *arguments: str) -> dict[str, Any]:
    """A command's JSON line; its other words are under "said"."""
    assert main([*arguments, "--threads", "1", "--json"]) == 0
    shown = capsys.readouterr()
    return json.loads(shown.out.strip().splitlines()[-1]) | {"said": shown.out + shown.err}


def simulate(capsys: Out, land: str, *options: str) -> dict[str, Any]:
    return run(capsys, "simulate", land, "--fires", "30", "--out", "out", *options)


def reduction_of_line(capsys: Out, land: str, *options: str, plan: str = "line.csv") -> float:
    """What a break across the map is worth against fires north of it under a north wind."""
    share = str(SIZE / SIZE**2)
    done = run(capsys, "evaluate", land, "--plan", plan, "--methods", "none", "--budget", share,
               "--plan-fires", "2", "--test-fires", "60", "--weather", "south.toml", "--ignitions",
               "start.csv", "--duration-min", "60", *options)
    return float(done["methods"][Path(plan).stem]["reduction"])


# Real folders.

@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*these ignitions are not used")
@pytest.mark.parametrize("folder", [
    "cell2fire-sub20x20", "cell2fire-sub40x40", "cell2fire-dogrib", "cell2fire-arrowhead-fire1",
    "c2fw-sb-vilo100", "c2fw-sb-vilopriu"])
def test_published_instances_burn_in_their_own_weather(folder: str, data_dir: Path, tmp_path: Path,
                                                       capsys: Out) -> None:
    done = run(capsys, "simulate", str(data_dir / folder), "--fires", "3", "--duration-min", "30",
               "--hours", "2", "--out", str(tmp_path))
    assert "of 2 steps of 60 min" in done["said"]
    assert 0.0 < done["mean_burned_share"] < 0.5
    rate, flame = (read(name, str(tmp_path)) for name in ("rate_of_spread_m_min", "flame_length_m"))
    burned = read("burn_probability", str(tmp_path))
    assert 0.1 < np.nanmax(rate) < 150.0
    assert 0.1 < np.nanmax(flame) < 70.0
    assert np.nanmax(burned) > 0.0
    assert (burned[rate == 0.0] <= 1.0 / 3.0).all()  # ignitions at most


@pytest.mark.filterwarnings("ignore:.*these ignitions are not used")
def test_kitral_fuels_are_refused_in_one_sentence(data_dir: Path, capsys: Out) -> None:
    refused(capsys, ["simulate", str(data_dir / "c2fw-kitral-portezuelo")], "kitral_lookup_table")


# Weather.

def test_a_north_wind_of_a_rose_drives_fires_south(place: Path, capsys: Out) -> None:
    # Over 1 ft of grass 36.2 % of the wind at 20 ft (Albini & Baughman 1979), here 5 mi/h.
    Path("rose.toml").write_text(SOUTHWARD.replace("[20]", "[13.808]"))
    write_land("short_grass.tif", fuel=1)
    done = simulate(capsys, "short_grass.tif", "--weather", "rose.toml", "--ignitions",
                    "start.csv", "--duration-min", "4")
    assert "1 weather scenario burned" in done["said"]
    rows, cols = np.nonzero(read("mean_arrival_time_min") >= 0.0)
    assert rows.max() - 4 > 3 * (4 - rows.min())
    assert cols.min() + cols.max() == 2 * 12
    # BEHAVE for fuel model 1 at moistures D2L2 in 5 mi/h.
    np.testing.assert_allclose(read("rate_of_spread_m_min"), 31.48, rtol=0.005)
    np.testing.assert_allclose(read("fireline_intensity_kw_m"), 540.5, rtol=0.01)
    np.testing.assert_allclose(read("flame_length_m"), 1.3999, rtol=0.01)


def station(days: int = 4, wind_from: int = 0) -> str:
    """Hourly rows of a station: dry, windy afternoons."""
    rows = [f"2023-02-{1 + hour // 24:02d} {hour % 24:02d}:00,"
            f"{18 + (hour % 24) // 2},{60 - 2 * (hour % 24)},0,{10 + hour % 24},{wind_from}"
            for hour in range(24 * days)]
    return "\n".join(["datetime,TMP,RH,APCP,WS,WD", *rows, ""])


def wtr_and_wnd() -> tuple[str, str]:
    days = [f"2 {day} 0 500 1500 15 32 70 20 500" for day in range(1, 4)]
    hours = [f"2 {day} {100 * hour} {10 + hour} 0 0" for day in range(1, 4) for hour in range(24)]
    return "METRIC\n" + "\n".join(days) + "\n", "METRIC\n" + "\n".join(hours) + "\n"


def wxs() -> str:
    rows = [f"2023 2 {day} {100 * hour:04d} 30 25 0 {10 + hour} 0 0" for day in range(1, 4)
            for hour in range(24)]
    return "\n".join(["RAWS_UNITS: Metric", "RAWS_ELEVATION: 500", f"RAWS: {len(rows)}", *rows, ""])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "wxs", "wtr"])
@pytest.mark.parametrize("hours", [None, 5])
def test_weather_files_make_scenarios_or_hours(kind: str, hours: int | None, place: Path,
                                               capsys: Out) -> None:
    Path("w.csv").write_text(station())
    Path("w.wxs").write_text(wxs())
    for name, text in zip(("w.wtr", "w.wnd"), wtr_and_wnd(), strict=True):
        Path(name).write_text(text)
    options = ["--weather", f"w.{kind}", "--scenarios", "2", "--ignitions", "start.csv",
               "--duration-min", "40", 
               *([] if hours is None else ["--hours", str(hours)])]
    said = simulate(capsys, "grass.tif", *options)["said"]
    assert ("of 5 steps of 60 min" in said) == (hours == 5)
    rows, _ = np.nonzero(read("burn_probability") > 0.0)
    assert rows.max() - 4 > 4 - rows.min()  # all of it blows from the north


def test_directions_of_a_file_can_be_those_the_wind_blows_to(place: Path, capsys: Out) -> None:
    Path("w.csv").write_text(station())
    Path("middle.csv").write_text("x,y\n500365,4999635\n")  # row 12, column 12
    simulate(capsys, "grass.tif", "--weather", "w.csv", "--wind-towards", "--ignitions",
             "middle.csv", "--duration-min", "20")
    rows, cols = np.nonzero(read("burn_probability") == 1.0)
    assert (rows.max(), cols.min() + cols.max()) == (12, 24)
    assert rows.min() < 11


@pytest.mark.slow
def test_a_wetter_moisture_scenario_is_slower(place: Path, capsys: Out) -> None:
    Path("w.csv").write_text("datetime,WS,WD\n" + "".join(
        f"2023-02-01 {hour:02d}:00,25,0\n" for hour in range(10, 20)))
    rates = []
    for name in ("D1L1", "D2L2", "D3L3"):
        simulate(capsys, "grass.tif", "--weather", "w.csv", "--moisture", name, "--duration-min",
                 "5")
        rates.append(read("rate_of_spread_m_min").max())
    assert rates[0] > rates[1] > rates[2] > 0.0


# Fires.

def test_fires_start_where_a_raster_of_weights_says(place: Path, capsys: Out) -> None:
    weights = np.zeros((SIZE, SIZE), np.float32)
    weights[3, 4], weights[20, 21] = 1.0, 3.0
    write_raster("weights.tif", weights)
    simulate(capsys, "grass.tif", "--ignitions", "weights.tif", "--duration-min", "0.001",
             "--fires", "200")
    burned = read("burn_probability")
    assert burned[3, 4] + burned[20, 21] == pytest.approx(1.0)
    assert 0.6 < burned[20, 21] < 0.9


def test_a_yearly_probability_follows_from_the_fires_per_hectare(place: Path, capsys: Out) -> None:
    weights = np.ones((SIZE, SIZE), np.float32)
    weights[3, 4] = 2.0  # a map that says where fires start is burned alone
    write_raster("weights.tif", weights)
    simulate(capsys, "grass.tif", "--ignitions", "weights.tif", "--fires-per-ha-year", "0.002")
    hectares = (SIZE * CELL_M) ** 2 / 1e4
    np.testing.assert_allclose(read("annual_burn_probability"),
                               1.0 - np.exp(-0.002 * hectares * read("burn_probability")),
                               rtol=1e-5, atol=1e-7)


def test_barriers_stop_fires_and_are_not_treated(place: Path, capsys: Out) -> None:
    road = np.zeros((SIZE, SIZE), np.uint8)
    road[BARRIER_ROW] = 1
    write_raster("road.tif", road)
    simulate(capsys, "grass.tif", "--barriers", "road.tif", "--weather", "south.toml",
             "--ignitions", "start.csv", "--duration-min", "600")
    burned = read("burn_probability")
    assert (burned[:BARRIER_ROW] == 1.0).all()
    assert (burned[BARRIER_ROW:] == 0.0).all()


@pytest.mark.parametrize(("link", "least", "most"), [
    ("none", 0.0, 0.0), ("finney", 0.01, 0.9), ("scott-reinhardt", 0.9, 1.0),
    ("cruz", 0.99, 1.0)])
def test_crowns_burn_by_the_published_form_that_is_asked_for(link: str, least: float, most: float,
                                                             place: Path, capsys: Out) -> None:
    simulate(capsys, "wood.tif", "--crown", link, "--weather", "south.toml", "--duration-min", "5")
    fraction = read("crown_fraction_burned")
    assert least <= fraction.min() == fraction.max() <= most


def test_probabilities_by_flame_length_add_up_to_the_chance_to_burn(place: Path,
                                                                    capsys: Out) -> None:
    simulate(capsys, "grass.tif", "--weather", "south.toml", "--duration-min", "60")
    with rasterio.open("out/flame_length_probability.tif") as raster:
        classes = raster.read()
        names = raster.descriptions
    assert (names[0], names[5]) == ("flames <2 ft", "flames >12 ft")
    np.testing.assert_allclose(classes.sum(axis=0), read("burn_probability"), atol=1e-6)
    assert classes[3:].max() == 0.0  # the head's flames are 1.8 m, which is 5.8 ft


# Breaks.

@pytest.mark.slow
def test_breaks_are_worth_less_the_more_fire_passes_them(place: Path, capsys: Out) -> None:
    hard = reduction_of_line(capsys, "grass.tif")
    narrow = reduction_of_line(capsys, "grass.tif", "--break-width-m", "10")
    breached = reduction_of_line(capsys, "grass.tif", "--break-width-m", "3", "--breach", "wilson")
    trees = reduction_of_line(capsys, "grass.tif", "--break-width-m", "3", "--breach",
                              "wilson-trees")
    crossed = reduction_of_line(capsys, "grass.tif", "--break-width-m", "2", "--breach",
                                "flame-length")
    assert hard > narrow > breached > trees > crossed > 0.0
    assert hard > 0.2
    # All that is left of it: the strip itself, 2 of 30 m of each cell of the line.
    assert crossed < 0.1 * hard


def test_a_diagonal_line_leaks_if_asked_to(place: Path, capsys: Out) -> None:
    cells = "\n".join(f"{SIZE - 1 - col},{col}" for col in range(SIZE))
    Path("diagonal.csv").write_text(f"row,col\n{cells}\n")
    holds, leaks = (reduction_of_line(capsys, "grass.tif", *options, plan="diagonal.csv")
                    for options in ((), ("--leak",)))
    assert holds > 3 * leaks > 0.0


def test_a_shaded_break_slows_fire_and_embers_cross_any(place: Path, capsys: Out) -> None:
    crown = ("--crown", "scott-reinhardt", "--duration-min", "90")
    hard = reduction_of_line(capsys, "wood.tif", *crown)
    shaded = reduction_of_line(capsys, "wood.tif", *crown, "--break-kind", "shaded")
    embers = reduction_of_line(capsys, "wood.tif", *crown, "--spotting")
    assert hard > shaded > 0.0
    assert hard > embers


@pytest.mark.slow
def test_crews_make_a_shaded_break_hold_and_an_attack_stops_fires(place: Path,
                                                                 capsys: Out) -> None:
    shaded = ("--break-kind", "shaded", "--duration-min", "90")
    alone = reduction_of_line(capsys, "grass.tif", *shaded)
    held = reduction_of_line(capsys, "grass.tif", *shaded, "--hold", "equipment",
                             "--response-min", "0")
    late = reduction_of_line(capsys, "grass.tif", *shaded, "--hold", "equipment",
                             "--response-min", "1000")
    assert held > alone == late
    burned = [run(capsys, "simulate", "grass.tif", "--fires", "60", "--weather", "south.toml",
                  "--duration-min", "120", *attack)["mean_burned_share"]
              for attack in ((), ("--initial-attack", "5"), ("--initial-attack", "60"))]
    assert burned[1] < burned[2] <= burned[0]


@pytest.mark.slow
def test_losses_count_by_flame_length(place: Path, capsys: Out) -> None:
    value = np.zeros((SIZE, SIZE), np.float32)
    value[12:] = 5.0
    write_raster("value.tif", value)
    losses = [run(capsys, "evaluate", "grass.tif", "--methods", "none", "--test-fires", "40",
                  "--plan-fires", "2", "--weather", "south.toml", "--value", "value.tif",
                  "--duration-min", "60", *options)["rows"][0]["untreated_loss"]
              for options in ((), ("--losses", "1,1,1,1,1,1"), ("--losses", "0.5,0.5,0.5,1,1,1"),
                              ("--losses", "0,0.5,1,1,1,1"))]
    assert losses[0] == pytest.approx(losses[1])
    assert losses[2] == pytest.approx(0.5 * losses[0])  # no flame is longer than 6 ft
    assert 0.0 < losses[3] < losses[0]


@pytest.mark.slow
def test_a_plan_keeps_to_the_treatable_cells_and_pays_their_cost(place: Path, capsys: Out) -> None:
    treatable, cost = np.zeros((SIZE, SIZE), np.uint8), np.full((SIZE, SIZE), 4.0, np.float32)
    treatable[8:12] = 1
    write_raster("treatable.tif", treatable)
    write_raster("cost.tif", cost)
    done = run(capsys, "plan", "grass.tif", "--treatable", "treatable.tif", "--cost", "cost.tif",
               "--budget", "0.25", "--plan-fires", "16", "--test-fires", "0", "--out", "p",
               "--weather", "south.toml", "--break-width-m", "10", "--duration-min", "60",
               "--method", "downstream-value", "--cells")
    assert done["n_cells"] == 24
    assert done["cost"] == 96.0
    with open("p/data/plan.csv", newline="") as file:
        assert {8, 9, 10, 11} >= {int(row["row"]) for row in csv.DictReader(file)}


# Tables of cases.

def test_a_table_of_fbp_cases_is_answered_row_by_row(place: Path, capsys: Out) -> None:
    Path("cases.csv").write_text("FuelType,FFMC,BUI,WS,WD,cc\n" + "".join(
        f"{row}\n" for row in ("C-2,90,64,20,0,", "D-2,90,60,20,0,", "D-2,90,90,20,0,",
                               "O-1a,90,60,20,180,100", "O-1a,90,60,20,180,0") * 40))
    assert main(["behavior", "cases.csv", "--out", "o.csv"]) == 0
    assert "200 cases by the FBP System" in capsys.readouterr().out
    with open("o.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[:5] == rows[195:]
    rates = [float(row["rate_of_spread_m_min"]) for row in rows[:5]]
    # 110 (1 - exp(-0.0282 ISI))^1.5 at ISI 11.74 and the average BUI: ST-X-3 eq. 26.
    assert rates[0] == pytest.approx(16.47, rel=0.005)
    assert rates[1] == 0.0 < rates[2]  # leafed aspen burns from a BUI of 80 on
    assert rates[3] > 30.0
    assert rates[4] == 0.0
    assert [round(float(row["spread_direction_deg"])) for row in rows[:4]] == [180, 180, 180, 0]


# What is refused.

def refused(capsys: Out, arguments: list[str], *words: str) -> None:
    """Exit 2, one sentence with these words, and nothing written."""
    capsys.readouterr()
    assert main([*arguments, "--out", "refused"] if "behavior" not in arguments
                else arguments) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "warning:" not in line]
    assert len(errors) == 1
    assert errors[0].startswith("firebreak: ")
    for word in (": expected ", ", got ", "; ", *words):
        assert word in errors[0]
    assert not os.path.exists("refused")


WEATHERS = {
    "a gap in a fire's weather": (
        "Scenario,datetime,WS,WD,TMP,RH\n" + "".join(
            f"A,2023-02-01 {hour:02d}:00,20,0,25,30\n" for hour in (8, 9, 12, 13)),
        ("line 4", "60 min", "180 min")),
    "two kinds of dates": (
        "datetime,TMP,RH,WS,WD\n2023-02-01 12:00,25,30,20,0\n01/02/2023 13:00,25,30,20,0\n",
        ("line 3", "01/02/2023")),
    "a date twice": (
        "datetime,TMP,RH,WS,WD\n2023-02-01 12:00,25,30,20,0\n2023-02-01 12:00,25,30,20,0\n",
        ("line 3", "rise")),
    "humidity as a fraction": (
        "datetime,TMP,RH,WS,WD\n2023-02-01 12:00,25,0.3,20,0\n2023-02-01 13:00,25,0.3,20,0\n",
        ("percent",)),
    "a wind from 400 degrees": (
        "datetime,TMP,RH,WS,WD\n2023-02-01 12:00,25,30,20,400\n", ("line 2", "400")),
    "no wind": ("datetime,TMP,RH\n2023-02-01 12:00,25,30\n", ("line 1", "'WS'")),
    "a short row": ("datetime,TMP,RH,WS,WD\n2023-02-01 12:00,25\n", ("line 2", "5 cells")),
    "rain all the time": (
        "datetime,TMP,RH,APCP,WS,WD\n" + "".join(
            f"2023-02-01 {hour:02d}:00,8,100,3,5,0\n" for hour in range(24)), ("extinction",)),
    "nothing": ("", ("empty",)),
}


@pytest.mark.parametrize("case", WEATHERS)
def test_weather_that_makes_no_sense_is_refused(case: str, place: Path, capsys: Out) -> None:
    text, words = WEATHERS[case]
    Path("w.csv").write_text(text)
    refused(capsys, ["simulate", "grass.tif", "--weather", "w.csv"], *words)


ROSES = {
    "an unknown key": ("wind_dir = [0]\n", "wind_dir"),
    "no speed": ('wind_from_deg = [0]\nmoisture = "D2L2"\n', "wind_20ft_mph"),
    "an unknown scenario": (SOUTHWARD.replace("D2L2", "D7L2"), "D7L2"),
    "too few frequencies": (SOUTHWARD.replace("[0]", "[0, 90]") + "frequency = [1.0]\n", "2 rows"),
    "percent": (SOUTHWARD.replace('moisture = "D2L2"', "dead_moisture_1h = 6\ndead_moisture_10h "
                                  "= 7\ndead_moisture_100h = 8\nlive_moisture_herb = 60\n"
                                  "live_moisture_woody = 90"), "0.06"),
    "half a file": ("wind_from_deg = [0\n", "TOML"),
    "directions in a table": (SOUTHWARD.replace("[0]", "[[0, 90]]"), "wind_from_deg"),
    "a moisture that is a number": (SOUTHWARD.replace('"D2L2"', "6"), "moisture"),
    "a list of moistures": (SOUTHWARD.replace('"D2L2"', '["D2L2"]'), "moisture"),
}


@pytest.mark.parametrize("case", ROSES)
def test_wind_roses_that_make_no_sense_are_refused(case: str, place: Path, capsys: Out) -> None:
    text, word = ROSES[case]
    Path("rose.toml").write_text(text)
    refused(capsys, ["simulate", "grass.tif", "--weather", "rose.toml"], word)


OPTIONS = {
    "hours without weather": (["--hours", "6"], "--weather"),
    "no such weather": (["--weather", "nowhere.csv"], "nowhere.csv"),
    "no scenarios": (["--scenarios", "0"], "at least 1"),
    "a wind from 400 degrees": (["--wind-from-deg", "400"], "400"),
    "no time": (["--duration-min", "0"], "above 0"),
    "five losses": (["--losses", "0,0,0,0,1"], "6 fractions"),
    "losses above all": (["--losses", "0,0,0,0,1,2"], "from 0 to 1"),
    "fewer than no fires": (["--fires-per-ha-year", "-1"], "-1"),
    "a break wider than its cell": (["--break-width-m", "31"], "30 m"),
    "a shaded break with a width": (["--break-kind", "shaded", "--break-width-m", "5"], "width"),
    "value below 0": (["--value", "minus.tif"], "-1"),
    "value of another place": (["--value", "far.tif"], "overlap"),
    "treating that costs nothing": (["--cost", "zero.tif"], "above 0"),
    "ignitions nowhere": (["--ignitions", "zero.tif"], "none"),
    "points outside": (["--ignitions", "away.csv"], "outside"),
    "points without numbers": (["--ignitions", "words.csv"], "line 2"),
    "points without columns": (["--ignitions", "other.csv"], "x,y or row,col"),
    "barriers everywhere": (["--barriers", "one.tif"], "burnable"),
    "crews at breaks that nothing crosses": (["--hold", "hand"], "--break-kind shaded"),
    "crews before the fire": (["--break-kind", "shaded", "--hold", "hand", "--response-min", "-1"],
                              "at least 0"),
    "crews that stand still": (["--break-kind", "shaded", "--hold", "hand", "--crew-speed-km-h",
                                "0"], "above 0"),
    "crews of no length": (["--break-kind", "shaded", "--hold", "hand", "--crew-km", "0"],
                           "above 0"),
    "crews that hold nothing": (["--crew-km", "2"], "--hold together with --crew-km"),
    "roads that nobody takes": (["--roads", "one.tif"], "--hold"),
    "roads elsewhere": (["--break-kind", "shaded", "--hold", "hand", "--roads", "far.tif"],
                        "overlap"),
    "no road on the map": (["--break-kind", "shaded", "--hold", "hand", "--roads", "zero.tif"],
                           "a road"),
    "an attack at once": (["--initial-attack", "0"], "above 0"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_make_no_sense_are_refused(case: str, place: Path, capsys: Out) -> None:
    flat = np.ones((SIZE, SIZE), np.float32)
    for name, grid in (("minus", -flat), ("zero", 0 * flat), ("one", flat)):
        write_raster(f"{name}.tif", grid)
    write_raster("far.tif", flat, west=700_000.0)
    for name, text in (("away", "x,y\n1,2\n"), ("words", "x,y\n1,a\n"),
                       ("other", "lon,lat\n1,2\n")):
        Path(f"{name}.csv").write_text(text)
    options, word = OPTIONS[case]
    refused(capsys, ["simulate", "grass.tif", "--fires", "2", *options], word)


def test_maps_that_make_no_sense_are_refused(place: Path, capsys: Out) -> None:
    fuel = np.full((SIZE, SIZE), 102)
    fuel[0, 0] = 250
    write_land("unknown.tif", fuel=fuel)
    refused(capsys, ["simulate", "unknown.tif"], "250 (1 cell)", "row 0, column 0")
    write_land("wet.tif", fuel=102)
    Path("wet.toml").write_text(SOUTHWARD.replace('moisture = "D2L2"', "\n".join(
        f"{name} = 0.9" for name in ("dead_moisture_1h", "dead_moisture_10h", "dead_moisture_100h",
                                     "live_moisture_herb", "live_moisture_woody"))))
    refused(capsys, ["simulate", "wet.tif", "--weather", "wet.toml"], "extinction")


@pytest.mark.parametrize("hole", [-3.4028235e38, -1e11])
def test_a_hole_in_the_elevation_is_refused(hole: float, place: Path, capsys: Out) -> None:
    Path("layers").mkdir()
    ground = np.full((SIZE, SIZE), 2000.0, np.float32)
    ground[10, 10] = hole
    write_raster("layers/dem.tif", ground)
    write_raster("layers/fbfm40.tif", np.full((SIZE, SIZE), 102, np.int16))
    refused(capsys, ["simulate", "layers", "--fires", "2"], "elevation")


TABLES = {
    "an unknown fuel type": ("FuelType,FFMC,BUI,WS\nX-9,90,60,20\n", ("line 2", "X-9")),
    "a code above its scale": ("FuelType,FFMC,BUI,WS\nC-2,120,60,20\n", ("line 2", "FFMC")),
    "no wind": ("FuelType,FFMC,BUI\nC-2,90,60\n", ("line 1", "'WS'")),
    "neither fuel": ("a,b\n1,2\n", ("fuel_model", "FuelType")),
    "both fuels": ("fuel_model,FuelType\n1,C-2\n", ("one kind of fuel",)),
    "a header alone": ("FuelType,FFMC,BUI,WS\n", ("at least one row",)),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_make_no_sense_are_refused(case: str, place: Path, capsys: Out) -> None:
    text, words = TABLES[case]
    Path("cases.csv").write_text(text)
    refused(capsys, ["behavior", "cases.csv", "--out", "refused"], *words)


# Several values.

@pytest.mark.slow
def test_every_value_is_lost_at_its_own_flame_lengths(place: Path, capsys: Out) -> None:
    """Grass under this wind flames above 4 ft: pasture and houses are lost, what only the longest
    flames destroy is not.
    """
    for name, worth in (("pasture", 1.0), ("houses", 10.0), ("towers", 100.0)):
        write_raster(f"{name}.tif", np.full((SIZE, SIZE), worth, np.float32))
    Path("values.toml").write_text(
        '[[layer]]\nraster = "pasture.tif"\n'
        '[[layer]]\nraster = "houses.tif"\nweight = 0.5\nlosses = [0, 0, 1, 1, 1, 1]\n'
        '[[layer]]\nraster = "towers.tif"\nlosses = [0, 0, 0, 0, 0, 1]\n')
    simulate(capsys, "grass.tif", "--weather", "south.toml", "--ignitions", "start.csv",
             "--duration-min", "30")
    burned = read("expected_loss")
    head = np.unravel_index(np.nanargmax(np.where(np.arange(SIZE)[:, None] > 6, burned, 0)),
                            burned.shape)
    simulate(capsys, "grass.tif", "--weather", "south.toml", "--ignitions", "start.csv",
             "--duration-min", "30", "--layers", "values.toml")
    assert burned[head] == pytest.approx(1.0)
    assert read("expected_loss")[head] == pytest.approx(1.0 + 0.5 * 10.0)


@pytest.mark.parametrize(("text", "said"), [
    ("", "[[layer]]"), ("[[layer]]\nraster = 3\n", "raster's path"),
    ('[[layer]]\nraster = "grass.tif"\nlosses = "all"\n', "six numbers"),
    ('[[layer]]\nraster = "grass.tif"\nlosses = [1, 2]\n', "6 fractions"),
    ('[[layer]]\nraster = "grass.tif"\nwieght = 2\n', "did you mean 'weight'"),
    ('[[layer]]\nraster = "none.tif"\n', "none.tif")])
def test_values_that_make_no_sense_are_refused(place: Path, capsys: Out, text: str,
                                               said: str) -> None:
    Path("values.toml").write_text(text)
    refused(capsys, ["simulate", "grass.tif", "--layers", "values.toml"], said)


def test_values_are_given_once(place: Path, capsys: Out) -> None:
    Path("values.toml").write_text('[[layer]]\nraster = "grass.tif"\n')
    refused(capsys, ["simulate", "grass.tif", "--layers", "values.toml", "--losses",
                     "0,0,0,0,0,1"], "--losses: expected no --losses beside --layers")


def test_the_direction_of_spread_is_where_the_head_runs_to(place: Path, capsys: Out) -> None:
    simulate(capsys, "grass.tif", "--weather", "south.toml")
    np.testing.assert_allclose(read("spread_direction_deg"), 180.0, atol=1e-3)
