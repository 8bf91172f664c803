"""What a planner says of a plan: where it may go, what it must have, what it may cost, by when."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.settings.kinds import Fraction, NotNegative, Positive

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.raster.arrays import ArrayOnGrid
    from firebreak.planning.core.given_lines import GivenLines
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.core.rules import PlanRules
    from firebreak.planning.evaluation.build_order import Phase

NO_PHASES = ""
"""Phases that replace those of a file by none."""
_AREA = re.compile(r"(\d{1,9}):(\d{1,9}),(\d{1,9}):(\d{1,9})")
MOST_YEARS = 100
MARGIN = 16  # cells around an area in which fires start and spread but nothing is treated


@dataclass
class PlaceOptions:
    """Where breaks may go, what they cost and what the plan must have. Files of shapes or rasters
    in any reference system."""

    area: str | None = None
    """Part of the map to plan for: R0:R1,C0:C1 (half-open, from the north-west corner), or a file
    of polygons or a raster."""
    must_include: Path | None = None
    """Cells that the plan must have, shapes or a raster; they count in its cost."""
    must_exclude: Path | None = None
    """Cells that the plan must not have, shapes or a raster."""
    lines: Path | None = None
    """Shapes of lines, such as roads and ridges, that the method may choose beside its own breaks;
    they are cut into pieces of at most --segment-m. For segments, dqn-lookahead, dqn-search
    and auto."""
    only_lines: bool = False
    """Use the lines of --lines only, and no other breaks."""
    existing: Path | None = None
    """A network of breaks, or a plan, to compare the plan with; it is judged at its own cost."""
    shortest_m: NotNegative = 0.0
    """Shortest length of a connected piece of the plan; pieces of --must-include may be shorter."""
    segment_m: Positive = 500.0
    """Longest length of a segment: longer pieces of the plan are cut into segments of about this
    length."""
    money: Positive | None = None
    """Money that may be spent, in the unit of the costs, instead of --budget."""
    phases: str | None = None
    """Money that may be spent in each year, instead of --budget, such as 2027:50000,2028:80000."""
    horizon: Annotated[int, Ge(1), Le(MOST_YEARS)] | None = None
    """Plan what to build and what to keep up in so many years, with a --treatment: building and
    upkeep share the money of a year, which is --phases, or an equal part of what may be spent."""
    discount_rate: Fraction = 0.0
    """Share by which a loss counts less with each year that it comes later, with --horizon: 0.03,
    or 3%."""
    cost_per_ha: Positive | None = None
    """Cost of treating a hectare on level ground beside a road, instead of --cost and
    --treatment."""
    cost_slope: NotNegative = 0.0
    """Share by which a slope of 100 % raises the cost."""
    cost_per_km: NotNegative = 0.0
    """Share by which each kilometre to the nearest of --roads raises the cost."""


class Place(NamedTuple):
    """The part of a map to plan for and what the plan must keep to.

    land: the part, its treatable cells those that may be treated. full: the whole map, with the
    same costs. offset: where the part lies in it. share: of the cost of all treatable cells. money:
    what may be spent, in the unit of the costs; over years it may be more than all breaks cost.
    anywhere: the part with the cells off the lines too, where the plan has to keep to lines: other
    networks need not.
    """

    land: "Landscape"
    full: "Landscape"
    offset: tuple[int, int]
    rules: "PlanRules"
    share: float
    phases: "list[Phase]"
    money: float
    anywhere: "Landscape"


def place_of(options: PlaceOptions, full: "Landscape", budget: float, width_m: float | None,
             config: Path | None, leak: bool = False) -> Place:
    """Reads what the options name, on a landscape with its rasters.

    Args:
        budget: share of the cost of all treatable cells, where no money is named.
        width_m: of a break, which is what is paid for.
        config: a plan's TOML file, whose [[phase]]s count where no --phases are given.
        leak: fire passes between breaks that touch at a corner.

    Raises:
        InputError: files that do not fit, options that contradict one another.
    """
    from firebreak.planning.core.plan import cost_of
    from firebreak.planning.core.rules import PlanRules

    full = _with_costs(options, full, width_m)
    land, offset = part_of(full, options.area) if options.area else (full, (0, 0))
    include = _cells_in(options.must_include, land)
    if options.must_exclude is not None:
        land = _without(land, options.must_exclude, include)
    phases = _phases(options.phases, config)
    money = _money(options, phases)
    lines = _lines(options, land, leak)
    whole = cost_of(np.flatnonzero(land.treatable), land)
    # What may be spent does not depend on where: a share is one of all treatable cells.
    spend = budget * whole if money is None else money
    if money is not None and whole > 0.0:
        # Over years money that builds no more keeps up what stands.
        if options.horizon is None and money > whole * (1.0 + 1e-9):
            raise fail(expected=f"a budget of at most {whole:g}, the cost of all treatable cells",
                       given=f"{money:g}", where="--phases" if phases else "--money",
                       remedy="lower it, or widen the area")
        money = min(money, whole)
        budget = money / whole
    anywhere = land
    if lines is not None and lines.only:
        land = replace(land, treatable=land.treatable & lines.mask(land.shape))
        whole = cost_of(np.flatnonzero(land.treatable), land)
        money = min(spend, whole)
        budget = min(money / whole, 1.0)
    rules = PlanRules(include=_treatable(include, land, offset, options), budget=money,
                      shortest_m=_not_negative(options.shortest_m, "--shortest-m"), lines=lines)
    return Place(land, full, offset, rules, budget, phases, spend, anywhere)


def money_by_year(place: Place, horizon: int) -> tuple[list[int], list[float]]:
    """Each year of a horizon and what may be spent in it: the phases', none where there is none; or
    equal parts of all the money, in years 1, 2, ...

    Raises:
        InputError: phases beyond the horizon.
    """
    if not place.phases:
        return list(range(1, horizon + 1)), [place.money / horizon] * horizon
    years = list(range(place.phases[0].year, place.phases[0].year + horizon))
    last = place.phases[-1].year
    if last > years[-1]:
        raise fail(expected=f"phases within {horizon} years from {years[0]}", given=f"{last}",
                   where="--horizon", remedy="widen it, or leave the later phases out")
    money = {phase.year: phase.budget for phase in place.phases}
    return years, [money.get(year, 0.0) for year in years]


def existing_plan(path: "Path | ArrayOnGrid", land: "Landscape", full: "Landscape",
                  offset: tuple[int, int]) -> "Plan":
    """A network of breaks, as a plan for the part of the map that is planned for.

    Raises:
        InputError: nothing of it can be treated there.

    Warns:
        LandscapeWarning: a part of it lies where nothing may be treated, and is left out.
    """
    from firebreak.landscape.formats.overlays import mask_of
    from firebreak.landscape.raster.shape_files import is_vector
    from firebreak.planning.core.plan import EXISTING, Plan, cost_of, cost_unit
    from firebreak.planning.output.export import read_plan

    is_plan = isinstance(path, Path) and (path.is_dir() or path.suffix.lower() == ".csv"
                                          ) and not is_vector(path)
    if not is_plan:
        mask = mask_of(path, land, how="any") & land.burnable
    else:
        (top, left), (rows, cols) = offset, land.shape
        assert isinstance(path, Path)
        whole = read_plan(path, full).break_mask()
        mask = whole[top:top + rows, left:left + cols]
    cells = np.flatnonzero(mask & land.treatable)
    lost = int(mask.sum()) - cells.size
    if lost:
        from firebreak.landscape.formats.assemble import warn

        warn(f"{path}: {lost} of {int(mask.sum())} cells lie where nothing may be treated, and are "
             "left out of the comparison")
    if not cells.size:
        raise fail(expected="breaks on treatable cells", given="none", where=str(path),
                   remedy="check its place, and the area and masks")
    cost = cost_of(cells, land)
    whole_cost = cost_of(np.flatnonzero(land.treatable), land)
    return Plan(method=EXISTING, cells=cells, shape=land.shape, cost=cost,
                cost_unit=cost_unit(land), currency=land.currency, budget=cost,
                budget_share=cost / whole_cost, landscape=land.name,
                landscape_checksum=land.checksum(), plan_fires=0, seed=0, seconds=0.0,
                simulations=0.0)


def cells_named(area: str | None) -> tuple[int, int] | None:
    """Rows and columns of an area R0:R1,C0:C1, without its margin; None for any other area."""
    found = None if area is None else _AREA.fullmatch(area.replace(" ", ""))
    if found is None:
        return None
    top, bottom, left, right = map(int, found.groups())
    return max(bottom - top, 0), max(right - left, 0)


def part_of(full: "Landscape", area: "str | ArrayOnGrid") -> "tuple[Landscape, tuple[int, int]]":
    """The cells that an area names with a margin, only the area treatable."""
    from firebreak.landscape.formats.overlays import mask_of
    from firebreak.planning.core.area import plan_area

    found = _AREA.fullmatch(area.replace(" ", "")) if isinstance(area, str) else None
    if found is not None:
        top, bottom, left, right = map(int, found.groups())
        return plan_area(full, slice(top, bottom), slice(left, right), MARGIN)
    if isinstance(area, str) and not Path(area).exists():
        raise fail(expected="an area like R0:R1,C0:C1, or a file of polygons", given=f"'{area}'",
                   where="--area", remedy="for example --area 100:164,200:264")
    inside = mask_of(area, full)
    rows, cols = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        raise fail(expected="an area on the landscape", given="no cell of it", where=str(area),
                   remedy="check its place and reference system")
    land, offset = plan_area(full, slice(int(rows[0]), int(rows[-1]) + 1),
                             slice(int(cols[0]), int(cols[-1]) + 1), MARGIN)
    (top, left), (height, width) = offset, land.shape
    own = inside[top:top + height, left:left + width]
    return replace(land, treatable=land.treatable & own), offset


def area_mask(full: "Landscape", area: "str | ArrayOnGrid", offset: tuple[int, int],
              shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells of an area itself, without the margin, in the part that `part_of` cuts out for it.
    """
    from firebreak.landscape.formats.overlays import mask_of

    found = _AREA.fullmatch(area.replace(" ", "")) if isinstance(area, str) else None
    if found is None:
        inside = mask_of(area, full)
    else:
        top, bottom, left, right = map(int, found.groups())
        inside = np.zeros(full.shape, np.bool_)
        inside[top:bottom, left:right] = True
    (first, west), (height, width) = offset, shape
    return inside[first:first + height, west:west + width]


