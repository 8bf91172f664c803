"""Fires of a wide scene burned by workers, with the bits of one process."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe
from firebreak.fire import (
    BurnStatistics,
    Fires,
    PartSums,
    WideScene,
    burn_part,
    parts_of,
    statistics_of_parts,
)


class Burner:
    """What a worker holds: the scene. A call has the fires and the breaks with it."""

    def __init__(self, scene: WideScene) -> None:
        self.scene = scene

    def burn(self, fires: Fires, which: NDArray[np.intp],
             cells: NDArray[np.int64]) -> PartSums:
        """The sums of those fires that are listed, once the flat cells are broken."""
        return burn_part(self.scene, fires, which, _mask(cells, self.scene.landscape.shape))


def burner_recipe(scene: WideScene) -> Recipe:
    """How a worker makes what it answers calls with."""
    return Recipe(Burner, (scene,))


def burned_by_workers(executor: Executor, scene: WideScene, fires: Fires,
                      breaks: NDArray[np.bool_] | None = None,
                      report: Callable[[int], object] = lambda count: None) -> BurnStatistics:
    """`fire.burn_wide_statistics`, bit for bit, by workers that are made by `burner_recipe`.

    report: is given the number of fires that have burned since it was last called.
    """
    cells = np.empty(0, np.int64) if breaks is None else np.flatnonzero(breaks)
    parts = parts_of(fires, scene.landscape.shape)

    def answers() -> Iterator[PartSums]:
        calls = ((fires, which, cells) for which in parts)
        for _, made in map_chunks(executor, Burner.burn.__name__, calls, "async"):
            report(made.which.size)
            yield made

    return statistics_of_parts(scene, fires, breaks, answers())


def _mask(cells: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.bool_] | None:
    if not cells.size:
        return None
    mask = np.zeros(shape, np.bool_)
    mask.ravel()[cells] = True
    return mask
