"""Kept fires out of their places: of each no more than the box of what it came to.

A place in a `FireStore` holds every cell of the map. Fires that wait in boxes let a few places
serve many fires, where the map is much larger than a fire.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.incremental.structs import KeptFires
from firebreak.fire.solver.structs import FireTable
from firebreak.fire.travel.stencil import REACH, UNBURNED

PaddedBox = tuple[int, int, int, int]
"""Top, left, bottom, right of padded cells: half-open."""


class AsideFire(NamedTuple):
    """A fire out of its place: its row of the table; the box that it came to, and there its time,
    weight and code; kept, lost, loss: see `KeptFires`.
    """

    table: tuple[NDArray, ...]
    box: PaddedBox
    time: NDArray[np.float32]
    weight: NDArray[np.float32]
    code: NDArray[np.uint8]
    kept: np.bool_
    lost: np.int64
    loss: np.float64


def taken_out(fire: int, box: PaddedBox, table: FireTable, store: KeptFires,
              width: int) -> AsideFire:
    """A fire of a store, whose place is bare then. box: of all that it came to."""
    time, weight, code = _parts(fire, box, store, width)
    made = AsideFire(tuple(np.copy(column[fire]) for column in table), box, time.copy(),
                     weight.copy(), code.copy(), store.kept[fire], store.lost[fire],
                     store.loss[fire])
    time[:], code[:] = np.inf, UNBURNED
    return made


def put_in(fire: int, aside: AsideFire, table: FireTable, store: KeptFires, width: int) -> None:
    """Puts a fire into a bare place of a store."""
    time, weight, code = _parts(fire, aside.box, store, width)
    time[:], weight[:], code[:] = aside.time, aside.weight, aside.code
    for column, value in zip(table, aside.table, strict=True):
        column[fire] = value
    store.kept[fire], store.lost[fire], store.loss[fire] = aside.kept, aside.lost, aside.loss


def _parts(fire: int, box: PaddedBox, store: KeptFires, width: int,
           ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8]]:
    """Time, weight and code of a fire in a box: views."""
    rows, cols = slice(box[0], box[2]), slice(box[1], box[3])
    time, weight, code = (part[fire].reshape(-1, width)[rows, cols]
                          for part in (store.time, store.weight, store.code))
    return time, weight, code


def extent(code: NDArray[np.uint8], known: PaddedBox | None) -> PaddedBox:
    """The smallest box of what a fire came to, a cell at least.

    Args:
        code: of each padded cell [rows, width].
        known: a box that held it before breaks changed, of a fire without embers: where it left
            that box it came to a cell within REACH of it.
    """
    if known is not None:
        top, left, bottom, right = known
        first = max(top - REACH, 0), max(left - REACH, 0)
        box = _box_of(code[first[0]:bottom + REACH, first[1]:right + REACH], first)
        if box[0] >= top and box[1] >= left and box[2] <= bottom and box[3] <= right:
            return box
    return _box_of(code, (0, 0))


def _box_of(code: NDArray[np.uint8], first: tuple[int, int]) -> PaddedBox:
    """first: where this part of the map begins."""
    came = code != UNBURNED
    rows, cols = np.flatnonzero(came.any(axis=1)), np.flatnonzero(came.any(axis=0))
    return (int(rows[0]) + first[0], int(cols[0]) + first[1], int(rows[-1]) + 1 + first[0],
            int(cols[-1]) + 1 + first[1])
