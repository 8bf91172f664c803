"""Lines that are wider than a cell: the cells beside them, wherever lines are given."""

import csv
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st

import firebreak
from firebreak.checks import InputError
from firebreak.landscape.raster.line_cells import cells_within, lines_on_grid, masks_of_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import with_strips

WEST, NORTH, CELL = -2_000_000.0, 1_500_000.0, 30.0
LAND = replace(generate(6, (30, 40), cell_size_m=CELL),
               crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
               transform=(CELL, 0.0, WEST, 0.0, -CELL, NORTH))
PATHS = st.lists(st.tuples(st.floats(-5, 35), st.floats(-5, 45)), min_size=2, max_size=5).map(
    lambda points: np.array(points, np.float64))


def written(folder: Path, *lines: tuple[float, Any], key: str = "width_m") -> Path:
    """Lines from column 2 to 20 of a row, each with a width."""
    path = folder / "strips.geojson"
    path.write_text(json.dumps({
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "EPSG:5070"}},
        "features": [{"type": "Feature", "properties": {key: width, "other": 1},
                      "geometry": {"type": "LineString", "coordinates": [
                          [WEST + CELL * col, NORTH - CELL * row] for col in (2.5, 20.5)]}}
                     for row, width in lines]}))
    return path


@settings(max_examples=60, deadline=None)
@given(PATHS, st.floats(0.1, 6.0))
def test_the_cells_of_a_width_are_those_whose_centres_are_near(path: np.ndarray,
                                                               reach: float) -> None:
    row, col = np.mgrid[:30, :40].reshape(2, -1) + 0.5
    near = np.zeros(row.size, bool)
    for first, last in pairwise(path):
        along = last - first
        share = np.clip(((row - first[0]) * along[0] + (col - first[1]) * along[1])
                        / max(along @ along, 1e-9), 0.0, 1.0)
        near |= np.hypot(row - first[0] - share * along[0],
                         col - first[1] - share * along[1]) <= reach
    if np.ptp(path, axis=0).max() == 0.0:
        return
    found = np.zeros(row.size, bool)
    found[cells_within(path, reach, (30, 40))] = True
    apart = np.flatnonzero(found != near)
    assert apart.size <= 2  # centres at the very edge of the width, by rounding


@pytest.mark.parametrize(("row", "width", "rows"), [
    (5.5, 90.0, {4, 5, 6}), (5.5, 30.0, {5}), (6.0, 60.0, {5, 6}), (5.5, 150.0, {3, 4, 5, 6, 7}),
    (0.5, 90.0, {0, 1})])
