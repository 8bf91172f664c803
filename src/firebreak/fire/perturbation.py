"""A scene as it might be if the fire model or the weather were wrong: other rates of spread, winds,
moistures and breaches, for the same ignitions, weather by number, durations and values.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from firebreak.fire.effects.losses import ValueLayer
from firebreak.fire.scene import Scene, make_scene
from firebreak.weather.fwi import ffmc_of_moisture, fine_fuel_moisture
from firebreak.weather.scenarios import DEAD_MOISTURES, WeatherScenarios
from firebreak.weather.streams import WeatherStreams

_MOST_MOISTURE = 1.0


class Perturbation(NamedTuple):
    """rate_factors: of the rate of spread by fuel code, see `BehaviorModel`. wind_turn_deg: added
    to every direction. dead_moisture, breach: factors.
    """

    rate_factors: tuple[tuple[int, float], ...] = ()
    wind_turn_deg: float = 0.0
    dead_moisture: float = 1.0
    breach: float = 1.0


def perturbed(scene: Scene, change: Perturbation) -> Scene:
    """The scene with this change. Its fires of a set have the ignitions, streams of weather,
    durations and keys of the scene's own.

    Raises:
        InputError: nothing burns in any weather.
    """
    conditions = scene.conditions
    streams = WeatherStreams(_weather(scene.scenarios, change), scene.field.steps,
                             scene.field.step_min, scene.stream_weight)
    # What burns where was calibrated for the scene as it is: the durations are not set anew.
    regime = replace(conditions.regime, duration_min=scene.median_duration_min)
    model = replace(conditions.model, rate_factors=change.rate_factors)
    by_flame = scene.value_by_class.shape[0] > 1
    layers = [ValueLayer(name="value", value=scene.landscape.value)] if by_flame else None
    made = make_scene(scene.landscape, replace(conditions, regime=regime, model=model), scene.seed,
                      streams, layers)
    rules = made.field.breaks
    breach = np.minimum(rules.breach * np.float32(change.breach), np.float32(1.0))
    return replace(made, value_by_class=scene.value_by_class,
                   field=made.field._replace(breaks=rules._replace(breach=breach)))


def _weather(rows: WeatherScenarios, change: Perturbation) -> WeatherScenarios:
    dead = {name: np.minimum(getattr(rows, name) * change.dead_moisture, _MOST_MOISTURE)
            for name in DEAD_MOISTURES}
    # The Canadian code is the moisture of fine dead fuel on another scale.
    fine = fine_fuel_moisture(rows.fine_fuel_moisture_code) * change.dead_moisture
    code = (rows.fine_fuel_moisture_code if change.dead_moisture == 1.0
            else np.clip(ffmc_of_moisture(fine), 0.0, 101.0))
    return rows._replace(wind_from_deg=(rows.wind_from_deg + change.wind_turn_deg) % 360.0,
                         fine_fuel_moisture_code=code, **dead)
