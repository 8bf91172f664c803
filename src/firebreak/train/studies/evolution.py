"""Evolution: a population of DQN agents that share one replay, generation by generation.

Each generation every member plays training episodes into the shared replay (collect), is judged
greedily on the same validation fires (evaluate), learns from the replay unless it is an elite
(train), and is then kept, or replaced by a child (evolve). A generation is a function of the state
at its start and of named streams, so a run goes on from any generation bit for bit, wherever its
episodes are played. Only episodes are played elsewhere: learning stays beside the replay.

Source: the loop of Khadka & Tumer (2018), Evolution-guided policy gradient in reinforcement
learning, with Q-learning members instead of one policy-gradient learner.
"""

import gc
import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from firebreak.agent.policy_file import save_policy
from firebreak.agent.policy_place import POLICY
from firebreak.agent.replay import Replay
from firebreak.checks import fail
from firebreak.executors.base import Executor, call_all
from firebreak.layout import OBSERVATION
from firebreak.memory.process import rss_bytes
from firebreak.memory.profiler import Profiler
from firebreak.memory.registry import live_counts, track
from firebreak.seeding import generator, integer_seed
from firebreak.train.config.load import as_toml
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.sizes import (
    check_population,
    check_replay_budget,
    shortest_episode,
)
from firebreak.train.rollout.player import Player, weights_of
from firebreak.train.run.resume import restoring_with
from firebreak.train.run.turn import update_from
from firebreak.train.storage.checkpoints import (
    CHECKPOINTS,
    check_channels,
    check_form,
    check_within,
    latest_checkpoint,
    save_checkpoint,
)
from firebreak.train.storage.metrics import Position, positions_of
from firebreak.train.studies.population import (
    child_of,
    clone,
    first_members,
    member_from,
    member_state,
    ranked,
    weights_sha256,
)

KIND = "evolution"
Row = dict[str, Any]


