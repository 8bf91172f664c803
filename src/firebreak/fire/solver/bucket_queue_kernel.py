"""A queue of cells by buckets: arrivals are put into buckets of equal length, and the buckets
follow one after the other (Dial 1969: Algorithm 360, Commun. ACM 12).

A bucket's entries are in no order; whoever opens the bucket puts them in order or not. What is
further ahead than the bucket queue reaches waits in a heap, and so does what a full bucket has no
room for. Entries are the words of `heap_kernel`; a cell whose time improves is counts again, and
entries that a better one has replaced are dropped when their bucket is opened.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.solver.tables import BUCKETS, PER_BUCKET
from firebreak.fire.travel.heap_kernel import compact, drop_first, lowest_bit, push, time_of

NEVER = np.uint64(2**64 - 1)  # after all buckets and words
_LOW, _ONE, _SIX = np.uint64(2**32 - 1), np.uint64(1), np.uint64(6)
_LAST_BIT = np.uint64(63)


@compiled(inline="always")
def cell_in(word):
    """The cell of an entry, unsigned: numba looks for negative indices otherwise."""
    return word & _LOW


@compiled(inline="always")
def bucket_of(time, per_min):
    """The bucket of a float32 time, at so many buckets a minute."""
    return np.uint64(np.float64(time) * per_min)


@compiled(inline="always")
def insert_entry(word, on, bucket, far, work):
    """Inserts an entry for a bucket after the one that is open; returns the entries of the heap."""
    place = on & np.uint64(BUCKETS - 1)
    counts = np.uint64(work.counts[place])
    if on - bucket < np.uint64(BUCKETS) and counts < np.uint64(PER_BUCKET):
        work.entry[place * np.uint64(PER_BUCKET) + counts] = word
        work.counts[place] = np.int32(counts + _ONE)
        work.occupied[place >> _SIX] |= _ONE << (place & _LAST_BIT)
    else:
        if far == work.queue.shape[0]:
            far = compact(work.queue, far, work.time)
        push(work.queue, far, word)
        far += 1
    return far


@compiled(inline="always")
def next_bucket(bucket, per_min, far, work):
    """The next bucket for which anything is counts, NEVER if there is none."""
    occupied = work.occupied
    place = (bucket + _ONE) & np.uint64(BUCKETS - 1)
    block, begin = place >> _SIX, place & _LAST_BIT
    bits = occupied[block] >> begin
    found = NEVER
    if bits != 0:
        found = bucket + _ONE + lowest_bit(bits)
    else:
        start = bucket + _ONE + np.uint64(64) - begin
        for k in range(np.uint64(BUCKETS // 64)):
            bits = occupied[(block + _ONE + k) & np.uint64(BUCKETS // 64 - 1)]
            if bits != 0:
                found = start + np.uint64(64) * k + lowest_bit(bits)
                break
    if far > 0:
        found = min(found, bucket_of(time_of(work.queue[0]), per_min))
    return found


@compiled(inline="always")
def open_bucket(bucket, per_min, far, work):
    """Takes a bucket's entries that stand into `current`; returns (how many, entries of the heap).
    """
    count = np.uint64(0)
    place = bucket & np.uint64(BUCKETS - 1)
    first, counts = place * np.uint64(PER_BUCKET), np.uint64(work.counts[place])
    work.counts[place] = 0
    work.occupied[place >> _SIX] &= ~(_ONE << (place & _LAST_BIT))
    for k in range(first, first + counts):
        word = work.entry[k]
        work.current[count] = word
        count += np.uint64(work.time[cell_in(word)] == time_of(word))
    while far > 0 and bucket_of(time_of(work.queue[0]), per_min) == bucket:
        word = work.queue[0]
        drop_first(work.queue, far)
        far -= 1
        work.current[count] = word
        count += np.uint64(work.time[cell_in(word)] == time_of(word))
    return count, far
