"""Places of a landscape's cells on the Earth, in degrees."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rasterio.crs import CRS
from rasterio.warp import transform, transform_bounds

from firebreak.landscape.landscape import Landscape


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


def utm_zone(longitude: float, latitude: float) -> str:
    """Code of the UTM zone of a place, degrees of WGS 84, such as EPSG:32611."""
    zone = int((longitude + 180.0) // 6.0) % 60 + 1
    return f"EPSG:{(32600 if latitude >= 0.0 else 32700) + zone}"
