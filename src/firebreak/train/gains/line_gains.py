"""What line actions would save of fires that no planner sees: labels to learn their values from.

A state has tens of thousands of line actions, so some are tried: those that the agent values
most, whose errors matter; those that most value comes through on the plan fires, in every length;
and some at random.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import ExactGains
from firebreak.env.storage.sizes import Sizes
from firebreak.env.storage.slots import Slots
from firebreak.fire import pad
from firebreak.line_actions import COMPASS, LINE_LENGTHS, line_steps, shape_cells, shape_number
from firebreak.planning.core.line_trials import try_lines
from firebreak.planning.patterns.candidates import Lines, flow_of, ground_of, rated_lines
from firebreak.planning.ranking.trees import conditional_value, tree_scratch
from firebreak.seeding import generator

LENGTHS = (1, *LINE_LENGTHS)
BY_FLOW, BY_VALUE, BY_CHANCE = 2, 14, 1
"""Line actions tried in a state: of each length by what comes through, by the agent, of each length
at random."""
PER_SHAPE = 2
"""Of the lines that the agent values most, at most so many of a shape: neighbours are alike."""
TRIED = len(LENGTHS) * (BY_FLOW + BY_CHANCE) + BY_VALUE
"""Line actions tried in a state, at most."""
_FLOW_NOISE, _VALUE_NOISE = 0.4, 0.15
"""Spread of the logarithm by which ratings are blurred before the best are taken, so that the tried
are not always the same."""

Values = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""An agent's values f32 [A] of the line actions of an observation uint8 [C, H, W]."""


class LineGains:
    """Tries line actions of a state on a few of its reward fires.

    Args:
        sizes: of the environment whose states are tried.
        fires: at most so many reward fires are burned.
        values: of the agent that learns.
        seed: names the draws.
    """

    def __init__(self, sizes: Sizes, fires: int, values: Values, seed: int) -> None:
        self.exact = ExactGains(sizes, fires)
        self._values, self._seed = values, seed

    def of(self, slots: Slots, slot: int,
           number: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Line actions [L] of a state and their gains [L]: by which share of the untreated loss the
        mean loss of the fires falls, per mean cost of a treatable cell. number: of the state.
        """
        problem = slots.problems[slot]
        assert problem is not None, "slot used before load"
        land, joined = problem.scene.landscape, problem.scene.field.breaks.leak
        steps = [line_steps(direction, LINE_LENGTHS[-1], joined) for direction in COMPASS]
        lines = _lines(slots, slot, steps)
        actions = _numbers(lines, land.shape, joined)
        rng = generator(self._seed, "segment-gains", number)
        chosen = _chosen(lines, actions, self._values(slots.layers[slot])[actions], rng)
        hidden = self.exact.loaded(slots, slot)
        on_reward_fires = hidden.problems[0]
        assert on_reward_fires is not None
        tried = try_lines(on_reward_fires, hidden, [lines.cells(k, steps, land.shape[1])
                                          for k in chosen.tolist()])
        saved = [trial.saved_per_cost for trial in tried]
        unit = (float(land.cost[land.treatable].mean())
                / max(float(slots.untreated_reward_loss[slot]), 1e-9))
        return actions[chosen], np.array(saved, np.float32) * np.float32(unit)


def _lines(slots: Slots, slot: int, steps: list[NDArray[np.int64]]) -> Lines:
    """Every line action that can be placed, single cells once, rated by what comes through it."""
    problem = slots.problems[slot]
    assert problem is not None, "slot used before load"
    scene = problem.scene
    value, _ = conditional_value(scene, problem.plan_fires)
    flow = flow_of(slots.plan_trees(slot).code, pad(value), tree_scratch(scene.field.shape))
    fitting = [n for n in LENGTHS if n <= max(scene.landscape.shape)]
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


def _chosen(lines: Lines, actions: NDArray[np.int64], values: NDArray[np.float32],
            rng: np.random.Generator) -> NDArray[np.int64]:
    """Which lines are tried, at most TRIED: places in `lines`, rising."""
    count = actions.size
    rate = lines.gain / lines.price * np.exp(rng.normal(0.0, _FLOW_NOISE, count))
    chosen = set()
    for length in LENGTHS:
        own = np.flatnonzero(lines.length == length)
        if own.size:
            chosen.update(own[np.argsort(-rate[own], kind="stable")[:BY_FLOW]].tolist())
            chosen.update(own[rng.integers(own.size, size=BY_CHANCE)].tolist())
    blurred = values * np.exp(rng.normal(0.0, _VALUE_NOISE, count))
    shape = shape_number(lines.direction, lines.length)
    taken = np.zeros(int(shape.max(initial=0)) + 1, np.int64)
    best = [int(values.argmax())]
    for k in np.argsort(-blurred, kind="stable")[:BY_VALUE * len(taken)].tolist():
        if len(best) == BY_VALUE:
            break
        if taken[shape[k]] < PER_SHAPE:
            taken[shape[k]] += 1
            best.append(k)
    return np.array(sorted(chosen.union(best)), np.int64)
