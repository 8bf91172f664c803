"""What the compiled engine takes and gives: fires, breaks, rules, results, scratch memory."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.stencil import FACET_CODE

# Of a cell: not final; final; burned and sends nothing; a break that crews hold.
UNSEEN, FINAL, BURNED_NO_SPREAD, STOPPED = range(4)


class Rules(NamedTuple):
    """What breaks do.

    leak: fire passes between two breaks that touch at a corner.
    breach: f32 [S, P], probability that a break in the cell is breached, or no rows: breaks are
        never breached; below 0 in the first cell of a row, which is padding: nor are they there.
    rows_a_breach: rows of the travel field for each row of breach.
    class_limits: f64 [C - 1], intensities between the classes of the value tables, kW/m; none where
        losses do not depend on intensity.
    ready: f32 [V, P], minutes from ignition until crews can be in a cell of each overlay, or no
        rows: nobody holds breaks; inf in the first cell of a row: nor does anybody there. crew:
        f64 [7], a `CrewRule`.
    steps: i64 [V], weather steps of a stream under each overlay, or none: as the field has.
    """

    leak: bool
    breach: NDArray[np.float32]
    rows_a_breach: int
    class_limits: NDArray[np.float64]
    ready: NDArray[np.float32]
    crew: NDArray[np.float64]
    steps: NDArray[np.int64]


class FireTable(NamedTuple):
    """F fires: row i64 [F] of the travel field (the first of the stream), overlay i64 [F], padded
    ignition cell i64 [F], duration f64 [F] in minutes, key u64 [F] of the fire's random numbers.
    """

    row: NDArray[np.int64]
    overlay: NDArray[np.int64]
    source: NDArray[np.int64]
    duration: NDArray[np.float64]
    key: NDArray[np.uint64]


class Overlays(NamedTuple):
    """V break overlays: state u8 [V, P] (codes of `arc_kernel`), value f32 [V, C, P], what burning
    costs in each of C classes of intensity; C is 1 where intensity does not matter.
    """

    state: NDArray[np.uint8]
    value: NDArray[np.float32]


class Results(NamedTuple):
    """Where results go: loss f64 [F]; arrival f64, code u8, downstream, classes u8 [<= F, P], which
    have rows for the first fires only, or none.
    """

    arrival: NDArray[np.float64]
    code: NDArray[np.uint8]
    downstream: NDArray
    classes: NDArray[np.uint8]
    loss: NDArray[np.float64]


BUCKETS = 512  # of a bucket queue, a power of 2
PER_BUCKET = 72  # entries; with a power of 2, buckets would crowd into few lines of the cache
BATCH = 8  # cells that send fire in one go
TRIED = 16 + 24 + 96 + 8  # arcs that a cell completes, but for unit steps; and a vector more
LINE = 64  # threads that write closer than so many bytes wait for each other


class Workspace(NamedTuple):
    """Scratch memory, one row per thread: time f32, code u8, weight f32, status u8, below f64,
    classes u8, thrower i32 (of the ember that lit a cell), stack i32, [T, P] each, order i32
    [T, 2 P] and queue u64 [T, Q]. Without the first axis it is one thread's part.

    The queue of `bucket_queue_kernel`: entry u64 [T, BUCKETS * PER_BUCKET], one bucket's after the
    other's; counts i32 [T, BUCKETS], how many a bucket has; occupied u64 [T, BUCKETS / 64], bits of
    the buckets that have any; current u64, the open bucket's entries; found u64, arcs found by up
    to BATCH cells.

    Arcs that a batch of the front sends: tried u64, late f32, share f32, see `front_batch_kernel`;
    ends u64 [T, BATCH, 2], how many after each cell.

    near_weight f32 [T, LINE]: weights of the unit facets into a cell.

    stopped i64 [T, LINE]: in the first place, how many breaks crews hold in the fire; they stand at
    the end of `order`, the first one last.

    Between fires every time is inf, every code UNBURNED, every status 0 and no bucket has entries:
    each fire cleans up the cells it burned, so that its cost does not depend on the size of the
    map.
    """

    time: NDArray[np.float32]
    code: NDArray[np.uint8]
    weight: NDArray[np.float32]
    status: NDArray[np.uint8]
    order: NDArray[np.int32]
    below: NDArray[np.float64]
    classes: NDArray[np.uint8]
    thrower: NDArray[np.int32]
    stack: NDArray[np.int32]
    queue: NDArray[np.uint64]
    entry: NDArray[np.uint64]
    counts: NDArray[np.int32]
    occupied: NDArray[np.uint64]
    current: NDArray[np.uint64]
    found: NDArray[np.uint64]
    tried: NDArray[np.uint64]
    late: NDArray[np.float32]
    share: NDArray[np.float32]
    ends: NDArray[np.uint64]
    near_weight: NDArray[np.float32]
    stopped: NDArray[np.int64]


class KeptFires(NamedTuple):
    """Fires that keep burning. N slots, the first K fires of the table are plan fires.

    time f32, weight f32, code u8 [F, P]: how fire came to each cell, inf and UNBURNED where it did
        not. kept: bool [F], this holds and can be burned on; else the fire burns anew.
    lost i64, loss f64 [F]: the loss as a whole number, and as it is.
    order i32 [K, P], size i32 [K]: cells burned, parents first. below i32 [K, P], downstream value
        times the slot's scale.
    burned i32, downstream i64 [T, N, P]: changes of the slots' sums by thread.
    """

    time: NDArray[np.float32]
    weight: NDArray[np.float32]
    code: NDArray[np.uint8]
    kept: NDArray[np.bool_]
    lost: NDArray[np.int64]
    loss: NDArray[np.float64]
    order: NDArray[np.int32]
    size: NDArray[np.int32]
    below: NDArray[np.int32]
    burned: NDArray[np.int32]
    downstream: NDArray[np.int64]


class ValueUnits(NamedTuple):
    """What burning costs in N slots as whole numbers. value_by_class: i64 [N, C, P] with
    unit: f64 [N] of them in a loss of 1; share: i32 [N, C, P], coarser, for downstream value.
    """

    value_by_class: NDArray[np.int64]
    unit: NDArray[np.float64]
    share: NDArray[np.int32]


class ChangedCells(NamedTuple):
    """Where breaks came or went since fires last burned: cells i64 [N, M] of each slot, padded;
    how_many i64 [N]; revalued bool [N], burning costs something else in some of them.
    """

    cells: NDArray[np.int64]
    how_many: NDArray[np.int64]
    revalued: NDArray[np.bool_]


class Crossing(NamedTuple):
    """Arcs that a break closes: child i64 [48], offsets from the break of the cells that they lead
    into; steps u32, facets u64 [48], the arcs into each as bits.
    """

    child: NDArray[np.int64]
    steps: NDArray[np.uint32]
    facets: NDArray[np.uint64]


class Changes(NamedTuple):
    """Cells that solving a fire again has changed, one row per thread, and what they were: cell
    i32, time f32, weight f32, code u8 [T, P], how_many i64 [T, 1]. more i32 [T, P]: what cells that
    stand hand down more, 0 between fires. Without the first axis it is one thread's part.
    """

    cell: NDArray[np.int32]
    time: NDArray[np.float32]
    weight: NDArray[np.float32]
    code: NDArray[np.uint8]
    how_many: NDArray[np.int64]
    more: NDArray[np.int32]


def changes_of(threads: int, cells: int) -> Changes:
    """Room for the changes of fires on maps of `cells` padded cells."""
    shape = (threads, cells)
    return Changes(np.zeros(shape, np.int32), np.zeros(shape, np.float32),
                   np.zeros(shape, np.float32), np.zeros(shape, np.uint8),
                   np.zeros((threads, 1), np.int64), np.zeros(shape, np.int32))


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
