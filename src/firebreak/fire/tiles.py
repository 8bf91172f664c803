"""Fires on a tiled scene, whose travel field is made tile by tile where they come near.

The streams of weather take turns. Of each, the whole map's arrays are allocated and start empty:
nothing leads into a cell that is not made. A window of tiles is made by the same functions as a
whole field, on a landscape cut out with a margin, and only its inside is kept, so its bits are
those of the whole field. A fire that burned no cell within REACH of a tile that is not ready has
read nothing else, and is exact; another one is burned again when the tiles that it came near are
ready.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from firebreak.checks import fail
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.burn_setup import BurnSetup, overlays_of, setup_of
from firebreak.fire.fires import Fires, check_fires
from firebreak.fire.scene import Scene, one_stream
from firebreak.fire.solver.structs import MISSED, Tiles
from firebreak.fire.spread import left_of, spread_on, travel_under, with_crews
from firebreak.fire.travel.arcs import NO_SPOTS
from firebreak.fire.travel.bare_ground import codes_of, passable
from firebreak.fire.travel.breaks import shaded
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
from firebreak.landscape.treatments import bare_of
from firebreak.native_library import max_threads

SIDE = 64  # cells along a tile
MARGIN = 2 * REACH  # a cell's arcs cross cells at REACH, whose own arcs do the same
BARE_MARGIN = 3 * REACH  # and take bare ground for the fuel beside it
_NO_RATES = np.empty((0, 0), np.float32)
_SURELY_CROSSED = 2.0  # a chance of breach above 1

AT_ONCE = 64  # fires of one weather between two looks at which tiles they came near
MAX_GROWTH = 16  # tiles made at once beyond those that fires came near

Breaks = NDArray[np.bool_] | NDArray[np.int64] | None
"""Breaks as a grid [H, W] or as flat cells, or none."""
State = NDArray[np.uint8]
Take = Callable[[BurnSetup, Fires, NDArray[np.intp], Tiles], State]
"""Burns fires [N] of a setup, which are those of these numbers i64 [N] among all fires; returns
what became of each, ADDED or MISSED."""
MakeField = Callable[[Window], TravelField]
"""The travel field of a part of the map, under the breaks that lie there."""


def on_tiles(scene: Scene, fires: Fires, value: NDArray[np.float32],
             plans: Sequence[tuple[Breaks, Take]]) -> None:
    """Burns fires one stream of weather after the other, each until its tiles are ready."""
    land, before = scene.landscape, None
    down, across = (-(-side // SIDE) for side in land.shape)
    check_fires(fires, land.burnable, scene.streams.weight.size, scene.streams.later.shape[1])
    for stream in np.unique(fires.scenario).tolist():
        own = np.flatnonzero(fires.scenario == stream)
        made: tuple[BurnSetup, MakeField, Tiles] | None = None
        for breaks, take in plans:
            grid = grid_of(breaks, land.shape)
            if made is None or scene.conditions.treatment.kind == "shaded":
                # Breaks that burn have travel times of their own.
                before, make = empty_setup(scene, stream, grid, value, before)
                made = before, make, Tiles(
                    np.zeros(down * across, np.uint8),
                    np.zeros((max_threads(), down * across), np.uint8), SIDE, across)
            setup, make, tiles = made
            setup = setup._replace(overlays=overlays_of(setup.field, value, grid))
            for first in range(0, own.size, AT_ONCE):
                _burn_some(setup, own[first:first + AT_ONCE], fires, tiles, make, take)


def empty_setup(scene: Scene, stream: int, breaks: NDArray[np.bool_], value: NDArray[np.float32],
                before: BurnSetup | None) -> tuple[BurnSetup, MakeField]:
    """The setup on one stream of weather, in which no tile is ready, and what makes its tiles.
    before: the setup on another stream, whose memory is used again.
    """
    land, streams = scene.landscape, one_stream(scene.streams, stream)
    treatment = scene.conditions.treatment

    def make(window: Window, sample: bool = False) -> TravelField:
        part, here = window.of(land), breaks[window.slices]
        if treatment.kind == "shaded" and not (sample or treatment.mixed or here.any()):
            behavior = fire_behavior(part, streams.steps, scene.conditions.model)
            return travel_under(part, behavior, streams, scene.conditions, scene.intensities)
        _, field = spread_on(part, streams, scene.conditions, scene.intensities)
        return shaded(field, here)

    codes = codes_of(land)
    field = empty_field(make(Window(0, 0, 1, 1), sample=True), passable(land, codes), codes)
    if field.breaks.strips:  # of the whole map, of which the sample knows one cell
        field = field._replace(breaks=field.breaks._replace(
            lost=left_of(land, scene.conditions.treatment)))
    if field.breaks.bare.size:
        field = field._replace(breaks=field.breaks._replace(
            bare=bare_of(land, scene.conditions.treatment)))
    field = with_crews(field, land, scene.conditions)
    if before is None:
        return setup_of(field, overlays_of(field, value, breaks)), make
    return before.on(field), make


def _burn_some(setup: BurnSetup, which: NDArray[np.intp], fires: Fires, tiles: Tiles,
               make: MakeField, take: Take) -> None:
    """Burns fires of one stream, again and again while they come near tiles that are not ready."""
    row, col = np.divmod(fires.source[which], setup.field.shape[1])
    tiles.requested[0, row // SIDE * tiles.across + col // SIDE] = 1
    grow = 1
    while which.size:
        make_requested(setup.field, tiles, grow, make)
        some = fires.part(which)
        some = some._replace(scenario=np.zeros_like(some.scenario))
        which = which[take(setup, some, which, tiles) == MISSED]
        # Fires that are larger than expected: the last try should cost more than all before it.
        grow = min(2 * grow, MAX_GROWTH)


def grid_of(breaks: Breaks, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Breaks as a grid [H, W]."""
    grid = np.zeros(shape, np.bool_)
    if breaks is None:
        return grid
    cells = breaks.ndim == 1 and breaks.dtype.kind == "i"
    if cells and ((breaks >= 0) & (breaks < grid.size)).all():
        grid.ravel()[breaks] = True
        return grid
    if breaks.shape != shape or breaks.dtype != np.bool_:
        raise fail(expected=f"breaks as a boolean grid of shape {shape}, or as cells of it",
                   given=f"{breaks.dtype} of shape {breaks.shape}", where="fires",
                   remedy="pass one truth value per cell")
    return np.asarray(breaks, np.bool_)


