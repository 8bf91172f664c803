"""Labels from the simulator: what cells or line actions of a state would save of the reward fires,
which no planner sees. Some of a collector's states are labelled as they come by.

A state has tens of thousands of line actions, so some are tried: those that the agent values
most, whose errors matter; those that most value comes through on the plan fires, in every length;
and some at random.
"""

import warnings
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainStore
from firebreak.env.gains import ExactGains
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import pad
from firebreak.layout import OBSERVATION
from firebreak.line_actions import COMPASS, LINE_LENGTHS, line_steps, shape_cells, shape_number
from firebreak.planning.core.line_trials import try_lines
from firebreak.planning.patterns.line_greedy import Lines, ground_of, rated_lines
from firebreak.planning.ranking import conditional_value, flow_of, tree_scratch
from firebreak.seeding import generator, integer_seed
from firebreak.train.config.schema import RunConfig

LENGTHS = (1, *LINE_LENGTHS)
BY_FLOW, BY_VALUE, BY_CHANCE = 2, 14, 1
"""Line actions tried in a state: of each length by what comes through, by the agent, of each length
at random."""
PER_SHAPE = 2
"""Lines of a shape at most, among those that the agent values most: neighbours are alike."""
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

    def of(self, slots: ProblemBatch, slot: int,
           number: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Line actions [L] of a state and their gains [L]: by which share of the untreated loss the
        mean loss of the fires falls, per mean cost of a treatable cell. number: of the state.
        """
        problem = slots.problem(slot)
        land, joined = problem.scene.landscape, problem.scene.field.breaks.leak
        steps = [line_steps(direction, LINE_LENGTHS[-1], joined) for direction in COMPASS]
        lines = _lines(slots, slot, steps)
        actions = _numbers(lines, land.shape, joined)
        rng = generator(self._seed, "segment-gains", number)
        chosen = _chosen(lines, actions, self._values(slots.layers[slot])[actions], rng)
        hidden = self.exact.loaded(slots, slot)
        tried = try_lines(hidden.problem(0), hidden, [lines.cells(k, steps, land.shape[1])
                                          for k in chosen.tolist()])
        saved = [trial.saved_per_cost for trial in tried]
        unit = (float(land.cost[land.treatable].mean())
                / max(float(slots.untreated_reward_loss[slot]), 1e-9))
        return actions[chosen], np.array(saved, np.float32) * np.float32(unit)


class GainLabels:
    """The labelled states of one map size, and the simulator that labels them.

    Args:
        gains: of every cell, or of line actions.
        share: of the env steps whose states are labelled; at most one state per environment and
            call.
        capacity: states kept.
    """

    def __init__(self, env: FuelbreakVectorEnv, gains: ExactGains | LineGains, share: float,
                 capacity: int) -> None:
        self.env, self.gains, self.share = env, gains, share
        max_lines = TRIED if isinstance(gains, LineGains) else None
        self.store = GainStore(OBSERVATION, env.source.shape, capacity, max_lines)
        # The first call labels a state of line actions, which are learned from nothing else.
        self._due = 0.0 if max_lines is None else 1.0
        self._next = 0

    def label(self, env_steps: int) -> int:
        """Labels states of the environment as it stands, for so many env steps to come; returns how
        many. The environments take turns.
        """
        self._due += self.share * env_steps
        count = min(int(self._due), self.env.num_envs)
        self._due -= int(self._due)
        for _ in range(count):
            slot, self._next = self._next, (self._next + 1) % self.env.num_envs
            self._label(slot)
        return count

    def _label(self, slot: int) -> None:
        slots = self.env.slots
        layers = torch.from_numpy(slots.layers[slot])
        if isinstance(self.gains, LineGains):
            lines, gain = self.gains.of(slots, slot, self.store.written)
            self.store.append(layers, torch.from_numpy(gain), torch.from_numpy(lines))
        else:
            self.store.append(layers, torch.from_numpy(self.gains.of(slots, slot)))

    def state(self) -> dict[str, torch.Tensor]:
        """Everything needed to go on: tensors by name."""
        turn = torch.tensor([self._due, self._next], dtype=torch.float64)
        return self.store.state() | {"turn": turn}

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Takes back what `state` gave."""
        self.store.restore(state)
        self._due, self._next = float(state["turn"][0]), int(state["turn"][1])


def gain_labels(config: RunConfig, env: FuelbreakVectorEnv, learner: DQNAgent, place: int,
                count: int) -> GainLabels | None:
    """The labels of group `place` of `count`, if the agent is to learn from gains. Where every cell
    is tried there are fewer on larger maps, in proportion to their side, since a state of theirs
    has more cells to try and tells more.
    """
    agent, sizes = config.agent, env.source.sizes(env.num_envs)
    if agent.gain_share == 0.0:
        return None
    share, capacity = agent.gain_share, max(agent.gain_capacity // count, 1)
    if share * config.train.collect_steps > 1.0 and place == 0:
        warnings.warn(f"agent.gain_share = {share:g} labels {1.0 / config.train.collect_steps:g} "
                      "of the env steps: each environment's state once in train.collect_steps = "
                      f"{config.train.collect_steps} steps; lower one of the two", stacklevel=2)
    if not agent.segments:
        smallest = min(config.mixture.sizes, default=config.landscapes.size)
        share *= min(smallest / env.source.shape[0], 1.0)
        return GainLabels(env, ExactGains(sizes, agent.gain_fires), share, capacity)

    def values(layers: NDArray[np.uint8]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = learner.q_values(
            torch.from_numpy(to_floats(layers[None]))).numpy()[0]
        return found

    seed = integer_seed(config.seed, "segments", place)
    return GainLabels(env, LineGains(sizes, agent.gain_fires, values, seed), share, capacity)


def _lines(slots: ProblemBatch, slot: int, steps: list[NDArray[np.int64]]) -> Lines:
    """Every line action that can be placed, single cells once, rated by what comes through it."""
    problem = slots.problem(slot)
    scene = problem.scene
    value, _ = conditional_value(scene, problem.plan_fires)
    trees = slots.plan_trees(slot)
    flow = flow_of(trees.code, pad(value), tree_scratch(scene.field.shape), trees.times)
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
    """The lines that are tried, at most TRIED: places in `lines`, rising."""
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
