"""Double DQN on the fuel-break environment, from the environment to the loop, in one file.

A replay of detached CPU tensors, a target network, masks in behaviour and target; none of
firebreak's agent, replay or trainer. It learns for a minute and plays test episodes.

    python examples/minimal_dqn.py --steps 4000
"""

import argparse

import gymnasium
import numpy as np
import torch
from torch import nn

import firebreak.env  # noqa: F401  (registers firebreak/Fuelbreak-v0)

SIZE, ENVS, BATCH, DISCOUNT, COPY_EVERY = 12, 8, 64, 0.9, 100


def network(channels: int) -> nn.Module:
    """A value for every cell: float32 [N, C, H, W] to [N, H * W]."""
    return nn.Sequential(nn.Conv2d(channels, 32, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(32, 32, 3, padding=2, dilation=2), nn.ReLU(),
                         nn.Conv2d(32, 1, 1), nn.Flatten())


class Replay:
    """A ring of transitions in memory that is taken at the start."""

    def __init__(self, capacity: int, shape: tuple[int, ...], actions: int) -> None:
        self.stores = (  # state, action, reward, end of episode, next state, its mask
            torch.zeros(capacity, *shape), torch.zeros(capacity, dtype=torch.long),
            torch.zeros(capacity), torch.zeros(capacity), torch.zeros(capacity, *shape),
            torch.zeros(capacity, actions, dtype=torch.bool))
        self.capacity, self.added = capacity, 0

    def add(self, *transition) -> None:
        """One transition, its parts in the order of `stores`."""
        for store, value in zip(self.stores, transition, strict=True):
            store[self.added % self.capacity] = torch.as_tensor(value)
        self.added += 1

    def sample(self, count: int, rng: np.random.Generator):
        """`count` transitions."""
        rows = rng.integers(min(self.added, self.capacity), size=count)
        return [store[rows] for store in self.stores]


def best(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The allowed action of the largest value; where none is allowed, any."""
    return values.masked_fill(~mask, -torch.inf).argmax(dim=1)


def learn(online: nn.Module, target: nn.Module, optimizer, batch) -> None:
    """One gradient step on the double-Q target (van Hasselt et al. 2016)."""
    before, action, reward, ended, after, mask = batch
    with torch.no_grad():
        chosen = best(online(after), mask)
        future = target(after).gather(1, chosen[:, None])[:, 0]
        wanted = reward + DISCOUNT * (1.0 - ended) * future
    value = online(before).gather(1, action[:, None])[:, 0]
    optimizer.zero_grad()
    nn.functional.smooth_l1_loss(value, wanted).backward()
    optimizer.step()


def mean_saving(act, episodes: int) -> float:
    """Mean share of the loss that the breaks of `act` save."""
    env, saved = gymnasium.make("firebreak/Fuelbreak-v0", size=SIZE, budget=0.1), 0.0
    for episode in range(episodes):
        (observation, info), ended = env.reset(seed=10_000 + episode), False
        while not ended:
            action = act(observation, info["action_mask"].astype(bool))
            observation, reward, ended, _, info = env.step(action)
            saved += reward
    return saved / episodes


def main() -> None:
    """Train, then compare."""
    options = argparse.ArgumentParser()
    options.add_argument("--steps", type=int, default=4000, help="env steps")
    options.add_argument("--episodes", type=int, default=20, help="test episodes")
    steps, episodes = vars(options.parse_args()).values()
    rng = np.random.default_rng(torch.manual_seed(0).initial_seed())
    torch.set_num_threads(1)  # the network is small
    envs = gymnasium.make_vec("firebreak/Fuelbreak-v0", ENVS, size=SIZE, budget=0.1,
                              vectorization_mode="vector_entry_point")
    observation, info = envs.reset(seed=0)
    mask = info["action_mask"].astype(bool)
    online, target = network(observation.shape[1]), network(observation.shape[1])
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    replay = Replay(10_000, observation.shape[1:], mask.shape[1])
    for step in range(steps // ENVS):
        epsilon = max(0.05, 1.0 - 2.0 * step * ENVS / steps)
        with torch.no_grad():
            action = best(online(torch.as_tensor(observation)), torch.as_tensor(mask)).numpy()
        for k in np.flatnonzero(rng.random(ENVS) < epsilon):
            action[k] = rng.choice(np.flatnonzero(mask[k]))
        following, reward, ended, _, info = envs.step(action)
        next_mask = info["action_mask"].astype(bool)
        for k in range(ENVS):  # of an episode that ended the next state is that of another one
            replay.add(observation[k], action[k], reward[k], ended[k], following[k], next_mask[k])
        observation, mask = following, next_mask
        if replay.added >= 500:
            learn(online, target, optimizer, replay.sample(BATCH, rng))
        if step % COPY_EVERY == 0:
            target.load_state_dict(online.state_dict())

    def learned(observation, mask) -> int:
        return int(best(online(torch.as_tensor(observation)[None]), torch.as_tensor(mask)[None]))

    print(f"learned: {mean_saving(learned, episodes):.1%} of the loss saved; random breaks: "
          f"{mean_saving(lambda _, mask: rng.choice(np.flatnonzero(mask)), episodes):.1%}")


if __name__ == "__main__":
    main()
