"""How long flames are after treatments, in the weather that treatments are planned for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.conditions import FireConditions
from firebreak.fire.scene import rows_of, streams_for
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import Treatment, treated_landscape
from firebreak.weather.scenarios import WeatherScenarios

WINDIEST = 0.9
"""Share of the weather that has less wind than the weather that flames are told for."""


def flames_after(landscape: Landscape, treatments: Sequence[Treatment], conditions: FireConditions,
                 seed: int) -> NDArray[np.float64]:
    """Flame lengths of the head in every cell after each treatment, m, [K, H, W]; in the weather of
    the conditions, or one drawn from their climate, than which a tenth has more wind.
    """
    weather = windy_row(rows_of(streams_for(conditions, seed, landscape.fire_checksum(), None)))
    whole = replace(landscape, treatable=landscape.burnable)
    return np.stack([fire_behavior(treated_landscape(whole, one), weather,
                                   conditions.model).flame_length_m[0] for one in treatments])


def windy_row(rows: WeatherScenarios) -> WeatherScenarios:
    """The one of the rows at which the calmer ones have the weight `WINDIEST`, by itself."""
    order = np.argsort(rows.wind_20ft_m_min, kind="stable")
    reached = np.cumsum(rows.weight[order])
    place = order[min(int(np.searchsorted(reached, WINDIEST * reached[-1])), order.size - 1)]
    one = WeatherScenarios(*(np.array([column[place]]) for column in rows))
    return one._replace(weight=np.ones(1))
