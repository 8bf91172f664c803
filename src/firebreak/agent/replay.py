"""The replay: one fixed set of detached CPU tensors, allocated and touched at the start.

Each observation is stored once, as bytes and packed bits, and shared by its two transitions; what
is fixed for an episode is stored once per episode in a ring of landscape slots. Rewards are single
steps: n-step sums and discounts are applied when sampling, so a schedule that raises the discount
never meets stale targets. Rows are written per environment in lock-step: row (t, env) is followed
by (t + 1, env) unless the episode ended there.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firebreak.checks import fail
from firebreak.layout import ObservationLayout


class Batch(NamedTuple):
    """M sampled transitions.

    observation, next_observation: uint8 [M, C, H, W] as stored, or float32 from 0 to 1.
    action: int64 [M].
    reward: float32 [M], n-step sum.
    discount: float32 [M], 0 where the episode ended.
    next_mask: bool [M, A].
    """

    observation: Tensor
    action: Tensor
    reward: Tensor
    discount: Tensor
    next_observation: Tensor
    next_mask: Tensor

    def rows(self, rows: slice) -> "Batch":
        """Some of its transitions."""
        return Batch(*(part[rows] for part in self))

    def to(self, device: torch.device) -> "Batch":
        """The batch on a device."""
        return Batch(*(part.to(device) for part in self))


class Episode(NamedTuple):
    """T transitions of one episode, the last of which ends it.

    dynamic: uint8 [T, D, H, W]; flags: uint8 [T, F, ceil(H * W / 8)], packed bits, cell 0 in the
    lowest; scalars: uint8 [T, S]; static: uint8 [St, H, W]; action: int32 [T]; reward: f32 [T].
    """

    dynamic: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    scalars: NDArray[np.uint8]
    static: NDArray[np.uint8]
    action: NDArray[np.int32]
    reward: NDArray[np.float32]


def check_bytes(observed: Tensor | NDArray) -> None:
    """Raises TypeError unless what was observed comes as the bytes that the environment keeps:
    floats from 0 to 1 would be stored as 0 and 1 of 255.
    """
    if observed.dtype not in (torch.uint8, np.uint8):
        raise TypeError("observations must be uint8, as the environment keeps them, "
                        f"got {observed.dtype}")


def pack_episode(layers: NDArray[np.uint8], action: NDArray[np.int64],
                 reward: NDArray[np.float64], layout: ObservationLayout) -> Episode:
    """An episode from the bytes that were observed, uint8 [T, C, H, W]; action, reward: [T].

    Raises:
        TypeError: other numbers than bytes.
    """
    check_bytes(layers)
    ends = np.cumsum([len(layout.dynamic), len(layout.flags), len(layout.static)])
    dynamic, flags, static, scalars = np.split(layers, ends, axis=1)
    return Episode(np.ascontiguousarray(dynamic),
                   np.packbits(flags.reshape(*flags.shape[:2], -1) > 0, axis=-1,
                               bitorder="little"),
                   np.ascontiguousarray(scalars[:, :, 0, 0]), np.ascontiguousarray(static[0]),
                   action.astype(np.int32), reward.astype(np.float32))


class Replay:
    """A ring of `capacity` transitions of N lock-stepped environments.

    Args:
        capacity: transitions; rounded down to whole rows of N.
        episode_steps: a lower bound for the steps of an episode, which sizes the landscape ring.
    """

    def __init__(self, layout: ObservationLayout, shape: tuple[int, int], num_envs: int,
                 capacity: int, episode_steps: int) -> None:
        rows = capacity // num_envs
        if rows < 2:
            raise fail(expected=f"a replay of at least {2 * num_envs} transitions",
                       given=f"{capacity}", where="replay.capacity", remedy="raise replay.capacity")
        self.layout, self.shape, self.num_envs, self.rows = layout, shape, num_envs, rows
        height, width = shape
        packed = -(-height * width // 8)
        # A ring per environment: episodes of very different lengths run side by side.
        self._lands = rows // max(episode_steps, 1) + 3
        # zeros_() writes every page, so the memory is really there before training begins.
        self.dynamic = torch.empty((rows, num_envs, len(layout.dynamic), height, width),
                                   dtype=torch.uint8).zero_()
        self.flags = torch.empty((rows, num_envs, len(layout.flags), packed),
                                 dtype=torch.uint8).zero_()
        self.scalars = torch.empty((rows, num_envs, len(layout.scalars)), dtype=torch.uint8).zero_()
        self.static = torch.empty((num_envs * self._lands, len(layout.static), height, width),
                                  dtype=torch.uint8).zero_()
        self.land = torch.zeros((rows, num_envs), dtype=torch.int32)
        self.action = torch.zeros((rows, num_envs), dtype=torch.int32)
        self.reward = torch.zeros((rows, num_envs), dtype=torch.float32)
        self.terminated = torch.zeros((rows, num_envs), dtype=torch.bool)
        self._current_land = torch.arange(num_envs, dtype=torch.int32) * self._lands
        self._start_of_episode = torch.ones(num_envs, dtype=torch.bool)
        self._written = 0

    def __len__(self) -> int:
        """Transitions that may be sampled."""
        return max(min(self._written, self.rows) - 1, 0) * self.num_envs

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors, fixed from the start."""
        return sum(t.nbytes for t in self._tensors().values())

    def bytes_per_transition(self) -> float:
        """All bytes over the capacity in transitions."""
        return self.nbytes / (self.rows * self.num_envs)

    def append(self, observation: Tensor, action: Tensor, reward: Tensor,
               terminated: Tensor) -> None:
        """Writes one row: what N environments saw, did and got.

        observation: uint8 [N, C, H, W]; action: int64 [N]; reward: [N]; terminated: bool [N]. The
        next row must be the environments' next observations.

        Raises:
            TypeError: observations that are no bytes.
        """
        check_bytes(observation)
        row = self._written % self.rows
        dynamic, flags, static, scalars = self._split(observation.detach().to("cpu"))
        self.dynamic[row] = dynamic
        self.flags[row] = pack_bits(flags.flatten(2))
        self.scalars[row] = scalars[:, :, 0, 0]
        for env in torch.nonzero(self._start_of_episode)[:, 0].tolist():
            place = (int(self._current_land[env]) + 1) % self._lands + env * self._lands
            self._check_unused(place, env, row)
            self._current_land[env] = place
            self.static[place] = static[env]
        self.land[row] = self._current_land
        self.action[row] = action.detach().to("cpu", torch.int32)
        self.reward[row] = reward.detach().to("cpu", torch.float32)
        self.terminated[row] = terminated.detach().to("cpu")
        self._start_of_episode = self.terminated[row].clone()
        self._written += 1

    def append_episode(self, episode: Episode) -> None:
        """Writes a whole episode of one environment; the same as its transitions one by one.

        Raises:
            InputError: the episode is as long as the replay.
            TypeError: observations that are no bytes.
        """
        for part in (episode.dynamic, episode.flags, episode.scalars, episode.static):
            check_bytes(part)
        count = episode.action.size
        if self.num_envs != 1:
            raise ValueError("whole episodes belong in a replay of one environment")
        if count >= self.rows:
            raise fail(expected=f"a replay longer than an episode of {count} steps",
                       given=f"{self.rows} transitions", where="replay.capacity",
                       remedy="raise replay.capacity")
        rows = torch.arange(self._written, self._written + count) % self.rows
        place = (int(self._current_land[0]) + 1) % self._lands
        used = self.land[:min(self._written, self.rows), 0] == place
        used[rows[rows < used.numel()]] = False
        self._check_free(used)
        self._current_land[0] = place
        self.static[place] = torch.from_numpy(episode.static)
        for stored, values in ((self.dynamic, episode.dynamic), (self.flags, episode.flags),
                              (self.scalars, episode.scalars), (self.action, episode.action),
                              (self.reward, episode.reward)):
            stored[rows, 0] = torch.from_numpy(values)
        self.land[rows, 0] = place
        self.terminated[rows, 0] = False
        self.terminated[rows[-1], 0] = True
        self._start_of_episode[0] = True
        self._written += count

    def sample(self, size: int, discount: float, n_step: int, generator: torch.Generator) -> Batch:
        """A batch of `size` transitions, all as likely, with `n_step` returns at `discount`.

        Raises:
            InputError: nothing has been stored.
        """
        count = len(self)
        if count == 0:
            raise fail(expected="stored transitions", given="an empty replay", where="replay",
                       remedy="collect before learning")
        drawn = torch.randint(count, (size,), generator=generator)
        age, env = drawn // self.num_envs, drawn % self.num_envs
        oldest = self._written - min(self._written, self.rows)
        return self._gather(oldest + age, env, discount, n_step)

    def _gather(self, time: Tensor, env: Tensor, discount: float, n_step: int) -> Batch:
        """Times are absolute row counts, so that the newest row can be
        distinguished from the oldest."""
        reward = torch.zeros(time.shape[0])
        factor = torch.ones(time.shape[0])
        end = time.clone()
        for _ in range(n_step):
            row = end % self.rows
            going = (factor > 0.0) & (end < self._written - 1)
            reward += torch.where(going, factor * self.reward[row, env], 0.0)
            over = self.terminated[row, env]
            factor = torch.where(going, factor * discount * (~over), factor)
            end = torch.where(going, end + 1, end)
        row, last = time % self.rows, end % self.rows
        following = self.observations(last, env)
        mask = following[:, self.layout.channel("available")].flatten(1) > 0
        return Batch(self.observations(row, env), self.action[row, env].long(), reward, factor,
                     following, mask)

    def observations(self, row: Tensor, env: Tensor) -> Tensor:
        """The stored observations, uint8 [M, C, H, W], as they were seen."""
        height, width = self.shape
        flags = unpack_bits(self.flags[row, env], height * width).unflatten(2, self.shape) * 255
        scalars = self.scalars[row, env][:, :, None, None].expand(-1, -1, height, width)
        return torch.cat([self.dynamic[row, env], flags,
                          self.static[self.land[row, env].long()], scalars], dim=1)

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on: tensors by name."""
        counters = torch.tensor([self._written], dtype=torch.int64)
        return self._tensors() | {"counters": counters}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes back what `state` gave, into the memory already allocated.

        Raises:
            InputError: of another shape, or with places where there are none.
        """
        for name, tensor in self._tensors().items():
            if state[name].shape != tensor.shape:
                raise fail(expected=f"replay.{name} of shape {tuple(tensor.shape)}",
                           given=f"{tuple(state[name].shape)}", where="checkpoint",
                           remedy="resume with the settings the run was started with")
        written, lands = int(state["counters"][0]), self.static.shape[0]
        for name in ("land", "current_land"):
            if written < 0 or not bool(((state[name] >= 0) & (state[name] < lands)).all()):
                raise fail(expected=f"replay.{name} from 0 to {lands - 1}", given="others",
                           where="checkpoint", remedy="use an earlier one")
        for name, tensor in self._tensors().items():
            tensor.copy_(state[name])
        self._written = written

    def _check_unused(self, place: int, env: int, row: int) -> None:
        used = self.land[:min(self._written, self.rows), env] == place
        used[row:row + 1] = False  # about to be overwritten
        self._check_free(used)

    def _check_free(self, used: Tensor) -> None:
        if bool(used.any()):
            raise fail(expected="episodes of at least episode_steps steps",
                       given="shorter episodes", where="replay",
                       remedy="make the replay with a smaller episode_steps")

    def _tensors(self) -> dict[str, Tensor]:
        return {"dynamic": self.dynamic, "flags": self.flags, "scalars": self.scalars,
                "static": self.static, "land": self.land, "action": self.action,
                "reward": self.reward, "terminated": self.terminated,
                "current_land": self._current_land, "start_of_episode": self._start_of_episode}

    def _split(self, layers: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        layout = self.layout
        sizes = [len(layout.dynamic), len(layout.flags), len(layout.static), len(layout.scalars)]
        dynamic, flags, static, scalars = layers.split(sizes, dim=1)
        return dynamic, flags, static, scalars


_BIT = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.uint8)


def pack_bits(flags: Tensor) -> Tensor:
    """[..., A] zero or not -> uint8 [..., ceil(A / 8)], cell 0 in the lowest bit."""
    return torch.from_numpy(np.packbits((flags > 0).numpy(), axis=-1, bitorder="little"))


def unpack_bits(packed: Tensor, cells: int) -> Tensor:
    """uint8 [..., ceil(cells / 8)] -> uint8 0 or 1 [..., cells], sooner than by numpy."""
    return (packed[..., None].bitwise_and(_BIT) > 0).to(torch.uint8).flatten(-2)[..., :cells]
