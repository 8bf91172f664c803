"""The two fuel systems a landscape may be coded in, behind one set of questions.

"rothermel": the models of Anderson and of Scott & Burgan, see `fuels`. "fbp": the fuel types of the
Canadian FBP System, see `fbp_codes`. The same number means different fuels in the two.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape import fbp_codes, fuels
from firebreak.landscape.fbp_codes import FBP_CODES

FuelSystem = Literal["rothermel", "fbp"]

FUEL_SYSTEMS: tuple[str, ...] = get_args(FuelSystem)

KNOWN_CODES: dict[str, str] = {
    "rothermel": "fuel models 1-13 (Anderson), 101-204 (Scott & Burgan) or 91-99",
    "fbp": "FBP codes 1-105 or 405-995",
}
"""What a message says is expected."""

NON_BURNABLE: dict[str, int] = {"rothermel": 99, "fbp": fbp_codes.NON_FUEL}
"""The code given to a cell that is made unburnable, such as a road."""


def burnable_codes(system: str) -> NDArray[np.int16]:
    """All codes of a system that burn, ascending, int16, read-only."""
    return fbp_codes.burnable_codes() if system == "fbp" else fuels.burnable_codes()


def is_known(code: int, system: str) -> bool:
    """Whether `code` has a meaning in the system, burnable or not."""
    return code in FBP_CODES if system == "fbp" else fuels.is_known(code)


def fuel_name(code: int, system: str) -> str:
    """Short name for legends, such as "GR2", "C-2" or "code 17" for what is not known."""
    if system == "fbp":
        return FBP_CODES[code].label if code in FBP_CODES else f"code {code}"
    return fuels.fuel_name(code)


def fuel_colours(system: str) -> dict[int, str]:
    """Hex colour of every known code."""
    if system == "fbp":
        return {code: fuel.colour for code, fuel in FBP_CODES.items()}
    return fuels.FUEL_COLOURS
