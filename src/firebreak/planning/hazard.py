"""Risk as it is mapped by hand: how often a cell burns, how hotly, and what stands there."""

import numpy as np
from numpy.typing import NDArray

from firebreak.env.slots import Slots
from firebreak.fire.fires import Fires
from firebreak.fire.scene import Scene
from firebreak.planning.rounds import Placement, Task, place_by_score
from firebreak.planning.trees import conditional_value


def place_value_hazard(task: Task) -> Placement:
    """The cells of the greatest burn probability x hazard x value, looked up after every round.

    Source: Scott, Thompson & Calkin (2013), RMRS-GTR-315: risk is burn probability times what is
    lost at the flame lengths that occur; hazard without losses by flame length is the flame length
    itself, as in Ager, Vaillant & Finney (2010), Forest Ecology and Management 259.
    """
    at_stake, paid = hazard(task.problem.scene, task.problem.plan_fires)

    def score(slots: Slots) -> NDArray[np.float64]:
        return slots.maps(0)[0] * at_stake / task.problem.scene.landscape.cost
    placed = place_by_score(task, score)
    return placed._replace(simulations=placed.simulations + paid)


def hazard(scene: Scene, fires: Fires) -> tuple[NDArray[np.float64], float]:
    """What burning means in each cell [H, W], and the simulations that took to learn.

    Where losses depend on flame length the loss to expect in a fire that burns the cell; else the
    cell's value times the mean flame length of the weather.
    """
    value, paid = conditional_value(scene, fires)
    if scene.worth.shape[0] > 1:
        return value, paid
    flame_m = np.tensordot(scene.scenarios.weight, scene.behavior.flame_length_m, 1)
    return value * flame_m, paid
