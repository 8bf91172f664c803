"""Fire behaviour of every cell of a landscape of FBP fuel types, in every weather.

The equations are those of `fbp`; here codes become fuel types, fractions percent, and winds at
20 ft winds at 10 m. What a fuel type is on a day is worked out once per code and scenario; wind
and slope are then added cell by cell, a code's cells at a time.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior.types import (
    ACTIVE_CROWN_FIRE,
    NO_FIRE,
    PASSIVE_CROWN_FIRE,
    SURFACE_FIRE,
    FireBehavior,
)
from firebreak.fire.fbp.fuels import FUEL_TYPES, fuel_index
from firebreak.fire.fbp.system import FbpBehavior, equilibrium_behavior
from firebreak.landscape.fbp_codes import FBP_CODES
from firebreak.landscape.landscape import Landscape
from firebreak.units import M_MIN_PER_KM_H, WIND_10M_PER_20FT
from firebreak.weather.scenarios import WeatherScenarios

Floats = NDArray[np.float64]

GRASS_FUEL_LOAD_KG_M2 = 0.35
"""Of grass, as no map has it (the standard value of cffdrs)."""
PASSIVE_FROM, ACTIVE_FROM = 0.1, 0.9
"""Crown fraction burned from which crown fire is intermittent, and continuous (ST-X-3)."""
_CELLS_AT_ONCE = 65536


def fbp_fire_behavior(landscape: Landscape, scenarios: WeatherScenarios) -> FireBehavior:
    """FBP fire behaviour of each cell under each scenario, arrays [S, H, W]; 0 without spread.

    Rates are those at equilibrium. Back and flanks are given by their own equations, the back never
    faster than the head. Flame length is Byram's, which the FBP System itself does not have.
    """
    count = len(scenarios.wind_from_deg)
    whole = _nowhere(count, landscape.shape)
    weather = _weather_columns(scenarios)
    for code, cells in _cells_by_code(landscape, max(1, _CELLS_AT_ONCE // count)):
        found = _of_code(code, weather | _cell_columns(landscape, code, cells))
        for name in FireBehavior._fields:
            getattr(whole, name).reshape(count, -1)[:, cells] = getattr(found, name)
    return whole


def _nowhere(count: int, shape: tuple[int, int]) -> FireBehavior:
    """No fire anywhere, arrays [S, H, W] to write into."""
    reals = {name: np.zeros((count, *shape)) for name in FireBehavior._fields
             if name != "fire_type"}
    return FireBehavior(fire_type=np.full((count, *shape), NO_FIRE, np.uint8), **reals)


def _cells_by_code(landscape: Landscape,
                   at_once: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """(code, its cells), the cells at most `at_once` at a time."""
    burnable = np.flatnonzero(landscape.burnable)
    codes = landscape.fuel_model.ravel()[burnable]
    for code in np.unique(codes):
        cells = burnable[codes == code]
        for start in range(0, cells.size, at_once):
            yield int(code), cells[start:start + at_once]


def _weather_columns(scenarios: WeatherScenarios) -> dict[str, Floats]:
    """Weather in the names and units of `fbp_behavior`, arrays [S, 1]."""
    columns = {
        "ffmc": scenarios.fine_fuel_moisture_code,
        "bui": scenarios.buildup_index,
        "wind_10m_km_h": scenarios.wind_20ft_m_min / M_MIN_PER_KM_H * WIND_10M_PER_20FT,
        "wind_from_deg": scenarios.wind_from_deg,
        "foliar_moisture_pct": 100.0 * scenarios.foliar_moisture,
    }
    return {name: values[:, None] for name, values in columns.items()}


def _cell_columns(landscape: Landscape, code: int, cells: NDArray[np.intp]) -> dict[str, Floats]:
    """Columns that cells of one code add, in the names and units of `fbp_behavior`, arrays [G] or
    [1].
    """
    base, load = _crowns(landscape, FBP_CODES[code].fuel_type, cells)
    return {
        "slope_pct": 100.0 * _values(landscape.slope_tan, cells),
        "aspect_deg": _values(landscape.aspect_deg, cells),
        "curing_pct": 100.0 * _values(landscape.grass_curing, cells),
        "crown_base_height_m": base,
        "crown_fuel_load_kg_m2": load,
        "percent_conifer": np.array([FBP_CODES[code].percent_conifer]),
        "percent_dead_fir": np.array([FBP_CODES[code].percent_dead_fir]),
        "grass_fuel_load_kg_m2": np.array([GRASS_FUEL_LOAD_KG_M2]),
        "initial_spread_index": np.array([np.nan]),
    }


def _values(grid: NDArray[np.float32], cells: NDArray[np.intp]) -> Floats:
    return grid.ravel()[cells].astype(np.float64)


def _crowns(landscape: Landscape, fuel_type: str,
            cells: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(base height in m, fuel load in kg/m2) of the crowns; nan where the fuel type's own hold.

    The load is bulk density times the length of the crowns, where the map has all of it.
    """
    none = np.array([np.nan])
    if FUEL_TYPES[fuel_type].crown_fuel_load_kg_m2 == 0.0:
        return none, none
    base = _values(landscape.canopy_base_height_m, cells)
    length = _values(landscape.canopy_height_m, cells) - base
    density = _values(landscape.canopy_bulk_density_kg_m3, cells)
    mapped = (base > 0.0) & (length > 0.0) & (density > 0.0)
    return np.where(base > 0.0, base, np.nan), np.where(mapped, density * length, np.nan)


def _of_code(code: int, columns: dict[str, Floats]) -> FireBehavior:
    """Behaviour of cells of one code, arrays that broadcast to [S, G]."""
    fire = equilibrium_behavior(np.array([fuel_index(FBP_CODES[code].fuel_type)]), columns)
    head = fire.rate_of_spread_m_min
    return FireBehavior(
        rate_of_spread_m_min=head,
        # Without wind and slope the two are equal but for rounding.
        backing_rate_m_min=np.minimum(fire.back_rate_m_min, head),
        flanking_rate_m_min=fire.flank_rate_m_min,
        heading_deg=np.where(head > 0.0, fire.spread_direction_deg, 0.0),
        fireline_intensity_kw_m=fire.fireline_intensity_kw_m,
        flame_length_m=fire.flame_length_m,
        crown_fraction_burned=fire.crown_fraction_burned,
        fire_type=_fire_type(fire),
    )


def _fire_type(fire: FbpBehavior) -> NDArray[np.uint8]:
    fraction = fire.crown_fraction_burned
    crowned = np.where(fraction >= ACTIVE_FROM, ACTIVE_CROWN_FIRE,
                       np.where(fraction >= PASSIVE_FROM, PASSIVE_CROWN_FIRE, SURFACE_FIRE))
    return np.where(fire.rate_of_spread_m_min > 0.0, crowned, NO_FIRE).astype(np.uint8)
