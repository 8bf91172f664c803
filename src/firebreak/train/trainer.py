"""The run: collect, learn, clean up, validate, save, for as many episodes as asked.

`ParallelTrainer.run` is a generator of plain rows; writing metrics, drawing progress and making
figures is the business of whoever consumes it.
"""

import gc
import hashlib
import math
import time
import tracemalloc
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.network import parameter_count
from firebreak.agent.policy_file import save_policy
from firebreak.agent.symmetry import SYMMETRIES, turn_batch
from firebreak.checks import InputError, fail
from firebreak.layout import OBSERVATION
from firebreak.memory.process import rss_bytes
from firebreak.memory.profiler import Profiler
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.train.arena import Arena
from firebreak.train.checkpoints import CHECKPOINTS, latest_checkpoint, save_checkpoint
from firebreak.train.cleanup import EVERYTHING, Cleaner
from firebreak.train.config import as_toml
from firebreak.train.schema import RunConfig
from firebreak.train.setup import settings_of
from firebreak.train.splits import Splits
from firebreak.train.validation import Validation, joined, validate

POLICY = "policy.pt"
Row = dict[str, Any]


class ParallelTrainer:
    """Owns everything a run holds: the agent, and for each map size an arena with two vector
    environments, a replay and a collector.

    Args:
        run: the output folder; policy.pt (best on validation) and checkpoints/ are written there.
    """

    def __init__(self, config: RunConfig, splits: Splits, run: Path) -> None:
        self.config, self.splits, self.run_folder = config, splits, run
        clean = config.cleanup
        self.agent = DQNAgent(OBSERVATION, settings_of(config.agent),
                              integer_seed(config.seed, "agent") % 2**31, config.train.device)
        track(self.agent)
        self.arenas = [
            Arena(config, source, problems, self.agent, place, len(splits.train))
            for place, (source, problems) in enumerate(
                zip(splits.train, splits.validation, strict=True))]
        self._check_budget()
        self.cleaner = Cleaner(clean, self.agent, [arena.collector for arena in self.arenas])
        self.profiler = Profiler(lambda: {"trainer": self}, self._filled)
        self.losses: deque[float] = deque(maxlen=clean.max_losses)
        self.returns: deque[float] = deque(maxlen=clean.max_rewards)
        self.best = -float("inf")
        self.best_learner_steps = 0
        self._updates_due = 0.0
        self._validated_at = -1  # env steps

    def describe(self) -> str:
        """What is about to run, in one line, with the bytes of the replay."""
        replays = [arena.replay for arena in self.arenas]
        environments = sum(arena.env.owned_bytes() + arena.validation_env.owned_bytes()
                           for arena in self.arenas)
        each = ", ".join(f"{replay.bytes_per_transition() / 1e3:.2f}" for replay in replays)
        return (f"{parameter_count(self.agent.online_net):,} weights; replay "
                f"{self._replay_bytes() / 1e6:.1f} MB for "
                f"{sum(replay.rows * replay.num_envs for replay in replays):,} transitions "
                f"({each} kB each); environments {environments / 1e6:.1f} MB")

    @property
    def episodes(self) -> int:
        """Episodes that have ended."""
        return sum(arena.collector.episodes for arena in self.arenas)

    @property
    def env_steps(self) -> int:
        """Steps of all environments."""
        return sum(arena.collector.env_steps for arena in self.arenas)

    def run(self) -> Iterator[Row]:
        """Trains until `train.episodes` episodes have ended, yielding rows.

        Row kinds: "progress" after each collection, "memory" at every full cleanup and for phases
        in between, "cleanup" for each cleanup that freed too much, "validation", and one "end".
        """
        begin = time.perf_counter()
        if self.config.cleanup.python_heap:
            tracemalloc.start()
        gc.collect()
        gc.freeze()  # what exists now lives to the end; later collections need not look at it
        try:
            next_validation = self._next_validation()
            yield from self._memory_rows("baseline")
            while self.episodes < self.config.train.episodes:
                with self.profiler.phase("collect"):
                    returns = self._collect()
                with self.profiler.phase("learn"):
                    updates = self._learn(self.config.train.collect_steps
                                          * sum(arena.env.num_envs for arena in self.arenas))
                yield self._progress_row(updates, len(returns), begin)
                yield from self._cleanup_rows()
                self._hold_memory_limit()
                if self.episodes >= next_validation:
                    next_validation = self._next_validation()
                    yield from self._validate_and_save()
            if self._validated_at != self.env_steps:
                yield from self._validate_and_save()
            yield from self._memory_rows("end")
            yield {"kind": "end", "seconds": time.perf_counter() - begin, **self._counts(),
                   "weights_sha256": self.weights_sha256(), "best_reduction": self.best,
                   "best_learner_steps": self.best_learner_steps,
                   "mean_loss": fmean(self.losses) if self.losses else None,
                   "cleanup_seconds": self.cleaner.seconds, "cleanups": self.cleaner.runs,
                   "profiler_seconds": self.profiler.seconds}
        finally:
            gc.unfreeze()
            if self.config.cleanup.python_heap:
                tracemalloc.stop()

    def _hold_memory_limit(self) -> None:
        """Above the limit: cleans up, and if that does not help saves and stops, before the system
        kills the run without either.

        Raises:
            MemoryError: the run is saved.
        """
        limit = self.config.cleanup.rss_limit_mb
        if limit is None or rss_bytes() <= limit * 1_000_000:
            return
        self.cleaner.everything()
        held = rss_bytes() / 1e6
        if held > limit:
            self.save()
            raise MemoryError(f"{held:.0f} MB resident after a cleanup, cleanup.rss_limit_mb = "
                              f"{limit}; the run is saved for --resume")

    def resume(self) -> None:
        """Goes on from the run folder's last checkpoint; episodes under way then start anew."""
        state = latest_checkpoint(self.run_folder / CHECKPOINTS, "run").load()
        try:
            self.agent.restore(state["agent"])
            for arena, kept in zip(self.arenas, state["arenas"], strict=True):
                arena.replay.restore(kept["replay"])
                if arena.labels is not None:
                    arena.labels.restore(kept["labels"])
        except (RuntimeError, KeyError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise fail(expected="a checkpoint of this configuration",
                       given=str(error).split("\n")[0], where=str(self.run_folder),
                       remedy="resume with the settings the run was started with") from error
        for arena, kept in zip(self.arenas, state["arenas"], strict=True):
            arena.replay.end_episodes()
            arena.collector.resume(int(kept["episodes"]), int(kept["env_steps"]))
        self.best = -math.inf if state["best"] is None else float(state["best"])
        self.best_learner_steps = int(state["best_learner_steps"])
        self.cleaner.skip_to(self._steps_per_slot(), self.agent.learner_steps, self.episodes)

    def save(self) -> None:
        """Writes the last checkpoint."""
        save_checkpoint(self.run_folder / CHECKPOINTS, "run", {
            "agent": self.agent.state(),
            "arenas": [{"replay": arena.replay.state(), "episodes": arena.collector.episodes,
                        "env_steps": arena.collector.env_steps,
                        "labels": arena.labels.state() if arena.labels else None}
                       for arena in self.arenas],
            "best": self.best if math.isfinite(self.best) else None,
            "best_learner_steps": self.best_learner_steps, "config": as_toml(self.config)})

    def weights_sha256(self) -> str:
        """Hash of the online network's weights."""
        digest = hashlib.sha256()
        for name, tensor in self.agent.online_net.state_dict().items():
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def close(self) -> None:
        """Closes all environments."""
        for arena in self.arenas:
            arena.close()

    def _collect(self) -> list[float]:
        """One collection in every arena; the returns of the episodes that ended."""
        returns: list[float] = []
        for arena in self.arenas:
            if arena.labels is not None and self._learns_gains():
                arena.labels.label(self.config.train.collect_steps * arena.env.num_envs)
            returns += arena.collector.collect(self.env_steps).returns
            arena.collector.buffer.drain(arena.replay)
        self.returns.extend(returns)
        return returns

    def _learn(self, env_steps: int) -> list[Update]:
        """The gradient steps due for these env steps; none before the replays are ready."""
        if sum(len(arena.replay) for arena in self.arenas) < self.config.train.learning_starts:
            return []
        self._updates_due += env_steps * self.config.train.updates_per_env_step
        updates = []
        while self._updates_due >= 1.0:
            self._updates_due -= 1.0
            updates.append(self._update())
        return updates

    def _update(self) -> Update:
        """One gradient step, on maps of each size by turns, with about as many cells in a batch."""
        agent, settings = self.agent, self.agent.settings
        arena = self.arenas[agent.learner_steps % len(self.arenas)]
        size = max(1, settings.batch_size * self.arenas[0].cells // arena.cells)
        turns = SYMMETRIES if arena.replay.shape[0] == arena.replay.shape[1] else 1
        turns = turns if self.config.agent.symmetries else 1
        if arena.labels is not None and self._learns_gains() and len(arena.labels.store):
            gains = arena.labels.store.sample(size, agent.sampling)
            update = agent.learn_gains(gains.turned(self._turn(turns), OBSERVATION))
        else:
            batch = arena.replay.sample(size, agent.discount, settings.n_step, agent.sampling,
                                        settings.priority)
            update = agent.learn(turn_batch(batch, self._turn(turns), OBSERVATION))
            if batch.place is not None:
                arena.replay.prioritize(batch.place, update.errors)
        if not math.isfinite(update.loss):
            raise fail(expected="a finite loss", given=f"{update.loss}",
                       where=f"learner step {agent.learner_steps}",
                       remedy="lower agent.learning_rate; the last checkpoint is as it was")
        self.losses.append(update.loss)
        return update

    def _learns_gains(self) -> bool:
        """Whether the discount is still 0 and the simulator's gains are learned from."""
        config = self.config.agent
        return config.gain_share > 0.0 and (self.agent.learner_steps < config.discount_begin
                                            or config.discount_end == 0.0)

    def _turn(self, turns: int) -> int:
        return int(torch.randint(turns, (1,), generator=self.agent.sampling))

    def _validate_and_save(self) -> Iterator[Row]:
        with self.profiler.phase("evaluate"):
            row = self._validate()
        with self.profiler.phase("checkpoint"):
            self.save()
        yield row
        yield from self._memory_rows(None)

    def _validate(self) -> Row:
        result = joined([validate(self.agent, arena.validation_env, arena.problems)
                         for arena in self.arenas])
        self._validated_at = self.env_steps
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
            "epsilon": self.agent.settings.epsilon(self.env_steps),
            "discount": self.agent.discount,
            "replay": sum(len(arena.replay) for arena in self.arenas),
            "learning_starts": self.config.train.learning_starts,
            "mean_return": fmean(recent) if recent else None,
            "loss": fmean(u.loss for u in updates) if updates else None,
            "mean_q": fmean(u.mean_q for u in updates) if updates else None,
            "gradient_norm": fmean(u.gradient_norm for u in updates) if updates else None,
            "seconds_per_env_step": fmean(fmean(arena.collector.step_times) / arena.env.num_envs
                                          for arena in self.arenas),
            "seconds_per_collection": sum(fmean(arena.collector.collection_times)
                                          for arena in self.arenas),
            "cleanup_seconds": self.cleaner.seconds, "rss_bytes": rss_bytes()}

    def _cleanup_rows(self) -> Iterator[Row]:
        done = self.cleaner.after(self._steps_per_slot(), self.agent.learner_steps, self.episodes)
        yield from ({"kind": "cleanup", **freed._asdict(), **self._counts()}
                    for freed in done if freed.alarming)
        yield from self._memory_rows(
            "cleanup" if any(freed.owner == EVERYTHING for freed in done) else None)

    def _memory_rows(self, full: str | None) -> Iterator[Row]:
        """What the profiler has read of phases since the last call, and a full reading if named."""
        if full is not None:
            self.profiler.full(full)
        yield from ({"kind": "memory", **self._counts(), **row}
                    for row in self.profiler.take_rows())

    def _filled(self) -> dict[str, float]:
        """Share of the replays in use, by their owner's path."""
        held = sum(len(arena.replay) for arena in self.arenas)
        room = sum((arena.replay.rows - 1) * arena.replay.num_envs for arena in self.arenas)
        return {"trainer.arenas[].replay": min(held / room, 1.0)}

    def _counts(self) -> Row:
        return {"episodes": self.episodes, "env_steps": self.env_steps,
                "learner_steps": self.agent.learner_steps}

    def _next_validation(self) -> int:
        every = self.config.evaluation.every_episodes
        return (self.episodes // every + 1) * every

    def _steps_per_slot(self) -> int:
        """Steps that each slot has made."""
        return self.env_steps // sum(arena.env.num_envs for arena in self.arenas)

    def _replay_bytes(self) -> int:
        """Of the transitions, and of the states kept with their gains."""
        return sum(arena.replay.nbytes + (arena.labels.store.nbytes if arena.labels else 0)
                   for arena in self.arenas)

    def _check_budget(self) -> None:
        most = self.config.replay.memory_budget_mb
        needed = self._replay_bytes() / 1e6
        if needed > most:
            raise fail(expected=f"a replay within {most} MB", given=f"{needed:.0f} MB",
                       where="replay.capacity",
                       remedy="lower replay.capacity or raise replay.memory_budget_mb")

