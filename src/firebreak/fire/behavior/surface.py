"""Surface fire behaviour of every cell of a landscape, or of a table of cases.

What depends on fuel and moisture alone is worked out once per fuel model and scenario; wind and
slope are then added cell by cell, as vectors (Rothermel 1983, INT-143; Finney 1998, RMRS-RP-4).
Unless a limit is named, the wind's effect has none (Andrews, Cruz & Rothermel 2013).
Rates of spread are measured along the slope's surface, as in the papers, not on the map. Units
are turned into those of the papers on entry and back into metres, minutes and kilowatts on exit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.fire.behavior.rothermel import (
    FuelBed,
    FuelParticles,
    byram_intensity,
    effective_wind_speed,
    flame_length,
    fuel_bed,
    fuel_particles,
    wind_factor,
)
from firebreak.fire.behavior.wind import (
    EllipseForm,
    WindLimit,
    greatest_wind,
    length_to_width,
    wind_adjustment_factor,
)
from firebreak.landscape.fuels import FUEL_MODELS, UNBURNABLE
from firebreak.landscape.landscape import Landscape
from firebreak.units import (
    FEET_PER_METRE,
    KW_M_PER_BTU_FT_S,
    M_MIN_PER_FT_MIN,
    METRES_PER_FOOT,
)
from firebreak.weather.scenarios import WeatherScenarios, check_weather_ranges

Floats = NDArray[np.float64]

_CASES = "fire behaviour cases"
_TERRAIN_AND_WIND = ("midflame_wind_m_min", "wind_from_deg", "slope_tan", "aspect_deg")


class SurfaceSpread(NamedTuple):
    """Behaviour of the head of a surface fire; float64 arrays [S, H, W], or [N] for a table.

    Attributes:
        rate_of_spread_m_min: along the slope's surface, m/min; 0 where nothing burns.
        heading_deg: where the head runs TO, clockwise from north, [0, 360); 0 where nothing burns
            or neither wind nor slope gives a direction.
        length_to_width: of the fire's ellipse, 1 to 8; 1 where nothing burns.
        fireline_intensity_kw_m: Byram's, at the head, kW/m.
        flame_length_m: at the head, m.
    """

    rate_of_spread_m_min: Floats
    heading_deg: Floats
    length_to_width: Floats
    fireline_intensity_kw_m: Floats
    flame_length_m: Floats


def surface_spread(landscape: Landscape, scenarios: WeatherScenarios) -> SurfaceSpread:
    """Surface fire behaviour of each cell under each scenario, arrays [S, H, W].

    The wind at midflame height follows from the fuel bed's depth and, where there is one, from
    the canopy. Cells that do not burn have rate, heading, intensity and flame 0 and ratio 1.
    """
    cells = np.flatnonzero(landscape.burnable)
    beds, index = beds_of_cells(landscape, scenarios, cells)
    adjustment = wind_adjustment(landscape, cells, beds.depth_ft[0, index])
    spread = spread_of_beds(
        FuelBed(*(np.take(part, index, axis=1) for part in beds)),
        midflame_wind_m_min=scenarios.wind_20ft_m_min[:, None] * adjustment,
        wind_from_deg=scenarios.wind_from_deg[:, None],
        slope_tan=landscape.slope_tan.ravel()[cells].astype(np.float64),
        aspect_deg=landscape.aspect_deg.ravel()[cells].astype(np.float64),
    )
    return _scatter(spread, cells, (len(scenarios.wind_from_deg), *landscape.shape))


def point_behavior(fuel_code: ArrayLike, *, dead_moisture_1h: ArrayLike,
                   dead_moisture_10h: ArrayLike, dead_moisture_100h: ArrayLike,
                   live_moisture_herb: ArrayLike, live_moisture_woody: ArrayLike,
                   midflame_wind_m_min: ArrayLike, wind_from_deg: ArrayLike,
                   slope_tan: ArrayLike, aspect_deg: ArrayLike, wind_limit: WindLimit = "none",
                   ellipse: EllipseForm = "behave") -> SurfaceSpread:
    """Surface fire behaviour of N cases; numbers or [N] arrays, broadcast; arrays [N] out.

    Args:
        fuel_code: fuel model, Anderson 1-13, Scott & Burgan 101-204, or unburnable 91-99.
        dead_moisture_1h: fraction; so are the other moistures.
        dead_moisture_10h: fraction.
        dead_moisture_100h: fraction.
        live_moisture_herb: fraction.
        live_moisture_woody: fraction.
        midflame_wind_m_min: wind at midflame height, m/min.
        wind_from_deg: where the wind blows from, clockwise from north.
        slope_tan: rise over run.
        aspect_deg: direction the slope faces, clockwise from north.
        wind_limit: see `wind.greatest_wind`.
        ellipse: see `wind.length_to_width`.

    Raises:
        InputError: if a fuel code is unknown, or a number is not finite or out of range.
    """
    codes = np.asarray(fuel_code)
    given = {"dead_moisture_1h": dead_moisture_1h, "dead_moisture_10h": dead_moisture_10h,
             "dead_moisture_100h": dead_moisture_100h, "live_moisture_herb": live_moisture_herb,
             "live_moisture_woody": live_moisture_woody,
             "midflame_wind_m_min": midflame_wind_m_min, "wind_from_deg": wind_from_deg,
             "slope_tan": slope_tan, "aspect_deg": aspect_deg}
    arrays = [np.asarray(values, dtype=np.float64) for values in given.values()]
    codes, *shaped = np.atleast_1d(*np.broadcast_arrays(codes, *arrays))
    columns = dict(zip(given, shaped, strict=True))
    _check_cases(codes, columns)
    cases = np.flatnonzero(np.isin(codes, list(FUEL_MODELS)))
    moistures = {name: values[cases] for name, values in columns.items()}
    terrain_and_wind = {name: moistures.pop(name) for name in _TERRAIN_AND_WIND}
    present, index = np.unique(codes[cases], return_inverse=True)
    fuels = fuel_particles([FUEL_MODELS[int(code)] for code in present]).take(index)
    spread = spread_of_beds(fuel_bed(fuels, **moistures), **terrain_and_wind,
                            wind_limit=wind_limit, ellipse=ellipse)
    return _scatter(spread, cases, codes.shape)


def _check_cases(codes: np.ndarray, columns: dict[str, Floats]) -> None:
    unknown = np.unique(codes[~np.isin(codes, [*FUEL_MODELS, *UNBURNABLE])])
    if unknown.size:
        raise fail(expected="fuel models 1-13 (Anderson), 101-204 (Scott & Burgan) or 91-99",
                   given=f"unknown codes {', '.join(map(str, unknown[:8].tolist()))}",
                   where=_CASES, remedy="map these cases to known fuel models")
    check_weather_ranges(columns, where=_CASES)
    slope, aspect = columns["slope_tan"], columns["aspect_deg"]
    if not (np.isfinite(slope).all() and (slope >= 0).all() and np.isfinite(aspect).all()):
        raise fail(expected="slope_tan of 0 or more and finite aspect_deg",
                   given="a case outside this range", where=_CASES,
                   remedy="write a downhill slope as an uphill one, its aspect turned by 180 "
                          "degrees")


def beds_of_cells(landscape: Landscape, scenarios: WeatherScenarios,
                  cells: NDArray[np.intp]) -> tuple[FuelBed, NDArray[np.intp]]:
    """Fuel beds [S, F] of the F models present, and the model's index of each cell [K]."""
    present, index = np.unique(landscape.fuel_model.ravel()[cells], return_inverse=True)
    fuels = fuel_particles([FUEL_MODELS[int(code)] for code in present])
    return beds_in(fuels, scenarios), index


