"""Sums over any number of fires, in whole numbers, so that no order of adding changes a bit."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire.burn_setup import BurnSetup, table_of
from firebreak.fire.effects.losses import CLASSES
from firebreak.fire.fires import Fires
from firebreak.fire.solver.kernels import sum_many
from firebreak.fire.solver.structs import Sums, Tiles, Tracks
from firebreak.fire.travel.travel_field import padded_width, unpad
from firebreak.native_library import max_threads

LONGEST_MIN = 2.0**32  # arrival times that can be summed; 8,000 years
MAX_TRACKED = 24_000_000  # cells of the fires that leave their tracks at once
_ROOM_BITS = 62  # of a sum; one more would be the sign
_FINEST_BITS = 900  # far from the least number that a float can hold

EVERYWHERE = Tiles(np.empty(0, np.uint8), np.empty((1, 0), np.uint8), 1, 1)
"""The travel field is ready everywhere."""


_NO_CELLS = np.empty((0, 0))


class BurnResult(NamedTuple):
    """F fires, burned. Maps are f64 [H, W] over all fires; those that were not wanted are empty.

    loss: f64 [F], value lost per fire, as often as it counts, see `Fires.weight`.
    burn_probability: share of the fires that burned the cell.
    downstream_value: value lost in the fires' trees below the cell, mean over all fires.
    arrival_time_min: mean over the fires that burned the cell, inf where none did.
    lost: value lost in the cell, mean over all fires.
    class_probability: f64 [C, H, W], share of the fires that burned the cell in each class of
        flame length; one class where the field has no intensities.
    held_probability: share of the fires that crews stopped at a break in the cell.
    arrivals_min: f64 [F, H, W], of each fire, inf = unburned.
    """

    loss: NDArray[np.float64]
    burn_probability: NDArray[np.float64] = _NO_CELLS
    downstream_value: NDArray[np.float64] = _NO_CELLS
    arrival_time_min: NDArray[np.float64] = _NO_CELLS
    lost: NDArray[np.float64] = _NO_CELLS
    class_probability: NDArray[np.float64] = _NO_CELLS[None]
    held_probability: NDArray[np.float64] = _NO_CELLS
    arrivals_min: NDArray[np.float64] = _NO_CELLS[None]


class Added(NamedTuple):
    """Outcome of fires [F]: loss f64, as often as each counts; state u8, ADDED or MISSED; tracks.
    """

    loss: NDArray[np.float64]
    state: NDArray[np.uint8]
    tracks: Tracks


def new_sums(setup: BurnSetup, fires: Fires, threads: int | None = None) -> Sums:
    """Sums that start at 0, in units that hold all of `fires` together without overflow. threads:
    that add to them; all there are if not given.
    """
    count, cells, threads = int(fires.parts.sum()), setup.cells, threads or max_threads()
    value = setup.overlays.value[0]
    most_lost = float((value if value.shape[0] == 1 else value.max(axis=0)).sum(dtype=np.float64))
    longest = min(float(fires.duration_min.max(initial=0.0)), LONGEST_MIN)
    return Sums(
        np.zeros((threads, CLASSES if setup.field.heat.size else 1, cells), np.int64),
        np.zeros((threads, cells), np.int64), np.zeros((threads, cells), np.int64),
        np.zeros((threads, cells if setup.field.breaks.held else 0), np.int64),
        _units(count * most_lost), _units(count * longest))


_NONE = np.zeros((0, 0), np.int64)
NO_SUMS = Sums(np.zeros((0, 0, 0), np.int64), _NONE, _NONE, _NONE, 1.0, 1.0)
"""For fires of which only losses and tracks are wanted."""


def _units(most: float) -> float:
    """Units per 1, a power of two, in which a total of `most` fits."""
    bits = _ROOM_BITS - math.ceil(math.log2(most)) if most > 0.0 else 0
    return 2.0 ** min(bits, _FINEST_BITS)


def add_fires(setup: BurnSetup, fires: Fires, sums: Sums, tiles: Tiles = EVERYWHERE,
              room: tuple[NDArray[np.int32], NDArray[np.float32]] | None = None) -> Added:
    """Burns fires and adds them to the sums, but for those that came near tiles not ready.

    room: cells and times [R, P], in which the first R fires leave the order in which their cells
        burned.
    """
    count = fires.source.size
    cell, time = room or (np.empty((0, setup.cells), np.int32),
                          np.empty((0, setup.cells), np.float32))
    made = Added(np.zeros(count), np.zeros(count, np.uint8), Tracks(
        cell[:count], time[:count], np.zeros(count, np.int64), np.zeros(count)))
    sum_many(np.arange(count), padded_width(setup.field.shape[1]), setup.arcs, setup.spots,
             setup.rules, table_of(setup.field, fires), setup.overlays, sums, made.tracks, tiles,
             made.state, made.loss, setup.scratch)
    if sums.arrival.size and made.tracks.latest.max() > LONGEST_MIN:
        raise fail(expected=f"arrival times up to {LONGEST_MIN:.0f} minutes",
                   given=f"{made.tracks.latest.max():.3g}", where="fires",
                   remedy="shorten the fires' durations")
    return made._replace(loss=fires.weighed(made.loss))


class Times(NamedTuple):
    """Loss f64 and state u8 of fires [F], see `Added`; times f32 and padded cells i32 of what each
    burned, in its order, cells only if wanted.
    """

    loss: NDArray[np.float64]
    times: list[NDArray[np.float32]]
    cells: list[NDArray[np.int32]]
    state: NDArray[np.uint8]


def times_of(setup: BurnSetup, fires: Fires, tiles: Tiles = EVERYWHERE, *,
             cells: bool = False) -> Times:
    """Burns fires for their times, as many at once as memory for their tracks allows."""
    size = max(1, min(fires.source.size, MAX_TRACKED // setup.cells))
    room = np.empty((size, setup.cells), np.int32), np.empty((size, setup.cells), np.float32)
    made = Times(np.zeros(fires.source.size), [], [], np.zeros(fires.source.size, np.uint8))
    for first in range(0, fires.source.size, size):
        block = slice(first, first + size)
        made.loss[block], made.state[block], tracks = add_fires(
            setup, fires.part(block), NO_SUMS, tiles, room)
        for times, order, count in zip(tracks.time, tracks.cell, tracks.burned, strict=True):
            made.times.append(times[:count].copy())
            if cells:
                made.cells.append(order[:count].copy())
    return made


def result_of(sums: Sums, loss: NDArray[np.float64], whole: int, value: NDArray[np.float32],
              shape: tuple[int, int]) -> BurnResult:
    """Means over fires from their sums, which are used up; whole: see `Fires`; value f32 [C, P] as
    burned.
    """
    n = loss.size * whole
    burned, below, arrival = (_over_threads(part) for part in (sums.burned, sums.below,
                                                               sums.arrival))
    every = burned.sum(axis=0)
    reached = np.full(every.size, np.inf)
    np.divide(arrival / sums.per_minute, every, out=reached, where=every > 0)
    if value.shape[0] == burned.shape[0]:
        lost = np.zeros(every.size)
        for times, each in zip(burned, value, strict=True):
            lost += times * each.astype(np.float64)
    else:
        lost = every * value[0].astype(np.float64)
    stopped = _over_threads(sums.stopped) if sums.stopped.size else np.zeros(every.size)
    return BurnResult(loss, *(unpad(part, shape) for part in (
        every / n, below / (n * sums.per_value), reached, lost / n, burned / n, stopped / n)))


def _over_threads(parts: NDArray) -> NDArray:
    """The sum over threads, in the place of the first."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
