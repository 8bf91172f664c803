"""Breaks that were drawn elsewhere, in any form, beside plans."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from rasterio.crs import CRS
from rasterio.warp import transform_geom

import firebreak
from drawn_lines import CELL, NORTH, WEST, drawn, line_of
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.commands import explore
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import read_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.given import features_of, given_plan, is_drawn, name_of
from firebreak.planning.output.vectors import has_vector_reader
from firebreak.report.explorer.plans import Exploration

LAND = replace(generate(6, (24, 30), cell_size_m=CELL), crs=CRS.from_epsg(32611).to_wkt(),
               transform=(CELL, 0.0, WEST, 0.0, -CELL, NORTH))
SMALL = ["--test-fires", "40", "--plan-fires", "8", "--scenarios", "2", "--burning-hours", "2",
         "--threads", "1", "--quiet"]


def line(row: float, first: float, last: float, name: str | None = None) -> dict[str, Any]:
    return line_of(row, first, last, name=name)


def test_lines_are_a_plan_of_their_cells_and_features_by_name(tmp_path: Path) -> None:
    path = drawn(tmp_path / "experts.geojson", line(5, 2, 9, "ridge"), line(5, 8, 12),
                 line(20, 3, 4))
    part = replace(LAND.crop(2, 1, 12, 20), treatable=LAND.crop(2, 1, 12, 20).burnable)
    plan = given_plan(path, part, LAND, (2, 1), name_of(path))
    assert plan.method == "experts"
    row, col = np.divmod(plan.cells, 20)
    assert set(row.tolist()) == {3}
    burns = part.burnable[3]
    assert sorted(col.tolist()) == [k for k in range(1, 12) if burns[k]]
    with pytest.warns(LandscapeWarning, match="1 of 3 shapes has no cell .*: 3$"):
        ridge, second = features_of(path, plan, LAND, (2, 1))
    assert (ridge.name, second.name) == ("ridge", "2")
    assert set(plan.cells.tolist()) == {*ridge.cells.tolist(), *second.cells.tolist()}


def test_of_many_shapes_without_cells_some_are_named_in_whole_words(tmp_path: Path) -> None:
    path = drawn(tmp_path / "experts.geojson", line(5, 2, 9, "ridge"), *(
        line(20, 3, 4, f"far-off spur {k}") for k in range(23)))
    plan = given_plan(path, LAND.crop(2, 1, 12, 20), LAND, (2, 1))
    with pytest.warns(LandscapeWarning, match="23 of 24 .* spur 8, far-off spur 9 and 13 more$"):
        features_of(path, plan, LAND, (2, 1))


def test_no_two_shapes_have_one_name(tmp_path: Path) -> None:
    said = ["ridge", "ridge", "ridge (2)", "ridge (2)", "6", None, None, "ridge"]
    path = drawn(tmp_path / "experts.geojson", *(line(k, 2, 9, name)
                                                 for k, name in enumerate(said)))
    names = [one.name for one in features_of(path, given_plan(path, LAND, LAND, (0, 0)), LAND,
                                             (0, 0))]
    assert len({*names}) == len(said)
    assert names[0] == "ridge"
    assert names[1].startswith("ridge (")


@pytest.mark.parametrize("suffix", [".geojson", *([".gpkg"] if has_vector_reader() else [])])
@pytest.mark.parametrize("kind", ["LineString", "Polygon", "MultiLineString"])
def test_an_empty_shape_is_none(tmp_path: Path, suffix: str, kind: str) -> None:
    empty = {"type": "Feature", "properties": {},
             "geometry": {"type": kind, "coordinates": []}}
    several, alone = (drawn(tmp_path / name, *rows) for name, rows in (
        ("several.geojson", (empty, line(5, 2, 9))), ("alone.geojson", (empty,))))
    if suffix == ".gpkg":
        several, alone = (in_geopackage(path) for path in (several, alone))
    assert len(read_shapes(several).shapes) == 1
    with pytest.raises(InputError, match="at least one shape"):
        read_shapes(alone)


def in_geopackage(path: Path) -> Path:
    """The same shapes in a GeoPackage."""
    from pyogrio import raw

    meta, _, shapes, _ = raw.read(path)
    new = path.with_suffix(".gpkg")
    raw.write(new, shapes, [], [], geometry_type="Unknown", crs=meta["crs"])
    return new


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The same breaks in every form that a plan may have."""
    monkeypatch.chdir(tmp_path)
    write_landscape("land.tif", LAND)
    full: Landscape = firebreak.read_landscape("land.tif")
    shapes = drawn(Path("shapes.geojson"), line(5, 2, 12, "ridge"), line(14, 4, 20, "road"))
    cells = given_plan(shapes, full, full, (0, 0)).cells
    ranks = np.zeros(full.shape, np.int32)
    ranks.ravel()[cells] = 1
    write_geotiff("raster.tif", {"rank": ranks}, full)
    Path("raster.json").write_text(shapes.read_text())  # shapes, no record of a plan
    for path, driver in (("ascii.asc", "AAIGrid"), ("image.img", "HFA"), ("envi.bil", "ENVI")):
        with rasterio.MemoryFile(Path("raster.tif").read_bytes()) as memory:
            rasterio.shutil.copy(memory.name, path, driver=driver)
    part = full.crop(4, 1, 14, 24)  # experts draw on grids of their own
    write_geotiff("part.tif", {"breaks": ranks[4:18, 1:25] * -3}, part)
    row, col = np.divmod(cells, full.shape[1])
    degrees = transform_geom(CRS.from_epsg(32611), "EPSG:4326", [
        {"type": "Polygon", "coordinates": [[
            (WEST + CELL * x, NORTH - CELL * y) for x, y in (
                (c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1), (c, r))]]}
        for r, c in zip(row.tolist(), col.tolist(), strict=True)])
    Path("degrees.geojson").write_text(json.dumps(
        {"type": "GeometryCollection", "geometries": degrees}))
    Path("table.csv").write_text("row,col\n" + "".join(
        f"{r},{c}\n" for r, c in zip(row.tolist(), col.tolist(), strict=True)))
    Path("folder").mkdir()
    Path("folder/plan.csv").write_text(Path("table.csv").read_text())
    found = {"shapes": "shapes.geojson", "raster": "raster.tif", "table": "table.csv",
             "plan": "folder", "part": "part.tif", "degrees": "degrees.geojson",
             "ascii": "ascii.asc", "image": "image.img", "envi": "envi.bil"}
    if has_vector_reader():
        import geopandas

        frame = geopandas.GeoDataFrame.from_features(
            [{"geometry": one, "properties": {}} for one in read_shapes(shapes).geometries],
            crs="EPSG:32611")
        frame.to_file("packed.gpkg", layer="breaks")
        frame.to_file("shaped.shp")
        found |= {"packed": "packed.gpkg", "shaped": "shaped.shp"}
    return found


