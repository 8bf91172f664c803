"""Equations of crown fire: when crowns catch, how fast they burn and how much of them.

Thresholds of Van Wagner (1977, Can. J. For. Res. 7) and three published ways to link the surface
fire with the crown fire above it: Finney (1998, RMRS-RP-4) as in FARSITE and FlamMap, Scott &
Reinhardt (2001, RMRS-RP-29) as in NEXUS and BEHAVE, and Cruz, Alexander & Wakimoto (2005, Can. J.
For. Res. 35). Arrays of one shape in metres, minutes, kilograms and kilowatts throughout.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.fire.behavior.types import ACTIVE_CROWN_FIRE, PASSIVE_CROWN_FIRE
from firebreak.units import KW_M_PER_BTU_FT_S, M_MIN_PER_KM_H, METRES_PER_FOOT

Floats = NDArray[np.float64]

CANOPY_HEAT_KJ_KG = 18_000.0
"""Heat of burning canopy fuel, kJ/kg (Van Wagner 1977; Finney 1998)."""
CROWN_OVER_SURFACE = 3.34
"""Rate of a crown fire over that of fuel model 10 below it (Rothermel 1991, INT-438)."""
CROWN_FUEL_MODEL = 10
CROWN_WIND_ADJUSTMENT = 0.4
"""Wind that fuel model 10 gets for it, over the 20-ft wind (Rothermel 1991)."""
_ACTIVE_MASS_FLOW = 3.0
_HALF_WAY = 0.9


class Linked(NamedTuple):
    """Surface and crown fire as one; arrays of one shape.

    Attributes:
        fire_type: uint8, passive or active crown fire.
        rate_m_min: never below the surface fire's.
        crown_fraction_burned: fraction 0-1.
    """

    fire_type: NDArray[np.uint8]
    rate_m_min: Floats
    crown_fraction_burned: Floats


def critical_intensity(base_height_m: ArrayLike, foliar_moisture: ArrayLike) -> Floats:
    """Surface intensity that lights crowns, kW/m (Van Wagner 1977 eq. 4; Alexander 1988).

    Foliar moisture as a fraction.
    """
    ignition = 460.0 + 2590.0 * np.asarray(foliar_moisture, dtype=np.float64)
    return (0.010 * np.asarray(base_height_m, dtype=np.float64) * ignition) ** 1.5


def critical_rate(bulk_density_kg_m3: ArrayLike) -> Floats:
    """Least rate at which fire runs from crown to crown, m/min (Van Wagner 1977)."""
    return _ACTIVE_MASS_FLOW / np.asarray(bulk_density_kg_m3, dtype=np.float64)


def finney(surface_rate: Floats, initiation_rate: Floats, crown_rate: Floats,
           critical: Floats) -> Linked:
    """Link of Finney 1998, with the exponential crown fraction of Van Wagner 1993.

    The fraction is 0.9 where the surface rate is 0.9 of the way from `initiation_rate` to the
    `critical` rate. Fire runs at a rate between surface and crown fire, by that fraction, once
    that is as far; below, crowns burn but the surface rate stays. FlamMap does so; it calls fire
    active from the whole critical rate on.
    """
    fraction = exponential_fraction(surface_rate, initiation_rate, critical)
    raised = surface_rate + fraction * (crown_rate - surface_rate)
    runs = raised >= initiation_rate + _HALF_WAY * (critical - initiation_rate)
    return Linked(_types(runs & (raised >= critical)),
                  np.maximum(np.where(runs, raised, surface_rate), surface_rate), fraction)


def exponential_fraction(surface_rate: Floats, initiation_rate: Floats,
                         critical: Floats) -> Floats:
    """Crown fraction burned (Van Wagner 1993, Finney 1998); 1 without a span."""
    span = _HALF_WAY * (critical - initiation_rate)
    above = surface_rate - initiation_rate
    fraction = 1.0 - np.exp(np.log(0.1) * above / np.where(span > 0.0, span, 1.0))
    return np.where(span > 0.0, fraction, 1.0)


def scott_reinhardt(surface_rate: Floats, initiation_rate: Floats, crown_rate: Floats,
                    critical: Floats, full_rate: Floats) -> Linked:
    """Link of Scott & Reinhardt 2001: crowns take part in proportion, all of them when active.

    `full_rate` is the surface rate (R'sa) in the wind that just makes the crown fire active.
    """
    span = full_rate - initiation_rate
    share = (surface_rate - initiation_rate) / np.where(span > 0.0, span, 1.0)
    active = crown_rate >= critical
    fraction = np.where(active | (span <= 0.0), 1.0, np.clip(share, 0.0, 1.0))
    rate = surface_rate + fraction * (crown_rate - surface_rate)
    return Linked(_types(active), np.maximum(rate, surface_rate), fraction)


def cruz(surface_rate: Floats, initiation_rate: Floats, crown_rate: Floats,
         critical: Floats) -> Linked:
    """Link by rates of Cruz et al. 2005: passive crown fire runs slower than active fire would.

    All crowns burn where active; where passive, the fraction of Van Wagner 1993.
    """
    active = crown_rate >= critical
    rate = np.where(active, crown_rate, cruz_passive_rate(crown_rate, critical))
    fraction = np.where(active, 1.0, exponential_fraction(surface_rate, initiation_rate, critical))
    return Linked(_types(active), np.maximum(rate, surface_rate), fraction)


def cruz_active_rate(wind_10m_m_min: Floats, bulk_density_kg_m3: Floats,
                     dead_moisture_1h: Floats) -> Floats:
    """Rate of active crown fire, m/min, by wind at 10 m, m/min (Cruz et al. 2005).

    The 1-hour moisture (fraction) stands for the estimated fine fuel moisture of the paper.
    """
    wind_km_h = wind_10m_m_min / M_MIN_PER_KM_H
    return (11.02 * wind_km_h**0.90 * bulk_density_kg_m3**0.19
            * np.exp(-17.0 * dead_moisture_1h))


def cruz_passive_rate(active_rate: Floats, critical: Floats) -> Floats:
    """Rate of passive crown fire, m/min, from that of active fire (Cruz et al. 2005)."""
    return active_rate * np.exp(-active_rate / critical)


def crown_fire_intensity(rate_m_min: Floats, surface_heat_kj_m2: Floats, canopy_load_kg_m2: Floats,
                         fraction: Floats, heat_kj_kg: float = CANOPY_HEAT_KJ_KG) -> Floats:
    """Byram's intensity, kW/m, of surface fuel and the burned `fraction` of the canopy together.

    BEHAVE takes 8,000 BTU/lb (18,608 kJ/kg) for `heat_kj_kg`.
    """
    return (surface_heat_kj_m2 + fraction * canopy_load_kg_m2 * heat_kj_kg) * rate_m_min / 60.0


def crown_flame_length(intensity_kw_m: Floats) -> Floats:
    """Flame length, m, of crown fire (Thomas 1963 as in Rothermel 1991): BEHAVE and FlamMap."""
    return 0.2 * (intensity_kw_m / KW_M_PER_BTU_FT_S) ** (2.0 / 3.0) * METRES_PER_FOOT


def _types(active: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.where(active, np.uint8(ACTIVE_CROWN_FIRE), np.uint8(PASSIVE_CROWN_FIRE))
