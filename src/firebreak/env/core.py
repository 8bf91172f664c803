"""The rules of an episode: which actions are allowed, single cells or straight lines of them, what
they break and earn, and when it is over.

The reward is the drop of the mean loss on the reward fires over their untreated loss, so that an
episode's undiscounted return is the relative reduction of the expected loss. An episode ends when
no treatable, unbroken cell is affordable; it is never truncated.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.kernels import CROSSED, PLACED, STOPS, allow_lines
from firebreak.env.storage.problem import Problem, nothing_burned
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.line_actions import (
    COMPASS,
    LINE_LENGTHS,
    SHAPES,
    action_cells,
    line_steps,
    shape_cells,
)

_STEPS_BY_DIRECTION = {
    joined: np.stack([line_steps(direction, LINE_LENGTHS[-1], joined) for direction in COMPASS])
    for joined in (False, True)}
_LENGTHS = np.array(LINE_LENGTHS)


def _period(steps: NDArray[np.int64]) -> int:
    """After how many cells the steps i64 [N, 2] of a direction repeat."""
    return next(p for p in range(1, len(steps)) if (steps[p:] == steps[:-p] + steps[p]).all())


_PERIODS = {joined: np.array([_period(steps) for steps in by_direction])
            for joined, by_direction in _STEPS_BY_DIRECTION.items()}
_COUNTS = np.array([len(shape_cells(number)) for number in range(SHAPES)])


def _all_steps(joined: bool) -> NDArray[np.int64]:
    """Cells of every shape, i64 [SHAPES, L, 2], as `shape_cells`; what is too many is 0."""
    steps = np.zeros((SHAPES, LINE_LENGTHS[-1], 2), np.int64)
    for number in range(SHAPES):
        steps[number, :_COUNTS[number]] = shape_cells(number, joined)
    return steps


_STEPS = {joined: _all_steps(joined) for joined in (False, True)}


def action_count(shape: tuple[int, int], lines: bool) -> int:
    """Actions on a map [H, W]: its cells, or lines by shape and middle cell."""
    return shape[0] * shape[1] * (SHAPES if lines else 1)


def line_state(burnable: NDArray[np.bool_], treatable: NDArray[np.bool_],
               breaks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """States [..., H, W] of `env.kernels`: lines end at the map's edge and at cells that
    burn and cannot be treated; they cross what holds already.
    """
    fuel = burnable & ~breaks
    return np.where(treatable & fuel, PLACED, np.where(fuel, STOPS, CROSSED)).astype(np.uint8)


def allowed(slots: ProblemBatch, which: NDArray[np.int64], lines: bool) -> NDArray[np.bool_]:
    """bool [M, A], of the slots `which`: the available cells; of lines, those that begin and end
    in one, meet no fuel that cannot be treated, and can be paid for. They cross what does not burn.
    """
    if not lines:
        return slots.available[which].reshape(which.size, -1)
    return _allowed_lines(slots, which, (slice(None), slice(None)))


def treatable_part(slots: ProblemBatch) -> tuple[slice, slice]:
    """Rows and columns of slot 0 that hold all that may be treated, or the map where nothing may.

    In a window of a large map that is its core: fires need the margin, breaks do not go there.
    """
    free = slots.land.treatable[0]
    if not free.any():
        return slice(0, free.shape[0]), slice(0, free.shape[1])
    rows, cols = (np.flatnonzero(free.any(axis=axis)) for axis in (1, 0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(cols[0]), int(cols[-1]) + 1)


def allowed_lines_in(slots: ProblemBatch, part: tuple[slice, slice]) -> NDArray[np.bool_]:
    """bool [A'] of a part of slot 0's map: which of its lines are `allowed`, that lie in it."""
    return _allowed_lines(slots, SLOT_0, part)[0]


def _allowed_lines(slots: ProblemBatch, which: NDArray[np.int64],
                   part: tuple[slice, slice]) -> NDArray[np.bool_]:
    land, available = slots.land, slots.available[which][:, *part]
    burnable, treatable, breaks = (
        grid[which][:, *part] for grid in (land.burnable, land.treatable, land.breaks))
    shape = available.shape[1:]
    out = np.zeros((which.size, SHAPES, *shape), np.bool_)
    allow_lines(line_state(burnable, treatable, breaks), np.ascontiguousarray(available),
                land.cost[which][:, *part].astype(np.float64, order="C"), _most(slots, which),
                _STEPS_BY_DIRECTION[slots.leak], _LENGTHS, _PERIODS[slots.leak],
                np.empty(shape, np.uint8), out)
    return out.reshape(which.size, -1)


def _most(slots: ProblemBatch, which: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most that a line may cost; sums of costs carry rounding."""
    return slots.budget_left[which] * (1.0 + 1e-9) + 1e-9


def are_allowed(slots: ProblemBatch, actions: NDArray[np.int64], lines: bool) -> NDArray[np.bool_]:
    """bool [N], of one action per slot: whether it is among those `allowed`."""
    everyone = np.arange(actions.size)
    if not lines:
        return slots.available.reshape(actions.size, -1)[everyone, actions]
    rows, cols, part = line_cells(slots, actions)
    height, width = slots.sizes.shape
    inside = (rows >= 0) & (rows < height) & (cols >= 0) & (cols < width)
    fits = (inside | ~part).all(axis=1)
    rows, cols = np.clip(rows, 0, height - 1), np.clip(cols, 0, width - 1)
    at, last = everyone[:, None], part.sum(axis=1) - 1
    land = slots.land
    burns = land.burnable[at, rows, cols] & ~land.breaks[at, rows, cols] & part
    placed = burns & land.treatable[at, rows, cols]
    price = np.cumsum(np.where(placed, land.cost[at, rows, cols].astype(np.float64), 0.0), axis=1)
    return (fits & (placed == burns).all(axis=1) & slots.available[everyone, rows[:, 0], cols[:, 0]]
            & placed[everyone, last] & (price[:, -1] <= _most(slots, everyone)))


def action_costs(slots: ProblemBatch, actions: NDArray[np.int64],
                 lines: bool) -> NDArray[np.float64]:
    """f64 [N], the costs of one allowed action per slot, in mean costs of its treatable cells."""
    everyone, land = np.arange(actions.size), slots.land
    if lines:
        rows, cols, part = line_cells(slots, actions)
        rows, cols = np.where(part, rows, 0), np.where(part, cols, 0)
        at = everyone[:, None]
        placed = part & land.treatable[at, rows, cols] & ~land.breaks[at, rows, cols]
        cost = np.where(placed, land.cost[at, rows, cols].astype(np.float64), 0.0).sum(axis=1)
    else:
        cost = land.cost.reshape(actions.size, -1)[everyone, actions].astype(np.float64)
    return cost / land.mean_cost


def place_actions(slots: ProblemBatch, which: NDArray[np.int64], actions: NDArray[np.int64],
                  lines: bool) -> None:
    """Breaks what one allowed action in each of the slots `which` breaks."""
    if lines:
        rows, cols, part = line_cells(slots, actions)
        cells = (rows * slots.sizes.shape[1] + cols)[part]
        slots.place_each(np.repeat(which, part.sum(axis=1)), cells)
    else:
        slots.place_each(which, actions)


def line_cells(slots: ProblemBatch, actions: NDArray[np.int64],
               ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Rows and columns i64 [M, L] of the cells of M lines, and bool [M, L], which of the L there
    are; what there is not is the middle cell.
    """
    height, width = slots.sizes.shape
    shape, middle = np.divmod(actions, height * width)
    row, col = np.divmod(middle, width)
    steps = _STEPS[slots.leak][shape]
    return (row[:, None] + steps[..., 0], col[:, None] + steps[..., 1],
            np.arange(steps.shape[1]) < _COUNTS[shape][:, None])


def open_cells(slots: ProblemBatch, action: int) -> NDArray[np.int64]:
    """The flat cells that an allowed line action would break in the first slot."""
    cells = action_cells(action, slots.sizes.shape, slots.leak)
    return cells[slots.available[0].ravel()[cells]]


def place_available(slots: ProblemBatch, cells: Iterable[int]) -> list[int]:
    """Breaks those of flat `cells` of the first slot that are available when their turn comes:
    those before them may have spent what they cost. Returns them.
    """
    given = np.fromiter(cells, np.int64)
    return given[slots.place_each(np.zeros_like(given), given)].tolist()


class StepResult(NamedTuple):
    """Results of N slots. reward: f64 [N]; terminated: bool [N]; illegal: bool [N], action was
    masked.
    """

    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]


def begin(slots: ProblemBatch, which: NDArray[np.int64], problems: list[Problem]) -> None:
    """Loads problems into the slots `which`, in order, and burns their untreated fires; then
    breaks the cells that stand from the start.

    Raises:
        InputError: the fires of a problem burn nothing of value.
    """
    for slot, problem in zip(which.tolist(), problems, strict=True):
        slots.load(slot, problem)
    slots.update(which, fresh=True)
    for slot, problem in zip(which.tolist(), problems, strict=True):
        if not slots.untreated_plan_loss[slot] > 0.0:
            raise nothing_burned(problem.scene)
    standing = [slot for slot, problem in zip(which.tolist(), problems, strict=True)
             if problem.standing.size]
    for slot in standing:
        slots.place_standing(slot)
    if standing:
        slots.update(np.array(standing))


def step(slots: ProblemBatch, actions: NDArray[np.integer], lines: bool = False) -> StepResult:
    """One action per slot: the flat index of the cell to break, or with `lines` the number of a
    line, see `firebreak.line_actions`.

    A masked action breaks nothing and earns nothing; it wastes the cost of the cheapest available
    cell, so that an agent that ignores the mask still comes to an end.

    Raises:
        InputError: an action that is no whole number or not on the map, or not one per slot.
    """
    count = slots.sizes.slots
    actions_there = action_count(slots.sizes.shape, lines)
    if (actions.shape != (count,) or actions.dtype.kind not in "iu" or (actions < 0).any()
            or (actions >= actions_there).any()):
        raise fail(expected=f"{count} actions from 0 to {actions_there - 1}",
                   given=f"{actions.tolist()}", where="step",
                   remedy="pass lines by number, shape * cells of the map + middle cell"
                   if lines else "pass flat cell indices, row * columns + column")
    everyone, taken = np.arange(count), actions.astype(np.int64)
    before = slots.reward_losses(everyone)
    legal = are_allowed(slots, taken, lines)
    place_actions(slots, everyone[legal], taken[legal], lines)
    for slot in np.flatnonzero(~legal).tolist():
        slots.land.waste(slot)
    slots.update(everyone)
    after = slots.reward_losses(everyone)
    untreated = slots.untreated_reward_loss
    reward = np.divide(before - after, untreated, out=np.zeros(count), where=untreated > 0)
    over = np.logical_not(slots.available.reshape(count, -1).any(axis=1))
    return StepResult(reward, over, ~legal)
