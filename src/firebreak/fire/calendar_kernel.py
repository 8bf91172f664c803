"""A queue of cells by days: arrivals are booked into days of equal length, and the days follow one
after the other (Dial 1969: Algorithm 360, Commun. ACM 12).

A day's entries are in no order; whoever opens the day puts them in order or not. What is further
ahead than the calendar reaches waits in a heap, and so does what a full day has no room for.
Entries are the words of `queue_kernel`; a cell whose time improves is booked again, and entries
that a better one has replaced are dropped when their day is opened.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import DAYS, PER_DAY
from firebreak.fire.queue_kernel import compact, drop_first, lowest_bit, push, time_of

NEVER = np.uint64(2**64 - 1)  # after all days and words
_LOW, _ONE, _SIX = np.uint64(2**32 - 1), np.uint64(1), np.uint64(6)
_LAST_BIT = np.uint64(63)


@compiled(inline="always")
def cell_in(word):
    """The cell of an entry, unsigned: numba looks for negative indices otherwise."""
    return word & _LOW


@compiled(inline="always")
def day_of(time, per_min):
    """The day of a float32 time, at so many days a minute."""
    return np.uint64(np.float64(time) * per_min)


@compiled(inline="always")
def book(word, on, day, far, work):
    """Books an entry for a day after the one that is open; returns the entries of the heap."""
    place = on & np.uint64(DAYS - 1)
    booked = np.uint64(work.booked[place])
    if on - day < np.uint64(DAYS) and booked < np.uint64(PER_DAY):
        work.entry[place * np.uint64(PER_DAY) + booked] = word
        work.booked[place] = np.int32(booked + _ONE)
        work.busy[place >> _SIX] |= _ONE << (place & _LAST_BIT)
    else:
        if far == work.queue.shape[0]:
            far = compact(work.queue, far, work.time)
        push(work.queue, far, word)
        far += 1
    return far


@compiled(inline="always")
def next_day(day, per_min, far, work):
    """The next day for which anything is booked, NEVER if there is none."""
    busy = work.busy
    place = (day + _ONE) & np.uint64(DAYS - 1)
    block, begin = place >> _SIX, place & _LAST_BIT
    bits = busy[block] >> begin
    found = NEVER
    if bits != 0:
        found = day + _ONE + lowest_bit(bits)
    else:
        start = day + _ONE + np.uint64(64) - begin
        for k in range(np.uint64(DAYS // 64)):
            bits = busy[(block + _ONE + k) & np.uint64(DAYS // 64 - 1)]
            if bits != 0:
                found = start + np.uint64(64) * k + lowest_bit(bits)
                break
    if far > 0:
        found = min(found, day_of(time_of(work.queue[0]), per_min))
    return found


@compiled(inline="always")
def open_day(day, per_min, far, work):
    """Takes a day's entries that stand into `today`; returns (how many, entries of the heap)."""
    count = np.uint64(0)
    place = day & np.uint64(DAYS - 1)
    first, booked = place * np.uint64(PER_DAY), np.uint64(work.booked[place])
    work.booked[place] = 0
    work.busy[place >> _SIX] &= ~(_ONE << (place & _LAST_BIT))
    for k in range(first, first + booked):
        word = work.entry[k]
        work.today[count] = word
        count += np.uint64(work.time[cell_in(word)] == time_of(word))
    while far > 0 and day_of(time_of(work.queue[0]), per_min) == day:
        word = work.queue[0]
        drop_first(work.queue, far)
        far -= 1
        work.today[count] = word
        count += np.uint64(work.time[cell_in(word)] == time_of(word))
    return count, far
