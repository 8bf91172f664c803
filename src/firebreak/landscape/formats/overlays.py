"""Rasters, shapes and point lists that go with a landscape: value, cost, treatable cells, barriers,
ignitions, brought onto its grid from whatever grid and reference system they have.

`houses.gpkg:value` names shapes and the attribute that holds their number, `town.gpkg:houses:value`
also the layer, whose shapes count 1 each as `town.gpkg:houses:`. Where a file has the colon in its
own name, it is that file.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from firebreak.checks import counted, fail
from firebreak.landscape.bare_ground import with_bare_widths, with_starts_moved
from firebreak.landscape.formats.assemble import warn
from firebreak.landscape.formats.tables import read_points
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.on_grid import ArrayOnGrid, Raster, mask_of, read_on_grid
from firebreak.landscape.raster.shape_files import file_and_layer, is_vector
from firebreak.landscape.raster.shapes import amounts_of_shapes, levels_of_shapes


def with_rasters(landscape: Landscape, *, value: Raster | None = None,
                 cost: Raster | None = None, treatable: Raster | None = None,
                 barriers: Raster | None = None, ignition: Raster | None = None,
                 roads: Raster | None = None, fought: Raster | None = None,
                 crossed: bool = False, moved: bool = False) -> Landscape:
    """A landscape with what these files, or arrays, hold.

    Args:
        landscape: the one to start from.
        value: what is lost where a cell burns, >= 0; see `amounts_on_grid`.
        cost: of treating a cell, > 0 (mean under a cell); every treatable cell must have one. Of
            shapes an attribute, FILE:NAME, which holds in every cell that a shape covers; where
            several do, the largest.
        treatable: cells that are not 0 (by majority) may be treated; no data is not.
        barriers: cells touched by anything that is not 0 no longer burn: roads, rivers, existing
            breaks. Of shapes an attribute, FILE:NAME, is their width in metres; where several touch
            a cell, the largest.
        ignition: weights, >= 0; see `amounts_on_grid`.
        roads: cells touched by anything that is not 0 have a road, from which crews come.
        fought: cells touched by anything that is not 0 are those where crews hold breaks.
        crossed: fire may cross bare ground, by its width; else all of it is a wall.
        moved: fires that would start on bare ground, or hemmed in by it, start in the nearest cell
            that burns: for an observed fire that is burned again.

    Raises:
        InputError: as `read_on_grid`; numbers out of range; points that are all outside the map.

    Warns:
        LandscapeWarning: points outside the map.
    """
    changes: dict[str, object] = {}
    fuel, mask, width = landscape.fuel_model, None, None
    if barriers is not None:
        mask, width = _barriers(barriers, landscape)
        # Bare ground keeps its code: developed land has roads in it.
        bared = mask & (fuel != NODATA) & (landscape.burnable if crossed else True)
        changes["fuel_model"] = np.where(bared, landscape.fuels.non_burnable, fuel)
    if treatable is not None:
        changes["treatable"] = mask_of(treatable, landscape)
    if value is not None:
        changes["value"] = amounts_on_grid(value, landscape, "value")
    if ignition is not None:
        changes["ignition_weight"] = _ignition_weight(ignition, landscape, moved)
    if roads is not None:
        changes["road_m"] = _road_m(roads, landscape)
    if fought is not None:
        changes["fought"] = mask_of(fought, landscape, how="any")
    if not crossed:
        changes["bare_m"] = None
    changed: Landscape = replace(landscape, **changes)  # type: ignore[arg-type]
    if crossed and (mask is not None or changed.bare_m is None):
        changed = with_bare_widths(changed, mask, width)
    if moved and ignition is not None:
        changed, count = with_starts_moved(changed)
        if count:
            warn(f"{ignition}: {counted(count, 'cell')} of ignitions on bare ground, or hemmed in "
                 "by it: the fire starts in the nearest cell that burns")
    if cost is None:
        return changed
    return replace(changed, cost=_cost(cost, changed))  # type: ignore[arg-type]


def _barriers(source: Raster, landscape: Landscape,
              ) -> tuple[NDArray[np.bool_], NDArray[np.float64] | None]:
    """Cells [H, W] of barriers, and their width in metres, nan elsewhere; None if nobody says."""
    path, attribute = file_and_attribute(source)
    if isinstance(path, ArrayOnGrid) or not is_vector(path):
        _check_no_attribute(path, attribute)
        return mask_of(path, landscape, how="any"), None
    mask = mask_of(path, landscape, how="any")
    return mask, None if attribute is None else levels_of_shapes(path, attribute, landscape,
                                                                 positive=True)


def _road_m(path: Raster, landscape: Landscape) -> NDArray[np.float64]:
    """Distance [H, W] of each cell's centre from the nearest centre of a cell with a road, m."""
    found = mask_of(path, landscape, how="any")
    if not found.any():
        raise fail(expected="a road on the landscape", given="none", where=str(path),
                   remedy="check its area and reference system")
    return np.asarray(distance_transform_edt(~found) * landscape.cell_size_m)


