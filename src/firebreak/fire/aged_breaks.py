"""Breaks of several ages on one landscape: each cell is what its treatment has become."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.scene import Scene, travel_under
from firebreak.fire.travel.travel_field import TravelField, Treated, padded_cells
from firebreak.landscape.treatments import Treatment, treated_landscape
from firebreak.weather.streams import WeatherStreams


class _Part(NamedTuple):
    """The part of a travel field in n cells that are in one state; see `TravelField`.

    metric: f32 [R, n, 5]; unit_time: [R, n, 8]; rate: [R, n]; heat: [R, n, 3], or no rows;
    spots: [4, R, n], or no rows.
    """

    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    rate: NDArray[np.float32]
    heat: NDArray[np.float32]
    spots: NDArray[np.float32]


def with_states(scene: Scene, states: Sequence[Treatment], cells: NDArray[np.int64],
                ) -> Callable[[NDArray[np.int16]], TravelField]:
    """A function from the state of each cell's break, [H, W], to the travel field whose breaks are
    in these states; other cells do not count. The field is for fires that burn as a whole: what
    repairs fires knows one kind of break.

    Args:
        states: what a cell may have become, all of it: bare ground, or fuel that burns.
        cells: flat, those that may be broken.
    """
    parts = {k: _part_of(scene, one, cells) for k, one in enumerate(states)
             if one.kind == "shaded"}
    bare = [k for k, one in enumerate(states) if one.kind == "hard"]

    def field_of(grid: NDArray[np.int16]) -> TravelField:
        treated = _laid_out(scene.field, parts, cells, grid.ravel()[cells]) if parts else None
        return scene.field._replace(breaks=scene.field.breaks._replace(
            treated=treated, bare=np.isin(grid, bare)))

    return field_of


def _part_of(scene: Scene, state: Treatment, cells: NDArray[np.int64]) -> _Part:
    """What the cells are once they are in a state."""
    streams = WeatherStreams(scene.scenarios, scene.field.steps, scene.field.step_min,
                             scene.stream_weight)
    land = treated_landscape(scene.landscape, state)
    behavior = fire_behavior(land, streams.steps, scene.conditions.model)
    made = travel_under(land, behavior, streams, scene.conditions, bool(scene.field.heat.size))
    own = padded_cells(cells, scene.field.shape[1])
    return _Part(made.metric[:, own], made.unit_time[:, own], made.rate[:, own],
                 made.heat[:, own] if made.heat.size else made.heat,
                 made.spots.cells[..., own] if made.spots.cells.size else made.spots.cells)


def _laid_out(field: TravelField, parts: Mapping[int, _Part], cells: NDArray[np.int64],
              states: NDArray[np.int16]) -> Treated:
    """The parts of cells in these states, [n], in arrays of the whole map, which have nothing
    elsewhere.
    """
    made = Treated(np.zeros_like(field.metric), np.zeros_like(field.unit_time),
                   np.zeros_like(field.rate), np.zeros_like(field.heat),
                   field.spots._replace(cells=np.zeros_like(field.spots.cells)))
    for k, part in parts.items():
        there = states == k
        own = padded_cells(cells[there], field.shape[1])
        for whole, one in ((made.metric, part.metric), (made.unit_time, part.unit_time),
                           (made.rate, part.rate), (made.heat, part.heat)):
            if whole.size:
                whole[:, own] = one[:, there]
        if made.spots.cells.size:
            made.spots.cells[..., own] = part.spots[..., there]
    return made
