"""Double DQN of TorchRL on firebreak's environment: its replay, loss and target, with masks.

    pip install torchrl
    python examples/torchrl_dqn.py --steps 3000
"""

import argparse

import gymnasium
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.modules import EGreedyModule, QValueModule
from torchrl.objectives import DQNLoss, HardUpdate

import firebreak.env  # noqa: F401  (registers firebreak/Fuelbreak-v0)


class Masked(gymnasium.ObservationWrapper):
    """The environment with its mask in the observation, where TorchRL looks for it."""

    def __init__(self, **options) -> None:
        super().__init__(gymnasium.make("firebreak/Fuelbreak-v0", **options))
        self.observation_space = gymnasium.spaces.Dict({
            "observation": self.env.observation_space,
            "action_mask": gymnasium.spaces.MultiBinary(int(self.env.action_space.n))})

    def observation(self, observation):
        """The maps and the mask."""
        return {"observation": observation, "action_mask": self.unwrapped.action_masks()}


def network(channels: int) -> nn.Module:
    """A value for each cell."""
    return nn.Sequential(nn.Conv2d(channels, 16, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(16, 16, 3, padding=2, dilation=2), nn.ReLU(),
                         nn.Conv2d(16, 1, 1), nn.Flatten(-3))


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--steps", type=int, default=3000, help="env steps")
options.add_argument("--episodes", type=int, default=20)
asked = options.parse_args()
torch.set_num_threads(1)
torch.manual_seed(0)
env = TransformedEnv(GymWrapper(Masked(size=12, budget=0.1), categorical_action_encoding=True),
                     Compose(DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
                             ActionMask()))
env.set_seed(0)
values = TensorDictModule(network(env.observation_spec["observation"].shape[0]),
                          in_keys=["observation"], out_keys=["action_value"])
policy = TensorDictSequential(values, QValueModule(spec=env.action_spec,
                                                   action_mask_key="action_mask"))
explore = EGreedyModule(env.action_spec, eps_end=0.05, annealing_num_steps=asked.steps // 2,
                        action_mask_key="action_mask")
explored = TensorDictSequential(policy, explore)
loss = DQNLoss(policy, action_space=env.action_spec, double_dqn=True, delay_value=True)
loss.make_value_estimator(gamma=0.9)
target = HardUpdate(loss, value_network_update_interval=100)
replay = TensorDictReplayBuffer(storage=LazyTensorStorage(5_000), batch_size=32)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
state = env.reset()
for step in range(asked.steps):
    with torch.no_grad():
        taken, state = env.step_and_maybe_reset(explored(state))
    explore.step(1)
    replay.add(taken)
    if step >= 200:
        optimizer.zero_grad()
        loss(replay.sample())["loss"].backward()
        optimizer.step()
        target.step()
for name, act in (("learned", policy), ("random", None)):
    env.set_seed(10_000)  # the same episodes for both
    with torch.no_grad():
        saved = [env.rollout(200, act)["next", "reward"].sum() for _ in range(asked.episodes)]
    print(f"{name}: {torch.stack(saved).mean():.1%} of the loss saved")