def _cells_in(path: Path | None, land: "Landscape") -> NDArray[np.int64]:
    from firebreak.landscape.formats.overlays import mask_of

    if path is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(mask_of(path, land, how="any"))


def standing_cells(path: Path | None, land: "Landscape") -> NDArray[np.int64]:
    """Flat cells of breaks that stand already."""
    return _cells_in(path, land)


def _lines(options: PlaceOptions, land: "Landscape", leak: bool) -> "GivenLines | None":
    """The lines to choose among, those of their pieces that have treatable cells.

    Raises:
        InputError: --only-lines without lines, or none that could be built.
    """
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.raster.line_cells import lines_on_grid
    from firebreak.planning.core.given_lines import GivenLines

    path = options.lines
    if path is None:
        if options.only_lines:
            raise fail(expected="--lines together with --only-lines", given="none",
                       where="--only-lines", remedy="name the file of lines")
        return None
    found = lines_on_grid(path, land, options.segment_m, joined=leak)
    if found.outside:
        warn(f"{path}: {found.outside} of {found.outside + len(found.pieces)} lines lie outside "
             "the map and are left out")
    can = land.treatable.ravel()
    pairs = [(piece[can[piece]], number) for number, pieces in enumerate(found.pieces)
             for piece in pieces if can[piece].any()]
    if not pairs:
        raise fail(expected="lines with treatable cells", given="none", where=str(path),
                   remedy="check their place, and the area and masks")
    return GivenLines(pieces=tuple(cells for cells, _ in pairs),
                      line=tuple(number for _, number in pairs), only=options.only_lines)


