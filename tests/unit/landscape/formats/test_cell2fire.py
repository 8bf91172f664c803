"""Cell2Fire and C2F-W folders written by the test: each trap of these files."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cell2fire_folders import write_cell2fire
from firebreak.checks import InputError
from firebreak.files import write_pieces
from firebreak.landscape.formats.folders import write_ascii_folder, write_firebreak_csv
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.formats.tables import read_firebreaks, read_ignitions
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.generate import generate

ROWS, COLS = 6, 7
TABLE_HEADER = "grid_value, export_value, descriptive_name, fuel_type, r, g, b, h, s, l\n"
FBP_TABLE = {1: "C-1", 2: "C-2", 31: "O-1a", 60: "M-1/M-2", 101: "Non-fuel", 440: "M-1 (40 PC)"}

pytestmark = [pytest.mark.filterwarnings("ignore:.*has no coordinate reference system"),
              pytest.mark.filterwarnings("ignore:.*has no canopy")]


def ascii_text(grid: np.ndarray, *, corner: float = 5000.0, nodata: str = "-9999",
               cell: float = 100.0, form: str = "{:g}") -> str:
    rows, cols = grid.shape
    head = (f"ncols {cols}   \r\nNROWS {rows}\r\nxllcorner {corner}\r\nyllcorner {corner}\r\n"
            f"cellsize {cell}\r\nNODATA_value {nodata}\r\n")
    return head + "".join(" ".join(form.format(v) for v in row) + " \r\n" for row in grid)


def south_face(rows: int = ROWS, cols: int = COLS) -> dict[str, np.ndarray]:
    """Ground that falls 30 m per cell of 100 m to the south: 30 %, aspect 180."""
    drop = 1000.0 - 30.0 * np.arange(rows)
    return {"elevation": np.repeat(drop, cols).reshape(rows, cols),
            "slope": np.full((rows, cols), 30.0), "saz": np.full((rows, cols), 180.0)}


def write_folder(folder: Path, layers: dict[str, np.ndarray], *, fuel: np.ndarray | None = None,
                 name: str = "Forest", table: str | None = "fbp",
                 names: dict[int, str] | None = None, **options: object) -> Path:
    folder.mkdir(exist_ok=True)
    codes = np.full((ROWS, COLS), 2.0) if fuel is None else fuel
    for stem, grid in ({name: codes} | layers).items():
        (folder / f"{stem}.asc").write_bytes(
            ascii_text(grid, **options).encode())  # type: ignore[arg-type]
    if table:
        lines = [f"{code},{code},text, with comma,{text},0,0,0,0,0,0\n".replace("text, with", "x")
                 for code, text in (FBP_TABLE if names is None else names).items()]
        (folder / f"{table}_lookup_table.csv").write_text(TABLE_HEADER + "".join(lines))
    return folder


def write_data(folder: Path, columns: dict[str, np.ndarray]) -> None:
    lines = [",".join(["fueltype", *columns])]
    for values in zip(*(grid.ravel() for grid in columns.values()), strict=True):
        lines.append(",".join(["C2", *("" if np.isnan(v) else f"{v:g}" for v in values)]))
    (folder / "Data.csv").write_text("\n".join(lines) + "\n")


def warned(folder: Path, words: str, **options: str) -> Landscape:
    with pytest.warns(LandscapeWarning) as log:
        land = read_landscape(folder, **options)  # type: ignore[arg-type]
    assert any(words in str(entry.message) for entry in log), [str(e.message) for e in log]
    return land


def test_a_folder_of_the_fbp_system(tmp_path: Path) -> None:
    fuel = np.tile([1, 2, 31, 60, 101, 440, NODATA], (ROWS, 1)).astype(float)
    curing = np.where(fuel == 31, 60, NODATA)
    land = read_landscape(write_folder(tmp_path / "map", south_face() | {"cur": curing}, fuel=fuel))
    assert (land.name, land.fuel_system, land.cell_size_m) == ("map", "fbp", 100.0)
    np.testing.assert_array_equal(land.fuel_model, fuel)
    assert land.burnable[0].tolist() == [True, True, True, True, False, True, False]
    np.testing.assert_array_equal(land.grass_curing, np.where(fuel == 31, np.float32(0.6),
                                                              np.float32(0.8)))
    assert land.slope_tan[2, 2] == pytest.approx(0.3)
    assert land.aspect_deg[2, 2] == 180.0
    assert land.transform == (100.0, 0.0, 5000.0, 0.0, -100.0, 5000.0 + 100 * ROWS)


def test_no_reference_system_is_a_warning_and_nothing_else_is(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", south_face())
    with pytest.warns(LandscapeWarning, match="no coordinate reference system") as log:
        assert read_landscape(folder).crs is None
    assert len(log) == 1


@pytest.mark.parametrize("options", [{"form": "{:.1f}"}, {"nodata": "nan"}, {"nodata": "0"},
                                     {"cell": 100.02265625}])
def test_numbers_and_headers_of_all_kinds(tmp_path: Path, options: dict) -> None:
    fuel = np.full((ROWS, COLS), 2.0)
    fuel[0, 0] = np.nan if options.get("nodata") == "nan" else float(options.get("nodata", NODATA))
    land = read_landscape(write_folder(tmp_path / "a", south_face(), fuel=fuel, **options))
    assert np.argwhere(land.fuel_model == NODATA).tolist() == [[0, 0]]
    assert land.cell_size_m == options.get("cell", 100.0)


@pytest.mark.parametrize(("text", "code"), [
    ("C-3", 3), ("C3", 3), ("O-1b", 32), ("D-1/D-2", 13), ("M-1/M-2 (45 PC)", 645),
    ("M-3 (30 PDF)", 730), ("Non-fuel", 101), ("NF", 101),
])
def test_grid_values_are_read_by_the_table(tmp_path: Path, text: str, code: int) -> None:
    folder = write_folder(tmp_path / "a", south_face(), fuel=np.full((ROWS, COLS), 2001.0),
                          names={2001: text})
    assert (read_landscape(folder).fuel_model == code).all()


def test_the_table_decides_where_a_number_of_ours_means_another_fuel(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", south_face(), names={2: "C-7"})
    assert (read_landscape(folder).fuel_model == 7).all()
    folder = write_folder(tmp_path / "b", south_face(), fuel=np.full((ROWS, COLS), 102.0),
                          names={102: "Non-fuel"})
    assert (read_landscape(folder).fuel_model == 102).all()


def test_unknown_codes_are_refused_with_count_place_and_remedy(tmp_path: Path) -> None:
    fuel = np.full((ROWS, COLS), 2.0)
    fuel[3, 4:6] = 777
    with pytest.raises(InputError, match=r"Forest\.asc: expected FBP codes.*unknown codes 777 "
                                         r"\(2 cells\), the first at row 3, column 4; map these"):
        read_landscape(write_folder(tmp_path / "a", south_face(), fuel=fuel))
    fuel[3, 4:6] = 16.5
    with pytest.raises(InputError, match=r"whole fuel model codes, got 16\.5"):
        read_landscape(write_folder(tmp_path / "b", south_face(), fuel=fuel))


@pytest.mark.parametrize(("table", "words"), [
    ("kitral", "got kitral_lookup_table.csv; convert the fuels"),
    ("portugal", "got portugal_lookup_table.csv"),
    (None, "got none; convert"),
])
def test_other_fuel_systems_are_refused_in_one_sentence(tmp_path: Path, table: str | None,
                                                        words: str) -> None:
    folder = write_folder(tmp_path / "a", south_face(), name="fuels", table=table)
    with pytest.raises(InputError, match=f"expected the lookup table.*{words}") as error:
        read_landscape(folder)
    assert "\n" not in str(error.value)


def test_forest_without_a_table_is_of_the_fbp_system(tmp_path: Path) -> None:
    assert read_landscape(write_folder(tmp_path / "a", south_face(), table=None)).fuel_system == (
        "fbp")


def scott_burgan(folder: Path, layers: dict[str, np.ndarray]) -> Path:
    fuel = np.full((ROWS, COLS), 149.0)
    fuel[0, :2] = 0, 93
    return write_folder(folder, layers, fuel=fuel, name="fuels", table="spain",
                        names={149: "SH9", 93: "Non-fuel"})


def test_a_folder_of_scott_and_burgan_in_natural_units(tmp_path: Path) -> None:
    canopy = {"cbd": 0.127, "cbh": 6.24, "ccf": 62.0, "hm": 11.5}
    land = read_landscape(scott_burgan(tmp_path / "a", south_face() | {
        name: np.full((ROWS, COLS), value) for name, value in canopy.items()}))
    assert land.fuel_system == "rothermel"
    assert land.fuel_model[0, :3].tolist() == [99, 93, 149]  # 0 is unclassified
    assert land.canopy_bulk_density_kg_m3 == pytest.approx(0.127)
    assert land.canopy_base_height_m == pytest.approx(6.24)
    assert land.canopy_cover == pytest.approx(0.62)
    assert land.canopy_height_m == pytest.approx(11.5)


@pytest.mark.parametrize(("number", "unit"), [(30.0, "percent"), (16.699, "degrees")])
def test_the_unit_of_a_shipped_slope_is_what_the_elevation_shows(tmp_path: Path, number: float,
                                                                 unit: str) -> None:
    folder = scott_burgan(tmp_path / "a", south_face() | {"slope": np.full((ROWS, COLS), number)})
    land = warned(folder, f"slope is taken to be in {unit}, as its elevation", terrain="shipped")
    assert land.slope_tan == pytest.approx(0.3, abs=1e-3)
    assert read_landscape(folder).slope_tan[2, 2] == pytest.approx(0.3)


def test_a_slope_of_no_unit_is_refused_where_it_is_asked_for(tmp_path: Path) -> None:
    folder = scott_burgan(tmp_path / "a", south_face() | {"slope": np.full((ROWS, COLS), 50.0)})
    with pytest.raises(InputError, match=r"slope\.asc: expected slopes whose unit is known.*"
                                         "agree with the elevation in no unit; derive slope"):
        read_landscape(folder, terrain="shipped")
    assert warned(folder, "neither in percent nor in degr").slope_tan[2, 2] == pytest.approx(0.3)


def test_on_level_ground_only_the_fbp_system_has_a_unit(tmp_path: Path) -> None:
    level = south_face() | {"elevation": np.full((ROWS, COLS), 500.0)}
    land = warned(write_folder(tmp_path / "fbp", level), "in percent, as the FBP System has it",
                  terrain="shipped")
    assert land.slope_tan == pytest.approx(0.3)
    with pytest.raises(InputError, match="lie on level ground"):
        read_landscape(scott_burgan(tmp_path / "sb", level), terrain="shipped")


@pytest.mark.parametrize("flat", [-1.0, 65535.0, NODATA])
def test_level_cells_have_no_aspect_however_that_is_written(tmp_path: Path, flat: float) -> None:
    layers = south_face()
    layers["saz"][1, 1] = flat
    land = warned(write_folder(tmp_path / "a", layers), "percent", terrain="shipped")
    assert land.aspect_deg[1].tolist() == [180.0, 0.0, 180.0, 180.0, 180.0, 180.0, 180.0]


def small_slope() -> dict[str, np.ndarray]:
    return south_face() | {name: south_face(3, 4)[name] for name in ("slope", "saz")}


def test_a_slope_of_another_shape_is_not_used(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", small_slope())
    land = warned(folder, "slope.asc has 3 x 4 cells, not the fuel grid's 6 x 7, and is not used")
    assert land.slope_tan[2, 2] == pytest.approx(0.3)
    with (pytest.warns(LandscapeWarning, match="not used"),
          pytest.raises(InputError, match="slope and aspect layers, got none")):
        read_landscape(folder, terrain="shipped")


def test_a_layer_of_another_shape_is_taken_from_the_table(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", small_slope())
    write_data(folder, {"saz": np.full((ROWS, COLS), 180.0), "ps": np.full((ROWS, COLS), 31.0)})
    land = warned(folder, "slope is taken from Data.csv", terrain="shipped")
    assert land.slope_tan == pytest.approx(0.31)


def test_a_table_with_gaps_takes_no_layers_place(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", small_slope())
    slope = np.full((ROWS, COLS), np.nan)
    slope.ravel()[:12] = 30.0  # the small grid, unrolled into the first lines
    write_data(folder, {"ps": slope, "saz": slope})
    assert warned(folder, "Data.csv has slope for 12 of 42 cells only").slope_tan[2, 2] == (
        pytest.approx(0.3))


def test_missing_layers_are_taken_from_the_table_by_name(tmp_path: Path) -> None:
    layers = south_face()
    folder = write_folder(tmp_path / "a", {})
    curing = np.full((ROWS, COLS), np.nan)
    curing[0, 0] = 60.0
    write_data(folder, {"CUR": curing, "other": layers["saz"], "elev": layers["elevation"]})
    land = warned(folder, "elevation is taken from Data.csv; grass curing is taken from Data.csv")
    np.testing.assert_array_equal(land.elevation_m, layers["elevation"])
    assert land.grass_curing[0, :2].tolist() == [np.float32(0.6), np.float32(0.8)]


def test_layers_that_cannot_be_replaced_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a layer of elevation, got no file and no column"):
        read_landscape(write_folder(tmp_path / "a", {}))
    canopy = south_face() | {"cbd": np.zeros((3, 4))}
    with pytest.raises(InputError, match=r"cbd\.asc: expected the fuel grid's 6 x 7 cells, got an"):
        read_landscape(scott_burgan(tmp_path / "b", canopy))
    folder = write_folder(tmp_path / "c", south_face())
    (folder / "Forest.asc").rename(folder / "trees.asc")
    with pytest.raises(InputError, match=r"a fuel grid Forest\.asc"):
        read_landscape(folder)
    folder = write_folder(tmp_path / "d", south_face() | {"fuels": np.full((ROWS, COLS), 2.0)})
    with pytest.raises(InputError, match=r"one raster for fuel model, got Forest\.asc and fuels"):
        read_landscape(folder)


def test_a_table_of_another_map_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", south_face())
    write_data(folder, {"ps": np.zeros((2, 2))})
    with pytest.raises(InputError, match=r"Data\.csv: expected 42 lines .* got 4"):
        read_landscape(folder)
    (folder / "Data.csv").write_text("fueltype,ps\nC2,steep\n")
    with pytest.raises(InputError, match=r"Data\.csv, line 2: expected a number, got 'steep'"):
        read_landscape(folder)


def test_broken_lookup_tables_are_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", south_face())
    table = folder / "fbp_lookup_table.csv"
    table.write_text("a,b\n")
    with pytest.raises(InputError, match="columns grid_value and fuel_type, got a, b"):
        read_landscape(folder)
    table.write_text(TABLE_HEADER + "x,1,y,C-2\n")
    with pytest.raises(InputError, match=r"fbp_lookup_table\.csv, line 2: expected a whole grid"):
        read_landscape(folder)
    write_folder(folder, {}, table="spain")
    with pytest.raises(InputError, match=r"of one fuel system.*fbp_.*, spain_"):
        read_landscape(folder)


def test_a_wrong_corner_in_a_header_does_not_move_a_layer(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", south_face())
    (folder / "elevation.asc").write_text(ascii_text(south_face()["elevation"], corner=-1.62e6))
    land = warned(folder, "elevation.asc has another corner or cell size")
    np.testing.assert_array_equal(land.elevation_m, south_face()["elevation"])


@pytest.mark.parametrize("stem", ["py", "probabilityMap"])
def test_ignition_weights_are_read(tmp_path: Path, stem: str) -> None:
    weight = np.zeros((ROWS, COLS))
    weight[2, 3] = 0.5
    land = read_landscape(write_folder(tmp_path / "a", south_face() | {stem: weight}))
    np.testing.assert_array_equal(land.ignition_weight, weight)


# Writing


def rich(system: str) -> Landscape:
    """A landscape in which every grid says something."""
    land = generate(3, (9, 11), family="forest")
    random = np.random.default_rng(0)
    codes = {"fbp": [1, 7, 31, 60, 102, 455, 905, NODATA], "rothermel": [102, 149, 91, 189, NODATA]}
    grids = {name: random.random(land.shape) for name in (
        "canopy_cover", "grass_curing", "ignition_weight", "value")}
    return replace(
        land, name="rich", fuel_model=random.choice(codes[system], land.shape),
        fuel_system=system,
        cost=1.0 + random.random(land.shape), treatable=random.random(land.shape) < 0.5,
        elevation_m=land.elevation_m + 0.37, crs="EPSG:32611", **grids)  # type: ignore[arg-type]


@pytest.mark.parametrize("layer", ["value", "cost", "ignition_weight"])
def test_layers_of_an_earlier_landscape_are_refused(tmp_path: Path, layer: str) -> None:
    plain = generate(3, 8, family="grassland")
    for _ in range(2):
        write_ascii_folder(tmp_path, replace(plain, **{layer: np.arange(64.0).reshape(8, 8) + 1.0}))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="without other layers or fuel tables"):
        write_ascii_folder(tmp_path, plain)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


class KilledError(Exception):
    """Stands for a signal that nothing survives."""


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("step", ["firebreak.landscape.formats.folders.write_pieces", "os.replace"])
def test_a_folder_is_the_earlier_landscape_or_the_new_one_or_none(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, earlier: bool) -> None:
    """Wherever it is killed: no mixture is read."""
    new = rich("rothermel")
    old = replace(new, elevation_m=new.elevation_m + 7, value=new.value + 1)
    files = len(write_ascii_folder(tmp_path / "new", new))
    write_ascii_folder(tmp_path / "old", old)
    for most in (0, 1, files // 2, files - 1):
        folder = tmp_path / str(most)
        if earlier:
            write_ascii_folder(folder, old)
        with monkeypatch.context() as patch:
            patch.setattr(step, killed_after(most, os.replace if step == "os.replace" else
                                             write_pieces))
            with pytest.raises(KilledError):
                write_ascii_folder(folder, new)
        if earlier and step != "os.replace":
            assert read_landscape(folder).checksum() == read_landscape(
                tmp_path / "old").checksum()
        else:
            with pytest.raises(InputError):
                read_landscape(folder)
    write_ascii_folder(folder, new)
    assert read_landscape(folder).checksum() == read_landscape(tmp_path / "new").checksum()


def killed_after(count: int, work: Callable[..., Any]) -> Callable[..., Any]:
    left = [count]

    def stopped(*given: Any) -> Any:
        if not left[0]:
            raise KilledError
        left[0] -= 1
        return work(*given)

    return stopped


def test_a_folder_with_a_folder_of_a_grids_name_is_refused_whole(tmp_path: Path) -> None:
    (tmp_path / "elevation_m.asc").mkdir()
    with pytest.raises(InputError, match="without other layers or fuel tables, got elevation_m"):
        write_ascii_folder(tmp_path, generate(3, 8, family="grassland"))
    assert [path.name for path in tmp_path.iterdir()] == ["elevation_m.asc"]


def test_the_table_alone_gives_the_terrain(tmp_path: Path) -> None:
    land = replace(generate(3, (9, 11), family="forest"), crs="EPSG:32611")
    write_cell2fire(tmp_path, land)
    for name in ("elevation", "slope", "saz", "cbd", "cbh", "ccf", "hm"):
        (tmp_path / f"{name}.asc").unlink()
    again = warned(tmp_path, "is taken from Data.csv", terrain="shipped")
    assert again.checksum() == land.checksum()


def test_breaks_are_numbered_from_one(tmp_path: Path) -> None:
    write_firebreak_csv(tmp_path / "Firebreaks.csv", np.array([0, 9, 63]))
    assert (tmp_path / "Firebreaks.csv").read_text() == "Year,Ncell\n1,1,10,64\n"
    assert read_firebreaks(tmp_path / "Firebreaks.csv", 64).tolist() == [0, 9, 63]


# Tables


@pytest.mark.parametrize(("text", "cells"), [
    ("Year,Ncell,,,,\n1,142,161,163\n2,5,,,\n", [4, 141, 160, 162]),
    ("Year Number,Cell Numbers,,,\r\n1,142,161\r\n", [141, 160]),
    ("\n142\n161\n5\n", [4, 141, 160]),
    (",,\n1,142\n", [141]),
    ("Year,Ncell\n1\n2,3,3\n\n", [2]),
    ("Year,Ncell\n", []),
])
def test_fire_breaks_under_any_header(tmp_path: Path, text: str, cells: list[int]) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert read_firebreaks(tmp_path / "a.csv", 400).tolist() == cells


def test_ignitions_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Year,Ncell\n1,970\n2,320")
    assert read_ignitions(tmp_path / "a.csv", 1600).tolist() == [969, 319]


@pytest.mark.parametrize(("text", "words"), [
    ("Year,Ncell\n1,401\n", r"a\.csv, line 2: expected a cell from 1 to 400, got '401'"),
    ("Year,Ncell\n1,0\n", "got '0'"),
    ("Year,Ncell\n1,2.5\n", r"got '2\.5'"),
    ("Year,Ncell\n1,x\n", "a number, got 'x'"),
    ("1,142\n1,143\n", "a header such as Year,Ncell in the first line, which is not read"),
    ("Year,Ncell\n", "lines such as 1,970, got no cells"),
])
def test_cells_outside_the_map_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=words):
        read_ignitions(tmp_path / "a.csv", 400)
    with pytest.raises(InputError, match="got no such file"):
        read_ignitions(tmp_path / "b.csv", 400)