def test_a_strip_has_as_many_rows_as_its_width(row: float, width: float, rows: set[int],
                                               tmp_path: Path) -> None:
    path = written(tmp_path, (row, width))
    found = lines_on_grid(path, LAND, 1e9, joined=False, attribute="width_m")
    assert set((found.wide[0][0] // 40).tolist()) == rows
    assert set((found.pieces[0][0] // 40).tolist()) <= rows
    ((_, mask, *_),) = masks_of_shapes(path, LAND, "width_m")
    assert set(np.flatnonzero(mask.any(axis=1)).tolist()) >= rows


@pytest.mark.parametrize(("width", "given_as"), [
    (None, "nothing"), (0, "'0'"), (-3, "'-3'"), ("wide", "the text 'wide'"), (True, "'True'"),
    (float("nan"), "nothing")])
@pytest.mark.parametrize("option", ["lines", "existing", "improve"])
def test_a_width_that_is_none_names_file_and_feature(option: str, width: Any, given_as: str,
                                                     tmp_path: Path) -> None:
    path = written(tmp_path, (5.5, 60.0), (9.5, width))
    with pytest.raises(InputError) as error:
        firebreak.plan(LAND, **{option: f"{path}:width_m"}, method="segments", plan_fires=8,
                       test_fires=20, quiet=True)
    remedy = ("make the attribute one of numbers, not of text" if width == "wide"
              else "correct it, or leave the shape out")
    assert str(error.value) == (
        f"{path}: expected a number above 0 in 'width_m' of every shape, got {given_as} in shape "
        f"2; {remedy}")


def test_an_attribute_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    path = written(tmp_path, (5.5, 60.0), key="width")
    with pytest.raises(InputError, match=r"'width_m' .* got width, other; is 'width' meant"):
        lines_on_grid(path, LAND, 1e9, joined=False, attribute="width_m")


def test_a_plan_of_wide_lines_treats_and_pays_for_their_width(tmp_path: Path) -> None:
    path = written(tmp_path, (8.5, 90.0), (20.5, 30.0))
    made = firebreak.plan(LAND, lines=f"{path}:width_m", only_lines=True, budget=54,
                          method="segments", segment_m=1e4, plan_fires=16, test_fires=20,
                          report="brief", quiet=True)
    may = {8: {7, 8, 9}, 20: {20}}
    rows = {int(row) for row in made.plan.cells // 40}
    assert rows in (may[8], may[20], may[8] | may[20])
    assert made.plan.cost == made.plan.cells.size
    columns = {row["width_m"] for row in rows_of(made.save(tmp_path / "out"))}
    assert (80.0 < max(columns) <= 100.0) == (7 in rows)


def rows_of(files: list[Path]) -> list[dict[str, float]]:
    path = next(one for one in files if one.name == "segments.csv")
    return [{"width_m": float(row["width_m"])}
            for row in csv.DictReader(path.read_text().splitlines())]


def test_an_existing_network_is_as_wide_as_it_is_said_to_be(tmp_path: Path) -> None:
    from firebreak.planning.output.given import given_plan

    path = written(tmp_path, (8.5, 90.0), (20.5, 10.0))
    plan = given_plan(Path(f"{path}:width_m"), LAND, LAND, (0, 0))
    assert set((plan.cells // 40).tolist()) == {7, 8, 9, 20}
    assert set((given_plan(path, LAND, LAND, (0, 0)).cells // 40).tolist()) == {8, 20}


def test_a_cell_has_the_widest_strip_of_it_and_costs_in_proportion(tmp_path: Path) -> None:
    from firebreak.planning.output.given import widths_in

    path = written(tmp_path, (8.5, 6.0), (8.5, 3.0), (20.5, 90.0))
    said = widths_in(Path(f"{path}:width_m"), LAND)
    assert said is not None
    land = with_strips(LAND, said, 12.0)
    assert land.strip_m is not None
    assert [land.strip_m[row, 10] for row in (8, 3, 19, 20, 21)] == [6.0, 12.0, 30.0, 30.0, 30.0]
    assert [land.cost[row, 10] for row in (8, 3, 20)] == [0.5, 1.0, 2.5]
    assert with_strips(LAND, np.where(said == 90.0, said, 0.0), None) is LAND


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.0, 8.0])
def test_fire_crosses_a_feature_as_it_crosses_breaks_of_its_width(width: float,
                                                                  tmp_path: Path) -> None:
    path = written(tmp_path, (8.5, width), (20.5, width))
    common = {"methods": "none", "test_fires": 60, "seed": 2, "breach": "wilson", "quiet": True}
    own = firebreak.evaluate(LAND, plans=[f"{path}:width_m"], **common)
    every = firebreak.evaluate(LAND, plans=[path], break_width_m=width, **common)
    assert own.rows[-1].reduction == every.rows[-1].reduction
    assert own.rows[-1].reduction != firebreak.evaluate(
        LAND, plans=[path], **common).rows[-1].reduction


def test_features_of_a_file_are_crossed_each_by_its_width(tmp_path: Path) -> None:
    common = {"fires": 80, "seed": 2, "breach": "wilson", "quiet": True}
    lost = [firebreak.simulate(LAND, plan=Path(f"{written(tmp_path, *lines)}:width_m"),
                               **common).burn_probability.mean()
            for lines in (((8.5, 2.0), (20.5, 2.0)), ((8.5, 2.0), (20.5, 12.0)),
                          ((8.5, 12.0), (20.5, 12.0)))]
    assert lost[0] > lost[1] > lost[2]


@pytest.mark.slow
def test_a_saved_plan_keeps_its_widths(tmp_path: Path) -> None:
    path = written(tmp_path, (8.5, 3.0), (20.5, 12.0))
    made = firebreak.plan(LAND, lines=f"{path}:width_m", only_lines=True, budget="0.5ha",
                          method="segments", segment_m=1e4, plan_fires=16, test_fires=60,
                          breach="wilson", report="brief", quiet=True, seed=2)
    rows = made.plan.cells // 40
    widths = np.where(rows == 8, 3.0, 12.0)
    assert made.plan.cost == pytest.approx(float((widths / CELL).sum()), rel=1e-5)
    assert float((widths * CELL).sum()) / 1e4 <= 0.5
    made.save(tmp_path / "out")
    table = tmp_path / "out" / "data" / "plan.csv"
    with table.open() as file:
        assert [float(row["width_m"]) for row in csv.DictReader(file)] == widths.tolist()
    common = {"methods": "none", "test_fires": 60, "seed": 2, "breach": "wilson",
              "terrain": "shipped", "quiet": True}
    again, whole = (firebreak.evaluate(LAND, plans=[one], **common).rows[-1] for one in (
        tmp_path / "out", tmp_path / "out" / "data" / "plan.tif"))
    assert again.reduction != whole.reduction
    assert made.effect is not None
    assert again.reduction == pytest.approx(made.effect.reduction.mean, abs=1e-9)
    report = (tmp_path / "out" / "report.html").read_text()
    assert "strips of bare ground of 3 to 30 m in cells of 30 m, as wide as shapes say" in report
    assert "Breaks: hard, 3 to 30 m wide, as shapes say; " in report
    table.write_text(table.read_text().replace(f",{widths[0]}\n", ",wide\n"))
    with pytest.raises(InputError, match="column width_m"):
        firebreak.evaluate(LAND, plans=[tmp_path / "out"], **common)


def test_shaded_breaks_are_whole_cells(tmp_path: Path) -> None:
    path = written(tmp_path, (8.5, 3.0))
    with pytest.warns(UserWarning, match="shaded breaks are whole cells"):
        firebreak.evaluate(LAND, plans=[f"{path}:width_m"], methods="none", test_fires=20,
                           break_kind="shaded", quiet=True)
