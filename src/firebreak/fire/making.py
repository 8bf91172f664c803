"""Scenes, whose fires last so long that they burn the share that was asked for."""

from dataclasses import replace
from functools import partial

from firebreak.fire.behavior_models import behavior_on_demand, fire_behavior
from firebreak.fire.calibration import calibrated_median, first_guess
from firebreak.fire.conditions import FireConditions
from firebreak.fire.effects.losses import ValueLayer
from firebreak.fire.engine import burned_times
from firebreak.fire.fires import spread_out_fires
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
        median_duration_min=conditions.regime.duration_min or 0.0, seed=seed, key=key,
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
    if scene.intensities or conditions.reads_behavior:
        behavior = fire_behavior(land, streams.steps, conditions.model)
        rates = float(behavior.rate_of_spread_m_min.sum())
        travel = travel_under(land, behavior, streams, conditions, scene.intensities)
    else:
        behavior = scene.behavior
        travel, rates = bare_travel(land, streams, conditions)
    if land.burnable.any() and not rates > 0.0:
        raise too_wet(land)
    if conditions.meets_crews and not has_intensity(behavior):
        raise without_intensity(land)
    made = replace(scene, behavior=behavior,
                   travel=with_breaks(travel, land, behavior, streams, conditions))
    if made.median_duration_min:
        return made
    # No cell burns: that is refused below.
    cells = max(len(travel.rate) * int(land.burnable.sum()), 1)
    alone = replace(scene, travel=travel)
    return replace(made, median_duration_min=_median(alone, rates / cells))


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
