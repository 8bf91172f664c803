"""A travel field made on demand, window by window, where fires come near.

The whole map's arrays are allocated and start empty: nothing leads into a cell that is not made. A
window is made by the same functions as a whole field, on a landscape cut out with a margin, and
only its inside is kept, so its bits are those of the whole field. A fire that burned no cell within
REACH of a tile that is not ready has read nothing else, and is exact; another one is burned again
when the tiles that it came near are ready.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.solver.structs import Tiles
from firebreak.fire.travel.arcs import NO_SPOTS
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import (
    TravelField,
    bucket_share,
    edges_for,
    pad,
    padded_width,
    row_arrays,
)
from firebreak.landscape.raster.windows import Window

SIDE = 64  # cells along a tile
MARGIN = 2 * REACH  # a cell's arcs cross cells at REACH, whose own arcs do the same
_NO_RATES = np.empty((0, 0), np.float32)
_SURELY_CROSSED = 2.0  # a chance of breach above 1

MakeField = Callable[[Window], TravelField]
"""The travel field of a part of the map, under the breaks that lie there."""


def empty_field(sample: TravelField, burnable: NDArray[np.bool_]) -> TravelField:
    """A field of a whole map, burnable bool [H, W], in which no tile is ready; `sample` is the
    field of any part of it.
    """
    rows, cols = burnable.shape
    cells = (rows + 2 * REACH) * padded_width(cols)

    def empty(part: NDArray) -> NDArray:
        return np.zeros((part.shape[0], cells, *part.shape[2:]), part.dtype)

    spots, breach = sample.spots, sample.breaks.breach
    arrays: dict[str, Any] = {name: empty(part) for name, part in row_arrays(sample).items()}
    # No fire reads the rates: they say which arcs are open, and have done so in a window.
    arrays["rate"] = np.empty((sample.rate.shape[0], 0), np.float32)
    arrays["edges"] = edges_for(sample.edges.shape[0], cells)
    return sample._replace(
        **arrays, shape=(rows, cols), burnable=pad(burnable, closed=False),
        bucket_min=_bucket_lengths_for(sample, cols),
        spots=spots._replace(cells=np.zeros((*spots.cells.shape[:2], cells), np.float32))
        if spots.cells.size else NO_SPOTS,
        # An ember may fall far off: it then burns, and requests the tile that it fell into.
        breaks=sample.breaks._replace(breach=np.full((1, cells), _SURELY_CROSSED, np.float32)
                                      if breach.size else breach))


def _bucket_lengths_for(part: TravelField, cols: int) -> NDArray[np.float64]:
    """Buckets for a map of so many columns at the speeds of a part of it."""
    own, wanted = (bucket_share(width) for width in (part.shape[1], cols))
    return part.bucket_min * (wanted / own)


def empty_tiles(shape: tuple[int, int], threads: int) -> Tiles:
    """Tiles of a map, none of them ready."""
    down, across = (-(-side // SIDE) for side in shape)
    return Tiles(np.zeros(down * across, np.uint8), np.zeros((threads, down * across), np.uint8),
                 SIDE, across)


def request_tiles(tiles: Tiles, cells: NDArray[np.int64], cols: int) -> None:
    """Marks the tiles of flat map cells (row * cols + col) as requested."""
    row, col = np.divmod(cells, cols)
    tiles.requested[0, row // SIDE * tiles.across + col // SIDE] = 1


def make_requested(field: TravelField, tiles: Tiles, grow: int, make: MakeField) -> None:
    """Makes the tiles that are requested, and all within `grow` tiles of them."""
    requested = tiles.requested.any(axis=0).reshape(-1, tiles.across)
    tiles.requested[:] = 0
    ready = tiles.ready.reshape(requested.shape)
    for window in _runs(_grown(requested, grow) & (ready == 0), field.shape):
        _put(field, window, make)
    ready |= _grown(requested, grow)


def _grown(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    for axis in (0, 1):
        padded = np.pad(mask, [(by, by) if a == axis else (0, 0) for a in (0, 1)])
        near = np.lib.stride_tricks.sliding_window_view(padded, 2 * by + 1, axis)
        mask = np.asarray(near.any(axis=-1))
    return mask


def _runs(mask: NDArray[np.bool_], shape: tuple[int, int]) -> Iterator[Window]:
    """Windows that cover the tiles of a mask: runs of neighbours in each row of tiles."""
    for down, line in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line.view(np.int8), [0]])))
        top = down * SIDE
        for first, last in edges.reshape(-1, 2).tolist():
            left = first * SIDE
            yield Window(top, left, min(SIDE, shape[0] - top), min(last * SIDE, shape[1]) - left)


def _put(field: TravelField, window: Window, make: MakeField) -> None:
    """Makes a window with its margin and writes its inside into the field."""
    top, left = max(window.row - MARGIN, 0), max(window.col - MARGIN, 0)
    bottom = min(window.row + window.rows + MARGIN, field.shape[0])
    right = min(window.col + window.cols + MARGIN, field.shape[1])
    part = make(Window(top, left, bottom - top, right - left))
    if field.bucket_min.size and part.burnable.any():
        field.bucket_min[:] = _bucket_lengths_for(part, field.shape[1])
    inner = Window(window.row - top, window.col - left, window.rows, window.cols).slices
    for whole, made in zip(_arrays(field), _arrays(part), strict=True):
        if made.size:
            _map_of(whole, field.shape)[:, *window.slices] = _map_of(made, part.shape)[:, *inner]


def _arrays(field: TravelField) -> list[NDArray]:
    """All arrays that a fire reads, first axis rows of weather, second padded cells."""
    cells, read = field.spots.cells, row_arrays(field._replace(rate=_NO_RATES))
    return [*read.values(), field.breaks.breach,
            cells.reshape(-1, cells.shape[-1]) if cells.size else cells]


def _map_of(flat: NDArray, shape: tuple[int, int]) -> NDArray:
    """[R, P, ...] -> [R, H, W, ...], a view."""
    rows, cols = shape
    full = flat.reshape(flat.shape[0], rows + 2 * REACH, cols + 2 * REACH, *flat.shape[2:])
    return full[:, REACH:-REACH, REACH:-REACH]
