"""Breaks of several ages on one landscape: each cell is what its treatment has become."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.scene import Scene, break_rules, with_crews
from firebreak.landscape.treatments import Treatment
from firebreak.weather.streams import WeatherStreams


def with_states(scene: Scene, states: Sequence[Treatment], grid: NDArray[np.int16]) -> Scene:
    """The scene whose breaks are, in each cell, one of these states.

    Args:
        states: treatments that burn.
        grid: [H, W], which state a break in the cell is in; cells without breaks do not count.
    """
    (kind,) = {one.kind for one in states}
    conditions = replace(scene.conditions, treatment=Treatment(
        kind=kind, name="states by age", by_cell=tuple(states)))
    land = replace(scene.landscape, treatment=grid)
    streams = WeatherStreams(scene.scenarios, scene.field.steps, scene.field.step_min,
                             scene.stream_weight)
    rules = break_rules(land, scene.behavior, streams, conditions, scene.field)
    rules = with_crews(rules, land, conditions)
    return replace(scene, conditions=conditions, landscape=land,
                   field=scene.field._replace(breaks=rules))
