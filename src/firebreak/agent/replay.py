"""The replay: one fixed set of detached CPU tensors, allocated and touched at the start.

Each observation is stored once, as bytes and packed bits, and shared by its two transitions; what
is fixed for an episode is stored once per episode in a ring of landscape slots. Rewards are single
steps: n-step sums and discounts are applied when sampling, so a schedule that raises the discount
never meets stale targets. Rows are written per environment in lock-step: row (t, env) is followed
by (t + 1, env) unless the episode ended there. A row may hold actions that the simulator has tried,
with the exact gain of each.

Rows are forgotten, oldest first, when the ring comes round, or when an episode takes the landscape
slot that theirs had: where episodes are shorter than was reckoned with, fewer rows are held.
"""

import torch
from torch import Tensor

from firebreak.agent.experience import (
    AheadBatch,
    Batch,
    Episode,
    GainBatch,
    Tried,
    check_bytes,
    packed_layers,
    unpack_bits,
)
from firebreak.agent.targets import per_cost
from firebreak.checks import fail
from firebreak.layout import OBSERVATION


class Replay:
    """A ring of `capacity` transitions of N lock-stepped environments.

    Args:
        capacity: transitions; rounded down to whole rows of N.
        episode_steps: the steps of a short episode, which sizes the landscape ring.
        tried: actions of a row that may have gains, at most.
    """

    def __init__(self, shape: tuple[int, int], num_envs: int, capacity: int, episode_steps: int,
                 tried: int = 0) -> None:
        rows = capacity // num_envs
        if rows < 2:
            raise fail(expected=f"a replay of at least {2 * num_envs} transitions",
                       given=f"{capacity}", where="replay.capacity", remedy="raise replay.capacity")
        self.shape, self.num_envs, self.rows = shape, num_envs, rows
        height, width = shape
        packed = -(-height * width // 8)
        # A ring per environment: episodes of very different lengths run side by side.
        self._lands = rows // max(episode_steps, 1) + 3

        def zeros(*sizes: int) -> Tensor:
            # zero_() writes every page, so the memory is really there before training begins.
            return torch.empty(sizes, dtype=torch.uint8).zero_()

        self.dynamic = zeros(rows, num_envs, len(OBSERVATION.dynamic), height, width)
        self.flags = zeros(rows, num_envs, len(OBSERVATION.flags), packed)
        self.scalars = zeros(rows, num_envs, len(OBSERVATION.scalars))
        self.static = zeros(num_envs * self._lands, len(OBSERVATION.static), height, width)
        self.land = torch.zeros((rows, num_envs), dtype=torch.int32)
        self.action = torch.zeros((rows, num_envs), dtype=torch.int32)
        self.reward = torch.zeros((rows, num_envs), dtype=torch.float32)
        self.cost = torch.ones((rows, num_envs), dtype=torch.float32)
        self.terminated = torch.zeros((rows, num_envs), dtype=torch.bool)
        self.tried = torch.empty((rows, num_envs, tried), dtype=torch.int32).zero_()
        self.gain = torch.empty((rows, num_envs, tried)).fill_(torch.nan)
        self.tried_cost = torch.empty((rows, num_envs, tried)).fill_(1.0)
        self._current_land = torch.arange(num_envs, dtype=torch.int32) * self._lands
        self._start_of_episode = torch.ones(num_envs, dtype=torch.bool)
        self._written = self._oldest = 0  # rows so far; the first of them that is still held

    def __len__(self) -> int:
        """Transitions that may be sampled."""
        return max(self._written - self._oldest - 1, 0) * self.num_envs

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors, fixed from the start."""
        return sum(t.nbytes for t in self._tensors().values())

    def bytes_per_transition(self) -> float:
        """All bytes over the capacity in transitions."""
        return self.nbytes / (self.rows * self.num_envs)

    def append(self, observation: Tensor, action: Tensor, reward: Tensor, terminated: Tensor,
               cost: Tensor, tried: Tried | None = None) -> None:
        """Writes one row: what N environments saw, did and got, and what was tried of them.

        observation: uint8 [N, C, H, W]; action: int64 [N]; reward, cost: [N], the cost in mean
        cells; terminated: bool [N]. The next row must be the environments' next observations.

        Raises:
            TypeError: observations that are no bytes.
        """
        check_bytes(observation)
        dynamic, flags, scalars, static = map(torch.from_numpy, packed_layers(
            observation.detach().cpu().numpy()))
        for env in torch.nonzero(self._start_of_episode)[:, 0].tolist():
            self._begin_episode(env, static[env])
        rows = self._next_rows(1)
        row = int(rows)
        self.dynamic[row] = dynamic
        self.flags[row], self.scalars[row] = flags, scalars
        self.land[row] = self._current_land
        self.action[row] = action.detach().to("cpu", torch.int32)
        self.reward[row] = reward.detach().to("cpu", torch.float32)
        self.cost[row] = cost.detach().to("cpu", torch.float32)
        self.terminated[row] = terminated.detach().to("cpu")
        if tried is not None:
            self._note(rows, slice(None), tried)
        self._start_of_episode = self.terminated[row].clone()

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
        self._begin_episode(0, torch.from_numpy(episode.static))
        rows = self._next_rows(count)
        for stored, values in ((self.dynamic, episode.dynamic), (self.flags, episode.flags),
                              (self.scalars, episode.scalars), (self.action, episode.action),
                              (self.reward, episode.reward), (self.cost, episode.cost)):
            stored[rows, 0] = torch.from_numpy(values)
        self.land[rows, 0] = self._current_land[0]
        self.terminated[rows, 0] = False
        self.terminated[rows[-1], 0] = True
        if episode.tried is not None:
            self._note(rows, 0, episode.tried)
        self._start_of_episode[0] = True

    def sample(self, size: int, discount: float, n_step: int, generator: torch.Generator) -> Batch:
        """A batch of `size` transitions, all as likely, with `n_step` returns at `discount` per
        mean cell of cost.

        Raises:
            InputError: nothing has been stored.
        """
        return self._gather(*self._drawn(size, generator), discount, n_step)

    def labelled(self) -> Tensor:
        """Numbers of the rows that hold gains, of environments by turns: row * N + env, i64 [K].
        What follows them need not be there.
        """
        if not self.gain.shape[2]:
            return torch.empty(0, dtype=torch.int64)
        held = torch.arange(self._oldest, self._written) % self.rows
        known = ~self.gain[held, :, 0].isnan()
        row, env = torch.nonzero(known, as_tuple=True)
        return held[row] * self.num_envs + env

    def sample_gains(self, size: int, generator: torch.Generator) -> GainBatch:
        """`size` states with the gains of what was tried in them, drawn with replacement.

        Raises:
            InputError: no row holds gains.
        """
        labelled = self.labelled()
        if not labelled.numel():
            raise fail(expected="states with gains", given="none", where="replay",
                       remedy="raise agent.gain_share")
        drawn = labelled[torch.randint(labelled.numel(), (size,), generator=generator)]
        row, env = drawn // self.num_envs, drawn % self.num_envs
        return GainBatch(self.observations(row, env), self.gain[row, env],
                         self.tried[row, env].long())

    def sample_ahead(self, size: int, discount: float, n_step: int,
                     generator: torch.Generator) -> AheadBatch:
        """`size` states with the gains of what was tried and taken in them and in the states that
        follow after `n_step` steps, at `discount` per mean cell of cost; drawn as by `sample`.

        Raises:
            InputError: nothing has been stored.
        """
        return self._gather_ahead(*self._drawn(size, generator), discount, n_step)

    def _gather(self, time: Tensor, env: Tensor, discount: float, n_step: int) -> Batch:
        """Transitions from times, see `_drawn`."""
        reward, end, factor = self._walked(time, env, discount, n_step)
        row, following = time % self.rows, self.observations(end % self.rows, env)
        mask = following[:, OBSERVATION.channel("available")].flatten(1) > 0
        return Batch(self.observations(row, env), self.action[row, env].long(), reward, factor,
                     following, mask)

    def _gather_ahead(self, time: Tensor, env: Tensor, discount: float, n_step: int) -> AheadBatch:
        """States and what follows from times, see `_drawn`."""
        first, end, factor = self._walked(time, env, discount, 1)
        reward = torch.zeros_like(first)
        if n_step > 1:
            whole, end, factor = self._walked(time, env, discount, n_step)
            reward = whole - first
        row, last = time % self.rows, end % self.rows
        return AheadBatch(self.observations(row, env), *self._gains(row, env, discount), reward,
                          factor, self.observations(last, env), *self._gains(last, env, discount))

    def _gains(self, row: Tensor, env: Tensor, discount: float) -> tuple[Tensor, Tensor]:
        """Actions of rows and their gains, `targets.per_cost`: of the taken, then of the tried."""
        taken = self.reward[row, env] * per_cost(discount, self.cost[row, env])
        cost = self.tried_cost[row, env]
        tried = self.gain[row, env] * cost * per_cost(discount, cost)
        return (torch.cat([self.action[row, env][:, None], self.tried[row, env]], dim=1).long(),
                torch.cat([taken[:, None], tried], dim=1))

    def _drawn(self, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Times, absolute row counts, so that the newest row can be distinguished from the oldest,
        and environments of transitions, all as likely.
        """
        count = len(self)
        if count == 0:
            raise fail(expected="stored transitions", given="an empty replay", where="replay",
                       remedy="collect before learning")
        drawn = torch.randint(count, (size,), generator=generator)
        return self._oldest + drawn // self.num_envs, drawn % self.num_envs

    def _walked(self, time: Tensor, env: Tensor, discount: float,
                n_step: int) -> tuple[Tensor, Tensor, Tensor]:
        """The discounted rewards of n steps, the time after them and its discount, each [M]."""
        reward = torch.zeros(time.shape[0])
        factor = torch.ones(time.shape[0])
        end = time.clone()
        for _ in range(n_step):
            row = end % self.rows
            going = (factor > 0.0) & (end < self._written - 1)
            cost, over = self.cost[row, env], self.terminated[row, env]
            paid = self.reward[row, env] * per_cost(discount, cost)
            reward += torch.where(going, factor * paid, 0.0)
            after = (discount**cost.double()).float()
            factor = torch.where(going, factor * after * (~over), factor)
            end = torch.where(going, end + 1, end)
        return reward, end, factor

    def observations(self, row: Tensor, env: Tensor) -> Tensor:
        """The stored observations, uint8 [M, C, H, W], as they were seen."""
        height, width = self.shape
        flags = unpack_bits(self.flags[row, env], height * width).unflatten(2, self.shape) * 255
        scalars = self.scalars[row, env][:, :, None, None].expand(-1, -1, height, width)
        return torch.cat([self.dynamic[row, env], flags,
                          self.static[self.land[row, env].long()], scalars], dim=1)

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on: tensors by name."""
        counters = torch.tensor([self._written, self._oldest], dtype=torch.int64)
        return self._tensors() | {"counters": counters}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes back what `state` gave, into the memory already allocated.

        Raises:
            InputError: of another shape, or with places where there are none.
        """
        # Replays of earlier versions had no costs: 1 each, as on land of one cost.
        own = {name: tensor for name, tensor in self._tensors().items()
               if name in state or name not in ("cost", "tried_cost")}
        for name, tensor in own.items():
            if state[name].shape != tensor.shape:
                raise fail(expected=f"replay.{name} of shape {tuple(tensor.shape)}",
                           given=f"{tuple(state[name].shape)}", where="checkpoint",
                           remedy="resume with the settings the run was started with")
        counters, lands = state["counters"].tolist(), self.static.shape[0]
        counted = 0 <= counters[-1] <= counters[0]
        for name in ("land", "current_land"):
            if not (counted and bool(((state[name] >= 0) & (state[name] < lands)).all())):
                raise fail(expected=f"replay.{name} from 0 to {lands - 1}", given="others",
                           where="checkpoint", remedy="use an earlier one")
        for name, tensor in own.items():
            tensor.copy_(state[name])
        self._written = counters[0]
        # Runs of earlier versions forgot no row before its time.
        self._oldest = max([self._written - self.rows, 0, *counters[1:]])

    def _next_rows(self, count: int) -> Tensor:
        """The rows that are written next, i64 [count], counted as held from now on."""
        rows = torch.arange(self._written, self._written + count) % self.rows
        self._written += count
        self._oldest = max(self._oldest, self._written - self.rows)
        self.gain[rows] = torch.nan
        return rows

    def _begin_episode(self, env: int, static: Tensor) -> None:
        """Puts the landscape of an environment's new episode into its next slot; rows that still
        show the one that was there are forgotten, with all that are older.
        """
        place = (int(self._current_land[env]) + 1) % self._lands + env * self._lands
        held = torch.arange(self._oldest, self._written)
        there = held[self.land[held % self.rows, env] == place]
        if there.numel():
            self._oldest = int(there[-1]) + 1
        self._current_land[env] = place
        self.static[place] = static

    def _note(self, rows: Tensor, env: int | slice, tried: Tried) -> None:
        """Keeps what was tried in rows that were just written; at most as much as there is room."""
        count = tried.gain.shape[1]
        self.tried[rows, env, :count] = torch.from_numpy(tried.action)
        self.gain[rows, env, :count] = torch.from_numpy(tried.gain)
        self.tried_cost[rows, env, :count] = torch.from_numpy(tried.cost)

    def _tensors(self) -> dict[str, Tensor]:
        kept = ({"tried": self.tried, "gain": self.gain, "tried_cost": self.tried_cost}
                if self.gain.shape[2] else {})
        return {"dynamic": self.dynamic, "flags": self.flags, "scalars": self.scalars,
                "static": self.static, "land": self.land, "action": self.action,
                "reward": self.reward, "terminated": self.terminated, "cost": self.cost, **kept,
                "current_land": self._current_land, "start_of_episode": self._start_of_episode}
