"""What storage for problems would hold, told before any of it is allocated."""

from functools import lru_cache

from firebreak.env.storage.sizes import Sizes
from firebreak.env.storage.slots import Slots

FIRE_BYTES = 100
"""Of each fire that is drawn and held, beside its storage: its table, its loss, and copies."""


@lru_cache(maxsize=16)
def storage_bytes(sizes: Sizes, *, borrows: bool = False) -> int:
    """`Slots.owned_bytes` of storage of these sizes, from that of the smallest: each slot, row of
    weather and fire takes as much as the first. borrows: see `Slots`.
    """
    def held(slots: int = 1, scenarios: int = 1, plan: int = 1, reward: int = 1) -> int:
        return Slots(sizes._replace(slots=slots, scenarios=scenarios, plan_fires=plan,
                                    reward_fires=reward), borrows=borrows).owned_bytes()

    one = held()
    per_slot = 0 if borrows else held(slots=2) - one
    per_scenario = held(scenarios=2) - one
    per_plan_fire, per_reward_fire = held(plan=2) - one, held(reward=2) - one
    within = ((sizes.scenarios - 1) * per_scenario + (sizes.plan_fires - 1) * per_plan_fire
              + (sizes.reward_fires - 1) * per_reward_fire)
    return one + (sizes.slots - 1) * per_slot + sizes.slots * within
