"""The written observation against the same channels worked out map by map."""

import numpy as np
import pytest

from firebreak.api.environment import make_vector_env
from firebreak.env.storage.observation import to_bytes
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.layout import OBSERVATION


def shown(slots: ProblemBatch, slot: int, untreated_burned: np.ndarray) -> dict[str, np.ndarray]:
    """Channels by name, in floats; untreated_burned: the untreated map's burn probability."""
    problem, (burned, below) = slots.problems[slot], slots.maps(slot)
    assert problem is not None
    land = problem.scene.landscape
    best = below[land.treatable & ~slots.breaks[slot]].max(initial=0.0)
    untreated = slots.untreated_plan_loss[slot]
    return {
        "burn_probability": burned / (burned + untreated_burned[land.burnable].mean()),
        "downstream_value": np.sqrt(below / max(best, 1e-9)),
        "breaks": slots.breaks[slot], "available": slots.available[slot],
        "budget_left": slots.budget_left[slot] / problem.budget,
        "budget_share": np.sqrt(problem.budget_share),
        "plan_fires": np.log2(problem.plan_fires.source.size) / 12.0,
        "burned_share": np.sqrt(
            untreated / problem.scene.value[land.burnable].sum(dtype=np.float64)),
        "best_downstream": (best / untreated) ** 0.25,
        "loss_left": slots.plan_loss(slot) / untreated}


@pytest.mark.parametrize("every", [1, 3])
def test_every_channel_is_what_the_maps_say(every: int) -> None:
    env = make_vector_env(2, size=14, plan_fires=20, reward_fires=4)
    env.reset(seed=8)
    slots, rng = env.slots, np.random.default_rng(1)
    untreated = [slots.maps(slot)[0].copy() for slot in range(2)]
    for step in range(7):
        if step % every == 0:  # asked for after every step, or after some of them only
            layers = slots.layers.copy()
            for slot in range(2):
                for name, channel in shown(slots, slot, untreated[slot]).items():
                    expected = np.broadcast_to(to_bytes(np.asarray(channel, np.float64)), (14, 14))
                    found = layers[slot, OBSERVATION.channel(name)]
                    # A sum in another order may round to the byte beside it.
                    assert np.abs(found.astype(int) - expected).max() <= 1, name
                    assert (found == expected).mean() > 0.99 or name in OBSERVATION.scalars
        for slot, mask in enumerate(env.action_masks()):
            slots.place(slot, int(rng.choice(np.flatnonzero(mask))))
        slots.update(np.arange(2))