def _without(land: "Landscape", path: Path, include: NDArray[np.int64]) -> "Landscape":
    from firebreak.landscape.formats.overlays import mask_of

    excluded = mask_of(path, land, how="any")
    both = int(excluded.ravel()[include].sum())
    if both:
        row, col = divmod(int(include[excluded.ravel()[include]][0]), land.shape[1])
        raise fail(expected="cells that must be included or excluded",
                   given=f"{both} that must be both, the first at row {row}, column {col}",
                   where="--must-include and --must-exclude", remedy="correct one of them")
    return replace(land, treatable=land.treatable & ~excluded)


def _treatable(include: NDArray[np.int64], land: "Landscape", offset: tuple[int, int],
               options: PlaceOptions) -> NDArray[np.int64]:
    """Cells to include without those that do not burn anyway, by rows.

    offset: where the land lies in the whole map.

    Raises:
        InputError: some burn and may not be treated, or none is left.
    """
    burns = include[land.burnable.ravel()[include]]
    barred = burns[~land.treatable.ravel()[burns]]
    if barred.size:
        row, col = divmod(int(barred[0]), land.shape[1])
        off = "off the lines of --only-lines, or " if options.only_lines else ""
        raise fail(expected="cells to include that may be treated",
                   given=f"{barred.size} {off}outside the area or the treatable cells, the first "
                         f"at row {row + offset[0]}, column {col + offset[1]} of the map",
                   where=str(options.must_include),
                   remedy="cut them off, or let more cells be treated")
    if include.size and not burns.size:
        raise fail(expected="cells to include that burn", given="none",
                   where=str(options.must_include), remedy="leave --must-include out")
    return burns


