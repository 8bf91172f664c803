"""Travel fields: how fast fire crosses each cell in each weather scenario, laid out for the engine.

Where a break goes, the field says what happens: `BreakRules`.

Maps are padded by REACH closed cells on every side, so that kernels never look outside.
A padded cell index is (row + REACH) * width + col + REACH with width = columns + 2 * REACH.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from firebreak.checks import InputError, fail
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.effects.spotting import SpotField
from firebreak.fire.travel import kernels
from firebreak.fire.travel.arcs import NO_CREWS, NO_SPOTS, CrewRule, Spots
from firebreak.fire.travel.stencil import REACH

_NO_ROWS = np.empty((0, 0), np.float32)
_NO_EDGES = np.empty((0, 0, 8))
_NO_BUCKETS = np.empty(0)


class Treated(NamedTuple):
    """The part of a travel field that treated cells have; see `TravelField`."""

    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    rate: NDArray[np.float32]
    heat: NDArray[np.float32]
    spots: Spots


class BreakRules(NamedTuple):
    """Effect of a break. By default it does not burn and nothing passes it.

    leak: fire passes between two breaks that touch at a corner.
    lost: share of a break's value that burns when fire reaches it: what a break narrower than its
        cell leaves of it; 0 for breaks as wide as the cell. By cell, f32 [H, W], where widths
        differ.
    breach: f32 [S, P], probability that fire crosses a break in the cell, or no rows.
    treated: breaks burn, but as these arrays say; None for breaks that do not burn.
    ready: f32 [1, P], minutes from ignition until crews can be in the cell and hold a break, or no
        rows: nobody does. crew: what crews can do, the initial attack included.
    ground: u8 [H, W], codes of bare ground that fire crosses as `breach` says, 0 elsewhere; or no
        rows: nowhere.
    bare: bool [H, W], where breaks are bare ground although others burn; or no rows: nowhere. Of
        breaks of several ages or treatments, which burn as they are laid out and are not changed.
    """

    leak: bool = False
    lost: float | NDArray[np.float32] = 0.0
    breach: NDArray[np.float32] = _NO_ROWS
    treated: Treated | None = None
    ready: NDArray[np.float32] = _NO_ROWS
    crew: CrewRule = NO_CREWS
    bare: NDArray[np.bool_] = np.empty((0, 0), np.bool_)
    ground: NDArray[np.uint8] = np.empty((0, 0), np.uint8)

    @property
    def strips(self) -> bool:
        """True where breaks are narrower than their cells, or some are."""
        return isinstance(self.lost, np.ndarray) or self.lost > 0.0

    def left(self, shape: tuple[int, int]) -> NDArray[np.float32]:
        """`lost` of each cell, f32 [H, W]."""
        return np.broadcast_to(np.float32(self.lost), shape)

    @property
    def held(self) -> bool:
        """True where crews hold breaks."""
        return self.ready.size > 0

    @property
    def acts_nearby(self) -> bool:
        """True where a break may change a fire that burns close by, not only one that burns through
        it.
        """
        return self.treated is not None or self.held


class TravelField(NamedTuple):
    """Travel times of one landscape in R rows of weather: S streams of K steps, K rows a stream.
    P = (H + 6) * (W + 6) padded cells.

    shape: (H, W) of the map.
    metric: f32 [R, P, 5], m11, m12, m22 (min2 per cell2), w_east, w_north (min per cell).
    unit_time: f32 [R, P, 8], minutes over each unit step at the cell's own speed; inf if closed.
    rate: f32 [R, P], of the head, m/min.
    facets: u64 [R, P], accepts: u32 [R, P], sends: u32 [R, P]: what is open, as bits.
    burnable: bool [P], bare ground that fire may cross included.
    steps: K. step_min: minutes a step, inf where K is 1.
    heat: f32 [R, P, 3], fireline intensity over speed on the ground, kW/m per cell/min, and the
        rise of the ground per cell east and north; or no rows.
    spots: embers.
    breaks: what breaks do.
    edges: f64 [R, P, 8], minutes from a cell to each neighbour in the order of `arcs.LANES`, inf
        where closed; for constant weather, else no rows.
    bucket_min: f64 [R], of the bucket queue that suits the edges, for constant weather, else no
        rows; it changes no result.
    later: i64 [S, L], see `WeatherStreams`.
    sends_far: u32 [R, P], of `sends` what leads further than to neighbours or through more, in any
        row of a stream.
    """

    shape: tuple[int, int]
    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    rate: NDArray[np.float32]
    facets: NDArray[np.uint64]
    accepts: NDArray[np.uint32]
    sends: NDArray[np.uint32]
    burnable: NDArray[np.bool_]
    steps: int = 1
    step_min: float = float("inf")
    heat: NDArray[np.float32] = np.empty((0, 0, 3), np.float32)
    spots: Spots = NO_SPOTS
    breaks: BreakRules = BreakRules()
    edges: NDArray[np.float64] = _NO_EDGES
    bucket_min: NDArray[np.float64] = _NO_BUCKETS
    sends_far: NDArray[np.uint32] = np.empty((0, 0), np.uint32)
    later: NDArray[np.int64] = np.empty((0, 0), np.int64)

    @property
    def burns(self) -> NDArray[np.bool_]:
        """The cells bool [P] that count as burned where fire comes to them: no bare ground."""
        ground = self.breaks.ground
        return self.burnable & (pad(ground) == 0) if ground.size else self.burnable

    @property
    def burns_anew(self) -> bool:
        """True where a fire that a break may change burns anew as a whole."""
        rules = self.breaks
        return (rules.acts_nearby or rules.crew.attack_min < np.inf
                or self.spots.cells.size > 0)


def row_arrays(field: TravelField) -> dict[str, Any]:
    """The arrays of a field that have rows of weather and padded cells, [R, P, ...], by name."""
    names = ("metric", "unit_time", "rate", "facets", "accepts", "sends", "heat", "edges",
             "sends_far")
    return {name: getattr(field, name) for name in names if getattr(field, name).size}


class Ellipse(NamedTuple):
    """Spread rates of the elliptical front, float64 [R, H, W]; rates in m/min, heading toward, in
    the plane of the slope.
    """

    head: NDArray[np.float64]
    back: NDArray[np.float64]
    flank: NDArray[np.float64]
    heading_deg: NDArray[np.float64]


def padded_width(cols: int) -> int:
    """Columns of the padded map."""
    return cols + 2 * REACH


def pad(grid: NDArray, closed: float = 0) -> NDArray:
    """[..., H, W] -> [..., P], with `closed` in the padding."""
    rows, cols = grid.shape[-2:]
    padded = np.full((*grid.shape[:-2], rows + 2 * REACH, padded_width(cols)), closed, grid.dtype)
    padded[..., REACH:-REACH, REACH:-REACH] = grid
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


def ellipse_of(behavior: FireBehavior) -> Ellipse:
    """The ellipse of a fire's behaviour."""
    return Ellipse(behavior.rate_of_spread_m_min, behavior.backing_rate_m_min,
                   behavior.flanking_rate_m_min, behavior.heading_deg)


