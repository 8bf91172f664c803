"""The land around a landscape, of a file in its folder: fires come from there, and nothing else is
known or planned of it.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.bare_ground import with_bare_widths
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import FIRE_GRIDS, Landscape
from firebreak.landscape.names import SURROUNDINGS_FILE, path_of
from firebreak.landscape.raster.mirror import padded_to
from firebreak.landscape.raster.windows import Window

_OFF = 1e-3  # of a cell, by which grids may be off one another


def with_surroundings(landscape: Landscape, spec: str) -> tuple[Landscape, tuple[int, int]]:
    """A landscape with the land around it, and the row and column of its own north-west cell there;
    itself, at (0, 0), where its folder has no file of that land.

    The landscape keeps all that it has. Around it there are no values, no roads and no costs, and
    nothing may be treated.

    Args:
        spec: what the landscape was read from.

    Raises:
        InputError: the file is damaged, on another grid, or does not hold the landscape.
    """
    file = _file_of(spec)
    if file is None:
        return landscape, (0, 0)
    wide = read_landscape(str(file), crs=landscape.crs)
    row, col = _place_in(wide, landscape, file)
    if landscape.bare_m is not None:
        wide = with_bare_widths(wide)
    own, whole = Window(row, col, *landscape.shape), Window(0, 0, *wide.shape)

    def around(grid: NDArray, fill: float) -> NDArray:
        return padded_to(grid, own, whole, fill)

    def on(name: str) -> NDArray:
        grid = np.array(getattr(wide, name))
        grid[own.slices] = getattr(landscape, name)
        return grid

    road, bare, made = landscape.road_m, landscape.bare_m, landscape.treatment
    burns: dict[str, Any] = {name: on(name) for name in (*FIRE_GRIDS, "ignition_weight")}
    joined = replace(
        wide, name=landscape.name, value_unit=landscape.value_unit, currency=landscape.currency,
        **burns, value=around(landscape.value, 0.0), cost=around(landscape.cost, 1.0),
        treatable=around(landscape.treatable, False),
        layers=tuple(around(layer, 0.0) for layer in landscape.layers),
        road_m=None if road is None else around(road, max(float(road.max()), wide.cell_size_m)),
        bare_m=None if bare is None else on("bare_m") if wide.bare_m is not None
        else around(bare, 0.0),
        treatment=None if made is None else around(made, -1))
    return joined, (row, col)


def _file_of(spec: str) -> Path | None:
    folder = path_of(spec) if spec else None
    if folder is None or not folder.is_dir():
        return None
    return found if (found := folder / SURROUNDINGS_FILE).is_file() else None


def _place_in(wide: Landscape, landscape: Landscape, file: Path) -> tuple[int, int]:
    """The row and column of the landscape's north-west cell on the wide map's grid."""
    (a, b, west, d, e, north), own = wide.transform, landscape.transform
    col, row = (own[2] - west) / a, (own[5] - north) / e
    same = (np.allclose((a, b, d, e), (own[0], own[1], own[3], own[4]))
            and abs(row - round(row)) < _OFF and abs(col - round(col)) < _OFF
            and wide.fuel_system == landscape.fuel_system)
    place = Window(round(row), round(col), *landscape.shape)
    inside = (place.row >= 0 and place.col >= 0 and place.row + place.rows <= wide.shape[0]
              and place.col + place.cols <= wide.shape[1])
    if not (same and inside):
        raise fail(expected=f"a map on the grid of {landscape.name} that holds it",
                   given="another grid" if not same else "one that ends within it",
                   where=str(file), remedy="cut both from one map, or remove the file")
    return place.row, place.col
