"""Treated cells: bare ground, or a shaded fuel break.

A hard break has no fuel: a road, a dozer line, ploughed ground. A shaded fuel break keeps the
larger trees: surface fuel is reduced, crowns are thinned and raised (Agee et al. 2000, "The use of
shaded fuelbreaks in landscape fire management", For. Ecol. Manage. 127: 55-66).

After a shaded treatment the fuel is by default that of the same kind with the least load: of Scott
& Burgan (2005) GR1 for grass, GS1 for grass and shrubs, SH1 for shrubs, TL1 for everything under
trees and for cleared slash. In the FBP System open pine, C-7, stands for thinned conifers and
mixedwood, and leafless aspen, D-1, for cleared slash and mown grass, which have no type of their
own; C-5, C-7, D-1 and D-2 stay as they are.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.fuel_systems import FuelSystem
from firebreak.landscape.landscape import Landscape
from firebreak.settings.scene import BreakKind, BreakSettings

_LARGEST_BASE_SHARE = 0.5  # of a tree's height that may be pruned
_WHERE = "treatment"
CHANGED = ("fuel_model", "canopy_cover", "canopy_base_height_m", "canopy_bulk_density_kg_m3")
"""The grids of a landscape that a treatment changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """The way in which breaks are made.

    Attributes:
        kind: "hard" (bare ground) or "shaded" (less fuel under fewer, higher crowns).
        name: of the treatment of a table; None where breaks are described by themselves.
        width_m: of the bare strip of a hard break; None treats the whole cell.
        most_canopy_cover: fraction left at most. 0.4 as in the prescriptions of the Sierra Nevada
            that Agee et al. 2000 discuss.
        least_canopy_base_height_m: crowns begin at least here, as far as half the trees' height
            allows. At 3 m and 100 % foliar moisture crowns catch fire from surface flames of
            1.7 m and more (Van Wagner 1977; Byram 1959).
        most_canopy_bulk_density_kg_m3: left at most. Below 0.10 crown fire hardly runs from tree
            to tree (Agee 1996; Agee et al. 2000; compare Scott & Reinhardt 2001, RMRS-RP-29).
        fine_fuel: factor of the load of fine fuel, see `FuelSystem.with_load`; None takes
            the least load of the same kind.
        fuels: pairs of the beginning of a fuel's name and the name of the fuel after the treatment,
            for which fine_fuel does not count; the longest beginning holds.
        canopy_cover, canopy_base_height, canopy_bulk_density: factors, before the bounds above.
        by_cell: several treatments, of which `Landscape.treatment` names one for each cell; what
            else is said here is then of no meaning, but for the width of those that leave bare
            ground. Where they are of both kinds, `kind` is "shaded".
    """

    kind: BreakKind = BreakSettings.break_kind
    width_m: float | None = BreakSettings.break_width_m
    most_canopy_cover: float = 0.4
    least_canopy_base_height_m: float = 3.0
    most_canopy_bulk_density_kg_m3: float = 0.10
    name: str | None = None
    fine_fuel: float | None = None
    fuels: tuple[tuple[str, str], ...] = ()
    canopy_cover: float = 1.0
    canopy_base_height: float = 1.0
    canopy_bulk_density: float = 1.0
    by_cell: "tuple[Treatment, ...]" = ()

    @property
    def mixed(self) -> bool:
        """True where some cells become bare ground, and others burn."""
        return len({one.kind for one in self.by_cell}) > 1


def treatment_of(breaks: BreakSettings) -> Treatment:
    """The treatment of a cell that the settings of breaks name."""
    return Treatment(kind=breaks.break_kind, width_m=breaks.break_width_m)


def break_width_m(treatment: Treatment, cell_size_m: float) -> float:
    """Width of the bare strip that a fire has to cross, m: a whole cell where none is given.

    Raises:
        InputError: the strip is wider than a cell.
    """
    if treatment.width_m is not None and treatment.width_m > cell_size_m:
        raise fail(expected=f"a break no wider than a cell of {cell_size_m:g} m",
                   given=f"{treatment.width_m:g} m", where=_WHERE,
                   remedy="treat several cells side by side, or coarsen the map")
    return cell_size_m if treatment.width_m is None else treatment.width_m


def bare_of(landscape: Landscape, treatment: Treatment) -> NDArray[np.bool_]:
    """The cells [H, W] that mixed treatments leave bare."""
    assert landscape.treatment is not None
    bare = np.array([one.kind == "hard" for one in treatment.by_cell])
    return np.asarray(bare[np.maximum(landscape.treatment, 0)])