def beds_in(fuels: FuelParticles, scenarios: WeatherScenarios) -> FuelBed:
    """The beds of F fuels at the moistures of every scenario, arrays [S, F]."""
    return fuel_bed(
        fuels,
        dead_moisture_1h=scenarios.dead_moisture_1h[:, None],
        dead_moisture_10h=scenarios.dead_moisture_10h[:, None],
        dead_moisture_100h=scenarios.dead_moisture_100h[:, None],
        live_moisture_herb=scenarios.live_moisture_herb[:, None],
        live_moisture_woody=scenarios.live_moisture_woody[:, None],
    )


def wind_adjustment(landscape: Landscape, cells: NDArray[np.intp], depth_ft: Floats) -> Floats:
    """Midflame wind over 20-ft wind per cell [K]; crowns reach from their base to the top."""
    height = landscape.canopy_height_m.ravel()[cells].astype(np.float64)
    base = landscape.canopy_base_height_m.ravel()[cells].astype(np.float64)
    cover = landscape.canopy_cover.ravel()[cells]
    crown_ratio = np.clip((height - base) / np.where(height > 0.0, height, 1.0), 0.0, 1.0)
    return wind_adjustment_factor(depth_ft * METRES_PER_FOOT, cover, height, crown_ratio)


def spread_of_beds(bed: FuelBed, *, midflame_wind_m_min: Floats, wind_from_deg: Floats,
                   slope_tan: Floats, aspect_deg: Floats, wind_limit: WindLimit = "none",
                   ellipse: EllipseForm = "behave") -> SurfaceSpread:
    """Wind and slope added to fuel beds; all arguments broadcast to the shape of the result."""
    by_wind = wind_factor(bed, midflame_wind_m_min * FEET_PER_METRE)
    by_slope = bed.slope_coefficient * slope_tan**2
    factor, heading = combined_factor(by_wind, wind_from_deg, by_slope, aspect_deg)
    if wind_limit != "none":
        limit = greatest_wind(bed.reaction_intensity_btu_ft2_min, wind_limit)
        factor = np.minimum(factor, wind_factor(bed, limit))
    rate_ft_min = bed.base_rate_ft_min * (1.0 + factor)
    intensity = byram_intensity(bed.heat_per_area_btu_ft2, rate_ft_min)
    effective_wind = effective_wind_speed(bed, factor) * M_MIN_PER_FT_MIN
    return SurfaceSpread(
        rate_of_spread_m_min=rate_ft_min * M_MIN_PER_FT_MIN,
        heading_deg=heading,
        length_to_width=length_to_width(effective_wind, ellipse),
        fireline_intensity_kw_m=intensity * KW_M_PER_BTU_FT_S,
        flame_length_m=flame_length(intensity) * METRES_PER_FOOT,
    )


