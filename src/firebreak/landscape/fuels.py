"""Fuel models: the 13 of Anderson and the 40 of Scott & Burgan, in the units of their papers, and
which of them stands for a fuel with less load, or more.

Sources: Anderson 1982, "Aids to determining fuel models for estimating fire behavior", INT-122
(loads in lb/ft2 as tabled by Albini 1976, INT-30); Scott & Burgan 2005, "Standard fire behavior
fuel models", RMRS-GTR-153, table 7 (loads in short tons per acre). Colours of the 40 and of the
unburnable codes are those of LANDFIRE's FBFM40 product, so that maps look familiar.

The load of fine fuel is that of dead fuel under 1/4 inch and of live fuel. That a treated or
regrown fuel burns as the model of the nearest load is an assumption: models differ in more.
"""

from functools import cache
from typing import NamedTuple

_LB_FT2_PER_TON_ACRE = 2000.0 / 43560.0  # exact: short ton, international acre

UNUSED_SAV_FT = 9999.0
"""Surface-area-to-volume ratio that GTR-153 assigns to a class without load."""

_OF_ONE_KIND = (
    (1, 3), (2,), (4, 6), (5,), (7,), (8, 10), (9, 8), (11, 12, 13),  # of Anderson
    (101, 102, 104, 107), (103, 105, 106, 108, 109),  # grass of dry and of humid climates
    (121, 122), (123, 124),  # grass and shrubs, dry and humid
    (141, 142, 145, 147), (143,), (144,), (146,), (148, 149),  # shrubs, dry and humid
    (161, 165), (162, 163), (161, 164),  # timber with an understory: litter, grass, dwarf conifers
    (181, 185, 188), (183,), (184,), (187,), (182, 186, 189),  # litter of conifers, of broadleaves
    (201, 202, 203, 204))  # slash and blowdown
"""Models of one kind, among which less load never means longer flames, and rates at most 30 %
higher (a test holds it). Those that stand alone stay as they are. A model of two kinds belongs to
the first.
"""

TITLES = {
    1: "short grass", 2: "timber, grass and understory", 3: "tall grass", 4: "chaparral",
    5: "brush", 6: "dormant brush, hardwood slash", 7: "southern rough",
    8: "closed timber litter", 9: "hardwood litter", 10: "timber, litter and understory",
    11: "light logging slash", 12: "medium logging slash", 13: "heavy logging slash",
    101: "short, sparse dry climate grass", 102: "low load, dry climate grass",
    103: "low load, very coarse, humid climate grass", 104: "moderate load, dry climate grass",
    105: "low load, humid climate grass", 106: "moderate load, humid climate grass",
    107: "high load, dry climate grass", 108: "high load, very coarse, humid climate grass",
    109: "very high load, humid climate grass",
    121: "low load, dry climate grass-shrub", 122: "moderate load, dry climate grass-shrub",
    123: "moderate load, humid climate grass-shrub", 124: "high load, humid climate grass-shrub",
    141: "low load, dry climate shrub", 142: "moderate load, dry climate shrub",
    143: "moderate load, humid climate shrub", 144: "low load, humid climate timber-shrub",
    145: "high load, dry climate shrub", 146: "low load, humid climate shrub",
    147: "very high load, dry climate shrub", 148: "high load, humid climate shrub",
    149: "very high load, humid climate shrub",
    161: "low load, dry climate timber-grass-shrub",
    162: "moderate load, humid climate timber-shrub",
    163: "moderate load, humid climate timber-grass-shrub", 164: "dwarf conifer with understory",
    165: "very high load, dry climate timber-shrub",
    181: "low load, compact conifer litter", 182: "low load broadleaf litter",
    183: "moderate load conifer litter", 184: "small downed logs", 185: "high load conifer litter",
    186: "moderate load broadleaf litter", 187: "large downed logs", 188: "long-needle litter",
    189: "very high load broadleaf litter",
    201: "low load activity fuel", 202: "moderate load activity fuel or low load blowdown",
    203: "high load activity fuel or moderate load blowdown", 204: "high load blowdown"}
"""Of the models of Anderson and of Scott & Burgan, by code."""