def field_from_ellipse(ellipse: Ellipse, burnable: NDArray[np.bool_], cell_size_m: float,
                       slope_tan: NDArray | None = None,
                       aspect_deg: NDArray | None = None) -> TravelField:
    """The travel field of given ellipses [R, H, W]; flat ground if no slope [H, W] is given.

    Raises:
        InputError: a rate is negative, nan or infinite, or the map is empty.
    """
    _check_maps(ellipse, burnable, cell_size_m, slope_tan, aspect_deg)
    return field_from_parts([(0, ellipse)], len(ellipse.head), burnable, cell_size_m,
                            slope_tan, aspect_deg)


def field_from_parts(parts: Iterable[tuple[int, Ellipse]], count: int,
                     burnable: NDArray[np.bool_], cell_size_m: float,
                     slope_tan: NDArray | None, aspect_deg: NDArray | None) -> TravelField:
    """`field_from_ellipse` of ellipses that come some rows of the map at a time.

    parts: the first of the rows, and their ellipses [R, h, W]; together they are the map. count: R.
    """
    metric, unit_time, rate = _spread_of(parts, count, burnable, cell_size_m, slope_tan, aspect_deg)
    count, cells = rate.shape
    field = TravelField(
        burnable.shape, metric, unit_time, rate, np.zeros((count, cells), np.uint64),
        np.zeros((count, cells), np.uint32), np.zeros((count, cells), np.uint32),
        pad(burnable, closed=False))
    field = field._replace(edges=edges_for(count, cells), sends_far=np.zeros_like(field.sends),
                           bucket_min=np.empty(count))
    _open_all(field)
    field.bucket_min[:] = _bucket_lengths(field.edges, bucket_share(burnable.shape[1]))
    return field


