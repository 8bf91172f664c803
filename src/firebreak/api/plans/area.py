"""The part of a map to plan for, what may be spent there, and what a plan must keep to.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.api.shared.budget import money_in, parts_of_cell, phases_of
from firebreak.api.shared.domains import part_of_map
from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatment_table import with_roads
from firebreak.planning.core.area import Offset, cells_in, mask_on_part
from firebreak.planning.core.plan import Plan, cost_of, cost_unit
from firebreak.settings.budget import Limits

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.landscape.raster.on_grid import ArrayOnGrid
    from firebreak.planning.core.corridors import Corridors
    from firebreak.planning.core.domain import Domain
    from firebreak.planning.core.rules import PlanRules
    from firebreak.planning.evaluation.build_order import Phase
    from firebreak.planning.evaluation.evaluate import Evaluation


class PlanningArea(NamedTuple):
    """The part of a map to plan for and what the plan must keep to.

    Attributes:
        land: the part, its treatable cells those that may be treated.
        full: the whole map, with the same costs.
        offset: row and column of the part's north-west cell in it.
        rules: what the plan must keep to.
        share: of the cost of all treatable cells that may be spent.
        phases: what may be spent in which year, where the options say so.
        money: that may be spent, in the unit of the costs; over years it may be more than all
            breaks cost.
        most_cells: that may be treated, where costs differ and an area limits the plan; else None.
        anywhere: the part with the cells off the lines too, where the plan has to keep to lines:
            other networks need not.
        domain: how the part's margin was found; None where fires start in the part alone.
    """

    land: "Landscape"
    full: "Landscape"
    offset: tuple[int, int]
    rules: "PlanRules"
    share: float
    phases: "list[Phase]"
    money: float
    most_cells: float | None
    anywhere: "Landscape"
    domain: "Domain | None"


def planning_area(options: PlaceOptions, full: "Landscape", limits: Limits,
                  scene: SceneOptions, source: str) -> PlanningArea:
    """Read what the options name, on a landscape with its rasters.

    Args:
        limits: the budget.
        scene: the fires. source: what the landscape was read from; empty if it was handed in.

    Raises:
        InputError: files that do not fit, options that contradict one another.
    """
    from firebreak.planning.core.rules import PlanRules

    full = scene.with_strips(_with_costs(options, full), (options.lines, options.network))
    part = part_of_map(full, options.area, scene, source)
    land, offset = part.land, part.offset
    include = cells_in(options.must_include, land, offset, full)
    if options.must_exclude is not None:
        excluded = mask_on_part(options.must_exclude, land, offset, full)
        land = _without(land, excluded, include, offset)
    phases = phases_of(limits)
    money, most_cells = money_in(limits, land, scene.breaks.break_width_m,
                                 over_years=options.horizon is not None)
    lines = _lines(options, land, scene.breaks.leak)
    whole = cost_of(np.flatnonzero(land.treatable), land)
    # What may be spent does not depend on where: a share is one of all treatable cells.
    share = limits.share or 1.0
    spend = share * whole if money is None else money
    if money is not None and whole > 0.0:
        money = min(money, whole)
        share = money / whole
    anywhere = land
    if lines is not None and lines.only:
        land = replace(land, treatable=land.treatable & lines.mask(land.shape))
        whole = cost_of(np.flatnonzero(land.treatable), land)
        money = min(spend, whole)
        share = min(money / whole, 1.0)
    rules = PlanRules(include=_treatable(include, land, offset, options), budget=money,
                      shortest_m=options.shortest_m, lines=lines)
    return PlanningArea(land, full, offset, rules, share, phases, spend, most_cells, anywhere,
                        part.domain)


def check_corridors_fit(options: PlaceOptions, area: PlanningArea,
                        value: "Path | ArrayOnGrid | None") -> None:
    """Refuses what leaves no ground for corridors.

    value: what is lost where a cell burns.

    Raises:
        InputError: a shortest route that is longer than from one corner of what may be treated to
            the other; a buffer without houses, or all of that in it.

    Warns:
        LandscapeWarning: features that count 1 each, such as houses, lie too close for a buffer.
    """
    from firebreak.landscape.candidates.corridors.ground import MOST_HELD, check_houses, houses_of
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.formats.overlays import counted_in

    known = houses_of(area.land).any()
    if not known and value is not None and counted_in(value) is not None and (
            area.land.value > 0.0).any():
        warn(f"{value}: more than {MOST_HELD:.0%} of the cells hold some, so no distance is kept "
             "from them; keep corridors off by --must-exclude")
    if options.house_buffer and not known:
        named = value is not None or area.land.layers
        share = float((area.land.value > 0.0)[area.land.inside].mean())
        raise fail(expected=f"houses: value in at most {MOST_HELD:.0%} of the cells",
                   given=f"value in {share:.0%} of them" if named else "none",
                   where="--house-buffer", remedy="leave it out, and keep corridors off by "
                   "--must-exclude" if named else "name houses with --value, or leave it out")
    check_houses(area.land, house_buffer_of(options))
    rows, cols = np.nonzero(area.land.treatable)
    if not rows.size or not options.shortest_m:
        return
    longest = float(np.hypot(np.ptp(rows) + 1, np.ptp(cols) + 1)) * area.land.cell_size_m
    if options.shortest_m > longest:
        raise fail(expected=f"a shortest route within the area, which is {longest:,.0f} m across",
                   given=f"{options.shortest_m:,.0f} m", where="--shortest-m",
                   remedy="lower it, or widen the area")


def house_buffer_of(options: PlaceOptions) -> float:
    """The distance from a house within which nothing is treated, m."""
    from firebreak.landscape.candidates.corridors.ground import HOUSE_BUFFER_M

    return HOUSE_BUFFER_M if options.house_buffer is None else options.house_buffer


def as_counted(scene: "Scene", area: PlanningArea, share: float) -> "tuple[Scene, float]":
    """A scene whose costs are what its cells count in the budget, and the share of their sum that
    may be spent; the scene and the share as they are where no area limits the plan.

    Methods know one limit, a sum of costs. So a cell counts with its cost, or with the money over
    the number of cells that the area allows if this is more: what keeps to the money then keeps to
    the area, and may spend less than both.
    """
    money, land = area.rules.budget, scene.landscape
    if area.most_cells is None or money is None:
        return scene, share
    part, _ = parts_of_cell(land, None)  # parts are the same for any width of all cells
    cost = np.maximum(land.cost, (money / area.most_cells * part).astype(np.float32))
    land = replace(land, cost=cost)
    return replace(scene, landscape=land), min(
        1.0, money / cost_of(np.flatnonzero(land.treatable), land))


def priced(plan: Plan, area: PlanningArea, limits: Limits) -> Plan:
    """A plan that was made on a scene of `as_counted`, at what its cells cost."""
    if area.most_cells is None or area.rules.budget is None:
        return plan
    land = area.land
    cost = cost_of(plan.cells, land)
    by_area = limits.money is None and limits.share is None
    return replace(plan, cost=cost, cost_unit=cost_unit(land),
                   landscape_checksum=land.checksum(), budget_share=area.share,
                   budget=cost if by_area else max(cost, area.rules.budget))


def priced_rows(found: "Evaluation", area: PlanningArea, limits: Limits) -> "Evaluation":
    """A comparison on a scene of `as_counted`, its plans at what their cells cost."""
    if area.most_cells is None:
        return found
    return replace(
        found, rows=tuple(row._replace(budget=area.share) for row in found.rows),
        plans=tuple({name: priced(plan, area, limits) for name, plan in plans.items()}
                    for plans in found.plans))


def _with_costs(options: PlaceOptions, full: "Landscape") -> "Landscape":
    """A landscape whose costs rise with the way to a road, where the options say so.

    Raises:
        InputError: no roads.
    """
    if not options.cost_per_km:
        return full
    if full.road_m is None:
        raise fail(expected="--roads beside --cost-per-km", given="no roads",
                   where="--cost-per-km", remedy="name the roads too")
    dearer = with_roads(full.cost.astype(np.float64), full.road_m, options.cost_per_km)
    return replace(full, cost=dearer.astype(np.float32))


def _lines(options: PlaceOptions, land: "Landscape", leak: bool) -> "Corridors | None":
    """The lines to choose among, those of their pieces that have treatable cells.

    Raises:
        InputError: no line that could be built.
    """
    from firebreak.landscape.candidates.corridor import corridor_of, with_part_numbers
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.formats.overlays import file_and_attribute
    from firebreak.landscape.raster.line_cells import lines_on_grid
    from firebreak.planning.core.corridors import Corridors

    if options.lines is None:
        return None
    path, attribute = file_and_attribute(options.lines)
    assert isinstance(path, Path)
    found = lines_on_grid(path, land, options.segment_m, joined=leak, attribute=attribute)
    if found.outside:
        warn(f"{path}: {found.outside} of {found.outside + len(found.pieces)} lines lie outside "
             "the map and are left out")
    can = land.treatable.ravel()
    pairs = [(corridor_of(piece, land, "given", treated=wide)._replace(name=name), number)
             for number, (name, pieces, all_wide) in enumerate(zip(
                 found.names, found.pieces, found.wide, strict=True))
             for piece, wide in zip(pieces, all_wide, strict=True) if can[piece].any()]
    if not pairs:
        raise fail(expected="lines with treatable cells", given="none", where=str(path),
                   remedy="check their place, and the area and masks")
    return Corridors(corridors=tuple(with_part_numbers([own for own, _ in pairs])),
                     line=tuple(number for _, number in pairs), only=options.only_lines)


def _without(land: "Landscape", excluded: NDArray[np.bool_], include: NDArray[np.int64],
             offset: Offset) -> "Landscape":
    both = int(excluded.ravel()[include].sum())
    if both:
        row, col = divmod(int(include[excluded.ravel()[include]][0]), land.shape[1])
        raise fail(expected="cells that must be included or excluded",
                   given=f"{both} that must be both, the first at row {row + offset[0]}, column "
                         f"{col + offset[1]}",
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
