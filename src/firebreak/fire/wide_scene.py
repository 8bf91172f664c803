"""Landscapes of any size: fires burn weather by weather, travel times are made where they come.

A `Scene` holds fire behaviour and travel times of every cell in every weather. A wide scene holds
neither: the streams of weather take turns, the travel field of one of them is alive at a time, and
of that the windows that fires reach (`windows`). The fires, and the sums over them, have the
bits of a scene's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.effects.losses import ValueLayer
from firebreak.fire.fires import Fires, draw_fires
from firebreak.fire.jobs import Job, arcs_of, job_of, overlays_of, rules_of
from firebreak.fire.scene import (
    FireConditions,
    Scene,
    behavior_under,
    break_rules,
    median_on,
    rows_of,
    streams_for,
    travel_under,
    value_by_class_of,
    with_crews,
)
from firebreak.fire.solver.structs import MISSED, Tiles
from firebreak.fire.sums import (
    BurnStatistics,
    Sums,
    add_fires,
    new_sums,
    no_sums,
    statistics_of,
    times_of,
)
from firebreak.fire.travel.shaded_breaks import shaded
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import TravelField, padded_width, unpad
from firebreak.fire.travel_windows import (
    MakeField,
    empty_field,
    empty_tiles,
    make_requested,
    request_tiles,
)
from firebreak.fire.wide_behavior import bands, check_burns, mean_rate
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.native_library import max_threads
from firebreak.weather.scenarios import WeatherScenarios
from firebreak.weather.streams import WeatherStreams

RIM = 3 * REACH
"""An arc crosses cells at most REACH away, which read what lies as far again."""
AT_ONCE = 64  # fires of one weather between two looks at which tiles they came near
MAX_GROWTH = 16  # tiles made at once beyond those that fires came near

State = NDArray[np.uint8]
Burn = Callable[[Job, Fires, NDArray[np.intp], Tiles], State]
"""Burns fires [N] of the only stream of a job, which are those listed, i64 [N], of all fires;
returns what became of each, MADE or MISSED."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WideScene:
    """One landscape and its weather; see `Scene` for what the attributes mean.

    Attributes:
        by_flame: whether fires tell classes of flame length apart, or meet crews.
    """

    landscape: Landscape
    conditions: FireConditions
    streams: WeatherStreams
    value_by_class: NDArray[np.float32]
    by_flame: bool
    median_duration_min: float
    seed: int
    key: str

    @property
    def scenarios(self) -> WeatherScenarios:
        """Weather of every row; weights sum to 1."""
        return rows_of(self.streams)

    def fires(self, fire_set: str, count: int) -> Fires:
        """The first `count` fires of the set `fire_set`, those of `Scene.fires`."""
        return draw_fires(self.conditions.regime, self.landscape.burnable, self.streams.weight,
                          count, self.median_duration_min, seed=self.seed, fire_set=fire_set,
                          landscape=self.key, ignition_weight=self.landscape.ignition_weight)


def make_wide_scene(landscape: Landscape, conditions: FireConditions, seed: int,
                    weather: WeatherScenarios | WeatherStreams | None = None,
                    layers: list[ValueLayer] | None = None) -> WideScene:
    """The wide scene of a landscape; arguments and errors as of `scene.make_scene`."""
    key = landscape.fire_checksum()
    streams = streams_for(conditions, seed, key, weather)
    check_burns(landscape, streams.steps, conditions)
    by_flame = layers is not None or conditions.by_flame or conditions.meets_crews
    bare = WideScene(
        landscape=landscape, conditions=conditions, streams=streams,
        value_by_class=value_by_class_of(landscape, conditions, layers), by_flame=by_flame,
        median_duration_min=conditions.regime.duration_min or 0.0, seed=seed, key=key)
    if bare.median_duration_min:
        return bare

    alone = replace(bare, conditions=conditions.without_crews())

    def burn(fires: Fires) -> list[NDArray[np.float32]]:
        return _times(alone, fires)

    rate = mean_rate(landscape, streams.steps, conditions)
    median = median_on(conditions.regime, landscape, streams.weight, seed, key, rate, burn)
    return WideScene(
        landscape=landscape, conditions=conditions, streams=streams,
        value_by_class=bare.value_by_class,
        by_flame=by_flame, median_duration_min=median, seed=seed, key=key)


def burn_wide_statistics(scene: WideScene, fires: Fires, breaks: NDArray[np.bool_] | None = None,
                    report: Callable[[int], object] = lambda count: None) -> BurnStatistics:
    """`engine.burn_statistics` on a wide scene. report: is given the
    number of fires that have burned since it was last called.
    """
    added = sum_wide(scene, fires, breaks, report)
    return statistics_of(added.sums, added.loss, added.value, scene.landscape.shape)


class Summed(NamedTuple):
    """F fires in sums. loss: f64 [F]; value: f32 [C, P] as burned; tiles: those that the fires of
    the last stream came near are ready.
    """

    sums: Sums
    loss: NDArray[np.float64]
    value: NDArray[np.float32]
    tiles: Tiles


