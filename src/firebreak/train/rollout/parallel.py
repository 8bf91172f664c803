"""Many collectors for one learner: rounds of whole episodes, played by workers while it learns.

A round is collected by all, and the next one begins, with the weights of then, before the learner
works on it: acting is one round behind, the same on every back end and any number of workers.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.experience import Episode
from firebreak.agent.replay import Replay
from firebreak.executors.base import Executor
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.seeding import integer_seed
from firebreak.train.config.schema import RunConfig
from firebreak.train.rollout.player import Player, Weights, make_player, weights_of


class CollectorPool:
    """Collects for a trainer as an `ExperienceCollector` does; workers start with the first round.

    Args:
        agent: whose weights are played; sent to all every `train.broadcast_steps` learner steps.
    """

    def __init__(self, config: RunConfig, agent: DQNAgent) -> None:
        self.config, self.agent = config, agent
        self.buffer: list[Episode] = []
        self.episodes = self.env_steps = 0
        clean = config.cleanup
        self.step_times: deque[float] = deque(maxlen=clean.max_step_times)
        self.collection_times: deque[float] = deque(maxlen=clean.max_collection_times)
        self._executor: Executor | None = None
        self._weights: Weights = {}
        self._shared_at = -1  # learner steps
        self._rounds = [0] * config.train.collectors  # begun, of each collector
        self._begun_at = 0  # env steps
        self._with_gains = False
        self._waiting: deque[int] = deque()
        self._playing: dict[int, int] = {}
        self._played: dict[int, list[tuple[Episode, float]]] = {}

    def collect(self, env_steps: int, check_stop: Callable[[], None]) -> list[float]:
        """Waits for the round under way, begins the next one, and returns the returns of the
        episodes, in the order of collectors.

        Raises:
            WorkerLostError: a worker died at every attempt of a round.
        """
        begin, collectors = time.perf_counter(), range(self.config.train.collectors)
        if not (self._waiting or self._playing or self._played):
            self._begin(env_steps)
        while len(self._played) < len(collectors):
            self._pump(None)
            check_stop()
        # All of it is counted at once, so that a stop before leaves the round under way.
        round_ = [played for collector in collectors for played in self._played[collector]]
        self._played.clear()
        self.buffer += [episode for episode, _ in round_]
        steps = sum(episode.action.size for episode in self.buffer)
        self.env_steps += steps
        self.episodes += len(self.buffer)
        self._begin(env_steps + steps)
        seconds = time.perf_counter() - begin
        self.collection_times.append(seconds)
        if steps:
            self.step_times.append(seconds * self.config.train.num_envs / steps)
        return [whole for _, whole in round_]

    def drain(self, replay: Replay) -> int:
        """Hands all collected episodes on in their order; returns the number of transitions."""
        for episode in self.buffer:
            replay.append_episode(episode)
        count = sum(episode.action.size for episode in self.buffer)
        self.buffer.clear()
        return count

    def poll(self) -> None:
        """Between learner steps: takes what has come and keeps workers busy, without waiting."""
        if self._playing:
            self._pump(0.0)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on; a round under way is played again, with the weights of then.
        """
        return {"rounds": list(self._rounds), "begun_at": self._begun_at,
                "with_gains": self._with_gains,
                "under_way": bool(self._waiting or self._playing or self._played),
                "weights": {name: torch.from_numpy(array) for name, array in self._weights.items()},
                "shared_at": self._shared_at, "episodes": self.episodes,
                "env_steps": self.env_steps}

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self._rounds = [int(count) for count in state["rounds"]]
        self._begun_at, self._shared_at = int(state["begun_at"]), int(state["shared_at"])
        self._with_gains = bool(state.get("with_gains", False))
        self._weights = {name: tensor.numpy() for name, tensor in state["weights"].items()}
        self.episodes, self.env_steps = int(state["episodes"]), int(state["env_steps"])
        if self._weights:
            self._open().share(self._weights)
        if state["under_way"]:
            self._waiting.extend(range(len(self._rounds)))

    def cleanup_memory(self) -> int:
        """Nothing is held between rounds but what is under way: returns 0 bytes."""
        return 0

    def close(self) -> None:
        """Ends the workers."""
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def _open(self) -> Executor:
        """The executor; its workers are started when they are first needed."""
        if self._executor is None:
            train = self.config.train
            self._executor = open_executor(
                train.collector_executor, Recipe(make_player, (self.config,)),
                train.collector_workers or train.collectors, train.collector_limit_s)
        return self._executor

    def _begin(self, env_steps: int) -> None:
        """Begins a round of all collectors, with newer weights where these are due."""
        learned = self.agent.learner_steps
        if self._shared_at < 0 or learned - self._shared_at >= self.config.train.broadcast_steps:
            self._weights = {name: array.copy() for name, array
                             in weights_of(self.agent.online_net).items()}
            self._open().share(self._weights)
            self._shared_at = learned
        self._rounds = [count + 1 for count in self._rounds]
        self._begun_at, self._with_gains = env_steps, self.agent.learns_gains
        self._waiting.extend(range(len(self._rounds)))
        self._submit()

    def _submit(self) -> None:
        """Gives idle workers the rounds that wait."""
        executor, count = self._open(), self.config.train.num_envs
        for worker in executor.idle:
            if not self._waiting:
                return
            collector = self._waiting.popleft()
            number = self._rounds[collector] - 1
            first = (number * len(self._rounds) + collector) * count
            seed = integer_seed(self.config.seed, "collector", collector, number) % 2**31
            executor.submit(worker, Player.play.__name__, self.agent.settings, first,
                            self._begun_at, seed, self._with_gains)
            self._playing[worker] = collector

    def _pump(self, timeout_s: float | None) -> None:
        """Takes answers that have come, at least one unless the time is over."""
        self._submit()
        for answer in self._open().answers(timeout_s):
            self._played[self._playing.pop(answer.worker)] = answer.value
        self._submit()
