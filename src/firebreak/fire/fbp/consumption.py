"""Fuel consumption in the Canadian FBP System, kg/m2: forest floor, slash, grass and crowns.

Equations of Forestry Canada 1992 (ST-X-3), and for C-1 of Wotton, Alexander & Taylor 2009
(GLC-X-10). Most types follow from the Buildup Index alone, as sums of load * (1 - exp(-rate *
BUI)) ** power: their loads, rates and powers are a table here. Arrays are [N].
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fbp.fuels import FUEL_NAMES, Indices, Mixture, is_any, is_grass, too_green

Floats = NDArray[np.float64]

_NONE = (0.0, 1.0, 1.0)
_BY_BUI = {  # (load in kg/m2, rate, power) of the two layers that burn
    "C-2": ((5.0, 0.0115, 1.0), _NONE),  # eq. 10
    "C-3": ((5.0, 0.0164, 2.24), _NONE),  # eq. 11
    "C-4": ((5.0, 0.0164, 2.24), _NONE),
    "C-5": ((5.0, 0.0149, 2.48), _NONE),  # eq. 12
    "C-6": ((5.0, 0.0149, 2.48), _NONE),
    "C-7": ((1.5, 0.0201, 1.0), _NONE),  # eq. 14, woody fuel
    "D-1": ((1.5, 0.0183, 1.0), _NONE),  # eq. 16
    "D-2": ((1.5, 0.0183, 1.0), _NONE),  # eq. 16, above the threshold of GLC-X-10
    "M-1": ((5.0, 0.0115, 1.0), _NONE),  # eq. 17, the conifer part
    "M-2": ((5.0, 0.0115, 1.0), _NONE),
    "M-3": ((5.0, 0.0115, 1.0), _NONE),
    "M-4": ((5.0, 0.0115, 1.0), _NONE),
    "S-1": ((4.0, 0.025, 1.0), (4.0, 0.034, 1.0)),  # eqs. 19, 20
    "S-2": ((10.0, 0.013, 1.0), (6.0, 0.060, 1.0)),  # eqs. 21, 22
    "S-3": ((12.0, 0.0166, 1.0), (20.0, 0.0210, 1.0)),  # eqs. 23, 24
}
_LAYERS = np.array([_BY_BUI.get(name, (_NONE, _NONE)) for name in FUEL_NAMES]).transpose(1, 2, 0)


def consumption_by_bui(index: Indices, bui: Floats) -> Floats:
    """Terms that the Buildup Index alone determines, kg/m2 (eqs. 10 to 12, 14, 16, 19 to 25)."""
    total = np.zeros_like(bui)
    for load, rate, power in _LAYERS[:, :, index]:
        total += load * (1.0 - np.exp(-rate * bui)) ** power
    return total


def lichen_floor_consumption(ffmc: Floats) -> Floats:
    """Forest floor consumption in C-1, kg/m2 (GLC-X-10 eqs. 9a, 9b)."""
    swing = 0.75 * np.sqrt(1.0 - np.exp(-0.23 * np.abs(ffmc - 84.0)))
    return 0.75 + np.where(ffmc > 84.0, swing, -swing)


def pine_floor_consumption(ffmc: Floats) -> Floats:
    """Forest floor consumption in C-7, kg/m2; none at a code of 70 and below (eq. 13)."""
    return 2.0 * (1.0 - np.exp(-0.104 * np.maximum(ffmc - 70.0, 0.0)))


def surface_consumption(index: Indices, parts: Mixture, *, ffmc: Floats, bui: Floats,
                        grass_fuel_load_kg_m2: Floats) -> Floats:
    """Surface fuel consumption of any fuel type, kg/m2 (eqs. 9 to 25; D-2: GLC-X-10)."""
    own = consumption_by_bui(index, bui)
    mixed = parts.share * own + (1.0 - parts.share) * consumption_by_bui(parts.rest, bui)
    total = np.where(is_any(index, "M-1", "M-2"), mixed, own)
    total = total + np.where(is_any(index, "C-1"), lichen_floor_consumption(ffmc), 0.0)
    total = total + np.where(is_any(index, "C-7"), pine_floor_consumption(ffmc), 0.0)
    total = np.where(too_green(index, bui), 0.0, total)
    return np.where(is_grass(index), grass_fuel_load_kg_m2, total)


def crown_consumption(parts: Mixture, crown_fuel_load_kg_m2: Floats,
                      crown_fraction: Floats) -> Floats:
    """Crown fuel consumption, kg/m2; of the conifers or the dead fir in a mixture (eq. 66)."""
    return parts.share * crown_fuel_load_kg_m2 * crown_fraction