def strips_of(landscape: Landscape, treatment: Treatment) -> NDArray[np.float32] | float:
    """Width of the bare strip in each cell, m: [H, W] where the land has widths of its own."""
    width = break_width_m(treatment, landscape.cell_size_m)
    return width if landscape.strip_m is None else landscape.strip_m


def with_strips(landscape: Landscape, width_m: NDArray[np.float64],
                usual_m: float | None) -> Landscape:
    """The landscape whose bare breaks are strips of these widths, and cost in proportion; itself
    where that changes nothing.

    Args:
        width_m: [H, W], 0 where nobody says one; a cell holds no more than its side.
        usual_m: of breaks elsewhere; None for whole cells.
    """
    usual = landscape.cell_size_m if usual_m is None else usual_m
    strip = np.where(width_m > 0.0, np.minimum(width_m, landscape.cell_size_m), usual)
    if (strip == usual).all():
        return landscape
    return replace(landscape, strip_m=strip.astype(np.float32),
                   cost=(landscape.cost * (strip / usual)).astype(np.float32))


def treated_landscape(landscape: Landscape, treatment: Treatment) -> Landscape:
    """The landscape as if every treatable cell were treated.

    A hard break makes a cell unburnable, whatever its width: how fire may cross a strip is not a
    matter of fuel. Value, cost and terrain stay.
    """
    if treatment.by_cell:
        return _each_cell(landscape, treatment.by_cell)
    there = landscape.treatable
    if treatment.kind == "hard":
        bare = landscape.fuels.non_burnable
        return replace(landscape, fuel_model=np.where(there, bare, landscape.fuel_model))
    cover, density = landscape.canopy_cover, landscape.canopy_bulk_density_kg_m3
    base = landscape.canopy_base_height_m
    highest = np.float32(_LARGEST_BASE_SHARE) * landscape.canopy_height_m
    raised = np.maximum(base * np.float32(treatment.canopy_base_height),
                        np.float32(treatment.least_canopy_base_height_m))
    fewer = np.minimum(cover * np.float32(treatment.canopy_cover), treatment.most_canopy_cover)
    thinned = np.minimum(density * np.float32(treatment.canopy_bulk_density),
                         treatment.most_canopy_bulk_density_kg_m3)
    return replace(
        landscape,
        fuel_model=np.where(there, fuel_after(landscape, treatment), landscape.fuel_model),
        canopy_cover=np.where(there, fewer, cover),
        canopy_base_height_m=np.where(there, np.maximum(base, np.minimum(raised, highest)), base),
        canopy_bulk_density_kg_m3=np.where(there, thinned, density))


def fuel_after(landscape: Landscape, treatment: Treatment) -> NDArray[np.int16]:
    """Fuel codes [H, W] after a shaded treatment of every burnable cell; the others stay."""
    fuels, after = landscape.fuels, landscape.fuel_model.copy()
    for code in np.intersect1d(landscape.fuel_model, fuels.burnable_codes).tolist():
        after[landscape.fuel_model == code] = _code_after(code, treatment, fuels)
    return after


def _code_after(code: int, treatment: Treatment, fuels: FuelSystem) -> int:
    """The code after a shaded treatment, of a code that burns."""
    if treatment.fine_fuel is None:
        return fuels.least_load(code)
    codes = {label: other for other, label in fuels.labels.items()}
    fits = [(begin, after) for begin, after in treatment.fuels
            if fuels.label(code).startswith(begin) and after in codes]
    if fits:
        return codes[max(fits, key=lambda pair: len(pair[0]))[1]]
    return fuels.with_load(code, treatment.fine_fuel)


def _each_cell(landscape: Landscape, kinds: tuple[Treatment, ...]) -> Landscape:
    """The landscape with the treatment of each cell; where none was chosen, with the first."""
    if landscape.treatment is None:
        raise fail(expected="a landscape with a treatment for each cell", given="none chosen",
                   where=_WHERE, remedy="choose one of them, or name them by treatment")
    chosen = np.maximum(landscape.treatment, 0)
    treated = [treated_landscape(landscape, one) for one in kinds]
    grids: dict[str, Any] = {name: np.choose(chosen, [getattr(one, name) for one in treated])
                             for name in CHANGED}
    return replace(landscape, **grids)
