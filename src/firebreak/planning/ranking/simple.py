"""Plans without learning: nothing, chance, and rules that read the burn maps.

Where cells differ in cost, scores are per unit of cost.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.slots import Slots
from firebreak.fire import Fires, Scene, burn_statistics
from firebreak.planning.core.rounds import Placement, Task, afford, place_by_score
from firebreak.planning.ranking.trees import conditional_value
from firebreak.seeding import generator


def place_none(task: Task) -> Placement:
    """Treats nothing."""
    return Placement(np.empty(0, np.int64), 0.0)


def place_random(task: Task) -> Placement:
    """Each cell uniform over those still available, from the stream (seed, "random-plan", key)."""
    land = task.problem.scene.landscape
    rng = generator(task.seed, "random-plan", task.problem.scene.key)
    # The first affordable cell of a random order is uniform over the affordable cells: the budget
    # only falls, so a cell passed over never becomes affordable again.
    order = rng.permutation(np.flatnonzero(land.treatable))
    return Placement(afford(order, land.cost, task.problem.budget), 0.0)


def place_burn_probability(task: Task) -> Placement:
    """The cells that burn most often, computed again after every round."""
    def score(slots: Slots) -> NDArray[np.float64]:
        return slots.maps(0)[0] / task.problem.scene.landscape.cost
    return place_by_score(task, score)


def place_downstream_value(task: Task) -> Placement:
    """The cells with the most value burned behind them, computed again after every round.

    Source: downstream protection value, Pais et al. (2021), doi:10.1016/j.cor.2021.105252.
    """
    def score(slots: Slots) -> NDArray[np.float64]:
        return slots.maps(0)[1] / task.problem.scene.landscape.cost
    return place_by_score(task, score)


def place_downstream_value_static(task: Task) -> Placement:
    """The cells with the most value burned behind them on the untreated map, ranked once."""
    scene = task.problem.scene
    land = scene.landscape
    burned = burn_statistics(scene.field, task.problem.plan_fires, scene.value_by_class,
                             task.problem.given_mask())
    allowed = np.flatnonzero(land.treatable)
    score = (burned.downstream_value / land.cost).ravel()[allowed]
    order = allowed[np.argsort(-score, kind="stable")]
    return Placement(afford(order, land.cost, task.problem.budget), 1.0)


def place_value_hazard(task: Task) -> Placement:
    """The cells of the greatest burn probability x hazard x value, computed after every round.

    Source: Scott, Thompson & Calkin (2013), RMRS-GTR-315: risk is burn probability times what is
    lost at the flame lengths that occur; hazard without losses by flame length is the flame length
    itself, as in Ager, Vaillant & Finney (2010), Forest Ecology and Management 259.
    """
    at_stake, simulations = hazard(task.problem.scene, task.problem.plan_fires)

    def score(slots: Slots) -> NDArray[np.float64]:
        return slots.maps(0)[0] * at_stake / task.problem.scene.landscape.cost
    placed = place_by_score(task, score)
    return placed._replace(simulations=placed.simulations + simulations)


def hazard(scene: Scene, fires: Fires) -> tuple[NDArray[np.float64], float]:
    """What burning means in each cell [H, W], and the simulations that took to learn.

    Where losses depend on flame length the loss to expect in a fire that burns the cell; else the
    cell's value times the mean flame length of the weather.
    """
    value, simulations = conditional_value(scene, fires)
    if scene.value_by_class.shape[0] > 1:
        return value, simulations
    flame_m = np.tensordot(scene.scenarios.weight, scene.behavior.flame_length_m, 1)
    return value * flame_m, simulations
