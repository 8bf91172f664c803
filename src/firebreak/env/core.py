"""The rules of an episode: what an action does, what it earns, when it is over.

The reward is the drop of the mean loss on the reward fires over their untreated loss, so that an
episode's undiscounted return is the relative reduction of the expected loss. An episode ends when
no treatable, unbroken cell is affordable; it is never truncated.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.actions import action_count, are_allowed, place_actions
from firebreak.env.storage.problem import Problem, nothing_burned
from firebreak.env.storage.problem_batch import ProblemBatch


class StepResult(NamedTuple):
    """Of N slots. reward: f64 [N]; terminated: bool [N]; illegal: bool [N], action was masked."""

    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]


def begin(slots: ProblemBatch, which: NDArray[np.int64], problems: list[Problem]) -> None:
    """Loads problems into the slots `which`, in order, and burns their untreated fires; then
    breaks the cells that stand from the start.

    Raises:
        InputError: the fires of a problem burn nothing of value.
    """
    for slot, problem in zip(which.tolist(), problems, strict=True):
        slots.load(slot, problem)
    slots.update(which, fresh=True)
    for slot, problem in zip(which.tolist(), problems, strict=True):
        if not slots.untreated_plan_loss[slot] > 0.0:
            raise nothing_burned(problem.scene)
    standing = [slot for slot, problem in zip(which.tolist(), problems, strict=True)
             if problem.standing.size]
    for slot in standing:
        slots.place_standing(slot)
    if standing:
        slots.update(np.array(standing))


def step(slots: ProblemBatch, actions: NDArray[np.int64], lines: bool = False) -> StepResult:
    """One action per slot: the flat index of the cell to break, or with `lines` the number of a
    line, see `firebreak.line_actions`.

    A masked action breaks nothing and earns nothing; it wastes the cost of the cheapest available
    cell, so that an agent that ignores the mask still comes to an end.

    Raises:
        InputError: an action that there is not on the map, or not one action per slot.
    """
    count = slots.sizes.slots
    actions_there = action_count(slots.sizes.shape, lines)
    if actions.shape != (count,) or (actions < 0).any() or (actions >= actions_there).any():
        raise fail(expected=f"{count} actions from 0 to {actions_there - 1}",
                   given=f"{actions.tolist()}", where="step",
                   remedy="pass lines by number, shape * cells of the map + middle cell"
                   if lines else "pass flat cell indices, row * columns + column")
    everyone = np.arange(count)
    before = slots.reward_losses(everyone)
    legal = are_allowed(slots, actions, lines)
    place_actions(slots, everyone[legal], actions[legal], lines)
    for slot in np.flatnonzero(~legal).tolist():
        slots.land.waste(slot)
    slots.update(everyone)
    after = slots.reward_losses(everyone)
    untreated = slots.untreated_reward_loss
    reward = np.divide(before - after, untreated, out=np.zeros(count), where=untreated > 0)
    over = np.logical_not(slots.available.reshape(count, -1).any(axis=1))
    return StepResult(reward, over, ~legal)
