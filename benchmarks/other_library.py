"""Another library's agent on the registered environment, beside the planning methods.

    python benchmarks/other_library.py [--steps 50000] [--maps 30] [--seed 0]

Trains sb3-contrib's MaskablePPO as it comes (extra `interop`) on maps of 20x20 cells and prints the
table that `firebreak train quick` ends with, on the same test landscapes and fires.
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

from firebreak.agent.policy_file import load_policy
from firebreak.env import ENV_ID
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.slots import Slots
from firebreak.fire.engine import set_threads
from firebreak.planning.core.rounds import place_by_score
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.tables import table
from firebreak.planning.methods import METHODS, Method
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits

NAME = "maskable-ppo"
PLAN_FIRES = 256


def trained(steps: int, seed: int) -> MaskablePPO:
    """The agent after so many env steps."""
    env = gymnasium.make(ENV_ID, size=20, plan_fires=PLAN_FIRES, reward_fires=PLAN_FIRES)
    model = MaskablePPO("MlpPolicy", env, n_steps=min(1024, steps), batch_size=128, gamma=0.9,
                        seed=seed, device="cpu")
    model.learn(steps)
    return model


def scores(model: MaskablePPO, slots: Slots) -> NDArray[np.float32]:
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


def compared(steps: int, maps: int, seed: int, test_fires: int) -> str:
    """The table of methods on the test landscapes of `quick`."""
    torch.set_num_threads(1)
    set_threads(1)
    config = load_config("quick", [f"evaluation.test_landscapes={maps}"])
    model = trained(steps, seed)
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
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--maps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(compared(given.steps, given.maps, given.seed, test_fires=1000))


if __name__ == "__main__":
    main()
