"""The run: collect, learn, clean up, validate, save, for as many episodes as asked.

`ParallelTrainer.run` is a generator of plain rows; writing metrics, drawing progress and making
figures is the business of whoever consumes it.
"""

import gc
import hashlib
import math
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.network import parameter_count
from firebreak.agent.policy_file import save_policy
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import SYMMETRIES, turn_batch
from firebreak.checks import InputError, fail
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.memory.snapshot import rss_bytes, snapshot
from firebreak.seeding import integer_seed
from firebreak.train.checkpoints import load_checkpoint, save_checkpoint
from firebreak.train.cleanup import Cleaner, Freed
from firebreak.train.collector import ExperienceCollector
from firebreak.train.config import RunConfig, as_toml
from firebreak.train.setup import Splits, settings_of
from firebreak.train.validation import Validation, validate

VALIDATION_ENVS = 16
POLICY = "policy.pt"
Row = dict[str, Any]


class ParallelTrainer:
    """Owns everything a run holds: two vector environments, agent, replay, collector.

    Args:
        run: the output folder; policy.pt (best on validation) and checkpoints/ are written there.
    """

    def __init__(self, config: RunConfig, splits: Splits, run: Path) -> None:
        self.config, self.splits, self.run_folder = config, splits, run
        train, clean = config.train, config.cleanup
        seed = config.seed
        self.agent = DQNAgent(OBSERVATION, settings_of(config.agent),
                              integer_seed(seed, "agent") % 2**31, train.device)
        self.env = FuelbreakVectorEnv(splits.train, train.num_envs)
        self.validation_env = FuelbreakVectorEnv(
            splits.train, min(VALIDATION_ENVS, len(splits.validation)), autoreset=False)
        self.replay = Replay(OBSERVATION, splits.train.shape, train.num_envs,
                             config.replay.capacity, self._shortest_episode())
        self._check_budget()
        self.collector = ExperienceCollector(
            self.env, self.agent, steps=train.collect_steps,
            seed=integer_seed(seed, "episodes") % 2**31, max_experiences=clean.max_experiences,
            max_step_times=clean.max_step_times, max_collection_times=clean.max_collection_times)
        self.cleaner = Cleaner(clean, self.agent, self.collector)
        self.losses: deque[float] = deque(maxlen=clean.max_losses)
        self.returns: deque[float] = deque(maxlen=clean.max_rewards)
        self.best = -float("inf")
        self.best_learner_steps = 0
        self._updates_due = 0.0
        self._validated_at = -1  # env steps
        for thing in (self.env, self.validation_env, self.agent, self.replay, self.collector):
            track(thing)

    def describe(self) -> str:
        """What is about to run, in one line, with the bytes of the replay."""
        replay = self.replay
        return (f"{parameter_count(self.agent.online_net):,} weights; replay "
                f"{replay.nbytes / 1e6:.1f} MB for {replay.rows * replay.num_envs:,} transitions "
                f"({replay.bytes_per_transition() / 1e3:.2f} kB each); environments "
                f"{(self.env.owned_bytes() + self.validation_env.owned_bytes()) / 1e6:.1f} MB")

    def run(self) -> Iterator[Row]:
        """Trains until `train.episodes` episodes have ended, yielding rows.

        Row kinds: "progress" after each collection, "memory" at every full cleanup, "cleanup" for
        each cleanup that freed too much, "validation", and one "end".
        """
        begin = time.perf_counter()
        gc.collect()
        gc.freeze()  # what exists now lives to the end; later collections need not look at it
        try:
            next_validation = self._next_validation()
            yield self._memory_row("start")
            while self.collector.episodes < self.config.train.episodes:
                collected = self.collector.collect()
                self.collector.buffer.drain(self.replay)
                self.returns.extend(collected.returns)
                updates = self._learn(collected.env_steps)
                yield self._progress_row(updates, len(collected.returns), begin)
                yield from self._cleanup_rows()
                if self.collector.episodes >= next_validation:
                    next_validation = self._next_validation()
                    yield self._validate()
                    self.save()
            if self._validated_at != self.collector.env_steps:
                yield self._validate()
            self.save()
            yield self._memory_row("end")
            yield {"kind": "end", "seconds": time.perf_counter() - begin, **self._counts(),
                   "weights_sha256": self.weights_sha256(), "best_reduction": self.best,
                   "best_learner_steps": self.best_learner_steps,
                   "mean_loss": fmean(self.losses) if self.losses else None,
                   "cleanup_seconds": self.cleaner.seconds, "cleanups": self.cleaner.runs}
        finally:
            gc.unfreeze()

    def resume(self) -> None:
        """Goes on from the run folder's last checkpoint; episodes under way then start anew."""
        state = load_checkpoint(self.run_folder)
        try:
            self.replay.restore(state["replay"])
            self.agent.restore(state["agent"])
        except (RuntimeError, KeyError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise fail(expected="a checkpoint of this configuration",
                       given=str(error).split("\n")[0], where=str(self.run_folder),
                       remedy="resume with the settings the run was started with") from error
        self.replay.end_episodes()
        self.collector.resume(int(state["episodes"]), int(state["env_steps"]))
        self.best = float(state["best"])
        self.best_learner_steps = int(state["best_learner_steps"])
        self.cleaner.skip_to(self.collector.env_steps // self.env.num_envs,
                             self.agent.learner_steps, self.collector.episodes)

    def save(self) -> None:
        """Writes the last checkpoint."""
        save_checkpoint(self.run_folder, {
            "agent": self.agent.state(), "replay": self.replay.state(),
            "episodes": self.collector.episodes, "env_steps": self.collector.env_steps,
            "best": self.best, "best_learner_steps": self.best_learner_steps,
            "config": as_toml(self.config)})

    def weights_sha256(self) -> str:
        """Hash of the online network's weights."""
        digest = hashlib.sha256()
        for name, tensor in self.agent.online_net.state_dict().items():
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def close(self) -> None:
        """Closes both environments."""
        self.env.close()
        self.validation_env.close()

    def _learn(self, env_steps: int) -> list[Update]:
        """The gradient steps due for these env steps; none before the replay is ready."""
        if len(self.replay) < self.config.train.learning_starts:
            return []
        self._updates_due += env_steps * self.config.train.updates_per_env_step
        updates = []
        while self._updates_due >= 1.0:
            self._updates_due -= 1.0
            updates.append(self._update())
        return updates

    def _update(self) -> Update:
        agent, settings = self.agent, self.agent.settings
        batch = self.replay.sample(settings.batch_size, agent.discount, settings.n_step,
                                   agent.sampling)
        if self.config.agent.symmetries:
            turns = SYMMETRIES if self.replay.shape[0] == self.replay.shape[1] else 1
            k = int(torch.randint(turns, (1,), generator=agent.sampling))
            batch = turn_batch(batch, k, OBSERVATION)
        update = agent.learn(batch)
        if not math.isfinite(update.loss):
            raise fail(expected="a finite loss", given=f"{update.loss}",
                       where=f"learner step {agent.learner_steps}",
                       remedy="lower agent.learning_rate; the last checkpoint is as it was")
        self.losses.append(update.loss)
        return update

    def _validate(self) -> Row:
        result = validate(self.agent, self.validation_env, self.splits.validation)
        self._validated_at = self.collector.env_steps
        if result.reduction > self.best:
            self.best, self.best_learner_steps = result.reduction, self.agent.learner_steps
            save_policy(self.run_folder / POLICY, self.agent.online_net, self.config.agent.width,
                        self._provenance(result))
        return {"kind": "validation", "reduction": result.reduction,
                "half_width": result.half_width, "best": self.best, **self._counts()}

    def _provenance(self, result: Validation) -> Row:
        return {"run": self.run_folder.name, "validation_reduction": result.reduction,
                "config": as_toml(self.config), **self._counts()}

    def _progress_row(self, updates: list[Update], ended: int, begin: float) -> Row:
        recent = list(self.returns)[-50:]
        return {
            "kind": "progress", **self._counts(), "episodes_ended": ended,
            "seconds": time.perf_counter() - begin,
            "epsilon": self.agent.settings.epsilon(self.collector.env_steps),
            "discount": self.agent.discount, "replay": len(self.replay),
            "learning_starts": self.config.train.learning_starts,
            "mean_return": fmean(recent) if recent else None,
            "loss": fmean(u.loss for u in updates) if updates else None,
            "mean_q": fmean(u.mean_q for u in updates) if updates else None,
            "gradient_norm": fmean(u.gradient_norm for u in updates) if updates else None,
            "seconds_per_env_step": fmean(self.collector.step_times) / self.env.num_envs,
            "seconds_per_collection": fmean(self.collector.collection_times),
            "rss_bytes": rss_bytes()}

    def _cleanup_rows(self) -> Iterator[Row]:
        done = self.cleaner.after(self.collector.env_steps // self.env.num_envs,
                                  self.agent.learner_steps, self.collector.episodes)
        yield from ({"kind": "cleanup", **freed._asdict(), **self._counts()}
                    for freed in done if freed.alarming)
        if any(_is_full(freed) for freed in done):
            yield self._memory_row("cleanup")

    def _memory_row(self, phase: str) -> Row:
        # In this order: what the validation environment borrows counts as the problems' own.
        roots = {"validation_problems": self.splits.validation, "replay": self.replay,
                 "env": self.env.slots, "validation_env": self.validation_env.slots,
                 "experience_buffer": self.collector.buffer, "agent": self.agent}
        return {"kind": "memory", **self._counts(), **snapshot(phase, roots)}

    def _counts(self) -> Row:
        return {"episodes": self.collector.episodes, "env_steps": self.collector.env_steps,
                "learner_steps": self.agent.learner_steps}

    def _next_validation(self) -> int:
        every = self.config.evaluation.every_episodes
        return (self.collector.episodes // every + 1) * every

    def _shortest_episode(self) -> int:
        """A lower bound for the steps of an episode: half of what the budget buys at unit cost."""
        land = self.config.landscapes
        return max(int(0.5 * self.config.budget * land.size**2), 1)

    def _check_budget(self) -> None:
        most = self.config.replay.memory_budget_mb
        needed = self.replay.nbytes / 1e6
        if needed > most:
            raise fail(expected=f"a replay within {most} MB", given=f"{needed:.0f} MB",
                       where="replay.capacity",
                       remedy="lower replay.capacity or raise replay.memory_budget_mb")


def _is_full(freed: Freed) -> bool:
    return freed.owner == "everything"
