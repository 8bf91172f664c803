"""A landscape in its weather: travel times, and durations at which fires burn a stated share.

Everything that burns fires on a landscape starts from a scene: the environment, the planners, the
evaluation, `firebreak simulate`.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior import SurfaceSpread, surface_spread
from firebreak.fire.engine import burn_arrival
from firebreak.fire.fires import FireRegime, Fires, draw_fires, median_for_share
from firebreak.fire.travel import SpreadMode, TravelField, ellipse_of, field_from_ellipse
from firebreak.fire.weather import WeatherScenarios, WindClimate, draw_scenarios
from firebreak.landscape.landscape import Landscape
from firebreak.seeding import generator

CALIBRATION_FIRES = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class FireConditions:
    """What is assumed of fires on any landscape.

    Attributes:
        climate: wind and moisture to draw scenarios from.
        regime: ignitions and durations.
        scenarios: number of weather scenarios per landscape.
        spread: "front" (the elliptical front) or "graph" (eight neighbours, fast and too slow
            a fire under wind).
    """

    climate: WindClimate = field(default_factory=WindClimate)
    regime: FireRegime = field(default_factory=FireRegime)
    scenarios: int = 8
    spread: SpreadMode = "front"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One landscape, its weather scenarios and its travel field.

    Attributes:
        behavior: rate of spread, heading, intensity per scenario and cell.
        median_duration_min: calibrated so that untreated fires burn the regime's share.
        key: names the landscape in random streams.
    """

    landscape: Landscape
    conditions: FireConditions
    scenarios: WeatherScenarios
    behavior: SurfaceSpread
    field: TravelField
    median_duration_min: float
    seed: int
    key: str

    def fires(self, fire_set: str, count: int) -> Fires:
        """The first `count` fires of the set `fire_set`, the same at every call."""
        return draw_fires(self.conditions.regime, self.landscape.burnable, self.scenarios.weight,
                          count, self.median_duration_min, seed=self.seed, fire_set=fire_set,
                          landscape=self.key)


def make_scene(landscape: Landscape, conditions: FireConditions, seed: int,
               scenarios: WeatherScenarios | None = None) -> Scene:
    """The scene of a landscape; weather is drawn from the climate unless `scenarios` are given.

    Raises:
        InputError: the landscape has no burnable cell.
    """
    key = landscape.checksum()
    if scenarios is None:
        scenarios = draw_scenarios(conditions.climate, generator(seed, "weather", key),
                                   conditions.scenarios)
    behavior = surface_spread(landscape, scenarios)
    travel = field_from_ellipse(ellipse_of(behavior), landscape.burnable, landscape.cell_size_m,
                                conditions.spread)
    median = _calibrated_median(conditions.regime, travel, landscape.burnable, scenarios.weight,
                                seed, key)
    return Scene(landscape=landscape, conditions=conditions, scenarios=scenarios,
                 behavior=behavior, field=travel, median_duration_min=median, seed=seed, key=key)


def _calibrated_median(regime: FireRegime, travel: TravelField, burnable: NDArray[np.bool_],
                       weight: NDArray[np.float64], seed: int, key: str) -> float:
    unit = draw_fires(regime, burnable, weight, CALIBRATION_FIRES, 1.0, seed=seed,
                      fire_set="calibration", landscape=key)
    endless = unit._replace(duration_min=np.full(CALIBRATION_FIRES, np.inf))
    arrival = burn_arrival(travel, endless)
    return median_for_share(arrival, unit.duration_min, int(burnable.sum()), regime.burned_share)
