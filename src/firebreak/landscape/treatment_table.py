"""The table of treatments: fuel and canopy afterwards and for how long, the cost by slope, the cost
of upkeep. One comes with the package (`treatments.toml`); users add their own. And the treatment of
each cell by it, where one can be done at all, and its cost there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail, unknown_name
from firebreak.landscape.fuel_systems import SYSTEMS
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import Treatment
from firebreak.landscape.value_unit import checked_unit
from firebreak.reading import read_toml

SHIPPED = Path(__file__).with_name("treatments.toml")
"""The table that comes with the package."""
BARE, LEAST, KEPT = "bare", "least", "kept"
MOST_YEARS = 100
NONE = -1
"""Of `Landscape.treatment`: none of the treatments can be done in the cell."""
_MOST_PER_HA = 1e6
# Key -> the least and the most that a table may say, and what holds where it says nothing.
_BOUNDS = {"canopy_cover": (0.0, 2.0, 1.0), "canopy_base_height": (1.0, 10.0, 1.0),
           "canopy_bulk_density": (0.0, 2.0, 1.0), "most_canopy_cover": (0.0, 1.0, 1.0),
           "least_canopy_base_height_m": (0.0, 50.0, 0.0),
           "most_canopy_bulk_density_kg_m3": (0.0, 10.0, inf)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """A treated cell until so many years after the treatment.

    to_year: the last year that it holds for; 0 is the year of the treatment. bare: without fuel, of
    which `treatment` is no matter then. source: of its numbers.
    """

    to_year: int
    treatment: Treatment
    source: str

    @property
    def bare(self) -> bool:
        """True where nothing burns."""
        return self.treatment.kind == "hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """The cost of a hectare up to a slope, in the row's currency of the year of its source."""

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

    def state_at(self, age_years: int, where: str) -> StateRow:
        """A treated cell at an age.

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
    listed = [name.strip() for name in names.split(",")]
    for name in listed:
        if name not in table:
            raise unknown_name("treatment", name, table, where)
        if listed.count(name) > 1:
            raise fail(expected="each treatment once", given=f"'{name}' twice", where=where,
                       remedy="leave one of them out")
    found = [table[name] for name in listed]
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


def _row(name: str, content: object, where: str) -> TreatmentRow:
    table = _Table(content, where, {"title", "currency", "upkeep", "state", "cost"})
    states = tuple(_state(name, one) for one in table.rows(
        "state", {"to_year", "surface", "fuel", "source", *_BOUNDS}))
    costs = tuple(
        CostRow(to_slope_percent=one.number("to_slope_percent", 1.0, 1000.0),
                per_ha=one.number("per_ha", 0.01, _MOST_PER_HA), source=one.text("source"))
        for one in table.rows("cost", {"to_slope_percent", "per_ha", "source"}))
    table.check_rising("to_year", [one.to_year for one in states])
    table.check_rising("to_slope_percent", [one.to_slope_percent for one in costs])
    upkeep = _Table(table.get("upkeep"), f"{where}, upkeep", {"per_ha_year", "source"})
    return TreatmentRow(
        name=name, title=table.text("title"), states=states, costs=costs,
        upkeep_per_ha_year=upkeep.number("per_ha_year", 0.0, _MOST_PER_HA),
        upkeep_source=upkeep.text("source"),
        currency=checked_unit(table.text("currency"), f"{where}, currency"))


def _state(name: str, row: "_Table") -> StateRow:
    year = row.number("to_year", 0.0, MOST_YEARS)
    if year != int(year):
        raise row.wrong("to_year", "a whole number of years")
    source = row.text("source")
    return StateRow(to_year=int(year), treatment=_treatment(name, row), source=source)


def _treatment(name: str, row: "_Table") -> Treatment:
    surface = row.get("surface")
    if surface == BARE:
        more = sorted(row.content.keys() - {"to_year", "surface", "source"})
        if more:
            raise fail(expected="nothing but to_year and source beside surface = \"bare\"",
                       given=more[0], where=row.where, remedy="leave it out")
        return Treatment(name=name)
    factors: dict[str, Any] = {
        key: row.number(key, low, high) if key in row.content else otherwise
        for key, (low, high, otherwise) in _BOUNDS.items()}
    shaded = replace(Treatment(kind="shaded", name=name), **factors)
    if surface == LEAST and "fuel" not in row.content:
        return shaded
    load = 1.0 if surface == KEPT else row.number(
        "surface", 0.01, 5.0, f"\"{BARE}\", \"{KEPT}\", \"{LEAST}\" without fuel, or ")
    return replace(shaded, fine_fuel=load, fuels=_fuels(row))


def _fuels(row: "_Table") -> tuple[tuple[str, str], ...]:
    """Beginnings of names of fuels, and the fuel that such a cell has after the treatment."""
    fuels = row.content.get("fuel", {})
    if not isinstance(fuels, dict):
        raise row.wrong("fuel", "a table such as { SH = \"SB1\" }")
    labels = {label for system in SYSTEMS.values() for code, label in system.labels.items()
              if code in system.burnable_codes}
    for begin, after in fuels.items():
        if after not in labels:
            raise unknown_name("fuel", str(after), labels, f"{row.where}, fuel")
        if not any(label.startswith(begin) for label in labels):
            raise unknown_name("beginning of a fuel's name", begin, labels, f"{row.where}, fuel")
    return tuple(fuels.items())


class _Table:
    """A table of TOML with its place in words; a key that is missing or wrong raises InputError."""

    def __init__(self, content: object, where: str, known: set[str]) -> None:
        if not isinstance(content, dict):
            raise fail(expected="a table", given="none" if content is None else repr(content)[:80],
                       where=where, remedy="write it as docs/treatments.md has it")
        for key in content:
            if key not in known:
                raise unknown_name("key", key, known, where)
        self.content: dict[str, Any] = content
        self.where = where
        self.get = content.get

    def rows(self, key: str, known: set[str]) -> list["_Table"]:
        """The tables of a list, of which there is at least one."""
        rows = self.get(key)
        if not isinstance(rows, list) or not rows:
            raise self.wrong(key, f"at least one [[...{key}]]")
        return [_Table(one, f"{self.where}, {key} {k}", known) for k, one in enumerate(rows, 1)]

    def text(self, key: str) -> str:
        """A text of one line."""
        text = self.get(key)
        if not isinstance(text, str) or not text.strip():
            more = ", or the word assumed" if key == "source" else ""
            raise self.wrong(key, f"a text{more}")
        if not text.isprintable():
            raise self.wrong(key, "a text of one line")
        return text

    def number(self, key: str, low: float, high: float, other: str = "") -> float:
        """A number of a range. other: what the key may hold too, in words."""
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or (
                not low <= value <= high):
            raise self.wrong(key, f"{other}a number from {low:g} to {high:g}")
        return float(value)

    def check_rising(self, key: str, values: list[Any]) -> None:
        """Refuse rows whose values of a key do not rise."""
        if any(one >= other for one, other in pairwise(values)):
            raise self.wrong(key, "rising numbers, one row after the other", values)

    def wrong(self, key: str, expected: str, value: object = None) -> Exception:
        """The error for a key."""
        value = self.get(key) if value is None else value
        return fail(expected=f"{key} to be {expected}", where=self.where,
                    given="none" if value is None else repr(value)[:80],
                    remedy="correct the table")


def per_ha(row: TreatmentRow, slope_tan: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cost of a hectare at slopes [...], inf where it cannot be done."""
    bounds = np.array([cost.to_slope_percent for cost in row.costs])
    prices = np.array([*(cost.per_ha for cost in row.costs), np.inf])
    # A slope of a bound belongs to its row; float32 slopes are off by less than a thousandth.
    found: NDArray[np.float64] = prices[np.searchsorted(bounds, 100.0 * slope_tan - 1e-3)]
    return found


