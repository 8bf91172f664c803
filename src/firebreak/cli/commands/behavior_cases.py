"""The kinds of case tables of `firebreak behavior`: their columns, and their results.

Tables with `fuel_model` are surface fires by Rothermel; tables with `FuelType` are fires by the
Canadian FBP System, with the columns of the cffdrs package. Percent and miles per hour become the
units of the fire models here.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.cli.shared.tables import NumberColumn, Table, numbers
from firebreak.fire import FBP_RANGES, FUEL_NAMES, fbp_behavior, fuel_index, point_behavior
from firebreak.landscape.fuels import FUEL_MODELS, UNBURNABLE
from firebreak.units import M_MIN_PER_MPH

Floats = NDArray[np.float64]

RESULTS = ("rate_of_spread_m_min", "spread_direction_deg", "fireline_intensity_kw_m",
           "flame_length_m", "length_to_width")
"""Columns that every table gets."""
FBP_RESULTS = ("crown_fraction_burned", "flank_rate_m_min", "back_rate_m_min", "net_wind_km_h",
               "initial_spread_index", "foliar_moisture_pct", "surface_consumption_kg_m2",
               "crown_consumption_kg_m2", "total_consumption_kg_m2")
"""Columns that a table of FBP cases gets besides."""

_PERCENT = "moistures are in percent: write 6 % as 6, not 0.06"
_DEGREES = "give degrees clockwise from north"
_SLOPE = "give percent of 0 or more; turn a downhill slope by 180 degrees of aspect"

# Fuel drier than the lowest moistures does not exist: such a number is a fraction.
_DEAD = ("m1h_pct", "m10h_pct", "m100h_pct")
_LIVE = ("mherb_pct", "mwoody_pct")
SURFACE_COLUMNS = (
    *(NumberColumn(name, 1.0, 100.0, _PERCENT) for name in _DEAD),
    *(NumberColumn(name, 2.0, 500.0, _PERCENT) for name in _LIVE),
    NumberColumn("midflame_wind_mph", 0.0, 200.0, "give miles per hour at midflame height"),
    NumberColumn("wind_from_deg", -360.0, 360.0, _DEGREES),
    NumberColumn("slope_pct", 0.0, 1000.0, _SLOPE),
    NumberColumn("aspect_deg", -360.0, 360.0, _DEGREES),
)
"""Columns of a table of surface fires, besides `fuel_model`; all must be there."""


# Where one without a number is blank or, as in cffdrs, 0 or below, the system works it out itself.
_FBP: dict[str, tuple[str, str, float | None]] = {
    "ffmc": ("FFMC", "give the Fine Fuel Moisture Code", None),
    "bui": ("BUI", "give the Buildup Index", None),
    "wind_10m_km_h": ("WS", "give km/h at 10 m", None),
    "wind_from_deg": ("WD", _DEGREES, 0.0),
    "slope_pct": ("GS", _SLOPE, 0.0),
    "aspect_deg": ("Aspect", _DEGREES, 0.0),
    "latitude_deg": ("LAT", "give degrees north", 55.0),
    "longitude_deg": ("LONG", "give degrees west", -120.0),
    "elevation_m": ("ELV", "give metres above the sea", 0.0),
    "day_of_year": ("Dj", "give the day of the year", 180.0),
    "minimum_moisture_day": ("D0", "leave it blank", np.nan),
    "percent_conifer": ("PC", "give percent", 50.0),
    "percent_dead_fir": ("PDF", "give percent", 35.0),
    "grass_fuel_load_kg_m2": ("GFL", "give kg/m2", 0.35),
    "curing_pct": ("cc", "give percent", 80.0),
    "crown_base_height_m": ("CBH", "give metres", np.nan),
    "crown_fuel_load_kg_m2": ("CFL", "give kg/m2", np.nan),
    "foliar_moisture_pct": ("FMC", "give percent", np.nan),
    "initial_spread_index": ("ISI", "leave it blank", np.nan),
}
FBP_COLUMNS = {argument: NumberColumn(name, *FBP_RANGES[argument], remedy, standard,
                                      positive_only=standard is np.nan)
               for argument, (name, remedy, standard) in _FBP.items()} | {
    "buildup_effect": NumberColumn("BUIEff", 0.0, 1.0, "write 1 for yes, 0 for no", 1.0)}
"""Columns of a table of FBP cases, besides `FuelType`, by the argument of `fbp_behavior`."""


def surface_results(table: Table) -> dict[str, Floats]:
    """Results of a table of surface fires, by column.

    Raises:
        InputError: naming the line and the column that is wrong.
    """
    codes = np.array([_fuel_code(table, row, text)
                      for row, text in enumerate(table.texts("fuel_model"))])
    given = {column.name: numbers(table, column) for column in SURFACE_COLUMNS}
    spread = point_behavior(
        codes, dead_moisture_1h=given["m1h_pct"] / 100.0,
        dead_moisture_10h=given["m10h_pct"] / 100.0,
        dead_moisture_100h=given["m100h_pct"] / 100.0,
        live_moisture_herb=given["mherb_pct"] / 100.0,
        live_moisture_woody=given["mwoody_pct"] / 100.0,
        midflame_wind_m_min=given["midflame_wind_mph"] * M_MIN_PER_MPH,
        wind_from_deg=given["wind_from_deg"], slope_tan=given["slope_pct"] / 100.0,
        aspect_deg=given["aspect_deg"])
    # Sines of half turns leave angles of rounding size, which read badly.
    found = spread._asdict() | {"spread_direction_deg": spread.heading_deg.round(9) % 360.0}
    return {name: found[name] for name in RESULTS}


def _fuel_code(table: Table, row: int, text: str) -> int:
    """The code of a fuel model written as a number or by its short name ("GR2")."""
    known = {str(code): code for code in (*FUEL_MODELS, *UNBURNABLE)}
    known |= {model.name: code for code, model in FUEL_MODELS.items()}
    code = known.get(text.upper().removesuffix(".0"))
    if code is None:
        raise fail(expected="a fuel model, 1-13 (Anderson), 101-204 (Scott & Burgan) or 91-99",
                   given=f"'{text}'", where=table.where(row, "fuel_model"),
                   remedy="map this case to a known fuel model")
    return code


def fbp_results(table: Table) -> dict[str, Floats]:
    """Results of a table of FBP cases, by column.

    Raises:
        InputError: naming the line and the column that is wrong.
    """
    fuels = [FUEL_NAMES[fuel_index(text, table.where(row, "FuelType"))]
             for row, text in enumerate(table.texts("FuelType"))]
    given = {argument: numbers(table, column) for argument, column in FBP_COLUMNS.items()}
    behavior = fbp_behavior(fuels, **given)
    found = behavior._asdict() | {"length_to_width": behavior.length_to_breadth}
    return {name: found[name] for name in (*RESULTS, *FBP_RESULTS)}


def fbp_standards(table: Table) -> str:
    """The columns of FBP cases that are missing, with what stands for them; for people."""
    return ", ".join(f"{column.name} {column.standard:g}" for column in FBP_COLUMNS.values()
                     if column.standard is not None and not column.positive_only
                     and table.position(column.name) is None)


class Cases(NamedTuple):
    """A kind of case table.

    Attributes:
        fuel_column: that a table of this kind has, and no other.
        model: what burns the cases, in the middle of a sentence.
        results: table -> results by column; `InputError` names the line and column that is wrong.
        standards: table -> columns that it has not, with what stands for them; for people.
    """

    fuel_column: str
    model: str
    results: Callable[[Table], dict[str, Floats]]
    standards: Callable[[Table], str] = lambda table: ""


CASES = (Cases("fuel_model", "Rothermel", surface_results),
         Cases("FuelType", "the FBP System", fbp_results, fbp_standards))


def cases_in(table: Table) -> Cases:
    """The kind of a table.

    Raises:
        InputError: if it has no kind of fuel column, or several.
    """
    found = [cases for cases in CASES if table.position(cases.fuel_column) is not None]
    if not found:
        raise table.missing(*(cases.fuel_column for cases in CASES))
    if len(found) > 1:
        columns = " and ".join(f"'{cases.fuel_column}'" for cases in found)
        raise fail(expected="one kind of fuel", given=f"columns {columns}",
                   where=f"{table.path}, line 1",
                   remedy="keep " + ", ".join(f"{cases.fuel_column} for {cases.model}"
                                              for cases in found))
    return found[0]
