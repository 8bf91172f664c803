"""Cells ranked by maps: downstream value once, value at hazard, and what a policy says of cells."""

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.agent.targets import unit_of
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import Fires, Scene, burn
from firebreak.layout import OBSERVATION
from firebreak.planning.core.rounds import Placement, Task, afford, place_by_score
from firebreak.planning.learned.policy import cell_values, policy_of
from firebreak.planning.ranking import conditional_value


def place_downstream_value_static(task: Task) -> Placement:
    """The cells with the most value burned behind them on the untreated map, ranked once."""
    scene = task.problem.scene
    land = scene.landscape
    burned = burn(scene, task.problem.plan_fires, task.problem.standing_mask(), want="statistics")
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

    def score(slots: ProblemBatch) -> NDArray[np.float64]:
        return slots.maps(0)[0] * at_stake / task.problem.scene.landscape.cost
    placed = place_by_score(task, score)
    return placed._replace(simulations=placed.simulations + simulations)


def hazard(scene: Scene, fires: Fires) -> tuple[NDArray[np.float64], float]:
    """Loss by burning each cell [H, W], and the simulations that it took to learn it.

    Where losses depend on flame length the loss to expect in a fire that burns the cell; else the
    cell's value times the mean flame length of the weather.
    """
    value, simulations = conditional_value(scene, fires)
    if scene.value_by_class.shape[0] > 1:
        return value, simulations
    flame_m = np.tensordot(scene.scenarios.weight, scene.behavior.flame_length_m, 1)
    return value * flame_m, simulations


def place_regression(task: Task) -> Placement:
    """The cells that a trained Q-map network values most, one greedy choice after another, also
    where it was trained to place lines: what the policy is worth without them.

    Raises:
        InputError: no policy, or more treatable cells than a policy plans for.
    """
    policy = policy_of(task, "regression")
    values = cell_values if policy.network.shapes == 1 else values_alone
    return place_by_score(task, lambda slots: values(policy, slots))


def values_alone(policy: Policy, slots: ProblemBatch) -> NDArray[np.float32]:
    """Q-values [H, W] of breaking each cell alone, per cost, of a policy that places lines."""
    observation = torch.from_numpy(to_floats(slots.layers[:1]))
    cells = torch.arange(slots.available[0].size)[None]
    with torch.no_grad():
        alone = policy.network.values_at(observation, cells)
        values = 100.0 * alone[0] * unit_of(observation, OBSERVATION)
    return values.numpy().reshape(slots.sizes.shape)
