"""Returns of some actions of a state, paired: what whole plans save that begin with them.

Each action is followed by the plan of one frozen policy, and all plans are judged on the same
fires, which no planner sees and the environment does not pay for. So the noise of the fires is
common to the actions, and what differs is theirs. With the budget spent in every plan nothing is
discounted.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.actions import allowed, line_cells, open_cells, place_actions
from firebreak.env.core import begin
from firebreak.env.storage.sizes import Sizes
from firebreak.env.storage.slots import Slots
from firebreak.fire import burn_loss
from firebreak.planning.learned.policy import leading_actions
from firebreak.seeding import generator
from firebreak.train.gains.line_gains import flow_rates

FIRE_SET = "returns"
"""The keyed set of the fires that plans are judged on."""
MAX_SHARED = 0.5
"""Share of its cells that an action may have in common with those chosen before it."""
_CANDIDATES = 4096
_FLOW_NOISE, _VALUE_NOISE = 0.4, 0.15
"""Spread of the logarithm by which flow is blurred, and scale of the Gumbel noise on values in
units of the best."""

Values = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Values f32 [M, A] of all actions of observations uint8 [M, C, H, W]."""


class Paired(NamedTuple):
    """Of L actions i64 [L] of a state, f32 [L] each. gain: what each saves at once, as in
    `GainStore`; returns: what is saved in all from the state on, shares of the untreated loss.
    """

    action: NDArray[np.int64]
    gain: NDArray[np.float32]
    returns: NDArray[np.float32]


class PairedReturns:
    """Completes plans in storage of its own.

    Args:
        sizes: of the environment whose states are completed.
        actions: see below.
        fires: that plans are judged on.
        lines: whether actions are lines; else cells.
        online: values of the agent that learns, which actions are chosen by.
        frozen: values of the policy that completes.
        seed: names the draws.

    Attributes:
        actions: completed of each state, at most.
    """

    def __init__(self, sizes: Sizes, actions: int, fires: int, lines: bool, online: Values,
                 frozen: Values, seed: int) -> None:
        self._slots = Slots(sizes._replace(slots=actions, reward_fires=0))
        self._slots.touch()
        self.actions = actions
        self._fires, self._lines, self._seed = fires, lines, seed
        self._online, self._frozen = online, frozen

    def owned_bytes(self) -> int:
        """Bytes of storage held, fixed from the start."""
        return self._slots.owned_bytes()

    def of(self, slots: Slots, slot: int, number: int) -> Paired:
        """Returns of a state. number: of the state, which names its draws."""
        return self.follow(slots, slot, self.choose(slots, slot, number))

    def choose(self, slots: Slots, slot: int, number: int) -> NDArray[np.int64]:
        """Actions that differ: half of them the best by value, a quarter by what fire carries
        through them, the others the best by values with Gumbel noise. number: see `of`.
        """
        rng = generator(self._seed, "paired-returns", number)
        count, taken = self._slots.sizes.slots, np.zeros(slots.sizes.shape, np.bool_)
        may = allowed(slots, np.array([slot]), self._lines)[0]
        values = np.where(may, self._online(slots.layers[slot:slot + 1])[0], -np.inf)
        chosen = _differing(slots, slot, leading_actions(values, _CANDIDATES), -(-count // 2),
                            taken)
        actions, rate = flow_rates(slots, slot, self._lines)
        blurred = rate * np.exp(rng.normal(0.0, _FLOW_NOISE, rate.size))
        order = actions[np.argsort(-blurred, kind="stable")]
        chosen += _differing(slots, slot, order, count // 4, taken)
        scale = _VALUE_NOISE * abs(float(values[may].max()))
        drawn = values + (scale * rng.gumbel(size=values.size)).astype(np.float32)
        chosen += _differing(slots, slot, leading_actions(drawn, _CANDIDATES),
                             count - len(chosen), taken)
        return np.array(chosen, np.int64)

    def follow(self, slots: Slots, slot: int, chosen: NDArray[np.int64]) -> Paired:
        """Returns of allowed actions i64 [L] of a state, at most as many as `actions`."""
        problem = slots.problem(slot)
        scene = problem.scene
        fires = scene.fires(FIRE_SET, self._fires)

        def loss(breaks: NDArray[np.bool_] | None) -> float:
            return float(burn_loss(scene.field, fires, scene.value_by_class, breaks).mean())

        own, which = self._slots, np.arange(chosen.size)
        begin(own, which, [replace(problem, reward_fires=problem.reward_fires.first(0))]
              * chosen.size)
        for place in which.tolist():
            own.put_back(place, slots.breaks[slot], float(slots.budget_left[slot]))
        own.update(which)
        place_actions(own, which, chosen, self._lines)
        before, untreated = loss(slots.breaks[slot]), max(loss(None), 1e-9)
        gain = np.array([before - loss(own.breaks[place]) for place in which.tolist()])
        if self._lines:
            cost = scene.landscape.cost
            spent = slots.budget_left[slot] - own.budget_left[which]
            gain *= float(cost[scene.landscape.treatable].mean()) / np.maximum(spent, 1e-9)
        self._complete(which)
        saved = np.array([before - loss(own.breaks[place]) for place in which.tolist()])
        return Paired(chosen, (gain / untreated).astype(np.float32),
                      (saved / untreated).astype(np.float32))

    def _complete(self, which: NDArray[np.int64]) -> None:
        """Spends the budgets of the slots `which` as the frozen policy does."""
        own = self._slots
        while True:
            own.update(which)
            may = allowed(own, which, self._lines)
            going = may.any(axis=1)
            which, may = which[going], may[going]
            if not which.size:
                return
            values = np.where(may, self._frozen(own.layers[which]), -np.inf)
            place_actions(own, which, values.argmax(axis=1), self._lines)


def _differing(slots: Slots, slot: int, actions: NDArray[np.int64], count: int,
               taken: NDArray[np.bool_]) -> list[int]:
    """The first `count` of `actions` that share at most MAX_SHARED of the cells that they would
    break with `taken` [H, W], which gets theirs.
    """
    rows, cols, part = line_cells(slots, actions)
    part &= slots.available[slot][rows, cols]
    size = part.sum(axis=1)
    chosen: list[int] = []
    left = (taken[rows, cols] & part).sum(axis=1) <= MAX_SHARED * size
    while left.any() and len(chosen) < count:
        k = int(left.argmax())
        chosen.append(int(actions[k]))
        taken.ravel()[open_cells(slots, chosen[-1], slot)] = True
        left &= (taken[rows, cols] & part).sum(axis=1) <= MAX_SHARED * size
    return chosen
