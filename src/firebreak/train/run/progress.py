"""State of a run: its groups of environments, one for each map size, what its turns change, the
policy that it keeps so far, and the figures that it reports after each turn.
"""

import warnings
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.exploration import epsilon_at
from firebreak.agent.own_network import QNetwork
from firebreak.agent.policy_file import save_policy
from firebreak.agent.policy_place import POLICY
from firebreak.agent.replay import Replay
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.problem import Problem
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.sizes import VALIDATION_ENVS, shortest_episode, tried_room
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.rollout.gains import ActionGains
from firebreak.train.rollout.parallel import CollectorPool


class EnvGroup:
    """Owns the two vector environments, the replay and the collector of one map size.

    Args:
        place: which group of the run this is.
        count: how many there are; the replay's capacity is shared evenly.
    """

    def __init__(self, config: RunConfig, source: ProblemSource, problems: list[Problem],
                 agent: DQNAgent, place: int, count: int) -> None:
        train = config.train
        self.problems = problems
        self.env = FuelbreakVectorEnv(source, train.num_envs)
        self.validation_env = FuelbreakVectorEnv(
            source, min(VALIDATION_ENVS, len(problems), train.num_envs), autoreset=False)
        for env in (self.env, self.validation_env):
            env.slots.touch()
        self.replay = Replay(source.shape, 1 if train.collectors else train.num_envs,
                             config.replay.capacity // count,
                             shortest_episode(config, source.shape[0]), tried_room(config.agent))
        gains = (ActionGains(source.sizes(1), config.agent,
                             integer_seed(config.seed, "segments", place))
                 if config.agent.gain_share > 0.0 and not train.collectors else None)
        name = ("episodes",) if place == 0 else ("episodes", place)
        self.collector: ExperienceCollector | CollectorPool = (
            CollectorPool(config, agent) if train.collectors else ExperienceCollector(
                self.env, agent, train.collect_steps, integer_seed(config.seed, *name) % 2**31,
                config.cleanup, gains))
        for thing in (self.env, self.validation_env, self.replay, self.collector):
            track(thing)

    @property
    def cells(self) -> int:
        """Cells of a map."""
        return self.replay.shape[0] * self.replay.shape[1]

    def close(self) -> None:
        """Closes both environments; ends the workers that collect."""
        if isinstance(self.collector, CollectorPool):
            self.collector.close()
        self.env.close()
        self.validation_env.close()


def size_in_words(groups: list[EnvGroup]) -> str:
    """The bytes that replays and environments of a run hold, in words."""
    replays = [group.replay for group in groups]
    environments = sum(group.env.owned_bytes() + group.validation_env.owned_bytes()
                       for group in groups)
    each = ", ".join(f"{replay.bytes_per_transition() / 1e3:.2f}" for replay in replays)
    return (f"replay {replay_bytes(groups) / 1e6:.1f} MB for "
            f"{sum(replay.rows * replay.num_envs for replay in replays):,} transitions "
            f"({each} kB each); environments {environments / 1e6:.1f} MB")


def replay_bytes(groups: list[EnvGroup]) -> int:
    """Bytes of the replays."""
    return sum(group.replay.nbytes for group in groups)


def replay_share(groups: list[EnvGroup]) -> float:
    """Share of the replays in use."""
    held = sum(len(group.replay) for group in groups)
    room = sum((group.replay.rows - 1) * group.replay.num_envs for group in groups)
    return min(held / room, 1.0)


RECENT = 50
"""Episodes that the mean return is over."""


