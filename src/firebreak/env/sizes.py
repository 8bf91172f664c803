"""What storage for problems is made for, and what it shows of its fires."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.scene import Scene


class Sizes(NamedTuple):
    """What storage is made for: slots, map shape, rows of weather, most plan and reward fires a
    slot, classes of flame length (1 where it does not matter), whether breaks are breached and
    fires throw embers.
    """

    slots: int
    shape: tuple[int, int]
    scenarios: int
    plan_fires: int
    reward_fires: int
    classes: int = 1
    breach: bool = False
    spotting: bool = False


def sizes_for(scene: Scene, slots: int, plan_fires: int, reward_fires: int) -> Sizes:
    """Storage for problems on a scene."""
    return Sizes(slots, scene.field.shape, scene.field.metric.shape[0], plan_fires, reward_fires,
                 scene.worth.shape[0], scene.field.breaks.breach.size > 0,
                 scene.field.spots.cells.size > 0)


class PlanTrees(NamedTuple):
    """How K plan fires burned under the breaks so far, by padded cell.

    code: u8 [K, P], how each cell was reached, see `fire.ring`. source: i64 [K]. loss: f64 [K].
    """

    code: NDArray[np.uint8]
    source: NDArray[np.int64]
    loss: NDArray[np.float64]