def empty_field(sample: TravelField, burnable: NDArray[np.bool_],
                codes: NDArray[np.uint8]) -> TravelField:
    """A field of a whole map, of cells burnable bool [H, W] and of bare ground codes, in which no
    tile is ready; `sample` is the field of any part of it.
    """
    rows, cols = burnable.shape
    cells = (rows + 2 * REACH) * padded_width(cols)

    def empty(part: NDArray) -> NDArray:
        return np.zeros((part.shape[0], cells, *part.shape[2:]), part.dtype)

    spots, breach = sample.spots, sample.breaks.breach
    # No fire reads the rates: they say which arcs are open, and have done so in a window.
    arrays: dict[str, Any] = {"rate": np.empty((sample.rate.shape[0], 0), np.float32),
                              "edges": edges_for(sample.edges.shape[0], cells)}
    arrays |= {name: empty(part) for name, part in row_arrays(sample).items() if name not in arrays}
    return sample._replace(
        **arrays, shape=(rows, cols), burnable=pad(burnable, closed=False),
        bucket_min=_bucket_lengths_for(sample, cols),
        spots=spots._replace(cells=np.zeros((*spots.cells.shape[:2], cells), np.float32))
        if spots.cells.size else NO_SPOTS,
        # An ember may fall far off: it then burns, and requests the tile that it fell into.
        breaks=sample.breaks._replace(
            ground=codes, breach=np.full((len(breach), cells), _SURELY_CROSSED, np.float32)
            if breach.size else breach))


def _bucket_lengths_for(part: TravelField, cols: int) -> NDArray[np.float64]:
    """Buckets for a map of so many columns at the speeds of a part of it."""
    own, wanted = (bucket_share(width) for width in (part.shape[1], cols))
    return part.bucket_min * (wanted / own)


def make_requested(field: TravelField, tiles: Tiles, grow: int, make: MakeField) -> None:
    """Makes the tiles that are requested, and all within `grow` tiles of them."""
    requested = tiles.requested.any(axis=0).reshape(-1, tiles.across)
    tiles.requested[:] = 0
    ready = tiles.ready.reshape(requested.shape)
    near = maximum_filter(requested, 2 * grow + 1, mode="constant")
    for window in _runs(near & (ready == 0), field.shape):
        _put(field, window, make)
    ready |= near


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
    margin = BARE_MARGIN if field.breaks.ground.size else MARGIN
    top, left = max(window.row - margin, 0), max(window.col - margin, 0)
    bottom = min(window.row + window.rows + margin, field.shape[0])
    right = min(window.col + window.cols + margin, field.shape[1])
    part = make(Window(top, left, bottom - top, right - left))
    if field.bucket_min.size and part.burnable.any():
        field.bucket_min[:] = _bucket_lengths_for(part, field.shape[1])
    inner = Window(window.row - top, window.col - left, window.rows, window.cols).slices
    for whole, made in zip(_arrays(field), _arrays(part), strict=True):
        if made.size:
            _map_of(whole, field.shape)[:, *window.slices] = _map_of(made, part.shape)[:, *inner]


def _arrays(field: TravelField) -> list[NDArray]:
    """Arrays that a fire reads, first axis rows of weather, second padded cells."""
    cells, read = field.spots.cells, row_arrays(field._replace(rate=_NO_RATES))
    return [*read.values(), field.breaks.breach,
            cells.reshape(-1, cells.shape[-1]) if cells.size else cells]


def _map_of(flat: NDArray, shape: tuple[int, int]) -> NDArray:
    """[R, P, ...] -> [R, H, W, ...], a view."""
    rows, cols = shape
    full = flat.reshape(flat.shape[0], rows + 2 * REACH, cols + 2 * REACH, *flat.shape[2:])
    return full[:, REACH:-REACH, REACH:-REACH]
