"""What a planner brings, from the command line: houses, lines, doubt."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

import firebreak
from firebreak.cli import main
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.raster.line_cells import lines_on_grid
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.vectors import has_vector_reader

Out = pytest.CaptureFixture[str]
SIZE = 24
WEST, NORTH = -2_000_000.0, 1_500_000.0
FEW = ("--plan-fires", "12", "--test-fires", "24", "--threads", "1")

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take seconds and are tested elsewhere."""
    monkeypatch.setattr("firebreak.report.pages.run_report.write_simulation_report",
                        lambda *_args, **_options: [])
    monkeypatch.setattr("firebreak.report.pages.plan_report.write_plan_report",
                        lambda *_args, **_options: [])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with land.tif of 24 x 24 cells of 30 m in CONUS Albers."""
    monkeypatch.chdir(tmp_path)
    land = replace(generate(3, SIZE, cell_size_m=30.0),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))
    write_landscape("land.tif", land)
    return tmp_path


def at(row: float, col: float) -> list[float]:
    return [WEST + 30.0 * col, NORTH - 30.0 * row]


def written(name: str, *shapes: tuple[str, Any, dict[str, Any]]) -> str:
    Path(name).write_text(json.dumps({
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "EPSG:5070"}},
        "features": [{"type": "Feature", "properties": own,
                      "geometry": {"type": kind, "coordinates": coordinates}}
                     for kind, coordinates, own in shapes]}))
    return name


def houses(name: str = "houses.geojson") -> str:
    rng = np.random.default_rng(0)
    return written(name, *(("Point", at(*place), {"price": 250_000 + k})
                           for k, place in enumerate(rng.uniform(2, 22, (60, 2)).tolist())))


def lines(name: str = "lines.geojson") -> str:
    return written(name, ("LineString", [at(3.5, 2.5), at(12.5, 20.5)], {}),
                   ("LineString", [at(20.5, 1.5), at(8.5, 12.5), at(2.5, 22.5)], {}),
                   ("Polygon", [[at(14.5, 14.5), at(14.5, 20.5), at(21.5, 20.5), at(14.5, 14.5)]],
                    {}))


def output(capsys: Out, *words: str) -> str:
    assert main([*words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: Out, *words: str) -> str:
    assert main([*words, "--out", "bad"]) == 2
    assert not Path("bad").exists()
    said = capsys.readouterr().err.strip().splitlines()
    return [line for line in said if "warning" not in line][-1]


@pytest.mark.slow
def test_losses_have_the_name_of_what_is_lost(place: Path, capsys: Out) -> None:
    plan = ("plan", "land.tif", *FEW, "--method", "downstream-value", "--cells", "--out", "out")
    said = output(capsys, *plan, "--value", houses())
    assert re.search(r"mean loss without breaks [\d.]+ houses;", said)
    assert json.loads(Path("out/data/effect.json").read_text())["loss_unit"] == "houses"
    assert Path("out/data/exceedance.csv").read_text().splitlines()[1].endswith(",houses")
    said = output(capsys, *plan, "--value", f"{houses()}:price", "--value-unit", "EUR")
    assert re.search(r"mean loss without breaks [\d.e+]+ EUR;", said)
    said = output(capsys, *plan)
    (hectares,) = re.findall(r"mean loss without breaks ([\d.]+) ha;", said)
    effect = json.loads(Path("out/data/effect.json").read_text())
    assert effect["loss_unit"] == "ha"
    assert float(hectares) == pytest.approx(effect["mean_loss_before"]["mean"], rel=1e-3)
    evaluated = output(capsys, "evaluate", "land.tif", *FEW, "--methods", "none,downstream-value",
                       "--json")
    row = json.loads(evaluated.splitlines()[-1])["rows"][0]
    assert row["loss_unit"] == "ha"
    assert row["untreated_loss_in_unit"] == pytest.approx(0.09 * row["untreated_loss"])
    said = output(capsys, "simulate", "land.tif", "--fires", "20", "--value", houses(), "--out",
                  "burned")
    assert re.search(r"mean loss [\d.]+ houses", said)


@pytest.mark.slow
def test_a_plan_of_given_lines_has_their_cells_only(place: Path, capsys: Out) -> None:
    given = lines()
    said = output(capsys, "plan", "land.tif", *FEW, "--lines", given, "--only-lines", "--segment-m",
                  "150", "--budget", "0.06", "--out", "out")
    assert "left out: strips, downstream-value, betweenness, dqn, greedy, as" in said
    with rasterio.open("out/data/plan.tif") as raster:
        own = raster.read(1) > 0
    land = read_landscape("land.tif")
    mask = np.zeros(land.shape, np.bool_)
    for pieces in lines_on_grid(Path(given), land, 150.0, joined=False).pieces:
        for piece in pieces:
            mask.ravel()[piece] = True
    assert own.any()
    assert not (own & ~mask).any()
    share = own.sum() / land.treatable.sum()
    assert share <= 0.0601  # of all treatable cells, not of those of the lines
    mixed = output(capsys, "plan", "land.tif", *FEW, "--lines", given, "--method", "segments",
                   "--out", "mixed", "--json")
    assert json.loads(mixed.splitlines()[-1])["method"] == "segments"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["segments", "downstream-value"])
def test_a_plan_of_corridors_keeps_off_houses_and_says_where_it_stops(
        place: Path, capsys: Out, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.evaluation.knee.FIRES", 60)
    written("some.geojson", *(("Point", at(*place), {}) for place in ((4, 5), (15, 17), (16, 17))))
    said = output(capsys, "plan", "land.tif", *FEW, "--value", "some.geojson",
                  "--method", method, "--shortest-m", "120", "--budget", "0.2", "--out", "out")
    assert "of what the whole plan saves on choice fires" in said
    assert "budget 20 % of the treatable cost, " in said  # of the plan and of its rivals
    notes = json.loads(Path("out/plan.json").read_text())["notes"]
    assert notes["knee_saved"] >= notes["whole_saved"] - 0.01
    with rasterio.open("out/data/plan.tif") as dataset:
        treated = dataset.read(1) > 0
    assert treated.any()
    for row, col in ((4, 5), (15, 17), (16, 17)):  # a point on a corner lies south-east of it
        assert not treated[row - 1:row + 2, col - 1:col + 2].any()
    parts = list(csv.DictReader(Path("out/data/segments.csv").read_text().splitlines()))
    assert {part["kind"] for part in parts} <= {"route", "gap", "cut"}
    assert all(part["name"] and part["slope_percent"] for part in parts)
    assert all(float(part["lost_without"]) >= -1e-3 for part in parts)  # hard breaks
    assert all(float(part["saves_low"]) <= float(part["saves_high"]) for part in parts)
    assert f"{method}: " in said.split("off houses")[0]  # counts of this plan and of others
    assert "random: " in said
    if has_vector_reader():
        import pyogrio

        layers = pyogrio.list_layers("out/plan.gpkg")[:, 0].tolist()
        assert layers[:4] == ["segments", "centrelines", "footprints", "anchors"]


@pytest.mark.slow
def test_alternatives_are_told_as_a_table_a_file_and_a_layer(
        place: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.evaluation.knee.FIRES", 60)
    plan = ("plan", "land.tif", *FEW, "--method", "segments", "--shortest-m", "120", "--budget",
            "0.05", "--json")
    said = output(capsys, *plan, "--out", "none").splitlines()
    assert any(line.startswith("no alternative: no plan that has at most 50% of") for line in said)
    assert json.loads(said[-1])["alternatives"] == []
    monkeypatch.setattr("firebreak.planning.alternatives.LEAST_SAVED", -9.0)
    monkeypatch.setattr("firebreak.api.plans.making.MOST_WORK", 9.0)
    said = output(capsys, *plan, "--out", "out").splitlines()
    rows = json.loads(said[-1])["alternatives"]
    assert [row["plan"] for row in rows][:1] == ["alternative-1"]
    assert all(row["share_in_common"] <= 0.5 for row in rows)
    assert all(row["difference_low"] <= row["difference"] <= row["difference_high"]
               for row in rows)
    assert any(line.startswith("alternative-1  segments") for line in said)
    table = list(csv.DictReader(Path("out/data/alternatives.csv").read_text().splitlines()))
    assert [row["plan"] for row in table] == ["segments", *(row["plan"] for row in rows)]
    assert Path("out/data/plan.csv").read_text() == Path("none/data/plan.csv").read_text()
    assert not Path("none/data/alternatives.csv").exists()
    if has_vector_reader():
        import pyogrio

        meta, _, _, columns = pyogrio.raw.read("out/plan.gpkg", layer="alternatives")
        found = dict(zip(meta["fields"], columns, strict=True))
        assert {*found["alternative"].tolist()} == {*range(1, len(rows) + 1)}
        for number, row in enumerate(rows, start=1):
            assert found["length_m"][found["alternative"] == number].sum() == pytest.approx(
                1000.0 * row["length_km"], abs=1.0)
    assert "alternatives" not in json.loads(output(
        capsys, *plan, "--report", "brief", "--out", "brief").splitlines()[-1])
    made = firebreak.plan("land.tif", method="segments", shortest_m=120.0, budget="5%",
                          plan_fires=12, test_fires=24, threads=1, quiet=True)
    assert [*made.alternatives] == [row["plan"] for row in rows]
    assert [own.cost for own in made.alternatives.values()] == [row["cost"] for row in rows]
    assert all(own.cost <= own.budget and name in made.comparison.methods
               for name, own in made.alternatives.items())


def test_a_map_whose_money_pays_for_no_corridor_is_planned_with_cells(place: Path) -> None:
    few = dict(method="downstream-value", money=2.0, plan_fires=12, test_fires=0, quiet=True)
    with pytest.warns(UserWarning, match="no corridor on this map that the money pays for"):
        made = firebreak.plan("land.tif", **few)
    assert made.plan.cells.tolist() == firebreak.plan("land.tif", cells=True, **few
                                                      ).plan.cells.tolist()
    assert made.plan.cells.size == 2


@pytest.mark.slow
def test_years_of_given_lines_have_all_of_the_money(place: Path, capsys: Out) -> None:
    given = written("short.geojson", ("LineString", [at(12.5, 3.5), at(12.5, 9.5)], {}))
    said = output(capsys, "plan", "land.tif", *FEW, "--lines", given, "--only-lines", "--method",
                  "segments", "--treatment", "bare-line", "--horizon", "4", "--budget", "0.2",
                  "--out", "out", "--json")
    cost = json.loads(said.splitlines()[-1])["cost"]
    own = [row for row in csv.DictReader(Path("out/data/years.csv").read_text().splitlines())
           if row["schedule"] == "build-and-keep-up"]
    assert float(own[0]["build_cost"]) == pytest.approx(cost)  # a quarter of the money is more
    assert [float(row["upkeep_cost"]) > 0.0 for row in own] == [False, True, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hard", "shaded"])
def test_a_network_off_the_lines_is_compared_whole(place: Path, capsys: Out, kind: str,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.evaluation.doubt.TRUST_RIVALS", 20)
    network = written("network.geojson", ("LineString", [at(15.5, 2.5), at(15.5, 12.5)], {}))
    plan = ("plan", "land.tif", *FEW, "--method", "segments", "--existing", network, "--break-kind",
            kind, "--report", "full")
    free, only = (
        next(line for line in output(capsys, *plan, *more, "--out", name).splitlines()
             if line.startswith("existing "))
        for name, more in (("free", ()), ("own", ("--lines", lines(), "--only-lines"))))
    assert only.split()[:6] == free.split()[:6]  # cost, reduction, its interval
    assert float(only.split()[1]) > 5.0
    doubted = [[row["reduction_existing"] for row in
                csv.DictReader(Path(name, "data/doubt.csv").read_text().splitlines())]
               for name in ("free", "own")]
    assert doubted[0] == doubted[1]


def test_a_plan_of_lines_is_compared_with_methods_and_masks_in_python(place: Path) -> None:
    made = firebreak.plan("land.tif", lines=lines(), only_lines=True, method="segments",
                          plan_fires=12, test_fires=24, threads=1, quiet=True)
    anywhere = np.zeros((SIZE, SIZE), bool)
    anywhere[15, 2:12] = True
    told = made.compare("strips", anywhere)
    assert told.plans[0]["given"].cells.size == int(
        (anywhere & made.landscape.treatable).sum())


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("apart", [2, 7])
def test_houses_that_lie_too_close_for_a_buffer_are_warned_of(place: Path, capsys: Out,
                                                              apart: int) -> None:
    Path("homes.csv").write_text("row,col\n" + "".join(
        f"{row},{col}\n" for row in range(0, SIZE, apart) for col in range(0, SIZE, apart)))
    said = "homes.csv: more than 10% of the cells hold some, so no distance is kept from them"
    assert main(["plan", "land.tif", *FEW, "--value", "homes.csv", "--method", "random",
                 "--test-fires", "0", "--out", "out"]) == 0
    assert (said in capsys.readouterr().err) == (apart == 2)
    if apart == 2:
        refusal = refused(capsys, "plan", "land.tif", *FEW, "--value", "homes.csv",
                          "--house-buffer", "10")
        assert "in at most 10% of the cells, got value in 25% of them; leave it out, and keep" in (
            refusal)


@pytest.mark.slow
@pytest.mark.parametrize("more", [(":width_m", "--only-lines"), (":width_m",),
                                  ("", "--window-cells", "16")])
def test_a_plan_of_named_lines_keeps_their_names(place: Path, capsys: Out,
                                                 more: tuple[str, ...]) -> None:
    given = written("named.geojson", ("LineString", [at(3.5, 2.5), at(12.5, 20.5)],
                                      {"name": "Main Divide", "width_m": 30}),
                    ("LineString", [at(20.5, 1.5), at(8.5, 12.5)],
                     {"name": "Truck Trail", "width_m": 30}),
                    ("LineString", [at(2.5, 22.5), at(20.5, 22.5)], {"width_m": 30}))
    land, mask = read_landscape("land.tif"), np.zeros((SIZE, SIZE), np.uint8)
    for pieces in lines_on_grid(Path(given), land, 500.0, joined=False).pieces:
        mask.ravel()[np.concatenate(pieces)] = 1
    write_geotiff("all.tif", {"breaks": mask}, land)
    method = "auto" if "--window-cells" in more else "segments"
    output(capsys, "plan", "land.tif", *FEW, "--lines", given + more[0], *more[1:], "--method",
           method, "--segment-m", "500", "--must-include", "all.tif", "--budget", "0.3",
           "--report", "brief", "--out", "out")
    rows = list(csv.DictReader(Path("out/data/segments.csv").read_text().splitlines()))
    kinds = {row["name"]: row["kind"] for row in rows}
    assert kinds["Truck Trail"] == kinds["Main Divide part 1"] == kinds["Main Divide part 2"] == (
        "given")
    assert all(row["name"] and row["saves_low"] for row in rows)


@pytest.mark.slow
def test_lines_that_were_found_are_lines_to_choose_among(place: Path, capsys: Out) -> None:
    said = output(capsys, "landscape", "lines", "land.tif", "--out", "found.geojson", "--kinds",
                  "ridge,valley,road,fuel-edge", "--basin-ha", "2", "--least-m", "120", "--json")
    found = json.loads(said.splitlines()[-1])
    assert found["lines"] > 2
    features = json.loads(Path("found.geojson").read_text())["features"]
    lengths = [one["properties"]["length_m"] for one in features]
    assert lengths == sorted(lengths, reverse=True)
    assert {"name", "kind", "treatable_cells"} <= set(features[0]["properties"])
    names = {one["properties"]["name"] for one in features}
    assert all(names)
    assert len(names) == len(features)
    output(capsys, "plan", "land.tif", *FEW, "--lines", "found.geojson", "--only-lines",
           "--method", "segments", "--out", "out")
    rows = [*csv.DictReader(Path("out/data/segments.csv").read_text().splitlines())]
    assert {row["name"].split(" part ")[0] for row in rows} <= names
    roads = written("roads.geojson", ("LineString", [at(12.5, 0.5), at(12.5, 23.5)],
                                      {"NAME": "Truck Trail"}))
    output(capsys, "landscape", "lines", "land.tif", "--roads", roads, "--least-m", "120", "--out",
           "corridors.geojson")
    names = [one["properties"]["name"] for one in json.loads(
        Path("corridors.geojson").read_text())["features"]]
    assert any(name.startswith("Truck Trail") for name in names)
    assert len({*names}) == len(names)


def test_lines_of_an_area_touch_it_and_the_next_command_is_of_the_same_map(
        place: Path, capsys: Out) -> None:
    words = ("landscape", "lines", "land.tif", "--kinds", "ridge,valley,road,fuel-edge",
             "--basin-ha", "1", "--least-m", "90", "--value", houses())
    output(capsys, *words, "--out", "all.geojson")
    said = output(capsys, *words, "--out", "part.geojson", "--area", "0:4,0:24")
    assert said.splitlines()[-1].endswith(
        "--area 0:4,0:24 --lines part.geojson --only-lines --value houses.geojson --out my_plan")
    from rasterio.warp import transform

    tops = {name: [max(transform("EPSG:4326", "EPSG:5070", *np.array(
        one["geometry"]["coordinates"]).T)[1]) for one in json.loads(
            Path(name).read_text())["features"]] for name in ("all.geojson", "part.geojson")}
    assert min(tops["part.geojson"]) > NORTH - 4 * 30.0  # each has a cell in the first four rows
    assert min(tops["all.geojson"]) < NORTH - 4 * 30.0
    for file in (".", "lines.jpg", "part.geojson/a.geojson"):
        assert refused_lines(capsys, *words, "--out", file)


def refused_lines(capsys: Out, *words: str) -> str:
    assert main([*words]) == 2
    assert not Path("new.geojson").exists()
    return capsys.readouterr().err


@pytest.mark.parametrize(("options", "words"), [
    (("--value", "houses.geojson:prize"), "expected an attribute 'prize' of the shapes, got "
                                          "price; is 'price' meant?"),
    (("--value", "land.tif:price"), "'price' is an attribute, got a raster"),
    (("--value", "gone.geojson"), "expected a file or folder that is there, got no such file"),
    (("--cost", "houses.geojson"), "name it after a colon: houses.geojson:cost"),
    (("--value-unit", "houses"), "--value or --layers together with --value-unit"),
    (("--value", "houses.geojson", "--value-unit", " "), "the name of a unit"),
    (("--value", "far.geojson"), "expected shapes on the landscape, got 1 shape, all outside"),
    (("--only-lines",), "--lines together with --only-lines"),
    (("--lines", "far.geojson"), "lines or polygons, got points"),
    (("--lines", "away.geojson"), "lines on the landscape, got 1, all outside"),
    (("--lines", "short.geojson"), "lines of some length, got line 1 of none"),
    (("--lines", "land.tif"), "shapes of lines"),
    (("--lines", "lines.geojson", "--only-lines", "--must-include", "must.geojson", "--area",
      "2:24,2:24"), "off the lines of --only-lines, or outside the area or the treatable cells, "
     "the first at row 6, column 3 of the map"),
    (("--cells", "--house-buffer", "10"), "no --house-buffer beside --cells, which plans without "
                                          "corridors"),
    (("--lines", "lines.geojson", "--only-lines", "--house-buffer", "10"),
     "no --house-buffer beside --only-lines"),
    (("--lines", "lines.geojson", "--only-lines", "--cells"), "no --cells beside --only-lines"),
    (("--corridors",), "'--corridors', last in version 1.0; leave it out: a map is planned with "
                       "corridors unless --cells is given"),
    (("--shortest-m", "2000"), "a shortest route within the area, which is 1,018 m across, got "
                               "2,000 m"),
    (("--method", "segments", "--shortest-m", "300", "--money", "2"),
     "corridors that the money pays for, got none on this map"),
    (("--value", "one.geojson", "--house-buffer", "1000"),
     "treatable ground outside the buffer of houses, got none"),
    (("--value", "own.geojson", "--house-buffer", "600"),
     "corridors that the money pays for, got none on this map; lower --shortest-m or --house-"),
    (("--house-buffer", "10"), "houses: value in at most 10% of the cells, got none"),
    (("--method", "strips"), "a method that chooses among corridors or given lines: random, "),
    (("--house-buffer", "10", "--window-cells", "16"), "no --house-buffer for a plan by windows"),
    (("--lines", "lines.geojson", "--method", "strips", "--cells"), "a method that chooses among "
     "corridors or given lines: segments, enclose, dqn-lookahead, dqn-search, auto"),
])
def test_what_does_not_fit_is_refused_in_one_sentence(
        place: Path, capsys: Out, options: tuple[str, ...], words: str) -> None:
    houses()
    lines()
    written("must.geojson", ("LineString", [at(6.5, 3.5), at(6.5, 8.5)], {}))
    written("far.geojson", ("Point", at(-100, 4), {}))
    written("one.geojson", ("Point", at(12, 12), {}))
    written("own.geojson", *(("Point", at(row, 7), {}) for row in range(4, 9)))
    written("away.geojson", ("LineString", [at(-100, 4), at(-90, 4)], {}))
    written("short.geojson", ("LineString", [at(4, 4), at(4, 4)], {}))
    assert words in refused(capsys, "plan", "land.tif", *FEW, *options)