def with_treatments(landscape: Landscape, rows: Sequence[TreatmentRow], where: str,
                    width_m: float | None = None) -> Landscape:
    """The landscape with the cheapest treatment of each cell among those that can be done there;
    the first of those that cost the same. Costs are the treatment's, and cells that get none are
    not treatable.

    Args:
        where: how the treatments were asked for, for errors.
        width_m: of the strip that is treated; None for the whole cell.

    Raises:
        InputError: the landscape has costs by cell, or no cell gets a treatment.
    """
    if (landscape.cost != 1.0).any():
        raise fail(expected="costs by cell, or treatments, whose table has costs", given="both",
                   where=where, remedy="leave the costs out, or put them into a table of your own")
    prices = np.stack([per_ha(row, landscape.slope_tan) for row in rows])
    least = prices.min(axis=0)
    done = np.isfinite(least)
    if landscape.treatable.any() and not (landscape.treatable & done).any():
        raise _nowhere(landscape, rows, where)
    cost = np.where(done, least * treated_ha(landscape, width_m), 1.0)
    return replace(landscape, treatable=landscape.treatable & done, cost=cost.astype(np.float32),
                   currency=rows[0].currency,
                   treatment=np.where(done, prices.argmin(axis=0), NONE).astype(np.int16))


def treatment_of_rows(rows: Sequence[TreatmentRow], age_years: int, where: str,
                      width_m: float | None = None, *, mixed: bool = False) -> Treatment:
    """Breaks made by these treatments at an age, as the engine takes them.

    Args:
        where: how the treatments were asked for, for errors.
        width_m: of the strip of bare ground; None for the whole cell.
        mixed: they may leave bare ground beside fuel, in breaks that are judged and not planned.

    Raises:
        InputError: an age beyond a table, treatments that leave bare ground beside others, a width
            of breaks that burn.
    """
    after = [row.state_at(age_years, where).treatment for row in rows]
    kinds = {one.kind for one in after}
    if len(kinds) > 1 and not mixed:
        bare = [row.name for row, one in zip(rows, after, strict=True) if one.kind == "hard"]
        raise fail(expected="treatments that all leave bare ground, or none of them",
                   given=f"{' and '.join(bare)} beside others", where=where,
                   remedy="plan with these and with the others by themselves")
    if "hard" in kinds:
        after = [replace(one, width_m=width_m) if one.kind == "hard" else one for one in after]
    elif width_m is not None:
        raise fail(expected="no width beside a treatment of whole cells, which burn",
                   given=f"{width_m:g} m", where=where, remedy="leave --break-width-m out")
    if len(after) == 1:
        return after[0]
    return Treatment(kind="shaded" if "shaded" in kinds else "hard",
                     width_m=width_m if "hard" in kinds else None,
                     name=", ".join(row.name for row in rows), by_cell=tuple(after))


