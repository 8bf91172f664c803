"""The run: collect, learn, clean up, validate, save, for as many episodes as asked.

`ParallelTrainer.run` is a generator of plain rows; writing metrics, drawing progress and making
figures is the business of whoever consumes it.
"""

import gc
import time
import tracemalloc
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from firebreak.agent.dqn import DQNAgent, NotFinite
from firebreak.agent.network import hash_of_weights, parameter_count
from firebreak.checks import fail
from firebreak.memory.process import rss_bytes
from firebreak.memory.profiler import Profiler
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.train.config.load import as_toml
from firebreak.train.config.schema import RunConfig
from firebreak.train.config.setup import begin_with
from firebreak.train.data.sizes import check_replay_budget
from firebreak.train.data.splits import Splits
from firebreak.train.rollout.player import joined, validate
from firebreak.train.run.cleanup import EVERYTHING, Cleaner
from firebreak.train.run.progress import (
    BestPolicy,
    EnvGroup,
    Progress,
    RunState,
    mean_or_none,
    progress_of,
    replay_bytes,
    replay_share,
    size_in_words,
)
from firebreak.train.run.resume import KIND, restore, state_of
from firebreak.train.run.turn import (
    collect,
    fit,
    is_due,
    is_fitted,
    is_over,
    learn,
    warn_unless_it_can_learn,
)
from firebreak.train.storage.checkpoints import (
    CHECKPOINTS,
    checkpoints_of,
    failure_of,
    latest_checkpoint,
    save_checkpoint,
)
from firebreak.train.storage.metrics import Position, Row

MAX_FAILED_SAVES = 3
"""Scheduled saves that fail in a row before the run ends."""


class _StopAskedError(Exception):
    """Leaves the step under way."""


