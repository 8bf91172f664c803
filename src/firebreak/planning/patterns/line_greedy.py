"""Greedy over straight lines (method `segments`): each time, the line that saves most per cost.

A line that closes a gap is worth more than its cells one by one, which a greedy choice of cells
cannot see. All lines are rated by the value that fire carries through them; the best of each
length are then burned, and what they really save decides.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.actions import place_available
from firebreak.env.gains import gains_of_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.slots import SLOT_0, Slots
from firebreak.fire import (
    REACH,
    Crossing,
    burn_loss,
    burned_near,
    closing_table,
    crossing_of,
    depends_on,
    pad,
    padded_cells,
    padded_width,
)
from firebreak.line_actions import COMPASS, line_steps
from firebreak.planning.core.rounds import Placement, Task, loaded, spaced_lines, spent_share
from firebreak.planning.patterns.candidates import LENGTHS, Lines, flow_of, ground_of, rated_lines
from firebreak.planning.ranking.trees import conditional_value, tree_scratch


@cache
def _crossing(width: int) -> Crossing:
    return crossing_of(closing_table(width))


BURNED_PER_DIRECTION = 2
"""Lines of each length and direction that are burned in a round, on maps that are not too large."""
MAX_CELLS_BURNED = 300_000
"""Lines burned in a round times cells of the map, at most; but MIN_BURNED lines are burned."""
MIN_BURNED = 12


class Trial(NamedTuple):
    """A line that was burned. cells: i64 [n], flat; saved: mean loss saved over its cost;
    burned: fires burned for it.
    """

    cells: NDArray[np.int64]
    saved_per_cost: float
    burned: int


def place_line_greedy(task: Task) -> Placement:
    """The lines that save most per cost on the plan fires, one after another.

    Source: line breaks as candidates, Wei (2008) and Yemshanov et al. (2021); the marginal gain
    per cost as in budgeted greedy selection, Khuller, Moss & Naor (1999).
    """
    problem = task.problem
    scene, n_plan_fires = problem.scene, problem.plan_fires.source.size
    value, simulations = conditional_value(scene, problem.plan_fires)
    work = tree_scratch(scene.field.shape)
    slots = loaded(problem)
    lengths = [n for n in LENGTHS if n <= max(scene.field.shape)]
    directions = [line_steps(direction, lengths[-1], scene.field.breaks.leak)
                  for direction in COMPASS]
    cells: list[int] = []
    burned = n_plan_fires
    while slots.available[0].any():
        flow = flow_of(slots.plan_trees(0).code, pad(value), work)
        lines = rated_lines(scene.landscape, ground_of(slots), flow, directions, lengths)
        listed = _shortlist(lines, lengths, scene.landscape.fuel_model.size)
        tried = try_lines(problem, slots, [lines.cells(k, directions, scene.field.shape[1])
                                           for k in listed.tolist()])
        burned += sum(trial.burned for trial in tried)
        order = sorted(range(len(tried)), key=lambda k: (-tried[k].saved_per_cost, k))
        for line in spaced_lines([tried[k].cells for k in order], task.batch, scene.field.shape):
            cells += place_available(slots, 0, line.tolist())
        burned += slots.update(SLOT_0)
        task.report(spent_share(slots, problem))
    return Placement(np.array(cells, np.int64), burned / n_plan_fires + simulations)


def _shortlist(lines: Lines, lengths: Sequence[int], cells: int) -> NDArray[np.int64]:
    """Which lines to burn: of each length and direction those with the most gain per price, and of
    these as many of each length as are affordable on a map of so many cells.
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


def try_lines(problem: Problem, slots: Slots, lines: Sequence[NDArray[np.int64]]) -> list[Trial]:
    """What the available ones of each line's flat cells, alone, save of slot 0's plan fires, which
    are the problem's.
    """
    if not trial_in_place(slots, 0):
        return [try_line(problem, slots, line) for line in lines]
    available, cost = slots.available[0].ravel(), problem.scene.landscape.cost.ravel()
    new = [line[available[line]] for line in lines]
    saved, burned = gains_of_lines(slots, 0, new)
    return [Trial(cells, float(saved[k]) / float(cost[cells].astype(np.float64).sum()),
                  int(burned[k])) if cells.size else Trial(cells, 0.0, 0)
            for k, cells in enumerate(new)]


def try_line(problem: Problem, slots: Slots, cells: NDArray[np.int64]) -> Trial:
    """What the available ones of flat `cells` save of slot 0's plan fires, which are the problem's:
    those that they may change are burned.
    """
    scene, trees = problem.scene, slots.plan_trees(0)
    new = cells[slots.available[0].ravel()[cells]]
    which = np.flatnonzero(changed_by(slots, problem, new))
    cost = float(scene.landscape.cost.ravel()[new].astype(np.float64).sum())
    if which.size == 0:
        return Trial(new, 0.0, 0)
    breaks = slots.breaks[0].copy()
    breaks.ravel()[new] = True
    loss = burn_loss(scene.field, problem.plan_fires.part(which), scene.value_by_class, breaks)
    saved = float((trees.loss[which] - loss).sum()) / trees.loss.size
    return Trial(new, saved / cost, which.size)


def changed_by(slots: Slots, problem: Problem, cells: NDArray[np.int64]) -> NDArray[np.uint8]:
    """1 for each plan fire [K] that may burn otherwise once flat `cells` are breaks."""
    trees, rules = slots.plan_trees(0), problem.scene.field.breaks
    width = padded_width(problem.scene.field.shape[1])
    crossing = _crossing(width)
    out = np.zeros(trees.source.size, np.uint8)
    for place in padded_cells(cells, problem.scene.field.shape[1]).tolist():
        if rules.acts_nearby:
            burned_near(place, 2 * REACH, width, trees.code, out)
            continue
        depends_on(place, trees.source, trees.code, crossing, out)
        if rules.lost > 0.0:
            out |= trees.source == place
    return out
