"""Graphs of how fires can pass from cell to cell, on which the mixed-integer program plans.

An edge leads from a burned cell to a neighbour that burns later, where the step between them is
open and fire that takes it at the first cell's untreated arrival time is there before the fire's
duration ends. A cell that no such edge reaches keeps those to its recorded parents. Breaks take
edges away; delay and paths against the order of time are not seen.
"""

from typing import NamedTuple

import numpy as np
from benchmarks.rivals.burned_maps import burn_maps
from numpy.typing import NDArray

from firebreak.fire import STENCIL, UNBURNED, Fires, Scene, TravelField, unpad
from firebreak.fire.travel.stencil import FACET_CODE, STEPS

UNIT_STEPS = 8


class SpreadGraph(NamedTuple):
    """Graph of F fires on C cells, E edges.

    burned: bool [F, C], cells that burn untreated.
    fire, parent, child, step: int64 [E]; `step` of the stencil leads from the child to the parent.
    """

    burned: NDArray[np.bool_]
    fire: NDArray[np.int64]
    parent: NDArray[np.int64]
    child: NDArray[np.int64]
    step: NDArray[np.int64]


def spread_graph(scene: Scene, fires: Fires) -> SpreadGraph:
    """The spread graphs of fires, burned without breaks."""
    burned = burn_maps(scene.field, fires, scene.value_by_class)
    arrival = burned.arrival_time_min
    least = _least_unit_time(scene.field)[fires.scenario]
    edges = np.concatenate([_edges_of(step, arrival, least[:, step], fires.duration_min)
                            for step in range(UNIT_STEPS)])
    edges = edges[_is_open(edges, scene)]
    code = burned.parent_code.reshape(fires.source.size, -1)
    reached = np.zeros(code.shape, np.bool_)
    reached[edges[:, 0], edges[:, 2]] = True
    edges = np.concatenate([edges, _recorded(code, reached, scene.field.shape[1])])
    return SpreadGraph(code != UNBURNED, *edges.T)


def _least_unit_time(field: TravelField) -> NDArray[np.float64]:
    """[S, 8, H, W], minutes over each unit step at a cell's own speed, in the fastest hour of each
    stream of weather.
    """
    times = unpad(np.moveaxis(field.unit_time, 2, 1), field.shape).astype(np.float64)
    return times.reshape(-1, field.steps, *times.shape[1:]).min(axis=1)


def _edges_of(step: int, arrival: NDArray[np.float64], unit_time: NDArray[np.float64],
              duration_min: NDArray[np.float64]) -> NDArray[np.int64]:
    """(fire, parent, child, step) [E, 4] of all edges along one step; arrays are [F, H, W]."""
    child, parent = _beside(step, arrival.shape[1:])
    early, late = arrival[parent], arrival[child]
    minutes = 0.5 * (unit_time[child] + unit_time[parent])
    found = np.isfinite(late) & (early < late) & (early + minutes <= duration_min[:, None, None])
    fire, row, col = np.nonzero(found)
    width = arrival.shape[2]
    cell = (row + child[1].start) * width + col + child[2].start
    return np.stack([fire, cell + _offset(step, width), cell, np.full(fire.size, step)], axis=1)


def _beside(step: int, shape: tuple[int, ...]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Index of all children that have a parent on the map at a step, and of these parents."""
    spans = [(max(0, -move), min(size, size - move), move)
             for size, move in zip(shape, STENCIL.steps[step].tolist(), strict=True)]
    child = (slice(None), *(slice(first, last) for first, last, _ in spans))
    parent = (slice(None), *(slice(first + move, last + move) for first, last, move in spans))
    return child, parent


def _offset(step: int | NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Flat cells from a child to its parent."""
    return STENCIL.steps[step] @ np.array([width, 1])


def beside_diagonal(child: NDArray[np.int64], step: NDArray[np.int64],
                    width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two cells beside diagonal unit steps: fire passes unless both are closed."""
    return child + _offset((step + 1) % UNIT_STEPS, width), child + _offset(step - 1, width)


def _is_open(edges: NDArray[np.int64], scene: Scene) -> NDArray[np.bool_]:
    """bool [E]: not a diagonal between two cells that never burn."""
    burnable = scene.landscape.burnable.ravel()
    passes = np.ones(edges.shape[0], np.bool_)
    diagonal = np.flatnonzero(edges[:, 3] % 2 == 1)
    if not scene.field.breaks.leak:
        one, other = beside_diagonal(edges[diagonal, 2], edges[diagonal, 3],
                                     scene.field.shape[1])
        passes[diagonal] = burnable[one] | burnable[other]
    return passes


def _recorded(code: NDArray[np.uint8], reached: NDArray[np.bool_],
              width: int) -> NDArray[np.int64]:
    """Edges from the recorded parents of the cells that are not `reached`, bool [F, C]."""
    fire, child = np.nonzero(~reached & (code < FACET_CODE + STENCIL.facets.shape[0]))
    codes = code[fire, child].astype(np.int64)
    single = codes < STEPS
    ends = STENCIL.facets[np.where(single, 0, codes - FACET_CODE)]
    edges = [np.stack([fire, child + _offset(step, width), child, step], axis=1)[which]
             for which, step in ((single, np.where(single, codes, 0)), (~single, ends[:, 0]),
                                 (~single, ends[:, 1]))]
    return np.concatenate(edges)