def combined_factor(by_wind: Floats, wind_from_deg: Floats, by_slope: Floats,
                    aspect_deg: Floats) -> tuple[Floats, Floats]:
    """Length and direction of the sum of the wind factor downwind and the slope factor upslope.

    Returns:
        (factor, heading): the factor is dimensionless; the heading in degrees clockwise from
        north, [0, 360), 0 where the factor is 0.
    """
    wind_from, aspect = np.radians(wind_from_deg), np.radians(aspect_deg)
    # The wind pushes away from where it blows from, the slope away from where it faces.
    east = -(by_wind * np.sin(wind_from) + by_slope * np.sin(aspect))
    north = -(by_wind * np.cos(wind_from) + by_slope * np.cos(aspect))
    factor = np.sqrt(east * east + north * north)
    heading = np.degrees(np.arctan2(east, north))
    heading = np.where(heading < 0.0, heading + 360.0, heading)
    # A negative angle of rounding size becomes 360 exactly.
    return factor, np.where((factor > 0.0) & (heading < 360.0), heading, 0.0)


def _scatter(spread: SurfaceSpread, places: NDArray[np.intp],
             shape: tuple[int, ...]) -> SurfaceSpread:
    """Results [..., K] put at flat `places` of the last axes of `shape`, unburnable elsewhere."""
    lead = spread.rate_of_spread_m_min.shape[:-1]
    grids = []
    for name, values in spread._asdict().items():
        grid = np.full((*lead, int(np.prod(shape[len(lead):]))), float(name == "length_to_width"))
        grid[..., places] = values
        grids.append(grid.reshape(shape))
    return SurfaceSpread(*grids)
