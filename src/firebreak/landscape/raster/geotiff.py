"""Rasters in and out: one is opened, its grid checked, its bands read; or it is made in memory.

A usable grid is north-up, has square cells, and is projected. Every refusal is an `InputError` that
names the file. GDAL loses errors that it meets when it closes a file, so what it made in memory is
read back before anything of it goes to a disk.
"""

import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import ArrayLike, NDArray
from rasterio._err import CPLE_BaseError  # what GDAL raises where rasterio lets it pass
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, MaskFlags
from rasterio.errors import CRSError, NotGeoreferencedWarning, RasterioError
from rasterio.io import DatasetReader, DatasetWriter, MemoryFile
from rasterio.windows import Window

from firebreak.checks import ResourceFailedError, fail
from firebreak.reading import check_file
from firebreak.units import METRES_PER_FOOT

MAX_CELLS = 200_000_000
NODATA_VALUES = (-9999, 32767, -32768)
"""Numbers that LANDFIRE and ArcGIS exports write outside the data, whatever the file's tag says."""

DRIVERS = ["GTiff", "LCP", "AAIGrid", "HFA", "EHdr", "ENVI", "RST", "SAGA"]
"""Formats that are opened: of plain files, none that refers to other files or to the network."""

SQUARE_TOLERANCE = 1e-3
_MOST_PACKED = 4000  # bytes that one byte of a file can stand for; deflate's most is 1032
_ALWAYS_BYTES = 64_000_000
_LARGEST_CELL, _FARTHEST = 1e6, 1e9  # in units of the reference system, be they feet


@dataclass(frozen=True, slots=True)
class Grid:
    """The place of a raster.

    Attributes:
        shape: (rows, columns).
        transform: affine (a, b, c, d, e, f), in units of the reference system.
        cell_size_m: metres.
        crs: WKT, or None.
    """

    shape: tuple[int, int]
    transform: tuple[float, float, float, float, float, float]
    cell_size_m: float
    crs: str | None


@dataclass(frozen=True, slots=True)
class Band:
    """One band.

    Attributes:
        label: the text that may name its unit: its description, or its file's stem.
        tags: its own.
        values: its numbers, [H, W].
        valid: True where they are data.
        where: its file.
        unit, datum_unit: names of the units that the band and its vertical datum declare, or "".
    """

    label: str
    tags: dict[str, str]
    values: np.ndarray
    valid: NDArray[np.bool_]
    where: str
    unit: str = ""
    datum_unit: str = ""


def crs_name(crs: str | None, none: str = "none") -> str:
    """The name in a reference system's WKT, a short code such as EPSG:5070 as it is, or `none`."""
    if not crs:
        return none
    named = re.match(r'\s*\w+\["([^"]+)"', crs)
    return named.group(1) if named else crs


@contextmanager
def open_raster(path: Path) -> Iterator[rasterio.DatasetReader]:
    """The open raster; `InputError` if it is missing or unreadable."""
    check_file(path, "a raster file", filled=True)
    try:
        with warnings.catch_warnings():
            # Rasters without georeference are refused below, in words of our own.
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with rasterio.Env():  # rasterio.open takes one driver only
                dataset = DatasetReader(str(path), driver=DRIVERS)
        with dataset:
            _check_bytes(path, dataset)
            yield dataset
    except (RasterioError, UnicodeDecodeError) as error:  # damaged tags raise the second
        raise fail(expected="a raster that GDAL can read", given=f"'{error}'", where=str(path),
                   remedy="check that the file is whole and is a GeoTIFF or an LCP") from error


def _check_bytes(path: Path, dataset: rasterio.DatasetReader) -> None:
    """Refuse a raster that says it holds far more than can be packed into its file, before memory
    is taken for it.
    """
    rows, cols = dataset.shape
    held = rows * cols * sum(np.dtype(kind).itemsize for kind in dataset.dtypes)
    packed = path.stat().st_size
    if held > max(_MOST_PACKED * packed, _ALWAYS_BYTES):
        raise fail(expected=f"a raster whose numbers fit into its {packed:,} bytes",
                   given=f"{rows} x {cols} cells in {dataset.count} bands", where=str(path),
                   remedy="check that the file is whole")


def checked_grid(dataset: rasterio.DatasetReader, crs: str | None = None,
                 part: Window | None = None) -> Grid:
    """The grid of a raster, or of a part of it, with `crs` (any text that PROJ knows) in place of
    the file's own.

    Raises:
        InputError: too many cells, rotated, mirrored, not square, not georeferenced, geographic.
    """
    # An LCP header names its unit; rasters without a reference system are taken to be in metres.
    unit = dataset.tags().get("LINEAR_UNIT", "Meters")
    shape = dataset.shape if part is None else (part.height, part.width)
    return make_grid(dataset.name, shape, place_of_part(dataset, part)[:6], dataset.crs, crs, unit)


