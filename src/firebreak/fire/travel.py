"""Travel fields: how fast fire crosses each cell in each weather scenario, laid out for the engine.

Maps are padded by REACH closed cells on every side, so that the compiled code never looks outside.
A padded cell index is (row + REACH) * width + col + REACH with width = columns + 2 * REACH.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire import travel_kernel
from firebreak.fire.behavior import SurfaceSpread
from firebreak.fire.ring import REACH, RING, SEGMENT_CODE
from firebreak.fire.wind import backing_rate, flanking_rate

SpreadMode = Literal["front", "graph"]


class TravelField(NamedTuple):
    """Travel times of one landscape under S scenarios. P = (H + 6) * (W + 6) padded cells.

    shape: (H, W) of the map.
    metric: f32 [S, P, 5], m11, m12, m22 (min2 per cell2), w_east, w_north (min per cell).
    unit_time: f32 [S, P, 8], minutes over each unit step at the cell's own speed; inf if closed.
    segments: u64 [S, P], accepts: u32 [S, P], sends: u32 [S, P]: what is open, as bits.
    burnable: bool [P].
    """

    shape: tuple[int, int]
    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    segments: NDArray[np.uint64]
    accepts: NDArray[np.uint32]
    sends: NDArray[np.uint32]
    burnable: NDArray[np.bool_]


class Ellipse(NamedTuple):
    """Spread rates of the elliptical front, float64 [S, H, W]; rates in m/min, heading toward."""

    head: NDArray[np.float64]
    back: NDArray[np.float64]
    flank: NDArray[np.float64]
    heading_deg: NDArray[np.float64]


def padded_width(cols: int) -> int:
    """Columns of the padded map."""
    return cols + 2 * REACH


def pad(grid: NDArray, closed: float = 0) -> NDArray:
    """[..., H, W] -> [..., P], with `closed` in the padding."""
    edges = [(0, 0)] * (grid.ndim - 2) + [(REACH, REACH), (REACH, REACH)]
    padded = np.pad(grid, edges, constant_values=closed)
    return padded.reshape(*grid.shape[:-2], -1)


def unpad(flat: NDArray, shape: tuple[int, int]) -> NDArray:
    """[..., P] -> [..., H, W], a view."""
    rows, cols = shape
    full = flat.reshape(*flat.shape[:-1], rows + 2 * REACH, cols + 2 * REACH)
    return full[..., REACH:-REACH, REACH:-REACH]


def padded_cells(cells: NDArray[np.int64], cols: int) -> NDArray[np.int64]:
    """Padded index of flat map cells (row * cols + col)."""
    row, col = np.divmod(cells, cols)
    return (row + REACH) * padded_width(cols) + col + REACH


def ellipse_of(spread: SurfaceSpread) -> Ellipse:
    """Rothermel's ellipse: the ignition at the rear focus (Anderson 1983)."""
    head, ratio = spread.rate_of_spread_m_min, spread.length_to_width
    return Ellipse(head, backing_rate(head, ratio), flanking_rate(head, ratio),
                   spread.heading_deg)


def field_from_ellipse(ellipse: Ellipse, burnable: NDArray[np.bool_], cell_size_m: float,
                       mode: SpreadMode = "front") -> TravelField:
    """The travel field of given ellipses [S, H, W].

    Raises:
        InputError: a rate is negative, nan or infinite, or the map is empty.
    """
    _check_rates(ellipse)
    count, rows, cols = ellipse.head.shape
    width = padded_width(cols)
    cells = (rows + 2 * REACH) * width
    field = TravelField(
        (rows, cols), np.empty((count, cells, 5), np.float32),
        np.empty((count, cells, 8), np.float32), np.empty((count, cells), np.uint64),
        np.empty((count, cells), np.uint32), np.zeros((count, cells), np.uint32),
        pad(burnable, closed=False))
    wakes = np.empty(cells, np.uint32)
    for s in range(count):
        travel_kernel.build_field(
            *(pad(grid[s]) for grid in ellipse), field.burnable, cell_size_m, width,
            mode == "graph", field.metric[s], field.unit_time[s], field.segments[s],
            field.accepts[s], wakes)
        travel_kernel.turn_round(wakes, field.burnable, width, REACH * width + REACH,
                                 cells - REACH * width - REACH, field.sends[s])
    return field


def _check_rates(ellipse: Ellipse) -> None:
    for name, grid in zip(Ellipse._fields, ellipse, strict=True):
        if not np.isfinite(grid).all() or (name != "heading_deg" and (grid < 0).any()):
            raise fail(expected=f"finite, non-negative {name} rates", given="nan, inf or below 0",
                       where="travel times", remedy="check fuel, weather and slope of the map")


def open_state(burnable: NDArray[np.bool_], breaks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """u8 [H, W] -> padded [P]: 0 closed, 1 open, 2 open with a break within REACH cells.

    The engine looks at breaks beside a long step only where the receiving cell says 2.
    """
    near = np.zeros(breaks.shape, np.bool_)
    rows, cols = breaks.shape
    for row, col in zip(*np.nonzero(breaks), strict=True):
        near[max(row - REACH, 0):row + REACH + 1, max(col - REACH, 0):col + REACH + 1] = True
    state = np.where(burnable & ~breaks, np.where(near, 2, 1), 0).astype(np.uint8)
    return pad(state).reshape((rows + 2 * REACH) * padded_width(cols))


def closing_table(width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What a new break closes: pairs (offset of the child from the break, parent code).

    A diagonal beside the break is listed although it closes only if its other side is closed too:
    burning that fire anew then changes nothing.
    """
    pairs = []
    for step in (1, 3, 5, 7):
        for side in (step - 1, (step + 1) % 8):
            pairs.append((-(RING.steps[side, 0] * width + RING.steps[side, 1]), step))
    for crosses, counts, base in (
            (RING.step_crosses, RING.step_cross_count, 0),
            (RING.segment_crosses, RING.segment_cross_count, SEGMENT_CODE)):
        for index, count in enumerate(counts):
            for row, col in crosses[index, :count]:
                pairs.append((-(row * width + col), base + index))
    table = np.array(pairs, np.int64)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
