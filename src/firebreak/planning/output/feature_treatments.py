"""Treatments that the shapes of a map of breaks name, each its own: which cell gets which, at what
cost.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.formats.overlays import file_and_attribute
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.line_cells import masks_of_shapes
from firebreak.landscape.raster.shape_files import read_shapes
from firebreak.landscape.treatment_table import NONE, TreatmentRow, named, per_ha
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.area import Offset, cut_grid

_SHARE = re.compile(r" \d+%")  # behind a treatment, as tables of plans have it


def rows_of_shapes(path: Path, rows: Sequence[TreatmentRow],
                   table: Mapping[str, TreatmentRow]) -> list[list[TreatmentRow]]:
    """The treatments that each shape of a file names, in the order of `rows` and then of the table;
    none for a shape that names none.

    Raises:
        InputError: an unknown treatment, or a currency that is not that of `rows`.
    """
    file, attribute = file_and_attribute(path)
    assert isinstance(file, Path)
    order = [row.name for row in rows] + [name for name in table]
    found = []
    for place, shape in enumerate(read_shapes(file, attribute).shapes, start=1):
        where = f"{path}, shape {place}{f' ({shape.name})' if shape.name else ''}"
        own = named(_SHARE.sub("", shape.treatment), table, where) if shape.treatment else []
        currency = next((row.currency for row in own for one in rows
                         if row.currency != one.currency), None)
        if currency is not None:
            raise fail(expected=f"costs in {rows[0].currency}, as of {rows[0].name}",
                       given=currency, where=where,
                       remedy="convert the costs in a table of your own")
        found.append(sorted(own, key=lambda row: order.index(row.name)))
    return found


def treated_by_shapes(path: Path, land: Landscape, full: Landscape, offset: Offset,
                      may: NDArray[np.bool_], rows: Sequence[TreatmentRow],
                      by_shape: Sequence[Sequence[TreatmentRow]],
                      treatment: Treatment) -> Landscape:
    """A part of a map on which each cell of a file's shapes has the treatment of its shape, the
    cheapest of several, at its cost; a shape that names none has that of the map. Where shapes
    cross, bare ground goes before fuel that burns, else the first of the file. Cells of shapes in
    which that cannot be done are not treatable.

    Args:
        land, offset: the part, and where it lies in `full`; with treatments by cell.
        may: bool [H, W] of `full`, where breaks may go, whatever their treatment.
        rows: the treatments that `land.treatment` is to number; those of the map come first.
        by_shape: see `rows_of_shapes`.
        treatment: of these rows; with the usual width of strips.
    """
    file, attribute = file_and_attribute(path)
    assert isinstance(file, Path)
    assert full.treatment is not None
    assert land.treatment is not None
    prices = np.stack([per_ha(row, full.slope_tan) for row in rows])
    bare = np.array([row.name in _bare(treatment) for row in rows])
    number, width = np.full(full.shape, NONE, np.int16), np.zeros(full.shape)
    covered = np.zeros(full.shape, np.bool_)
    for shape, own in zip(masks_of_shapes(file, full, attribute), by_shape, strict=True):
        there, before = shape.mask, number[shape.mask]
        made = full.treatment[there]
        if own:
            which = np.array([rows.index(row) for row in own], np.int16)
            least = prices[which][:, there]
            made = np.where(np.isfinite(least.min(axis=0)), which[least.argmin(axis=0)], NONE)
        goes = (made != NONE) & ((before == NONE) | (bare[made] & ~bare[before]))
        number[there] = np.where(goes, made, before)
        width[there] = np.maximum(width[there], shape.width_m)
        covered |= there
    size, shape_, here = full.cell_size_m, land.shape, covered & may & (number != NONE)
    usual = size if treatment.width_m is None else treatment.width_m
    strip = np.where(width > 0.0, np.minimum(width, size), usual)
    chosen = np.maximum(number, 0)
    wide = np.where(bare[chosen], strip, size)
    cost = np.take_along_axis(prices, chosen[None].astype(np.intp), axis=0)[0] * (size * wide / 1e4)
    here, covered = (cut_grid(grid, shape_, offset) for grid in (here & full.burnable, covered))
    number, cost, strip = (cut_grid(grid, shape_, offset) for grid in (number, cost, strip))
    known = usual if land.strip_m is None else land.strip_m
    strip = np.where(here, strip, known).astype(np.float32)
    return replace(land, treatable=np.where(covered, here, land.treatable),
                   cost=np.where(here, cost, land.cost).astype(np.float32),
                   treatment=np.where(here, number, land.treatment),
                   strip_m=None if (strip == np.float32(usual)).all() else strip)


def _bare(treatment: Treatment) -> set[str | None]:
    """Names of the treatments that leave bare ground."""
    return {one.name for one in treatment.by_cell or (treatment,) if one.kind == "hard"}
