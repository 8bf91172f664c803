"""Crown fire above the surface fire of a landscape, cell by cell.

Only cells whose surface fire reaches the crowns are looked at; its head decides that for the whole
cell, as in FlamMap and BEHAVE (docs/fire-model.md has the other readings). The crown fire by itself
("run") is that of Rothermel (1991, INT-438) on its cell's slope, as in FlamMap, or of Cruz et al.
(2005).
Where crowns quicken the fire, heading and ellipse are those of the run; else they stay those of the
surface fire.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior.crown import (
    CROWN_FUEL_MODEL,
    CROWN_OVER_SURFACE,
    CROWN_WIND_ADJUSTMENT,
    Linked,
    critical_intensity,
    critical_rate,
    crown_fire_intensity,
    crown_flame_length,
    cruz,
    cruz_active_rate,
    finney,
    scott_reinhardt,
)
from firebreak.fire.behavior.rothermel import (
    FuelBed,
    effective_wind_speed,
    fuel_particles,
    wind_factor,
)
from firebreak.fire.behavior.surface import (
    SurfaceSpread,
    beds_in,
    beds_of_cells,
    combined_factor,
    spread_of_beds,
    wind_adjustment,
)
from firebreak.fire.behavior.types import SURFACE_FIRE
from firebreak.fire.behavior.wind import crown_length_to_width
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.landscape.landscape import Landscape
from firebreak.settings.scene import CrownLink
from firebreak.units import FEET_PER_METRE, M_MIN_PER_FT_MIN, WIND_10M_PER_20FT
from firebreak.weather.scenarios import WeatherScenarios

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_CROWN_FUEL = fuel_particles([FUEL_MODELS[CROWN_FUEL_MODEL]])


class CrownFire(NamedTuple):
    """Surface fire and what crowns make of it; arrays [S, H, W].

    Attributes:
        spread: behaviour of the head, crowns included.
        crown_fraction_burned: fraction 0-1.
        fire_type: uint8, 0 none, 1 surface, 2 passive crown, 3 active crown fire.
    """

    spread: SurfaceSpread
    crown_fraction_burned: Floats
    fire_type: NDArray[np.uint8]


class CrownRun(NamedTuple):
    """The head of a crown fire by itself; arrays [N]. Rate m/min; heading as of surface fire."""

    rate_m_min: Floats
    heading_deg: Floats
    length_to_width: Floats


class Site(NamedTuple):
    """Wind and terrain of N places; arrays [N], units as in `Landscape` and `WeatherScenarios`."""

    wind_20ft_m_min: Floats
    wind_from_deg: Floats
    slope_tan: Floats
    aspect_deg: Floats


def has_crowns(landscape: Landscape) -> NDArray[np.bool_]:
    """True where there is canopy that fire can climb: all four layers above 0, the base below the
    top.

    Array [H, W].
    """
    base = landscape.canopy_base_height_m
    return ((landscape.canopy_cover > 0) & (landscape.canopy_bulk_density_kg_m3 > 0)
            & (base > 0) & (landscape.canopy_height_m > base))


def with_crown_fire(landscape: Landscape, scenarios: WeatherScenarios, surface: SurfaceSpread,
                    link: CrownLink | None) -> CrownFire:
    """The `surface` fire [S, H, W] with crown fire where its intensity lights the crowns.

    A `link` of None leaves all crowns unburned.
    """
    head = surface.rate_of_spread_m_min
    fire_type = np.where(head > 0.0, np.uint8(SURFACE_FIRE), np.uint8(0))
    fraction = np.zeros_like(head)
    scenario, cell = _crowning(landscape, scenarios, surface) if link else _nowhere()
    if not cell.size:
        return CrownFire(surface, fraction, fire_type)
    grids = SurfaceSpread(*(part.reshape(len(head), -1).copy() for part in surface))
    linked, changed = _of_places(landscape, scenarios, SurfaceSpread(
        *(part[scenario, cell] for part in grids)), scenario, cell, link or "finney")
    for grid, values in zip(grids, changed, strict=True):
        grid[scenario, cell] = values
    fraction.reshape(len(head), -1)[scenario, cell] = linked.crown_fraction_burned
    fire_type.reshape(len(head), -1)[scenario, cell] = linked.fire_type
    return CrownFire(SurfaceSpread(*(grid.reshape(head.shape) for grid in grids)), fraction,
                     fire_type)


def _nowhere() -> tuple[Places, Places]:
    return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)


def _crowning(landscape: Landscape, scenarios: WeatherScenarios,
              surface: SurfaceSpread) -> tuple[Places, Places]:
    """Scenario and flat cell of each place whose surface fire lights the crowns, [N] each."""
    cells = np.flatnonzero(has_crowns(landscape))
    if not cells.size:
        return _nowhere()
    intensity = surface.fireline_intensity_kw_m.reshape(len(scenarios.foliar_moisture), -1)
    critical = critical_intensity(landscape.canopy_base_height_m.ravel()[cells],
                                  scenarios.foliar_moisture[:, None])
    scenario, index = np.nonzero(intensity[:, cells] >= critical)
    return scenario, cells[index]


def _of_places(landscape: Landscape, scenarios: WeatherScenarios, surface: SurfaceSpread,
               scenario: Places, cell: Places, link: CrownLink) -> tuple[Linked, SurfaceSpread]:
    """Crown fire of N places with `surface` fire [N], and the spread that comes of it."""
    def layer(name: str) -> Floats:
        return getattr(landscape, name).ravel()[cell].astype(np.float64)

    density, base = layer("canopy_bulk_density_kg_m3"), layer("canopy_base_height_m")
    site = Site(scenarios.wind_20ft_m_min[scenario], scenarios.wind_from_deg[scenario],
                layer("slope_tan"), layer("aspect_deg"))
    critical = critical_rate(density)
    rate = surface.rate_of_spread_m_min
    heat_kj_m2 = 60.0 * surface.fireline_intensity_kw_m / rate
    initiation = 60.0 * critical_intensity(base, scenarios.foliar_moisture[scenario]) / heat_kj_m2
    if link == "cruz":
        run = cruz_run(site, density, scenarios.dead_moisture_1h[scenario])
        linked = cruz(rate, initiation, run.rate_m_min, critical)
    else:
        bed = FuelBed(*(part[scenario, 0] for part in beds_in(_CROWN_FUEL, scenarios)))
        run = rothermel_run(bed, site)
        if link == "finney":
            linked = finney(rate, initiation, run.rate_m_min, critical)
        else:
            full = _full_rate(landscape, scenarios, scenario, cell, site,
                              crowning_wind(bed, site, critical))
            linked = scott_reinhardt(rate, initiation, run.rate_m_min, critical, full)
    load = density * (layer("canopy_height_m") - base)
    return linked, _joined(surface, run, linked, heat_kj_m2, load)


def _joined(surface: SurfaceSpread, run: CrownRun, linked: Linked, surface_heat_kj_m2: Floats,
            canopy_load_kg_m2: Floats) -> SurfaceSpread:
    intensity = crown_fire_intensity(linked.rate_m_min, surface_heat_kj_m2, canopy_load_kg_m2,
                                     linked.crown_fraction_burned)
    quickened = linked.rate_m_min > surface.rate_of_spread_m_min
    return SurfaceSpread(
        rate_of_spread_m_min=linked.rate_m_min,
        heading_deg=np.where(quickened, run.heading_deg, surface.heading_deg),
        length_to_width=np.where(quickened, run.length_to_width, surface.length_to_width),
        fireline_intensity_kw_m=intensity,
        flame_length_m=crown_flame_length(intensity),
    )


def rothermel_run(crown_bed: FuelBed, site: Site) -> CrownRun:
    """Crown fire of Rothermel 1991: 3.34 times fuel model 10 in 0.4 of the 20-ft wind.

    The ellipse is that of the 20-ft wind that alone would do what wind and slope do together.
    """
    midflame_ft_min = site.wind_20ft_m_min * (CROWN_WIND_ADJUSTMENT * FEET_PER_METRE)
    by_wind = wind_factor(crown_bed, midflame_ft_min)
    by_slope = crown_bed.slope_coefficient * site.slope_tan**2
    factor, heading = combined_factor(by_wind, site.wind_from_deg, by_slope, site.aspect_deg)
    wind_20ft_ft_min = effective_wind_speed(crown_bed, factor) / CROWN_WIND_ADJUSTMENT
    return CrownRun(
        CROWN_OVER_SURFACE * crown_bed.base_rate_ft_min * (1.0 + factor) * M_MIN_PER_FT_MIN,
        heading, crown_length_to_width(wind_20ft_ft_min * M_MIN_PER_FT_MIN))


def cruz_run(site: Site, bulk_density_kg_m3: Floats, dead_moisture_1h: Floats) -> CrownRun:
    """Active crown fire of Cruz et al. 2005, downwind; slope has no part in it."""
    rate = cruz_active_rate(site.wind_20ft_m_min * WIND_10M_PER_20FT, bulk_density_kg_m3,
                            dead_moisture_1h)
    return CrownRun(rate, (site.wind_from_deg + 180.0) % 360.0,
                    crown_length_to_width(site.wind_20ft_m_min))


def crowning_wind(crown_bed: FuelBed, site: Site, critical_m_min: Floats) -> Floats:
    """The 20-ft wind, m/min, from the site's direction that makes the crown fire just active.

    O'active of Scott & Reinhardt 2001 (eq. 20), for wind at any angle to the slope; 0 where the
    slope is enough.
    """
    still = CROWN_OVER_SURFACE * crown_bed.base_rate_ft_min * M_MIN_PER_FT_MIN
    # Fuel too wet to burn needs a wind that never blows, but a finite one.
    needed = np.maximum(critical_m_min / np.maximum(still, 1e-9) - 1.0, 0.0)
    by_slope = crown_bed.slope_coefficient * site.slope_tan**2
    # Wind and slope are vectors: the wind's length that gives their sum the length needed.
    angle = np.radians(site.wind_from_deg - site.aspect_deg)
    across = by_slope * np.sin(angle)
    by_wind = np.sqrt(np.maximum(needed**2 - across**2, 0.0)) - by_slope * np.cos(angle)
    return (effective_wind_speed(crown_bed, np.maximum(by_wind, 0.0))
            * (M_MIN_PER_FT_MIN / CROWN_WIND_ADJUSTMENT))


def _full_rate(landscape: Landscape, scenarios: WeatherScenarios, scenario: Places, cell: Places,
               site: Site, wind_20ft_m_min: Floats) -> Floats:
    """Surface rate of N places in another 20-ft wind, m/min (R'sa of Scott & Reinhardt 2001)."""
    beds, index = beds_of_cells(landscape, scenarios, cell)
    adjustment = wind_adjustment(landscape, cell, beds.depth_ft[0, index])
    return spread_of_beds(
        FuelBed(*(part[scenario, index] for part in beds)),
        midflame_wind_m_min=wind_20ft_m_min * adjustment, wind_from_deg=site.wind_from_deg,
        slope_tan=site.slope_tan, aspect_deg=site.aspect_deg).rate_of_spread_m_min
