"""The centre lines of corridors, and the layers of the package that a GIS opens."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.candidates.corridor import (
    OFF_CELLS,
    Anchor,
    Corridor,
    Ground,
    centre_lines,
    corridor_of,
    simplified,
    with_line_lengths,
)
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.area import lift_segments
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.output.segment_layers import centrelines, write_segments
from firebreak.planning.output.tables import columns_of, slope_class
from firebreak.planning.output.vectors import has_vector_reader

SIZE = 40
LAND = generate(5, SIZE, cell_size_m=30.0)


def path_of(*corners: tuple[int, int]) -> np.ndarray:
    """Cells along straight pieces between corners, each once."""
    found: list[int] = []
    for (row, col), (to_row, to_col) in pairwise(corners):
        steps = max(abs(to_row - row), abs(to_col - col)) + 1
        cells = np.rint(np.linspace(row, to_row, steps)) * SIZE + np.rint(
            np.linspace(col, to_col, steps))
        found += [int(cell) for cell in cells if int(cell) not in found[-1:]]
    return np.array(found, np.int64)


def corridor(*corners: tuple[int, int], name: str = "ridge 1") -> Corridor:
    path = path_of(*corners)
    return corridor_of(path, LAND, "route", (Anchor(int(path[0]), "rim"),
                                             Anchor(int(path[-1]), "road")))._replace(
        name=name, ground=Ground(1.0, 0.0, 0.0, 0.3))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), min_size=2,
                max_size=5, unique=True))
def test_a_centre_line_stays_near_its_cells(corners: list[tuple[int, int]]) -> None:
    path = path_of(*corners)
    if path.size < 2:
        return
    line = simplified(path, set(), SIZE)
    cells = np.stack(np.divmod(path, SIZE), axis=1)
    assert line[0].tolist() == cells[0].tolist()
    assert line[-1].tolist() == cells[-1].tolist()
    for cell in cells:
        away = [_from_piece(cell, one, other)
                for one, other in pairwise(line)]
        assert min(away) <= OFF_CELLS + 1e-9
    assert len(line) <= path.size


def _from_piece(point: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    places = one + np.linspace(0.0, 1.0, 401)[:, None] * (other - one)
    return float(np.hypot(*(places - point).T).min()) - 0.06


def test_a_straight_line_of_cells_has_two_corners_and_its_length() -> None:
    own = corridor((3, 2), (14, 35))  # a slope of a third: cells make a staircase
    (lines,) = centre_lines([own], SIZE)
    assert [len(line) for line in lines] == [2]
    (measured,) = with_line_lengths([own], SIZE, 30.0)
    assert measured.length_m == pytest.approx(30.0 * (np.hypot(11, 33) + 1))
    assert measured.length_m < own.length_m


def test_lines_join_where_corridors_join() -> None:
    main, branch = corridor((20, 2), (20, 36)), corridor((20, 17), (5, 17))
    (first,), (second,) = centre_lines([main, branch], SIZE)
    assert second[0].tolist() == [20.0, 17.0]
    assert [20.0, 17.0] in first.tolist()
    assert len(centre_lines([main], SIZE)[0][0]) == 2  # alone it needs no corner there


def test_a_cut_is_parted_where_it_steps_over_bare_ground() -> None:
    cells = np.concatenate([path_of((5, 2), (5, 8)), path_of((5, 20), (5, 26))])
    own = corridor((5, 2), (5, 8))._replace(path=cells)
    (lines,) = centre_lines([own], SIZE)
    assert len(lines) == 2
    (measured,) = with_line_lengths([own], SIZE, 30.0)
    assert measured.length_m == pytest.approx(30.0 * 13)


@pytest.mark.parametrize(("slope", "words"), [(0.05, "0 to 10 %"), (0.10, "0 to 10 %"),
                                              (0.3, "25 to 40 %"), (0.5, "over 40 %")])
def test_slopes_have_classes(slope: float, words: str) -> None:
    assert slope_class(slope) == words


@pytest.mark.skipif(not has_vector_reader(), reason="needs pyogrio")
def test_the_package_has_lines_ground_and_anchors(tmp_path: Path) -> None:
    import pyogrio

    land = replace(LAND, crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, -2e6, 0.0, -30.0, 1.5e6))
    parts = with_line_lengths([corridor((20, 2), (20, 36)), corridor((20, 17), (5, 17),
                                                                     name="road 1")], SIZE, 30.0)
    columns = columns_of(parts, [2.0, 1.0], 9.0, "houses", "USD", 20.0)
    write_segments(tmp_path, parts, columns, land)
    path = tmp_path / "plan.gpkg"
    layers = {name: kind for name, kind in pyogrio.list_layers(path).tolist() if kind is not None}
    assert layers == {"segments": "MultiPolygon", "centrelines": "MultiLineString",
                      "footprints": "MultiPolygon", "anchors": "Point"}
    for layer in ("segments", "centrelines", "footprints"):
        info = pyogrio.read_info(path, layer=layer)
        assert {"name", "build_order", "width_m", "length_m", "area_ha", "cost", "cost_unit",
                "slope_class", "from", "to"} <= set(info["fields"])
        assert info["features"] == 2
    _, _, _, areas = pyogrio.raw.read(
        path, sql="SELECT ST_Area(geom) AS area FROM footprints", sql_dialect="SQLITE")
    _, _, _, spans = pyogrio.raw.read(
        path, sql="SELECT ST_Length(geom) AS span FROM centrelines", sql_dialect="SQLITE")
    assert spans[0].tolist() == pytest.approx([own.length_m - 30.0 for own in parts])
    for area, span in zip(areas[0], spans[0], strict=True):
        assert area == pytest.approx(20.0 * span + np.pi * 10.0**2, rel=0.01)
    assert pyogrio.read_info(path, layer="anchors")["features"] == 4


@pytest.mark.skipif(not has_vector_reader(), reason="needs pyogrio")
def test_the_package_has_the_lines_of_alternatives(tmp_path: Path) -> None:
    import pyogrio

    land = replace(LAND, crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, -2e6, 0.0, -30.0, 1.5e6))
    one, two, own = (with_line_lengths([corridor((at, 2), (at, 30), name=f"ridge {at}")], SIZE,
                                       30.0)[0] for at in (5, 20, 35))
    write_segments(tmp_path, [own], columns_of([own], [2.0], 9.0, "ha", "USD", 20.0), land,
                   {"alternative-1": [one, two], "alternative-2": [two]})
    path = tmp_path / "plan.gpkg"
    meta, _, lines, columns = pyogrio.raw.read(path, layer="alternatives")
    found = dict(zip(meta["fields"], (column.tolist() for column in columns), strict=True))
    assert meta["geometry_type"] == "MultiLineString"
    assert len(lines) == 3
    assert found["alternative"] == [1, 1, 2]
    assert found["build_order"] == [1, 2, 1]
    assert found["name"] == ["ridge 5", "ridge 20", "ridge 20"]
    assert found["length_m"] == [one.length_m, two.length_m, two.length_m]
    _, _, _, (names, texts) = pyogrio.raw.read(
        path, layer="layer_styles", columns=["f_table_name", "styleQML"])
    style = dict(zip(names.tolist(), texts.tolist(), strict=True))["alternatives"]
    assert 'attr="alternative"' in style
    assert style.count("<range ") == 2
    assert "alternatives" not in pyogrio.list_layers(
        _written_without(tmp_path / "none", own, land))[:, 0].tolist()


def _written_without(folder: Path, own: Corridor, land: Landscape) -> Path:
    write_segments(folder, [own], columns_of([own], [2.0], 9.0, "ha", "USD", 20.0), land)
    return folder / "plan.gpkg"


def test_centre_lines_of_cells_join_where_segments_join() -> None:
    """A plan of cells is cut into segments that share no cell."""
    breaks = np.zeros(LAND.shape, np.bool_)
    breaks[20, 2:36] = breaks[8:20, 17] = True
    parts = break_segments_of(breaks, LAND, 300.0)
    assert len(parts) > 3
    corners = [[tuple(point) for part in line["coordinates"] for point in part]
               for line in centrelines(parts, LAND)]
    linked, waiting = {0}, [0]
    while waiting:
        own = corners[waiting.pop()]
        new = {k for k, other in enumerate(corners) if k not in linked and {*own} & {*other}}
        linked |= new
        waiting += new
    assert linked == {*range(len(parts))}


def test_no_line_turns_back_to_one_that_it_passes() -> None:
    """From its end it would run over ground that nobody treats."""
    main = corridor((20, 2), (20, 36))
    path = np.array([(18, 9), (19, 8), (20, 7), *((row, 6) for row in range(21, 35))]) @ [SIZE, 1]
    passing = main._replace(path=path, cells=np.sort(path))
    alone, beside = (centrelines(own, LAND)[-1]["coordinates"][0]
                     for own in ([passing], [main, passing]))
    assert beside[0] == alone[0]


def test_a_line_of_a_single_cell_is_its_middle_third() -> None:
    breaks = np.zeros(LAND.shape, np.bool_)
    breaks[3, 7] = True
    (line,) = centrelines(break_segments_of(breaks, LAND, 300.0), LAND)
    (((x, y), (other, same)),) = line["coordinates"]
    a, _, c, _, e, f = LAND.transform
    assert ((x + other) / 2, y) == pytest.approx((c + 7.5 * a, f + 3.5 * e))
    assert (other - x, same) == pytest.approx((a / 3, y))


def test_anchors_lie_at_the_ends_of_lines_on_the_whole_map() -> None:
    part, whole = corridor((5, 3), (5, 20)), generate(5, SIZE + 20, cell_size_m=30.0)
    (own,) = lift_segments([part], LAND.shape, (7, 11), whole)
    assert [anchor.cell for anchor in own.anchors] == own.path[[0, -1]].tolist()
    assert divmod(own.anchors[0].cell, SIZE + 20) == (12, 14)
    assert [anchor.kind for anchor in own.anchors] == ["rim", "road"]
