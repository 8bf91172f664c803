"""The eight symmetries of the square as free data: a turned map with turned winds is as likely.

Maps turn as pictures do, north up. Directions turn with them: the channels "travel_east" and
"travel_north" hold 0.5 + 0.5 * component.
"""

import torch
from torch import Tensor

from firebreak.agent.experience import AheadBatch, Batch, GainBatch
from firebreak.layout import OBSERVATION
from firebreak.line_actions import turned_shapes

SYMMETRIES = 8


def as_floats(layers: Tensor) -> Tensor:
    """Bytes [M, C, H, W] as float32 from 0 to 1, with the channels of a cell side by side in
    memory, as the network takes them. Floats are given back as they are.
    """
    if layers.is_floating_point():
        return layers
    floats = torch.empty(layers.shape, memory_format=torch.channels_last)
    return floats.copy_(layers).div_(255.0)


def turn_map(grid: Tensor, k: int) -> Tensor:
    """[..., H, W] turned anticlockwise k % 4 quarter turns, then mirrored east-west if k >= 4."""
    turned = torch.rot90(grid, k % 4, dims=(-2, -1))
    return turned.flip(-1) if k >= 4 else turned


def turn_observation(observation: Tensor, k: int) -> Tensor:
    """[M, C, H, W], bytes or floats, with map and directions turned: float32."""
    east_at, north_at = OBSERVATION.channel("travel_east"), OBSERVATION.channel("travel_north")
    # Bytes turn for a quarter of what floats would take.
    turned = as_floats(turn_map(observation, k))
    if k == 0:
        return turned
    east, north = turned[:, east_at].clone(), turned[:, north_at].clone()
    for _ in range(k % 4):
        # A quarter turn anticlockwise: what ran north runs west, what ran east runs north.
        east, north = 1.0 - north, east
    turned[:, east_at] = 1.0 - east if k >= 4 else east
    turned[:, north_at] = north
    return turned


def turn_batch(batch: Batch, k: int) -> Batch:
    """A batch of square maps seen under symmetry k; actions and masks turn with the maps."""
    rows, cols = batch.observation.shape[-2:]
    old_cell, new_cell = _cells_of(rows, cols, k)
    return batch._replace(
        observation=turn_observation(batch.observation, k),
        next_observation=turn_observation(batch.next_observation, k),
        action=new_cell[batch.action],
        next_mask=batch.next_mask[:, old_cell])


def turn_gains(batch: GainBatch, k: int) -> GainBatch:
    """States of square maps with the gains of their actions, seen under symmetry k; lines that no
    longer lie inside the map have no gain.
    """
    action, gain = _turn_actions(batch.action, batch.gain, k, batch.observation.shape[-1])
    return GainBatch(turn_observation(batch.observation, k), gain, action)


def turn_ahead(batch: AheadBatch, k: int) -> AheadBatch:
    """States of square maps and those that follow, seen under symmetry k, as `turn_gains`."""
    side = batch.observation.shape[-1]
    action, gain = _turn_actions(batch.action, batch.gain, k, side)
    next_action, next_gain = _turn_actions(batch.next_action, batch.next_gain, k, side)
    return batch._replace(
        observation=turn_observation(batch.observation, k), action=action, gain=gain,
        next_observation=turn_observation(batch.next_observation, k),
        next_action=next_action, next_gain=next_gain)


def _turn_actions(action: Tensor, gain: Tensor, k: int, side: int) -> tuple[Tensor, Tensor]:
    """Actions and their gains [M, L] under symmetry k, NaN of those that leave the map."""
    if k == 0:
        return action, gain
    turned, inside = turn_line_actions(action, k, side)
    return turned, gain.masked_fill(~inside, torch.nan)


def turn_line_actions(action: Tensor, k: int, side: int) -> tuple[Tensor, Tensor]:
    """Line actions on maps of `side` x `side` cells, seen under symmetry k: their numbers then, of
    the same shape, and bool, whether they lie inside the map.

    A few become others that share most cells with them, see `firebreak.line_actions.turned_shapes`.
    """
    to, off = (torch.from_numpy(table[k]) for table in turned_shapes())
    shape, middle = action // side**2, _cells_of(side, side, k)[1][action % side**2]
    row = middle // side + off[shape, 0]
    col = middle % side + off[shape, 1]
    inside = (row >= 0) & (row < side) & (col >= 0) & (col < side)
    return to[shape] * side**2 + torch.where(inside, row * side + col, 0), inside


def _cells_of(rows: int, cols: int, k: int) -> tuple[Tensor, Tensor]:
    """The old cell of each new one of a map under symmetry k, and the new cell of each old one."""
    old_cell = turn_map(torch.arange(rows * cols).reshape(rows, cols), k).flatten()
    new_cell = torch.empty_like(old_cell)
    new_cell[old_cell] = torch.arange(rows * cols)
    return old_cell, new_cell