class ParallelTrainer:
    """Owns everything a run holds: the agent, and for each map size a group with two vector
    environments, a replay and a collector.

    Args:
        run: the output folder; policy.safetensors (best on validation, or the end of a fit) and
            checkpoints/ are written there.

    Attributes:
        state: the parts that turns change and checkpoints hold.
        stop_asked: set it to have `run` finish the step under way, save and end.
        twin: learns from the same rows at discount 0; None if not asked for.
        best: what did best on validation so far, or what the fit ended with.
        positions: where the files of rows stand, stored with each checkpoint; set by whoever
            writes them.
        unsaved: why the last save failed; None if it did not.
    """

    def __init__(self, config: RunConfig, splits: Splits, run: Path) -> None:
        self.config, self.splits, self.run_folder = config, splits, run
        clean = config.cleanup
        seed = integer_seed(config.seed, "agent") % 2**31
        self.agent = DQNAgent(config.agent, seed, config.train.device)
        self.twin = (DQNAgent(config.agent, seed, config.train.device)
                     if config.agent.twin else None)
        for learner in filter(None, (self.agent, self.twin)):
            if config.agent.start is not None and not checkpoints_of(run / CHECKPOINTS):
                begin_with(learner, config.agent.start)
            track(learner)
        # Checkpoints and readings of memory name the groups by this attribute: it keeps its name.
        self.arenas = [
            EnvGroup(config, source, problems, self.agent, place, len(splits.train))
            for place, (source, problems) in enumerate(
                zip(splits.train, splits.validation, strict=True))]
        check_replay_budget(replay_bytes(self.arenas), config.replay.memory_budget_mb)
        self.cleaner = Cleaner(clean, self.agent, [group.collector for group in self.arenas])
        self.profiler = Profiler(lambda: {"trainer": self}, lambda: {
            "trainer.arenas[].replay": replay_share(self.arenas)})
        self.losses: deque[float] = deque(maxlen=clean.max_losses)
        self.returns: deque[float] = deque(maxlen=clean.max_rewards)
        self.best = BestPolicy(self.agent.online_net, run)
        self.stop_asked = False
        self.positions: Callable[[], dict[str, Any]] = dict
        self.unsaved: OSError | None = None
        self.progress = Progress(next_validation=config.evaluation.every_episodes)
        self.state = RunState(config, self.agent, self.twin, self.arenas, self.progress,
                              self.losses, self.returns, self.best)
        self._failed_saves = 0
        self._begin = time.perf_counter()

    def describe(self) -> str:
        """Return what is about to run, in one line, with the bytes of the replay."""
        return f"{parameter_count(self.agent.online_net):,} weights; {size_in_words(self.arenas)}"

    @property
    def episodes(self) -> int:
        """Episodes that have ended."""
        return sum(group.collector.episodes for group in self.arenas)

    @property
    def env_steps(self) -> int:
        """Steps of all environments."""
        return self.state.env_steps

    def run(self) -> Iterator[Row]:
        """Trains until `train.episodes` episodes have ended, yielding rows.

        Row kinds: "progress" after each collection, "memory" at every full cleanup and for phases
        in between, "cleanup" for each cleanup that freed too much, "validation", and at last one
        "end", or one "stopped" where `stop_asked` was set: the run is saved then.

        Raises:
            FloatingPointError: NaN or infinity; the batch is written, the last checkpoint stays.
            MemoryError: above `cleanup.rss_limit_mb`; the run is saved.
            OSError: the disk has not taken the last checkpoints; the last good one stays.
        """
        self._begin = time.perf_counter() - self.progress.seconds
        warn_unless_it_can_learn(self.state)
        torch.set_num_threads(self.config.train.torch_threads)
        if self.config.cleanup.python_heap:
            tracemalloc.start()
        gc.collect()
        gc.freeze()  # what exists now lives to the end; later collections need not look at it
        try:
            yield from self._memory_rows("baseline")
            yield from self._turns()
            yield from self._fit()
            if is_fitted(self.state):
                if self.best.learner_steps != self.agent.learner_steps:
                    yield self._validated()[0]
                    self._save_or_warn(best=True)
            elif not self._is_validated():
                # Saved before: a run that goes on from here is not validated at this point.
                self._save_or_warn()
                yield self._validated()[0]
            self._write_best()
            if self.best.unwritten is not None:
                raise self.best.unwritten
            yield from self._memory_rows("end")
            yield {"kind": "end", "seconds": time.perf_counter() - self._begin, **self._counts(),
                   "weights_sha256": self.weights_sha256() if self.has_learned else None,
                   "best_reduction": self.best.reduction,
                   "best_learner_steps": self.best.learner_steps,
                   "mean_loss": mean_or_none(self.losses),
                   "cleanup_seconds": self.cleaner.seconds, "cleanups": self.cleaner.runs,
                   "cleanup_freed_bytes": self.cleaner.freed_bytes,
                   "profiler_seconds": self.profiler.seconds}
        except _StopAskedError:
            self.save()
            yield {"kind": "stopped", **self._counts()}
        finally:
            gc.unfreeze()
            if self.config.cleanup.python_heap:
                tracemalloc.stop()

    def _turns(self) -> Iterator[Row]:
        """Collections, each with its updates, and the validations between them."""
        while True:
            if not self.progress.in_turn:
                if self.episodes >= self.progress.next_validation:
                    yield from self._validate_and_save()
                if self.episodes >= self.config.train.episodes:
                    return
            self.progress.in_turn, self.progress.fitted = True, 0
            with self._learning("collect"):
                collect(self.state, self.check_stop)
            with self._learning("learn"):
                learn(self.state, self.check_stop)
            yield from self._turn_rows()

    def _fit(self) -> Iterator[Row]:
        """The learner steps after the last episode, with validations between them."""
        while not is_over(self.state):
            if is_due(self.state) and not self._is_validated():
                yield from self._validate_and_save()
            with self._learning("learn"):
                fit(self.state, self.check_stop)
            yield from self._turn_rows()

    @contextmanager
    def _learning(self, phase: str) -> Iterator[None]:
        """A phase in which a number that is not finite ends the run."""
        try:
            with self.profiler.phase(phase):
                yield
        except NotFinite as error:
            raise self._diverged(error) from error

    def _is_validated(self) -> bool:
        """True where nothing was learned or played since the last validation."""
        return self.progress.validated_at == self.env_steps + self.progress.fitted

    def _turn_rows(self) -> Iterator[Row]:
        """The rows of a turn, or of a part of the fit, that is over."""
        yield {"kind": "progress", **self._counts(),
               **progress_of(self.state, time.perf_counter() - self._begin),
               "cleanup_seconds": self.cleaner.seconds,
               "cleanup_freed_bytes": self.cleaner.freed_bytes,
               "profiler_seconds": self.profiler.seconds, "rss_bytes": rss_bytes()}
        self.progress.end_turn()
        yield from self._cleanup_rows()
        self._hold_memory_limit()

    def check_stop(self) -> None:
        """Leaves the step under way if the run was asked to stop."""
        if self.stop_asked:
            raise _StopAskedError

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

    def resume(self) -> dict[str, Position]:
        """Goes on from the newest whole checkpoint of the run folder, as if the run had not
        stopped; returns the `positions` stored with it.

        Raises:
            InputError: none is whole, or it is one of other settings.
        """
        positions = restore(self.state, latest_checkpoint(self.run_folder / CHECKPOINTS, KIND))
        self.cleaner.skip_to(self._steps_per_slot(), self.agent.learner_steps, self.episodes)
        self._write_best()
        return positions

    def save(self, *, best: bool = False) -> None:
        """Writes a checkpoint; best: this is where the best validation was.

        Raises:
            OSError: the disk is full or may not be written; the earlier ones are as they were.
            FloatingPointError: the networks hold NaN or infinity; nothing is written.
        """
        try:
            self.agent.check_finite()
        except NotFinite as error:
            raise self._diverged(error) from error
        self.progress.seconds = time.perf_counter() - self._begin
        self._write_best()
        save_checkpoint(self.run_folder / CHECKPOINTS, KIND,
                        state_of(self.state, self.positions()), best=best,
                        keep=self.config.train.checkpoints_kept)
        self.unsaved, self._failed_saves = None, 0

    def _save_or_warn(self, *, best: bool = False) -> None:
        """A scheduled save: one that fails is warned of, and made up for by the next.

        Raises:
            OSError: several in a row have failed.
        """
        try:
            self.save(best=best)
        except OSError as error:
            self._failed_saves += 1
            self.unsaved = error
            if self._failed_saves == MAX_FAILED_SAVES:
                raise
            warnings.warn(f"checkpoint at episode {self.episodes} not written "
                          f"({error.strerror or error}); the one before stays, and the run goes on",
                          stacklevel=2)

    def _write_best(self) -> None:
        """Writes the policy so far, if it is not on disk; a run that has learned nothing has none.
        """
        if self.best.is_due and self.has_learned:
            self.best.write()

    @property
    def has_learned(self) -> bool:
        """True from the first gradient step on."""
        return self.agent.learner_steps > 0

    def check_learned(self) -> None:
        """Refuses to go on without a policy.

        Raises:
            InputError: the run has made no gradient step.
        """
        if not self.has_learned:
            raise fail(expected="a run that makes a gradient step", where="train.learning_starts",
                       given=f"none: {self.env_steps:,} transitions of "
                             f"{self.config.train.learning_starts:,} before the first",
                       remedy="lower it, raise train.episodes, or go on with the checkpoint of the "
                              "run")

    def weights_sha256(self) -> str:
        """Hash of the online network's weights."""
        return hash_of_weights(self.agent.online_net)

    def close(self) -> None:
        """Closes all environments, and ends the workers of collectors."""
        for group in self.arenas:
            group.close()

    def release(self) -> None:
        """Closes and forgets environments, replays and collectors; nothing can be trained after."""
        self.close()
        self.arenas.clear()
        self.cleaner.collectors.clear()

    def _diverged(self, error: NotFinite) -> FloatingPointError:
        return failure_of(self.run_folder, str(error), error.batch, {
            "seed": self.config.seed, **self._counts(), "config": as_toml(self.config)})

    def _validate_and_save(self) -> Iterator[Row]:
        row, improved = self._validated()
        every = self.config.evaluation.every_episodes
        self.progress.next_validation = (self.episodes // every + 1) * every
        yield row
        with self.profiler.phase("checkpoint"):
            self._save_or_warn(best=improved)
        yield from self._memory_rows(None)

    def _validated(self) -> tuple[Row, bool]:
        """The row of a validation, and whether it is the best so far."""
        with self.profiler.phase("evaluate"):
            result, *twin = [joined([validate(
                learner, group.validation_env, group.problems, self.check_stop)
                for group in self.arenas]) for learner in filter(None, (self.agent, self.twin))]
        self.progress.validated_at = self.env_steps + self.progress.fitted
        improved = result.reduction > self.best.reduction or is_fitted(self.state)
        if improved:
            self.best.take(result.reduction, self.agent.learner_steps, {
                "run": self.run_folder.name, "validation_reduction": result.reduction,
                "config": as_toml(self.config), **self._counts()})
            self._write_best()
        return {"kind": "validation", "reduction": result.reduction,
                "half_width": result.half_width, "best": self.best.reduction,
                **{f"twin_{name}": value for one in twin for name, value in one._asdict().items()},
                **self._counts()}, improved

    def _cleanup_rows(self) -> Iterator[Row]:
        done = self.cleaner.after(self._steps_per_slot(), self.agent.learner_steps, self.episodes)
        yield from ({"kind": "cleanup", **freed._asdict(), **self._counts()}
                    for freed in done if freed.alarming)
        yield from self._memory_rows(
            "cleanup" if any(freed.owner == EVERYTHING for freed in done) else None)

    def _memory_rows(self, full: str | None) -> Iterator[Row]:
        """Readings of phases since the last call, and a full reading if named."""
        if full is not None:
            self.profiler.full(full)
        yield from ({"kind": "memory", **self._counts(), **row}
                    for row in self.profiler.take_rows())

    def _counts(self) -> Row:
        return {"episodes": self.episodes, "env_steps": self.env_steps,
                "learner_steps": self.agent.learner_steps}

    def _steps_per_slot(self) -> int:
        """Steps that each slot has made."""
        return self.env_steps // sum(group.env.num_envs for group in self.arenas)
