"""A landscape with its breaks in place, as fire programs read it: the file it came from with only
the treated cells changed, or else a landscape GeoTIFF.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import MaskFlags
from rasterio.io import DatasetWriter

from firebreak.checks import fail
from firebreak.landscape.formats.layers import CANOPY, Role
from firebreak.landscape.formats.read import bands_by_role
from firebreak.landscape.formats.write import without_extras, write_landscape, write_whole
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.geotiff import Band, open_raster, raster_bytes
from firebreak.landscape.treatments import CHANGED, Treatment, treated_landscape


def with_breaks(landscape: Landscape, breaks: NDArray[np.bool_],
                treatment: Treatment) -> Landscape:
    """The landscape with what a treatment leaves where there are breaks, bool [H, W]."""
    after = treated_landscape(landscape, treatment)
    changed = {name: np.where(breaks, getattr(after, name), getattr(landscape, name))
               for name in CHANGED}
    return landscape.map_grids(lambda grid: grid, name=f"{landscape.name} with breaks", **changed)


def with_standing_breaks(landscape: Landscape, breaks: NDArray[np.bool_], treatment: Treatment,
                         where: str) -> Landscape:
    """The landscape with what a treatment leaves in burnable cells where breaks stand already,
    treatable or not; they may not be treated again. The name stays.

    Args:
        breaks: bool [H, W].
        where: what the breaks were read from.

    Raises:
        InputError: no break lies in a cell that burns.
    """
    there = breaks & landscape.burnable
    if not there.any():
        raise fail(expected="breaks in cells that burn", given="none", where=where,
                   remedy="check its place and reference system, or leave it out")
    after = with_breaks(replace(landscape, treatable=landscape.burnable), there, treatment)
    return replace(after, name=landscape.name, treatable=landscape.treatable & ~there)


def write_treated(path: Path, source: str, landscape: Landscape, breaks: NDArray[np.bool_],
                  treatment: Treatment) -> Path:
    """Write a landscape with its breaks; returns the path.

    Where `source` is a landscape GeoTIFF its bands, type, no data and tags are kept, and so is
    every number outside the breaks. Other sources give the GeoTIFF of `write_landscape`, without
    values, costs, treatable cells and roads, which fire programs have no bands for.

    Args:
        source: what the landscape was read from.
        breaks: bool [H, W].

    Raises:
        InputError: a folder that may not be written, or a source that is gone.
        OSError, ResourceFailedError: the disk is full, or memory.
    """
    after = with_breaks(landscape, breaks, treatment)
    original = Path(source)
    if original.suffix.lower() not in (".tif", ".tiff") or not original.is_file():
        return write_landscape(path, without_extras(after))
    with open_raster(original) as dataset:
        # Its numbers are not what they stand for by the names of its bands.
        declares = (any(dataset.units) or {*dataset.scales} != {1.0} or {*dataset.offsets} != {0.0}
                    or any(MaskFlags.per_dataset in flags for flags in dataset.mask_flag_enums))
        if dataset.shape != landscape.shape or declares:
            return write_landscape(path, without_extras(after))
        _patch(path, dataset, original, after, breaks)
    return path


def _patch(path: Path, dataset: rasterio.DatasetReader, original: Path, after: Landscape,
           breaks: NDArray[np.bool_]) -> None:
    """A copy of a landscape GeoTIFF with other numbers in the bands and cells that changed."""
    roles = bands_by_role(original, dataset.count, dataset.descriptions)
    changed = {roles[role]: grid for role, grid in _grids(after).items() if role in roles}
    profile = dataset.profile | {"driver": "GTiff", "compress": "deflate", "crs": after.crs}

    def bands() -> Iterator[NDArray[Any]]:
        for index in dataset.indexes:
            values = dataset.read(index)
            if index in changed:
                role = next(role for role, place in roles.items() if place == index)
                one = Band(dataset.descriptions[index - 1] or "", dataset.tags(index),
                           np.ones((1, 1)), np.ones((1, 1), np.bool_), "")
                # Our units per unit of the band.
                unit = float(CANOPY[role][1](one)[0, 0]) if role in CANOPY else 1.0
                new = np.asarray(changed[index], np.float64) / unit
                values[breaks] = (np.rint(new) if np.issubdtype(values.dtype, np.integer)
                                  else new)[breaks].astype(values.dtype)
            yield values

    def finish(out: DatasetWriter) -> None:
        out.update_tags(**dataset.tags())
        for index, label in zip(dataset.indexes, dataset.descriptions, strict=True):
            if label:
                out.set_band_description(index, label)
            out.update_tags(index, **dataset.tags(index))

    write_whole(path, "a GeoTIFF", [raster_bytes(path, profile, bands(), finish)])


def _grids(land: Landscape) -> dict[Role, np.ndarray]:
    """The layers that a treatment changes, in our units."""
    canopy = {role: getattr(land, name) for role, (name, _) in CANOPY.items() if name in CHANGED}
    return {Role.FUEL: land.fuel_model, **canopy}
