"""Plans without learning: nothing, chance, and rules that read the burn maps.

Where cells differ in cost, scores are per unit of cost.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.slots import Slots
from firebreak.planning.core.rounds import Placement, Task, afford, place_by_score
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
