"""Collecting experience: the agent acts in the vector environment, transitions go to the replay.

The experience buffer holds one collect batch on its way to the replay. It is allocated once, it
refuses to overflow instead of dropping, and what went in and out is counted.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firebreak.agent.dqn import DQNAgent, NotFinite
from firebreak.agent.experience import Tried, check_bytes
from firebreak.agent.replay import Replay
from firebreak.checks import fail
from firebreak.env.core import action_costs
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.train.config.schema import CleanupConfig
from firebreak.train.data.sizes import tried_room
from firebreak.train.rollout.demonstrations import Demonstrations
from firebreak.train.rollout.gains import ActionGains


class ExperienceBuffer:
    """`steps` rows of N transitions as detached CPU tensors; observations as bytes.

    tried: actions of a transition that may have gains.
    """

    def __init__(self, steps: int, num_envs: int, observation_shape: tuple[int, ...],
                 tried: int = 0) -> None:
        shape = (steps, num_envs)
        self.steps = steps
        self.rows = {
            "observation": torch.zeros((*shape, *observation_shape), dtype=torch.uint8),
            "action": torch.zeros(shape, dtype=torch.int64), "reward": torch.zeros(shape),
            "terminated": torch.zeros(shape, dtype=torch.bool), "cost": torch.ones(shape)}
        if tried:
            self.rows |= {"tried": torch.zeros((*shape, tried), dtype=torch.int32),
                          "gain": torch.full((*shape, tried), torch.nan),
                          "tried_cost": torch.ones((*shape, tried))}
        self.held = 0
        self.received = 0
        self.handed_on = 0

    def push(self, observation: Tensor, action: Tensor, reward: Tensor, terminated: Tensor,
             cost: Tensor, tried: Tried | None = None) -> None:
        """Takes one row; observation uint8 [N, C, H, W], as the environment keeps it; cost: of the
        actions, in mean cells.

        Raises:
            OverflowError: it is full; `drain` first. Nothing is ever dropped.
            TypeError: observations that are no bytes.
        """
        check_bytes(observation)
        self.check_room()
        row = {"observation": observation, "action": action, "reward": reward,
               "terminated": terminated, "cost": cost}
        if tried is not None:
            row |= {"tried": torch.from_numpy(tried.action), "gain": torch.from_numpy(tried.gain),
                    "tried_cost": torch.from_numpy(tried.cost)}
        elif "gain" in self.rows:
            self.rows["gain"][self.held] = torch.nan
        for name, values in row.items():
            self.rows[name][self.held] = values.detach().cpu()
        self.held += 1
        self.received += action.shape[0]

    def check_room(self) -> None:
        """Raises OverflowError if it is full."""
        if self.held == self.steps:
            raise OverflowError(f"experience buffer full at {self.held} rows: drain it first")

    def drain(self, replay: Replay) -> int:
        """Hands all rows on to the replay in their order; returns the number of transitions."""
        count = self.held * self.rows["action"].shape[1]
        for row in range(self.held):
            seen, action, reward, over, cost, *tried = (kept[row] for kept in self.rows.values())
            replay.append(seen, action, reward, over, cost,
                          Tried(*(kept.numpy() for kept in tried)) if tried else None)
        self.held = 0
        self.handed_on += count
        return count

    def state(self) -> dict[str, Any]:
        """The rows held."""
        return {**{name: kept[:self.held] for name, kept in self.rows.items()},
                "received": self.received, "handed_on": self.handed_on}

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self.held = len(state["action"])
        for name in state.keys() & self.rows.keys():
            self.rows[name][:self.held].copy_(state[name])
        self.received, self.handed_on = int(state["received"]), int(state["handed_on"])


class ExperienceCollector:
    """Steps one vector environment for its whole life, `steps` times in each collection.

    gains: tells what actions of a state gain, while the agent learns from that.
    """

    def __init__(self, env: FuelbreakVectorEnv, agent: DQNAgent, steps: int, seed: int,
                 bounds: CleanupConfig, gains: ActionGains | None = None) -> None:
        if steps * env.num_envs > bounds.max_experiences:
            raise fail(expected=f"at most {bounds.max_experiences} experiences per collection",
                       given=f"{steps} steps of {env.num_envs} environments",
                       where="cleanup.max_experiences",
                       remedy="raise it, or lower train.collect_steps or train.num_envs")
        self.env, self.agent, self.gains = env, agent, gains
        self.demonstrations = Demonstrations(agent.settings.demonstrations)
        self.buffer = ExperienceBuffer(steps, env.num_envs, env.single_observation_space.shape,
                                       tried_room(agent.settings) if gains is not None else 0)
        self.env_steps = 0
        self.episodes = 0
        self.step_times: deque[float] = deque(maxlen=bounds.max_step_times)
        self.collection_times: deque[float] = deque(maxlen=bounds.max_collection_times)
        self._returns = np.zeros(env.num_envs)
        self._finished: list[float] = []
        self._observation: NDArray[np.float32]
        self._mask: NDArray[np.int8]
        self._observation, info = env.reset(seed=seed)
        self._mask = info["action_mask"]

    def collect(self, env_steps: int, check_stop: Callable[[], None]) -> list[float]:
        """One collect batch into the buffer; the rest of one, where it was left. Returns of the
        episodes that ended in it.

        env_steps: of the whole run, which exploration goes by.
        check_stop: raises between two steps to leave; what was collected stays in the buffer.

        Raises:
            OverflowError: the last collection was not drained.
            NotFinite: a reward that is no number.
        """
        self.buffer.check_room()
        begin = time.perf_counter()
        others = env_steps - self.env_steps
        for _ in range(self.buffer.held, self.buffer.steps):
            check_stop()
            self._finished += self._step(self.env_steps + others)
        self.collection_times.append(time.perf_counter() - begin)
        finished, self._finished = self._finished, []
        return finished

    def drain(self, replay: Replay) -> int:
        """Hands the collected rows on in their order; returns the number of transitions."""
        return self.buffer.drain(replay)

    def poll(self) -> None:
        """Between learner steps: nothing goes on then."""

    def state(self) -> dict[str, Any]:
        """Everything needed to go on with the episodes under way."""
        return {"env": self.env.state(), "buffer": self.buffer.state(), "episodes": self.episodes,
                "env_steps": self.env_steps, "returns": self._returns.tolist(),
                "finished": list(self._finished)}

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self._observation, info = self.env.restore(state["env"])
        self._mask = info["action_mask"]
        self.buffer.restore(state["buffer"])
        self.episodes, self.env_steps = int(state["episodes"]), int(state["env_steps"])
        self._returns[:] = state["returns"]
        self._finished = [float(value) for value in state["finished"]]

    def cleanup_memory(self) -> int:
        """Own buffers and environment only; returns the bytes freed. The buffer is of fixed size
        and never emptied here: what it holds is on its way to the replay.
        """
        return self.env.cleanup_memory()

    def _step(self, env_steps: int) -> list[float]:
        begin = time.perf_counter()
        observation = torch.from_numpy(self._observation)
        mask = torch.from_numpy(self._mask.astype(np.bool_))
        values = self.agent.q_values(observation)
        action = self.agent.act(observation, mask, env_steps, values)
        self.demonstrations.lead(action, mask, self.env.slots, self.env.episodes)
        tried = (self.gains.of_all(self.env.slots, values.numpy(), self.env_steps)
                 if self.gains is not None and self.agent.learns_gains else None)
        stored = torch.from_numpy(self.env.slots.layers.copy())  # the step writes over it
        cost = action_costs(self.env.slots, action.numpy(), self.env.source.lines)
        following, reward, terminated, _, info = self.env.step(action.numpy())
        if not np.isfinite(reward).all():
            raise NotFinite("the reward", {"observation": observation, "action": action,
                                           "reward": torch.from_numpy(reward)})
        self.buffer.push(stored, action, torch.from_numpy(reward.astype(np.float32)),
                         torch.from_numpy(terminated), torch.from_numpy(cost), tried)
        self._observation, self._mask = following, info["action_mask"]
        self.env_steps += self.env.num_envs
        self._returns += reward
        finished = self._returns[terminated].tolist()
        self._returns[terminated] = 0.0
        self.episodes += len(finished)
        self.step_times.append(time.perf_counter() - begin)
        return finished
