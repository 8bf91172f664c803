"""Another library's agent on the registered environment, beside the planning methods.

    python benchmarks/other_library.py [--network flat] [--steps 50000] [--maps 30] [--seed 0]

Trains sb3-contrib's MaskablePPO (extra `interop`) on maps of 20x20 cells and prints the table that
`firebreak train quick` ends with, on the same test landscapes and fires. `flat` is that library's
agent as it comes: a network over the flattened map. `convolutional` gives it what this package's
agent has: the same network, whose value of a cell is the logit of breaking it, a critic of the same
convolutions, eight environments, and rewards of unit variance.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor, nn

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy
from firebreak.env import ENV_ID
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.native_library import set_threads
from firebreak.planning.core.rounds import place_by_score
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.tables import table
from firebreak.planning.methods import METHODS, Method
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits

NAME = "maskable-ppo"
PLAN_FIRES = 256
ENVS, WIDTH = 8, 32
"""Environments of the convolutional agent, channels of its critic."""


class Convolutions(nn.Module):
    """Flattened observation [M, C * H * W] -> logits of all cells [M, H * W], and features of the
    map for the critic [M, WIDTH].
    """

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        self.shape = shape
        self.latent_dim_pi, self.latent_dim_vf = shape[1] * shape[2], WIDTH
        self.actor = QMapNetwork(shape[0])
        self.critic = nn.Sequential(
            nn.Conv2d(shape[0], WIDTH, 4, stride=2, padding=1), nn.ReLU(),
            *(layer for d in (1, 2, 4) for layer in (
                nn.Conv2d(WIDTH, WIDTH, 3, padding=d, dilation=d), nn.ReLU())),
            nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        return self.actor(features.unflatten(1, self.shape))

    def forward_critic(self, features: Tensor) -> Tensor:
        return self.critic(features.unflatten(1, self.shape))


class ConvolutionalPolicy(MaskableActorCriticPolicy):
    """Actor and critic of convolutions; the logits are those of the cells, with no layer behind."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named, ortho_init=False)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Convolutions(self.observation_space.shape)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1),
                                              **self.optimizer_kwargs)


def trained(steps: int, seed: int, network: str) -> MaskablePPO:
    """The agent after so many env steps."""
    sizes = {"size": 20, "plan_fires": PLAN_FIRES, "reward_fires": PLAN_FIRES}
    if network == "flat":
        model = MaskablePPO("MlpPolicy", gymnasium.make(ENV_ID, **sizes),
                            n_steps=min(1024, steps), batch_size=128, gamma=0.9, seed=seed,
                            device="cpu")
    else:
        many = VecNormalize(make_vec_env(ENV_ID, ENVS, seed=seed, env_kwargs=sizes),
                            norm_obs=False, gamma=0.99)
        model = MaskablePPO(ConvolutionalPolicy, many, n_steps=max(1, min(128, steps // ENVS)),
                            batch_size=128, n_epochs=4, gamma=0.99, ent_coef=0.005, seed=seed,
                            device="cpu")
    model.learn(steps)
    return model


def scores(model: MaskablePPO, slots: ProblemBatch) -> NDArray[np.float32]:
    """The log-probabilities [H, W] of breaking each cell next; -inf where it may not."""
    observation = torch.from_numpy(to_floats(slots.layers[:1]))
    with torch.no_grad():
        chances: Any = model.policy.get_distribution(observation, slots.available.reshape(1, -1))
    return chances.distribution.logits[0].numpy().reshape(slots.sizes.shape)


@contextmanager
def registered(model: MaskablePPO) -> Iterator[None]:
    """The agent as a planning method, for a while."""
    METHODS[NAME] = Method("an agent of sb3-contrib", lambda task: place_by_score(
        task, lambda slots: scores(model, slots)))
    try:
        yield
    finally:
        del METHODS[NAME]


def compared(steps: int, maps: int, seed: int, test_fires: int, network: str = "flat") -> str:
    """The table of methods on the test landscapes of `quick`."""
    torch.set_num_threads(1)
    set_threads(1)
    config = load_config("quick", [f"evaluation.test_landscapes={maps}"])
    model = trained(steps, seed, network)
    scenes = [scene for part in make_splits(config, Path()).test.values() for scene in part]
    with registered(model):
        return table(evaluate(
            scenes, ["none", "random", "downstream-value", NAME, "dqn"],
            budget_share=config.budget, plan_fires=PLAN_FIRES, test_fires=test_fires,
            seed=config.seed, policy=load_policy()))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=("flat", "convolutional"), default="flat")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--maps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(compared(given.steps, given.maps, given.seed, 1000, given.network))


if __name__ == "__main__":
    main()