class Evolution:
    """Owns the population, the best member so far (a clone) and the shared replay.

    Args:
        executor: of workers that hold a `Player` of the configuration.
        shape: (H, W) of the maps.
        run: the output folder; policy.safetensors (the best member) and checkpoints/ are written
            there.

    Attributes:
        positions: where the files of rows stand, stored with each checkpoint; set by whoever
            writes them.
    """

    def __init__(self, config: RunConfig, executor: Executor, shape: tuple[int, int],
                 run: Path) -> None:
        if config.agent.start is not None:
            raise fail(expected="agent.start left out", given=config.agent.start,
                       where="agent.start",
                       remedy="leave it out: the members of a population begin with different "
                              "weights")
        if config.agent.segments:
            raise fail(expected="agent.segments = false", given="true", where="agent.segments",
                       remedy="use 'firebreak train': members learn from transitions, and line "
                              "actions are learned from gains")
        check_population(config, shape)
        self.config, self.executor, self.run_folder = config, executor, run
        # Gains are not learned from, so what they need of other settings binds no member.
        self.settings = replace(config.agent, gain_share=0.0, fit_steps=0)
        self.members = first_members(self.settings, config.evolution.population, config.seed,
                                     config.train.device)
        self.best = clone(self.members[0], self.settings)
        self.first_fitness = -math.inf
        self.replay = Replay(OBSERVATION, shape, 1, config.replay.capacity,
                             shortest_episode(config, shape[0]))
        check_replay_budget(self.replay.nbytes, config.replay.memory_budget_mb)
        if config.agent.gain_share > 0.0:
            warnings.warn("agent.gain_share is not used: members learn from transitions alone",
                          stacklevel=2)
        track(self.replay)
        self.generation = self.episodes = self.env_steps = self.learner_steps = 0
        self.profiler = Profiler(lambda: {"evolution": self}, self._filled)
        self.positions: Callable[[], dict[str, Any]] = dict
        self._seconds: dict[str, float] = {}

    def run(self) -> Iterator[Row]:
        """Evolves until `evolution.generations` generations are done, yielding rows.

        Row kinds: "generation" after each, "memory" (phases "baseline", "evaluate", "train",
        "evolve", "cleanup", "end"), and one "end".
        """
        begin = time.perf_counter()
        torch.set_num_threads(self.config.train.torch_threads)
        gc.collect()
        gc.freeze()  # what exists now lives to the end; later collections need not look at it
        try:
            yield from self._memory_row("baseline")
            while self.generation < self.config.evolution.generations:
                yield from self._one_generation()
            yield from self._memory_row("end")
        finally:
            gc.unfreeze()
        yield {"kind": "end", "seconds": time.perf_counter() - begin, **self._counts(),
               "best_fitness": self.best.fitness, "first_fitness": self.first_fitness,
               "population_sha256": weights_sha256(self.members)}

    def live(self) -> dict[str, int]:
        """Agents, environments and replays alive in this process."""
        counts = live_counts()
        return {"agents": counts.get("DQNAgent", 0), "envs": counts.get("FuelbreakVectorEnv", 0),
                "replays": counts.get("Replay", 0)}

    def save(self) -> None:
        """Writes a checkpoint; between generations only."""
        save_checkpoint(self.run_folder / CHECKPOINTS, KIND, self._state())

    def _state(self) -> dict[str, Any]:
        return {"members": [member_state(member) for member in self.members],
                "best": member_state(self.best), "replay": self.replay.state(),
                "first_fitness": self.first_fitness, "config": as_toml(self.config),
                "positions": self.positions(), **self._counts()}

    def resume(self) -> dict[str, Position]:
        """Goes on from the run folder's newest checkpoint; returns the `positions` stored with it.

        Raises:
            InputError: there is none, or it is of a run with other settings.
        """
        saved = latest_checkpoint(self.run_folder / CHECKPOINTS, KIND)
        with restoring_with(self.config, saved):
            kept = len(saved.state["members"])
            if kept != len(self.members):
                raise fail(expected=f"a population of {kept}, as the run was started with",
                           given=f"{len(self.members)}", where=str(self.run_folder),
                           remedy="resume with the settings the run was started with")
            replay = self.replay.state()
            check_channels(saved.folder, saved.entries.get("replay/static"), replay["static"])
            state = saved.load({f"replay/{name}": tensor for name, tensor in replay.items()
                                if name != "counters"})
            own = self._state()
            for name in own.keys() - {"positions"}:
                check_form(state[name], own[name], name)
            self._put_back(state)
            return positions_of(state["positions"])

    def _put_back(self, state: dict[str, Any]) -> None:
        check_within(state["replay"]["action"], 0, math.prod(self.replay.shape) - 1,
                     "replay/action")
        self.replay.restore(state["replay"])
        device = self.config.train.device
        self.members = [member_from(one, self.settings, device) for one in state["members"]]
        self.best = member_from(state["best"], self.settings, device)
        self.first_fitness = float(state["first_fitness"])
        for name in ("generation", "episodes", "env_steps", "learner_steps"):
            setattr(self, name, int(state[name]))

    def _one_generation(self) -> Iterator[Row]:
        self._seconds = {}
        with self._timed("collect"):
            returns = self._collect()
        with self._timed("evaluate"):
            self._evaluate()
        yield from self._memory_row("evaluate")
        order = ranked([member.fitness for member in self.members])
        elites = order[:self.config.evolution.elites]
        with self._timed("train"):
            loss = self._train(elites)
        yield from self._memory_row("train")
        row = self._summary(elites, returns, loss)
        with self._timed("evolve"):
            self._evolve(elites)
        yield from self._memory_row("evolve")
        self.generation += 1
        gc.collect()
        yield from self._memory_row("cleanup")
        yield row | {"seconds": dict(self._seconds), "rss_bytes": rss_bytes(),
                     "population_sha256": weights_sha256(self.members)}
        self.save()  # the row first, whose place the checkpoint holds

    def _collect(self) -> list[float]:
        """Every member plays as many training episodes; all go into the replay, in order."""
        count = self.config.evolution.episodes
        calls = [(weights_of(member.agent.online_net), member.agent.settings,
                  self.episodes + place * count, count, self.env_steps,
                  self._seed("acting", place))
                 for place, member in enumerate(self.members)]
        returns: list[float] = []
        for played in call_all(self.executor, Player.play.__name__, calls):
            for episode in played.episodes:
                self.replay.append_episode(episode)
                self.env_steps += episode.action.size
            returns += played.returns
        self.episodes += count * len(self.members)
        return returns

    def _evaluate(self) -> None:
        """Fitness is the mean relative reduction on the validation problems."""
        calls = [(weights_of(member.agent.online_net),) for member in self.members]
        for member, found in zip(
                self.members, call_all(self.executor, Player.judge.__name__, calls), strict=True):
            member.fitness = float(np.mean(found))
        best = self.members[ranked([member.fitness for member in self.members])[0]]
        if self.generation == 0:
            self.first_fitness = best.fitness
        if best.fitness > self.best.fitness:
            self.best = clone(best, self.settings)
            save_policy(self.run_folder / POLICY, self.best.agent.online_net,
                        {"run": self.run_folder.name, "validation_reduction": best.fitness,
                         "config": as_toml(self.config), **self._counts()})

    def _train(self, elites: list[int]) -> float | None:
        """Learner steps of all members but the elites, once the replay is ready; the mean loss."""
        if len(self.replay) < self.config.train.learning_starts:
            return None
        losses = []
        for place, member in enumerate(self.members):
            if place not in elites:
                member.agent.sampling.manual_seed(self._seed("sampling", place))
                losses += [update_from(member.agent, self.replay,
                                       member.agent.settings.batch_size).loss
                           for _ in range(self.config.evolution.updates)]
        self.learner_steps += len(losses)
        return fmean(losses) if losses else None

    def _evolve(self, elites: list[int]) -> None:
        """Elites stay, the very agents that were evaluated; children take the places of the worst.
        """
        config = self.config.evolution
        order = ranked([member.fitness for member in self.members])
        count = max(1, round(config.replaced * (len(order) - len(elites))))
        children = [child_of(self.members, self.settings, config, self.generation + 1,
                             generator(self.config.seed, "child", self.generation, place))
                    for place in range(count)]
        self.members = [self.members[place] for place in order[:len(order) - count]] + children

    def _summary(self, elites: list[int], returns: list[float], loss: float | None) -> Row:
        fitness = [member.fitness for member in self.members]
        return {"kind": "generation", **self._counts(), "fitness": fitness,
                "fitness_mean": fmean(fitness), "fitness_max": max(fitness),
                "fitness_min": min(fitness), "best_fitness": self.best.fitness, "elites": elites,
                "born": [member.born for member in self.members],
                "genomes": [list(member.genome) for member in self.members],
                "mean_return": fmean(returns), "loss": loss, "replay": len(self.replay),
                "learning_starts": self.config.train.learning_starts}

    def _counts(self) -> Row:
        return {"generation": self.generation, "episodes": self.episodes,
                "env_steps": self.env_steps, "learner_steps": self.learner_steps}

    def _seed(self, stream: str, place: int) -> int:
        return integer_seed(self.config.seed, stream, self.generation, place) % 2**31

    def _memory_row(self, phase: str) -> Iterator[Row]:
        self.profiler.full(phase)
        yield from ({"kind": "memory", **self._counts(), **row}
                    for row in self.profiler.take_rows())

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self._seconds[phase] = time.perf_counter() - begin

    def _filled(self) -> dict[str, float]:
        """Share of the replay in use, by its owner's path."""
        return {"evolution.replay": min(len(self.replay) / (self.replay.rows - 1), 1.0)}