def sum_wide(scene: WideScene, fires: Fires, breaks: NDArray[np.bool_] | None = None,
             report: Callable[[int], object] = lambda count: None,
             units: tuple[float, float] | None = None) -> Summed:
    """Burns fires, one at least, and adds them up.

    units: `per_value` and `per_minute` of the sums, where they are to be added to others'.
    """
    loss = np.zeros(fires.source.size)
    made: Summed | None = None

    def burn(job: Job, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        nonlocal made
        sums = new_sums(job, fires) if made is None else made.sums
        if units is not None:
            sums = sums._replace(per_value=units[0], per_minute=units[1])
        made = Summed(sums, loss, job.overlays.value[0], tiles)
        added = add_fires(job, some, sums, tiles)
        loss[which] = added.loss
        report(int((added.state != MISSED).sum()))
        return added.state

    _burn_all(scene, fires, scene.value_by_class, [(breaks, burn)])
    assert made is not None
    return made


def burn_wide_losses(scene: WideScene, fires: Fires, plans: Sequence[NDArray[np.int64]],
                     report: Callable[[int], object] = lambda count: None) -> NDArray[np.float64]:
    """What fires lose under each of some sets of breaks, flat cells: f64 [plans, F], the bits of
    `burn_wide_statistics`, for far less where breaks do not burn: the travel times are made once.
    report: is given the number of fires that have burned, under any plan, since it was last called.
    """
    loss = np.zeros((len(plans), fires.source.size))

    def under(own: NDArray[np.float64]) -> Burn:
        def burn(job: Job, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
            added = add_fires(job, some, no_sums(), tiles)
            own[which] = added.loss
            report(int((added.state != MISSED).sum()))
            return added.state
        return burn

    _burn_all(scene, fires, scene.value_by_class,
              [(cells, under(own)) for cells, own in zip(plans, loss, strict=True)])
    return loss


def nothing_summed(scene: WideScene, fires: Fires,
                   breaks: NDArray[np.bool_] | None = None) -> Summed:
    """Sums over none of the fires, of one thread, with room for all of them."""
    job = _job_of(scene, 0, np.zeros(scene.landscape.shape, np.bool_) if breaks is None else breaks,
                  scene.value_by_class, None)[0]
    return Summed(new_sums(job, fires, 1), np.zeros(fires.source.size), job.overlays.value[0],
                  empty_tiles(scene.landscape.shape, 1))


def burn_wide_tracks(scene: WideScene, fires: Fires,
                     take: Callable[[int, NDArray[np.int64], NDArray[np.float32]], object],
                     ) -> None:
    """Hands on what each fire burned: its number, flat cells and their arrival times, in minutes.

    Nothing is held of a fire once the next few burn.
    """
    width = scene.landscape.shape[1]

    def burn(job: Job, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        made = times_of(job, some, tiles, cells=True)
        for k in np.flatnonzero(made.state != MISSED).tolist():
            row, col = np.divmod(made.cells[k].astype(np.int64), padded_width(width))
            take(int(which[k]), (row - REACH) * width + col - REACH, made.times[k])
        return made.state

    _burn_all(scene, fires, np.ones(scene.landscape.shape, np.float32), [(None, burn)])


def burn_wide_arrival(scene: WideScene, fire: Fires,
                 breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Arrival times [H, W] of one fire, minutes, inf = unburned."""
    arrival = np.empty(0)

    def burn(job: Job, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        nonlocal arrival
        made = times_of(job, some, tiles, cells=True)
        arrival = np.full(job.cells, np.inf)
        arrival[made.cells[0]] = made.times[0]
        return made.state

    _burn_all(scene, fire, np.ones(scene.landscape.shape, np.float32), [(breaks, burn)])
    return unpad(arrival, scene.landscape.shape)


def scene_in(scene: WideScene, window: Window, stream: int | None = None) -> Scene:
    """A window of a wide scene as a scene: its weather, or one stream of it, its breaks and values.

    Fires that stay RIM cells away from what the window cuts have the bits of the wide scene's.
    """
    land = window.of(scene.landscape)
    streams = scene.streams if stream is None else _one_stream(scene.streams, stream)
    behavior = fire_behavior(land, streams.steps, scene.conditions.model)
    field = travel_under(land, behavior, streams, scene.conditions, scene.by_flame)
    rules = break_rules(land, behavior, streams, scene.conditions, field)
    field = field._replace(breaks=with_crews(rules, land, scene.conditions))
    return Scene(
        landscape=land, conditions=scene.conditions, scenarios=rows_of(streams),
        stream_weight=streams.weight, behavior=behavior, field=field,
        value_by_class=np.ascontiguousarray(scene.value_by_class[:, *window.slices]),
        median_duration_min=scene.median_duration_min, seed=scene.seed, key=scene.key)


def mean_behavior(scene: WideScene, breaks: NDArray[np.bool_] | None,
                  mean: Callable[[FireBehavior], dict[str, NDArray]]) -> dict[str, NDArray]:
    """Maps f64 [H, W] made of the fire behaviour of all rows of weather, band by band.

    mean: makes maps [h, W] by name of the behaviour [R, h, W] of a band.
    """
    land, rows = scene.landscape, scene.streams.steps
    maps: dict[str, NDArray] = {}
    for window in bands(land.shape, rows.weight.size):
        part = behavior_under(window.of(land), rows, scene.conditions,
                              None if breaks is None else breaks[window.slices])
        for name, band in mean(part).items():
            maps.setdefault(name, np.empty(land.shape))[window.slices] = band
    return maps


def _times(scene: WideScene, fires: Fires) -> list[NDArray[np.float32]]:
    """Arrival times of the cells that each fire burned; see `engine.burn_times`."""
    times: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * fires.source.size

    def burn(job: Job, some: Fires, which: NDArray[np.intp], tiles: Tiles) -> State:
        made = times_of(job, some, tiles)
        for fire, own in zip(which.tolist(), made.times, strict=True):
            times[fire] = own
        return made.state

    _burn_all(scene, fires, np.ones(scene.landscape.shape, np.float32), [(None, burn)])
    return times


def _burn_all(scene: WideScene, fires: Fires, value: NDArray[np.float32],
              plans: Sequence[tuple[NDArray | None, Burn]]) -> None:
    """Burns all fires under each of some sets of breaks, grids or flat cells or None for none, one
    stream of weather after the other, each until its tiles are ready.
    """
    land, before = scene.landscape, None
    for stream in np.unique(fires.scenario).tolist():
        own = np.flatnonzero(fires.scenario == stream)
        made: tuple[Job, MakeField, Tiles] | None = None
        for given, burn in plans:
            breaks = _grid_of(given, land.shape)
            if made is None or scene.conditions.treatment.kind == "shaded":
                # Breaks that burn have travel times of their own.
                before, make = _job_of(scene, stream, breaks, value, before)
                made = before, make, empty_tiles(land.shape, max_threads())
            job, make, tiles = made
            job = job._replace(overlays=overlays_of(job.field, value, breaks))
            for first in range(0, own.size, AT_ONCE):
                _burn_some(job, own[first:first + AT_ONCE], fires, tiles, make, burn)


def _grid_of(breaks: NDArray | None, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Breaks, a grid or flat cells or None for none, as a grid."""
    if breaks is not None and breaks.dtype == np.bool_:
        return breaks
    grid = np.zeros(shape, np.bool_)
    if breaks is not None:
        grid.ravel()[breaks] = True
    return grid


def _job_of(scene: WideScene, stream: int, breaks: NDArray[np.bool_], value: NDArray[np.float32],
            before: Job | None) -> tuple[Job, MakeField]:
    """The job on one stream of weather, in which no tile is ready, and what makes its tiles.
    before: the job on another stream, whose memory is used again.
    """
    land, make = scene.landscape, _window_maker(scene, stream, breaks)
    field = empty_field(make(Window(0, 0, 1, 1)), land.burnable)
    field = field._replace(breaks=with_crews(field.breaks, land, scene.conditions))
    if before is None:
        return job_of(field, overlays_of(field, value, breaks)), make
    return before._replace(field=field, arcs=arcs_of(field), spots=field.spots,
                           rules=rules_of(field)), make


def _burn_some(job: Job, which: NDArray[np.intp], fires: Fires, tiles: Tiles, make: MakeField,
               burn: Burn) -> None:
    """Burns fires of one stream, again and again while they come near tiles that are not ready."""
    request_tiles(tiles, fires.source[which], job.field.shape[1])
    grow = 1
    while which.size:
        make_requested(job.field, tiles, grow, make)
        some = fires.part(which)
        some = some._replace(scenario=np.zeros_like(some.scenario))
        which = which[burn(job, some, which, tiles) == MISSED]
        # Fires that are larger than expected: the last try should cost more than all before it.
        grow = min(2 * grow, MAX_GROWTH)


def _window_maker(scene: WideScene, stream: int, breaks: NDArray[np.bool_]) -> MakeField:
    """What makes the travel field of a window in one stream of weather."""
    own = _one_stream(scene.streams, stream)

    def make(window: Window) -> TravelField:
        land = window.of(scene.landscape)
        behavior = fire_behavior(land, own.steps, scene.conditions.model)
        field = travel_under(land, behavior, own, scene.conditions, scene.by_flame)
        rules = break_rules(land, behavior, own, scene.conditions, field)
        return shaded(field._replace(breaks=rules), breaks[window.slices])

    return make


def _one_stream(streams: WeatherStreams, stream: int) -> WeatherStreams:
    """One stream of weather alone."""
    count = streams.steps_per_stream
    rows = slice(stream * count, (stream + 1) * count)
    steps = WeatherScenarios(*(values[rows] for values in streams.steps))
    return WeatherStreams(steps, count, streams.step_min, np.ones(1))