@pytest.mark.parametrize("area", [[], ["--area", "3:20,1:25"]], ids=["whole", "area"])
def test_breaks_in_every_form_save_the_same(
        area: list[str], forms: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "land.tif", *area, "--methods", "none", "--plan", *forms.values(),
                 "--budget", "0.3", *SMALL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    saved = [found["methods"][name]["reduction"] for name in forms]
    assert len({*saved}) == 1
    assert len({rate["per_cost"]["mean"] for rate in found["rates"].values()}) == 1
    assert [one["name"] for one in found["features"]["shapes"]] == ["ridge", "road"]
    assert set(found["features"]) == {name for name in forms if is_drawn(Path(forms[name]))}
    options: dict[str, Any] = {} if not area else {"area": area[1]}
    called = firebreak.evaluate("land.tif", methods="none", plans=list(forms.values()), budget=0.3,
                                test_fires=40, plan_fires=8, scenarios=2, burning_hours=2,
                                threads=1, **options)
    assert called.to_json()["features"] == found["features"]
    assert called.to_json()["rates"] == found["rates"]


def test_fires_are_simulated_under_breaks_in_every_form(forms: dict[str, str]) -> None:
    burned = {name: firebreak.simulate("land.tif", plan=path, fires=20, scenarios=2, threads=1,
                                       burning_hours=2).burn_probability
              for name, path in forms.items()}
    for own in burned.values():
        np.testing.assert_array_equal(own, burned["plan"])


@pytest.mark.parametrize("form", ["shapes", "ascii", "part"])
def test_breaks_from_elsewhere_are_explored(form: str, forms: dict[str, str],
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def export(args: object, path: Path, found: Exploration) -> Path:
        shown.append(found)
        path.write_text("")
        return path

    monkeypatch.setattr(explore, "_export", export)
    for name in (form, "plan"):
        assert main(["visualize", "land.tif", "--plan", forms[name], "--export", "page.html",
                     "--burning-hours", "2", "--scenarios", "2", "--plan-fires", "8",
                     "--threads", "1", "--quiet"]) == 0
    given, planned = shown
    assert sorted(given.plan.cells) == sorted(planned.plan.cells)
    assert given.plan.name == form


@pytest.mark.parametrize("option", ["--plan", "--existing", "--improve", "--must-include",
                                    "--must-exclude", "--area", "--treatable", "--barriers",
                                    "--built", "--roads"])
def test_a_landscape_is_no_mask(option: str, forms: dict[str, str],
                                capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate"] if option == "--plan" else [
        "plan", "--cost-per-km", "0.1", "--roads", forms["raster"]]
    assert main([*command, "land.tif", option, "land.tif"]) == 2
    assert "one band" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "words"), [
    ([line(900, 2, 9)], "shapes that cover cells of the landscape"),
    (None, "expected GeoJSON")])