def bucket_share(cols: int) -> float:
    """The length of a bucket in mean times from cell to cell, on a map of so many columns."""
    return min(0.6, 22.0 / padded_width(cols))


def _bucket_lengths(edges: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Minutes f64 [R] in which about ten cells of a front burn: `share` mean times from cell to
    cell, by some hundred cells of edges [R, P, 8]. The stride is odd, not to see some columns only.
    """
    some = edges[:, ::edges.shape[1] // 256 | 1]
    opens = (some > 0.0) & (some < np.inf)
    speed = np.divide(1.0, some, out=np.zeros_like(some), where=opens).sum(axis=(1, 2))
    return np.divide(share * opens.sum(axis=(1, 2)), speed, out=np.ones_like(speed),
                     where=speed > 0.0)


def edges_for(rows: int, cells: int) -> NDArray[np.float64]:
    """Room for the edges of a field, [R, P, 8]: a cell's eight in one cache line."""
    line = 8
    room = np.zeros(rows * cells * 8 + line)
    first = -room.ctypes.data // room.itemsize % line
    return room[first:first + rows * cells * 8].reshape(rows, cells, 8)


def _spread_of(parts: Iterable[tuple[int, Ellipse]], count: int, burnable: NDArray[np.bool_],
               cell_size_m: float, slope_tan: NDArray | None, aspect_deg: NDArray | None,
               ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """(metric, unit_time, rate) of ellipses; see `field_from_parts`."""
    shape, width = burnable.shape, padded_width(burnable.shape[1])
    cells = (shape[0] + 2 * REACH) * width
    metric = np.zeros((count, cells, 5), np.float32)
    unit_time = np.empty((count, cells, 8), np.float32)
    rate = np.zeros((count, cells), np.float32)
    ground = _ground_of(shape, slope_tan, aspect_deg)
    burns, odd = _laid_out(burnable, np.bool_), np.zeros(1, np.int64)
    for top, ellipse in parts:
        below = top + ellipse.head.shape[1]
        own = slice(top * width, (below + 2 * REACH) * width)
        here = _laid_out(ground[:, top:below])
        # Rows of weather of a part of the map do not lie side by side.
        for rows in [slice(0, count)] if below - top == shape[0] else [
                slice(k, k + 1) for k in range(count)]:
            head, back, flank, heading = (_laid_out(grid[rows]) for grid in ellipse)
            kernels.fill_metric(head, back, flank, heading, here, burns[top:below], cell_size_m,
                                width, metric[rows, own], unit_time[rows, own], rate[rows, own],
                                odd)
            if odd[0]:
                raise _out_of_range(ellipse._asdict())
    unit_time[:, ~pad(burnable, closed=False)] = np.inf
    return metric, unit_time, rate


def _ground_of(shape: tuple[int, ...], slope_tan: NDArray | None,
               aspect_deg: NDArray | None) -> NDArray[np.float64]:
    """Effect of slope on paths, [3, H, W], see `fill_ground`."""
    ground = np.zeros((3, *shape))
    slope, aspect = (np.zeros(shape) if grid is None else _laid_out(grid)
                     for grid in (slope_tan, aspect_deg))
    odd = np.zeros(1, np.int64)
    kernels.fill_ground(slope, aspect, ground, odd)
    if odd[0]:
        raise _out_of_range({"slope_tan": slope, "aspect_deg": aspect})
    return ground


def _out_of_range(grids: dict[str, NDArray]) -> InputError:
    """The error to raise where a kernel met numbers that no fire burns with."""
    for name, grid in grids.items():
        if name.endswith("_deg"):
            range_, fine = "", np.isfinite(grid)
        elif name == "slope_tan":
            range_ = f" from 0 to {kernels.MAX_SLOPE_TAN:g}"
            fine = (grid >= 0) & (grid <= kernels.MAX_SLOPE_TAN)
        else:
            range_, fine = " from 0 on", (grid >= 0) & (grid < np.inf)
        if not fine.all():
            break
    return fail(expected=f"finite {name}{range_}",
                given=f"{grid[~fine][0]:g} in {(~fine).sum()} of {grid.size} cells",
                where="travel times", remedy="check fuel, weather and slope of these cells")


def _laid_out(grid: NDArray, kind: DTypeLike = np.float64) -> NDArray:
    """The grid as kernels expect it: a copy where it is not."""
    return np.require(grid, kind, ["C", "W"])


def _open_all(field: TravelField) -> None:
    shape = (-1, padded_width(field.shape[1]))
    cells = np.arange(field.burnable.size).reshape(shape)[REACH:-REACH, REACH:-REACH].ravel()
    open_arcs(field, cells, cells)


def open_arcs(field: TravelField, cells: NDArray[np.int64], senders: NDArray[np.int64]) -> None:
    """Remakes what is open at `cells`, and what `senders` reach, in every row."""
    kernels.open_arcs(cells, senders, padded_width(field.shape[1]), field.steps, field.metric,
                      field.unit_time, field.rate, field.burnable, field.facets, field.accepts,
                      field.sends, field.sends_far, field.edges)


def in_streams(field: TravelField, steps: int, step_min: float) -> TravelField:
    """The field with its rows read as streams of `steps` rows; it is changed in place."""
    if steps == 1:
        return field
    field = field._replace(steps=steps, step_min=step_min, edges=_NO_EDGES, bucket_min=_NO_BUCKETS)
    _open_all(field)
    return field


def heat_of(field: TravelField, intensity_kw_m: NDArray[np.float64],
            slope_tan: NDArray | None = None,
            aspect_deg: NDArray | None = None) -> NDArray[np.float32]:
    """Terms that give the intensity in any direction, f32 [R, P, 3], see `TravelField`; from the
    head's intensity [R, H, W] and the slope [H, W] that the field was made with.
    """
    heat = np.zeros((*field.rate.shape, 3), np.float32)
    if slope_tan is not None and aspect_deg is not None:
        upslope = np.radians(aspect_deg.astype(np.float64)) + np.pi
        heat[..., 1] = pad(slope_tan * np.sin(upslope))
        heat[..., 2] = pad(slope_tan * np.cos(upslope))
    head = pad(intensity_kw_m)
    for r in range(heat.shape[0]):
        kernels.heat_per_speed(field.metric[r], heat[r], head[r])
    return heat


def spots_on(field: SpotField, cell_size_m: float) -> Spots:
    """Embers of every cell, padded, for the kernels."""
    return Spots(pad(np.stack([*field[:5]])), np.stack([*field[5:9]]),
                 float(field.ignition_delay_min), cell_size_m)


def _check_maps(ellipse: Ellipse, burnable: NDArray[np.bool_], cell_size_m: float,
                slope_tan: NDArray | None, aspect_deg: NDArray | None) -> None:
    """Shapes and kinds, which kernels expect."""
    shape = np.shape(ellipse.head)
    if len(shape) != 3 or 0 in shape:
        raise fail(expected="rates of shape [rows of weather, H, W]", given=f"shape {shape}",
                   where="travel times", remedy="pass at least one cell in one weather")
    ground = {"burnable": burnable, "slope_tan": slope_tan, "aspect_deg": aspect_deg}
    for name, grid in (ellipse._asdict() | ground).items():
        if grid is None:
            continue
        wanted: tuple[int, ...] = shape[1:] if name in ground else shape
        kinds = "b" if name == "burnable" else "fiu"
        if np.shape(grid) != wanted or np.asarray(grid).dtype.kind not in kinds:
            raise fail(expected=f"{name} of shape {wanted}, "
                                f"{'true or false' if kinds == 'b' else 'real numbers'}",
                       given=f"{np.asarray(grid).dtype} of shape {np.shape(grid)}",
                       where="travel times", remedy="bring all maps to one grid")
    if not 0.0 < cell_size_m < np.inf:
        raise fail(expected="a cell size above 0 m", given=f"{cell_size_m}", where="travel times",
                   remedy="check the raster's transform")
