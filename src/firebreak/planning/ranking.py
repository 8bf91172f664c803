"""Plans without learning and without trials: nothing, chance, and rules that read the burn maps or
the trees of the plan fires: which cells lie between ignitions and what is valued.

Where cells differ in cost, scores are per unit of cost.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import PlanTrees, ProblemBatch
from firebreak.fire import STENCIL, Fires, Scene, burn, pad, padded_width, unpad
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.kernels import flows, path_counts, value_behind
from firebreak.planning.core.rounds import (
    Placement,
    Task,
    afford,
    place_by_score,
    spendable,
)
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
    if task.lines is not None:
        return Placement(_afford_runs(task.problem, BuildRules(task.lines, land), rng), 0.0)
    return Placement(afford(order, land.cost, task.problem.budget), 0.0)


def _afford_runs(problem: Problem, rules: BuildRules,
                 rng: np.random.Generator) -> NDArray[np.int64]:
    """The cells of the runs, in a random order, that the budget buys whole and that may come next,
    each taken if what is left pays for it.
    """
    land, left, built = problem.scene.landscape, problem.budget, problem.standing_mask()
    found = [np.empty(0, np.int64)]
    for k in rng.permutation(len(rules.runs)).tolist():
        run = rules.runs[k]
        new = run[(land.treatable & ~built).ravel()[run]]
        price = float(land.cost.ravel()[new].astype(np.float64).sum())
        if new.size and price <= spendable(left) and rules.may_come_next(built, k, new):
            built.ravel()[new] = True
            left -= price
            found.append(new)
    return np.concatenate(found)


def place_burn_probability(task: Task) -> Placement:
    """The cells that burn most often, computed again after every round."""
    cost = task.problem.scene.landscape.cost
    return place_by_score(task, lambda slots: slots.maps(0)[0] / cost)


def place_downstream_value(task: Task) -> Placement:
    """The cells with the most value burned behind them, computed again after every round.

    Source: downstream protection value, Pais et al. (2021), doi:10.1016/j.cor.2021.105252.
    """
    cost = task.problem.scene.landscape.cost
    return place_by_score(task, lambda slots: slots.maps(0)[1] / cost)


Floats = NDArray[np.float64]


class Flow(NamedTuple):
    """Value that fire carries through cells, see `flows`: through f64 [P], along f64 [32, P]."""

    through: Floats
    along: Floats


class TreeSums:
    """Sums over the trees of fires on a map [H, W] of P padded cells, see `core.kernels`; it holds
    the room that they take.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        cells, width = pad(np.zeros(shape, np.bool_)).size, padded_width(shape[1])
        self._offset = STENCIL.steps @ np.array([width, 1])
        self._ints, self._seen = np.zeros((2, cells), np.int32), np.zeros(cells, np.uint8)
        self._reals = np.zeros((2, cells))

    def paths(self, trees: PlanTrees, value: Floats) -> Floats:
        """Paths of fire through each cell [P], by the value [P] of the cell where they end: all
        pairs of a cell further up and a cell further down in a fire's tree, the cell itself
        included among the latter, summed over fires as often as they count.
        """
        total = np.zeros(value.size)
        path_counts(trees.code, trees.times, value, self._offset, self._ints, self._seen,
                    self._reals, total)
        return total

    def flow(self, code: NDArray[np.uint8], value: Floats, times: Floats) -> Flow:
        """The value [P] that fires of the codes [F, P], which count so many times [F], carry
        through cells.
        """
        flow = Flow(np.zeros(value.size), np.zeros((self._offset.size, value.size)))
        flows(code, times, value, self._offset, self._ints, self._seen, self._reals[0], *flow)
        return flow

    def behind(self, code: NDArray[np.uint8], value: Floats, times: Floats,
               sets: Sequence[NDArray[np.int64]]) -> Floats:
        """The value [F, N] that each fire, see `flow`, burns in each of N sets of padded cells and
        in all that it reached through one of these.
        """
        found, first = np.zeros((len(code), len(sets))), np.cumsum([0, *map(len, sets)])
        value_behind(code, times, value, self._offset, self._ints, self._seen,
                     np.concatenate([*sets, np.empty(0, np.int64)]), first,
                     np.zeros(value.size, np.uint64), found)
        return found


def place_betweenness(task: Task) -> Placement:
    """The cells that most paths of fire lead through, computed again after every round.

    Source: betweenness centrality, Freeman (1977), doi:10.2307/3033543, in each fire's own tree.
    """
    scene = task.problem.scene
    value, simulations = conditional_value(scene, task.problem.plan_fires)
    padded, sums = pad(value), TreeSums(value.shape)

    def score(batch: ProblemBatch) -> Floats:
        return (unpad(sums.paths(batch.trees_through_free(0), padded), value.shape)
                / scene.landscape.cost)

    placed = place_by_score(task, score)
    return placed._replace(simulations=placed.simulations + simulations)


def conditional_value(scene: Scene, fires: Fires) -> tuple[Floats, float]:
    """Loss of a cell in a fire that burns it [H, W], and the simulations that took to learn.

    The cell's value, or where losses depend on flame length the mean over the fires that burn it
    on the untreated map; cells that none burns count with the most that they can lose.
    """
    if scene.value_by_class.shape[0] == 1:
        return scene.value_by_class[0].astype(np.float64), 0.0
    burned = burn(scene, fires, want="statistics")
    highest = scene.value.astype(np.float64)
    return np.divide(burned.lost, burned.burn_probability, out=highest,
                     where=burned.burn_probability > 0.0), 1.0
