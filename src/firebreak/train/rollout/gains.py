"""Exact gains from the simulator: what actions of a state would save of the reward fires, which no
planner sees. States are tried as they come by, before the agent acts in them.

A state has hundreds of cells or tens of thousands of line actions, so some are tried: those that
most value comes through on the plan fires, in every length; those that the agent values most, whose
errors matter; and some at random.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.experience import Tried
from firebreak.env.gains import ExactGains
from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import pad
from firebreak.line_actions import COMPASS, line_steps, shape_cells, shape_number
from firebreak.planning.core.line_trials import try_lines
from firebreak.planning.patterns.line_greedy import Lines, ground_of, rated_lines
from firebreak.planning.ranking import TreeSums, conditional_value
from firebreak.seeding import generator
from firebreak.settings.agent import AgentSettings
from firebreak.train.data.sizes import choice_of

_FLOW_NOISE, _VALUE_NOISE = 0.4, 0.15
"""Spread of the logarithm by which ratings are blurred before the best are taken, so that the tried
are not always the same."""


class ActionGains:
    """Tries actions of states on a few of their reward fires.

    Args:
        sizes: of the environment whose states are tried.
        settings: of the agent that learns: its actions, the fires burned, the share of the states.
        seed: names the draws.
    """

    def __init__(self, sizes: Sizes, settings: AgentSettings, seed: int) -> None:
        self.exact = ExactGains(sizes, settings.gain_fires)
        self._choice, self._share, self._seed = choice_of(settings), settings.gain_share, seed

    def of_all(self, slots: ProblemBatch, values: NDArray[np.float32], first: int) -> Tried:
        """Try actions in the states of N slots, in the share of them that is due.

        values: of the agent in the first N slots, f32 [N, A]; first: number of the first of these
            states in the run, the others follow.
        """
        found = Tried.none(len(values), self._choice.most)
        for slot, own in enumerate(values):
            number = first + slot
            if int((number + 1) * self._share) > int(number * self._share) and (
                    slots.available[slot].any()):
                action, gain, cost = self.of(slots, slot, own, number)
                found.action[slot, :action.size], found.gain[slot, :gain.size] = action, gain
                found.cost[slot, :cost.size] = cost
        return found

    def of(self, slots: ProblemBatch, slot: int, values: NDArray[np.float32],
           number: int) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float64]]:
        """Actions [L] of a state, their gains [L]: by which share of the untreated loss the mean
        loss of the fires falls, per mean cost of a treatable cell; and costs [L] in such. number:
        of the state.
        """
        problem = slots.problem(slot)
        land, joined = problem.scene.landscape, problem.scene.field.breaks.leak
        lengths = self._choice.lengths
        steps = [line_steps(direction, lengths[-1], joined)
                 for direction in (COMPASS if lengths[-1] > 1 else COMPASS[:1])]
        lines = _lines(slots, slot, steps, lengths)
        actions = _numbers(lines, land.shape, joined)
        rng = generator(self._seed, "segment-gains", number)
        chosen = self._chosen(lines, actions, values[actions], rng)
        hidden = self.exact.loaded(slots, slot)
        tried = try_lines(hidden.problem(0), hidden, [lines.cells(k, steps, land.shape[1])
                                                      for k in chosen.tolist()])
        saved = [trial.saved_per_cost for trial in tried]
        unit = slots.land.mean_cost[slot] / max(slots.untreated_reward_loss[slot], 1e-9)
        return (actions[chosen], np.array(saved, np.float32) * np.float32(unit),
                lines.price[chosen] / slots.land.mean_cost[slot])

    def _chosen(self, lines: Lines, actions: NDArray[np.int64], values: NDArray[np.float32],
                rng: np.random.Generator) -> NDArray[np.int64]:
        """The lines that are tried: places in `lines`, rising."""
        count, choice = actions.size, self._choice
        rate = lines.gain / lines.price * np.exp(rng.normal(0.0, _FLOW_NOISE, count))
        chosen = set()
        for length in choice.lengths:
            own = np.flatnonzero(lines.length == length)
            if own.size:
                chosen.update(own[np.argsort(-rate[own], kind="stable")[:choice.by_flow]].tolist())
                chosen.update(own[rng.integers(own.size, size=choice.by_chance)].tolist())
        blurred = values * np.exp(rng.normal(0.0, _VALUE_NOISE, count))
        shape = shape_number(lines.direction, lines.length)
        taken = np.zeros(int(shape.max(initial=0)) + 1, np.int64)
        best = [int(values.argmax())]
        for k in np.argsort(-blurred, kind="stable")[:choice.by_value * len(taken)].tolist():
            if len(best) == choice.by_value:
                break
            if taken[shape[k]] < choice.per_shape:
                taken[shape[k]] += 1
                best.append(k)
        return np.array(sorted(chosen.union(best)), np.int64)


def _lines(slots: ProblemBatch, slot: int, steps: list[NDArray[np.int64]],
           lengths: tuple[int, ...]) -> Lines:
    """Every action of these lengths that can be placed, single cells once, rated by what comes
    through it.
    """
    problem = slots.problem(slot)
    scene = problem.scene
    value, _ = conditional_value(scene, problem.plan_fires)
    trees = slots.plan_trees(slot)
    flow = TreeSums(scene.field.shape).flow(trees.code, pad(value), trees.times)
    fitting = [n for n in lengths if n <= max(scene.landscape.shape)]
    lines = rated_lines(scene.landscape, ground_of(slots, slot), flow, steps, fitting)
    once = (lines.length > 1) | (lines.direction == 0)
    return Lines(*(column[once] for column in lines))


def _numbers(lines: Lines, shape: tuple[int, int], joined: bool) -> NDArray[np.int64]:
    """The lines as actions: [N]."""
    rows, cols = shape
    number = shape_number(lines.direction, lines.length)
    begin = np.stack([shape_cells(s, joined)[0] for s in range(int(number.max(initial=0)) + 1)])
    middle = lines.start - begin[number, 0] * cols - begin[number, 1]
    return number * rows * cols + middle