def place_of_part(dataset: rasterio.DatasetReader, part: Window | None) -> rasterio.Affine:
    """The transform of a raster, or of a part of it."""
    if part is None:
        return dataset.transform
    a, b, c, d, e, f = dataset.transform[:6]
    row, col = part.row_off, part.col_off
    return rasterio.Affine(a, b, c + a * col + b * row, d, e, f + d * col + e * row)


def make_grid(where: str, shape: tuple[int, int], transform: tuple[float, ...],
              system: CRS | None, crs: str | None = None, unit: str = "Meters") -> Grid:
    """A grid from its parts; `crs` replaces the file's own `system`. `InputError` as above."""
    check_size(where, *shape)
    check_place(where, transform)
    a, b, c, d, e, f = transform
    if tuple(transform) == tuple(rasterio.Affine.identity()[:6]):
        raise fail(expected="a georeferenced raster", given="one without a cell size", where=where,
                   remedy="write its extent into the file, for example with gdal_translate -a_ullr")
    if b != 0 or d != 0 or a <= 0 or e >= 0:
        raise fail(expected="a north-up raster", given=f"transform {(a, b, c, d, e, f)}",
                   where=where, remedy="warp it to a north-up grid, for example with gdalwarp")
    if abs(a + e) > SQUARE_TOLERANCE * a:
        raise fail(expected="square cells", given=f"{a:g} x {-e:g}", where=where,
                   remedy="resample it to square cells, for example with gdalwarp -tr")
    used = system if crs is None else reference_system(crs, where)
    # The file's own system too: naming another one does not turn its degrees into metres.
    for named in (system, used):
        _refuse_degrees(named, a, (c + a * shape[1] / 2, f + e * shape[0] / 2), where)
    if used and not used.is_projected:
        raise fail(expected="a projected coordinate reference system, in metres",
                   given="one without a place on the Earth", where=where,
                   remedy="pass --crs (in Python crs=)")
    metres, wkt = {"Feet": METRES_PER_FOOT, "Kilometers": 1000.0}.get(unit, 1.0), None
    if used:
        metres, wkt = float(used.linear_units_factor[1]), used.to_wkt()
        # The system of the plane alone: elevations are in metres once they are read.
        plane = re.search(r"(?s)(PROJC[SR].*?),\s*VERT_?C", wkt)
        wkt = plane.group(1) if plane else wkt
    return Grid(shape, (a, b, c, d, e, f), a * metres, wkt)


def vertical_unit(system: CRS | None) -> str:
    """Name of the unit of heights in a reference system; "" where it says nothing of heights."""
    found = re.search(r'(?s)VERT_?C.*?UNIT\["([^"]+)"', system.to_wkt()) if system else None
    return found.group(1) if found else ""


def check_size(where: str, rows: int, cols: int) -> None:
    """`InputError` for more cells than fit in memory; to be called before anything is allocated."""
    if rows * cols > MAX_CELLS:
        raise fail(expected=f"at most {MAX_CELLS:,} cells", given=f"{rows} x {cols}", where=where,
                   remedy="cut a smaller area first")


def check_place(where: str, transform: Sequence[float]) -> None:
    """`InputError` for cells or corners that are nowhere on the Earth: GDAL resamples them for
    ever.
    """
    a, b, c, d, e, f = transform[:6]
    if not (max(abs(a), abs(b), abs(d), abs(e)) <= _LARGEST_CELL
            and max(abs(c), abs(f)) <= _FARTHEST):
        raise fail(expected=f"cells of at most {_LARGEST_CELL:,.0f} and a corner within "
                            f"{_FARTHEST:,.0f} of the origin",
                   given=f"cells of {a:g} x {-e:g} and a corner at {c:g}, {f:g}", where=where,
                   remedy="correct the header")


def reference_system(crs: str, where: str) -> CRS:
    """The system that a text names; `InputError` if PROJ does not know it."""
    try:
        with rasterio.Env():  # without one GDAL writes its errors to the terminal
            return CRS.from_user_input(crs)
    except (CRSError, ValueError) as error:
        raise fail(expected="a coordinate reference system such as EPSG:5070", given=f"'{crs}'",
                   where=where, remedy="check its spelling") from error


