"""Points, lines and polygons as masks on a landscape's grid: areas, roads, existing breaks."""

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.features import rasterize
from rasterio.warp import transform_geom

from firebreak.checks import InputError, fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import read_shapes

_FARTHEST = 1e8  # in units of the reference system; the Earth is 4e7 m around


def mask_of_shapes(path: Path, landscape: Landscape, *, touched: bool) -> NDArray[np.bool_]:
    """The cells [H, W] that the shapes of a file cover.

    Args:
        touched: polygons cover every cell that they touch, else those whose centre they hold;
            lines and points always cover what they touch.

    Raises:
        InputError: missing or damaged, no shapes, no reference system, shapes outside the map.
    """
    found = read_shapes(path)
    ours = on_map([one for shape in found.shapes for one in shape.geometries], found.crs,
                  landscape, path)
    try:
        mask = _burned(ours, landscape, touched)
    except Exception as error:  # of damaged coordinates rasterio raises whatever comes
        raise damaged(path, error) from error
    if not mask.any():
        raise fail(expected="shapes that cover cells of the landscape",
                   given="none: they lie outside it, or are smaller than a cell",
                   where=str(path), remedy="check their place and reference system")
    return mask


def on_map(geometries: list[dict[str, Any]], system: CRS, landscape: Landscape,
           path: Path) -> list[dict[str, Any]]:
    """Geometries in a landscape's reference system.

    Raises:
        InputError: the landscape has none, or coordinates that cannot be.
    """
    if landscape.crs is None:
        raise fail(expected="a landscape with a reference system, to lay shapes over it",
                   given="one without", where=str(path), remedy="set it with --crs")
    try:
        with rasterio.Env():  # without one GDAL writes its errors to the terminal
            ours = list(transform_geom(system, CRS.from_wkt(landscape.crs), geometries))
        if not all(map(_on_earth, ours)):
            raise ValueError("coordinates nowhere on the Earth")
    except Exception as error:  # of damaged coordinates rasterio raises whatever comes
        raise damaged(path, error) from error
    return ours


def damaged(path: Path, error: Exception) -> InputError:
    """The error to raise where shapes cannot be laid over a map."""
    return fail(expected="shapes with coordinates of their system", given=f"'{error}'",
                where=str(path), remedy="check the file in a GIS")


def _on_earth(geometry: dict[str, Any]) -> bool:
    """Whether all coordinates can be on the Earth: GDAL follows an edge cell by cell, however long.
    """
    waiting = [geometry["coordinates"]]
    while waiting:
        part = waiting.pop()
        if part and isinstance(part[0], int | float):
            if not all(abs(number) < _FARTHEST for number in part):  # nan neither
                return False
        else:
            waiting += part
    return True


def _burned(geometries: list[dict[str, Any]], landscape: Landscape,
            touched: bool) -> NDArray[np.bool_]:
    mask = np.zeros(landscape.shape, np.bool_)
    areas = [one for one in geometries if one["type"].endswith("Polygon")]
    others = [one for one in geometries if not one["type"].endswith("Polygon")]
    for some, all_touched in ((areas, touched), (others, True)):
        if some:
            mask |= rasterize(some, landscape.shape, all_touched=all_touched, dtype=np.uint8,
                              transform=rasterio.Affine(*landscape.transform)) != 0
    return mask
