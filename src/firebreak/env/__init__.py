"""The environments: problems, actions, rewards and observations. No learner: agents see only what
`reset` and `step` return. Registers `firebreak/Fuelbreak-v0` (single and native vector).
"""

from typing import Any

import gymnasium

from firebreak.env.gym_env import FuelbreakEnv, FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource, synthetic_landscapes
from firebreak.fire import FireConditions

ENV_ID = "firebreak/Fuelbreak-v0"


def synthetic_source(size: int = 20, family: str | None = None, budget: float = 0.05,
                     plan_fires: int = 64, reward_fires: int = 64,
                     lines: bool = False) -> ProblemSource:
    """Problems on fresh synthetic landscapes of `size` x `size` cells."""
    return ProblemSource(shape=(size, size), landscape=synthetic_landscapes(size, "train", family),
                         conditions=FireConditions(), budget_share=budget, plan_fires=plan_fires,
                         reward_fires=reward_fires, lines=lines)


def make_env(render_mode: str | None = None, source: ProblemSource | None = None,
             **synthetic: Any) -> FuelbreakEnv:
    """Entry point of the registered environment: a given source, or `synthetic_source(...)`."""
    return FuelbreakEnv(source or synthetic_source(**synthetic), render_mode)


def make_vector_env(num_envs: int = 1, render_mode: str | None = None,
                    source: ProblemSource | None = None, **synthetic: Any) -> FuelbreakVectorEnv:
    """Entry point of the native vector environment."""
    return FuelbreakVectorEnv(source or synthetic_source(**synthetic), num_envs, render_mode)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(ENV_ID, entry_point="firebreak.env:make_env",
                       vector_entry_point="firebreak.env:make_vector_env")
