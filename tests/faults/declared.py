"""Valid files that declare something unusual: each says in another way what a plain file says. Its
reader gives the plain file's numbers, or refuses the file in one sentence; other numbers are a
fault, and so is whatever `hostile` counts as one.
"""

import csv
import io
import itertools
import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.warp import transform

from firebreak.checks import InputError
from firebreak.landscape.formats.overlays import amounts_on_grid, with_rasters
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.on_grid import read_on_grid
from firebreak.planning.output.vectors import has_vector_reader
from firebreak.units import METRES_PER_FOOT, METRES_PER_US_FOOT
from firebreak.weather.formats.read import read_weather

Says = dict[str, str]
Numbers = dict[str, NDArray[np.float64]]
SIDE, CELL_M = 12, 30.0
HOLE = (2, 3)
"""A cell without an elevation, whose stored number means nothing."""
PLACE = (-117.4, 34.1)

SYSTEMS = {"utm": "EPSG:32611", "vertical datum in metres": "EPSG:26911+5703",
           "US survey feet": "EPSG:2229", "feet": "+proj=utm +zone=11 +ellps=GRS80 +units=ft",
           "kilometres": "+proj=utm +zone=11 +datum=WGS84 +units=km", "albers": "EPSG:5070",
           "custom": "+proj=laea +lat_0=34 +lon_0=-117 +ellps=GRS80",
           "ESRI": "ESRI:102243", "no system": "", "degrees": "EPSG:4326",
           "Web Mercator": "EPSG:3857",
           "south and west": "+proj=tmerc +lat_0=0 +lon_0=-117 +ellps=WGS84 +axis=wsu",
           "local": 'LOCAL_CS["quarry",UNIT["metre",1]]',
           "local, in feet": 'LOCAL_CS["quarry",UNIT["foot",0.3048]]'}
UNITS = {"none": ("", 1.0), "metre": ("metre", 1.0), "ft": ("ft", METRES_PER_FOOT),
         "survey feet": ("US survey foot", METRES_PER_US_FOOT), "fathom": ("fathom", 1.8288),
         "decimetre": ("dm", 0.1), "centimetre": ("cm", 0.01), "kilometre": ("km", 1000.0)}
SCALES = {"none": (1.0, 0.0), "tenths": (0.1, 0.0), "shifted": (1.0, 60.0),
          "halves from -20": (0.5, -20.0)}
TYPES = ("int16", "uint8", "uint16", "int32", "float32", "float64")
NO_DATA = {"-9999": -9999.0, "0": 0.0, "255": 255.0, "nan": float("nan"), "1e+30": 1e30,
           "mask": None, "mask inside": None, "alpha": None}
LAYOUTS: dict[str, dict[str, Any]] = {
    "strips": {}, "tiles": {"tiled": True, "blockxsize": 16, "blockysize": 16},
    "deflate": {"compress": "deflate", "predictor": 2}, "lzw": {"compress": "lzw"},
    "big end": {"ENDIANNESS": "BIG"}, "BigTIFF": {"BIGTIFF": "YES"},
    "sparse": {"tiled": True, "blockxsize": 256, "blockysize": 256, "SPARSE_OK": True}}
TURNS = ("north up", "south up", "mirrored", "rotated", "cells of two sides", "centres")
RASTER: dict[str, tuple[str, ...]] = {
    "system": tuple(SYSTEMS), "unit": tuple(UNITS), "scale": tuple(SCALES), "type": TYPES,
    "no data": tuple(NO_DATA), "layout": tuple(LAYOUTS), "turn": TURNS}
PLAIN = {axis: values[0] for axis, values in RASTER.items()}
"""What a plain raster declares."""


class Unfit(Exception):
    """Numbers that cannot be stored in this way."""


class Kind(NamedTuple):
    """A kind of file. axes: its properties, each with its values, the plain one first; write: a
    file or folder that says the same as the plain one; read: the numbers of it. refused: properties
    that are refused; warned: those that may be read otherwise, with a warning.
    """

    name: str
    axes: dict[str, tuple[str, ...]]
    write: Callable[[Path, Says], Path]
    read: Callable[[Path], Numbers]
    tolerance: Callable[[Says], float] = lambda _: 1e-6
    refused: frozenset[tuple[str, str]] = frozenset()
    warned: frozenset[tuple[str, str]] = frozenset()

    def plain(self) -> Says:
        """What the plain file declares."""
        return {axis: values[0] for axis, values in self.axes.items()}

    def singles(self) -> Iterator[Says]:
        """The plain file, and all that differ from it in one property."""
        yield self.plain()
        for axis, values in self.axes.items():
            yield from (self.plain() | {axis: value} for value in values[1:])

    def pairs(self, draw: random.Random, count: int) -> Iterator[Says]:
        """Drawn files that differ from the plain one in two or three properties."""
        for _ in range(count):
            chosen = draw.sample([*self.axes], min(draw.choice((2, 2, 3)), len(self.axes)))
            yield self.plain() | {axis: draw.choice(self.axes[axis]) for axis in chosen}


