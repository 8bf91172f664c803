"""Breaks whose shapes name a treatment each, beside breaks of one treatment, on the same fires."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rasterio.crs import CRS

import firebreak
from drawn_lines import CELL, NORTH, WEST, drawn, line_of
from firebreak.api.compared import ComparedPlans
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import read_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, with_treatments
from firebreak.landscape.treatments import Treatment
from firebreak.planning.output.feature_treatments import rows_of_shapes, treated_by_shapes
from firebreak.planning.output.vectors import has_vector_reader

TABLE = read_table()
SMALL: dict[str, Any] = {
    "methods": "none", "test_fires": 60, "plan_fires": 8, "scenarios": 2, "burning_hours": 2,
    "threads": 1, "quiet": True}


def flat() -> Landscape:
    """Land of one gentle slope but for a steep strip on the eastern side, where bare lines end."""
    land = generate(6, (24, 30), cell_size_m=CELL)
    slope = np.where(np.arange(30) >= 24, 0.55, 0.05) * np.ones((24, 1))
    return replace(land, crs=CRS.from_epsg(32611).to_wkt(),
                   slope_tan=slope.astype(np.float32),
                   transform=(CELL, 0.0, WEST, 0.0, -CELL, NORTH))


LAND = flat()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("land") / "land.tif"
    write_landscape(path, LAND)
    return str(path)


def line(row: float, first: float, last: float, treatment: Any = None, **more: Any,
         ) -> dict[str, Any]:
    return line_of(row, first, last, treatment=treatment, **more)


def judged(source: str, *plans: Any, treatment: str | None = "bare-line", **more: Any,
           ) -> ComparedPlans:
    return firebreak.evaluate(source, plans=list(plans), treatment=treatment,
                              terrain="shipped", **(SMALL | more))


def saved(found: ComparedPlans) -> dict[str, float]:
    return {name: one.reduction for name, one in found.methods.items() if name != "none"}


def test_a_shape_counts_as_if_all_breaks_were_made_as_it_is(source: str, tmp_path: Path) -> None:
    """One treatment in all shapes, which is not that of the scene: as a scene of that treatment."""
    for treatment, other in (("bare-line", "shaded-break"), ("shaded-break", "bare-line")):
        own = drawn(tmp_path / "own.geojson", line(8, 2, 20, other), line(13, 2, 20, other))
        plain = drawn(tmp_path / "plain.geojson", line(8, 2, 20), line(13, 2, 20))
        both = judged(source, own, plain, treatment=treatment)
        alone = judged(source, plain, treatment=other)
        assert saved(both)["own"] == saved(alone)["plain"] != saved(both)["plain"]
        assert both.plans[0]["own"].cost == alone.plans[0]["plain"].cost
        assert both.plans[0]["plain"].cost != both.plans[0]["own"].cost
        assert [(one.alone, one.lost, one.cost) for one in both.features["own"]] == [
            (one.alone, one.lost, one.cost) for one in alone.features["plain"]]
        assert {one.treatment for one in both.features["own"]} == {other}


def test_lines_of_two_treatments_cost_and_save_what_each_does(source: str, tmp_path: Path) -> None:
    path = drawn(tmp_path / "experts.geojson", line(8, 2, 20, "shaded-break", name="belt"),
                 line(14, 2, 20, name="dozer"))
    found = judged(source, path)
    belt, dozer = found.features["experts"]
    row = found.plans[0]["experts"]
    per_ha = {name: one.costs[0].per_ha for name, one in TABLE.items()}
    ha = CELL * CELL / 1e4
    assert belt.cost == pytest.approx(belt.cells * ha * per_ha["shaded-break"])
    assert dozer.cost == pytest.approx(dozer.cells * ha * per_ha["bare-line"])
    assert row.cost == pytest.approx(belt.cost + dozer.cost)
    assert (belt.treatment, dozer.treatment) == ("shaded-break", "bare-line")
    assert "belt" in str(found)
    assert "shaded-break" in str(found)
    apart = [saved(judged(source, drawn(tmp_path / "one.geojson", own), treatment=made))["one"]
             for own, made in ((line(8, 2, 20), "shaded-break"), (line(14, 2, 20), "bare-line"))]
    assert [belt.alone.mean, dozer.alone.mean] == pytest.approx(apart)


def slow_number(land: Landscape, rows: list, shapes: list[tuple[list[int], set[str]]],
                ) -> dict[int, int]:
    """The treatment of each flat cell of shapes, cell by cell; none where nothing can be done."""
    found: dict[int, int] = {}
    for bare_first in (True, False):
        for cells, names in shapes:
            for cell in cells:
                slope = 100.0 * float(land.slope_tan.ravel()[cell])
                can = [(next(cost.per_ha for cost in rows[k].costs
                             if slope <= cost.to_slope_percent + 1e-3), k)
                       for k, row in enumerate(rows) if row.name in names
                       and slope <= row.costs[-1].to_slope_percent + 1e-3]
                if can and cell not in found and (
                        not bare_first or rows[min(can)[1]].name == "bare-line"):
                    found[cell] = min(can)[1]
    return found


def test_where_shapes_cross_bare_ground_goes_first_and_then_the_first(tmp_path: Path) -> None:
    names = ("bare-line", "mastication", "shaded-break", "prescribed-fire")
    rows = [TABLE[name] for name in names]
    said = ("mastication, prescribed-fire 30%", "shaded-break", "bare-line", "prescribed-fire")
    spans = ((0, 6), (4, 28), (12, 28), (16, 28))
    path = drawn(tmp_path / "experts.geojson", *(line(10, *span, text) for span, text in zip(
        spans, said, strict=True)))
    land = with_treatments(LAND, rows[:1], "here")
    made = treated_by_shapes(
        path, land, land, (0, 0), LAND.treatable, rows, rows_of_shapes(path, rows[:1], TABLE),
        Treatment(kind="shaded", by_cell=tuple(row.states[0].treatment for row in rows)))
    slow = slow_number(land, rows, [
        ([10 * 30 + col for col in range(first, last + 1)],
         {word.strip().split()[0] for word in text.split(",")})
        for (first, last), text in zip(spans, said, strict=True)])
    treatable = LAND.treatable.ravel()
    wanted = {cell: kind for cell, kind in slow.items() if treatable[cell]}
    row = np.arange(10 * 30, 10 * 30 + 29)
    got = made.treatment.ravel()
    assert {int(cell): int(got[cell]) for cell in row[made.treatable.ravel()[row]]} == wanted
    assert set(wanted.values()) == {0, 2, 3}
    other = np.setdiff1d(np.arange(LAND.fuel_model.size), row)
    for name in ("cost", "treatable", "treatment"):
        np.testing.assert_array_equal(getattr(made, name).ravel()[other],
                                      getattr(land, name).ravel()[other])


@pytest.mark.skipif(not has_vector_reader(), reason="needs pyogrio")
@pytest.mark.parametrize("treatment", ["mastication", "mastication,prescribed-fire"])
def test_the_package_of_a_plan_saves_what_its_folder_does(source: str, tmp_path: Path,
                                                          treatment: str) -> None:
    firebreak.plan(source, method="downstream-value", cells=True, budget=0.05, report="brief",
                   treatment=treatment, terrain="shipped", test_fires=9, plan_fires=8, scenarios=2,
                   burning_hours=2, threads=1, quiet=True).save(tmp_path / "mine")
    package = Path(f"{tmp_path / 'mine' / 'plan.gpkg'}:segments:")
    assert all(one.treatment for one in read_shapes(package).shapes)
    found = judged(source, tmp_path / "mine", package, treatment=treatment)
    folder, own = saved(found).values()
    assert folder == own > 0.0
    cost = [found.plans[0][name].cost for name in saved(found)]
    assert cost[0] == cost[1]
    named = judged(source, package, treatment="bare-line")
    assert saved(named)["plan"] == own


@pytest.mark.parametrize(("treatment", "asked", "words"), [
    ("logging", "bare-line", r"shape 2 \(ridge\): expected one of bare-line, .*'logging'"),
    (7, "bare-line", "got treatment '7'"),
    ("grazing", None, "expected treatment beside shapes that name their own")])
def test_what_is_wrong_is_said_before_the_map_is_read(
        source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, treatment: Any,
        asked: str | None, words: str) -> None:
    monkeypatch.setattr("firebreak.landscape.formats.read.read_landscape", None)
    path = drawn(tmp_path / "experts.geojson", line(8, 2, 20),
                 line(9, 2, 20, treatment, name="ridge"))
    with pytest.raises(InputError, match=words):
        judged(source, path, treatment=asked)


def test_one_scene_for_all_breaks_refuses_other_treatments(source: str, tmp_path: Path) -> None:
    path = drawn(tmp_path / "experts.geojson", line(8, 2, 20, "grazing"))
    for call in (lambda: firebreak.simulate(source, plan=path, treatment="bare-line", fires=10),
                 lambda: firebreak.plan(source, existing=path, treatment="bare-line")):
        with pytest.raises(InputError, match="evaluate, which judges each shape by its own"):
            call()
    same = drawn(tmp_path / "same.geojson", line(8, 2, 20, "bare-line"), line(9, 2, 20))
    firebreak.simulate(source, plan=same, treatment="bare-line", fires=10, scenarios=2,
                       burning_hours=1, threads=1, quiet=True)


@pytest.mark.parametrize("executor", [[], ["--executor", "in-process", "--out", "kept"]])
def test_the_command_shows_the_treatments_and_what_to_do_next(
        source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str], executor: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    path = drawn(tmp_path / "experts.geojson", line(8, 2, 20, "grazing", name="strip"),
                 line(14, 2, 20, name="dozer"))
    words = ["--methods", "none", "--test-fires", "60", "--plan-fires", "8", "--scenarios", "2",
             "--burning-hours", "2", "--threads", "1", "--quiet", "--terrain", "shipped",
             "--treatment", "bare-line", *executor]
    assert main(["evaluate", source, "--plan", str(path), *words, "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    table = {own.split()[0]: own.split() for own in lines if own.strip()}
    assert table["strip"][1] == "grazing"
    assert table["dozer"][1] == "bare-line"
    assert "--plan" not in lines[-1]
    assert lines[-1].startswith("next: firebreak visualize")
    found = json.loads(last)
    assert [one["treatment"] for one in found["features"]["experts"]] == ["grazing", "bare-line"]
    assert found["methods"]["experts"]["reduction"] == saved(judged(source, path))["experts"]
