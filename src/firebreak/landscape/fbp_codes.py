"""Map codes of the Canadian FBP fuel types: the national grid codes that Cell2Fire uses too.

A code stands for a fuel type and, in mixed stands, a percentage: 440 is M-1 with 40 % conifer, 730
is M-3 with 30 % dead fir. Where a code leaves the season open ("M-1/M-2"), the first type is
taken: leafless, as before green-up, the faster fire. Colours are those of the Canadian maps.
"""

import csv
from pathlib import Path
from typing import NamedTuple


class FbpCode(NamedTuple):
    """The meaning of a code.

    Attributes:
        label: as the map's legend has it, such as "M-1/M-2 (40 PC)".
        fuel_type: of the FBP System, such as "M-1"; "NF" or "WA" where nothing burns.
        percent_conifer: of M-1 and M-2; 50 where the code does not say.
        percent_dead_fir: of M-3 and M-4; 35 where the code does not say.
        colour: hex.
    """

    label: str
    fuel_type: str
    percent_conifer: float
    percent_dead_fir: float
    colour: str


STANDARD_CONIFER = 50.0
STANDARD_DEAD_FIR = 35.0

with Path(__file__).with_name("fbp_codes.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = list(csv.DictReader(_file))


def _table() -> dict[int, FbpCode]:
    """A code for each row of `fbp_codes.csv`, and for each percentage of its mixed stands: "PC" of
    conifer, "PDF" of dead fir.
    """
    table = {}
    for row in _ROWS:
        code, label, kind = int(row["code"]), row["label"], row["percentage"]
        for percent in (0, *range(5, 100, 5)) if kind else (0,):
            table[10 * code + percent if percent else code] = FbpCode(
                f"{label} ({percent:02d} {kind})" if percent else label, row["fuel_type"],
                float(percent) if percent and kind == "PC" else STANDARD_CONIFER,
                float(percent) if percent and kind == "PDF" else STANDARD_DEAD_FIR, row["colour"])
    return dict(sorted(table.items()))


FBP_CODES: dict[int, FbpCode] = _table()
"""Every known code, ascending."""

_KIND_OF_LETTER = {"C": "conifer", "D": "deciduous", "M": "mixedwood", "S": "slash", "O": "grass"}
FUEL_KINDS: dict[int, str] = {code: _KIND_OF_LETTER[fuel.fuel_type[0]]
                              for code, fuel in FBP_CODES.items()
                              if fuel.fuel_type[0] in _KIND_OF_LETTER}
"""The fuel that carries the fire, by code that burns: groups of the FBP System (ST-X-3)."""

TITLES = {int(row["code"]): row["title"] for row in _ROWS if row["title"]}
"""The types that have a code of one kind in words (ST-X-3), by code."""

NON_FUEL = 101
"""The code of a cell that does not burn."""


def least_load(code: int) -> int:
    """The code after a shaded treatment of one that burns: C-7 for conifers and mixedwood, D-1 for
    the rest; C-5, C-7, D-1 and D-2 stay.
    """
    fuel = FBP_CODES[code].fuel_type
    if fuel in ("C-5", "C-7", "D-1", "D-2"):
        return code
    return 7 if fuel.startswith(("C", "M")) else 11


def with_load(code: int, factor: float) -> int:
    """The code with so much of its fine fuel: the types have no ladder of loads, so less is what a
    shaded treatment leaves, and the code stays otherwise.
    """
    return least_load(code) if factor < 1.0 else code


def same_fuel(one: int, other: int) -> bool:
    """True where two codes are of the same fuel type and the same mixture."""
    return FBP_CODES[one][1:4] == FBP_CODES[other][1:4]