def outcome(kind: Kind, expected: Numbers, says: Says, folder: Path) -> str:
    """What a reader makes of a file: "read", "refused", "" where there is no such file, or what is
    wrong. expected: the numbers of the plain file.
    """
    folder.mkdir(parents=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            path = kind.write(folder, says)
        except Unfit:
            return ""
        said.clear()
        try:
            found = kind.read(path)
        except InputError as error:
            return "refused" if "\n" not in str(error) else f"several lines: {error}"
        except Exception as error:  # whatever it is, it is no sentence
            return f"{type(error).__name__}: {error}"
    for name, numbers in expected.items():
        if found[name].shape != numbers.shape:
            return f"{name} of shape {found[name].shape}"
        apart = np.abs(np.nan_to_num(found[name], nan=-1e9) - np.nan_to_num(numbers, nan=-1e9))
        if apart.max(initial=0.0) > kind.tolerance(says):
            if said and kind.warned & says.items():
                return "warned"
            where = int(apart.argmax())
            return f"{name} is {found[name].flat[where]:g} instead of {numbers.flat[where]:g}"
    return "read"


def plain_numbers(kind: Kind, folder: Path) -> Numbers:
    """What is read of the plain file, which is written into a new folder."""
    folder.mkdir(parents=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind.read(kind.write(folder, kind.plain()))


def tried(kind: Kind, folder: Path, count: int, seed: int = 0) -> dict[str, list[Says]]:
    """Outcomes of all single properties and of `count` drawn combinations."""
    found: dict[str, list[Says]] = {}
    expected = plain_numbers(kind, folder / "plain")
    cases = [*kind.singles(), *kind.pairs(random.Random(seed), count)]
    for number, says in enumerate(cases):
        found.setdefault(outcome(kind, expected, says, folder / str(number)), []).append(says)
    return found


def _elevations() -> NDArray[np.float64]:
    rows, cols = np.indices((SIDE, SIDE))
    return 100.0 + 3.0 * rows + 2.0 * cols


def _fuels() -> NDArray[np.float64]:
    return 101.0 + np.indices((SIDE, SIDE)).sum(axis=0) % 4


def _stored(values: NDArray[np.float64], says: Says, *, hole: bool) -> NDArray[Any]:
    """Numbers as a file has them, by its unit, scale, type and no-data value."""
    unit, (scale, offset) = UNITS[says["unit"]][1], SCALES[says["scale"]]
    stored = (values / unit - offset) / scale
    tag = NO_DATA[says["no data"]]
    dtype = np.dtype(says["type"])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        stored = np.round(stored)
        if stored.min() < limits.min or stored.max() > limits.max or (
                tag is not None and not (limits.min <= tag <= limits.max)):
            raise Unfit
    if tag is not None and (stored == tag).any():
        raise Unfit
    if hole:
        stored[HOLE] = 190.0 if tag is None else tag
    return stored.astype(dtype)


def write_raster(path: Path, values: NDArray[np.float64], says: Says, *, hole: bool) -> None:
    """A raster of physical numbers that declares what `says` says."""
    system, turn, no_data = SYSTEMS[says["system"]], says["turn"], says["no data"]
    stored = _stored(values, says, hole=hole)
    placed = system and not system.startswith("LOCAL")
    x, y = transform("EPSG:4326", system, [PLACE[0]], [PLACE[1]]) if placed else ([5e5], [4e6])
    cell = CELL_M / _metres(says["system"])
    rows, cols = stored.shape
    at = rasterio.Affine(cell, 0.0, x[0], 0.0, -cell, y[0])
    if turn == "south up":
        stored, at = stored[::-1], rasterio.Affine(cell, 0.0, x[0], 0.0, cell, y[0] - rows * cell)
    elif turn == "mirrored":
        stored, at = stored[:, ::-1], rasterio.Affine(-cell, 0.0, x[0] + cols * cell, 0.0, -cell,
                                                      y[0])
    elif turn == "rotated":
        at @= rasterio.Affine.rotation(20.0)
    elif turn == "cells of two sides":
        at = rasterio.Affine(cell, 0.0, x[0], 0.0, -1.5 * cell, y[0])
    known = np.full(stored.shape, 255, np.uint8)
    if hole:
        known[_turned(HOLE, turn)] = 0
    if says["system"] == "south and west":  # what is up in the file is south
        stored, known = stored[::-1, ::-1], known[::-1, ::-1]
    inside = no_data == "mask inside"
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=inside), rasterio.open(
            path, "w", driver="GTiff", height=rows, width=cols, dtype=stored.dtype,
            count=1 + (no_data == "alpha"), crs=system or None, transform=at,
            nodata=NO_DATA[no_data], **_layout(says)) as file:
        known = np.ascontiguousarray(known)
        file.write(np.ascontiguousarray(stored), 1)
        if no_data == "alpha":
            file.write(known.astype(stored.dtype), 2)
            file.colorinterp = [rasterio.enums.ColorInterp.gray, rasterio.enums.ColorInterp.alpha]
        elif no_data.startswith("mask"):
            file.write_mask(known)
        file.scales, file.offsets = ((number,) * file.count for number in SCALES[says["scale"]])
        if says["unit"] != "none":
            file.set_band_unit(1, UNITS[says["unit"]][0])
        if turn == "centres":
            file.update_tags(AREA_OR_POINT="Point")


def _layout(says: Says) -> dict[str, Any]:
    made = LAYOUTS[says["layout"]]
    if "predictor" in made and says["type"].startswith("float"):
        made = made | {"predictor": 3}
    return made


def _turned(cell: tuple[int, int], turn: str) -> tuple[int, int]:
    row, col = cell
    return {"south up": (SIDE - 1 - row, col), "mirrored": (row, SIDE - 1 - col)}.get(turn, cell)


def _metres(system: str) -> float:
    return {"US survey feet": METRES_PER_US_FOOT, "feet": METRES_PER_FOOT, "kilometres": 1000.0,
            "local, in feet": METRES_PER_FOOT, "degrees": 100_000.0}.get(system, 1.0)


def _layers(folder: Path, fuel: Says, elevation: Says) -> Path:
    """A folder with one raster per layer; a property of all of a landscape's layers is one."""
    write_raster(folder / "fuel.tif", _fuels(), fuel, hole=False)
    write_raster(folder / "elevation.tif", _elevations(), elevation, hole=True)
    return folder


def _as_elevation(folder: Path, says: Says) -> Path:
    return _layers(folder, PLAIN | {name: says[name] for name in ("system", "turn")}, says)


def _as_fuel(folder: Path, says: Says) -> Path:
    return _layers(folder, PLAIN | says, PLAIN | {name: says[name] for name in (
        "system", "turn") if name in says})


def _land(folder: Path) -> Numbers:
    land = read_landscape(folder)
    return {"fuel": land.fuel_model.astype(np.float64),
            "elevation": land.elevation_m.astype(np.float64),
            "cell": np.array([land.cell_size_m])}


def _rounding(says: Says) -> float:
    """Half of the last digit of whole numbers, and of single precision."""
    step = UNITS[says.get("unit", "none")][1] * SCALES[says.get("scale", "none")][0]
    return 1e-3 + (0.0 if says.get("type", "int16").startswith("float") else 0.51 * step
                   if step != 1.0 else 0.0) + 1e-5 * CELL_M


def ground() -> Landscape:
    """The landscape on which values, points and shapes lie."""
    from dataclasses import replace

    from firebreak.landscape.synthetic.generate import generate
    x, y = transform("EPSG:4326", "EPSG:32611", [PLACE[0]], [PLACE[1]])
    return replace(generate(3, (SIDE, SIDE), cell_size_m=CELL_M),
                   crs=rasterio.crs.CRS.from_epsg(32611).to_wkt(),
                   transform=(CELL_M, 0.0, x[0], 0.0, -CELL_M, y[0]))


def _as_value(folder: Path, says: Says) -> Path:
    path = folder / "value.tif"
    write_raster(path, _elevations(), PLAIN | says, hole=True)
    return path


CANOPY_UNITS = {"none": ("", 10.0), "metre": ("m", 1.0), "metres": ("metres", 1.0),
                "decimetre": ("dm", 10.0), "feet": ("ft", 1.0 / METRES_PER_FOOT),
                "LANDFIRE": ("m * 10", 10.0), "fathom": ("fathom", 1.0 / 1.8288)}
DENSITY_UNITS = {"none": ("", 100.0), "kg/m3": ("kg/m3", 1.0), "kg m-3": ("kg m-3", 1.0),
                 "g/m3": ("g/m3", 1000.0), "LANDFIRE": ("kg/m3 * 100", 100.0)}
COVER_UNITS = {"none": ("", 100.0), "percent": ("percent", 100.0), "%": ("%", 100.0),
               "fraction": ("fraction", 1.0)}
SLOPE_UNITS = {"none": ("", "degrees"), "degrees": ("degrees", "degrees"), "°": ("°", "degrees"),
               "percent": ("percent", "percent"), "%": ("%", "percent"),
               "radians": ("rad", "radians")}
ORDERS = ("as in an LCP", "drawn", "backwards")


def _whole_file(folder: Path, says: Says) -> Path:
    """A GeoTIFF of all layers, described by name, with units."""
    slope = np.full((SIDE, SIDE), np.degrees(np.arctan(0.2)))
    stored_slope = {"degrees": slope, "percent": np.full_like(slope, 20.0),
                    "radians": np.radians(slope)}[SLOPE_UNITS[says["slope"]][1]]
    canopy, density = CANOPY_UNITS[says["height"]], DENSITY_UNITS[says["density"]]
    cover = COVER_UNITS[says["cover"]]
    bands = [("elevation", _elevations(), ""),
             ("slope", stored_slope, SLOPE_UNITS[says["slope"]][0]),
             ("aspect", np.full((SIDE, SIDE), 180.0), ""), ("fuel", _fuels(), ""),
             ("canopy cover", np.full((SIDE, SIDE), 0.4 * cover[1]), cover[0]),
             ("canopy height", np.full((SIDE, SIDE), 15.0 * canopy[1]), canopy[0]),
             ("canopy base height", np.full((SIDE, SIDE), 2.0 * canopy[1]), canopy[0]),
             ("canopy bulk density", np.full((SIDE, SIDE), 0.12 * density[1]), density[0])]
    if says["order"] == "drawn":
        random.Random(3).shuffle(bands)
    elif says["order"] == "backwards":
        bands.reverse()
    path = folder / "land.tif"
    with rasterio.open(path, "w", driver="GTiff", height=SIDE, width=SIDE, dtype="float32",
                       count=8, crs="EPSG:32611", interleave=says["interleave"],
                       transform=rasterio.Affine(*ground().transform)) as file:
        for index, (name, values, unit) in enumerate(bands, start=1):
            file.write(values.astype(np.float32), index)
            file.set_band_description(index, name)
            if unit:
                file.set_band_unit(index, unit)
    return path


def _canopy(path: Path) -> Numbers:
    land = read_landscape(path, terrain="shipped")
    return {name: np.asarray(getattr(land, name), np.float64) for name in (
        "canopy_cover", "canopy_height_m", "canopy_base_height_m", "canopy_bulk_density_kg_m3",
        "slope_tan", "fuel_model")}


ENCODINGS = {"utf-8": "utf-8", "BOM": "utf-8-sig", "UTF-16": "utf-16", "latin-1": "latin-1"}
ENDS = {"unix": "\n", "windows": "\r\n", "mac": "\r"}
HEADS = ("lower", "upper", "shuffled", "centre", "dx dy", "no no-data", "no-data 0", "no-data nan",
         "comment", "tabs")
PRJS = ("WKT", "WKT 2", "ESRI", "PRJ", "none", "feet", "vertical feet", "Arc", "Arc, Zunits feet",
        "PROJ", "code")


def _ascii_folder(folder: Path, says: Says) -> Path:
    _ascii(folder / "fuel", _fuels(), says)
    _ascii(folder / "elevation", _elevations() / (
        METRES_PER_US_FOOT if says["prj"] == "vertical feet" else METRES_PER_FOOT
        if says["prj"] == "Arc, Zunits feet" else 1.0), says)
    return folder


def _ascii(stem: Path, values: NDArray[np.float64], says: Says) -> None:
    head, prj = says["header"], says["prj"]
    metres = METRES_PER_US_FOOT if prj == "feet" else 1.0
    system = {"feet": "EPSG:2229", "vertical feet": "EPSG:26911+6360"}.get(prj, "EPSG:32611")
    x, y = transform("EPSG:4326", system, [PLACE[0]], [PLACE[1]])
    cell = CELL_M / metres
    south = y[0] - SIDE * cell
    lines = [("ncols", SIDE), ("nrows", SIDE), ("xllcorner", x[0]), ("yllcorner", south),
             ("cellsize", cell), ("nodata_value", -9999)]
    if head == "centre":
        lines[2:4] = [("xllcenter", x[0] + cell / 2), ("yllcenter", south + cell / 2)]
    if head == "dx dy":
        lines[4:5] = [("dx", cell), ("dy", cell)]
    if head.startswith("no"):
        lines[-1:] = [] if head == "no no-data" else [("nodata_value", head.split()[-1])]
    if head == "shuffled":
        random.Random(2).shuffle(lines)
    between = "\t" if head == "tabs" else "  "
    text = [f"{name.upper() if head == 'upper' else name}{between}{number}"
            for name, number in lines]
    text[:0] = ["# written by hand"] * (head == "comment")
    number = {"plain": lambda v: f"{v:.9g}", "exponent": lambda v: f"{v:.9e}",
              "comma": lambda v: f"{v:.3f}".replace(".", ","), "plus": lambda v: f"+{v:.9g}",
              }[says["numbers"]]
    rows = [[number(v) for v in row] for row in values.tolist()]
    if says["rows"] == "one line":
        rows = [list(itertools.chain(*rows))]
    elif says["rows"] == "wrapped":
        rows = [row[k:k + 5] for row in rows for k in range(0, SIDE, 5)]
    text += [between.join(row) + (" " if says["rows"] == "blanks" else "") for row in rows]
    end = ENDS[says["ends"]]
    stem.with_suffix(".asc").write_bytes((end.join(text) + end).encode(ENCODINGS[says["encoding"]]))
    crs = rasterio.crs.CRS.from_user_input(system)
    arc = "Projection    UTM\nZone          11\nDatum         WGS84\nUnits         METERS\n"
    words = {"WKT": crs.to_wkt(), "WKT 2": crs.to_wkt(version="WKT2_2019"),
             "ESRI": crs.to_wkt(version="WKT1_ESRI"), "PRJ": crs.to_wkt(), "feet": crs.to_wkt(),
             "vertical feet": crs.to_wkt(), "Arc": arc, "Arc, Zunits feet": arc + "Zunits  FEET\n",
             "PROJ": "+proj=utm +zone=11 +datum=WGS84", "code": "EPSG:32611"}.get(prj)
    if words:
        stem.with_suffix(".PRJ" if prj == "PRJ" else ".prj").write_text(words)


TABLE = {"by": (",", ";", "\t"), "numbers": ("point", "comma", "quoted"),
         "encoding": tuple(ENCODINGS), "ends": tuple(ENDS),
         "around": ("nothing", "comment", "blank lines", "blanks", "trailing delimiter"),
         "order": ("plain", "backwards", "more columns")}


def _table(path: Path, names: list[str], rows: list[list[str]], says: Says) -> Path:
    """A table whose cells, signs and bytes are as `says` says."""
    table = [names, *rows]
    if says["order"] == "backwards":
        table = [row[::-1] for row in table]
    elif says["order"] == "more columns":
        table = [[*row, "note" if k == 0 else "é" * (k % 2)] for k, row in enumerate(table)]
    if says["numbers"] == "comma":
        if says["by"] == ",":
            raise Unfit
        table = [[cell.replace(".", ",") for cell in row] for row in table]
    if says["around"] == "blanks":
        table = [[f" {cell} " for cell in row] for row in table]
    elif says["around"] == "trailing delimiter":
        table = [[*row, ""] for row in table]
    text = io.StringIO()
    csv.writer(text, delimiter=says["by"], lineterminator="\n", quoting=(
        csv.QUOTE_ALL if says["numbers"] == "quoted" else csv.QUOTE_MINIMAL)).writerows(table)
    lines = text.getvalue().splitlines()
    if says["around"] == "comment":
        lines.insert(0, "# a remark")
    elif says["around"] == "blank lines":
        lines = ["", *itertools.chain(*((line, "") for line in lines))]
    try:
        path.write_bytes(ENDS[says["ends"]].join([*lines, ""]).encode(ENCODINGS[says["encoding"]]))
    except UnicodeEncodeError:
        raise Unfit from None
    return path


STAMPS = {"blank": lambda h: f"2025-07-01 {h:02}:00", "ISO": lambda h: f"2025-07-01T{h:02}:00",
          "seconds": lambda h: f"2025-07-01 {h:02}:00:00",
          "offset": lambda h: f"2025-07-01T{h:02}:00:00-07:00",
          "day first": lambda h: f"01/07/2025 {h:02}:00",
          "month first": lambda h: f"07/01/2025 {h:02}:00",
          "points": lambda h: f"01.07.2025 {h:02}:00", "no year": lambda h: f"07-01 {h:02}:00",
          "short year": lambda h: f"01/07/25 {h:02}:00",
          "half days": lambda h: f"07/01/2025 {(h - 1) % 12 + 1}:00 {'AM' if h < 12 else 'PM'}"}
WINDS = {"km/h": ("WS", 1.0), "in brackets": ("WS (km/h)", 1.0), "mph": ("WS (mph)", 1 / 1.609344),
         "m/s": ("WS [m/s]", 1 / 3.6), "knots": ("wind_speed_10m (kn)", 1 / 1.852),
         "Open-Meteo": ("windspeed_10m (km/h)", 1.0), "with a blank": ("Wind Speed (mph)",
                                                                    1 / 1.609344),
         "unknown": ("WS (ft/s)", 1 / 1.09728), "beside the name": ("WS_mph", 1 / 1.609344),
         "no unit": ("wind_speed", 1 / 1.609344), "at 20 ft": ("WS (mph at 20 ft)",
                                                              1 / 1.609344 / 1.15)}
HEATS = {"C": ("TMP", 1.0, 0.0), "F": ("TMP (F)", 1.8, 32.0), "°F": ("temp (°F)", 1.8, 32.0),
         "K": ("TMP (K)", 1.0, 273.15), "no unit": ("air_temp", 1.8, 32.0)}
HUMIDITIES = {"percent": ("RH", 1.0), "%": ("RH (%)", 1.0), "fraction": ("RH (fraction)", 0.01),
              "bare fraction": ("RH", 0.01)}


def _station(folder: Path, says: Says) -> Path:
    wind, heat, humid = WINDS[says["wind"]], HEATS[says["heat"]], HUMIDITIES[says["humidity"]]
    stamp = STAMPS[says["stamps"]]
    rows = [[stamp(h), f"{(15 + h) * heat[1] + heat[2]:.6f}", f"{(57 - h) * humid[1]:.6f}",
             f"{(10 + h) * wind[1]:.9f}", f"{200 + h}", "0.5"] for h in range(13)]
    return _table(folder / "station.csv", ["datetime", heat[0], humid[0], wind[0], "WD", "APCP"],
                  rows, says)


def _weather(path: Path) -> Numbers:
    table = read_weather(path)
    assert table.time is not None
    return {"hour": (table.time - np.datetime64("2025-07-01", "m")) / np.timedelta64(1, "m"),
            **{name: np.asarray(getattr(table, name), np.float64) for name in (
                "wind_20ft_m_min", "wind_from_deg", "temperature_c", "relative_humidity",
                "rain_mm")}}


def _points(folder: Path, says: Says) -> Path:
    land = ground()
    a, _, c, _, e, f = land.transform
    places = [(c + a * (col + 0.5), f + e * (row + 0.5), n) for row, col, n in (
        (3, 4, 2.5), (5, 6, 1.5), (7, 7, 4.0))]
    names = {"x,y": ["x", "y"], "X,Y": ["X", "Y"], "row,col": ["row", "col"],
             "longitude": ["longitude", "latitude"]}[says["names"]]
    rows = [[f"{x:.6f}", f"{y:.6f}", f"{n}"] for x, y, n in places]
    if says["names"] == "row,col":
        rows = [["3", "4", "2.5"], ["5", "6", "1.5"], ["7", "7", "4.0"]]
    elif says["names"] == "longitude":
        east, north = transform("EPSG:32611", "EPSG:4326", *zip(*((x, y) for x, y, _ in places),
                                                               strict=True))
        rows = [[f"{x:.9f}", f"{y:.9f}", row[2]] for x, y, row in zip(east, north, rows,
                                                                      strict=True)]
    return _table(folder / "points.csv", [*names, "weight"], rows, says)


NAMES_OF_SYSTEMS = {"degrees": None, "CRS84": "urn:ogc:def:crs:OGC:1.3:CRS84", "4326": "EPSG:4326",
                    "urn of 4326": "urn:ogc:def:crs:EPSG::4326", "utm": "EPSG:32611",
                    "urn of utm": "urn:ogc:def:crs:EPSG::32611", "albers": "EPSG:5070",
                    "unnamed metres": "EPSG:32611"}
ATTRIBUTES: dict[str, Callable[[float], object]] = {
    "number": lambda n: n, "text": str, "comma": lambda n: str(n).replace(".", ","),
    "list": lambda n: [n], "nested": lambda n: {"value": n}}


def _geojson(folder: Path, says: Says) -> Path:
    land = ground()
    a, _, c, _, e, f = land.transform
    at = [(3, 4), (5, 6), (7, 7)]
    named = NAMES_OF_SYSTEMS[says["system"]]
    x, y = transform("EPSG:32611", named or "EPSG:4326",
                     [c + a * (col + 0.5) for _, col in at], [f + e * (row + 0.5) for row, _ in at])
    high = [12.5] if says["dimensions"] == "3" else []
    shapes = [{"type": "Point", "coordinates": [east, north, *high]}
              for east, north in zip(x, y, strict=True)]
    if says["shapes"] == "collections":
        shapes = [{"type": "GeometryCollection", "geometries": [one]} for one in shapes]
    elif says["shapes"] == "multi":
        shapes = [{"type": "MultiPoint", "coordinates": [one["coordinates"]]} for one in shapes]
    value = ATTRIBUTES[says["attribute"]]
    parts = [{"type": "Feature", "id": k, "bbox": [0, 0, 1, 1], "geometry": one,
              "properties": {"price": value(n), "né": None}}
             for k, (one, n) in enumerate(zip(shapes, (2.5, 1.5, 4.0), strict=True))]
    whole: dict[str, Any] = {"type": "FeatureCollection", "features": parts}
    if named and says["system"] != "unnamed metres":
        whole["crs"] = {"type": "name", "properties": {"name": named}}
    path = folder / "houses.geojson"
    text = json.dumps(whole, ensure_ascii=says["encoding"] == "utf-8")
    path.write_bytes(text.encode(ENCODINGS[says["encoding"]]))
    return path


def _prices(path: Path) -> Numbers:
    return {"amounts": amounts_on_grid(f"{path}:price", ground(), "value")}


DRIVERS = {"gpkg": "GPKG", "shp": "ESRI Shapefile", "fgb": "FlatGeobuf", "gml": "GML",
           "kml": "KML"}
PLACES = {"utm": "EPSG:32611", "degrees": "EPSG:4326", "albers": "EPSG:5070",
          "US survey feet": "EPSG:2229", "latitude first": "EPSG:4269", "none": None}
NUMBERS: dict[str, Callable[[float], object]] = {
    "real": lambda n: n + 0.5, "whole": round, "text": lambda n: str(n + 0.5),
    "truth": lambda n: n > 2.0}


def _vector(folder: Path, says: Says) -> Path:
    """Houses as GDAL writes them, with an attribute in some type."""
    from pyogrio import raw

    land = ground()
    a, _, c, _, e, f = land.transform
    at = [(3, 4), (5, 6), (7, 7)]
    kml = says["format"] == "kml"
    system = PLACES["degrees" if kml else says["system"]]
    x, y = transform("EPSG:32611", system or "EPSG:32611",
                     [c + a * (col + 0.5) for _, col in at], [f + e * (row + 0.5) for row, _ in at])
    number = NUMBERS[says["attribute"]]
    high = [3.0] if says["dimensions"] == "3" else []
    parts: list[dict[str, Any]] = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [east, north, *high]},
         "properties": {"name": "casa ñ", "price": number(n)}}
        for east, north, n in zip(x, y, (2.0, 1.0, 4.0), strict=True)]
    if says["shapes"] == "one without":
        parts.append({"type": "Feature", "geometry": None,
                      "properties": {"name": "nowhere", "price": number(9.0)}})
    meta, _, shapes, columns = raw.read(io.BytesIO(json.dumps(
        {"type": "FeatureCollection", "features": parts}).encode()))
    path = folder / f"houses.{says['format']}"
    options: dict[str, Any] = {"ENCODING": "ISO-8859-1"} if says["encoding"] == "latin-1" else {}
    if options and says["format"] != "shp":
        raise Unfit
    layers = ["houses", "old"] if says["layers"] == "two" else ["houses"]
    if len(layers) > 1 and says["format"] != "gpkg":
        raise Unfit
    try:
        for layer in layers:
            raw.write(path, shapes, columns, list(meta["fields"]), driver=DRIVERS[says["format"]],
                      layer=layer, geometry_type="Point Z" if high else "Point", crs=system,
                      append=layer != layers[0], **options)
    except RuntimeError as error:  # GDAL writes no such file, as one of no shape with an index
        raise Unfit from error
    return path


