"""That the environments are what the checks and agents of other libraries expect."""

import re
import sys
import warnings
from pathlib import Path

import gymnasium
import pytest

from firebreak.env import ENV_ID
from firebreak.env.gym_env import FuelbreakEnv
from firebreak.layout import OBSERVATION

pytestmark = [
    pytest.mark.interop,
    # What these libraries say of their own dependencies is not ours to mend.
    pytest.mark.filterwarnings("default")]

SMALL = {"size": 8, "plan_fires": 8, "reward_fires": 8}


def test_stable_baselines3_accepts_the_environment() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    env = gymnasium.make(ENV_ID, **SMALL).unwrapped
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        checker.check_env(env)
    # It takes maps of floats in [0, 1] for pictures that should be bytes.
    assert all("image" in str(one.message) or "CnnPolicy" in str(one.message) for one in heard)


@pytest.mark.parametrize("vector", [False, True])
def test_torchrl_accepts_the_environments(vector: bool) -> None:
    envs = pytest.importorskip("torchrl.envs")
    from torchrl.envs.utils import check_env_specs
    made = (gymnasium.make_vec(ENV_ID, 3, vectorization_mode="vector_entry_point", **SMALL)
            if vector else gymnasium.make(ENV_ID, **SMALL))
    env = envs.GymWrapper(made)
    check_env_specs(env)
    rollout = env.rollout(4, break_when_any_done=False)
    assert rollout.shape == ((3, 4) if vector else (4,))
    assert rollout["observation"].shape[-3:] == (OBSERVATION.channels, 8, 8)
    env.close()


def test_a_masked_agent_of_sb3_contrib_breaks_allowed_cells_only() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make(ENV_ID, **SMALL)
    taken: list[bool] = []
    step = FuelbreakEnv.step

    def watched(self: FuelbreakEnv, action: int) -> tuple:
        result = step(self, action)
        taken.append(bool(result[4]["illegal_action"]))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FuelbreakEnv, "step", watched)
        model = contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, seed=0)
        model.learn(128)
    assert len(taken) >= 128
    assert not any(taken)


@pytest.mark.parametrize("network", ["flat", "convolutional"])
def test_another_librarys_agent_is_scored_in_the_table(network: str) -> None:
    pytest.importorskip("sb3_contrib")
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        import other_library
    finally:
        sys.path.pop(0)
    text = other_library.compared(steps=128, maps=2, seed=0, test_fires=50, network=network)
    line = next(line for line in text.splitlines() if line.startswith("maskable-ppo "))
    reduction = re.search(r"-?\d\.\d{3}", line)  # behind the cost, which may be a range
    assert reduction is not None
    assert 0.0 < float(reduction.group()) < 1.0  # its plans are plans: they save something
    assert other_library.NAME not in other_library.METHODS
