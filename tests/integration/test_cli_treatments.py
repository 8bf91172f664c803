"""Treatments, from the command line, from TOML and from Python."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

import firebreak
from firebreak.cli import main
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table
from pictures import draw_few_pixels

Out = pytest.CaptureFixture[str]
FEW = ("--plan-fires", "12", "--test-fires", "24", "--threads", "1")
STEEP = 0.8

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take seconds and are tested elsewhere."""
    monkeypatch.setattr("firebreak.report.pages.plan_report._figures", lambda *_args: {})
    draw_few_pixels(monkeypatch)
    monkeypatch.setattr("firebreak.report.pages.run_report.write_simulation_report",
                        lambda *_args, **_options: [])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with land.tif of 24 x 24 cells, whose eastern half is steep."""
    monkeypatch.chdir(tmp_path)
    land = generate(3, 24, cell_size_m=30.0)
    slope = np.full(land.shape, 0.05, np.float32)
    slope[:, 12:] = STEEP
    land = replace(land, slope_tan=slope, transform=(30.0, 0.0, -2e6, 0.0, -30.0, 1.5e6),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt())
    write_landscape("land.tif", land)
    return tmp_path


def planned(capsys: Out, *words: str) -> dict:
    code = main(["plan", "land.tif", "--terrain", "shipped", "--method", "betweenness",
                 "--cells", *FEW, *words, "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    return json.loads(said.out.strip().splitlines()[-1])


def refused(capsys: Out, *words: str) -> str:
    assert main([*words, "--out", "bad"]) == 2
    assert not Path("bad").exists()
    return [line for line in capsys.readouterr().err.strip().splitlines()
            if "warning" not in line][-1]


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_plan_of_a_treatment_stays_off_steep_ground_and_says_what_it_costs(place: Path,
                                                                             capsys: Out) -> None:
    made = planned(capsys, "--treatment", "mastication", "--budget", "5%", "--out", "own")
    cells = rows_of("own/data/plan.csv")
    assert cells
    assert all(int(row["col"]) < 12 for row in cells)
    assert [float(row["cost"]) for row in cells] == pytest.approx([828 * 0.09] * len(cells))
    (used,) = rows_of("own/data/treatments.csv")
    assert used["treatment"] == "mastication"
    assert float(used["cost"]) == pytest.approx(made["cost"], abs=0.01)
    assert float(used["upkeep_per_year"]) == pytest.approx(165 * float(used["area_ha"]), abs=0.01)
    assert "Halbrook" in used["sources"]
    assert {row["treatment"] for row in rows_of("own/data/segments.csv")} == {"mastication"}
    page = Path("own/report.html").read_text()
    assert "Breaks are made by mastication" in page
    assert "How the breaks are made" in page


def test_money_and_the_way_from_roads_come_on_top(place: Path, capsys: Out) -> None:
    road = np.zeros((24, 24), np.float32)
    road[:, 0] = 1.0
    with rasterio.open("road.tif", "w", driver="GTiff", width=24, height=24, count=1,
                       dtype="float32", crs="EPSG:5070",
                       transform=rasterio.Affine(30.0, 0.0, -2e6, 0.0, -30.0, 1.5e6)) as out:
        out.write(road, 1)
    made = planned(capsys, "--treatment", "grazing", "--money", "400", "--roads", "road.tif",
                   "--cost-per-km", "0.5", "--report", "none", "--out", "own")
    assert 0.0 < made["cost"] <= 400.0
    for row in rows_of("own/data/plan.csv"):
        way = 0.03 * int(row["col"])
        assert float(row["cost"]) == pytest.approx(250 * 0.09 * (1.0 + 0.5 * way), rel=1e-4)


@pytest.mark.slow
def test_a_bare_line_saves_what_a_hard_break_saves(place: Path, capsys: Out) -> None:
    # On the gentle half both may go where they like, at one price.
    half = ("--area", "0:24,0:12", "--budget", "0.08")
    hard = planned(capsys, *half, "--out", "hard")
    bare = planned(capsys, *half, "--treatment", "bare-line", "--out", "bare")
    assert hard["n_cells"] == bare["n_cells"]
    assert rows_of("hard/data/exceedance.csv") == rows_of("bare/data/exceedance.csv")


def test_costs_of_a_comparison_are_in_the_currency_where_there_is_one(place: Path,
                                                                      capsys: Out) -> None:
    for words, header in ((("--treatment", "grazing"), "method +cost, USD +reduction"),
                          ((), "method +cost +reduction")):
        assert main(["evaluate", "land.tif", "--terrain", "shipped", *words, "--methods",
                     "none,downstream-value", *FEW]) == 0
        assert re.search(header, capsys.readouterr().out)


@pytest.mark.slow
def test_evaluate_and_simulate_know_treatments(place: Path, capsys: Out) -> None:
    planned(capsys, "--treatment", "shaded-break,prescribed-fire", "--report", "none", "--out",
            "own")
    words = ("--treatment", "shaded-break,prescribed-fire", "--terrain", "shipped")
    assert main(["evaluate", "land.tif", *words, "--methods", "none", "--plan", "own", *FEW]) == 0
    said = capsys.readouterr()
    assert "other options" not in said.err
    assert "plan" in said.out
    assert main(["simulate", "land.tif", *words, "--plan", "own", "--fires", "20", "--threads", "1",
                 "--out", "maps"]) == 0
    with rasterio.open("maps/flame_length_m.tif") as dataset:
        treated = dataset.read(1)
    assert main(["simulate", "land.tif", "--terrain", "shipped", "--fires", "20", "--threads", "1",
                 "--out", "bare"]) == 0
    with rasterio.open("bare/flame_length_m.tif") as dataset:
        before = dataset.read(1)
    cells = [(int(row["row"]), int(row["col"])) for row in rows_of("own/data/plan.csv")]
    assert sum(treated[cell] < before[cell] for cell in cells) > 0.5 * len(cells)


@pytest.mark.slow
def test_the_same_from_toml_and_from_python(place: Path, capsys: Out) -> None:
    typed = planned(capsys, "--treatment", "mastication", "--treatment-age", "3", "--out", "typed")
    (place / "plan.toml").write_text(
        '[breaks]\ntreatment = "mastication"\ntreatment_age = 3\n[map]\nterrain = "shipped"\n')
    assert main(["plan", "land.tif", "--config", "plan.toml", "--method", "betweenness", "--cells",
                 *FEW, "--out", "file"]) == 0
    assert rows_of("typed/data/exceedance.csv") == rows_of("file/data/exceedance.csv")
    made = firebreak.plan("land.tif", method="betweenness", treatment="mastication",
                          treatment_age=3, terrain="shipped", plan_fires=12, test_fires=24,
                          threads=1, quiet=True, cells=True)
    assert made.plan.cost == pytest.approx(typed["cost"])
    land = firebreak.read_landscape("land.tif", terrain="shipped")
    again = firebreak.plan(land, method="betweenness", treatment="mastication", treatment_age=3,
                           plan_fires=12, test_fires=0, threads=1, quiet=True, cells=True)
    np.testing.assert_array_equal(again.plan.cells, made.plan.cells)


@pytest.mark.slow
def test_a_treatment_of_ones_own_and_the_flames_that_are_asked_for(place: Path,
                                                                   capsys: Out) -> None:
    Path("own.toml").write_text("""
