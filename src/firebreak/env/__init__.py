"""The environments: problems, actions, rewards and observations. No learner: agents see only what
`reset` and `step` return. Registers `firebreak/Fuelbreak-v0` (single and native vector).
"""

import gymnasium

from firebreak.env.gym_env import FuelbreakEnv, FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource, synthetic_landscapes
from firebreak.fire import FireConditions

__all__ = ["ENV_ID", "FuelbreakEnv", "FuelbreakVectorEnv", "ProblemSource", "synthetic_source"]

ENV_ID = "firebreak/Fuelbreak-v0"


def synthetic_source(size: int = 20, family: str | None = None, budget: float = 0.05,
                     plan_fires: int = 64, reward_fires: int = 64,
                     lines: bool = False) -> ProblemSource:
    """Problems on fresh synthetic landscapes of `size` x `size` cells."""
    return ProblemSource(shape=(size, size), landscape=synthetic_landscapes(size, "train", family),
                         conditions=FireConditions(), budget_share=budget, plan_fires=plan_fires,
                         reward_fires=reward_fires, lines=lines)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(ENV_ID, entry_point="firebreak.api.environment:make_env",
                       vector_entry_point="firebreak.api.environment:make_vector_env")
