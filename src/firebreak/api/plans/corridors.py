"""The corridors of an area for a plan that is to be built of them: routes, gaps, and cuts off
houses, and lines that the user supplies.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.plans.area import PlanningArea
from firebreak.api.shared.plan_options import PlaceOptions, PlanOptions
from firebreak.checks import fail
from firebreak.env.storage.problem import problem_of
from firebreak.fire import burn
from firebreak.landscape.candidates.corridor import Cells, Corridor
from firebreak.landscape.candidates.corridors.find import LEAST_M, corridors_on, ground_below
from firebreak.landscape.candidates.corridors.ground import (
    HOUSE_BUFFER_M,
    check_houses,
    ground_of,
    houses_of,
)
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import is_vector
from firebreak.landscape.raster.shapes import cells_by_name
from firebreak.planning.barriers.cut import Cut, Network
from firebreak.planning.barriers.enclose import stakes_of
from firebreak.planning.barriers.offer import flows_are_quick, is_concentrated
from firebreak.planning.barriers.pieces import whole_cuts
from firebreak.planning.barriers.rings import rings_around
from firebreak.planning.barriers.sweep import around_each, hull
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.patterns.offered import offered
from firebreak.planning.patterns.straight import straight_corridors

if TYPE_CHECKING:
    from firebreak.fire import Scene

MOST_CUTS = 6
"""Closed barriers of the whole map that are offered, at most."""


def check_corridors_fit(options: PlaceOptions, area: PlanningArea) -> None:
    """Refuses what leaves no ground for corridors.

    Raises:
        InputError: a shortest route that is longer than from one corner of what may be treated to
            the other; a buffer without houses, or all of that in it.
    """
    if options.house_buffer and not houses_of(area.land).any():
        raise fail(expected="houses: value in at most a tenth of the cells", given="none",
                   where="--house-buffer", remedy="name houses with --value, or leave it out")
    check_houses(area.land, house_buffer_of(options))
    rows, cols = np.nonzero(area.land.treatable)
    if not rows.size or not options.shortest_m:
        return
    longest = float(np.hypot(np.ptp(rows) + 1, np.ptp(cols) + 1)) * area.land.cell_size_m
    if options.shortest_m > longest:
        raise fail(expected=f"a shortest route within the area, which is {longest:,.0f} m across",
                   given=f"{options.shortest_m:,.0f} m", where="--shortest-m",
                   remedy="lower it, or widen the area")


def shortest_of(options: PlaceOptions) -> float:
    """The length of the shortest route, m; gaps between barriers may be shorter."""
    return options.shortest_m or LEAST_M


def house_buffer_of(options: PlaceOptions) -> float:
    """The distance from a house within which nothing is treated, m."""
    return HOUSE_BUFFER_M if options.house_buffer is None else options.house_buffer


def named_in(roads: Path | None, lines: Path | None, land: Landscape) -> dict[str, Cells]:
    """The flat cells of roads, and of lines to choose among, by the names in their files."""
    return cells_by_name([path for path in (roads, lines)
                          if isinstance(path, Path) and is_vector(path)], land)


def with_corridors(asked: PlanOptions, area: PlanningArea, scene: "Scene",
                   plan_fires: int) -> PlanningArea | None:
    """An area in which corridors alone may be treated, and what must be included; None without any
    that the money pays for, where no option says what they should be.

    Args:
        scene: of the area, all of which may be treated.

    Raises:
        InputError: options say it, and there is none; the plan fires burn nothing of value.
    """
    options, roads = asked.place, asked.scene.map.roads
    ground = ground_of(area.land, house_buffer_of(options))
    land = replace(area.land, treatable=area.land.treatable & ~ground.near_houses)
    leak = scene.conditions.leak
    problem = problem_of(replace(scene, landscape=land), area.share,
                         fires := scene.fires("plan", plan_fires), fires.first(0))
    behind = burn(scene, fires, want="statistics").downstream_value
    least_m, houses = shortest_of(options), houses_of(land)
    cuts, rings, straight = list[Cut](), list[Corridor](), list[Corridor]()
    if is_concentrated(scene) or flows_are_quick(scene):
        network = Network(stakes_of(problem))
        cuts = hull(network, area.money, MOST_CUTS)
        cuts += [] if houses.any() else around_each(network)
    if houses.any():  # elsewhere short lines pay little, and keep the choice from long ones
        rings = rings_around(houses, land, ground, least_m=least_m, leak=leak)
        straight = straight_corridors(problem, ground, least_m)
    lines = offered(
        corridors_on(land, ground, least_m, leak, behind if houses.any() else None), behind, land,
        area.rules.lines, whole_cuts(cuts, land, leak=leak), rings=rings, straight=straight,
        named=named_in(roads, options.lines, land))
    lines = replace(lines, corridors=tuple(
        own._replace(ground=ground_below(own.cells, land, ground)) for own in lines.corridors))
    if not any(own.cells.size and own.cost <= area.money for own in lines.corridors):
        if options.shortest_m or options.house_buffer is not None:
            raise fail(expected="corridors that the money pays for", given="none on this map",
                       where=f"landscape {land.name}",
                       remedy="lower --shortest-m or --house-buffer, or plan with --cells")
        return None
    mask = lines.mask(land.shape)
    mask.ravel()[area.rules.include] = True
    land = replace(area.land, treatable=area.land.treatable & mask)
    whole = cost_of(np.flatnonzero(land.treatable), land)
    money = min(area.money, whole)
    return area._replace(land=land, share=money / whole, rules=PlanRules(
        include=area.rules.include, budget=money, lines=lines))
