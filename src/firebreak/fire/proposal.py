"""Draws of fires where fires matter (importance sampling): most of a map's fires meet nothing of
value and tell a plan nothing.

A proposal says how much likelier than in truth a start in a block of cells and a group of weathers
is drawn. One fire in five is drawn from the truth all the same, so that no fire counts for more
than HEAVIEST fires. Weights are the ratio of the truth to what is drawn from, so sums over fires
keep their expectation.

Source: Owen & Zhou (2000), Safe and effective importance sampling, doi:10.2307/2669533 (defensive
mixtures).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fires import HEAVIEST, WHOLE, Fires

TRUE_SHARE = 1.0 / HEAVIEST
"""Share of the fires that is drawn from the truth."""
MOST_BLOCKS = 64
"""Blocks along the longer side of a map."""

Floats = NDArray[np.float64]


class Blocks(NamedTuple):
    """Square blocks of cells on a map, and where fires start. chance: [H, W], relative chance of a
    start in each cell, 0 where none burns; side: cells; mass: f64 [I, J], of each block, sum 1.
    """

    chance: NDArray
    side: int
    mass: Floats

    def of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the block of each flat cell."""
        row, col = np.divmod(cells, self.chance.shape[1])
        return row // self.side * self.mass.shape[1] + col // self.side

    def cells_at(self, block: NDArray[np.int64], place: Floats) -> NDArray[np.int64]:
        """Flat cells at the places [0, 1) along the chances within blocks."""
        cols = self.chance.shape[1]
        found = np.empty(block.size, np.int64)
        for k, number in enumerate(block.tolist()):
            top, left = (self.side * part for part in divmod(number, self.mass.shape[1]))
            part = self.chance[top:top + self.side, left:left + self.side]
            row, col = divmod(int(along(part.ravel(), place[k:k + 1])[0]), part.shape[1])
            found[k] = (top + row) * cols + left + col
        return found


def blocks_of(burnable: NDArray[np.bool_], ignition_weight: NDArray[np.float32] | None) -> Blocks:
    """The blocks of a map [H, W], on some burnable cell of which fires start."""
    chance = burnable if ignition_weight is None else np.where(burnable, ignition_weight, 0.0)
    side = -(-max(burnable.shape) // MOST_BLOCKS)
    mass = in_blocks(chance, side)
    return Blocks(chance, side, mass / mass.sum())


def in_blocks(grid: NDArray, side: int) -> Floats:
    """Sums [I, J] of a map [H, W] over square blocks of cells."""
    for axis, size in enumerate(grid.shape):
        grid = np.add.reduceat(grid, np.arange(0, size, side), axis=axis, dtype=np.float64)
    return grid


class Proposal(NamedTuple):
    """Fires that a scene draws where they matter.

    group: i64 [S], the group of each weather. tilt: f64 [G, I * J], how much likelier than in truth
    a start in each block is drawn in weathers of each group; 1 in the mean over the truth.
    """

    blocks: Blocks
    group: NDArray[np.int64]
    tilt: Floats

    def applied(self, fires: Fires, scenario_weight: Floats, draws: Sequence[Floats]) -> Fires:
        """Fires drawn from the truth, of which TRUE_SHARE stay and the others start elsewhere in
        other weather, with their weights.

        Args:
            draws: f64 [F] in [0, 1) each: whether a fire stays, its weather, its start, and the
                rounding of its weight, which is drawn so that its expectation has none.
        """
        stays, weather, place, rounding = draws
        moved = np.flatnonzero(stays >= TRUE_SHARE)
        source, scenario = fires.source.copy(), fires.scenario.copy()
        mass = self.blocks.mass.ravel()
        often = (self.tilt @ mass)[self.group]
        scenario[moved] = along(scenario_weight * often, weather[moved])
        for group in np.unique(self.group[scenario[moved]]).tolist():
            own = moved[self.group[scenario[moved]] == group]
            chance = mass * self.tilt[group]
            block = along(chance, place[own])
            ends = np.cumsum(chance)
            within = (place[own] * ends[-1] - (ends - chance)[block]) / chance[block]
            source[own] = self.blocks.cells_at(block, np.clip(within, 0.0, np.nextafter(1.0, 0.0)))
        tilt = self.tilt[self.group[scenario], self.blocks.of(source)]
        exact = WHOLE / (TRUE_SHARE + (1.0 - TRUE_SHARE) * tilt)
        return fires._replace(source=source, scenario=scenario,
                              weight=np.floor(exact + rounding).astype(np.int64))


def along(weight: NDArray, place: Floats) -> NDArray[np.int64]:
    """Numbers at the places [0, 1) along the sum of weights, none of whose weight is 0."""
    ends = np.cumsum(weight, dtype=np.float64)
    found = np.searchsorted(ends, place * ends[-1], side="right")
    return np.minimum(found, np.flatnonzero(weight)[-1]).astype(np.int64)
