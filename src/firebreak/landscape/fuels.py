"""Fuel models: the 13 of Anderson and the 40 of Scott & Burgan, in the units of their papers, and
which of them stands for a fuel with less load, or more. The numbers are those of `fuels.csv`: loads
of Anderson's models in lb/ft2, of the others in short tons per acre.

Sources: Anderson 1982, "Aids to determining fuel models for estimating fire behavior", INT-122
(loads in lb/ft2 as tabled by Albini 1976, INT-30); Scott & Burgan 2005, "Standard fire behavior
fuel models", RMRS-GTR-153, table 7 (loads in short tons per acre). Colours of the 40 and of the
unburnable codes are those of LANDFIRE's FBFM40 product, so that maps look familiar.

Anderson's woody ratio of model 7 is 1550; 1500 is what BEHAVE computes with, and so do we.

The load of fine fuel is that of dead fuel under 1/4 inch and of live fuel. That a treated or
regrown fuel burns as the model of the nearest load is an assumption: models differ in more.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FIRST_OF_40 = 101
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


def _model(row: dict[str, str]) -> FuelModel:
    """The fuel model of a row of the table."""
    code = int(row["code"])
    unit = 1.0 if code < _FIRST_OF_40 else _LB_FT2_PER_TON_ACRE
    numbers = [float(row[f"load_{kind}"]) * unit
               for kind in ("1h", "10h", "100h", "herb", "woody")]
    numbers += [float(row[name]) for name in ("sav_1h_ft", "sav_herb_ft", "sav_woody_ft",
                                              "depth_ft")]
    numbers += [float(row["extinction_percent"]) / 100.0, float(row["heat_btu_lb"])]
    return FuelModel(code, row["name"], row["dynamic"] == "yes", *numbers)


with Path(__file__).with_name("fuels.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = {int(row["code"]): row for row in csv.DictReader(_file)}

FUEL_MODELS: dict[int, FuelModel] = {code: _model(row) for code, row in _ROWS.items()
                                     if row["kind"]}
"""The models by code."""
UNBURNABLE: dict[int, str] = {code: row["name"] for code, row in _ROWS.items() if not row["kind"]}

URBAN = 91
"""The code of developed ground, roads included."""
BARREN = 99
"""The code of a cell that is made unburnable, such as a road."""

FUEL_NAMES: dict[int, str] = {code: model.name for code, model in FUEL_MODELS.items()} | UNBURNABLE
"""Short name of every known code, such as "GR2" or "NB8 water"."""
FUEL_KINDS: dict[int, str] = {code: _ROWS[code]["kind"] for code in FUEL_MODELS}
"""The fuel that carries the fire, by code that burns (Anderson 1982; Scott & Burgan 2005)."""
TITLES: dict[int, str] = {code: _ROWS[code]["title"] for code in FUEL_MODELS}
"""The models in words, by code."""
FUEL_COLOURS: dict[int, str] = {code: row["colour"] for code, row in _ROWS.items()}
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
