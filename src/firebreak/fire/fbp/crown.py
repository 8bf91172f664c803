"""Crowns in the Canadian FBP System: foliar moisture, when crowns burn, how much, how fast in C-6.

One function per equation of Forestry Canada 1992 (ST-X-3). Foliar moisture in percent of dry
weight; rates in m/min; intensities in kW/m; fuel consumption in kg/m2. Arrays are [N].
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HIGHEST_FOLIAR_MOISTURE_PCT = 120.0
"""Foliar moisture 50 days and more from its minimum, percent (eq. 8)."""
AVERAGE_FOLIAR_MOISTURE_EFFECT = 0.778
"""Foliar moisture effect of the fires behind the C-6 curve (eq. 61)."""
HEAT_KJ_KG = 300.0
"""Heat of a kg of fuel over the 60 seconds of a minute, kJ/kg (eqs. 57, 69)."""


def date_of_minimum_moisture(latitude_deg: Floats, longitude_west_deg: Floats,
                             elevation_m: Floats) -> Floats:
    """Day of the year when conifer needles are driest (eqs. 1 to 4).

    Longitude in degrees west. An elevation of 0 or less counts as unknown, as in cffdrs.
    """
    west = 150.0 - longitude_west_deg
    flat = 151.0 * latitude_deg / (46.0 + 23.4 * np.exp(-0.0360 * west))
    high = 142.1 * latitude_deg / (43.0 + 33.7 * np.exp(-0.0351 * west)) + 0.0172 * elevation_m
    day: Floats = np.where(elevation_m > 0.0, high, flat)
    return np.rint(day)


def foliar_moisture(day: Floats, minimum_day: Floats) -> Floats:
    """Foliar moisture, percent, on a day of the year (eqs. 5 to 8)."""
    days = np.abs(day - minimum_day)
    near = 85.0 + 0.0189 * days**2
    further = 32.9 + 3.17 * days - 0.0288 * days**2
    return np.where(days < 30.0, near,
                    np.where(days < 50.0, further, HIGHEST_FOLIAR_MOISTURE_PCT))


def critical_surface_intensity(crown_base_height_m: Floats, foliar_moisture_pct: Floats) -> Floats:
    """Intensity of a surface fire that ignites the crowns, kW/m (eq. 56; Van Wagner 1977)."""
    return 0.001 * crown_base_height_m**1.5 * (460.0 + 25.9 * foliar_moisture_pct) ** 1.5


def critical_rate(critical_intensity_kw_m: Floats, surface_consumption_kg_m2: Floats) -> Floats:
    """Rate of spread at which crowns ignite, m/min; infinite where no surface fuel burns (eq. 57).
    """
    burns = surface_consumption_kg_m2 > 0.0
    consumption = np.where(burns, surface_consumption_kg_m2, 1.0)
    return np.where(burns, critical_intensity_kw_m / (HEAT_KJ_KG * consumption), np.inf)


def crown_fraction_burned(surface_rate_m_min: Floats, critical_rate_m_min: Floats) -> Floats:
    """Share of the crowns that burns, fraction 0-1 (eq. 58)."""
    return 1.0 - np.exp(-0.23 * np.maximum(surface_rate_m_min - critical_rate_m_min, 0.0))


def foliar_moisture_effect(foliar_moisture_pct: Floats) -> Floats:
    """Effect of foliar moisture on the crown fire's rate, dimensionless (eq. 61)."""
    dry = np.maximum(1.5 - 0.00275 * foliar_moisture_pct, 0.0)
    return dry**4 / (460.0 + 25.9 * foliar_moisture_pct) * 1000.0


def plantation_crown_rate(isi: Floats, foliar_moisture_pct: Floats) -> Floats:
    """Rate of spread of a crown fire in a conifer plantation (C-6), m/min (eq. 64)."""
    effect = foliar_moisture_effect(foliar_moisture_pct) / AVERAGE_FOLIAR_MOISTURE_EFFECT
    return 60.0 * (1.0 - np.exp(-0.0497 * isi)) * effect


def plantation_rate(surface_rate_m_min: Floats, crown_rate_m_min: Floats,
                    crown_fraction: Floats) -> Floats:
    """Rate of spread in a conifer plantation between surface and crown fire, m/min (eq. 65)."""
    return (surface_rate_m_min
            + crown_fraction * np.maximum(crown_rate_m_min - surface_rate_m_min, 0.0))


def byram_intensity(consumption_kg_m2: Floats, rate_m_min: Floats) -> Floats:
    """Fireline intensity, kW/m (eq. 69; Byram 1959)."""
    return HEAT_KJ_KG * consumption_kg_m2 * rate_m_min
