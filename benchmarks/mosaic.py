"""A large map of real cells: patches of four LANDFIRE maps, mirrored and shifted.

    python -m benchmarks.mosaic --side 2000 --out mosaic.tif

Each map is continued beyond its edges by its mirror images and shifted, which gives a plane without
seams. Square patches of these planes lie side by side, six different ones in each row. Fuels and
canopies change at the edge of a patch, as they do at a road or a ridge. Elevations, from which
slopes are derived, are taken from their plane's mean and go over into those of the next patch
within two kilometres, so that no patch ends in a cliff. The grid is a place of its own: 30 m cells
in EPSG:32611 from (500,000, 4,300,000) to the south-east, where none of the land lies.
"""

import argparse
import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rasterio.crs import CRS
from scipy.ndimage import uniform_filter

from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.terrain import slope_aspect

ROOT = Path(__file__).resolve().parents[1]
CRS_OF_MOSAIC, CORNER_M, CELL_M = "EPSG:32611", (500_000.0, 4_300_000.0), 30.0
ALONG = 6
"""Patches along a side."""
MIXED_CELLS = 67
"""Along a side of the square over which elevations of different planes are mixed: 2 km."""


class Piece(NamedTuple):
    """A map: its folder, the part of it that has data everywhere (row, column, rows, columns) or
    None for all, and how far its plane is shifted, in cells.
    """

    folder: str
    part: tuple[int, int, int, int] | None
    shift: tuple[int, int]


PIECES = (
    Piece("landfire-santa-ana-ca", None, (0, 0)),
    Piece("landfire-bitterroot-mt", None, (120, 260)),
    Piece("landfire-worcester-vt-north", (93, 50, 213, 395), (40, 90)),
    Piece("landfire-sierra-tile", None, (25, 15)),
)
ROW = (0, 1, 2, 0, 1, 3)
"""The pieces of the patches of a row; each row begins two patches further on."""


def mosaic(pieces: list[tuple[Landscape, tuple[int, int]]], side: int) -> Landscape:
    """A square of `side` cells made of landscapes, each with the shift of its plane."""
    own = patches(side)
    grids = {name: [plane(getattr(land, name), shift, side) for land, shift in pieces]
             for name in ("fuel_model", "canopy_cover", "canopy_height_m", "canopy_base_height_m",
                          "canopy_bulk_density_kg_m3")}
    layers: dict[str, Any] = {name: np.choose(own, planes) for name, planes in grids.items()}
    elevation = mixed([plane(land.elevation_m - land.elevation_m.mean(), shift, side)
                       for land, shift in pieces], own)
    elevation -= elevation.min()
    slope, aspect = slope_aspect(elevation, CELL_M)
    every = np.ones((side, side), np.float32)
    return Landscape(
        name=f"mosaic-{side}", elevation_m=elevation, slope_tan=slope, aspect_deg=aspect,
        value=every, cost=every, treatable=np.ones((side, side), np.bool_), cell_size_m=CELL_M,
        transform=(CELL_M, 0.0, CORNER_M[0], 0.0, -CELL_M, CORNER_M[1]),
        crs=CRS.from_user_input(CRS_OF_MOSAIC).to_wkt(), **layers)


def patches(side: int) -> NDArray[np.int64]:
    """Number of the piece of each cell [side, side]."""
    place = np.arange(side) * ALONG // side
    return np.array(ROW)[(place[None, :] + 2 * place[:, None]) % len(ROW)]


def plane(grid: np.ndarray, shift: tuple[int, int], side: int) -> np.ndarray:
    """A square [side, side] of a grid that goes on beyond its edges in mirror images."""
    rows, cols = (_mirrored(np.arange(side) + by, size)
                  for by, size in zip(shift, grid.shape, strict=True))
    return grid[np.ix_(rows, cols)]


def _mirrored(place: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    there = place % (2 * size)
    return np.minimum(there, 2 * size - 1 - there)


def mixed(planes: list[np.ndarray], own: NDArray[np.int64]) -> NDArray[np.float32]:
    """Planes [H, W], in each cell weighted by how much of the square around it is theirs."""
    total = np.zeros(own.shape)
    for number, grid in enumerate(planes):
        share = uniform_filter((own == number).astype(np.float64), MIXED_CELLS, mode="nearest")
        total += share * grid
    return total.astype(np.float32)


def read_pieces(data: Path) -> list[tuple[Landscape, tuple[int, int]]]:
    """The landscapes of PIECES; each cell of them has data."""
    found = []
    for folder, part, shift in PIECES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shipped aspects, which are not used
            land = read_landscape(data / folder)
        land = land if part is None else land.crop(*part)
        assert (land.fuel_model != NODATA).all(), folder
        found.append((land, shift))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=2000, help="cells along a side")
    parser.add_argument("--data", type=Path, help="folder of the maps (FIREBREAK_DATA)",
                        default=Path(os.environ.get("FIREBREAK_DATA",
                                                    ROOT.parent / "shared" / "landscapes")))
    parser.add_argument("--out", type=Path, default=Path("mosaic.tif"))
    given = parser.parse_args()
    land = mosaic(read_pieces(given.data), given.side)
    write_landscape(given.out, land)
    print(f"{given.out}: {land!r}, {int(land.burnable.sum()):,} of them burn")


if __name__ == "__main__":
    main()
