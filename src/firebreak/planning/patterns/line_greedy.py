"""Greedy over straight lines (method `segments`): each time, the line that saves most per cost.

A line that closes a gap is worth more than its cells one by one. All lines are rated by the value
that fire carries through them; the best of each length are then burned, and what they really save
decides. Runs of lines that the user supplies stand among the others or in their place.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.core import line_state, place_available
from firebreak.env.kernels import STOPS
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.fire import REACH, STENCIL, pad, padded_cells, padded_width
from firebreak.landscape.landscape import Landscape
from firebreak.line_actions import COMPASS, line_steps
from firebreak.planning.core.kernels import score_lines
from firebreak.planning.core.line_trials import UNTRIED, Trial, TrialBound, try_lines
from firebreak.planning.core.rounds import (
    Placement,
    Task,
    line_list,
    loaded,
    spaced_lines,
    spendable,
    spent_share,
)
from firebreak.planning.patterns.rated_runs import RatedRuns
from firebreak.planning.ranking import (
    Floats,
    Flow,
    TreeSums,
    conditional_value,
)

LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Cells of a line."""


class Ground(NamedTuple):
    """Cells that may still be built. breaks, available: bool [H, W]; left: of the budget."""

    breaks: NDArray[np.bool_]
    available: NDArray[np.bool_]
    left: float


def ground_of(slots: ProblemBatch, slot: int = 0) -> Ground:
    """Cells that may still be built in a slot."""
    return Ground(slots.breaks[slot], slots.available[slot], float(slots.budget_left[slot]))


class Lines(NamedTuple):
    """N candidate lines, by direction and start. direction: i64 [N], index into the directions
    asked for. start: i64 [N], flat cell. length: i64 [N], cells. gain, price: f64 [N].
    """

    direction: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    gain: Floats
    price: Floats

    def cells(self, k: int, directions: Sequence[NDArray[np.int64]],
              cols: int) -> NDArray[np.int64]:
        """Flat cells of line k on a map of `cols` columns."""
        steps = directions[self.direction[k]][:self.length[k]]
        return self.start[k] + steps[:, 0] * cols + steps[:, 1]


def rated_lines(landscape: Landscape, ground: Ground, flow: Flow,
                directions: Sequence[NDArray[np.int64]], lengths: Sequence[int]) -> Lines:
    """All lines that can be placed and paid for, rated by the value that fire carries through them.

    Args:
        directions: i64 [>= longest length, 2] each, see `line_steps`.
        lengths: rising.
    """
    cols = landscape.shape[1]
    state = pad(line_state(landscape.burnable, landscape.treatable, ground.breaks), STOPS)
    begin = np.flatnonzero(ground.available)
    wanted = np.array(lengths, np.int64)
    found = []
    for number, steps in enumerate(directions):
        gain = np.empty((begin.size, wanted.size))
        price = np.empty_like(gain)
        own = np.ascontiguousarray(steps[:wanted[-1]])
        score_lines(padded_cells(begin, cols), own, wanted, state,
                    pad(landscape.cost.astype(np.float64)),
                    spendable(ground.left), flow.through, flow.along,
                    _STEP_INDEX, own[:, 0] * padded_width(cols) + own[:, 1], gain, price)
        first, length = np.nonzero(np.isfinite(price))
        found.append(Lines(np.full(first.size, number, np.int64), begin[first], wanted[length],
                           gain[first, length], price[first, length]))
    return Lines(*(np.concatenate(column) for column in zip(*found, strict=True)))


_STEP_INDEX = np.full((2 * REACH + 1, 2 * REACH + 1), -1, np.int64)
_STEP_INDEX[STENCIL.steps[:, 0] + REACH, STENCIL.steps[:, 1] + REACH] = np.arange(
    len(STENCIL.steps))


BURNED_PER_DIRECTION = 2
"""Lines of each length and direction that are burned in a round, on maps that are not too large."""
MAX_CELLS_BURNED = 300_000
"""Lines burned in a round times cells of the map, at most; but MIN_BURNED lines are burned."""
MIN_BURNED = 12


