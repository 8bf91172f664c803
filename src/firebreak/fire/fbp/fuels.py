"""Fuel types of the Canadian Forest Fire Behavior Prediction (FBP) System and their constants.

Forestry Canada 1992 (ST-X-3), tables 6 to 8, with the rates of M-3 and M-4 and the green aspen D-2
of Wotton, Alexander & Taylor 2009 (GLC-X-10). A mixed type burns as a share of a first type and the
rest of leafless aspen (D-1), so that one rule serves all types: a pure one is a mixture whose first
share is 1.
"""

from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import unknown_name

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Value = TypeVar("Value", float, NDArray[np.float64])


class FuelType(NamedTuple, Generic[Value]):
    """Constants of one fuel type as numbers, or of N cases as arrays.

    Attributes:
        rate_a_m_min: rate of spread at a high spread index, m/min; M-3 and M-4: all fir dead.
        rate_b: of the spread index in the exponent, dimensionless.
        rate_c: exponent, dimensionless.
        average_bui: Buildup Index at which the buildup effect is 1.
        buildup_q: share of the highest rate that this index allows.
        crown_base_height_m: height of live crowns above ground, m; 0 without crowns.
        crown_fuel_load_kg_m2: fuel in the crowns, kg/m2; 0 without crowns.
    """

    rate_a_m_min: Value
    rate_b: Value
    rate_c: Value
    average_bui: Value
    buildup_q: Value
    crown_base_height_m: Value
    crown_fuel_load_kg_m2: Value


FUEL_TYPES: dict[str, FuelType[float]] = {
    "C-1": FuelType(90.0, 0.0649, 4.5, 72.0, 0.90, 2.0, 0.75),
    "C-2": FuelType(110.0, 0.0282, 1.5, 64.0, 0.70, 3.0, 0.80),
    "C-3": FuelType(110.0, 0.0444, 3.0, 62.0, 0.75, 8.0, 1.15),
    "C-4": FuelType(110.0, 0.0293, 1.5, 66.0, 0.80, 4.0, 1.20),
    "C-5": FuelType(30.0, 0.0697, 4.0, 56.0, 0.80, 18.0, 1.20),
    "C-6": FuelType(30.0, 0.0800, 3.0, 62.0, 0.80, 7.0, 1.80),
    "C-7": FuelType(45.0, 0.0305, 2.0, 106.0, 0.85, 10.0, 0.50),
    "D-1": FuelType(30.0, 0.0232, 1.6, 32.0, 0.90, 0.0, 0.0),
    "D-2": FuelType(6.0, 0.0232, 1.6, 32.0, 0.90, 0.0, 0.0),
    "M-1": FuelType(110.0, 0.0282, 1.5, 50.0, 0.80, 6.0, 0.80),
    "M-2": FuelType(110.0, 0.0282, 1.5, 50.0, 0.80, 6.0, 0.80),
    "M-3": FuelType(120.0, 0.0572, 1.4, 50.0, 0.80, 6.0, 0.80),
    "M-4": FuelType(100.0, 0.0404, 1.48, 50.0, 0.80, 6.0, 0.80),
    "S-1": FuelType(75.0, 0.0297, 1.3, 38.0, 0.75, 0.0, 0.0),
    "S-2": FuelType(40.0, 0.0438, 1.7, 63.0, 0.75, 0.0, 0.0),
    "S-3": FuelType(55.0, 0.0829, 3.2, 31.0, 0.75, 0.0, 0.0),
    "O-1a": FuelType(190.0, 0.0310, 1.4, 1.0, 1.0, 0.0, 0.0),
    "O-1b": FuelType(250.0, 0.0350, 1.7, 1.0, 1.0, 0.0, 0.0),
}
"""Constants by name; those of M-1 and M-2 are of their conifer part, C-2, in the rates. Green aspen
(D-2) carries a fifth of the rate of the leafless one, and none below `GREEN_ASPEN_BUI`.
"""

GREEN_ASPEN_BUI = 80.0
"""Buildup Index from which green aspen (D-2) burns at all (GLC-X-10)."""

NON_FUELS = ("NF", "WA")
"""Codes that do not burn: non-fuel and water."""

FUEL_NAMES = (*FUEL_TYPES, *NON_FUELS)
"""Names in the order of the indices that the functions take."""

# A non-fuel has a rate of 0 and otherwise whatever keeps the equations finite.
_CONSTANTS = np.array([*FUEL_TYPES.values(), *[FuelType(0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0)] * 2]).T
_PLAIN = {name.replace("-", "").upper(): index for index, name in enumerate(FUEL_NAMES)}
_LEAFLESS_ASPEN = FUEL_NAMES.index("D-1")


class Mixture(NamedTuple):
    """Fuels that a case burns as; arrays [N].

    Attributes:
        first: index of the type that gives the first part's spread.
        share: of the first part, fraction 0-1; 1 in a pure type.
        rest: index of the type of the rest.
        rest_weight: of the rest's rate in the whole rate, fraction.
    """

    first: Indices
    share: Floats
    rest: Indices
    rest_weight: Floats


def fuel_index(name: str, where: str = "FBP cases") -> int:
    """Index of a fuel type; the hyphen and the case of letters do not matter ("c2" is "C-2").

    Raises:
        InputError: if there is no such fuel type, naming `where`.
    """
    index = _PLAIN.get(name.strip().replace("-", "").upper())
    if index is None:
        raise unknown_name("fuel type", name, FUEL_NAMES, where)
    return index


def constants(index: Indices) -> FuelType[Floats]:
    """The constants of the fuel types at `index`, arrays [N]."""
    return FuelType(*_CONSTANTS[:, index])


def is_any(index: Indices, *names: str) -> NDArray[np.bool_]:
    """True where a case is one of these fuel types."""
    return np.isin(index, [FUEL_NAMES.index(name) for name in names])


def has_crowns(index: Indices) -> NDArray[np.bool_]:
    """True where a case has crowns that can burn: conifers and mixedwood."""
    crowns: NDArray[np.bool_] = constants(index).crown_fuel_load_kg_m2 > 0.0
    return crowns


def is_grass(index: Indices) -> NDArray[np.bool_]:
    """True where a case is matted (O-1a) or standing (O-1b) grass."""
    return is_any(index, "O-1a", "O-1b")


def too_green(index: Indices, bui: Floats) -> NDArray[np.bool_]:
    """True where a case is green aspen (D-2) that is too moist to burn (GLC-X-10)."""
    return is_any(index, "D-2") & (bui < GREEN_ASPEN_BUI)


def mixture(index: Indices, percent_conifer: ArrayLike, percent_dead_fir: ArrayLike) -> Mixture:
    """The parts of each case (ST-X-3 eqs. 27 and 28; M-3 and M-4: GLC-X-10).

    In summer (M-2, M-4) the green aspen carries a fifth of the rate of the leafless one.
    """
    conifer = np.where(is_any(index, "M-1", "M-2"), np.asarray(percent_conifer) / 100.0, 1.0)
    share = np.where(is_any(index, "M-3", "M-4"), np.asarray(percent_dead_fir) / 100.0, conifer)
    green = np.where(is_any(index, "M-2", "M-4"), 0.2, 1.0)
    return Mixture(index, share, np.full_like(index, _LEAFLESS_ASPEN), green * (1.0 - share))
