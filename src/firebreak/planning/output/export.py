"""Plans as files: a CSV list, a GeoTIFF of ranks, Cell2Fire's table of fire breaks, a JSON record
of how the plan was made; and back.

Rows, columns and cell ids count from 0 (from 1 in Cell2Fire's table), ranks from 1. Coordinates are
cell centres in the landscape's reference system.
"""

import contextlib
import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.checks import InputError, fail
from firebreak.files import made_folder, write_text
from firebreak.landscape.formats.folders import write_firebreak_csv
from firebreak.landscape.formats.tables import read_firebreaks
from firebreak.landscape.formats.write import write_geotiff
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.names import DATA
from firebreak.landscape.raster.degrees import place_of_points
from firebreak.landscape.raster.geotiff import open_raster, read_band
from firebreak.landscape.raster.on_grid import same_cells
from firebreak.planning.core.plan import Plan, check_plan, cost_of, plan_on
from firebreak.planning.output.earlier import file_of, plan_file, plan_folder
from firebreak.planning.output.tables import text_of_csv
from firebreak.reading import lines_of, record_of

COLUMNS = ("rank", "row", "col", "cell", "x", "y", "cost", "cumulative_cost")
WIDTH = "width_m"
"""The column of the strips of a plan whose breaks differ in width."""
RANK_NODATA = -1
_Row = TypeVar("_Row")

_NUMBERS = {"plan_fires": int, "seed": int, "seconds": float, "simulations": float,
            "budget": float, "budget_share": float}


def write_plan(plan: Plan, landscape: Landscape, out_dir: Path,
               more: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Path]:
    """Writes plan.json into a folder, and plan.csv, plan.tif and firebreaks.csv into its data; made
    if need be.

    plan.tif holds the rank of placement, 0 where nothing is treated, -1 outside the data.
    firebreaks.csv is the table that Cell2Fire and C2F-W take, "Year,Ncell" with ids from 1.

    more: what plan.json also says.

    Returns:
        "csv", "tif", "json" and "firebreaks" -> path.

    Raises:
        InputError: the plan does not fit the landscape, or the folder cannot be written.
    """
    check_plan(plan, landscape)
    data = out_dir / DATA
    try:
        made_folder(data)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise fail(expected="a folder to write into", given=f"'{error.strerror}'",
                   where=str(data), remedy="choose another --out") from error
    tif = write_geotiff(data / "plan.tif", {"rank": _ranks(plan, landscape)}, landscape,
                        nodata=RANK_NODATA, tags={"method": plan.method} | _chosen_by(plan))
    return {"csv": _replace(data / "plan.csv", _csv_text(plan, landscape)), "tif": tif,
            "json": _replace(out_dir / "plan.json",
                             json.dumps(_record(plan) | {**more}, indent=2) + "\n"),
            "firebreaks": write_firebreak_csv(data / "firebreaks.csv", plan.cells)}


def read_plan(path: Path, landscape: Landscape) -> Plan:
    """The plan in a plan.csv, a plan.tif, or a folder with one, for a landscape.

    A CSV needs the columns `row` and `col`, or is Cell2Fire's table of fire breaks, whose header
    begins with Year and which keeps no order; a raster treats its cells above 0, lowest first. How
    the plan was made is taken from the .json file of the same name where there is one, beside it or
    in the plan's folder.

    Raises:
        InputError: no such file, a damaged one, another grid, or cells that are not treatable.
    """
    file = plan_file(path)
    beside = file.with_suffix(".json")
    record = _read_record(beside if beside.is_file() else plan_folder(file) / beside.name,
                          landscape)
    read = _read_csv if file.suffix.lower() == ".csv" else _read_raster
    cells = read(file, landscape)
    cost, whole = cost_of(cells, landscape), cost_of(np.flatnonzero(landscape.treatable), landscape)
    # The recorded budget is of the recorded landscape, whose costs may be others.
    same = record.pop("landscape_checksum", None) == landscape.checksum()
    spent = {"budget": cost, "budget_share": cost / max(whole, cost, 1e-9)}
    made: dict[str, Any] = {"method": file.stem, **spent, **record, **({} if same else spent)}
    plan = plan_on(landscape, cells, **made)
    check_plan(plan, landscape)
    return plan