def test_what_cannot_be_judged_is_refused_in_a_sentence(
        content: list[dict[str, Any]] | None, words: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    write_landscape("land.tif", LAND)
    if content is None:
        Path("experts.geojson").write_text("{")
    else:
        drawn(Path("experts.geojson"), *content)
    assert main(["evaluate", "land.tif", "--methods", "none", "--plan", "experts.geojson",
                 *SMALL]) == 2
    said = capsys.readouterr().err.splitlines()
    assert words in said[-1]
    assert said[-1].startswith("firebreak: experts.geojson")


def test_shapes_of_one_name_have_rows_that_differ(tmp_path: Path) -> None:
    path = drawn(tmp_path / "roads.geojson", line(5, 2, 9, "A1"), line(7, 2, 9, "B"),
                 line(9, 2, 9, "A1"))
    found = features_of(path, given_plan(path, LAND, LAND, (0, 0)), LAND, (0, 0))
    assert [one.name for one in found] == ["A1", "B", "A1 (2)"]


def test_plans_of_one_method_are_named_as_they_were_typed(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    write_landscape(tmp_path / "land.tif", LAND)
    for seed in ("1", "2"):
        assert main(["plan", "land.tif", "--method", "random", "--cells", "--report", "none",
                     "--seed", seed, "--out", f"plans/{seed}", *SMALL]) == 0
    (tmp_path / "other").mkdir()
    for folder in (".", "other"):
        drawn(tmp_path / folder / "experts.geojson", line(5, 2, 9))
    plans = ["plans/1", "./plans/2", "experts.geojson", "other/experts.geojson", "plans/1"]
    capsys.readouterr()
    assert main(["evaluate", "land.tif", "--methods", "none", "--plan", *plans, "--json",
                 *SMALL]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    names = ["none", "plans/1", "plans/2", *plans[2:4], "plans/1-2"]
    assert [row["method"] for row in found["rows"]] == names
    assert list(found["methods"]) == names
    assert main(["evaluate", "land.tif", "--methods", "none", "--plan", "plans/1", "--json",
                 *SMALL]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert list(found["methods"]) == ["none", "random"]


@pytest.mark.parametrize("methods", ["none,,random", ",none", "none,", " , "])
def test_an_empty_name_is_no_method(methods: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "synthetic:1:12", "--methods", methods]) == 2
    assert "got method ''" in capsys.readouterr().err
