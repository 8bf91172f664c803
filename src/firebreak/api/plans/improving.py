"""A plan that begins with the breaks of --improve, and the changes from those to it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.plans.request import WINDOWS_METHOD, PlanRequest
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.evaluation.drawn import Named
from firebreak.planning.methods import CHOOSERS

if TYPE_CHECKING:
    from firebreak.api.plans.area import PlanningArea

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
    from firebreak.planning.output.given import Feature, features_of, is_drawn

    path, network, area = request.options.place.improve, request.network, request.area
    assert network is not None, "a network to begin with"
    shapes: list[Named] = ([*features_of(path, network, area.full, area.offset)]
                           if isinstance(path, Path) and is_drawn(path)
                           else [Feature("", network.cells)])
    free, found = network.break_mask() & area.land.treatable, list[Corridor]()
    for shape in shapes:
        own = np.zeros_like(free)
        own.ravel()[shape.cells] = free.ravel()[shape.cells]
        free &= ~own
        parts = break_segments_of(own, area.land, request.options.place.segment_m)
        for number, part in enumerate(parts, start=1):
            words = [shape.name, f"part {number}" if shape.name else f"{number}"]
            name = shape.name if shape.name and len(parts) == 1 else " ".join(filter(None, words))
            found.append(part._replace(name=name, kind="given"))
    return found


def with_network(area: "PlanningArea", network: list[Corridor]) -> "PlanningArea":
    """An area whose plan may have all lines of a network, and chooses among them and its own."""
    include = np.unique(np.concatenate([area.rules.include, *(one.cells for one in network)]))
    lines = area.rules.lines or Corridors(corridors=(), line=())
    first = max(lines.line, default=-1) + 1
    return area._replace(rules=replace(area.rules, include=include, lines=replace(
        lines, corridors=(*lines.corridors, *network),
        line=(*lines.line, *range(first, first + len(network))))))