def read_widths(path: Path, landscape: Landscape) -> NDArray[np.float64] | None:
    """The widths of breaks, m, [H, W], 0 off them, in a plan.csv, or a folder with one; None where
    it has none.

    Raises:
        InputError: as `read_plan`; a width that is none.
    """
    table = plan_file(path)
    if table.suffix.lower() != ".csv" or _is_firebreak_table(table):
        return None
    said = [line.get(WIDTH) for line in csv.DictReader(lines_of(table))]
    if not any(said):
        return None
    widths, cells = np.zeros(landscape.fuel_model.size), _read_csv(table, landscape)
    try:
        widths[cells] = [float(one or "nan") for one in said]
    except ValueError as error:
        raise _damaged(table, f"no numbers in the column {WIDTH} ({error})") from error
    if not ((widths >= 0.0) & (widths < np.inf)).all():
        raise _damaged(table, f"no numbers above 0 in the column {WIDTH}")
    return widths.reshape(landscape.shape)


def read_build_order(folder: Path, landscape: Landscape,
                     cells: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of the segment of each of a plan's flat cells [n], from 1, as the plan's folder
    holds it; None where it does not, or not for all of these cells.

    Raises:
        InputError: segments.tif is damaged, or of another grid.
    """
    path = file_of(folder, "segments.tif")
    if path is None:
        return None
    known = _numbers_in(path, landscape)
    numbers: NDArray[np.int64] = known[cells].astype(np.int64)
    return numbers if (numbers > 0).all() else None


def read_years(folder: Path) -> dict[int, int]:
    """The year in which to build each segment, by its number, as a plan's folder holds it; empty
    where the plan has no years.

    Raises:
        InputError: segments.csv is damaged.
    """
    return _by_number(folder, "year", int)


def read_names(folder: Path) -> dict[int, str]:
    """The name of each corridor, by its number; else as `read_years`."""
    return _by_number(folder, "name", text_of_csv)


def read_savings(folder: Path) -> list[tuple[float, float, float]]:
    """The share of the test fires' loss that the first 0 to n segments save, each with the bounds
    of its interval, as the report in a plan's folder has them; empty where there is no such table.

    Raises:
        InputError: budget_curve.csv is damaged.
    """
    return _rows_of(folder, "budget_curve.csv", lambda row: (
        float(row["reduction"]), float(row["reduction_low"]), float(row["reduction_high"])))


def _by_number(folder: Path, column: str, kind: Callable[[str], Any]) -> dict[int, Any]:
    return dict(_rows_of(folder, "segments.csv", lambda row: (
        (int(row["build_order"]), kind(row[column])) if row.get(column) else None)))


def _rows_of(folder: Path, name: str, read: Callable[[dict[str, str]], _Row | None]) -> list[_Row]:
    """The values read of each row of a table of a plan's folder; none without a table."""
    path = file_of(folder, name)
    if path is None:
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [one for row in csv.DictReader(file) if (one := read(row)) is not None]
    except (OSError, UnicodeDecodeError, KeyError, ValueError, TypeError, csv.Error) as error:
        raise fail(expected="a table that a plan wrote", given="a damaged one",
                   where=str(path), remedy="make the plan again") from error


def _replace(path: Path, text: str) -> Path:
    write_text(path, text)
    return path


def _ranks(plan: Plan, landscape: Landscape) -> NDArray[np.integer]:
    count = plan.cells.size
    ranks = np.zeros(plan.shape, np.int16 if count <= np.iinfo(np.int16).max else np.int32)
    ranks.ravel()[plan.cells] = np.arange(1, count + 1)
    ranks[landscape.fuel_model == NODATA] = RANK_NODATA
    return ranks


def _csv_text(plan: Plan, landscape: Landscape) -> str:
    rows, cols = np.divmod(plan.cells, plan.shape[1])
    x, y = place_of_points(landscape, rows + 0.5, cols + 0.5)
    cost = landscape.cost.ravel()[plan.cells].astype(np.float64)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS if landscape.strip_m is None else (*COLUMNS, WIDTH))
    columns = [np.arange(1, plan.cells.size + 1), rows, cols, plan.cells, x, y, cost,
               np.cumsum(cost)]
    if landscape.strip_m is not None:
        columns.append(landscape.strip_m.ravel()[plan.cells])
    writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
    return text.getvalue()


def _record(plan: Plan) -> dict[str, Any]:
    return {
        "schema": 1, "firebreak": __version__, "method": plan.method, **_chosen_by(plan),
        "n_cells": int(plan.cells.size), "cost": plan.cost, "cost_unit": plan.cost_unit,
        "currency": plan.currency, "budget": plan.budget, "budget_share": plan.budget_share,
        "landscape": plan.landscape,
        "landscape_checksum": plan.landscape_checksum, "shape": list(plan.shape),
        "plan_fires": plan.plan_fires, "seed": plan.seed, "seconds": plan.seconds,
        "simulations": plan.simulations, "policy": plan.policy,
        "notes": plan.notes,
    }


def _chosen_by(plan: Plan) -> dict[str, str]:
    return {} if plan.chosen_by is None else {"chosen_by": plan.chosen_by}


