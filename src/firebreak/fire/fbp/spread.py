"""Rate and direction of spread in the Canadian FBP System: wind, slope, curing, buildup, shape.

One function per equation. Numbers without a source are those of Forestry Canada 1992 (ST-X-3);
"GLC-X-10" is the update of Wotton, Alexander & Taylor 2009. Winds are 10 m above open ground in
km/h, slopes in percent, rates in m/min. The slope acts as a wind that would speed a fire on flat
ground as much as the slope does; both winds are then added as vectors. Arrays are [N].
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fbp.fuels import FuelType, Indices, Mixture, constants
from firebreak.weather.fwi import fine_fuel_function

Floats = NDArray[np.float64]

MAX_SLOPE_FACTOR = 10.0
"""The slope factor from 70 % on (eq. 39)."""
MAX_SLOPE_WIND_KM_H = 112.45
"""Slope-equivalent wind at which the wind function has nearly reached its limit (GLC-X-10)."""
_STEEPEST_SLOPE_PCT = 70.0
_WIND_RATE = 0.05039  # per km/h, of the wind function up to 40 km/h
_STRONG_WIND_KM_H = 40.0


def wind_function(wind_km_h: Floats) -> Floats:
    """f(W) of the Initial Spread Index, dimensionless; levels off above 40 km/h (eqs. 53, 53a)."""
    weak = np.exp(_WIND_RATE * np.minimum(wind_km_h, _STRONG_WIND_KM_H))
    strong = 12.0 * (1.0 - np.exp(-0.0818 * (wind_km_h - 28.0)))
    return np.where(wind_km_h <= _STRONG_WIND_KM_H, weak, strong)


def spread_index(ffmc: Floats, wind_km_h: Floats) -> Floats:
    """Initial Spread Index of a net wind (eq. 52)."""
    return 0.208 * wind_function(wind_km_h) * fine_fuel_function(ffmc)


def back_spread_index(ffmc: Floats, wind_km_h: Floats) -> Floats:
    """Initial Spread Index against the net wind (eqs. 75 and 76)."""
    return 0.208 * np.exp(-_WIND_RATE * wind_km_h) * fine_fuel_function(ffmc)


def basic_rate(fuel: FuelType[Floats], isi: Floats) -> Floats:
    """Rate of spread before the buildup effect, m/min (eq. 26)."""
    return fuel.rate_a_m_min * (1.0 - np.exp(-fuel.rate_b * isi)) ** fuel.rate_c


def mixed_rate(parts: Mixture, isi: Floats) -> Floats:
    """Rate of spread of the parts together, m/min (eqs. 27 and 28; M-3, M-4: GLC-X-10)."""
    rate = parts.share * basic_rate(constants(parts.first), isi)
    if not parts.rest_weight.any():  # pure types all: half of the work
        return rate
    return rate + parts.rest_weight * basic_rate(constants(parts.rest), isi)


def curing_factor(curing_pct: Floats) -> Floats:
    """Share of the rate of fully cured grass, at a degree of curing (GLC-X-10 eqs. 35a, 35b)."""
    green = 0.005 * (np.exp(0.061 * np.minimum(curing_pct, 58.8)) - 1.0)
    return np.where(curing_pct < 58.8, green, 0.176 + 0.02 * (curing_pct - 58.8))


def buildup_effect(index: Indices, bui: Floats) -> Floats:
    """Factor of the rate of spread by the fuel available, dimensionless (eq. 54)."""
    fuel = constants(index)
    known = (bui > 0.0) & (fuel.average_bui > 0.0)
    inverse = 1.0 / np.where(known, bui, 1.0) - 1.0 / np.where(known, fuel.average_bui, 1.0)
    return np.where(known, np.exp(50.0 * np.log(fuel.buildup_q) * inverse), 1.0)


def slope_factor(slope_pct: Floats) -> Floats:
    """Rate of spread upslope over that on flat ground, without wind (eq. 39)."""
    gentle = np.exp(3.533 * (np.minimum(slope_pct, _STEEPEST_SLOPE_PCT) / 100.0) ** 1.2)
    return np.where(slope_pct >= _STEEPEST_SLOPE_PCT, MAX_SLOPE_FACTOR, gentle)


def slope_spread_index(fuel: FuelType[Floats], calm_index: Floats, factor: Floats) -> Floats:
    """The index that speeds a fuel on flat ground as the slope does (GLC-X-10 eqs. 40 to 43).

    Eq. 26 times the slope factor, solved for the index: the rate's scale cancels, and with it the
    curing factor of grass.
    """
    share = (1.0 - np.exp(-fuel.rate_b * calm_index)) * factor ** (1.0 / fuel.rate_c)
    return np.log(np.maximum(1.0 - share, 0.01)) / -fuel.rate_b


def slope_equivalent_wind(parts: Mixture, ffmc: Floats, slope_pct: Floats) -> Floats:
    """The wind that acts as the slope does, km/h (GLC-X-10 eqs. 42a to 44e)."""
    calm_index = spread_index(ffmc, np.zeros_like(ffmc))
    factor = slope_factor(slope_pct)
    index = parts.share * slope_spread_index(constants(parts.first), calm_index, factor)
    if (parts.share < 1.0).any():
        index = index + ((1.0 - parts.share)
                         * slope_spread_index(constants(parts.rest), calm_index, factor))
    weak = np.log(np.maximum(index / calm_index, 1.0)) / _WIND_RATE
    # Above 40 km/h the wind function is the one that levels off, at 12.
    of_limit = index / (12.0 * calm_index)
    strong = 28.0 - np.log(1.0 - np.minimum(of_limit, 0.999)) / 0.0818
    strong = np.where(of_limit < 0.999, strong, MAX_SLOPE_WIND_KM_H)
    return np.where(weak <= _STRONG_WIND_KM_H, weak, strong)


def net_wind(wind_km_h: Floats, wind_from_deg: Floats, slope_wind_km_h: Floats,
             aspect_deg: Floats) -> tuple[Floats, Floats]:
    """Wind and slope-equivalent wind added as vectors (eqs. 47 to 51).

    Returns:
        (speed, direction): km/h, and where it blows TO, clockwise from north, [0, 360).
    """
    wind_from, aspect = np.radians(wind_from_deg), np.radians(aspect_deg)
    east = -(wind_km_h * np.sin(wind_from) + slope_wind_km_h * np.sin(aspect))
    north = -(wind_km_h * np.cos(wind_from) + slope_wind_km_h * np.cos(aspect))
    directed = slope_wind_km_h > 0.0
    direction = np.where(directed, np.degrees(np.arctan2(east, north)), wind_from_deg + 180.0)
    speed = np.where(directed, np.hypot(east, north), wind_km_h)
    direction = direction % 360.0
    # A negative angle of rounding size becomes 360 exactly.
    return speed, np.where(direction < 360.0, direction, 0.0)


def length_to_breadth(grass: NDArray[np.bool_], wind_km_h: Floats) -> Floats:
    """Length over breadth of the fire's ellipse at a net wind, 1 or more (eqs. 79, 80a, 80b)."""
    forest = 1.0 + 8.729 * (1.0 - np.exp(-0.030 * wind_km_h)) ** 2.155
    windy_grass = 1.1 * np.maximum(wind_km_h, 1.0) ** 0.464
    return np.where(grass, np.where(wind_km_h >= 1.0, windy_grass, 1.0), forest)


def flank_rate(head_m_min: Floats, back_m_min: Floats, ratio: Floats) -> Floats:
    """Half the ellipse's growth in breadth, m/min (eq. 89)."""
    return (head_m_min + back_m_min) / (2.0 * ratio)
