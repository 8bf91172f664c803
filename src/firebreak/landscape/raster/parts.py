"""The part of a raster that is read, decided by what it says of itself before anything is read.

A file of 2 MB can hold 200 million equal numbers. A raster that lies beside a landscape is read as
a whole where that takes at most `MOST_BYTES`, or where it has the landscape's own cells; else only
the part over the landscape is read.
"""


import numpy as np
import rasterio
from rasterio._err import CPLE_BaseError  # what PROJ raises where rasterio lets it pass
from rasterio.crs import CRS
from rasterio.errors import RasterioError
from rasterio.io import DatasetReader
from rasterio.transform import array_bounds
from rasterio.warp import transform_bounds
from rasterio.windows import Window

from firebreak.checks import InputError, fail
from firebreak.free_memory import check_free
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.geotiff import Grid

MOST_BYTES = 1_000_000_000
"""Memory that reading a raster may take, beyond what a raster of the landscape's cells takes."""
PER_CELL = 18
"""Bytes for each cell beside its own number, measured: as float64 twice, and where it is data."""
LANDSCAPE_PER_CELL = 110
"""Bytes for each cell of a landscape beside its own numbers, measured while it is read."""
MOST_LAYERS = 1000
"""Value layers of one landscape."""
_PER_CELL_OF_LAYER = 8  # bytes: as it is held, and a copy while it is read
_MARGIN = 16  # cells around the part, which resampling looks at
_PIECES = 64  # along each side of the landscape, whose edges are curves in another system


Placed = Landscape | Grid
"""A landscape, or its grid."""


def part_over(dataset: DatasetReader, place: Placed, where: str,
              crs: str | None = None) -> Window | None:
    """The part of a raster to read for a landscape; None: all of it. crs: of both, in place of the
    files' own.

    Raises:
        InputError: it cannot be placed, lies elsewhere, or the part is too large as well.
    """
    per_cell = _bytes_per_cell(dataset)
    if dataset.shape == place.shape or dataset.width * dataset.height * per_cell <= MOST_BYTES:
        return None
    size = f"{dataset.height:,} x {dataset.width:,} cells in {dataset.count} bands"
    same = crs is not None or dataset.crs is place.crs is None
    if not same and (dataset.crs is None or place.crs is None):
        raise fail(expected=f"{place.shape[0]} x {place.shape[1]} cells like the landscape, or "
                            "reference systems to cut the part over it",
                   given=f"{size} without", where=where, remedy="cut it to the landscape's area")
    part = _around(dataset, place, where, same)
    check_bytes(part.width * part.height * per_cell + _block_bytes(dataset), place, where,
                f"{part.height:,} x {part.width:,} of {size}")
    return part


def check_bytes(needed: int, place: Placed, where: str, given: str) -> None:
    """Refuse to read more than `MOST_BYTES`, or four times what the landscape's cells take.

    Raises:
        InputError: saying what would have been read.
    """
    own = place.shape[0] * place.shape[1] * (8 + PER_CELL)
    most = max(MOST_BYTES, 4 * own)
    if needed > most:
        raise fail(expected=f"a raster of at most {most / 1e9:.1f} GB over the landscape",
                   given=f"{needed / 1e9:.1f} GB for {given}", where=where,
                   remedy="cut it to the landscape's area, or join its cells")


def check_landscape(where: str, shape: tuple[int, int], bytes_per_cell: int) -> None:
    """Refuse a landscape that does not fit the memory that is free, before it is read.

    bytes_per_cell: of the numbers of all its layers.

    Raises:
        InputError: naming both sizes.
    """
    needed = shape[0] * shape[1] * (LANDSCAPE_PER_CELL + bytes_per_cell)
    check_free({f"{shape[0]:,} x {shape[1]:,} cells": needed}, where=where,
               remedy="cut a smaller area first, or join its cells")


def check_layers(where: str, count: int, shape: tuple[int, int]) -> None:
    """Refuse value layers that do not fit the memory that is free, or more than are ever meant,
    before one is read.

    Raises:
        InputError: naming both numbers.
    """
    if count > MOST_LAYERS:
        raise fail(expected=f"at most {MOST_LAYERS:,} value layers", given=f"{count:,}",
                   where=where, remedy="add layers that are lost alike into one raster")
    check_free({f"{count:,} value layers of {shape[0]:,} x {shape[1]:,} cells":
                count * shape[0] * shape[1] * _PER_CELL_OF_LAYER}, where=where,
               remedy="plan a smaller area, or name fewer layers")


def _bytes_per_cell(dataset: DatasetReader) -> int:
    """Bytes that reading one band takes: with interleaved bands, GDAL unpacks them all."""
    sizes = [np.dtype(kind).itemsize for kind in dataset.dtypes]
    interleaved = sum(sizes) if "PIXEL" in str(dataset.interleaving).upper() else sizes[0]
    return int(interleaved) + PER_CELL


def _block_bytes(dataset: DatasetReader) -> int:
    """Bytes that GDAL unpacks at once."""
    rows, cols = dataset.block_shapes[0]
    return rows * cols * (_bytes_per_cell(dataset) - PER_CELL)


def _around(dataset: DatasetReader, place: Placed, where: str, same: bool) -> Window:
    """The part that a landscape covers, with a margin. same: the reference system is the same."""
    bounds = array_bounds(*place.shape, rasterio.Affine(*place.transform))
    try:
        west, south, east, north = bounds if same else transform_bounds(
            CRS.from_wkt(place.crs), dataset.crs, *bounds, densify_pts=_PIECES)
    except (RasterioError, CPLE_BaseError, ValueError, RuntimeError) as error:
        raise fail(expected="a raster that can be laid over the landscape", given=f"'{error}'",
                   where=where, remedy="check its reference system and corner") from error
    if not np.isfinite((west, south, east, north)).all() or dataset.transform.determinant == 0:
        raise _elsewhere(where)
    a, b, c, d, e, f = (~dataset.transform)[:6]
    x, y = np.array([west, west, east, east]), np.array([south, north, south, north])
    cols, rows = a * x + b * y + c, d * x + e * y + f
    left, right = np.clip((np.floor(cols.min()) - _MARGIN, np.ceil(cols.max()) + _MARGIN),
                          0, dataset.width)
    top, bottom = np.clip((np.floor(rows.min()) - _MARGIN, np.ceil(rows.max()) + _MARGIN),
                          0, dataset.height)
    if right <= left or bottom <= top:
        raise _elsewhere(where)
    return Window(int(left), int(top), int(right - left), int(bottom - top))


def _elsewhere(where: str) -> InputError:
    return fail(expected="an overlap with the landscape", given="none", where=where,
                remedy="check its area and reference system")
