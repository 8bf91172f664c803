"""MaskablePPO of sb3-contrib on many environments that burn in one native call.

`Batched` turns firebreak's vector environment into the one that Stable-Baselines3 takes: one step
of all environments is one call of the engine, where `DummyVecEnv` would make one each.

    pip install stable-baselines3 sb3-contrib
    python examples/sb3_maskable.py --steps 20000
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import firebreak.env  # noqa: F401  (registers firebreak/Fuelbreak-v0)


class Batched(VecEnv):
    """firebreak's vector environment as Stable-Baselines3's."""

    def __init__(self, count: int, **options) -> None:
        self.envs = gymnasium.make_vec("firebreak/Fuelbreak-v0", count,
                                       vectorization_mode="vector_entry_point", **options)
        super().__init__(count, self.envs.single_observation_space, self.envs.single_action_space)
        self.masks = np.ones((count, self.action_space.n), bool)

    def reset(self) -> np.ndarray:
        """Begin an episode in every environment."""
        observation, info = self.envs.reset(seed=self._seeds[0])
        self.masks = info["action_mask"].astype(bool)
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions until `step_wait`."""
        self.actions = actions

    def step_wait(self):
        """Burn all environments together."""
        observation, reward, ended, _, info = self.envs.step(self.actions)
        self.masks = info["action_mask"].astype(bool)
        infos = [{"terminal_observation": info["final_obs"][k]} if ended[k] else {}
                 for k in range(self.num_envs)]
        return observation, reward.astype(np.float32), ended, infos

    def env_method(self, name: str, *args, indices=None, **named):
        """`action_masks`, which MaskablePPO asks for."""
        assert name == "action_masks"
        return list(self.masks)

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        """No environment has a wrapper."""
        return [False] * self.num_envs

    def get_attr(self, attr_name: str, indices=None) -> list:
        """An attribute, the same of all environments."""
        return [getattr(self.envs, attr_name, None)] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        """True for `action_masks`."""
        return attr_name == "action_masks" or hasattr(self.envs, attr_name)

    def set_attr(self, attr_name: str, value, indices=None) -> None:
        """Nothing can be set."""
        raise AttributeError(attr_name)

    def close(self) -> None:
        """Nothing is open."""


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--steps", type=int, default=20_000)
model = MaskablePPO("MlpPolicy", Batched(8, size=12, budget=0.1), n_steps=64, gamma=0.9, seed=0)
model.learn(options.parse_args().steps)
env = gymnasium.make("firebreak/Fuelbreak-v0", size=12, budget=0.1)
observation, info = env.reset(seed=10_000)
action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
print("first break of a test episode:", divmod(int(action), 12))
