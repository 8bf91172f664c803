"""`gymnasium.Env`: one fuel-break problem at a time."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from firebreak.env import core
from firebreak.env.actions import action_count, allowed
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.slots import SLOT_0, Slots
from firebreak.layout import OBSERVATION

Info = dict[str, Any]
_PIXELS = 8  # per cell
_UNBURNABLE = (120, 130, 145)
_BREAK = (20, 20, 20)


def spaces_of(source: ProblemSource) -> tuple[Box, Discrete]:
    """Observation and action space of one environment: float32 [C, H, W] in [0, 1]; H * W cells, or
    lines of them.
    """
    rows, cols = source.shape
    return (Box(0.0, 1.0, (OBSERVATION.channels, rows, cols), np.float32),
            Discrete(action_count(source.shape, source.lines)))


def infos_of(slots: Slots, which: NDArray[np.int64], lines: bool) -> Info:
    """Of M slots. action_mask: int8 [M, A], 1 = allowed; untreated_loss, loss: f64 [M], means over
    the reward fires.
    """
    return {"action_mask": allowed(slots, which, lines).view(np.int8),
            "untreated_loss": slots.untreated_reward_loss[which],
            "loss": slots.reward_losses(which)}


def info_of(slots: Slots, slot: int, lines: bool) -> Info:
    """Of one slot: action_mask int8 [A], untreated_loss and loss."""
    mask, untreated, loss = infos_of(slots, np.array([slot]), lines).values()
    return {"action_mask": mask[0], "untreated_loss": float(untreated[0]), "loss": float(loss[0])}


class FuelbreakEnv(gymnasium.Env):
    """Place fuel breaks cell by cell before the fire, under a budget; or line by line, with a
    source of `lines`.

    Observation: float32 [C, H, W], see `firebreak.layout.OBSERVATION`. Action: flat cell index, or
    number of a line, see `firebreak.line_actions`; `info["action_mask"]` says which are allowed.
    Reward: relative reduction of the mean loss on fires that the observation was not made from.
    `reset(seed=s)` starts the episode stream of s; later resets go on in it. `reset(options=...)`:
    see `ProblemSource.problem`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(self, source: ProblemSource, render_mode: str | None = None) -> None:
        self.source = source
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(source)
        self.slots = Slots(source.sizes(1))
        self._stream, self._episode = 0, -1

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[NDArray[np.float32], Info]:
        """Starts the next episode of the stream."""
        super().reset(seed=seed)
        if seed is not None:
            self._stream, self._episode = seed, -1
        self._episode += 1
        problem = self.source.problem(self._stream, self._episode, options)
        core.begin(self.slots, SLOT_0, [problem])
        return to_floats(self.slots.layers[0]), info_of(self.slots, 0, self.source.lines)

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Breaks one cell, or the cells of a line."""
        lines = self.source.lines
        result = core.step(self.slots, np.array([action], np.int64), lines)
        info = (info_of(self.slots, 0, lines)
                | {"illegal_action": bool(result.illegal[0])})
        return (to_floats(self.slots.layers[0]), float(result.reward[0]),
                bool(result.terminated[0]), False, info)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [A], True = allowed (the name sb3-contrib looks for)."""
        return allowed(self.slots, SLOT_0, self.source.lines)[0]

    def render(self) -> NDArray[np.uint8] | None:
        """uint8 [h, w, 3] picture of burn probability and breaks."""
        return plan_image(self.slots, 0) if self.render_mode == "rgb_array" else None


def plan_image(slots: Slots, slot: int) -> NDArray[np.uint8]:
    """uint8 [8H, 8W, 3], north up: burn probability from white to red, breaks black."""
    layers = slots.layers[slot]
    heat = layers[OBSERVATION.channel("burn_probability")].astype(np.int16)
    image = np.stack([np.full_like(heat, 255), 255 - heat, 255 - heat], axis=-1).astype(np.uint8)
    image[layers[OBSERVATION.channel("burnable")] == 0] = _UNBURNABLE
    image[slots.breaks[slot]] = _BREAK
    return image.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)