def _with_costs(options: PlaceOptions, full: "Landscape",
                width_m: float | None) -> "Landscape":
    from firebreak.landscape.costs import CostModel, cell_costs, with_roads

    tabled = full.treatment is not None
    if options.cost_per_ha is None:
        unused = [name for name, given in (
            ("--cost-slope", options.cost_slope),
            ("--cost-per-km", 0.0 if tabled else options.cost_per_km)) if given]
        if unused and tabled:
            raise fail(expected="no --cost-slope beside --treatment, whose table has it",
                       given=f"{options.cost_slope:g}", where=unused[0], remedy="leave it out")
        if unused:
            raise fail(expected=f"--cost-per-ha together with {unused[0]}", given="none",
                       where=unused[0], remedy="say what a hectare costs, or leave it out")
        if not options.cost_per_km:
            return full
        _check_roads(full)
        dearer = with_roads(full.cost.astype(np.float64), full, options.cost_per_km)
        return replace(full, cost=dearer.astype(np.float32))
    if tabled:
        raise fail(expected="--cost-per-ha, or --treatment, whose table has costs", given="both",
                   where="--cost-per-ha", remedy="leave one of them out")
    if (full.cost != 1.0).any():
        raise fail(expected="--cost-per-ha, or costs by cell", given="both",
                   where="--cost-per-ha", remedy="leave one of them out")
    if options.cost_per_km:
        _check_roads(full)
    model = CostModel(per_ha=options.cost_per_ha, slope=options.cost_slope,
                      per_km=options.cost_per_km)
    cost = cell_costs(model, full, width_m).astype(np.float32)
    return replace(full, cost=cost)


def _check_roads(full: "Landscape") -> None:
    if full.road_m is None:
        raise fail(expected="--roads beside --cost-per-km", given="no roads",
                   where="--cost-per-km", remedy="name the roads too")


def _phases(text: str | None, config: Path | None) -> "list[Phase]":
    from firebreak.files import read_toml
    from firebreak.planning.evaluation.build_order import Phase, check_phases

    pairs: list[tuple[Any, ...]]
    if text == NO_PHASES:
        return []
    if text is not None:
        where, pairs = "--phases", [tuple(part.split(":")) for part in text.split(",")]
    elif config is not None:
        given = read_toml(config).get("phase", [])
        where = str(config)
        tables = given if isinstance(given, list) else [given]
        pairs = [(table.get("year"), table.get("budget")) if isinstance(table, dict)
                 and set(table) == {"year", "budget"} else () for table in tables]
    else:
        return []
    try:
        phases = [Phase(_whole_year(year), float(_no_truth(budget))) for year, budget in pairs]
    except (TypeError, ValueError, OverflowError):
        raise fail(expected="a year and a budget for each phase",
                   given=f"'{text}'" if text else "others", where=where,
                   remedy="write 2027:50000,2028:80000, or [[phase]] with year and budget",
                   ) from None
    if phases:
        check_phases(phases, where)
    return phases


def _whole_year(year: Any) -> int:
    whole = int(_no_truth(year))
    if whole != float(year):
        raise ValueError("part of a year")
    return whole


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("neither year nor money")
    return value


def _money(options: PlaceOptions, phases: "list[Phase]") -> float | None:
    from firebreak.planning.evaluation.build_order import total_budget

    if phases and options.money is not None:
        raise fail(expected="--money or phases", given="both", where="--money",
                   remedy="the phases' budgets are the money: leave one of them out")
    money = total_budget(phases) if phases else options.money
    if money is not None and not 0.0 < money < np.inf:
        raise fail(expected="a budget above 0", given=f"{money:g}", where="--money",
                   remedy="correct it")
    return money


def _not_negative(value: float, where: str) -> float:
    if not 0.0 <= value < np.inf:
        raise fail(expected="a length of 0 m or more", given=f"{value:g}", where=where,
                   remedy="correct it")
    return value