def _not_negative(path: Raster, grid: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    known = np.nan_to_num(grid)
    if (known < 0).any():
        raise fail(expected=f"{what} of 0 or more", given=f"{known.min():g}", where=str(path),
                   remedy="correct it, or mark these cells as no data")
    return _small(path, known, what)


def _small(path: Raster, grid: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    """Numbers that a landscape can hold; it holds them in single precision."""
    most = float(np.finfo(np.float32).max)
    if (grid > most).any():
        raise fail(expected=f"{what} up to {most:.0e}", given=f"{np.nanmax(grid):g}",
                   where=str(path), remedy="correct it")
    return grid


def _cost(source: Raster, landscape: Landscape) -> NDArray[np.float64]:
    """Costs; 1 where nothing can be treated and so nothing is paid."""
    path, attribute = file_and_attribute(source)
    if not isinstance(path, ArrayOnGrid) and is_vector(path):
        if attribute is None:
            raise fail(expected="shapes with an attribute that holds the cost of a cell",
                       given="no attribute", where=str(path),
                       remedy=f"name it after a colon: {path.name}:cost")
        cost = levels_of_shapes(path, attribute, landscape)
    else:
        _check_no_attribute(path, attribute)
        cost = read_on_grid(path, landscape)
    bad = landscape.treatable & ~(cost > 0)
    if bad.any():
        row, col = divmod(int(np.flatnonzero(bad)[0]), landscape.shape[1])
        raise fail(expected="a cost above 0 in every treatable cell",
                   given=f"{counted(int(np.count_nonzero(bad)), 'cell')} without one, the first at "
                         f"row {row}, column {col}", where=str(path),
                   remedy="fill them, or leave them out of the treatable cells")
    return np.where(cost > 0, _small(path, cost, "a cost"), 1.0)


def _ignition_weight(source: Raster, landscape: Landscape, moved: bool) -> NDArray[np.float64]:
    weight = amounts_on_grid(source, landscape, "ignition weights")
    if not weight[landscape.burnable].any() and not (moved and weight.any()):
        raise fail(expected="ignitions on cells that burn", given="none", where=str(source),
                   remedy="check that the file belongs to this map")
    return weight


def amounts_on_grid(source: Raster, landscape: Landscape, what: str) -> NDArray[np.float64]:
    """Amounts of 0 or more in each cell, f64 [H, W], 0 where there are none.

    Args:
        source: a raster (mean under a cell); shapes, each of which counts 1 or, as FILE:NAME, its
            number in an attribute, shared evenly by its cells; or a .csv of points, which count in
            the same way, see `read_points`.
        what: they are, for errors.

    Raises:
        InputError: as the readers; amounts below 0.

    Warns:
        LandscapeWarning: shapes or points that lie outside the map.
    """
    path, attribute = file_and_attribute(source)
    if isinstance(path, ArrayOnGrid):
        return _not_negative(path, read_on_grid(path, landscape), what)
    if path.suffix.lower() == ".csv":
        points = read_points(path, landscape, attribute)
        grid = np.bincount(points.cells, points.numbers, landscape.fuel_model.size)
        return _small(path, grid.astype(np.float64).reshape(landscape.shape), what)
    if is_vector(path):
        found = amounts_of_shapes(path, attribute, landscape)
        of_all = f"of {counted(found.shapes, 'shape')} lie"
        if found.outside:
            warn(f"{path}: {found.outside} {of_all} outside the map and are left out")
        if found.across:
            warn(f"{path}: {found.across} {of_all} on the map's edge and count by the share of "
                 "their cells inside")
        return _small(path, found.grid, what)
    _check_no_attribute(path, attribute)
    return _not_negative(path, read_on_grid(path, landscape), what)


def file_and_attribute(source: Raster) -> tuple[Path | ArrayOnGrid, str | None]:
    """The file, or array, and the attribute that follows it after a colon, or None."""
    if isinstance(source, ArrayOnGrid):
        return source, None
    whole = Path(source)
    name, colon, attribute = str(source).rpartition(":")
    path = Path(name)
    if colon and not whole.exists() and (
            path.is_file() or is_vector(path) or path.suffix.lower() == ".csv"):
        return path, attribute or (None if file_and_layer(path)[1] else attribute)
    return whole, None


def counted_in(source: Raster) -> str | None:
    """The name of a file whose shapes or points count 1 each, which says what is counted; else
    None.
    """
    path, attribute = file_and_attribute(source)
    if isinstance(path, ArrayOnGrid):
        return None
    counts = attribute is None and (is_vector(path) or path.suffix.lower() == ".csv")
    file, layer = file_and_layer(path)
    return (layer or file.stem) if counts else None


def _check_no_attribute(path: Raster, attribute: str | None) -> None:
    if attribute is not None:
        raise fail(expected=f"shapes or a .csv of points, of which '{attribute}' is an attribute",
                   given="a raster", where=str(path), remedy="leave the attribute out")
