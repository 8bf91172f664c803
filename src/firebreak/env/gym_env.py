"""The faces of Gymnasium: `FuelbreakEnv` for one problem, `FuelbreakVectorEnv` for N of them.

The N burn in one native call per step, with the data of a `SyncVectorEnv` of N single environments
in SAME_STEP autoreset mode.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env import core
from firebreak.env.core import action_count, allowed
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
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


def infos_of(slots: ProblemBatch, which: NDArray[np.int64], lines: bool) -> Info:
    """Infos of M slots. action_mask: int8 [M, A], 1 = allowed; untreated_loss, loss: f64 [M], means
    over the reward fires.
    """
    return {"action_mask": allowed(slots, which, lines).view(np.int8),
            "untreated_loss": slots.untreated_reward_loss[which],
            "loss": slots.reward_losses(which)}


def info_of(slots: ProblemBatch, slot: int, lines: bool) -> Info:
    """Info of one slot: action_mask int8 [A], untreated_loss and loss."""
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
        self.slots = ProblemBatch(source.sizes(1))
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
        result = core.step(self.slots, np.array([action]), lines)
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


def plan_image(slots: ProblemBatch, slot: int) -> NDArray[np.uint8]:
    """uint8 [8H, 8W, 3], north up: burn probability from white to red, breaks black."""
    layers = slots.layers[slot]
    heat = layers[OBSERVATION.channel("burn_probability")].astype(np.int16)
    image = np.stack([np.full_like(heat, 255), 255 - heat, 255 - heat], axis=-1).astype(np.uint8)
    image[layers[OBSERVATION.channel("burnable")] == 0] = _UNBURNABLE
    image[slots.breaks[slot]] = _BREAK
    return image.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)


VectorStep = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_],
                   NDArray[np.bool_], Info]


class FuelbreakVectorEnv(VectorEnv):
    """N fuel-break problems at once; see `FuelbreakEnv` for one.

    A slot whose episode ended starts the next one in the same step; the old episode's last
    observation and info are in `info["final_obs"]` and `info["final_info"]`. With
    `autoreset=False` it stays as it ended instead: its mask is empty and actions do nothing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium's own name, replaced per instance)
        "render_modes": ["rgb_array"], "render_fps": 4, "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, source: ProblemSource, num_envs: int = 1,
                 render_mode: str | None = None, autoreset: bool = True) -> None:
        self.source, self.num_envs, self.render_mode = source, num_envs, render_mode
        # TorchRL reads the instance, gymnasium the metadata.
        self.autoreset_mode = AutoresetMode.SAME_STEP if autoreset else AutoresetMode.DISABLED
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = spaces_of(source)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.slots = ProblemBatch(source.sizes(num_envs))
        self._streams = list(range(num_envs))
        self._episodes = [-1] * num_envs

    def reset(self, *, seed: int | Sequence[int] | None = None,
              options: dict[str, Any] | None = None) -> tuple[NDArray[np.float32], Info]:
        """Starts an episode in every slot. seed s: slot i continues in the stream s + i.

        Options as for one environment; a list of N landscapes, budgets, fires or problems gives
        each slot its own.
        """
        if seed is not None:
            streams = (list(seed) if isinstance(seed, Sequence)
                       else [int(seed) + i for i in range(self.num_envs)])
            if len(streams) != self.num_envs:
                raise fail(expected=f"{self.num_envs} seeds", given=f"{len(streams)}",
                           where="reset", remedy="pass one seed per environment, or one number")
            self._streams, self._episodes = streams, [-1] * self.num_envs
        core.begin(self.slots, np.arange(self.num_envs),
                   [self._next_problem(i, options_of(options, i, self.num_envs))
                    for i in range(self.num_envs)])
        return to_floats(self.slots.layers), self._infos()

    def step(self, actions: NDArray[np.int64]) -> VectorStep:
        """Breaks one cell, or the cells of a line, in every slot."""
        result = core.step(self.slots, np.asarray(actions), self.source.lines)
        again = self.autoreset_mode is AutoresetMode.SAME_STEP
        ended = np.flatnonzero(result.terminated & again)
        finals = [(to_floats(self.slots.layers[slot]),
                   info_of(self.slots, slot, self.source.lines)) for slot in ended.tolist()]
        if ended.size:
            core.begin(self.slots, ended, [self._next_problem(i, None) for i in ended.tolist()])
        infos = self._infos()
        going = ~(result.terminated & again)
        if going.any():
            infos |= {"illegal_action": result.illegal & going, "_illegal_action": going}
        for slot, (observation, info) in zip(ended.tolist(), finals, strict=True):
            info["illegal_action"] = bool(result.illegal[slot])
            infos = self._add_info(infos, {"final_obs": observation, "final_info": info}, slot)
        return (to_floats(self.slots.layers), result.reward, result.terminated,
                np.zeros(self.num_envs, np.bool_), infos)

    @property
    def episodes(self) -> list[tuple[int, int]]:
        """Stream and number of the episode of each slot."""
        return list(zip(self._streams, self._episodes, strict=True))

    def state(self) -> Info:
        """Streams, episodes and breaks, from which `restore` makes the slots again."""
        return {"streams": list(self._streams), "episodes": list(self._episodes),
                "breaks": self.slots.breaks.copy(), "budget_left": self.slots.budget_left.tolist()}

    def restore(self, state: Info) -> tuple[NDArray[np.float32], Info]:
        """Takes back what `state` gave: the same problems, burned anew, have the same bits. Returns
        observation and info as `step` left them.

        Raises:
            InputError: not of as many slots, or breaks where there can be none.
        """
        breaks = np.asarray(state["breaks"], np.bool_)
        if breaks.shape != self.slots.breaks.shape:
            raise fail(expected=f"breaks of shape {self.slots.breaks.shape}",
                       given=f"{breaks.shape}", where="environment",
                       remedy="resume with the settings the run was started with")
        self._streams = [int(s) for s in state["streams"]]
        self._episodes = [int(e) for e in state["episodes"]]
        everyone = np.arange(self.num_envs)
        core.begin(self.slots, everyone, [self.source.problem(s, e) for s, e in zip(
            self._streams, self._episodes, strict=True)])
        for slot, left in enumerate(state["budget_left"]):
            self.slots.put_back(slot, breaks[slot], float(left))
        self.slots.update(everyone)
        return to_floats(self.slots.layers), self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [N, A], True = allowed."""
        return allowed(self.slots, np.arange(self.num_envs), self.source.lines)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One picture per slot."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(plan_image(self.slots, slot) for slot in range(self.num_envs))

    def owned_bytes(self) -> int:
        """Bytes of storage held; constant over the life of the environment."""
        return self.slots.owned_bytes()

    def cleanup_memory(self) -> int:
        """Part of the scheduled cleanups. All storage is fixed and a finished problem is replaced
        by the next, so there is never anything to free: returns 0 bytes.
        """
        return 0

    def _next_problem(self, slot: int, options: Info | None) -> Any:
        self._episodes[slot] += 1
        return self.source.problem(self._streams[slot], self._episodes[slot], options)

    def _infos(self) -> Info:
        """Infos of all slots, with gymnasium's marks for which of them have it."""
        infos = infos_of(self.slots, np.arange(self.num_envs), self.source.lines)
        return infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}


def options_of(options: dict[str, Any] | None, slot: int, count: int) -> dict[str, Any] | None:
    """The options of one slot: lists are split, everything else is shared."""
    if options is None:
        return None
    own = {}
    for name, given in options.items():
        if isinstance(given, list):
            if len(given) != count:
                raise fail(expected=f"{count} entries in option '{name}'", given=f"{len(given)}",
                           where="reset", remedy="pass one per environment, or a single one")
            own[name] = given[slot]
        else:
            own[name] = given
    return own
