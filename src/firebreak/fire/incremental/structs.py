"""Structs of kernels that burn fires again: kept fires, changes of breaks, what-ifs."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.stencil import FACET_CODE
from firebreak.native_library import WRITTEN

INVALIDATED = 3  # status of a cell to be repaired, or reached for the first time; a cell that
# stands as before is UNSEEN, whether it burned or not
NOT_TRIED = np.iinfo(np.int64).min
"""In place of what a break saves that a fire does not depend on."""


class KeptFires(NamedTuple):
    """F fires that keep burning, in V slots; the first K fires of the table are plan fires.

    time, weight, code: how fire came to each cell, inf and UNBURNED where it did not. kept: this
        holds and can be burned on; else the fire burns anew.
    lost, loss: the loss as a whole number, and as it is, as often as the fire counts.
    order, size: cells burned, parents first. below: downstream value times the slot's scale.
    burned, downstream: changes of the slots' sums by thread.
    """

    time: Annotated[NDArray[np.float32], "F P", WRITTEN]
    weight: Annotated[NDArray[np.float32], "F P", WRITTEN]
    code: Annotated[NDArray[np.uint8], "F P", WRITTEN]
    kept: Annotated[NDArray[np.bool_], "F", WRITTEN]
    lost: Annotated[NDArray[np.int64], "F", WRITTEN]
    loss: Annotated[NDArray[np.float64], "F", WRITTEN]
    order: Annotated[NDArray[np.int32], "K P or none", WRITTEN]
    size: Annotated[NDArray[np.int32], "K or none", WRITTEN]
    below: Annotated[NDArray[np.int32], "K P or none", WRITTEN]
    burned: Annotated[NDArray[np.int32], "T V P or none", WRITTEN]
    downstream: Annotated[NDArray[np.int64], "T V P or none", WRITTEN]


class ValueUnits(NamedTuple):
    """Values lost to fire in V slots as whole numbers, in C classes of intensity, which a fire
    loses as often as it counts, with `unit` of them in a loss of 1; share: coarser, for downstream
    value.
    """

    value_by_class: Annotated[NDArray[np.int64], "V C P"]
    unit: Annotated[NDArray[np.float64], "V"]
    share: Annotated[NDArray[np.int32], "V C P"]


class ChangedCells(NamedTuple):
    """Cells in which breaks came or went since fires last burned: padded cells of each slot, and
    how many; revalued: burning costs something else in some of them.
    """

    cells: Annotated[NDArray[np.int64], "V M", WRITTEN]
    how_many: Annotated[NDArray[np.int64], "V", WRITTEN]
    revalued: Annotated[NDArray[np.bool_], "V", WRITTEN]


class Crossing(NamedTuple):
    """Arcs that a break closes: child, offsets from the break of the cells that they lead into;
    steps, facets: the arcs into each as bits.
    """

    child: Annotated[NDArray[np.int64], "D"]
    steps: Annotated[NDArray[np.uint32], "D"]
    facets: Annotated[NDArray[np.uint64], "D"]


class Changes(NamedTuple):
    """Cells that solving a fire again has changed, by thread, and what they were. more: what cells
    that stand hand down more, 0 between fires.
    """

    cell: Annotated[NDArray[np.int32], "T P", WRITTEN]
    time: Annotated[NDArray[np.float32], "T P", WRITTEN]
    weight: Annotated[NDArray[np.float32], "T P", WRITTEN]
    code: Annotated[NDArray[np.uint8], "T P", WRITTEN]
    how_many: Annotated[NDArray[np.int64], "T 1", WRITTEN]
    more: Annotated[NDArray[np.int32], "T P", WRITTEN]


class Candidates(NamedTuple):
    """Breaks to try in one slot. kind: what they become, see `arcs`. left: what burning costs in a
    break that is narrower than its cell, or none.
    """

    slot: int
    kind: int
    left: Annotated[NDArray[np.int64], "C P or none"]


def crossing_of(pairs: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Crossing:
    """The arcs that a break closes from pairs (offset of the child, code),
    `break_overlay.closing_table`.
    """
    child, number = np.unique(pairs[0], return_inverse=True)
    steps, facets = np.zeros(child.size, np.uint32), np.zeros(child.size, np.uint64)
    for k, code in zip(number.tolist(), pairs[1].tolist(), strict=True):
        if code < FACET_CODE:
            steps[k] |= np.uint32(1 << code)
        else:
            facets[k] |= np.uint64(1 << (code - FACET_CODE))
    return Crossing(child, steps, facets)


def in_units(value: NDArray[np.float32], unit: float) -> NDArray[np.int64]:
    """Losses as whole numbers, `unit` of them in a loss of 1."""
    return np.rint(value.astype(np.float64) * unit).astype(np.int64)
