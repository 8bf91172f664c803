"""What gymnasium promises its users, and that many environments at once are the single one N times.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import firebreak.env  # noqa: F401  (registers the environment)
from firebreak.env.gym_env import FuelbreakVectorEnv

ENV_ID = "firebreak/Fuelbreak-v0"
SMALL = {"size": 8, "plan_fires": 8, "reward_fires": 8}


def make_single():
    return gymnasium.make(ENV_ID, **SMALL)


def make_vector(count):
    return gymnasium.make_vec(ENV_ID, count, vectorization_mode="vector_entry_point", **SMALL)


def test_gymnasium_accepts_the_environment() -> None:
    env = gymnasium.make(ENV_ID, render_mode="rgb_array", **SMALL)
    check_env(env.unwrapped)
    env.close()


@pytest.mark.slow
def test_the_native_vector_is_the_single_environment_n_times() -> None:
    count = 3
    vector = make_vector(count)
    singles = SyncVectorEnv([make_single] * count, autoreset_mode=AutoresetMode.SAME_STEP)
    assert vector.unwrapped.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert vector.single_observation_space == singles.single_observation_space
    assert vector.action_space == singles.action_space
    rng = np.random.default_rng(0)
    ended = 0
    observation, info = vector.reset(seed=5)
    for ours, theirs in zip((observation, info), singles.reset(seed=5), strict=True):
        assert data_equivalence(ours, theirs)
    for step in range(25):
        action = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        if step % 7 == 3:  # an illegal one now and then
            action[1] = rng.choice(np.flatnonzero(info["action_mask"][1] == 0))
        ours, theirs = vector.step(action), singles.step(action)
        for mine, other in zip(ours, theirs, strict=True):
            assert data_equivalence(mine, other)
        assert ours[0] in vector.observation_space
        ended += int(ours[2].sum())
        info = ours[4]
    assert ended >= 3 * count
    singles.close()


def test_the_seed_of_a_slot_is_its_own_stream() -> None:
    vector, single = make_vector(3), make_single()
    together, _ = vector.reset(seed=[4, 9, 4])
    for slot, seed in enumerate((4, 9, 4)):
        np.testing.assert_array_equal(together[slot], single.reset(seed=seed)[0])
    np.testing.assert_array_equal(vector.reset(seed=4)[0][1], single.reset(seed=5)[0])
    with pytest.raises(ValueError, match="3 seeds"):
        vector.unwrapped.reset(seed=[1, 2])


def test_options_in_a_list_go_one_to_each_slot() -> None:
    vector = make_vector(2).unwrapped
    assert isinstance(vector, FuelbreakVectorEnv)
    vector.reset(seed=0, options={"budget": [0.05, 0.5]})
    few, many = vector.slots.budget_left
    assert many > 5 * few
    with pytest.raises(ValueError, match="2 entries"):
        vector.reset(options={"budget": [0.05]})


def test_the_vector_environment_owns_the_same_bytes_for_life() -> None:
    vector = make_vector(2).unwrapped
    _, info = vector.reset(seed=0)
    before = vector.owned_bytes()
    for _ in range(12):
        info = vector.step(np.array([mask.argmax() for mask in info["action_mask"]]))[4]
    assert vector.owned_bytes() == before > 0
    assert vector.cleanup_memory() == 0