class FuelModel(NamedTuple):
    """One fuel model.

    Attributes:
        code: number on the map; 1-13 or 101-204.
        name: short name of the paper, such as "GR2"; Anderson's models are "FM1" to "FM13".
        dynamic: True where live herbs are transferred to a dead class as they cure.
        load_1h_lb_ft2, load_10h_lb_ft2, load_100h_lb_ft2: oven-dry loads of dead fuel under 1/4
            inch, of 1/4 to 1 inch, and of 1 to 3 inches.
        load_herb_lb_ft2, load_woody_lb_ft2: oven-dry loads of live herbs and live woody fuel.
        sav_1h_ft, sav_herb_ft, sav_woody_ft: surface-area-to-volume ratios of the 1-hour class, of
            live herbs and of live woody fuel, 1/ft; `UNUSED_SAV_FT` where there are none.
        depth_ft: depth of the fuel bed.
        extinction_moisture: dead moisture of extinction, fraction.
        heat_btu_lb: low heat content, dead and live.
    """

    code: int
    name: str
    dynamic: bool
    load_1h_lb_ft2: float
    load_10h_lb_ft2: float
    load_100h_lb_ft2: float
    load_herb_lb_ft2: float
    load_woody_lb_ft2: float
    sav_1h_ft: float
    sav_herb_ft: float
    sav_woody_ft: float
    depth_ft: float
    extinction_moisture: float
    heat_btu_lb: float


_Row = tuple[int, str, bool, float, float, float, float, float, int, int, int, float, int, int]

# code, name, dynamic, 1h, 10h, 100h, herb, woody (lb/ft2), SAV 1h, herb, woody (1/ft),
# depth (ft), extinction moisture (%), heat (BTU/lb)
_ANDERSON: tuple[_Row, ...] = (
    (1, "FM1", False, 0.034, 0, 0, 0, 0, 3500, 9999, 9999, 1.0, 12, 8000),
    (2, "FM2", False, 0.092, 0.046, 0.023, 0.023, 0, 3000, 1500, 9999, 1.0, 15, 8000),
    (3, "FM3", False, 0.138, 0, 0, 0, 0, 1500, 9999, 9999, 2.5, 25, 8000),
    (4, "FM4", False, 0.230, 0.184, 0.092, 0, 0.230, 2000, 9999, 1500, 6.0, 20, 8000),
    (5, "FM5", False, 0.046, 0.023, 0, 0, 0.092, 2000, 9999, 1500, 2.0, 20, 8000),
    (6, "FM6", False, 0.069, 0.115, 0.092, 0, 0, 1750, 9999, 9999, 2.5, 25, 8000),
    # Anderson's woody ratio is 1550; 1500 is what BEHAVE computes with, and so do we.
    (7, "FM7", False, 0.052, 0.086, 0.069, 0, 0.017, 1750, 9999, 1500, 2.5, 40, 8000),
    (8, "FM8", False, 0.069, 0.046, 0.115, 0, 0, 2000, 9999, 9999, 0.2, 30, 8000),
    (9, "FM9", False, 0.134, 0.019, 0.007, 0, 0, 2500, 9999, 9999, 0.2, 25, 8000),
    (10, "FM10", False, 0.138, 0.092, 0.230, 0, 0.092, 2000, 9999, 1500, 1.0, 25, 8000),
    (11, "FM11", False, 0.069, 0.207, 0.253, 0, 0, 1500, 9999, 9999, 1.0, 15, 8000),
    (12, "FM12", False, 0.184, 0.644, 0.759, 0, 0, 1500, 9999, 9999, 2.3, 20, 8000),
    (13, "FM13", False, 0.322, 1.058, 1.288, 0, 0, 1500, 9999, 9999, 3.0, 25, 8000),
)

