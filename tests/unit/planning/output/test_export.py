"""Plans written to files and read back."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

from firebreak.checks import InputError
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.formats.write import write_geotiff
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import Plan, amount_words, one_of, spent_words
from firebreak.planning.making import make_plan
from firebreak.planning.output.export import read_plan, write_plan

ALBERS = rasterio.crs.CRS.from_epsg(5070).to_wkt()


@pytest.fixture(scope="module")
def land() -> Landscape:
    """10 x 13 cells of 30 m in CONUS Albers, of unequal cost, one corner outside the data."""
    made = generate(6, (10, 13), cell_size_m=30.0)
    fuel = made.fuel_model.copy()
    fuel[0, 0] = NODATA
    cost = np.random.default_rng(1).uniform(1, 2, made.shape)
    return replace(made, fuel_model=fuel, cost=cost, crs=ALBERS,
                   transform=(30.0, 0.0, -2_000_000.0, 0.0, -30.0, 1_500_000.0))


@pytest.fixture(scope="module")
def plan(land: Landscape) -> Plan:
    scene = make_scene(land, FireConditions(scenarios=2), 0)
    return make_plan(scene, 0.1, 16, "downstream-value", seed=3)


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("name", ["", "plan.csv", "plan.tif"])
def test_a_plan_comes_back_as_it_was(plan: Plan, land: Landscape, tmp_path: Path,
                                     name: str, *, earlier: bool) -> None:
    """From data/, where plans of earlier versions have nothing."""
    out = tmp_path / "out"
    files = {path.relative_to(out).as_posix() for path in write_plan(plan, land, out).values()}
    assert files == {"plan.json", "data/plan.csv", "data/plan.tif", "data/firebreaks.csv"}
    assert {path.name for path in out.iterdir()} == {"plan.json", "data"}
    if earlier:
        for path in (out / "data").iterdir():
            path.rename(out / path.name)
        (out / "data").rmdir()
    elif name:
        name = f"data/{name}"
    back = read_plan(tmp_path / "out" / name, land)
    assert back.cells.tolist() == plan.cells.tolist()
    for field in ("method", "cost", "cost_unit", "budget", "budget_share", "landscape_checksum",
                  "plan_fires", "seed", "seconds", "simulations", "policy", "shape"):
        assert getattr(back, field) == getattr(plan, field), field


def test_the_csv_gives_cells_places_and_costs(plan: Plan, land: Landscape, tmp_path: Path) -> None:
    with write_plan(plan, land, tmp_path)["csv"].open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["rank"]) for line in lines] == list(range(1, plan.cells.size + 1))
    first = lines[0]
    row, col = divmod(int(plan.cells[0]), 13)
    assert (int(first["row"]), int(first["col"]), int(first["cell"])) == (row, col, plan.cells[0])
    assert float(first["x"]) == -2_000_000 + 30 * col + 15
    assert float(first["y"]) == 1_500_000 - 30 * row - 15
    assert float(first["cost"]) == pytest.approx(land.cost[row, col])
    assert float(lines[-1]["cumulative_cost"]) == pytest.approx(plan.cost)


def test_the_raster_lies_where_the_landscape_lies(plan: Plan, land: Landscape,
                                                  tmp_path: Path) -> None:
    with rasterio.open(write_plan(plan, land, tmp_path)["tif"]) as dataset:
        ranks = dataset.read(1)
        assert dataset.transform[:6] == land.transform
        assert dataset.crs.to_epsg() == 5070
        assert (dataset.nodata, dataset.dtypes[0]) == (-1, "int16")
    assert ranks[0, 0] == -1
    assert (ranks == -1).sum() == 1
    assert np.array_equal(ranks > 0, plan.break_mask())
    assert ranks.ravel()[plan.cells].tolist() == list(range(1, plan.cells.size + 1))


def test_the_record_says_how_the_plan_was_made(plan: Plan, land: Landscape,
                                               tmp_path: Path) -> None:
    record = json.loads(write_plan(plan, land, tmp_path)["json"].read_text())
    assert record["schema"] == 1
    assert record["method"] == "downstream-value"
    assert record["n_cells"] == plan.cells.size
    assert record["landscape_checksum"] == land.checksum()


def test_a_list_of_cells_made_elsewhere_is_a_plan(land: Landscape, tmp_path: Path) -> None:
    row, col = np.argwhere(land.treatable)[3].tolist()
    path = tmp_path / "consultant.csv"
    path.write_text(f"\ufeffcol,row\r\n{col},{row}\r\n", encoding="utf-8")
    plan = read_plan(path, land)
    assert (plan.method, plan.cells.tolist()) == ("consultant", [row * 13 + col])
    assert plan.cost == plan.budget == pytest.approx(float(land.cost[row, col]))
    assert plan.plan_fires == 0


def test_a_plan_is_also_written_as_a_table_of_cell2fire(plan: Plan, land: Landscape,
                                                        tmp_path: Path) -> None:
    path = write_plan(plan, land, tmp_path)["firebreaks"]
    assert path == tmp_path / "data" / "firebreaks.csv"
    header, line = path.read_text().splitlines()
    assert header == "Year,Ncell"
    assert [int(word) for word in line.split(",")] == [1, *(plan.cells + 1).tolist()]
    back = read_plan(path, land)
    assert (back.method, back.cells.tolist()) == ("firebreaks", sorted(plan.cells.tolist()))
    assert back.cost == pytest.approx(plan.cost)


@pytest.mark.parametrize("text", ["Year,Ncell\n1,{0},{1}\n",
                                  "year, ncell,\r\n1,{1}\r\n2,{0},\r\n",
                                  "\ufeffYear Number,Cell Numbers,,\n1,{0},{1}\n",
                                  '"Year","Ncell"\n1,{0},{1}\n'])
def test_fire_breaks_of_cell2fire_are_a_plan(land: Landscape, tmp_path: Path, text: str) -> None:
    cells = np.flatnonzero(land.treatable)[[4, 11]]
    path = tmp_path / "Firebreaks.csv"
    path.write_text(text.format(*(cells + 1).tolist()), encoding="utf-8", newline="")
    assert read_plan(path, land).cells.tolist() == cells.tolist()
    path.write_text("Year,Ncell\n1,131\n")
    with pytest.raises(InputError, match=r"line 2: expected a cell from 1 to 130, got '131'"):
        read_plan(path, land)


def test_a_mask_made_elsewhere_is_a_plan(land: Landscape, tmp_path: Path) -> None:
    mask = np.full(land.shape, 255, np.uint8)
    cells = np.flatnonzero(land.treatable)[[2, 9, 30]]
    mask.ravel()[cells] = 1
    path = write_geotiff(tmp_path / "breaks.tif", {"breaks": mask}, land, nodata=255)
    plan = read_plan(path, land)
    assert (plan.method, plan.cells.tolist()) == ("breaks", cells.tolist())


def test_a_plan_for_other_costs_keeps_its_cells(plan: Plan, land: Landscape,
                                                tmp_path: Path) -> None:
    write_plan(plan, land, tmp_path)
    dearer = replace(land, cost=3 * land.cost)
    back = read_plan(tmp_path, dearer)
    assert back.cost == back.budget == pytest.approx(3 * plan.cost, rel=1e-6)
    assert back.method == plan.method


def test_an_empty_plan_is_a_plan(plan: Plan, land: Landscape, tmp_path: Path) -> None:
    empty = replace(plan, cells=np.empty(0, np.int64), cost=0.0, method="none")
    write_plan(empty, land, tmp_path)
    for name in ("plan.csv", "plan.tif", "firebreaks.csv"):
        assert read_plan(tmp_path / "data" / name, land).cells.size == 0


@pytest.mark.parametrize(("text", "message"), [
    ("row,col\n10,0\n", "row 10, column 0"),
    ("row,col\n-1,0\n", "row -1, column 0"),
    ("row,col\n1.5,0\n", "whole numbers"),
    ("row,column\n1,0\n", "whole numbers"),
    ("row,col\n1\n", "whole numbers"),
    ("row,col\n0,0\n", "treatable cells only"),
    ("row,col,x,y\n1,1,0.0,0.0\n", "coordinates"),
])
def test_bad_lists_are_refused(land: Landscape, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_plan(path, land)


def test_plans_of_another_grid_are_refused(plan: Plan, land: Landscape, tmp_path: Path) -> None:
    files = write_plan(plan, land, tmp_path)
    smaller = land.crop(0, 0, 9, 13)
    a, b, west, d, e, north = land.transform
    moved = [(a, b, 0.0, d, e, north), (a, b, west + a, d, e, north), (a, b, west, d, e, north + a)]
    for path in files.values():
        if path.name in ("plan.csv", "plan.tif"):
            with pytest.raises(InputError, match=r"9 x 13|cells of"):
                read_plan(path, smaller)
            for transform in moved:
                with pytest.raises(InputError, match=r"coordinates|transform"):
                    read_plan(path, replace(land, transform=transform))


def test_missing_and_damaged_files_are_refused(plan: Plan, land: Landscape,
                                               tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got no such file"):
        read_plan(tmp_path / "nothing", land)
    files = write_plan(plan, land, tmp_path)
    with pytest.raises(InputError, match="another kind"):
        read_plan(files["json"], land)
    for text in ("{", "[]", '{"method": "x"}', json.dumps(
            json.loads(files["json"].read_text()) | {"budget": "much"})):
        files["json"].write_text(text)
        with pytest.raises(InputError, match="a plan written by"):
            read_plan(files["csv"], land)
    files["tif"].write_bytes(b"no raster")
    files["json"].unlink()
    with pytest.raises(InputError, match=r"plan\.tif"):
        read_plan(files["tif"], land)


def test_a_file_in_place_of_the_folder_is_refused(plan: Plan, land: Landscape,
                                                  tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="--out"):
        write_plan(plan, land, tmp_path / "taken")


def test_what_a_plan_spends_is_told_once(plan: Plan) -> None:
    count = plan.cells.size
    budget = count + 0.75
    assert spent_words(replace(plan, cost=float(count), cost_unit="cells", budget=budget)) == (
        f"{count} cells of a budget of {budget:g}")
    assert spent_words(replace(plan, cost=61_080.5, cost_unit="cost", budget=70_000.0)) == (
        f"{count} cells, cost 61,080.5 of a budget of 70,000")
    assert spent_words(replace(plan, cost=610.0, cost_unit="cost", budget=700.0,
                               currency="USD")) == (
        f"{count} cells, cost 610 USD of a budget of 700 USD")


def test_a_cost_is_in_cells_in_money_or_in_units_of_cost(plan: Plan) -> None:
    cells, priced = replace(plan, cost_unit="cells"), replace(plan, cost_unit="cost")
    told = [one.priced_in for one in (cells, priced, replace(priced, currency="EUR"))]
    assert told == ["cells", "units of cost", "EUR"]
    assert [one_of(unit) for unit in told] == ["cell", "unit of cost", "EUR"]


@pytest.mark.parametrize(("amount", "unit", "words"), [
    (1.0, "cells", "1 cell"), (1.72, "cells", "1 cell"), (2.9999999999, "cells", "3 cells"),
    (1.0, "units of cost", "1 unit of cost"), (1.72, "units of cost", "1.72 units of cost"),
    (1.0, "USD", "1 USD"), (12_345.0, "USD", "12,345 USD")])
def test_an_amount_is_in_words_of_its_unit(amount: float, unit: str, words: str) -> None:
    """A part of a cell pays for nothing."""
    assert amount_words(amount, unit) == words
