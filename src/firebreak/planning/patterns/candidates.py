"""Straight lines of cells as candidates for breaks, rated by the value that fire carries over."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.actions import line_state
from firebreak.env.kernels import STOPS
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import REACH, STENCIL, pad, padded_cells, padded_width
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.kernels import flows, score_lines
from firebreak.planning.core.rounds import spendable
from firebreak.planning.ranking import Floats, TreeScratch

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


class Flow(NamedTuple):
    """Value that fire carries through cells, see `core.kernels.flows`: through f64 [P], along f64
    [32, P].
    """

    through: Floats
    along: Floats


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


def flow_of(code: NDArray[np.uint8], value: Floats, work: TreeScratch) -> Flow:
    """The value [P] that fires of the codes [F, P] carry through cells."""
    flow = Flow(np.zeros(value.size), np.zeros((work.offset.size, value.size)))
    flows(code, value, work.offset, work.ints, work.seen, work.reals[0], *flow)
    return flow


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


def _step_index() -> NDArray[np.int64]:
    index = np.full((2 * REACH + 1, 2 * REACH + 1), -1, np.int64)
    index[STENCIL.steps[:, 0] + REACH, STENCIL.steps[:, 1] + REACH] = np.arange(len(STENCIL.steps))
    return index


_STEP_INDEX = _step_index()
