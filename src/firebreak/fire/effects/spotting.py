"""Embers: brands that burning cells throw downwind, across breaks.

How far: the lognormal distribution of landing distances that Sardoy et al. 2008 (Combust. Flame
154: 478-488) fitted to simulated brands from line fires, in the form that Perryman et al. 2013
(Int. J. Wildland Fire 22: 350-358) and ELMFIRE use. It needs fireline intensity and wind alone.
How wide: a normal distribution across the wind of 0.92 plume lengths (Himoto & Tanaka 2005), as in
ELMFIRE. Whether brands ignite: Schroeder 1969, as in BEHAVE. How many are thrown has no published
law; it is a rate per burning hectare, see `SpottingModel`. On maps brands that would fly further
than Albini's maxima are burnt out: from torching trees (1979, INT-56), and from wind-driven surface
fires (1983, INT-309, with the drift of Chase 1984 and Morris 1987), on flat ground, as in BEHAVE.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.fire.behavior.types import FireBehavior
from firebreak.landscape.landscape import Landscape
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT, WIND_10M_PER_20FT
from firebreak.weather.scenarios import WeatherScenarios

Floats = NDArray[np.float64]
Grids = NDArray[np.float32]

AIR_DENSITY_KG_M3 = 1.1
AIR_HEAT_KJ_KG_K = 1.0
AIR_TEMPERATURE_K = 300.0
GRAVITY_M_S2 = 9.81
SIDE_SD_PER_PLUME_LENGTH = 0.92
LARGEST_LOG_DISTANCE = 5.0
"""Mean of log distance at most, log m (148 m), as in ELMFIRE: the fit runs away in light winds."""

_M2_PER_HA = 1e4
_METRES_PER_MILE = 1609.344
_MILES_H_PER_M_MIN = 60.0 / _METRES_PER_MILE
_LEAST_WIND_MI_H = 1e-3  # nothing flies in still air
_LEAST_LIFT_FT = 6.0  # below, the least height of a canopy is none
_KW_PER_MW = 1e3
_SECONDS_PER_MINUTE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpottingModel:
    """Brands that cells throw. Only the rates and the delay are free; the rest is published.

    Attributes:
        crown_brands_per_ha: brands that a hectare throws whose crowns burn wholly. The default
            makes a crowning cell of 90 m throw with 20 %, the share of crowning cells that IFTDSS
            recommends; it is a share per hectare so that it does not depend on the cell size.
        surface_brands_per_ha: brands of a hectare of surface fire. 0 as in FlamMap, where only
            crowning cells throw.
        woody_brands_per_ha: the same of shrub and timber alone, beside what crowns throw.
        burn_out: brands fly no further than Albini's maxima.
        fuel_temperature_c: of the fuel that brands land on; hotter fuel ignites more easily. The
            default is that of air at 28 degrees C in half shade by BEHAVE's rule.
        ignition_delay_min: from landing to a fire that spreads as fast as the model says. The
            default is what a fire from a point loses while it accelerates, 1 / 0.115 per min
            (Forestry Canada 1992, ST-X-3, eqs. 70-72); the flight comes on top.
    """

    crown_brands_per_ha: float = 0.275
    surface_brands_per_ha: float = 0.0
    woody_brands_per_ha: float = 0.0
    burn_out: bool = False
    fuel_temperature_c: float = 36.0
    ignition_delay_min: float = 8.7


ON_MAPS = SpottingModel(woody_brands_per_ha=0.1, burn_out=True)
"""Embers of maps. The rate of surface fires is assumed; 0.03 to 0.275, that of crowns, is likely.
"""

WOODY_KINDS = ("shrub", "timber-understory", "timber litter", "conifer", "deciduous", "mixedwood")
"""Fuels whose surface fires throw brands: shrub and timber."""


class SpotField(NamedTuple):
    """Brands, their flight and ignition, by scenario (and cell); float32 [S, H, W] or [S].

    Attributes:
        throw_probability: [S, H, W], that a burning cell throws a brand; one brand at most.
        log_distance_mean: [S, H, W], of the natural logarithm of the distance downwind in m.
        log_distance_sd: [S, H, W], its standard deviation.
        side_sd_m: [S, H, W], standard deviation of the distance across the wind, m.
        longest_m: [S, H, W], distance downwind at which brands are burnt out, m; inf for none.
        ignition_probability: [S], that a brand on burnable ground starts a fire.
        downwind_east: [S], of the unit vector that brands fly along.
        downwind_north: [S].
        flight_min_per_m: [S], time in the air.
        ignition_delay_min: minutes from landing to spreading.
    """

    throw_probability: Grids
    log_distance_mean: Grids
    log_distance_sd: Grids
    side_sd_m: Grids
    longest_m: Grids
    ignition_probability: Grids
    downwind_east: Grids
    downwind_north: Grids
    flight_min_per_m: Grids
    ignition_delay_min: float


def spot_parameters(model: SpottingModel, behavior: FireBehavior, scenarios: WeatherScenarios,
                    landscape: Landscape) -> SpotField:
    """The brands of every cell, as thrown by the head of the fire; the flanks would throw fewer.

    Nothing is thrown where nothing burns, and in still air.
    """
    wind_m_s = scenarios.wind_20ft_m_min / _SECONDS_PER_MINUTE * WIND_10M_PER_20FT
    wind = wind_m_s[:, None, None]
    intensity = behavior.fireline_intensity_kw_m
    woody = [code for code, kind in landscape.fuels.kinds.items() if kind in WOODY_KINDS]
    throws = throw_probability(model, behavior, landscape.cell_size_m,
                               np.isin(landscape.fuel_model, woody)) * (wind > 0.0)
    mean, sd = log_distance(intensity, wind)
    side = SIDE_SD_PER_PLUME_LENGTH * plume_length_m(intensity)
    ignites = ignition_probability(scenarios.dead_moisture_1h, model.fuel_temperature_c)
    wind_from = np.radians(scenarios.wind_from_deg)
    flight = np.divide(1.0, wind_m_s * _SECONDS_PER_MINUTE, out=np.zeros_like(wind_m_s),
                       where=wind_m_s > 0.0)
    longest = (longest_flight_m(behavior, scenarios.wind_20ft_m_min[:, None, None],
                                landscape.canopy_height_m) if model.burn_out
               else np.full(intensity.shape, np.inf))
    return SpotField(_single(throws), _single(mean), _single(sd), _single(side), _single(longest),
                     _single(ignites),
                     _single(-np.sin(wind_from)), _single(-np.cos(wind_from)), _single(flight),
                     model.ignition_delay_min)


def throw_probability(model: SpottingModel, behavior: FireBehavior, cell_size_m: float,
                      woody: NDArray[np.bool_] | None = None) -> Floats:
    """Chance that a burning cell throws at least one brand: 1 - exp(-brands), brands by area and
    crowns.

    A passive crown fire throws by the fraction of its crowns that burns. woody: [H, W], cells of
    shrub and timber.
    """
    ground = model.surface_brands_per_ha + (
        0.0 if woody is None else model.woody_brands_per_ha * woody)
    hectares = cell_size_m**2 / _M2_PER_HA
    burns = behavior.fireline_intensity_kw_m > 0.0
    brands = hectares * (model.crown_brands_per_ha * behavior.crown_fraction_burned
                         + ground)
    return np.where(burns, -np.expm1(-brands), 0.0)


def plume_length_m(intensity_kw_m: ArrayLike) -> Floats:
    """Characteristic length of the plume of a line fire, m: (I / (rho c T sqrt(g)))^(2/3)."""
    air = AIR_DENSITY_KG_M3 * AIR_HEAT_KJ_KG_K * AIR_TEMPERATURE_K * np.sqrt(GRAVITY_M_S2)
    return np.power(np.asarray(intensity_kw_m, dtype=np.float64) / air, 2.0 / 3.0)


def log_distance(intensity_kw_m: ArrayLike, wind_10m_m_s: ArrayLike) -> tuple[Floats, Floats]:
    """Mean and standard deviation of log distance (m) at which brands land (Sardoy et al. 2008).

    With I in MW/m, U in m/s and the Froude number Fr = U / sqrt(g Lc) of the plume:
        Fr <= 1 (buoyant)      mean = 1.47 I^0.54 U^-0.55 + 1.14, sd = 0.86 I^-0.21 U^0.44 + 0.19
        Fr > 1 (wind-driven)   mean = 1.32 I^0.26 U^0.11 - 0.02,  sd = 4.95 I^-0.01 U^-0.02 - 3.48
    Both are 0 without wind, and below 1 kW/m, where no plume lifts anything.
    """
    intensity, wind = np.broadcast_arrays(np.asarray(intensity_kw_m, dtype=np.float64),
                                          np.asarray(wind_10m_m_s, dtype=np.float64))
    flies = (intensity >= 1.0) & (wind > 0.0)
    power, speed = np.where(flies, intensity / _KW_PER_MW, 1.0), np.where(flies, wind, 1.0)
    buoyant = speed <= np.sqrt(GRAVITY_M_S2 * plume_length_m(power * _KW_PER_MW))
    mean = np.where(buoyant, 1.47 * power**0.54 * speed**-0.55 + 1.14,
                    1.32 * power**0.26 * speed**0.11 - 0.02)
    sd = np.where(buoyant, 0.86 * power**-0.21 * speed**0.44 + 0.19,
                  4.95 * power**-0.01 * speed**-0.02 - 3.48)
    return np.where(flies, np.minimum(mean, LARGEST_LOG_DISTANCE), 0.0), np.where(flies, sd, 0.0)


TORCHING_TREES, TORCHING_DBH_IN = 10.0, 10.0
FLAME_FT, FLAME_POWER, FLAME_MIN, FLAME_MIN_POWER = 15.7, 0.451, 10.7, -0.278
"""Trees that torch together and their diameter, an assumption; flame height and duration of
Douglas fir (Albini 1979)."""
_FLAME_FT = FLAME_FT * TORCHING_DBH_IN**FLAME_POWER * TORCHING_TREES**0.4
_FLAME_TIME = FLAME_MIN * TORCHING_DBH_IN**FLAME_MIN_POWER * TORCHING_TREES**-0.2


FAINTEST_KW_M = 50.0
"""Surface fires of less intensity, with flames of knee height, throw no brands: the formula is out
of its range there, and jumps with the wind. Assumed."""


def longest_flight_m(behavior: FireBehavior, wind_20ft_m_min: Floats,
                     canopy_height_m: ArrayLike) -> Floats:
    """Distance downwind [S, H, W] at which a brand is burnt out, m: of torching trees where crowns
    burn, if that is more than of the surface fire.
    """
    wind = np.maximum(wind_20ft_m_min * _MILES_H_PER_M_MIN, _LEAST_WIND_MI_H)
    canopy = np.asarray(canopy_height_m, np.float64) / METRES_PER_FOOT
    intensity = behavior.fireline_intensity_kw_m
    surface = np.where(intensity < FAINTEST_KW_M, 0.0, surface_flight_mi(
        intensity / KW_M_PER_BTU_FT_S, wind, canopy))
    torching = np.where(behavior.crown_fraction_burned > 0.0, torching_flight_mi(wind, canopy), 0.0)
    return _METRES_PER_MILE * np.maximum(surface, torching)


def surface_flight_mi(intensity_btu_ft_s: ArrayLike, wind_20ft_mi_h: ArrayLike,
                      cover_height_ft: ArrayLike) -> Floats:
    """Longest flight from a wind-driven surface fire on flat ground, miles; wind above 0."""
    wind = np.asarray(wind_20ft_mi_h, np.float64)
    lifted = 1.055 * np.sqrt(np.asarray(intensity_btu_ft_s, np.float64)
                             * 322.0 * (0.474 * wind)**-1.01)
    return np.where(lifted > 0.0, _flat_flight_mi(lifted, cover_height_ft, wind)
                    + 0.000278 * wind * lifted**0.643, 0.0)


def torching_flight_mi(wind_20ft_mi_h: ArrayLike, tree_height_ft: ArrayLike) -> Floats:
    """Longest flight from `TORCHING_TREES` of `TORCHING_DBH_IN` on flat ground, miles."""
    height = np.asarray(tree_height_ft, np.float64)
    ratio = height / _FLAME_FT
    short = 2.78 * _FLAME_TIME**0.418 if _FLAME_TIME < 3.5 else 4.70
    lift = np.select([ratio >= 1.0, ratio >= 0.5],
                     [4.24 * _FLAME_TIME**0.332, 3.64 * _FLAME_TIME**0.391], short)
    return _flat_flight_mi(lift * _FLAME_FT + height / 2.0, height,
                           np.asarray(wind_20ft_mi_h, np.float64))


def _flat_flight_mi(lifted_ft: Floats, cover_height_ft: ArrayLike, wind_mi_h: Floats) -> Floats:
    """Flight of a brand that was lifted so high, over a canopy of at least the height from which
    on the wind's profile is known.
    """
    lifted = np.maximum(lifted_ft, _LEAST_LIFT_FT)
    cover = np.maximum(cover_height_ft, 2.2 * lifted**0.337 - 4.0)
    ratio = lifted / cover
    flown: Floats = 0.000718 * wind_mi_h * np.sqrt(cover) * (
        0.362 + np.sqrt(ratio) / 2.0 * np.log(ratio))
    return np.where(lifted_ft > _LEAST_LIFT_FT, np.maximum(flown, 0.0), 0.0)


def ignition_probability(dead_moisture_1h: ArrayLike, fuel_temperature_c: ArrayLike) -> Floats:
    """Chance that a brand ignites the dead fuel it lands on, 0-1 (Schroeder 1969, as in BEHAVE).

    Args:
        dead_moisture_1h: fraction.
        fuel_temperature_c: of the fuel, not of the air.
    """
    m, t = np.asarray(dead_moisture_1h, float), np.asarray(fuel_temperature_c, float)
    heat_cal_g = (144.51 - 0.266 * t - 0.00058 * t**2 - t * m
                  + 18.54 * (1.0 - np.exp(-15.1 * m)) + 640.0 * m)
    x = 0.1 * (400.0 - np.minimum(heat_cal_g, 400.0))
    return np.minimum(0.000048 * x**4.3 / 50.0, 1.0)


def _single(values: Floats) -> Grids:
    return np.ascontiguousarray(values, dtype=np.float32)
