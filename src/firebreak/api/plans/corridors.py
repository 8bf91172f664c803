"""The corridors of an area for a plan that is to be built of them: routes, gaps, and cuts off
houses, lines that the user supplies, and those of a network that the plan begins with.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.api.plans.area import PlanningArea, house_buffer_of
from firebreak.api.plans.request import WINDOWS_METHOD, PlanRequest
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.checks import counted, fail
from firebreak.env.storage.problem import problem_of
from firebreak.fire import burn
from firebreak.landscape.candidates.corridor import Cells, Corridor, with_part_numbers
from firebreak.landscape.candidates.corridors.find import LEAST_M, corridors_on, ground_below
from firebreak.landscape.candidates.corridors.ground import (
    ground_of,
    houses_of,
)
from firebreak.landscape.formats.overlays import file_and_attribute
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.landscape.raster.shape_files import is_vector
from firebreak.landscape.raster.shapes import cells_by_name
from firebreak.planning.barriers.cut import Cut, Network, around_each, hull
from firebreak.planning.barriers.enclose import stakes_of
from firebreak.planning.barriers.offer import flows_are_quick, is_concentrated
from firebreak.planning.barriers.pieces import whole_cuts
from firebreak.planning.barriers.rings import rings_around
from firebreak.planning.core.break_segments import (
    CORNERS,
    break_segments_of,
    least_length_m,
    pieces,
)
from firebreak.planning.core.build_rules import MOST_BESIDE
from firebreak.planning.core.corridors import NO_CORRIDORS, Corridors, stretches_of
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rules import PlanRules, short_pieces
from firebreak.planning.evaluation.drawn import Named
from firebreak.planning.methods import CHOOSERS
from firebreak.planning.patterns.offered import offered, straight_corridors

if TYPE_CHECKING:
    from firebreak.fire import Scene

MOST_CUTS = 6
"""Closed barriers of the whole map that are offered, at most."""


def named_in(roads: Path | None, lines: Path | None, land: Landscape) -> dict[str, Cells]:
    """The flat cells of roads, and of lines to choose among, by the names in their files."""
    drawn = None if lines is None else file_and_attribute(lines)[0]
    return cells_by_name([path for path in (roads, drawn)
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
    leak, share = scene.conditions.leak, area.share
    if (whole := cost_of(np.flatnonzero(land.treatable), land)) and ground.near_houses.any():
        share = min(1.0, area.money / whole)  # of less ground
    problem = problem_of(replace(scene, landscape=land), share,
                         fires := scene.fires("plan", plan_fires), fires.first(0))
    behind = burn(scene, fires, want="statistics").downstream_value
    least_m, houses = options.shortest_m or LEAST_M, houses_of(land)
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
        given := _off_houses(asked, area, ground.near_houses, leak), whole_cuts(
            cuts, land, leak=leak, least_m=least_m), rings=rings, straight=straight,
        named=named_in(roads, options.lines, land))
    lines = replace(lines, corridors=tuple(
        own._replace(ground=ground_below(own.cells, land, ground)) for own in lines.corridors))
    if not any(own.cells.size and own.cost <= area.money for own in lines.corridors):
        if options.shortest_m or options.house_buffer is not None:
            raise fail(expected="corridors that the money pays for", given="none on this map",
                       where=f"landscape {land.name}",
                       remedy="lower --shortest-m or --house-buffer, or plan with --cells")
        return None
    _warn_of_houses(asked, area, given)
    return _built_of(area, lines)


def _off_houses(asked: PlanOptions, area: PlanningArea, near: NDArray[np.bool_],
                leak: bool) -> Corridors | None:
    """The lines of an area without the cells near houses, but for those that must be included, and
    without stubs beside them: a corridor for each stretch that is left.
    """
    lines, longest_m = area.rules.lines, asked.place.segment_m
    if lines is None:
        return None
    left = _without_stubs(asked, area, lines.mask(near.shape), near, leak)
    none = np.zeros_like(left)
    found: list[tuple[Corridor, int]] = []
    for own, line in zip(lines.corridors, lines.line, strict=True):
        if left.ravel()[own.cells].all():
            found.append((own, line))
            continue
        parts = stretches_of(own, left, none, area.land)
        beside = np.setdiff1d(own.cells[left.ravel()[own.cells]], np.concatenate([
            own.cells[:0], *(part.cells for part in parts)]))
        if beside.size:
            parts += break_segments_of(mask_of_cells(beside, left.shape), area.land, longest_m)
        found += [(part._replace(name=own.name, kind=own.kind), line) for part in parts]
    return replace(lines, line=tuple(line for _, line in found), corridors=tuple(
        with_part_numbers([own for own, _ in found])))


def _without_stubs(asked: PlanOptions, area: PlanningArea, cells: NDArray[np.bool_],
                   near: NDArray[np.bool_], leak: bool) -> NDArray[np.bool_]:
    """Cells [H, W] without those near houses, and without the pieces that this leaves too short to
    be worth a crew's way.
    """
    include, land = area.rules.include, area.land
    left = cells & ~(near & ~mask_of_cells(include, near.shape))
    cut = ndimage.binary_dilation(cells & ~left, CORNERS).ravel()
    beside = [include[:0], *(piece for piece in pieces(left) if cut[piece].any())]
    rules = PlanRules(include=include, shortest_m=asked.place.shortest_m,
                      least_m=least_length_m(land.cell_size_m))
    for stub in short_pieces(np.concatenate(beside), rules, land, leak).values():
        left.ravel()[stub] = False
    return left


def _warn_of_houses(asked: PlanOptions, area: PlanningArea, given: Corridors | None) -> None:
    """Says how many cells of the lines of an area are not among those that are left, if any."""
    from firebreak.landscape.formats.assemble import warn

    lines, shape = area.rules.lines, area.land.shape
    lost = lines is not None and given is not None and lines.mask(shape) & ~given.mask(shape)
    if count := int(np.sum(lost)):
        warn(f"{asked.place.lines}: the plan leaves out {counted(count, 'cell')} of its lines "
             "within the buffer of houses (--house-buffer), stubs beside it included")


def off_cells(area: PlanningArea, near: NDArray[np.bool_], most: float) -> PlanningArea | None:
    """An area of corridors without those that run along cells [H, W], in which at most so much, in
    the unit of the costs, is spent; None where no other can be paid for.
    """
    area = area._replace(money=min(area.money, most))
    lines = area.rules.lines
    assert lines is not None, "an area of corridors"
    lines = lines.kept([own.cells.size > 0 and float(near.ravel()[own.cells].mean()) <= MOST_BESIDE
                        for own in lines.corridors])
    return (_built_of(area, lines) if any(own.cost <= area.money for own in lines.corridors)
            else None)


def _built_of(area: PlanningArea, lines: Corridors) -> PlanningArea:
    """An area where what must be included and the cells of lines alone may be treated."""
    mask = lines.mask(area.land.shape)
    mask.ravel()[area.rules.include] = True
    land = replace(area.land, treatable=area.land.treatable & mask)
    whole = cost_of(np.flatnonzero(land.treatable), land)
    money = min(area.money, whole)
    return area._replace(land=land, share=money / whole, rules=PlanRules(
        include=area.rules.include, budget=money, lines=lines))


METHOD = "segments"
"""The method that spends what is left where a chooser is named."""


def method_for(request: PlanRequest) -> str:
    """The method that adds to what is kept."""
    if request.method not in CHOOSERS:
        return request.method
    return WINDOWS_METHOD if request.by_windows else METHOD


def lines_of_network(request: PlanRequest) -> list[Corridor]:
    """The network of a request in lines as long as segments, of cells that may be treated, no cell
    in two; named as the shapes that they are of, and numbered where one is cut.
    """
    land, longest_m = request.area.land, request.options.place.segment_m
    return with_part_numbers([
        part._replace(name=shape.name or f"{number}", kind="given")
        for shape, own in _shapes(request)
        for number, part in enumerate(break_segments_of(own, land, longest_m), start=1)])


def covered_shapes(request: PlanRequest) -> list[Named]:
    """Shapes of the network that have no line, as they lie on cells of those before them."""
    return [shape for shape, own in _shapes(request) if not own.any()]


def _shapes(request: PlanRequest) -> Iterator[tuple[Named, NDArray[np.bool_]]]:
    """Yield the shapes of a network, and the cells [H, W] that are of none before."""
    from firebreak.planning.output.given import Feature, features_of, is_drawn

    path, network, area = request.options.place.improve, request.network, request.area
    assert network is not None, "a network to begin with"
    shapes: list[Named] = ([*features_of(path, network, area.full, area.offset)]
                           if isinstance(path, Path) and is_drawn(path)
                           else [Feature("", network.cells)])
    free = network.break_mask() & area.land.treatable
    for shape in shapes:
        own = np.zeros_like(free)
        own.ravel()[shape.cells] = free.ravel()[shape.cells]
        free &= ~own
        yield shape, own


def with_network(area: "PlanningArea", network: list[Corridor]) -> "PlanningArea":
    """An area whose plan may have all lines of a network, and chooses among them and its own."""
    include = np.unique(np.concatenate([area.rules.include, *(one.cells for one in network)]))
    lines = area.rules.lines or NO_CORRIDORS
    first = max(lines.line, default=-1) + 1
    return area._replace(rules=replace(area.rules, include=include, lines=replace(
        lines, corridors=(*lines.corridors, *network),
        line=(*lines.line, *range(first, first + len(network))))))