def place_line_greedy(task: Task) -> Placement:
    """The lines that save most per cost on the plan fires, one after another.

    Source: line breaks as candidates, Wei (2008) and Yemshanov et al. (2021); the marginal gain
    per cost as in budgeted greedy selection, Khuller, Moss & Naor (1999).
    """
    problem = task.problem
    n_plan_fires = problem.plan_fires.source.size
    slots = loaded(problem)
    given = None if task.lines is None else RatedRuns(problem, slots, task.lines)
    routes = task.lines is not None and task.lines.routes
    own = None if task.lines is not None and task.lines.only else OwnLines(problem)
    cells: list[int] = []
    burned = n_plan_fires
    while slots.available[0].any():
        tried = [*([] if own is None else own.trials(slots)),
                 *([] if given is None else given.trials())]
        if not tried:  # no line that is given saves anything
            break
        burned += sum(trial.burned for trial in tried)
        order = sorted(range(len(tried)), key=lambda k: (-tried[k].saved_per_cost, k))
        best_first = line_list([tried[k].cells for k in order if tried[k].cells.size])
        chosen = spaced_lines([best_first], 1 if routes else task.batch, slots.sizes.shape)
        if not chosen:  # nothing is left of the lines that are given
            break
        for line in chosen:
            cells += place_available(slots, line.tolist())
        burned += slots.update(SLOT_0)
        task.report(spent_share(slots, problem))
    left = [one.untried for one in (own, given) if one is not None and one.untried is not None]
    return Placement(np.array(cells, np.int64), burned / n_plan_fires
                     + (0.0 if own is None else own.simulations),
                     {UNTRIED: max(left)} if left else None)


class OwnLines:
    """Straight lines of cells of some lengths, those tried of which most value comes through."""

    @property
    def untried(self) -> float | None:
        """See `TrialBound`."""
        return self._bound.untried

    def __init__(self, problem: Problem, lengths: Sequence[int] = LENGTHS) -> None:
        scene = problem.scene
        self._problem, self._bound = problem, TrialBound()
        self._value, self.simulations = conditional_value(scene, problem.plan_fires)
        self._sums = TreeSums(scene.field.shape)
        self.lengths = [n for n in lengths if n <= max(scene.field.shape)]
        self._directions = [line_steps(direction, self.lengths[-1], scene.field.breaks.leak)
                            for direction in COMPASS]

    def trials(self, slots: ProblemBatch) -> list[Trial]:
        """The best lines of each length under the breaks so far, burned; beyond the bound of trials
        the one that leads is, and the others save as much less as they are rated lower.
        """
        cells, rate = self.listed(slots)
        if not cells or not self._bound.ended(slots):
            tried = try_lines(self._problem, slots, cells)
            self._bound.count(slots, tried)
            return tried
        lead, *rest = np.argsort(-rate, kind="stable").tolist()
        found, free = try_lines(self._problem, slots, [cells[lead]]), slots.available[0].ravel()
        saved = max(found[0].saved_per_cost, 0.0) / max(float(rate[lead]), 1e-300)
        return found + [Trial(cells[k][free[cells[k]]], saved * float(rate[k]), 0) for k in rest]

    def listed(self, slots: ProblemBatch) -> tuple[list[NDArray[np.int64]], Floats]:
        """The flat cells of the best lines of each length under the breaks so far, and the value
        that comes through each per cost.
        """
        lines = self.rated(slots)
        listed = _shortlist(lines, self.lengths, self._problem.scene.landscape.fuel_model.size)
        rate = (lines.gain / lines.price)[listed]
        return [self.cells_of(lines, k) for k in listed.tolist()], rate

    def rated(self, slots: ProblemBatch) -> Lines:
        """All lines, with the value that comes through them under the breaks so far."""
        some = slots.trees_through_free(0)
        flow = self._sums.flow(some.code, pad(self._value), some.times)
        return rated_lines(self._problem.scene.landscape, ground_of(slots), flow, self._directions,
                           self.lengths)

    def cells_of(self, lines: Lines, number: int) -> NDArray[np.int64]:
        """The flat cells of a line."""
        return lines.cells(number, self._directions, self._problem.scene.landscape.shape[1])


def _shortlist(lines: Lines, lengths: Sequence[int], cells: int) -> NDArray[np.int64]:
    """Numbers of the lines to burn: of each length and direction those with the most gain per
    price, and of these as many of each length as are affordable on a map of so many cells.
    """
    rate = lines.gain / lines.price
    best_first = np.argsort(-rate, kind="stable")
    per_length = max(1, max(MIN_BURNED, MAX_CELLS_BURNED // cells) // len(lengths))
    chosen = []
    for length in lengths:
        own = best_first[lines.length[best_first] == length]
        directions = lines.direction[own]
        leading = [own[directions == k][:BURNED_PER_DIRECTION] for k in range(len(COMPASS))]
        listed = np.concatenate(leading)
        chosen.append(listed[np.argsort(-rate[listed], kind="stable")[:per_length]])
    return np.concatenate(chosen)
