"""Small landscapes of FBP fuel types for tests, flat and without canopy layers unless given."""

import numpy as np

from firebreak.landscape.landscape import Landscape
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

DRY = {"dead_moisture_1h": 0.06, "dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08,
       "live_moisture_herb": 0.6, "live_moisture_woody": 0.9}


def fbp_map(codes, **layers) -> Landscape:
    """A landscape of FBP codes [H, W]; layers broadcast to it."""
    codes = np.atleast_2d(codes)
    given = {"elevation_m": 0.0, "slope_tan": 0.0, "aspect_deg": 0.0, "canopy_cover": 0.0,
             "canopy_height_m": 0.0, "canopy_base_height_m": 0.0,
             "canopy_bulk_density_kg_m3": 0.0, "grass_curing": 0.8, "value": 1.0, "cost": 1.0,
             "treatable": True} | layers
    grids = {name: np.broadcast_to(np.asarray(layer), codes.shape)
             for name, layer in given.items()}
    return Landscape(name="FBP map", fuel_model=codes, cell_size_m=100.0, fuel_system="fbp",
                     transform=(100.0, 0.0, 0.0, 0.0, -100.0, 0.0), **grids)


def fbp_weather(*, wind_10m_km_h, ffmc, bui=80.0, wind_from_deg=0.0,
                foliar_moisture_pct=100.0) -> WeatherScenarios:
    """Scenarios in the units of the FBP System."""
    # 1.15 km/h at 10 m are 1 km/h at 20 ft, and 60 m/min are 3.6 km/h.
    wind_20ft = np.asarray(wind_10m_km_h, dtype=np.float64) / 1.15 * 60.0 / 3.6
    return make_scenarios(
        wind_20ft_m_min=wind_20ft, wind_from_deg=wind_from_deg,
        foliar_moisture=np.asarray(foliar_moisture_pct, dtype=np.float64) / 100.0,
        fine_fuel_moisture_code=ffmc, buildup_index=bui, **DRY)