def record_in(folder: Path) -> dict[str, Any]:
    """The table of a folder's plan.json: how the plan was made.

    Raises:
        InputError: the file is damaged.
        OSError: it cannot be read.
    """
    path = folder / "plan.json"
    try:
        record = record_of(path)
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(record, dict):
        raise _damaged(path, "no table")
    return record


def _read_record(path: Path, landscape: Landscape) -> dict[str, Any]:
    """The record of how a plan was made, as fields of `Plan`; empty if there is no such file."""
    if not path.is_file():
        return {}
    try:
        record = record_of(path)
        made = {name: kind(record[name]) for name, kind in _NUMBERS.items()}
        made |= {"method": str(record["method"]), "policy": record["policy"],
                 "notes": record.get("notes"),
                 "chosen_by": str(record["chosen_by"]) if "chosen_by" in record else None,
                 "landscape_checksum": record["landscape_checksum"]}
        shape = tuple(record["shape"])
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise _damaged(path, f"a record without {error}") from error
    if shape != landscape.shape:
        raise _other_grid(path, f"shape {shape}", landscape)
    return made


class MapSize(NamedTuple):
    """The name of a map that is not read yet, and its rows and columns."""

    name: str
    shape: tuple[int, int]


def check_shape(folder: Path, size: MapSize) -> None:
    """Refuse the folder of a plan of a map of other rows and columns.

    Raises:
        InputError: naming the plan's record.
    """
    with contextlib.suppress(OSError, KeyError, TypeError):  # reading it says what is wrong
        own = tuple(record_in(folder)["shape"])
        if own != size.shape:
            raise _other_grid(folder / "plan.json", f"shape {own}", size)


def _read_csv(path: Path, landscape: Landscape) -> NDArray[np.int64]:
    if _is_firebreak_table(path):
        return read_firebreaks(path, landscape.fuel_model.size)
    height, width = landscape.shape
    try:
        found, centres = [], []
        for line in csv.DictReader(lines_of(path), strict=True):
            found.append((int(line["row"]), int(line["col"])))
            if "x" in line:
                centres.append((float(line["x"]), float(line["y"])))
            if len(found) > height * width:
                raise _other_grid(path, "more cells than the map has", landscape)
        places = np.array(found, np.int64).reshape(-1, 2)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, csv.Error) as error:
        raise _damaged(path, f"no whole numbers in the columns row and col ({error})") from error
    rows, cols = places.T
    outside = (rows < 0) | (rows >= height) | (cols < 0) | (cols >= width)
    if outside.any():
        row, col = places[outside][0].tolist()
        raise _other_grid(path, f"row {row}, column {col}", landscape)
    if centres and not np.allclose(
            np.array(centres).T, place_of_points(landscape, rows + 0.5, cols + 0.5), rtol=0.0,
            atol=0.25 * abs(landscape.transform[0])):
        raise _other_grid(path, "coordinates that do not lie in the cells of its rows and columns",
                          landscape)
    return rows * width + cols


def _is_firebreak_table(path: Path) -> bool:
    """True where the header begins with a year, as in "Year,Ncell" and "Year Number,Cell Numbers".
    """
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline(80).lstrip(' "').lower().startswith("year")


def _read_raster(path: Path, landscape: Landscape) -> NDArray[np.int64]:
    ranks = _numbers_in(path, landscape, on_grid=True)
    cells = np.flatnonzero(ranks > 0)
    return cells[np.argsort(ranks[cells], kind="stable")]


def _numbers_in(path: Path, landscape: Landscape, *, on_grid: bool = False) -> NDArray:
    """The flat numbers of a raster of the landscape's shape, or on its grid, 0 for none."""
    with open_raster(path) as dataset:
        if dataset.shape != landscape.shape:
            raise _other_grid(path, f"shape {dataset.shape}", landscape)
        if on_grid and not same_cells(dataset.transform[:6], landscape.transform, landscape.shape):
            raise _other_grid(path, f"transform {dataset.transform[:6]}", landscape)
        band = read_band(dataset, 1)
    return np.where(band.valid, band.values, 0).ravel()


def _damaged(path: Path, given: str) -> Exception:
    return fail(expected="a plan written by 'firebreak plan'", given=given, where=str(path),
                remedy="write the plan again, or correct the file")


def _other_grid(path: Path, given: str, landscape: Landscape | MapSize) -> Exception:
    return fail(expected=f"cells of {landscape.name}, {landscape.shape[0]} x {landscape.shape[1]}",
                given=given, where=str(path),
                remedy="use the plan with the landscape it was made for, or name its shapes, which "
                       "fit any grid (plan.gpkg:segments:)")