# The same columns; loads in short tons per acre.
_SCOTT_BURGAN: tuple[_Row, ...] = (
    (101, "GR1", True, 0.10, 0, 0, 0.30, 0, 2200, 2000, 9999, 0.4, 15, 8000),
    (102, "GR2", True, 0.10, 0, 0, 1.00, 0, 2000, 1800, 9999, 1.0, 15, 8000),
    (103, "GR3", True, 0.10, 0.40, 0, 1.50, 0, 1500, 1300, 9999, 2.0, 30, 8000),
    (104, "GR4", True, 0.25, 0, 0, 1.90, 0, 2000, 1800, 9999, 2.0, 15, 8000),
    (105, "GR5", True, 0.40, 0, 0, 2.50, 0, 1800, 1600, 9999, 1.5, 40, 8000),
    (106, "GR6", True, 0.10, 0, 0, 3.40, 0, 2200, 2000, 9999, 1.5, 40, 9000),
    (107, "GR7", True, 1.00, 0, 0, 5.40, 0, 2000, 1800, 9999, 3.0, 15, 8000),
    (108, "GR8", True, 0.50, 1.00, 0, 7.30, 0, 1500, 1300, 9999, 4.0, 30, 8000),
    (109, "GR9", True, 1.00, 1.00, 0, 9.00, 0, 1800, 1600, 9999, 5.0, 40, 8000),
    (121, "GS1", True, 0.20, 0, 0, 0.50, 0.65, 2000, 1800, 1800, 0.9, 15, 8000),
    (122, "GS2", True, 0.50, 0.50, 0, 0.60, 1.00, 2000, 1800, 1800, 1.5, 15, 8000),
    (123, "GS3", True, 0.30, 0.25, 0, 1.45, 1.25, 1800, 1600, 1600, 1.8, 40, 8000),
    (124, "GS4", True, 1.90, 0.30, 0.10, 3.40, 7.10, 1800, 1600, 1600, 2.1, 40, 8000),
    (141, "SH1", True, 0.25, 0.25, 0, 0.15, 1.30, 2000, 1800, 1600, 1.0, 15, 8000),
    (142, "SH2", False, 1.35, 2.40, 0.75, 0, 3.85, 2000, 9999, 1600, 1.0, 15, 8000),
    (143, "SH3", False, 0.45, 3.00, 0, 0, 6.20, 1600, 9999, 1400, 2.4, 40, 8000),
    (144, "SH4", False, 0.85, 1.15, 0.20, 0, 2.55, 2000, 1800, 1600, 3.0, 30, 8000),
    (145, "SH5", False, 3.60, 2.10, 0, 0, 2.90, 750, 9999, 1600, 6.0, 15, 8000),
    (146, "SH6", False, 2.90, 1.45, 0, 0, 1.40, 750, 9999, 1600, 2.0, 30, 8000),
    (147, "SH7", False, 3.50, 5.30, 2.20, 0, 3.40, 750, 9999, 1600, 6.0, 15, 8000),
    (148, "SH8", False, 2.05, 3.40, 0.85, 0, 4.35, 750, 9999, 1600, 3.0, 40, 8000),
    (149, "SH9", True, 4.50, 2.45, 0, 1.55, 7.00, 750, 1800, 1500, 4.4, 40, 8000),
    (161, "TU1", True, 0.20, 0.90, 1.50, 0.20, 0.90, 2000, 1800, 1600, 0.6, 20, 8000),
    (162, "TU2", False, 0.95, 1.80, 1.25, 0, 0.20, 2000, 9999, 1600, 1.0, 30, 8000),
    (163, "TU3", True, 1.10, 0.15, 0.25, 0.65, 1.10, 1800, 1600, 1400, 1.3, 30, 8000),
    (164, "TU4", False, 4.50, 0, 0, 0, 2.00, 2300, 9999, 2000, 0.5, 12, 8000),
    (165, "TU5", False, 4.00, 4.00, 3.00, 0, 3.00, 1500, 9999, 750, 1.0, 25, 8000),
    (181, "TL1", False, 1.00, 2.20, 3.60, 0, 0, 2000, 9999, 9999, 0.2, 30, 8000),
    (182, "TL2", False, 1.40, 2.30, 2.20, 0, 0, 2000, 9999, 9999, 0.2, 25, 8000),
    (183, "TL3", False, 0.50, 2.20, 2.80, 0, 0, 2000, 9999, 9999, 0.3, 20, 8000),
    (184, "TL4", False, 0.50, 1.50, 4.20, 0, 0, 2000, 9999, 9999, 0.4, 25, 8000),
    (185, "TL5", False, 1.15, 2.50, 4.40, 0, 0, 2000, 9999, 1600, 0.6, 25, 8000),
    (186, "TL6", False, 2.40, 1.20, 1.20, 0, 0, 2000, 9999, 9999, 0.3, 25, 8000),
    (187, "TL7", False, 0.30, 1.40, 8.10, 0, 0, 2000, 9999, 9999, 0.4, 25, 8000),
    (188, "TL8", False, 5.80, 1.40, 1.10, 0, 0, 1800, 9999, 9999, 0.3, 35, 8000),
    (189, "TL9", False, 6.65, 3.30, 4.15, 0, 0, 1800, 9999, 1600, 0.6, 35, 8000),
    (201, "SB1", False, 1.50, 3.00, 11.00, 0, 0, 2000, 9999, 9999, 1.0, 25, 8000),
    (202, "SB2", False, 4.50, 4.25, 4.00, 0, 0, 2000, 9999, 9999, 1.0, 25, 8000),
    (203, "SB3", False, 5.50, 2.75, 3.00, 0, 0, 2000, 9999, 9999, 1.2, 25, 8000),
    (204, "SB4", False, 5.25, 3.50, 5.25, 0, 0, 2000, 9999, 9999, 2.7, 25, 8000),
)


