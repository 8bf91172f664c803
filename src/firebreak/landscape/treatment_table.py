"""The table of treatments: what fuel and canopy become and for how long, what that costs on which
slopes, what upkeep costs. One comes with the package (`treatments.toml`); users add their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

from firebreak.checks import counted, fail, unknown_name
from firebreak.files import read_toml
from firebreak.landscape.fuel_systems import SYSTEMS
from firebreak.landscape.treatments import Treatment
from firebreak.landscape.value_unit import checked_unit

SHIPPED = Path(__file__).with_name("treatments.toml")
"""The table that comes with the package."""
BARE, LEAST, KEPT = "bare", "least", "kept"
MOST_YEARS = 100
_MOST_PER_HA = 1e6
# Key -> the least and the most that a table may say, and what holds where it says nothing.
_BOUNDS = {"canopy_cover": (0.0, 2.0, 1.0), "canopy_base_height": (1.0, 10.0, 1.0),
           "canopy_bulk_density": (0.0, 2.0, 1.0), "most_canopy_cover": (0.0, 1.0, 1.0),
           "least_canopy_base_height_m": (0.0, 50.0, 0.0),
           "most_canopy_bulk_density_kg_m3": (0.0, 10.0, inf)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """What a treated cell is until so many years after the treatment.

    to_year: the last year that it holds for; 0 is the year of the treatment. bare: without fuel, of
    which `treatment` is no matter then. source: of its numbers.
    """

    to_year: int
    treatment: Treatment
    source: str

    @property
    def bare(self) -> bool:
        """Whether nothing there burns."""
        return self.treatment.kind == "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What a hectare costs up to a slope, in the row's currency of the year of its source."""

    to_slope_percent: float
    per_ha: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TreatmentRow:
    """One treatment.

    Attributes:
        name: as users write it. title: in the middle of a sentence.
        states: by age, the youngest first.
        costs: by slope, the gentlest first; on steeper ground it cannot be done.
        upkeep_per_ha_year: what keeps a treated hectare as it is in its first state.
        currency: of all costs.
    """

    name: str
    title: str
    states: tuple[StateRow, ...]
    costs: tuple[CostRow, ...]
    upkeep_per_ha_year: float
    upkeep_source: str
    currency: str

    @property
    def years(self) -> int:
        """The age that the states reach to."""
        return self.states[-1].to_year

    @property
    def steepest_percent(self) -> float:
        """The slope above which it cannot be done."""
        return self.costs[-1].to_slope_percent

    def state_at(self, age_years: int, where: str) -> StateRow:
        """What a treated cell is at an age.

        Raises:
            InputError: an age beyond the table.
        """
        for state in self.states:
            if age_years <= state.to_year:
                return state
        most = counted(self.years, "year")
        raise fail(expected=f"at most {most}, which the states of {self.name} reach to",
                   given=f"{age_years}", where=where,
                   remedy="lower it, or add a state to a table of your own")


def read_table(path: Path | None = None) -> dict[str, TreatmentRow]:
    """The treatments by name: those that come with the package, with those of a file beside them or
    instead of those of the same name.

    Raises:
        InputError: no such file, not TOML, a key that is missing, unknown or out of its range.
    """
    rows = _rows(SHIPPED)
    return rows if path is None else rows | _rows(path)


def named(names: str, table: Mapping[str, TreatmentRow], where: str) -> list[TreatmentRow]:
    """The treatments of a list with commas between, in its order.

    Raises:
        InputError: an unknown one, or one that is named twice, or costs in several currencies.
    """
    asked = [name.strip() for name in names.split(",")]
    for name in asked:
        if name not in table:
            raise unknown_name("treatment", name, table, where)
        if asked.count(name) > 1:
            raise fail(expected="each treatment once", given=f"'{name}' twice", where=where,
                       remedy="leave one of them out")
    found = [table[name] for name in asked]
    currencies = sorted({row.currency for row in found})
    if len(currencies) > 1:
        raise fail(expected="treatments whose costs are in one currency",
                   given=" and ".join(currencies), where=where,
                   remedy="convert the costs in a table of your own")
    return found


def _rows(path: Path) -> dict[str, TreatmentRow]:
    tree = read_toml(path)
    if not tree:
        raise fail(expected="a table of treatments", given="an empty one", where=str(path),
                   remedy="write one [name] for each treatment")
    return {name: _row(name, content, f"{path}, [{name}]") for name, content in tree.items()}


