"""The batched core: N problems at once, their fires kept burning under the breaks so far.

Storage is allocated once for given sizes; `load` puts a problem into a slot, `place` adds breaks,
`update` burns anew the fires that a new break changes (and no others) in one native call for all
slots. Nothing here knows of episodes, rewards per step or gymnasium.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.env.storage.problem import PlanTrees, Problem, Sizes, check_fits, sizes_for
from firebreak.env.storage.stores import LandStore, ObservationStore
from firebreak.fire import (
    REACH,
    UNBURNED,
    FieldStore,
    FireStore,
    Overlays,
    Workspace,
    pad,
    padded_cells,
    padded_width,
    treat,
    treated_for,
)
from firebreak.native_library import hold

__all__ = ["SLOT_0", "PlanTrees", "ProblemBatch", "Sizes", "sizes_for"]

_PAGE_BYTES = 4096

SLOT_0 = np.zeros(1, np.int64)
"""Index of the only slot, where storage has one."""


class ProblemBatch:
    """Storage for N problems. Fire ids: slot * K + k for plan fires, then N * K + slot * R + r.

    borrows: the only slot reads the travel field of its problem's scene instead of a copy.
    scratch: room to burn in, see `FireStore`.
    observed: whether anyone will ask for observations (`layers`), which take room.

    Attributes meant for readers, first axis the slot: `land`, untreated_plan_loss and
    untreated_reward_loss f64 [N] (means over fires), moves i64 [N] (how often a problem was loaded
    or a break came or went).
    """

    def __init__(self, sizes: Sizes, *, borrows: bool = False,
                 scratch: Workspace | None = None, observed: bool = True) -> None:
        n, (rows, cols), s, k, r, classes, breach, spotting, heat, held = sizes
        width = padded_width(cols)
        p = (rows + 2 * REACH) * width
        self.sizes, self.width, self.cells = sizes, width, p
        self.problems: list[Problem | None] = [None] * n
        self.fields = FieldStore((rows, cols), n, s, classes=classes, heat=heat or classes > 1,
                                 breach=breach, spotting=spotting, held=held, borrows=borrows)
        self.land = LandStore(sizes)
        self.value = np.zeros((n, classes, p), np.float32)
        self.overlays: Overlays = hold(Overlays(self.land.states, self.value))
        self.fires = FireStore((rows, cols), n, k, r, classes, scratch)
        self._counts = np.zeros((2, n), np.int64)  # plan and reward fires in use
        self._plain = np.zeros(n, np.bool_)
        self._observed = ObservationStore(sizes) if observed else None
        self._unobserved = np.zeros(n, np.bool_)
        self.untreated_plan_loss = np.zeros(n)
        self.untreated_reward_loss = np.zeros(n)
        self.moves = np.zeros(n, np.int64)

    @property
    def breaks(self) -> NDArray[np.bool_]:
        """[N, H, W]."""
        return self.land.breaks

    @property
    def available(self) -> NDArray[np.bool_]:
        """[N, H, W]: treatable, unbroken, affordable."""
        return self.land.available

    @property
    def budget_left(self) -> NDArray[np.float64]:
        """[N]."""
        return self.land.budget_left

    @property
    def leak(self) -> bool:
        """True where fires pass breaks that touch at a corner only; one rule for all slots."""
        return self.fields.rules.leak

    @property
    def layers(self) -> NDArray[np.uint8]:
        """The observation uint8 [N, C, H, W] of the last `update`; made when it is asked for, since
        searches never ask. To be read before breaks come or go again.

        Raises:
            RuntimeError: of a problem whose untreated fires were not burned first (`core.begin`).
        """
        assert self._observed is not None
        which = np.flatnonzero(self._unobserved)
        if which.size:
            if np.isnan(self.untreated_plan_loss[which]).any():
                raise RuntimeError("observed before its untreated fires were burned")
            self._observed.write(which, self.fires, self.land, self._mean_losses(0, which),
                                 self.untreated_plan_loss[which])
            self._unobserved[which] = False
        return self._observed.layers

    def owned_bytes(self) -> int:
        """Bytes of all arrays held."""
        return sum(array.nbytes for array in self._arrays())

    def touch(self) -> None:
        """Writes to every page, so that the memory is really there from now on. Else it comes as
        ever larger problems do, and a run that holds constant memory seems to grow.
        """
        for array in self._arrays():
            if array.flags.writeable and array.size:
                some = array.reshape(-1).view(np.uint8)[::_PAGE_BYTES]
                np.bitwise_or(some, 0, out=some)

    def _arrays(self) -> Iterator[NDArray]:
        yield from (array for array in vars(self).values() if isinstance(array, np.ndarray))
        yield from vars(self._observed).values() if self._observed is not None else ()
        yield from self.land.arrays()
        yield from self.fires.arrays()
        yield from self.fields.arrays()

    def plan_ids(self, slot: int) -> slice:
        """Ids of a slot's plan fires (those in use come first)."""
        return self.fires.ids_of(slot)[0]

    def reward_ids(self, slot: int) -> slice:
        """Ids of a slot's reward fires."""
        return self.fires.ids_of(slot)[1]

    def load(self, slot: int, problem: Problem) -> None:
        """Puts a problem into a slot, untreated; `update` burns its fires.

        Raises:
            InputError: the problem does not fit the storage.
        """
        check_fits(self.sizes, problem)
        field = problem.scene.field
        others = any(other is not None for k, other in enumerate(self.problems) if k != slot)
        self.fields.load(slot, field, alone=not others)
        self.land.load(slot, problem)
        # What cannot burn may be worth more than all that can: it must not set the unit of sums.
        self.value[slot] = pad(problem.scene.value_by_class) * field.burns
        both = problem.plan_fires, problem.reward_fires
        self.fires.begin(slot, self.value[slot],
                         max(fires.heaviest for fires in both)
                         * float(problem.scene.value[problem.scene.landscape.burnable].sum()),
                         max(fires.whole for fires in both))
        for ids, fires in zip(self.fires.ids_of(slot), both, strict=True):
            self.fires.load(ids, fires, self.fields.first_row(slot), field)
        if self._observed is not None:
            self._observed.load(slot, problem)
        self.problems[slot] = problem
        self.untreated_plan_loss[slot] = self.untreated_reward_loss[slot] = np.nan
        self._counts[:, slot] = problem.plan_fires.source.size, problem.reward_fires.source.size
        self._plain[slot] = not (field.breaks.acts_nearby or field.breaks.strips)
        self.moves[slot] += 1

    def burned_for(self, slot: int, problem: Problem) -> bool:
        """True where a slot holds the plan fires of a problem, on its travel times and values, and
        no other fires.
        """
        own = self.problem(slot)
        fires = zip(own.plan_fires, problem.plan_fires, strict=True)
        return (own.scene.travel is problem.scene.travel
                and own.scene.value_by_class is problem.scene.value_by_class
                and not own.reward_fires.source.size and not problem.reward_fires.source.size
                and all(one is other or (one is not None and other is not None
                                         and np.array_equal(one, other)) for one, other in fires))

    def turn_to(self, slot: int, problem: Problem) -> None:
        """Puts a problem into a slot that has burned for it: burns what breaks change that stand in
        the slot or in the problem alone. All is then as after `core.begin`.
        """
        stands, wanted = self.breaks[slot].copy(), problem.standing_mask()
        self.remove(slot, np.flatnonzero(stands & ~wanted))
        self.place(slot, np.flatnonzero(wanted & ~stands))
        self.land.turn_to(slot, problem)
        if self._observed is not None:
            self._observed.load(slot, problem)
        self.problems[slot] = problem
        self.update(np.array([slot]))

    def place_standing(self, slot: int) -> None:
        """Breaks the cells that stand from the start of the slot's problem, at no cost; `update`
        burns them.
        """
        self.place(slot, self.problem(slot).standing)
        self.land.leave(slot, self.problem(slot).budget)

    def place(self, slot: int, cells: ArrayLike) -> None:
        """Breaks cells (flat indices) of a slot; `update` burns what that changes."""
        self._set_breaks(slot, np.array(cells, np.int64, ndmin=1), broken=True)

    def place_each(self, which: NDArray[np.int64],
                   cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Breaks flat cells i64 [M] of the slots i64 [M], one after the other, those available when
        their turn comes; `update` burns what that changes. Returns which, bool [M].
        """
        if not self._plain[which].all():
            return np.array([self._place_available(slot, cell) for slot, cell in zip(
                which.tolist(), cells.tolist(), strict=True)], np.bool_)
        places = self.land.place(which, cells)
        placed = places >= 0
        self.fires.breaks_at(which[placed], places[placed])
        self.moves += np.bincount(which[placed], minlength=self.moves.size)
        return placed

    def _place_available(self, slot: int, cell: int) -> bool:
        free = bool(self.available[slot].flat[cell])
        if free:
            self.place(slot, cell)
        return free

    def remove(self, slot: int, cells: ArrayLike) -> None:
        """Takes placed breaks away and their cost back; `update` burns what that changes.

        Raises:
            InputError: there is no break in a cell.
        """
        places = np.array(cells, np.int64, ndmin=1)
        without = places[~self.breaks[slot].ravel()[places]]
        if without.size:
            raise fail(expected="a cell with a break", given=f"cell {without[0]}", where="remove",
                       remedy="remove only cells that were placed")
        self._set_breaks(slot, places, broken=False)

    def put_back(self, slot: int, breaks: NDArray[np.bool_], budget_left: float) -> None:
        """Breaks as they stood, bool [H, W], in a slot just loaded, or with what stands in place;
        `update` burns what changes.

        What fires make of breaks does not depend on the order in which these came.

        Raises:
            InputError: breaks where there can be none.
        """
        problem = self.problem(slot)
        if (breaks & ~problem.scene.landscape.treatable & ~problem.standing_mask()).any():
            raise fail(expected="breaks on treatable cells", given="breaks elsewhere",
                       where=f"slot {slot}",
                       remedy="resume with the settings and maps the run was started with")
        self.place(slot, np.flatnonzero(breaks))
        self.land.leave(slot, budget_left)  # its roundings depend on the order

    def _set_breaks(self, slot: int, cells: NDArray[np.int64], *, broken: bool) -> None:
        if not cells.size:
            return
        field, left = self.problem(slot).scene.field, float(self.budget_left[slot])
        for cost in self.land.cost[slot].ravel()[cells].tolist():  # rounded as one by one
            left += -cost if broken else cost
        places = self.write_breaks(slot, cells, broken=broken)
        self.land.leave(slot, left)
        if broken and not field.breaks.acts_nearby:
            self.fires.breaks_at(np.full(places.size, slot), places)
        for place in places.tolist():
            if field.breaks.acts_nearby:
                self.fires.changes_at(slot, place)
            elif not broken:
                self.fires.opens_at(slot, place, embers=field.spots.cells.size > 0)
            elif field.breaks.strips:
                self.fires.starts_at(slot, place)

    @contextmanager
    def broken_for(self, slot: int, cells: NDArray[np.int64], fires: NDArray[np.int64], *,
                   broken: bool = True) -> Iterator[None]:
        """Breaks in some burnable cells without any, or none in those that have them, as fires of
        some ids meet them, until the context ends; nothing else.
        """
        scene = self.problem(slot).scene
        if scene.field.breaks.treated is None or not cells.size:
            self.write_breaks(slot, cells, broken=broken)
            yield
            self.write_breaks(slot, cells, broken=not broken)
            return
        streams = (self.fires.streams(fires) - self.fields.first_row(slot)).tolist()
        with treated_for(self.fields.view(slot, scene.field), padded_cells(
                cells, self.sizes.shape[1]), streams, None if broken else scene.field):
            self.land.write(slot, cells, broken=broken)
            yield
            self.land.write(slot, cells, broken=not broken)

    def write_breaks(self, slot: int, cells: NDArray[np.int64], *,
                     broken: bool) -> NDArray[np.int64]:
        """Writes what fires meet in some cells, and nothing else; returns their padded indices."""
        scene, places = self.problem(slot).scene, padded_cells(cells, self.sizes.shape[1])
        self.land.write(slot, cells, broken=broken)
        self.moves[slot] += cells.size
        rules = scene.field.breaks
        if rules.treated is not None:
            treat(self.fields.view(slot, scene.field), places,
                  before=None if broken else scene.field)
        elif rules.strips:
            rows, cols = np.divmod(cells, self.sizes.shape[1])
            left = rules.left(self.sizes.shape)[rows, cols] if broken else np.float32(1.0)
            self.value[slot][:, places] = scene.value_by_class[:, rows, cols] * left
            self.fires.revalue(slot, places, self.value[slot][:, places])
        return places

    def update(self, slots: NDArray[np.int64], *, fresh: bool = False) -> int:
        """Burns the stale fires of all slots; the observation of `slots` changes.

        fresh: these slots were just loaded, so their losses are the untreated ones.
        Returns the number of fires burned.
        """
        burned = self.fires.burn(self.fields, self.overlays)
        self._unobserved[slots] = True
        if fresh:
            self.untreated_plan_loss[slots] = self._mean_losses(0, slots)
            self.untreated_reward_loss[slots] = self.reward_losses(slots)
        if fresh and self._observed is not None:
            for slot in slots.tolist():
                burnable = self.problem(slot).scene.landscape.burnable
                self._observed.begin(slot, float(self.maps(slot)[0][burnable].mean()))
        return burned

    def plan_loss(self, slot: int) -> float:
        """Mean loss of the slot's plan fires."""
        return float(self._mean_losses(0, np.array([slot]))[0])

    def reward_losses(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean losses f64 [M] of the reward fires of the slots `which`."""
        return self._mean_losses(1, which)

    def _mean_losses(self, kind: int, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean losses of the plan fires, kind 0, or of the reward fires, 1."""
        n, n_plan_fires = self.sizes.slots, self.sizes.slots * self.sizes.plan_fires
        loss = self.fires.loss
        rows = (loss[n_plan_fires:] if kind else loss[:n_plan_fires]).reshape(n, -1)
        counts = self._counts[kind, which].tolist()
        return np.array([np.add.reduce(rows[slot, :count]) / count if count else 0.0
                         for slot, count in zip(which.tolist(), counts, strict=True)])

    def loss_unit(self, slot: int) -> float:
        """Whole units in a loss of 1: a power of two, 2^47 to 2^48 in the most that a fire can
        lose.
        """
        return self.fires.unit(slot)

    def affected(self, slot: int) -> NDArray[np.int64]:
        """Number, by plan fire, of breaks that came or went near enough to change it, or what
        another break would save of it.
        """
        return self.fires.affected[self.plan_ids(slot)]

    def depending_on(self, slot: int, cells: NDArray[np.int64]) -> NDArray[np.uint8]:
        """1 for each plan fire [K] that may burn otherwise once flat `cells` are breaks."""
        problem, first = self.problem(slot), self.plan_ids(slot).start
        return self.fires.depending_on(
            padded_cells(cells, self.sizes.shape[1]),
            slice(first, first + problem.plan_fires.source.size), problem.scene.field.breaks)

    def maps(self, slot: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Burn probability and downstream value [H, W] of the plan fires under the breaks."""
        fires = self.problem(slot).plan_fires
        count = fires.source.size
        burned, downstream = self.fires.sums(slot)
        return burned / (count * fires.whole), downstream / count

    def plan_trees(self, slot: int) -> PlanTrees:
        """The trees of the slot's plan fires: views, valid until the next `update`."""
        first = slot * self.sizes.plan_fires
        fires = self.problem(slot).plan_fires
        ids = slice(first, first + fires.source.size)
        return PlanTrees(self.fires.code[ids], self.fires.source[ids], self.fires.loss[ids],
                         fires.times)

    def trees_through_free(self, slot: int) -> PlanTrees:
        """The trees of those plan fires that came to a cell which may still be broken: the others
        carry nothing through one. Copies.
        """
        free = np.flatnonzero(self.land.treatable[slot] & ~self.breaks[slot])
        trees = self.plan_trees(slot)
        came = (trees.code[:, padded_cells(free, self.sizes.shape[1])] != UNBURNED).any(axis=1)
        return PlanTrees(*(column[came] for column in trees))

    def problem(self, slot: int) -> Problem:
        """The problem that a slot holds."""
        problem = self.problems[slot]
        assert problem is not None, "slot used before load"
        return problem


FIRE_BYTES = 100
"""Of each fire that is drawn and held, beside its storage: its table, its loss, and copies."""


@lru_cache(maxsize=16)
def storage_bytes(sizes: Sizes, *, borrows: bool = False) -> int:
    """`ProblemBatch.owned_bytes` of storage of these sizes, from that of the smallest: each slot,
    row of weather and fire takes as much as the first. borrows: see `ProblemBatch`.
    """
    def held(slots: int = 1, scenarios: int = 1, plan: int = 1, reward: int = 1) -> int:
        return ProblemBatch(sizes._replace(slots=slots, scenarios=scenarios, plan_fires=plan,
                                    reward_fires=reward), borrows=borrows).owned_bytes()

    one = held()
    per_slot = 0 if borrows else held(slots=2) - one
    per_scenario = held(scenarios=2) - one
    per_plan_fire, per_reward_fire = held(plan=2) - one, held(reward=2) - one
    within = ((sizes.scenarios - 1) * per_scenario + (sizes.plan_fires - 1) * per_plan_fire
              + (sizes.reward_fires - 1) * per_reward_fire)
    return one + (sizes.slots - 1) * per_slot + sizes.slots * within
