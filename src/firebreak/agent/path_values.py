"""Paths, lines of cells that need not be straight, as a network values them: by the shapes of line
actions that come next to one in length and in the direction from end to end. A path that is a line
action is of its shape alone, or of one with the same ends.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from firebreak.line_actions import COMPASS, LINE_LENGTHS, SHAPES, shape_cells

_LOG_LENGTHS = np.log((1, *LINE_LENGTHS))


class Paths(NamedTuple):
    """N paths on a map.

    cells: i64 [cells of all], flat, of one path after another; first: i64 [N], where each begins.
    middle: i64 [N], flat cell in the middle of each.
    like: f32 [N, SHAPES], how much of each shape a path is; sums are 1.
    """

    cells: Tensor
    first: Tensor
    middle: Tensor
    like: Tensor


def paths_of(lines: Sequence[NDArray[np.int64]], cols: int, joined: bool = False) -> Paths:
    """Lines, each of flat cells in order, on a map of `cols` columns. The direction of one that
    ends where it began, or beside it, is any.

    joined: line actions there are joined by edges, see `line_actions.line_steps`.
    """
    size = np.array([line.size for line in lines], np.int64)
    ends = np.array([(line[0], line[-1]) for line in lines], np.int64).reshape(-1, 2)
    chord = np.stack([ends[:, 1] // cols - ends[:, 0] // cols,
                      ends[:, 1] % cols - ends[:, 0] % cols], axis=1)
    backward = (chord[:, 0] < 0) | ((chord[:, 0] == 0) & (chord[:, 1] < 0))
    middle = np.array([line[line.size // 2 if ahead else line.size - 1 - line.size // 2]
                       for line, ahead in zip(lines, ~backward, strict=True)], np.int64)
    chord[backward] *= -1
    cells = np.concatenate([np.empty(0, np.int64), *lines])
    return Paths(*(torch.from_numpy(own) for own in (
        cells, np.cumsum(size) - size, middle, _like(size, chord, joined))))


def path_values(features: Tensor, paths: Paths, head: nn.Conv2d, along: nn.Conv2d) -> Tensor:
    """Values [N] of paths from features [F, H, W], as `line_values.line_values` reads those of line
    actions: off the middle, and from the mean along the cells.

    head, along: 1x1 convolutions of one map per shape.
    """
    of_cells = features.flatten(1).T.contiguous()
    mean = functional.embedding_bag(paths.cells, of_cells, paths.first, mode="mean")
    read = (functional.linear(of_cells[paths.middle], head.weight.flatten(1), head.bias)
            + functional.linear(mean, along.weight.flatten(1), along.bias))
    return (read * paths.like).sum(-1)


def _like(size: NDArray[np.int64], chord: NDArray[np.int64],
          joined: bool) -> NDArray[np.float32]:
    """Shares of the shapes, f32 [N, SHAPES], of paths of `size` cells from end to end along
    `chord`, i64 [N, 2], turned to the half of the compass in which the shapes are.
    """
    like = np.zeros((size.size, SHAPES), np.float32)
    path, angle = np.arange(size.size), np.arctan2(chord[:, 0], chord[:, 1])
    length, longer = _place(np.log(np.maximum(size, 1)), np.tile(_LOG_LENGTHS, (size.size, 1)))
    for step, share in ((length, 1.0 - longer), (length + 1, longer)):
        knots = _angles(joined)[step]
        place, further = _place(angle, knots)
        for direction, part in ((place, 1.0 - further), (place + 1, further)):
            number = np.where(step == 0, 0, 1 + direction % len(COMPASS) * len(LINE_LENGTHS)
                              + step - 1)
            np.add.at(like, (path, number), share * part)
    # No longer line action ends beside its first cell.
    closed = (np.abs(chord) <= 1).all(axis=1) & (size > LINE_LENGTHS[1])
    of_lengths = like[closed, 1:].reshape(-1, len(COMPASS), len(LINE_LENGTHS))
    like[closed, 1:] = np.tile(of_lengths.sum(1) / len(COMPASS), (1, len(COMPASS)))
    return like


def _place(value: NDArray[np.float64],
           knots: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The knot, of rising ones [N, K], before each value [N], the last but one at most; and how far
    the value is from there to the next, 0 to 1.
    """
    before = np.clip((knots <= value[:, None]).sum(1) - 1, 0, knots.shape[1] - 2)
    low, high = (np.take_along_axis(knots, place[:, None], 1)[:, 0]
                 for place in (before, before + 1))
    return before, np.clip((value - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)


@cache
def _angles(joined: bool) -> NDArray[np.float64]:
    """Angles from end to end of the lines of each length and direction, which steps between the
    axes and the diagonals bend, and of the first direction the other way: [lengths, 9], rising.
    """
    found = np.empty((1 + len(LINE_LENGTHS), 1 + len(COMPASS)))
    for step in range(len(found)):
        for direction in range(len(COMPASS)):
            cells = shape_cells(1 + direction * len(LINE_LENGTHS) + max(step - 1, 0), joined)
            found[step, direction] = np.arctan2(*(cells[-1] - cells[0]))
    found[:, -1] = np.pi
    return found
