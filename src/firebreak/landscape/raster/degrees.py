"""Places of a landscape's cells on the Earth, in degrees, and the ground that they cover.

A reference system may count metres that are none: Web Mercator at 34° N draws 25 m of ground as 30,
and areas, lengths and slopes would be wrong.
"""

import numpy as np
import rasterio
from numpy.typing import ArrayLike, NDArray
from rasterio._err import CPLE_BaseError
from rasterio.crs import CRS
from rasterio.errors import RasterioError
from rasterio.warp import transform, transform_bounds

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.geotiff import Grid, crs_name, utm_zone

MOST_AREA = 0.02
"""Largest error of a cell's area."""
MOST_STRETCH = 0.05
"""Largest difference of the scales along the two axes, ..."""
MOST_STRETCH_EQUAL_AREA, _EQUAL_AREA = 0.08, 0.001
"""... also where the area is right, as on the Albers maps that agencies publish: LANDFIRE's of the
contiguous United States 0.025, of Alaska at its northern end (EPSG:3338, 71.4 degrees) 0.052,
Australia's in the south of Tasmania (EPSG:3577) 0.070."""

MOST_TURN_DEG = 45.0
"""Largest angle of the grid's top from north; some 20 on LANDFIRE's maps of western Alaska."""

_STEP = 100.0  # units of the reference system, on either side of the centre


def degrees_of(landscape: Landscape, rows: ArrayLike,
               cols: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Longitudes and latitudes (WGS 84, degrees east and north) of points of the map, [n] each;
    None without a reference system.

    Args:
        rows, cols: [n], 0 at the outer edge of the first row or column; a cell's centre is at half.
    """
    if landscape.crs is None:
        return None
    x, y = place_of_points(landscape, rows, cols)
    east, north = transform(CRS.from_user_input(landscape.crs), CRS.from_epsg(4326), x.tolist(),
                            y.tolist())[:2]
    return np.array(east, np.float64), np.array(north, np.float64)


def place_of_points(landscape: Landscape, rows: ArrayLike,
                    cols: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x and y [n] of points of the map in the landscape's reference system; `rows` and `cols` as of
    `degrees_of`.
    """
    down, across = np.atleast_1d(np.asarray(rows, np.float64)), np.atleast_1d(
        np.asarray(cols, np.float64))
    a, b, c, d, e, f = landscape.transform
    return a * across + b * down + c, d * across + e * down + f


def centre_of(landscape: Landscape) -> tuple[float, float] | None:
    """Longitude and latitude of the map's centre, degrees; None without a reference system."""
    found = degrees_of(landscape, landscape.shape[0] / 2, landscape.shape[1] / 2)
    if found is None or not np.isfinite(found).all():
        return None
    return float(found[0][0]), float(found[1][0])


def degrees_in_words(place: tuple[float, float]) -> str:
    """A longitude and a latitude: 33.741° N, 117.553° W."""
    east, north = place
    return (f"{abs(north):.3f}° {'N' if north >= 0.0 else 'S'}, "
            f"{abs(east):.3f}° {'E' if east >= 0.0 else 'W'}")


def latitude_of(landscape: Landscape) -> float | None:
    """Latitude of the map's centre, degrees north; None without a reference system."""
    centre = centre_of(landscape)
    return None if centre is None else centre[1]


def corners_of(landscape: Landscape) -> tuple[float, float, float, float]:
    """West, south, east and north of a landscape with a reference system, degrees."""
    (rows, cols), (a, _, c, _, e, f) = landscape.shape, landscape.transform
    west, south, east, north = transform_bounds(
        CRS.from_wkt(landscape.crs), CRS.from_epsg(4326), c, f + rows * e, c + cols * a, f)
    return float(west), float(south), float(east), float(north)


def check_ground_scale(grid: Grid, where: str) -> None:
    """Refuse a grid whose cells do not have at its centre the size on the ground that they state,
    or whose top is not north.

    Raises:
        InputError: naming the ground size and the gdalwarp command for the UTM zone of the centre.
    """
    found = None if grid.crs is None else _ground_scales(grid, CRS.from_wkt(grid.crs))
    if found is None:
        return
    across, down, area, turn, (longitude, latitude) = found
    remedy = f"warp it first: gdalwarp -t_srs {utm_zone(longitude, latitude)} IN OUT"
    if turn is None or abs(turn) > MOST_TURN_DEG:
        raise fail(expected="a grid whose top is north and whose right side is east",
                   given=f"{crs_name(grid.crs)}, whose axes point elsewhere", where=where,
                   remedy=remedy)
    most = MOST_STRETCH_EQUAL_AREA if abs(area - 1.0) <= _EQUAL_AREA else MOST_STRETCH
    if abs(area - 1.0) <= MOST_AREA and max(across, down) <= (1.0 + most) * min(across, down):
        return
    size = grid.cell_size_m
    raise fail(expected="a reference system whose metres are metres on the ground",
               given=f"{crs_name(grid.crs)}, where cells of {size:.4g} m are {across * size:.4g} x "
                     f"{down * size:.4g} m of ground", where=where,
               remedy=remedy)


def _ground_scales(grid: Grid, system: CRS,
                   ) -> tuple[float, float, float, float | None, tuple[float, float]] | None:
    """Ground per nominal metre along rows and columns and of an area, at the centre; the azimuth of
    the grid's top, degrees, None on a mirrored grid; and the centre's longitude and latitude. None
    where PROJ cannot place it. The ground is measured in an azimuthal map around the centre, which
    is true there.
    """
    a, _, c, _, e, f = grid.transform
    x, y = c + a * grid.shape[1] / 2, f + e * grid.shape[0] / 2
    try:
        with rasterio.Env():  # without one GDAL writes its errors to the terminal
            (longitude,), (latitude,) = transform(system, CRS.from_epsg(4326), [x], [y])
            around = CRS.from_dict(proj="aeqd", lon_0=longitude, lat_0=latitude, datum="WGS84")
            east, north = np.array(transform(system, around, [x - _STEP, x + _STEP, x, x],
                                             [y, y, y - _STEP, y + _STEP]))
    except (RasterioError, CPLE_BaseError, ValueError):
        return None
    ground = np.array([east[1::2] - east[::2], north[1::2] - north[::2]])
    if not np.isfinite(ground).all():
        return None
    nominal = 2.0 * _STEP * grid.cell_size_m / a
    across, down = np.hypot(*ground) / nominal
    area = np.linalg.det(ground) / nominal**2
    turn = float(np.degrees(np.arctan2(ground[0, 1], ground[1, 1]))) if area > 0.0 else None
    return float(across), float(down), float(abs(area)), turn, (longitude, latitude)
