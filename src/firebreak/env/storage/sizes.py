"""What storage for problems is made for, and what it shows of its fires."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.storage.problem import Problem
from firebreak.fire import Scene


class Sizes(NamedTuple):
    """What storage is made for: slots, map shape, rows of weather, most plan and reward fires a
    slot, classes of flame length (1 where losses do not depend on it), whether breaks are breached
    and fires throw embers, whether fires have intensities and crews hold breaks.
    """

    slots: int
    shape: tuple[int, int]
    scenarios: int
    plan_fires: int
    reward_fires: int
    classes: int = 1
    breach: bool = False
    spotting: bool = False
    heat: bool = False
    held: bool = False


def sizes_for(scene: Scene, slots: int, plan_fires: int, reward_fires: int) -> Sizes:
    """Storage for problems on a scene."""
    return Sizes(slots, scene.field.shape, scene.field.metric.shape[0], plan_fires, reward_fires,
                 scene.value_by_class.shape[0], scene.field.breaks.breach.size > 0,
                 scene.field.spots.cells.size > 0, scene.field.heat.size > 0,
                 scene.field.breaks.held)


def check_fits(sizes: Sizes, problem: Problem) -> None:
    """Refuses a problem that storage of these sizes cannot hold.

    Raises:
        InputError: another shape or kind of losses and breaks, or too many fires or weathers.
    """
    given = sizes_for(problem.scene, sizes.slots, problem.plan_fires.source.size,
                      problem.reward_fires.source.size)
    too_big = any(have > room for have, room in zip(given[2:5], sizes[2:5], strict=True))
    # A problem may lack what there is room for: breaches, intensities, crews.
    too_rich = any(have > room for have, room in (
        (given.breach, sizes.breach), (given.heat, sizes.heat), (given.held, sizes.held)))
    same = (given.shape, given.classes, given.spotting) == (
        sizes.shape, sizes.classes, sizes.spotting)
    if not same or too_big or too_rich:
        raise fail(expected=f"a problem of at most {sizes}", given=f"{given}",
                   where=f"landscape {problem.scene.landscape.name}",
                   remedy="make the environment for these sizes")


class PlanTrees(NamedTuple):
    """How K plan fires burned under the breaks so far, by padded cell.

    code: u8 [K, P], how each cell was reached, see `fire.travel.stencil`. source: i64 [K].
    loss: f64 [K].
    """

    code: NDArray[np.uint8]
    source: NDArray[np.int64]
    loss: NDArray[np.float64]
