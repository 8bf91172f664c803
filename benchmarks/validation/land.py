"""Landscapes and weather of cases that are given by fuel model, moisture in percent and mi/h."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from firebreak.landscape.landscape import Landscape
from firebreak.units import M_MIN_PER_MPH
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios


def land_of(fuel: ArrayLike, cell_m: float, *, fuel_system: str = "rothermel",
            **layers: ArrayLike) -> Landscape:
    """A map of fuel codes [H, W]; level and without trees, where layers do not say otherwise."""
    codes = np.asarray(fuel)
    given: dict[str, Any] = {
        "elevation_m": 0.0, "slope_tan": 0.0, "aspect_deg": 0.0, "canopy_cover": 0.0,
        "canopy_height_m": 0.0, "canopy_base_height_m": 0.0, "canopy_bulk_density_kg_m3": 0.0,
        "value": 1.0, "cost": 1.0, "treatable": True} | layers
    grids: dict[str, Any] = {name: np.array(np.broadcast_to(np.asarray(layer), codes.shape))
                             for name, layer in given.items()}
    return Landscape(name="a case", fuel_model=codes, cell_size_m=cell_m, fuel_system=fuel_system,
                     transform=(cell_m, 0.0, 0.0, 0.0, -cell_m, 0.0), **grids)


def weather_of(wind_20ft_mph: ArrayLike = 0.0, wind_from_deg: ArrayLike = 0.0, *,
               dead_pct: tuple[ArrayLike, float, float] = (6.0, 7.0, 8.0),
               live_pct: tuple[float, float] = (60.0, 90.0)) -> WeatherScenarios:
    """Scenarios; moistures of 1, 10 and 100 hours, of live herbs and live wood, percent."""
    return make_scenarios(
        wind_20ft_m_min=np.asarray(wind_20ft_mph) * M_MIN_PER_MPH, wind_from_deg=wind_from_deg,
        dead_moisture_1h=np.asarray(dead_pct[0]) / 100.0, dead_moisture_10h=dead_pct[1] / 100.0,
        dead_moisture_100h=dead_pct[2] / 100.0, live_moisture_herb=live_pct[0] / 100.0,
        live_moisture_woody=live_pct[1] / 100.0, foliar_moisture=1.0)