[goats]
title = "goats"
currency = "USD"
upkeep = { per_ha_year = 1, source = "assumed" }
[[goats.state]]
to_year = 2
surface = "kept"
source = "assumed"
[[goats.cost]]
to_slope_percent = 90
per_ha = 1
source = "assumed"
""")
    both = ("--treatment", "goats,shaded-break", "--treatments", "own.toml")
    planned(capsys, *both, "--out", "any")
    assert {row["treatment"] for row in rows_of("any/data/treatments.csv")} == {"goats"}


@pytest.mark.slow
def test_years_share_their_money_between_building_and_what_stands(place: Path,
                                                                   capsys: Out) -> None:
    years = ("--horizon", "5", "--phases", "2027:300,2029:300")
    planned(capsys, "--treatment", "mastication", *years, "--out", "own")
    spent: dict[str, list[float]] = {}
    for row in rows_of("own/data/years.csv"):
        cost = sum(float(row[name]) for name in ("build_cost", "upkeep_cost", "again_cost"))
        spent.setdefault(row["schedule"], []).append(cost)
    assert len(spent) == 6
    for costs in spent.values():
        assert len(costs) == 5
        assert all(np.cumsum(costs) <= np.array([300, 300, 600, 600, 600]) + 0.05)
    done = rows_of("own/data/schedule.csv")
    assert done[0]["year"] in ("2027", "2029")  # the years that bring money
    assert done[0]["action"] == "build"
    assert "Build and maintain, by year" in Path("own/report.html").read_text()
    assert sum(float(row["cost"]) for row in done) <= 600.05
    assert {row["cost_unit"] for row in (*done, *rows_of("own/data/years.csv"))} == {"USD"}
    built = {row["build_order"]: row["year"] for row in done if row["action"] == "build"}
    for row in rows_of("own/data/segments.csv"):
        assert "year" not in row
        assert row["built"] == built.get(row["build_order"], "")
        assert row["cost_unit"] == "USD"
    page = Path("own/report.html").read_text()
    assert "lower expected loss over 5 years" in page
    assert "cost, USD" in page


@pytest.mark.slow
def test_over_years_money_beyond_what_building_costs_pays_upkeep(place: Path, capsys: Out) -> None:
    part = ("--treatment", "bare-line", "--area", "4:20,4:6")
    said = refused(capsys, "plan", "land.tif", "--terrain", "shipped", *FEW, *part, "--phases",
                   "2027:50000,2028:50000")
    assert "--phases: expected a budget of at most" in said
    made = planned(capsys, *part, "--horizon", "3", "--money", "90000", "--out", "own")
    assert made["currency"] == "USD"
    for row in rows_of("own/data/years.csv"):
        if row["schedule"] == "build-and-keep-up":
            first = row["year"] == "1"
            assert float(row["build_cost"]) == pytest.approx(made["cost"] if first else 0.0)
            assert float(row["upkeep_cost"]) == pytest.approx(
                0.0 if first else 0.2 * made["cost"])  # 460 of 2,300 a hectare


@pytest.mark.slow
def test_a_plan_that_treats_nothing_has_no_years(place: Path, capsys: Out) -> None:
    planned(capsys, "--treatment", "grazing", "--horizon", "3", "--method", "none", "--out", "own")
    assert not Path("own/data/years.csv").exists()
    assert "Build and maintain" not in Path("own/report.html").read_text()


@pytest.mark.slow
def test_bare_lines_grow_over_where_nobody_keeps_them_up(place: Path, capsys: Out) -> None:
    bare = ("--treatment", "bare-line", "--horizon", "4", "--phases", "2030:2000")
    planned(capsys, *bare, "--discount-rate", "50%", "--out", "own")
    once = [row for row in rows_of("own/data/years.csv") if row["schedule"] == "build-once"]
    saved = [float(row["reduction"]) for row in once]
    assert saved[0] == saved[1] > saved[2] == saved[3]
    assert [float(row["discount_factor"]) for row in once] == pytest.approx(
        [1.0, 2 / 3, 4 / 9, 8 / 27], abs=1e-6)
    assert {row["loss_unit"] for row in once} == {"ha"}
    assert all(float(row["mean_loss_low"]) < float(row["mean_loss"]) < float(row["mean_loss_high"])
               for row in once)
    assert "discounted by 0.5 a year" in Path("own/report.html").read_text()


@pytest.mark.slow
def test_bad_input_is_one_sentence_and_writes_nothing(place: Path, capsys: Out) -> None:
    own = Path("own.toml")
    own.write_text("[goats]\ntitle = 3\n")
    plan = ("plan", "land.tif", "--terrain", "shipped", *FEW)
    for words, expected in (
            (("--treatment", "mastiction"), "did you mean 'mastication'"),
            (("--treatment", "goats", "--treatments", "own.toml"), "state"),
            (("--treatment", "goats", "--treatments", "none.toml"), "no such file"),
            (("--treatment", "mastication", "--area", "0:24,14:24"), "area"),
            (("--treatment", "grazing", "--treatment-age", "11"), "at most 10 years"),
            (("--horizon", "5"), "a treatment, whose table"),
            (("--treatment", "grazing", "--horizon", "12"), "at most 11 years"),
            (("--treatment", "bare-line", "--horizon", "12"), "at most 11 years"),
            (("--discount-rate", "3%"), "--horizon together with --discount-rate"),
            (("--treatment", "grazing", "--horizon", "2", "--discount-rate", "2"), "at most 1"),
            (("--treatment", "grazing", "--horizon", "0"), "a whole number of at least 1"),
            (("--treatment", "grazing", "--horizon", "-1"), "a whole number of at least 1"),
            (("--treatment", "grazing", "--treatment-age", "-1"), "of at least 0"),
            (("--treatment", "grazing", "--horizon", "5", "--treatment-age", "2"), "both"),
            (("--treatment", "grazing", "--horizon", "2", "--phases", "2027:9,2029:9"),
             "phases within 2 years"),
            (("--treatment", "grazing", "--horizon", "2", "--test-fires", "1"),
             "at least 2 test fires"),
            (("--treatment-age", "2"), "--treatment together with --treatment-age"),
            (("--treatment", "grazing", "--break-kind", "shaded"), "whose table says it"),
            (("--treatment", "bare-line,grazing"), "bare-line beside others"),
            (("--treatment", "grazing", "--break-width-m", "5"), "leave --break-width-m out"),
            (("--treatment", "grazing", "--breach", "wilson"), "shaded breaks, which burn")):
        assert expected in refused(capsys, *plan, *words), words
    land = firebreak.read_landscape("land.tif", terrain="shipped")
    write_landscape("steep.tif", replace(land, slope_tan=np.full_like(land.slope_tan, STEEP)))
    assert "can be done (slopes up to 35 %)" in refused(
        capsys, "plan", "steep.tif", "--terrain", "shipped", *FEW, "--treatment", "mastication")


def test_what_the_help_lists_is_the_shipped_table(capsys: Out) -> None:
    assert main(["plan", "--help-all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in read_table())
