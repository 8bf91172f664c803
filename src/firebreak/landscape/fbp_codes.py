"""Map codes of the Canadian FBP fuel types: the national grid codes that Cell2Fire uses too.

A code stands for a fuel type and, in mixed stands, a percentage: 440 is M-1 with 40 % conifer, 730
is M-3 with 30 % dead fir. Where a code leaves the season open ("M-1/M-2"), the first type is
taken: leafless, as before green-up, the faster fire. Colours are those of the Canadian maps.
"""

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

_PURE = {
    1: ("C-1", "C-1", "D1FF73"), 2: ("C-2", "C-2", "226633"), 3: ("C-3", "C-3", "83C795"),
    4: ("C-4", "C-4", "70A800"), 5: ("C-5", "C-5", "DFB8E6"), 6: ("C-6", "C-6", "AC66ED"),
    7: ("C-7", "C-7", "700CF2"), 11: ("D-1", "D-1", "C4BD97"), 12: ("D-2", "D-2", "897044"),
    13: ("D-1/D-2", "D-1", "C4BD97"), 21: ("S-1", "S-1", "FBBEB9"), 22: ("S-2", "S-2", "F768A1"),
    23: ("S-3", "S-3", "AE017E"), 31: ("O-1a", "O-1a", "FFFFBE"), 32: ("O-1b", "O-1b", "E6E600"),
    100: ("not available", "NF", "FFFFFF"), 101: ("non-fuel", "NF", "828282"),
    102: ("water", "WA", "73DFFF"), 103: ("unknown", "NF", "000000"),
    104: ("unclassified", "NF", "A6A6A6"), 105: ("vegetated non-fuel", "NF", "CCCCCC"),
}
# First code of the family without a percentage, label, fuel type, "PC" or "PDF", colour.
_MIXED = (
    (40, "M-1", "M-1", "PC", "FFD37F"), (50, "M-2", "M-2", "PC", "FFAA00"),
    (60, "M-1/M-2", "M-1", "PC", "FFD37F"), (70, "M-3", "M-3", "PDF", "630000"),
    (80, "M-4", "M-4", "PDF", "AA0000"), (90, "M-3/M-4", "M-3", "PDF", "630000"),
)


def _table() -> dict[int, FbpCode]:
    table = {code: FbpCode(label, fuel, STANDARD_CONIFER, STANDARD_DEAD_FIR, f"#{colour}")
             for code, (label, fuel, colour) in _PURE.items()}
    for first, label, fuel, kind, colour in _MIXED:
        table[first] = FbpCode(label, fuel, STANDARD_CONIFER, STANDARD_DEAD_FIR, f"#{colour}")
        for percent in range(5, 100, 5):
            conifer = float(percent) if kind == "PC" else STANDARD_CONIFER
            fir = float(percent) if kind == "PDF" else STANDARD_DEAD_FIR
            table[10 * first + percent] = FbpCode(f"{label} ({percent:02d} {kind})", fuel, conifer,
                                                  fir, f"#{colour}")
    return dict(sorted(table.items()))


FBP_CODES: dict[int, FbpCode] = _table()
"""Every known code, ascending."""

_KIND_OF_LETTER = {"C": "conifer", "D": "deciduous", "M": "mixedwood", "S": "slash", "O": "grass"}
FUEL_KINDS: dict[int, str] = {code: _KIND_OF_LETTER[fuel.fuel_type[0]]
                              for code, fuel in FBP_CODES.items()
                              if fuel.fuel_type[0] in _KIND_OF_LETTER}
"""The fuel that carries the fire, by code that burns: groups of the FBP System (ST-X-3)."""

TITLES = {
    1: "spruce-lichen woodland", 2: "boreal spruce", 3: "mature jack or lodgepole pine",
    4: "immature jack or lodgepole pine", 5: "red and white pine", 6: "conifer plantation",
    7: "ponderosa pine, Douglas fir", 11: "leafless aspen", 21: "jack or lodgepole pine slash",
    22: "white spruce, balsam slash", 23: "coastal cedar, hemlock, Douglas fir slash",
    31: "matted grass", 32: "standing grass"}
"""The types that have a code of one kind in words (ST-X-3), by code."""

# Surface fuel load of Cell2Fire's Data.csv by fuel type, kg/m2, as its published instances have it.
_SURFACE_LOAD = {"C-1": 0.75, "C-2": 0.8, "C-3": 1.15, "C-4": 1.2, "C-5": 1.2, "C-6": 1.2,
                 "C-7": 1.2, "O-1a": 0.35, "O-1b": 0.35}

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


def cell2fire_fields(code: int) -> dict[str, str]:
    """The columns of a code that burns in Cell2Fire's Data.csv: type without dash, code, percentage
    of conifer or dead fir, surface fuel load (kg/m2).
    """
    fuel = FBP_CODES[code]
    fields = {"fueltype": fuel.fuel_type.replace("-", ""), "ftypeN": str(code)}
    if fuel.fuel_type in ("M-1", "M-2"):
        fields["pc"] = f"{fuel.percent_conifer:g}"
    if fuel.fuel_type in ("M-3", "M-4"):
        fields["pdf"] = f"{fuel.percent_dead_fir:g}"
    load = _SURFACE_LOAD.get(fuel.fuel_type)
    return fields | ({"gfl": f"{load:g}"} if load is not None else {})