@dataclass(slots=True)
class Progress:
    """State of a run between and inside its turns of collecting and learning.

    Attributes:
        next_validation: due when so many episodes have ended.
        validated_at: env steps, and learner steps of `fitted`, at the last validation.
        updates_due: gradient steps that collected experience has earned and that are not made.
        seconds: of the run, when it was last saved.
        in_turn: a turn has begun and has not ended.
        collected: groups that have collected in this turn.
        env_steps: what they have collected.
        counted: this turn's experience is in `updates_due`.
        returns: of the episodes that ended in this turn.
        fitted: learner steps of `agent.fit_steps` made since the last episode ended.
        updates: loss, mean Q-value and gradient norm of this turn's gradient steps.
    """

    next_validation: int
    validated_at: int = -1
    updates_due: float = 0.0
    seconds: float = 0.0
    in_turn: bool = False
    collected: int = 0
    env_steps: int = 0
    counted: bool = False
    fitted: int = 0
    returns: list[float] = field(default_factory=list)
    updates: list[tuple[float, float, float]] = field(default_factory=list)

    def end_turn(self) -> None:
        """Clears what belongs to the turn that is over."""
        self.in_turn, self.collected, self.env_steps, self.counted = False, 0, 0, False
        self.returns, self.updates = [], []

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `dataclasses.asdict` gave, as it was read from a checkpoint."""
        updates = [(float(a), float(b), float(c)) for a, b, c in state["updates"]]
        kept = Progress(**(state | {"updates": updates}))
        for one in fields(self):
            setattr(self, one.name, getattr(kept, one.name))


class BestPolicy:
    """The policy that a run keeps so far: its weights, in storage of their own, and its file; what
    did best on validation, or what a fit ended with.

    Args:
        network: whose weights these are at first.
        folder: where the policy file is written.

    Attributes:
        reduction: on validation; -inf before the first.
        learner_steps: when it did.
        provenance: plain values stored with it; empty before the first validation.
        is_due: its file is to be written.
        unwritten: why the file was not written; None if it was, or there is nothing to write.
    """

    def __init__(self, network: QNetwork, folder: Path) -> None:
        self._network, self._path = network, folder / POLICY
        self.weights = {name: tensor.detach().cpu().clone()
                        for name, tensor in network.state_dict().items()}
        self.reduction, self.learner_steps = -float("inf"), 0
        self.provenance: dict[str, Any] = {}
        self.is_due = False
        self.unwritten: OSError | None = None

    def take(self, reduction: float, learner_steps: int, provenance: dict[str, Any]) -> None:
        """The network's weights are the best from now on; their file is due."""
        self.reduction, self.learner_steps, self.provenance = reduction, learner_steps, provenance
        for name, tensor in self._network.state_dict().items():
            self.weights[name].copy_(tensor)
        self.is_due = True

    def write(self) -> None:
        """Writes the policy file; where the disk is full the checkpoints have it too."""
        try:
            save_policy(self._path, self._network, self.provenance, self.weights)
            self.is_due, self.unwritten = False, None
        except OSError as error:
            self.unwritten = error
            warnings.warn(f"{POLICY} not written ({error.strerror or error})", stacklevel=2)

    def state(self) -> dict[str, Any]:
        """Tensors, which are its own, and plain values."""
        return {"weights": self.weights, "learner_steps": self.learner_steps,
                "provenance": self.provenance,
                "reduction": self.reduction if self.provenance else None}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave; writes nothing."""
        for name, tensor in self.weights.items():
            tensor.copy_(state["weights"][name])
        self.provenance = dict(state["provenance"])
        self.is_due = bool(self.provenance)
        self.learner_steps = int(state["learner_steps"])
        self.reduction = (-float("inf") if state["reduction"] is None
                          else float(state["reduction"]))


class RunState(NamedTuple):
    """Parts that the turns of a run change and its checkpoints hold: the trainer's own, no copies.

    twin: learns beside the agent at discount 0, where one was asked for.
    groups: one for each map size; losses, returns: the last gradient steps and episodes, bounded.
    """

    config: RunConfig
    agent: DQNAgent
    twin: DQNAgent | None
    groups: list[EnvGroup]
    progress: Progress
    losses: deque[float]
    returns: deque[float]
    best: BestPolicy

    @property
    def env_steps(self) -> int:
        """Steps of all environments."""
        return sum(group.collector.env_steps for group in self.groups)

    def note(self, update: Update) -> None:
        """Takes down what a gradient step did."""
        self.losses.append(update.loss)
        self.progress.updates.append((update.loss, update.mean_q, update.gradient_norm))


def progress_of(run: RunState, seconds: float) -> dict[str, Any]:
    """The figures of a turn, and how far a fit is. seconds: of the run so far."""
    turn = run.progress
    fit = ({"fitted": turn.fitted, "fit_steps": run.config.agent.fit_steps} if turn.fitted else {})
    losses, qs, norms = zip(*turn.updates, strict=True) if turn.updates else ((), (), ())
    return {
        "episodes_ended": len(turn.returns), "seconds": seconds,
        "epsilon": epsilon_at(run.agent.settings, run.env_steps),
        "discount": run.agent.discount,
        "replay": sum(len(group.replay) for group in run.groups),
        "learning_starts": run.config.train.learning_starts,
        "mean_return": mean_or_none(list(run.returns)[-RECENT:]),
        "loss": mean_or_none(losses), "mean_q": mean_or_none(qs),
        "gradient_norm": mean_or_none(norms),
        "seconds_per_env_step": mean_or_none([
            seconds / group.env.num_envs for group in run.groups
            for seconds in group.collector.step_times]),
        "seconds_per_collection": mean_or_none([sum(seconds) for seconds in zip(*(
            group.collector.collection_times for group in run.groups), strict=False)]), **fit}


def mean_or_none(values: Collection[float]) -> float | None:
    """Their mean; None of none."""
    return fmean(values) if values else None
