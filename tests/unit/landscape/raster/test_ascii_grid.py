"""ESRI ASCII grids: what writers do differently is understood, what loses a cell is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rasterio.crs import CRS

from firebreak.checks import InputError
from firebreak.landscape.raster import geotiff
from firebreak.landscape.raster.ascii_grid import ascii_lines, read_ascii_grid

HEADER = "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\ncellsize 100\nNODATA_value -9999\n"
BODY = "1 2 3\n4 5 6\n"
NUMBERS = np.arange(1.0, 7.0).reshape(2, 3)


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("latin-1"))
    return path


def test_rows_run_from_north_to_south(tmp_path: Path) -> None:
    grid, band = read_ascii_grid(write(tmp_path / "a.asc", HEADER + BODY))
    np.testing.assert_array_equal(band.values, NUMBERS)
    assert grid.transform == (100.0, 0.0, 1000.0, 0.0, -100.0, 2200.0)
    assert (grid.cell_size_m, grid.crs) == (100.0, None)
    assert band.valid.all()


@pytest.mark.parametrize("text", [
    HEADER.upper() + BODY,
    HEADER.replace("\n", "   \r\n") + BODY.replace("\n", " \r\n"),
    HEADER.replace(" ", "\t\t") + "1.0\t2.00 3e0 \n 4 5 6",
    "\n" + HEADER + "\n1 2\n3 4 5\n6\n\n",
    HEADER + "1 2 3 4 5 6",
    "cellsize 100.0\nnrows 2\nncols 3.0\nxllcenter 1050\nyllcenter 2050\nnodata_value nan\n" + BODY,
    HEADER.replace("NODATA_value -9999\n", "") + BODY,
    "\xef\xbb\xbf" + HEADER + BODY,
])
def test_writers_that_differ_are_understood(tmp_path: Path, text: str) -> None:
    grid, band = read_ascii_grid(write(tmp_path / "a.asc", text))
    np.testing.assert_array_equal(band.values, NUMBERS)
    assert grid.transform == (100.0, 0.0, 1000.0, 0.0, -100.0, 2200.0)


@pytest.mark.parametrize(("nodata", "body", "missing"), [
    ("-9999", "1 2 -9999 4 5 6", 2), ("nan", "1 2 nan 4 5 6", 2), ("0", "1 2 0 4 5 6", 2),
    ("-1", "1 2 NaN 4 5 6", 2), ("7", "1 2 -9999 4 5 6", 2), ("0", "nan 2 3 4 5 6", 0),
])
def test_no_data_of_all_kinds(tmp_path: Path, nodata: str, body: str, missing: int) -> None:
    text = HEADER.replace("-9999", nodata) + body
    _, band = read_ascii_grid(write(tmp_path / "a.asc", text))
    assert np.flatnonzero(~band.valid).tolist() == [missing]


def test_a_cell_size_with_a_fraction_is_kept(tmp_path: Path) -> None:
    text = HEADER.replace("cellsize 100", "cellsize 100.02265625") + BODY
    grid, _ = read_ascii_grid(write(tmp_path / "a.asc", text))
    assert grid.cell_size_m == 100.02265625
    assert grid.transform[5] == 2000 + 2 * 100.02265625


def test_the_prj_beside_it_names_the_reference_system(tmp_path: Path) -> None:
    path = write(tmp_path / "a.asc", HEADER + BODY)
    prj = tmp_path / "a.prj"
    prj.write_text(CRS.from_epsg(25831).to_wkt(version="WKT1_ESRI"))
    assert CRS.from_wkt(read_ascii_grid(path)[0].crs or "").to_epsg() == 25831
    assert "5070" in str(read_ascii_grid(path, "EPSG:5070")[0].crs)
    prj.write_text("Projection UTM")
    with pytest.raises(InputError, match=r"a\.prj: expected a reference system as WKT"):
        read_ascii_grid(path)
    prj.write_text(CRS.from_epsg(4326).to_wkt())
    with pytest.raises(InputError, match="projected"):
        read_ascii_grid(path)
    prj.write_text("")
    assert read_ascii_grid(path)[0].crs is None


@pytest.mark.parametrize(("text", "words"), [
    (HEADER + "1 2 3\n4 5\n", r"a\.asc, line 8: expected 6 values \(2 rows of 3\), got only 5"),
    (HEADER + BODY + "7\n", r"a\.asc, line 9: expected 6 values .* got more"),
    (HEADER + "1 2 3\n4 x 6\n", r"a\.asc, line 8: expected numbers, got 'x'"),
    (HEADER + "1 2 3\n4 5,5 6\n", "line 8: expected numbers, got '5,5'"),
    (HEADER.replace("ncols 3", "ncols 3.5") + BODY, r"line 1: expected a whole ncols .* got 3.5"),
    (HEADER.replace("nrows 2", "nrows -2") + BODY, "line 2: expected a whole nrows"),
    (HEADER.replace("nrows 2", "nrows two") + BODY, "line 2: expected a number for nrows"),
    (HEADER.replace("cellsize 100", "cellsize 0") + BODY, "line 5: expected a cellsize above 0"),
    (HEADER.replace("yllcorner 2000\n", "") + BODY, "yllcorner or yllcenter in the header"),
    (HEADER.replace("cellsize", "width") + BODY, "line 5: expected a header line such as"),
    ("no raster at all", "line 1: expected a header line"),
    ("", "expected an ASCII grid, got an empty file"),
])
def test_broken_grids_are_refused_with_file_and_line(tmp_path: Path, text: str,
                                                     words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_ascii_grid(write(tmp_path / "a.asc", text))


@pytest.mark.parametrize("size", ["10000000000", "100000", "1e300", "inf", "nan"])
def test_absurd_sizes_are_refused_before_memory_is_taken(
        tmp_path: Path, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("memory was taken")

    path = write(tmp_path / "a.asc", HEADER.replace("ncols 3", f"ncols {size}") + BODY)
    monkeypatch.setattr(np, "empty", refuse)
    with pytest.raises(InputError, match=r"at most|file of|whole ncols"):
        read_ascii_grid(path)


def test_a_file_far_longer_than_its_header_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file of 9,"):
        read_ascii_grid(write(tmp_path / "a.asc", HEADER + "7 " * 4900))


def test_the_limit_of_cells_holds_for_text_too(tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geotiff, "MAX_CELLS", 5)
    with pytest.raises(InputError, match="at most 5 cells, got 2 x 3"):
        read_ascii_grid(write(tmp_path / "a.asc", HEADER + BODY))


SIDES = st.tuples(st.integers(1, 5), st.integers(1, 5))
ANY = st.one_of(
    hnp.arrays(np.float32, SIDES, elements=st.floats(-1e6, 1e6, width=32)),
    hnp.arrays(np.float32, SIDES, elements=st.floats(width=32, allow_nan=False,
                                                     allow_infinity=False)),
    hnp.arrays(np.float64, SIDES, elements=st.floats(allow_nan=False, allow_infinity=False)),
    hnp.arrays(np.float64, SIDES, elements=st.integers(-2**60, 2**60).map(float)),
    hnp.arrays(np.int16, SIDES))


@settings(max_examples=100, deadline=None)
@example(np.array([[-0.0, 1.0]], np.float32))
@example(np.array([[1e30, 2.0]], np.float32))
@example(np.array([[664.0783086353597]]))
@given(ANY)
def test_written_numbers_come_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory,
                                               values: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("grid") / "a.asc"
    place = (100.02265625, 0.0, 725952.625, 0.0, -100.02265625, 5952386.3125)
    path.write_text("".join(ascii_lines(values, place, -9999)))
    grid, band = read_ascii_grid(path)
    assert band.values.astype(values.dtype).tobytes() == values.tobytes()
    assert grid.transform == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize("damage", ["prj", "option"])
def test_a_damaged_reference_system_is_one_error_and_not_two(
        tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: str) -> None:
    path = tmp_path / "a.asc"
    path.write_text("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 30\n1\n")
    path.with_suffix(".prj").write_text('PROJCS["x",GEOG')
    with pytest.raises(InputError, match=r"expected a (coordinate )?reference system"):
        read_ascii_grid(path, "PROJCS[" if damage == "option" else None)
    assert capfd.readouterr().err == ""


def test_a_system_that_proj_reads_and_cannot_write_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.asc", HEADER + BODY)
    whole = CRS.from_epsg(5070).to_wkt(version="WKT1_ESRI")
    write(tmp_path / "a.prj", whole)
    assert read_ascii_grid(path)[0].crs is not None
    degree = 'UNIT["Degree",0.0174532925199433]'
    write(tmp_path / "a.prj", whole.replace(degree, 'UNIT["Degree",0]'))
    with pytest.raises(InputError, match="a reference system as WKT"):
        read_ascii_grid(path)


def test_dx_and_dy_are_the_size_of_cells_where_they_are_equal(tmp_path: Path) -> None:
    path = tmp_path / "a.asc"
    head = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\n"
    path.write_text(f"{head}dx 30\ndy 30\n1 2\n3 4\n")
    grid, band = read_ascii_grid(path)
    assert grid.cell_size_m == 30.0
    assert band.values.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    path.write_text(f"{head}dx 30\ndy 20\n1 2\n3 4\n")
    with pytest.raises(InputError, match="line 6: expected square cells, got 30 x 20"):
        read_ascii_grid(path)


@pytest.mark.parametrize(("dx", "dy"), [("30", "30.0"), ("30.000000000000", "29.999999999998")])
def test_sides_of_a_cell_are_compared_as_numbers(tmp_path: Path, dx: str, dy: str) -> None:
    path = tmp_path / "a.asc"
    path.write_text(f"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ndx {dx}\ndy {dy}\n1 2\n3 4\n")
    assert read_ascii_grid(path)[0].cell_size_m == pytest.approx(30.0, rel=1e-9)


def test_a_reference_system_that_is_replaced_need_not_be_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.asc"
    path.write_text("ncols 2\nnrows 2\nxllcorner 500000\nyllcorner 3700000\ncellsize 30\n"
                    "1 2\n3 4\n")
    path.with_suffix(".prj").write_text("Projection    UTM\nZone    11\n")
    assert read_ascii_grid(path, "EPSG:26911")[0].crs is not None
    with pytest.raises(InputError, match="pass --crs"):
        read_ascii_grid(path)


@pytest.mark.parametrize(("text", "words"), [
    ("xllcorner 0,5\nyllcorner 0\ncellsize 30\n1 2\n3 4\n", "line 3: .*got '0,5', a decimal comma"),
    ("xllcorner 0\nyllcorner 0\ncellsize 30\n1,5 2\n3 4\n", "line 6: .*got '1,5', a decimal comma"),
])
def test_decimal_commas_are_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.asc"
    path.write_text("ncols 2\nnrows 2\n" + text)
    with pytest.raises(InputError, match=words):
        read_ascii_grid(path)
