"""A queue of cells by (time, cell): a 4-ary heap of single words, without decrease-key.

A word holds the float32 time above the cell's index. Times are never negative, and the bits of such
floats are ordered as the floats are, so comparing words compares times first and cells second. A
cell whose time improves is pushed again; whoever pops asks whether the cell is final already.
"""

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from firebreak.compiled import compiled

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ZERO, _ONE, _TWO, _THREE = (np.uint64(n) for n in range(4))
_LARGEST = np.finfo(np.float32).max


@intrinsic
def _bits_of(typing_context, value):
    """The bits of a float32 as a uint32."""
    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.uint32))

    return types.uint32(types.float32), generate


@intrinsic
def _float_of(typing_context, bits):
    """The float32 of a uint32's bits."""
    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float32))

    return types.float32(types.uint32), generate


@intrinsic
def lowest_bit(typing_context, word):
    """Index of the lowest set bit of a uint64 that is not zero."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.true_bit)

    return signature, generate


@compiled()
def last_moment(duration):
    """The last finite float32 that is not later than a duration, float64."""
    limit = np.float32(min(duration, _LARGEST))
    return np.nextafter(limit, np.float32(0.0)) if limit > duration else limit


@compiled(inline="always")
def later(time):
    """The next float32 above a time of 0 or more."""
    return _float_of(np.uint32(_bits_of(time) + np.uint32(1)))


@compiled(inline="always")
def word_of(time, cell):
    """A queue entry from a float32 time and a cell below 2^32."""
    return (np.uint64(_bits_of(time)) << _HALF) | np.uint64(cell)


@compiled(inline="always")
def cell_of(word):
    """The cell of an entry."""
    return np.int64(word & _LOW)


@compiled(inline="always")
def time_of(word):
    """The float32 time of an entry."""
    return _float_of(np.uint32(word >> _HALF))


@compiled(inline="always")
def push(queue, size, word):
    """Puts a word into a queue of `size` words; there must be room for it."""
    # Unsigned, here and below: numba would ask at each access whether the index is negative.
    i = np.uint64(size)
    while i > _ZERO:
        above = (i - _ONE) >> _TWO
        if queue[above] <= word:
            break
        queue[i] = queue[above]
        i = above
    queue[i] = word


@compiled(inline="always")
def drop_first(queue, size):
    """Takes the first word out of a queue of `size` words; `size - 1` are left."""
    end = np.uint64(size) - _ONE
    last = queue[end]
    i = _ZERO
    while True:
        below = (i << _TWO) + _ONE
        if below >= end:
            break
        if below + _THREE < end:
            # Selected, not branched upon: which of the four is first cannot be predicted.
            a, b = queue[below], queue[below + _ONE]
            c, d = queue[below + _TWO], queue[below + _THREE]
            left, first = (below + _ONE, b) if b < a else (below, a)
            right, second = (below + _THREE, d) if d < c else (below + _TWO, c)
            least, word = (right, second) if second < first else (left, first)
        else:
            least, word = below, queue[below]
            for k in range(below + _ONE, end):
                if queue[k] < word:
                    least, word = k, queue[k]
        if last <= word:
            break
        queue[i] = word
        i = least
    queue[i] = last


@compiled()
def compact(queue, size, time):
    """Removes entries that a better one has replaced; returns how many are left.

    time f32 [P]: of an entry that counts it is the entry's own.
    """
    kept = 0
    for i in range(size):
        word = queue[i]
        if time[cell_of(word)] == time_of(word):
            push(queue, kept, word)
            kept += 1
    return kept
