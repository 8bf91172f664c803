"""Values of line actions: read off the middle of a line, plus the mean over its cells."""

from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from firebreak.agent.kernels import add_along
from firebreak.line_actions import LINE_LENGTHS, SHAPES, shape_cells


def line_values(fine: Tensor, action: Tensor, head: nn.Conv2d, along: nn.Conv2d) -> Tensor:
    """Values of the line actions i64 [M, L] alone, from features [M, F, H, W]: [M, L].

    head, along: 1x1 convolutions of one map per shape; the result is the same as the values in the
    maps that they would make, of which few would be looked at. Cells beyond the map count as 0.
    """
    maps, _, rows, cols = fine.shape
    features = fine.permute(0, 2, 3, 1).flatten(0, 2)
    cell, here, length = _cells_of(action, (rows, cols))
    first = torch.arange(maps, device=action.device)[:, None] * (rows * cols)
    middle = functional.embedding(action % (rows * cols) + first, features)
    inside = here.sum(-1)
    begins = inside.flatten().cumsum(0) - inside.flatten()
    total = functional.embedding_bag((cell + first[..., None])[here], features, begins, mode="sum")
    mean = total.unflatten(0, action.shape) / length[..., None]
    shape = action // (rows * cols)

    def read(convolution: nn.Conv2d, seen: Tensor) -> Tensor:
        return (seen * functional.embedding(shape, convolution.weight.flatten(1))).sum(-1)

    assert head.bias is not None, "both are made with one"
    assert along.bias is not None
    return (read(head, middle) + head.bias[shape] + read(along, mean)
            + inside / length * along.bias[shape])


def _cells_of(action: Tensor, shape: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Cells of line actions i64 [M, L] on maps [H, W]: flat, i64 [M, L, longest]; bool, which of
    them there are and lie in the map; and how many there are, i64 [M, L].
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
    return torch.from_numpy(total / np.diff(first).astype(np.float32)[:, None, None])


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
