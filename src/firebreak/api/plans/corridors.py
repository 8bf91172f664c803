"""The corridors of an area for a plan that is to be built of them: routes, gaps, and cuts off
houses, and lines that the user supplies.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.plans.area import PlanningArea
from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.checks import fail
from firebreak.env.storage.problem import problem_of
from firebreak.fire import burn
from firebreak.landscape.candidates.corridors.find import LEAST_M, corridors_on, ground_below
from firebreak.landscape.candidates.corridors.ground import (
    HOUSE_BUFFER_M,
    check_houses,
    ground_of,
)
from firebreak.planning.barriers.cut import Network
from firebreak.planning.barriers.enclose import stakes_of
from firebreak.planning.barriers.pieces import whole_cuts
from firebreak.planning.barriers.sweep import around_each, hull
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.patterns.offered import offered

if TYPE_CHECKING:
    from firebreak.fire import Scene

MOST_CUTS = 6
"""Closed barriers that are offered beside one around each cluster of value, at most."""


def check_shortest(options: PlaceOptions, area: PlanningArea) -> None:
    """Refuses a shortest route that the area is too small for.

    Raises:
        InputError: it is longer than from one corner of what may be treated to the other.
    """
    rows, cols = np.nonzero(area.land.treatable)
    if not rows.size:
        return
    longest = float(np.hypot(np.ptp(rows) + 1, np.ptp(cols) + 1)) * area.land.cell_size_m
    if shortest_of(options) > longest:
        raise fail(expected=f"a shortest route within the area, which is {longest:,.0f} m across",
                   given=f"{shortest_of(options):,.0f} m", where="--shortest-m",
                   remedy="lower it, or widen the area")


def shortest_of(options: PlaceOptions) -> float:
    """The length of the shortest route, m; gaps between barriers may be shorter."""
    return options.shortest_m or LEAST_M


def house_buffer_of(options: PlaceOptions) -> float:
    """The distance from a house within which nothing is treated, m."""
    return HOUSE_BUFFER_M if options.house_buffer is None else options.house_buffer


def with_corridors(options: PlaceOptions, area: PlanningArea, scene: "Scene",
                   plan_fires: int) -> PlanningArea:
    """An area in which corridors alone may be treated, and what must be included.

    Args:
        scene: of the area, all of which may be treated.

    Raises:
        InputError: no ground off houses, no corridors, no affordable one.
    """
    buffer_m = house_buffer_of(options)
    check_houses(area.land, buffer_m)
    ground = ground_of(area.land, buffer_m)
    land = replace(area.land, treatable=area.land.treatable & ~ground.near_houses)
    leak = scene.conditions.leak
    problem = problem_of(replace(scene, landscape=land), area.share,
                         fires := scene.fires("plan", plan_fires), fires.first(0))
    behind = burn(scene, fires, want="statistics").downstream_value
    found = corridors_on(land, ground, shortest_of(options), leak)
    network = Network(stakes_of(problem))
    cuts = [*hull(network, area.money, MOST_CUTS), *around_each(network)]
    lines = offered(found, behind, land, area.rules.lines,
                    whole_cuts(cuts, land, leak=leak))
    lines = replace(lines, corridors=tuple(
        own._replace(ground=ground_below(own.cells, land, ground)) for own in lines.corridors))
    mask = lines.mask(land.shape)
    if not mask.any():
        raise fail(expected="corridors on the map", given="none", where=f"landscape {land.name}",
                   remedy="lower --shortest-m or --house-buffer, or leave --corridors out")
    mask.ravel()[area.rules.include] = True
    land = replace(area.land, treatable=area.land.treatable & mask)
    whole = cost_of(np.flatnonzero(land.treatable), land)
    money = min(area.money, whole)
    return area._replace(land=land, share=money / whole, rules=PlanRules(
        include=area.rules.include, budget=money, lines=lines))