def _row(name: str, given: object, where: str) -> TreatmentRow:
    content = _table(given, {"title", "currency", "upkeep", "state", "cost"}, where)
    states = [_state(name, one, f"{where}, state {k + 1}")
              for k, one in enumerate(_list(content, "state", where))]
    costs = [_cost(one, f"{where}, cost {k + 1}")
             for k, one in enumerate(_list(content, "cost", where))]
    _rising([one.to_year for one in states], "to_year", where)
    _rising([one.to_slope_percent for one in costs], "to_slope_percent", where)
    upkeep = _table(content.get("upkeep"), {"per_ha_year", "source"}, f"{where}, upkeep")
    at = f"{where}, upkeep"
    return TreatmentRow(
        name=name, title=_text(content, "title", where), states=tuple(states), costs=tuple(costs),
        upkeep_per_ha_year=_number(upkeep, "per_ha_year", 0.0, _MOST_PER_HA, at),
        upkeep_source=_text(upkeep, "source", at),
        currency=checked_unit(_text(content, "currency", where), f"{where}, currency"))


def _state(name: str, given: object, where: str) -> StateRow:
    row = _table(given, {"to_year", "surface", "fuel", "source", *_BOUNDS}, where)
    year = _number(row, "to_year", 0.0, MOST_YEARS, where)
    if year != int(year):
        raise _wrong("to_year", "a whole number of years", year, where)
    source = _text(row, "source", where)
    return StateRow(to_year=int(year), treatment=_treatment(name, row, where), source=source)


def _treatment(name: str, row: Mapping[str, Any], where: str) -> Treatment:
    if row.get("surface") == BARE:
        more = sorted(row.keys() - {"to_year", "surface", "source"})
        if more:
            raise fail(expected="nothing but to_year and source beside surface = \"bare\"",
                       given=more[0], where=where, remedy="leave it out")
        return Treatment(name=name)
    factors: dict[str, Any] = {
        key: _number(row, key, low, high, where) if key in row else otherwise
        for key, (low, high, otherwise) in _BOUNDS.items()}
    shaded = replace(Treatment(kind="shaded", name=name), **factors)
    surface = row.get("surface")
    if surface == LEAST and "fuel" not in row:
        return shaded
    load = 1.0 if surface == KEPT else _number(
        row, "surface", 0.01, 5.0, where, f"\"{BARE}\", \"{KEPT}\", \"{LEAST}\" without fuel, or ")
    return replace(shaded, fine_fuel=load, fuels=_fuels(row, where))


def _fuels(row: Mapping[str, Any], where: str) -> tuple[tuple[str, str], ...]:
    """Beginnings of names of fuels, and the fuel that such a cell has after the treatment."""
    given = row.get("fuel", {})
    if not isinstance(given, dict):
        raise _wrong("fuel", "a table such as { SH = \"SB1\" }", given, where)
    labels = {label for system in SYSTEMS.values() for code, label in system.labels.items()
              if code in system.burnable_codes}
    for begin, after in given.items():
        if after not in labels:
            raise unknown_name("fuel", str(after), labels, f"{where}, fuel")
        if not any(label.startswith(begin) for label in labels):
            raise unknown_name("beginning of a fuel's name", begin, labels, f"{where}, fuel")
    return tuple(given.items())


def _cost(given: object, where: str) -> CostRow:
    row = _table(given, {"to_slope_percent", "per_ha", "source"}, where)
    return CostRow(to_slope_percent=_number(row, "to_slope_percent", 1.0, 1000.0, where),
                   per_ha=_number(row, "per_ha", 0.01, _MOST_PER_HA, where),
                   source=_text(row, "source", where))


def _list(content: Mapping[str, Any], key: str, where: str) -> list[Any]:
    given = content.get(key)
    if not isinstance(given, list) or not given:
        raise _wrong(key, f"at least one [[...{key}]]", given, where)
    return given


def _table(given: object, known: set[str], where: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise fail(expected="a table", given="none" if given is None else repr(given)[:80],
                   where=where, remedy="write it as docs/treatments.md has it")
    for key in given:
        if key not in known:
            raise unknown_name("key", key, known, where)
    return given


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    given = row.get(key)
    if not isinstance(given, str) or not given.strip():
        more = ", or the word assumed" if key == "source" else ""
        raise _wrong(key, f"a text{more}", given, where)
    if not given.isprintable():
        raise _wrong(key, "a text of one line", given, where)
    return given


def _number(row: Mapping[str, Any], key: str, low: float, high: float, where: str,
            other: str = "") -> float:
    given = row.get(key)
    if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
        raise _wrong(key, f"{other}a number from {low:g} to {high:g}", given, where)
    return float(given)


def _rising(values: list[Any], key: str, where: str) -> None:
    if any(one >= other for one, other in pairwise(values)):
        raise _wrong(key, "rising numbers, one row after the other", values, where)


def _wrong(key: str, expected: str, given: object, where: str) -> Exception:
    shown = "none" if given is None else repr(given)[:80]
    return fail(expected=f"{key} to be {expected}", given=shown, where=where,
                remedy="correct the table")
