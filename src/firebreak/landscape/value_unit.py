"""Measures of results: the unit that values are counted in (houses, money, hectares that burn), and
the agreement of a simulated fire with an observed one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape

UNKNOWN = "units of value"
LONGEST = 30


class ValueUnit(NamedTuple):
    """name: as it stands behind a number. per_value: of it in a value of 1."""

    name: str
    per_value: float = 1.0


def value_unit(landscape: Landscape) -> ValueUnit:
    """The unit of a landscape's losses: what it says that its values are; hectares where a burned
    cell is worth 1 everywhere in the area, as it is where nobody said what is lost.
    """
    if landscape.value_unit is not None:
        return ValueUnit(landscape.value_unit)
    valued = landscape.burnable & landscape.inside
    if not landscape.layers and bool((landscape.value[valued] == 1.0).all()):
        return ValueUnit("ha", landscape.cell_size_m**2 / 1e4)
    return ValueUnit(UNKNOWN)


def unit_of_file(stem: str) -> str:
    """The unit of what a file's shapes or points count: its name, as far as it can stand behind a
    number.
    """
    name = "".join(sign if sign.isprintable() else " " for sign in stem).strip()
    return (name if len(name) <= LONGEST else f"{name[:LONGEST - 3]}...") or UNKNOWN


def checked_unit(name: str, where: str) -> str:
    """The name of a unit.

    Raises:
        InputError: it cannot stand behind a number in a table.
    """
    if not name.strip() or not name.isprintable() or len(name) > LONGEST:
        raise fail(expected=f"the name of a unit, of 1 to {LONGEST} letters",
                   given=f"'{name[:60]}'", where=where, remedy="for example houses, or EUR")
    return name.strip()


class Agreement(NamedTuple):
    """simulated, observed, both: burned cells. precision: share of the simulated cells that were
    observed. recall: share of the observed cells that were simulated. area_ratio: simulated over
    observed. iou: intersection over union.
    """

    simulated: int
    observed: int
    both: int
    precision: float
    recall: float
    area_ratio: float
    iou: float


def agreement_of(simulated: NDArray[np.bool_], observed: NDArray[np.bool_]) -> Agreement:
    """The agreement of two masks [H, W], of which both hold burned cells."""
    one, other, both = (int(np.count_nonzero(mask))
                        for mask in (simulated, observed, simulated & observed))
    return Agreement(one, other, both, both / one, both / other, one / other,
                     both / (one + other - both))
