"""Burning fires: the scene in, losses and maps out. Breaks are an overlay on the travel field.

Many fires burn at once on the threads that `set_threads` allows; the numbers do not depend on how
many. Sums over fires take the memory of some maps per thread, whatever the number of fires. On a
tiled scene the streams of weather take turns, the travel field of one of them is alive at a time,
and of that the tiles that fires reach (`tiles`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.burn_setup import BurnSetup, make_setup, table_of
from firebreak.fire.fires import Fires, check_fires
from firebreak.fire.scene import Scene
from firebreak.fire.solver.kernels import burn_many
from firebreak.fire.solver.structs import MISSED, Results, Sums, Tiles
from firebreak.fire.sums import (
    EVERYWHERE,
    NO_SUMS,
    BurnResult,
    add_fires,
    new_sums,
    result_of,
    times_of,
)
from firebreak.fire.tiles import Breaks, State, Take, empty_setup, grid_of, on_tiles
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import TravelField, padded_width, unpad

Want = Literal["loss", "statistics", "arrival"]
Report = Callable[[int], object]
"""Takes the number of fires that have burned since it was last called."""
BurnAll = Callable[[Fires, NDArray[np.float32], Sequence[tuple[Breaks, Take]]], None]
"""Has fires taken under each of some sets of breaks; the values [C, H, W] are what burning costs.
"""

AT_ONCE = 32
"""Fires whose tracks `burn_tracks` holds together."""


def no_report(count: int) -> None:
    """Reports nothing."""


def burn(scene: Scene, fires: Fires, breaks: Breaks = None, *, want: Want = "loss",
         report: Report = no_report) -> BurnResult:
    """Burns fires on a scene, under breaks if there are any.

    A fire that starts in a hard break still starts: that cell burns and spreads in that fire as if
    untreated.

    Args:
        want: beside the loss of each fire, which alone is quickest: "statistics" over all fires, in
            the memory of some maps per thread, or the "arrival" times of each fire.

    Raises:
        InputError: fires that cannot burn here, or breaks of another shape.
    """
    return _burned(_burn_all(scene), fires, scene.value_by_class, breaks, want, report)


def burn_plans(scene: Scene, fires: Fires, plans: Sequence[Breaks],
               report: Report = no_report) -> NDArray[np.float64]:
    """Losses of fires under each of some sets of breaks: f64 [plans, F], the bits of `burn`, for
    far less on a tiled scene whose breaks do not burn: the travel times are made once.
    """
    loss = np.zeros((len(plans), fires.source.size))
    _burn_all(scene)(fires, scene.value_by_class,
                     [(breaks, _losses_into(own, report))
                      for breaks, own in zip(plans, loss, strict=True)])
    return loss


def burn_tracks(scene: Scene, fires: Fires,
                take: Callable[[int, NDArray[np.int64], NDArray[np.float32]], object]) -> None:
    """Hands on what each fire burns: its number, flat cells and their arrival times, in minutes.

    Nothing is held of a fire once the next few burn.
    """
    width = scene.landscape.shape[1]

    def burn_some(setup: BurnSetup, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        state = np.empty(some.source.size, np.uint8)
        for first in range(0, state.size, AT_ONCE):
            block = slice(first, first + AT_ONCE)
            made = times_of(setup, some.part(block), tiles, cells=True)
            state[block] = made.state
            for k in np.flatnonzero(made.state != MISSED).tolist():
                row, col = np.divmod(made.cells[k].astype(np.int64), padded_width(width))
                take(int(which[first + k]), (row - REACH) * width + col - REACH, made.times[k])
        return state

    _burn_all(scene)(fires, np.ones(scene.landscape.shape, np.float32), [(None, burn_some)])


def burn_field(field: TravelField, fires: Fires, value: NDArray[np.float32] | None = None,
               breaks: Breaks = None, *, want: Want = "loss") -> BurnResult:
    """`burn` on a travel field without a scene.

    Args:
        value: [H, W], lost where a cell burns; or [C, H, W], lost where it burns in each class of
            flame length (see `losses`); 1 in every cell if not given.
        breaks: what they do is said by `field.breaks`.
    """
    value = np.ones(field.shape, np.float32) if value is None else value
    return _burned(partial(_on_field, field), fires, value, breaks, want, no_report)


MAX_CODES = 16_000_000
"""Cells of fires whose codes are held at once."""

Codes = TypeVar("Codes")


def burn_codes(setup: BurnSetup, fires: Fires, take: Callable[[NDArray[np.uint8]], Codes],
               ) -> tuple[NDArray[np.float64], list[Codes]]:
    """Losses f64 [F] of fires, and what `take` makes of the codes [n, P] of a few of them at a
    time, see `travel.stencil`: how fire came to each cell.
    """
    check_on(fires, setup.field)
    parts: list[Codes] = []
    loss, size = np.zeros(fires.source.size), max(1, MAX_CODES // setup.cells)
    for first in range(0, loss.size, size):
        some = fires.part(slice(first, first + size))
        code = np.empty((some.source.size, setup.cells), np.uint8)
        loss[first:first + size] = burn_into(setup, some, code=code)
        parts.append(take(code))
    return loss, parts


def burned_times(scene: Scene, fires: Fires) -> list[NDArray[np.float32]]:
    """Arrival times of the cells that each fire burns without breaks, minutes, in their order."""
    times: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * fires.source.size

    def burn_some(setup: BurnSetup, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        made = times_of(setup, some, tiles)
        for fire, own in zip(which.tolist(), made.times, strict=True):
            times[fire] = own
        return made.state

    _burn_all(scene)(fires, np.ones(scene.landscape.shape, np.float32), [(None, burn_some)])
    return times


class Summed(NamedTuple):
    """F fires in sums. loss: f64 [F]; value: f32 [C, P] as burned; tiles: those that the fires of
    the last stream came near are ready; whole: see `Fires`.
    """

    sums: Sums
    loss: NDArray[np.float64]
    value: NDArray[np.float32]
    tiles: Tiles
    whole: int


def sum_fires(scene: Scene, fires: Fires, breaks: Breaks, units: tuple[float, float]) -> Summed:
    """Burns fires, one at least, and adds them up. units: `per_value` and `per_minute` of the sums.
    """
    return _summed(_burn_all(scene), fires, scene.value_by_class, breaks, no_report, units)


def nothing_summed(scene: Scene, fires: Fires, breaks: Breaks) -> Summed:
    """Sums over none of the fires, of one thread, with room for all of them."""
    shape, value = scene.landscape.shape, scene.value_by_class
    grid = grid_of(breaks, shape)
    setup = (make_setup(scene.travel, value, grid) if scene.travel is not None
           else empty_setup(scene, 0, grid, value, None)[0])
    return Summed(new_sums(setup, fires, 1), np.zeros(fires.source.size), setup.overlays.value[0],
                  EVERYWHERE, fires.whole)


def _burned(burn_all: BurnAll, fires: Fires, value: NDArray[np.float32], breaks: Breaks,
            want: Want, report: Report) -> BurnResult:
    if want == "statistics":
        made = _summed(burn_all, fires, value, breaks, report)
        return result_of(made.sums, made.loss, made.whole, made.value, value.shape[-2:])
    loss = np.zeros(fires.source.size)
    if want == "loss":
        burn_all(fires, value, [(breaks, _losses_into(loss, report))])
        return BurnResult(loss)
    shape = value.shape[-2:]
    arrival = np.empty((loss.size, (shape[0] + 2 * REACH) * padded_width(shape[1])))

    def burn_some(setup: BurnSetup, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        if tiles is EVERYWHERE:
            loss[which], state = burn_into(setup, some, arrival), np.zeros(which.size, np.uint8)
        else:
            made = times_of(setup, some, tiles, cells=True)
            loss[which], state = made.loss, made.state
            for k, cells, times in zip(which, made.cells, made.times, strict=True):
                arrival[k] = np.inf
                arrival[k, cells] = times
        report(int((state != MISSED).sum()))
        return state

    burn_all(fires, value, [(breaks, burn_some)])
    return BurnResult(loss, arrivals_min=unpad(arrival, shape))


def _summed(burn_all: BurnAll, fires: Fires, value: NDArray[np.float32], breaks: Breaks,
            report: Report, units: tuple[float, float] | None = None) -> Summed:
    loss = np.zeros(fires.source.size)
    made: Summed | None = None

    def burn_some(setup: BurnSetup, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        nonlocal made
        sums = new_sums(setup, fires) if made is None else made.sums
        if units is not None:
            sums = sums._replace(per_value=units[0], per_minute=units[1])
        made = Summed(sums, loss, setup.overlays.value[0], tiles, fires.whole)
        added = add_fires(setup, some, sums, tiles)
        loss[which] = added.loss
        report(int((added.state != MISSED).sum()))
        return added.state

    burn_all(fires, value, [(breaks, burn_some)])
    assert made is not None
    return made


def _losses_into(loss: NDArray[np.float64], report: Report) -> Take:
    def burn_some(setup: BurnSetup, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        if tiles is EVERYWHERE:  # the quickest kernel
            loss[which], state = burn_into(setup, some), np.zeros(which.size, np.uint8)
        else:
            added = add_fires(setup, some, NO_SUMS, tiles)
            loss[which], state = added.loss, added.state
        report(int((state != MISSED).sum()))
        return state

    return burn_some


def burn_into(setup: BurnSetup, fires: Fires, arrival: NDArray | None = None,
               code: NDArray | None = None,
               downstream: NDArray | None = None) -> NDArray[np.float64]:
    """Burns fires into padded maps [F, cells], those given: arrival f64, minutes, code u8 and
    downstream f64, value. Returns the loss of each fire f64 [F], as often as it counts.
    """
    count = fires.source.size
    loss = np.empty(count)
    reals, bytes_ = np.empty((0, setup.cells)), np.empty((0, setup.cells), np.uint8)
    results = Results(reals if arrival is None else arrival, bytes_ if code is None else code,
                      reals if downstream is None else downstream, bytes_, loss)
    burn_many(np.arange(count), padded_width(setup.field.shape[1]), setup.arcs, setup.spots,
              setup.rules, table_of(setup.field, fires), setup.overlays, results, setup.scratch)
    return fires.weighed(loss)


def _burn_all(scene: Scene) -> BurnAll:
    return partial(on_tiles, scene) if scene.travel is None else partial(_on_field, scene.travel)


def _on_field(field: TravelField, fires: Fires, value: NDArray[np.float32],
              plans: Sequence[tuple[Breaks, Take]]) -> None:
    """Burns fires on a travel field that is held: all of them at once."""
    check_on(fires, field)
    every, setup = np.arange(fires.source.size), None
    for breaks, take in plans:
        setup = make_setup(field, value, grid_of(breaks, field.shape), setup and setup.scratch)
        take(setup, fires, every, EVERYWHERE)


def check_on(fires: Fires, field: TravelField) -> None:
    """Refuses fires that cannot burn on a travel field; raises as `check_fires`."""
    check_fires(fires, unpad(field.burns, field.shape), field.metric.shape[0] // field.steps,
                field.later.shape[1])