def _model(row: _Row, lb_ft2_per_unit: float) -> FuelModel:
    code, name, dynamic, *loads = row[:8]
    sav_1h, sav_herb, sav_woody, depth, extinction_percent, heat = map(float, row[8:])
    load_1h, load_10h, load_100h, herb, woody = (load * lb_ft2_per_unit for load in loads)
    return FuelModel(code, name, dynamic, load_1h, load_10h, load_100h, herb, woody, sav_1h,
                     sav_herb, sav_woody, depth, extinction_percent / 100.0, heat)


FUEL_MODELS: dict[int, FuelModel] = {
    row[0]: _model(row, lb_ft2_per_unit)
    for table, lb_ft2_per_unit in ((_ANDERSON, 1.0), (_SCOTT_BURGAN, _LB_FT2_PER_TON_ACRE))
    for row in table
}

UNBURNABLE: dict[int, str] = {
    91: "NB1 urban",
    92: "NB2 snow/ice",
    93: "NB3 agriculture",
    98: "NB8 water",
    99: "NB9 barren",
}

URBAN = 91
"""The code of developed ground, roads included."""
BARREN = 99
"""The code of a cell that is made unburnable, such as a road."""

FUEL_NAMES: dict[int, str] = {code: model.name for code, model in FUEL_MODELS.items()} | UNBURNABLE
"""Short name of every known code, such as "GR2" or "NB8 water"."""

_FIRST_OF_KIND = {1: "grass", 4: "shrub", 8: "timber litter", 11: "slash", 101: "grass",
                  121: "grass-shrub", 141: "shrub", 161: "timber-understory", 181: "timber litter",
                  201: "slash-blowdown"}
FUEL_KINDS: dict[int, str] = {
    code: _FIRST_OF_KIND[max(first for first in _FIRST_OF_KIND if first <= code)]
    for code in FUEL_MODELS}
"""The fuel that carries the fire, by code that burns (Anderson 1982; Scott & Burgan 2005)."""

_HEX_OF_GROUP: dict[int, str] = {
    1: "FFFFBE FFFF00 E6C50B FFD37F FFAA66 CDAA66 897044 D3FFBE 70A800 267300 E8BEFF 7A8EF5 C500FF",
    91: "686868 E1E1E1 FFEDED",
    98: "000ED6 4D6E70",
    101: "FFEBBE FFD373 FFEC8B FFFF73 F5DE29 E6E640 CDC673 8B864E A87000",
    121: "FFAA00 FFA77F FF6300 CD6600",
    141: "D7C29E D7B09E CD8966 895A44 CDAA66 ED7044 CD7D39 A83800 731A00",
    161: "E9FFBE AAFF00 B4D79E 70A800 267300",
    181: "BEFFE8 00FFC5 BED2FF 7B68EE BEE8FF 00C5FF 0084A8 005CE6 4D6E91",
    201: "E8BEFF C500FF FFBEE8 FF7F7F",
}

FUEL_COLOURS: dict[int, str] = {
    first + k: f"#{colour}"
    for first, colours in _HEX_OF_GROUP.items()
    for k, colour in enumerate(colours.split())
}
"""Hex colour of every known code."""


def least_load(code: int) -> int:
    """The model of the same kind with the least load, for a code that burns.

    GR1 for grass, GS1 for grass and shrubs, SH1 for shrubs, TL1 for timber and slash.
    """
    # First code of each kind and what it becomes.
    kinds = ((1, 101), (4, 141), (8, 181), (101, 101), (121, 121), (141, 141), (161, 181))
    return [after for first, after in kinds if code >= first][-1]


def fine_load_lb_ft2(code: int) -> float:
    """Load of fine fuel of a model: dead under 1/4 inch, herbs and live woody fuel."""
    model = FUEL_MODELS[code]
    return model.load_1h_lb_ft2 + model.load_herb_lb_ft2 + model.load_woody_lb_ft2


@cache
def with_load(code: int, factor: float) -> int:
    """The model of the same kind whose load of fine fuel is nearest to `factor` times that of a
    model that burns; never more load where the factor is below 1, nor less where it is above.
    """
    wanted = factor * fine_load_lb_ft2(code)
    kind = next(models for models in _OF_ONE_KIND if code in models)
    return min(kind, key=lambda other: (abs(fine_load_lb_ft2(other) - wanted), other != code))
