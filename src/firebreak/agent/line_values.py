"""Values of line actions: read off the middle of a line, plus the mean over its cells."""

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from firebreak.agent.kernels import add_along
from firebreak.line_actions import LINE_LENGTHS, SHAPES, shape_cells


def values_at(q: Tensor, along: Tensor | None, base: Tensor | None, action: Tensor) -> Tensor:
    """Values of the actions i64 [M, L] alone, read off the maps of all: [M, L].

    q: values of shapes in their middle cell [M, S, H, W]; along: what each cell adds to a line that
    it is part of, or None for cells; base: of the map as a whole [M, S], or None.
    """
    rows, cols = q.shape[-2:]
    number, middle = action // (rows * cols), action % (rows * cols)
    which = torch.arange(action.shape[0], device=action.device)[:, None]
    values = q.flatten(2)[which, number, middle]
    if base is not None:
        values = values + base[which, number]
    if along is None:
        return values
    cell, here, length = _cells_of(action, (rows, cols))
    added = along.flatten(2)[which[..., None], number[..., None], cell]
    return values + (added * here).sum(2) / length


class SeenOfLines(NamedTuple):
    """What a network finds along L lines of each of M maps. shape: i64 [M, L]; middle, mean: its
    features in the middle cell and their mean over the cells, [M, L, F], where those beyond the map
    count as 0; share: of the cells that lie in the map, [M, L].
    """

    shape: Tensor
    middle: Tensor
    mean: Tensor
    share: Tensor

    def values(self, head: nn.Conv2d, along: nn.Conv2d) -> Tensor:
        """What two heads, 1x1 convolutions of one map per shape, say of the lines: [M, L]. The
        same as the values in the maps that they would make, of which few would be looked at.
        """
        return (self._of(head, self.middle) + _bias(head)[self.shape]
                + self._of(along, self.mean) + self.share * _bias(along)[self.shape])

    def _of(self, head: nn.Conv2d, features: Tensor) -> Tensor:
        return (features * functional.embedding(self.shape, head.weight.flatten(1))).sum(-1)


def seen_of_lines(fine: Tensor, action: Tensor) -> SeenOfLines:
    """Of features [M, F, H, W] those of the line actions i64 [M, L]."""
    maps, _, rows, cols = fine.shape
    features = fine.permute(0, 2, 3, 1).flatten(0, 2)
    cell, here, length = _cells_of(action, (rows, cols))
    first = torch.arange(maps, device=action.device)[:, None] * (rows * cols)
    middle = functional.embedding(action % (rows * cols) + first, features)
    inside = here.sum(-1)
    begins = inside.flatten().cumsum(0) - inside.flatten()
    total = functional.embedding_bag((cell + first[..., None])[here], features, begins, mode="sum")
    return SeenOfLines(action // (rows * cols), middle,
                       total.unflatten(0, action.shape) / length[..., None], inside / length)


def _bias(head: nn.Conv2d) -> Tensor:
    if head.bias is None:
        raise ValueError("a head without a bias")
    return head.bias


def _cells_of(action: Tensor, shape: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Of line actions i64 [M, L] on maps [H, W]: their cells i64 [M, L, longest], flat; bool, which
    of them there are and lie in the map; and how many there are, i64 [M, L].
    """
    rows, cols = shape
    number, middle = action // (rows * cols), action % (rows * cols)
    steps, inside = (table.to(action.device) for table in _steps())
    row = (middle // cols)[..., None] + steps[number, :, 0]
    col = (middle % cols)[..., None] + steps[number, :, 1]
    here = (inside[number] & (row >= 0) & (row < rows) & (col >= 0) & (col < cols))
    return (row.clamp(0, rows - 1) * cols + col.clamp(0, cols - 1), here,
            inside[number].sum(-1))


def mean_along(maps: Tensor) -> Tensor:
    """Mean of each shape's map over the cells of its lines, in their middle cells:
    [M, SHAPES, H, W]. Cells beyond the map count as 0.
    """
    if maps.requires_grad or maps.device.type != "cpu":
        return _mean_along_with_gradients(maps)
    # The same sums in the same order, without six hundred small tensors on the way.
    wide = maps.contiguous().numpy()
    cells, first = _all_cells()
    total = np.zeros_like(wide)
    add_along(wide, cells, first, total)
    count = np.diff(first).astype(np.float32)
    return torch.from_numpy(total / count[:, None, None])


def _mean_along_with_gradients(maps: Tensor) -> Tensor:
    """`mean_along` where gradients are asked for, or on an accelerator."""
    rows, cols = maps.shape[-2:]
    reach = LINE_LENGTHS[-1]
    wide = functional.pad(maps, (reach, reach, reach, reach))
    parts = []
    for number in range(SHAPES):
        own, cells = wide[:, number], shape_cells(number).tolist()
        total = torch.zeros_like(maps[:, number])
        for row, col in cells:
            total = total + own[..., reach + row:reach + row + rows, reach + col:reach + col + cols]
        parts.append(total / len(cells))
    return torch.stack(parts, dim=1)


@cache
def _all_cells() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells of all shapes: i64 [N, 2] from the middle, and i64 [SHAPES + 1], where each begins."""
    cells = [shape_cells(number) for number in range(SHAPES)]
    return np.concatenate(cells), np.cumsum([0, *map(len, cells)])


@cache
def _steps() -> tuple[Tensor, Tensor]:
    """Cells of all shapes: i64 [SHAPES, longest, 2] from the middle, and which of them there are.
    """
    steps = torch.zeros((SHAPES, LINE_LENGTHS[-1], 2), dtype=torch.int64)
    inside = torch.zeros((SHAPES, LINE_LENGTHS[-1]), dtype=torch.bool)
    for number in range(SHAPES):
        cells = torch.from_numpy(shape_cells(number))
        steps[number, :len(cells)], inside[number, :len(cells)] = cells, True
    return steps, inside
