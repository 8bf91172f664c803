"""The environment on a map of yours, with its weather and its breaks.

Reads a landscape, steps through one episode by a rule of a few lines, and compares the result with
random breaks. Every option of `firebreak plan` on the map, the weather, the fires and the breaks is
an argument of `gymnasium.make`.

    python examples/own_map.py my_landscape.tif
"""

import sys

import gymnasium
import numpy as np

import firebreak.env  # noqa: F401  (registers firebreak/Fuelbreak-v0)
from firebreak.layout import OBSERVATION

landscape = sys.argv[1] if len(sys.argv) > 1 else "sample:santa-ana"
env = gymnasium.make(
    "firebreak/Fuelbreak-v0", landscape=landscape, budget="2%", plan_fires=64, reward_fires=64,
    wind_20ft_km_h=40.0, wind_from_deg=45.0, break_width_m=10.0, breach="wilson")
print("channels:", ", ".join(OBSERVATION.names))


def most_downstream_value(observation: np.ndarray, mask: np.ndarray) -> int:
    """The cell below which the plan fires lose most, of those that may be treated."""
    downstream = observation[OBSERVATION.channel("downstream_value")].ravel()
    return int(np.argmax(np.where(mask, downstream, -1.0)))


def random_cell(observation: np.ndarray, mask: np.ndarray) -> int:
    """Any cell that may be treated."""
    return int(np.random.default_rng(len(mask) + int(mask.sum())).choice(np.flatnonzero(mask)))


for rule in (most_downstream_value, random_cell):
    observation, info = env.reset(seed=7)  # the same fires for both
    ended, saved = False, 0.0
    while not ended:
        # An action that the mask forbids does nothing, and info["illegal_action"] is true.
        action = rule(observation, info["action_mask"].astype(bool))
        observation, reward, ended, _, info = env.step(action)
        saved += reward
    print(f"{rule.__name__}: breaks reduce the expected loss by {saved:.1%}")
