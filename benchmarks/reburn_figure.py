"""Draws docs/figures/reburn.png: the cells that a new break invalidates, and their repair.

    python benchmarks/reburn_figure.py
"""

from pathlib import Path

import numpy as np
from benchmarks.rivals.burned_maps import BurnedFires, burn_maps
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.fires import Fires
from firebreak.fire.travel.breaks import closing_table
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import (
    Ellipse,
    TravelField,
    field_from_ellipse,
    padded_cells,
    padded_width,
)
from firebreak.report.figures.canvas import new_figure, save_figure

ROWS, COLS, CELL_M = 60, 84, 30.0
HEAD_M_MIN, LENGTH_TO_WIDTH, HEADING_DEG, MINUTES = 10.0, 2.0, 80.0, 195.0
SOURCE = (33, 12)
VALID, REPAIRED, NEVER = "#9ecae1", "#fdae61", "#fee8c8"
NEIGHBOUR, BARE, WHITE = "#08519c", "#202020", "#ffffff"

Mask = NDArray[np.bool_]


def reburn_figure() -> Figure:
    """Before, the valid and the invalidated cells, after."""
    field, breaks = _field(), _breaks()
    row, col = SOURCE
    fire = Fires(np.array([row * COLS + col]), np.array([0]), np.array([MINUTES]),
                 np.zeros(1, np.uint64))
    value = np.ones(field.shape, np.float32)
    before, after = burn_maps(field, fire, value), burn_maps(field, fire, value, breaks)
    old, new = (made.arrival_time_min[0] for made in (before, after))
    burned, invalidated = np.isfinite(old), _invalidated(before, breaks)
    again = invalidated & np.isfinite(new)
    valid = burned & ~invalidated
    # The claim of the picture: valid cells have the bits of a fire burned from the start.
    assert np.array_equal(old[valid], new[valid])
    assert not (np.isfinite(new) & ~burned).any()
    kept = valid.sum() / burned.sum()
    with new_figure(10.6, 3.5, title="A new break", caption=(
            f"uniform fuel, length/width {LENGTH_TO_WIDTH:g} · fronts every 30 min · "
            f"{valid.sum():,} of {burned.sum():,} burned cells stay valid ({kept:.0%})"
            " and keep their times")) as figure:
        panels: tuple[tuple[str, NDArray | None, *tuple[tuple[NDArray, str], ...]], ...] = (
            ("before: cells have a time and parents", old, (burned, VALID)),
            ("invalidated: all cells that depend on the break", None, (valid, VALID),
             (invalidated, NEVER), (_neighbours(valid, invalidated), NEIGHBOUR)),
            ("after: repaired from valid neighbours", new, (valid, VALID), (again, REPAIRED),
             (invalidated & ~again, NEVER)))
        for axes, (title, times, *layers) in zip(figure.subplots(1, 3, sharey=True), panels,
                                                 strict=True):
            picture, colours = np.zeros(field.shape), [WHITE]
            for mask, colour in layers:
                picture[mask] = len(colours)
                colours.append(colour)
            picture[breaks] = len(colours)
            axes.imshow(picture, cmap=ListedColormap([*colours, BARE]), interpolation="nearest")
            if times is not None:
                axes.contour(np.where(np.isfinite(times), times, np.nan),
                             levels=np.arange(30.0, MINUTES, 30.0), colors="#303030",
                             linewidths=0.7)
            axes.plot(col, row, "*", color="#b2182b", markersize=9)
            axes.set_title(title, fontsize=10)
            axes.set(xticks=[], yticks=[])
        figure.legend(handles=[
            Patch(color=VALID, label="valid"),
            Patch(color=REPAIRED, label="repaired, later"),
            Patch(color=NEVER, label="invalidated"),
            Patch(color=BARE, label="break"),
            Patch(color=NEIGHBOUR, label="valid neighbour")],
            loc="outside upper right", ncols=5, frameon=False)
        return figure


def _field() -> TravelField:
    grid = np.ones((1, ROWS, COLS))
    back = float(backing_rate(HEAD_M_MIN, LENGTH_TO_WIDTH))
    flank = float(flanking_rate(HEAD_M_MIN, LENGTH_TO_WIDTH))
    return field_from_ellipse(
        Ellipse(HEAD_M_MIN * grid, back * grid, flank * grid, HEADING_DEG * grid),
        np.ones((ROWS, COLS), np.bool_), CELL_M)


def _breaks() -> Mask:
    breaks = np.zeros((ROWS, COLS), np.bool_)
    breaks[21:35, 40] = True
    return breaks


def _invalidated(made: BurnedFires, breaks: Mask) -> Mask:
    """Cells that fire reached through the breaks or by an arc that they close, and all that depend
    on these through either parent.
    """
    code, arrival = made.parent_code[0], made.arrival_time_min[0]
    closed = _closed_arcs(breaks)
    invalidated = np.zeros(breaks.shape, np.bool_)
    burned = np.argwhere(code != UNBURNED)
    for cell in burned[np.argsort(arrival[code != UNBURNED], kind="stable")]:
        row, col = cell.tolist()
        way = int(code[row, col])
        if way == IGNITION:
            continue
        ends = [way] if way < FACET_CODE else STENCIL.facets[way - FACET_CODE].tolist()
        parents = [tuple(cell + STENCIL.steps[end]) for end in ends]
        invalidated[row, col] = breaks[row, col] or (row, col, way) in closed or any(
            invalidated[parent] for parent in parents)
    return invalidated


def _neighbours(valid: Mask, invalidated: Mask) -> Mask:
    """Valid cells beside invalidated ones."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(invalidated, 1), (3, 3))
    return valid & around.any(axis=(2, 3))


def _closed_arcs(breaks: Mask) -> set[tuple[int, int, int]]:
    """(row, column, parent code) of the arcs that breaks close."""
    width = padded_width(COLS)
    offsets, codes = closing_table(width)
    places = padded_cells(np.flatnonzero(breaks), COLS)
    margin = int(padded_cells(np.zeros(1, np.int64), COLS)[0])
    return {(*divmod(int(place + offset) - margin, width), int(way))
            for place in places for offset, way in zip(offsets, codes, strict=True)}


if __name__ == "__main__":
    print(save_figure(reburn_figure(), Path("docs/figures/reburn.png")))