def _nowhere(landscape: Landscape, rows: Sequence[TreatmentRow], where: str) -> Exception:
    slopes = landscape.slope_tan[landscape.treatable]
    steepest = max(row.costs[-1].to_slope_percent for row in rows)
    return fail(expected=f"a treatable cell where {' or '.join(row.name for row in rows)} can be "
                         f"done (slopes up to {steepest:g} %)",
                given=f"none, on slopes from {100.0 * float(slopes.min()):.0f} to "
                      f"{100.0 * float(slopes.max()):.0f} %",
                where=where, remedy="name another treatment")


def treated_ha(landscape: Landscape, width_m: float | None = None) -> NDArray[np.float64]:
    """Hectares of each cell that are treated, [H, W]: all of it, or a strip, of this width where
    the land has no widths of its own.
    """
    size = landscape.cell_size_m
    usual = np.float64(size if width_m is None else width_m)
    strip = usual if landscape.strip_m is None else landscape.strip_m.astype(np.float64)
    return np.broadcast_to(size * strip / 1e4, landscape.shape)


def with_roads(cost: NDArray[np.float64], road_m: NDArray[np.floating],
               per_km: float) -> NDArray[np.float64]:
    """Costs [H, W] with the share that the way from the nearest road, m, adds."""
    return cost * (1.0 + per_km * road_m / 1000.0)
