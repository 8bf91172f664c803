"""Fires of a scene burned by workers, with the bits of one process."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe
from firebreak.fire import BurnResult, Fires, PartsTotal, PartSums, Scene, burn_part, parts_of


class Burner:
    """What a worker holds: the scene. A call has the fires and the breaks with it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def burn(self, fires: Fires, cells: NDArray[np.int64],
             units: tuple[float, float]) -> PartSums:
        """The sums of fires of one weather, in these units, once the flat cells are broken."""
        return burn_part(self.scene, fires, cells, units)


def burner_recipe(scene: Scene) -> Recipe:
    """How a worker makes what it answers calls with."""
    return Recipe(Burner, (scene,))


def burned_by_workers(executor: Executor, scene: Scene, fires: Fires,
                      breaks: NDArray[np.bool_] | None = None,
                      report: Callable[[int], object] = lambda count: None) -> BurnResult:
    """The statistics of `fire.burn`, bit for bit, by workers that are made by `burner_recipe`.

    report: is given the number of fires that have burned since it was last called.
    """
    cells = np.empty(0, np.int64) if breaks is None else np.flatnonzero(breaks)
    parts, sums = parts_of(fires, scene.landscape.shape), PartsTotal(scene, fires, breaks)
    calls = ((fires.part(which), cells, sums.units) for which in parts)
    for place, made in map_chunks(executor, Burner.burn.__name__, calls, "async"):
        sums.add(parts[place], made)
        report(parts[place].size)
    return sums.result()