def _refuse_degrees(system: CRS | None, cell: float, centre: tuple[float, float],
                    where: str) -> None:
    try:
        geographic = system.is_geographic if system else cell < 0.1
    except CRSError as error:  # one that PROJ has read and cannot write
        raise fail(expected="a reference system as WKT", given=f"'{error}'", where=where,
                   remedy="correct it, or pass --crs (in Python crs=)") from error
    if geographic:
        east, north = centre
        zone = utm_zone(east, north) if abs(east) <= 180.0 and abs(north) <= 84.0 else "EPSG:CODE"
        raise fail(expected="a projected coordinate reference system, in metres",
                   given=f"a geographic one with cells of {cell:g} degrees", where=where,
                   remedy=f"warp it first: gdalwarp -t_srs {zone} IN OUT")


def utm_zone(longitude: float, latitude: float) -> str:
    """Code of the UTM zone of a place, degrees of WGS 84, such as EPSG:32611."""
    zone = int((longitude + 180.0) // 6.0) % 60 + 1
    return f"EPSG:{(32600 if latitude >= 0.0 else 32700) + zone}"


def read_band(dataset: rasterio.DatasetReader, index: int, part: Window | None = None) -> Band:
    """Band `index` (from 1) with the cells that hold data, by no-data values and masks; of a part
    only if one is given.
    """
    values = dataset.read(index, window=part)
    valid = valid_cells(values, dataset.nodatavals[index - 1])
    if MaskFlags.per_dataset in dataset.mask_flag_enums[index - 1]:
        valid &= dataset.read_masks(index, window=part) != 0
    if ColorInterp.alpha in dataset.colorinterp:  # which GDAL takes for a mask in bytes alone
        alpha = dataset.colorinterp.index(ColorInterp.alpha) + 1
        valid &= dataset.read(alpha, window=part) != 0
    unit, datum_unit = dataset.units[index - 1] or "", vertical_unit(dataset.crs)
    return Band(dataset.descriptions[index - 1] or "", dataset.tags(index),
                scaled(values, dataset.scales[index - 1], dataset.offsets[index - 1]), valid,
                dataset.name, "" if unit == datum_unit else unit,  # GDAL gives it to every band
                datum_unit)


def scaled(stored: np.ndarray, scale: ArrayLike, offset: ArrayLike) -> np.ndarray:
    """The numbers that a file's stand for, by the scale and offset that it declares."""
    factor, shift = np.asarray(scale, np.float64), np.asarray(offset, np.float64)
    if (factor == 1.0).all() and (shift == 0.0).all():
        return stored
    # Rounded, so that fuel codes which are kept as tenths are whole.
    return np.round(stored.astype(np.float64) * factor + shift, 9)


def valid_cells(values: np.ndarray, tag: float | None) -> NDArray[np.bool_]:
    """True where values are data: finite, and neither `tag` nor one of `NODATA_VALUES`."""
    valid = ~np.isin(values, NODATA_VALUES)
    if np.issubdtype(values.dtype, np.floating):
        valid &= np.isfinite(values)
    if tag is not None:
        valid &= values != tag
    return valid


def raster_bytes(target: Path, profile: Mapping[str, Any], bands: Iterable[np.ndarray],
                 finish: Callable[[DatasetWriter], None]) -> bytes:
    """The bytes of a raster, which has been read back.

    Args:
        target: the file that it will be, for errors.
        profile: driver, size, type and the like, as rasterio takes them.
        bands: [H, W] each, of the profile's type.
        finish: sets descriptions, tags and colours, when all bands are written.

    Raises:
        ResourceFailedError: GDAL cannot make it, as when memory is short.
    """
    with gdal_faults(target), MemoryFile() as memory:
        sums = []
        with memory.open(**profile) as dataset:
            for index, band in enumerate(bands, start=1):
                dataset.write(band, index)
                sums.append(_sum(band))
            finish(dataset)
        with memory.open() as back:
            check_bands(back, sums, target)
        return bytes(memory.getbuffer())


@contextmanager
def gdal_faults(target: Path) -> Iterator[None]:
    """Errors of GDAL, which writes to memory only, in one sentence, and no warning of a raster
    without a reference system: the reader of the landscape gave it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            yield
    except (RasterioError, CPLE_BaseError) as error:
        raise _not_made(target, " ".join(str(error).split()).rstrip(".")) from error


def check_bands(dataset: DatasetReader, sums: Sequence[int], target: Path) -> None:
    """Raise ResourceFailedError where bands are not those of `sums_of`."""
    if sums_of(dataset) != list(sums):
        raise _not_made(target, "other numbers are read back")


def sums_of(dataset: DatasetReader) -> list[int]:
    """A checksum of the numbers of each band."""
    return [_sum(dataset.read(index)) for index in dataset.indexes]


def _sum(band: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(band).data)


def _not_made(target: Path, reason: str) -> ResourceFailedError:
    return ResourceFailedError(f"{target}: the raster could not be made in memory ({reason}); "
                               "free memory or use a smaller map")
