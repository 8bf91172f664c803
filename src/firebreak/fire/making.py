"""Scenes, and the median duration at which their fires burn the share that was asked for.

A cell burns if its arrival time over the fire's unit duration is at most the median, so the wanted
median is a quantile of these ratios over all fires and burnable cells. Stopping a fire early
changes nothing before, so fires burn only a little longer than the quantile: the first guess
decides what that costs and no bit of the result.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior_models import behavior_on_demand, fire_behavior
from firebreak.fire.conditions import FireConditions
from firebreak.fire.effects.losses import ValueLayer
from firebreak.fire.engine import burned_times
from firebreak.fire.fires import Fires, spread_out_fires
from firebreak.fire.scene import Scene, streams_for, value_by_class_of
from firebreak.fire.spread import (
    bare_travel,
    check_burns,
    has_intensity,
    mean_rate,
    too_wet,
    travel_under,
    with_breaks,
    without_intensity,
)
from firebreak.landscape.landscape import Landscape
from firebreak.weather.scenarios import WeatherScenarios
from firebreak.weather.streams import WeatherStreams

Times = Sequence[NDArray[np.float32]]  # of the cells that each fire burned

_LEAST_GROWTH, _MAX_GROWTH, _MARGIN = 1.3, 8.0, 1.2  # of the duration from one try to the next
_POWERS = 0.5, 2.0  # of the duration in burned cells: along a strip of fuel and less, everywhere
_ENCLOSED = 0.7  # power below which fires seem to have burned most of what they can reach
_TRIES = 16
_DETOUR_FACTOR = 1.6
_ROUNDING = 1.0 - 1e-9


def first_guess(burned_share: float, burnable_cells: int, cell_size_m: float,
                mean_rate_m_min: float) -> float:
    """Minutes in which a fire of length/width 2 burns the share at a mean rate of spread, and more
    for the slow fuels that fire has to go round.
    """
    if not mean_rate_m_min > 0.0:
        return 1.0
    cells = np.sqrt(2.0 * burned_share * burnable_cells)
    return float(_DETOUR_FACTOR * cells * cell_size_m / mean_rate_m_min)


def calibrated_median(unit: Fires, burnable_cells: int, burned_share: float, guess: float,
                      burn: Callable[[Fires], Times]) -> float:
    """The median duration at which fires like `unit`, whose median is 1, burn the wanted share.

    burn: the arrival times of the cells that fires burn within their durations.
    """
    count = unit.source.size
    # At least one step beyond the ignition cells, and never beyond what fire can reach.
    wanted = max(round(burned_share * burnable_cells * count), count + 1)
    median, before, growth = guess, 0, 1.0
    for _ in range(_TRIES):
        ratios = _ratios(burn(unit._replace(duration_min=unit.duration_min * median)), unit)
        known = int(np.count_nonzero(ratios <= median * _ROUNDING))
        if known >= wanted:
            return _quantile(ratios, wanted)
        power = math.log(known / before, growth) if before > count else _POWERS[1]
        if power < _ENCLOSED and wanted > known * _MAX_GROWTH**power:
            break
        missing = wanted / max(known, count)
        growth = _MARGIN * missing ** (1.0 / min(max(power, _POWERS[0]), _POWERS[1]))
        growth = min(max(growth, _LEAST_GROWTH), _MAX_GROWTH)
        median, before = median * growth, known
    endless = unit._replace(duration_min=np.full(count, np.inf))
    return _quantile(_ratios(burn(endless), unit), wanted)


def _ratios(times: Times, unit: Fires) -> NDArray[np.float64]:
    ratios = np.empty(sum(part.size for part in times))
    end = 0
    for part, duration in zip(times, unit.duration_min, strict=True):
        np.divide(part, duration, out=ratios[end:end + part.size])
        end += part.size
    return ratios


def _quantile(ratios: NDArray[np.float64], wanted: int) -> float:
    place = min(wanted, ratios.size) - 1
    ratios.partition(place)
    return float(ratios[place]) if ratios[place] > 0.0 else 1.0


CALIBRATION_FIRES = 96


def make_scene(landscape: Landscape, conditions: FireConditions, seed: int,
               weather: WeatherScenarios | WeatherStreams | None = None,
               layers: list[ValueLayer] | None = None, *, tiled: bool = False) -> Scene:
    """The scene of a landscape.

    Args:
        weather: of this landscape; the conditions' if None.
        layers: what is lost; if None, the landscape's layers, or its value with the conditions'
            response.
        tiled: hold no travel field: for maps of any size, whose fires burn and are not kept.

    Raises:
        InputError: the landscape has no burnable cell, nothing burns in any weather, or crews meet
            fires without intensity.
    """
    key = landscape.fire_checksum()
    streams = streams_for(conditions, seed, key, weather)
    scene = Scene(
        landscape=landscape, conditions=conditions, streams=streams,
        value_by_class=value_by_class_of(landscape, conditions, layers),
        intensities=layers is not None or conditions.by_flame or conditions.meets_crews,
        median_duration_min=conditions.regime.median_min or 0.0, seed=seed, key=key,
        behavior=behavior_on_demand(landscape, streams.steps, conditions.model), travel=None)
    return _tiled(scene) if tiled else with_travel(scene)


def _tiled(scene: Scene) -> Scene:
    land, steps = scene.landscape, scene.streams.steps
    check_burns(land, steps, scene.conditions)
    if scene.median_duration_min:
        return scene
    alone = replace(scene, conditions=scene.conditions.without_crews())
    return replace(scene, median_duration_min=_median(
        alone, mean_rate(land, steps, scene.conditions)))


def with_travel(scene: Scene) -> Scene:
    """A tiled scene with its travel field, and with its median duration where it has none.

    Raises:
        InputError: as of `make_scene`.
    """
    land, conditions, streams = scene.landscape, scene.conditions, scene.streams
    # Embers, bare ground and what breaks do ask for more of the fire behaviour than its rates.
    if (scene.intensities or land.bare_m is not None or conditions.spotting is not None
            or conditions.breach != "never" or conditions.treatment.kind == "shaded"):
        behavior = fire_behavior(land, streams.steps, conditions.model)
        travel = travel_under(land, behavior, streams, conditions, scene.intensities)
    else:
        behavior = scene.behavior
        travel = bare_travel(land, streams, conditions)
    if land.burnable.any() and not travel.rate.any():
        raise too_wet(land)
    if conditions.meets_crews and not has_intensity(behavior):
        raise without_intensity(land)
    made = replace(scene, behavior=behavior,
                   travel=with_breaks(travel, land, behavior, streams, conditions))
    if made.median_duration_min:
        return made
    cells = len(travel.rate) * int(land.burnable.sum())
    rate = float(travel.rate.sum(dtype=np.float64)) / max(cells, 1)  # none burns: refused below
    return replace(made, median_duration_min=_median(replace(scene, travel=travel), rate))


def _median(scene: Scene, mean_rate_m_min: float) -> float:
    """The median duration of a scene whose fires meet nobody; see `calibration`. `mean_rate_m_min`
    starts the search and changes no bit.
    """
    land, regime = scene.landscape, scene.conditions.regime
    unit = spread_out_fires(regime, land.burnable, scene.streams.weight, CALIBRATION_FIRES,
                            seed=scene.seed, landscape=scene.key,
                            ignition_weight=land.ignition_weight)
    cells = int(land.burnable.sum())
    guess = first_guess(regime.burned_share, cells, land.cell_size_m, mean_rate_m_min)
    return calibrated_median(unit, cells, regime.burned_share, guess,
                             partial(burned_times, scene))