def _houses(path: Path) -> Numbers:
    found = amounts_on_grid(f"{path}:price", ground(), "value")
    return {"amounts": np.sign(found), "places": np.floor(found)}


_VALUE = {axis: RASTER[axis] for axis in ("scale", "type", "no data", "layout")} | {
    "turn": ("north up", "south up", "mirrored", "centres")}
_FUEL = {axis: RASTER[axis] for axis in ("system", "scale", "type", "layout", "turn")}

_TURNED = {("turn", turn) for turn in TURNS[1:5]}
_SYSTEMLESS = {("system", name) for name in (
    "degrees", "Web Mercator", "south and west", "local", "local, in feet")}
_TABLES = {("encoding", "UTF-16")}

KINDS = (
    Kind("elevation GeoTIFF", RASTER, _as_elevation, _land, _rounding, frozenset({
        ("unit", "fathom"), ("unit", "decimetre"), ("unit", "centimetre"), ("unit", "kilometre"),
        ("no data", "alpha"), *_TURNED, *_SYSTEMLESS})),
    Kind("fuel GeoTIFF", _FUEL, _as_fuel, _land, _rounding, frozenset({*_TURNED, *_SYSTEMLESS})),
    Kind("value raster", _VALUE, _as_value, lambda path: {
        "value": np.nan_to_num(read_on_grid(path, ground()))}, _rounding),
    Kind("landscape GeoTIFF", {
        "height": tuple(CANOPY_UNITS), "density": tuple(DENSITY_UNITS),
        "cover": tuple(COVER_UNITS), "slope": tuple(SLOPE_UNITS), "order": ORDERS,
        "interleave": ("band", "pixel")}, _whole_file, _canopy, lambda _: 1e-4, frozenset({
            ("height", "fathom"), ("slope", "radians")})),
    Kind("folder of ASCII grids", {
        "header": HEADS, "prj": PRJS, "numbers": ("plain", "exponent", "comma", "plus"),
        "rows": ("plain", "one line", "wrapped", "blanks"), "ends": tuple(ENDS),
        "encoding": tuple(ENCODINGS)}, _ascii_folder, _land, lambda _: 2e-3, frozenset({
            ("header", "comment"), ("prj", "Arc"), ("prj", "Arc, Zunits feet"), ("prj", "PROJ"),
            ("prj", "code"), ("numbers", "comma"), ("ends", "mac"), *_TABLES})),
    Kind("station table", {"stamps": tuple(STAMPS), "wind": tuple(WINDS), "heat": tuple(HEATS),
                           "humidity": tuple(HUMIDITIES), **TABLE}, _station, _weather,
         lambda _: 1e-4, frozenset({
             ("stamps", "points"), ("stamps", "no year"), ("stamps", "half days"),
             ("wind", "with a blank"), ("wind", "unknown"), ("wind", "beside the name"),
             ("wind", "no unit"), ("heat", "K"), ("heat", "no unit"), ("humidity", "fraction"),
             ("humidity", "bare fraction"), *_TABLES}), frozenset({("stamps", "month first")})),
    Kind("table of points", {"names": ("x,y", "X,Y", "row,col", "longitude"), **TABLE}, _points,
         lambda path: {"amounts": with_rasters(ground(), ignition=f"{path}:weight"
                                               ).ignition_weight.astype(np.float64)},
         refused=frozenset({("names", "longitude"), ("by", ";"), ("by", "\t"),
                            ("around", "comment"), ("around", "blank lines"), *_TABLES})),
    Kind("GeoJSON", {"system": tuple(NAMES_OF_SYSTEMS), "attribute": tuple(ATTRIBUTES),
                     "dimensions": ("2", "3"), "shapes": ("points", "multi", "collections"),
                     "encoding": tuple(ENCODINGS)}, _geojson, _prices, refused=frozenset({
                         ("system", "unnamed metres"), ("attribute", "text"),
                         ("attribute", "comma"), ("attribute", "list"), ("attribute", "nested"),
                         ("encoding", "latin-1"), *_TABLES})),
    *([Kind("shapes by GDAL", {
        "format": tuple(DRIVERS), "system": tuple(PLACES), "attribute": tuple(NUMBERS),
        "dimensions": ("2", "3"), "shapes": ("all", "one without"), "layers": ("one", "two"),
        "encoding": ("utf-8", "latin-1")}, _vector, _houses, refused=frozenset({
            ("attribute", "text"), ("attribute", "truth"), ("layers", "two"),
            ("system", "none")}))] if has_vector_reader() else []))
"""Kinds of files with what they may declare."""
