// A queue of cells by (time, cell): a 4-ary heap of single words, whose entries never move up.
//
// A word holds the bits of the time above the cell's index. Times are never negative, and the bits
// of such floats are ordered as the floats are, so comparing words compares times first and cells
// second. A cell whose time improves is pushed again; whoever takes a word out asks whether the
// cell is final already.
#pragma once

#include <cfloat>
#include <cmath>

#include "array.h"

namespace firebreak {

// The last finite float that is not later than a duration.
inline float last_moment(double duration) {
    const float limit = float(FLT_MAX < duration ? double(FLT_MAX) : duration);
    return double(limit) > duration ? std::nextafterf(limit, 0.0f) : limit;
}

// The next float above a time of 0 or more.
INLINE float later(float time) { return bits_as<float>(bits_as<u32>(time) + 1); }

INLINE u64 word_of(float time, i64 cell) { return u64(bits_as<u32>(time)) << 32 | u64(cell); }
INLINE u64 cell_in(u64 word) { return word & 0xFFFFFFFFu; }
INLINE i64 cell_of(u64 word) { return i64(cell_in(word)); }
INLINE float time_of(u64 word) { return bits_as<float>(u32(word >> 32)); }

// Puts a word into a queue of `size` words; there must be room for it.
INLINE void push(u64* queue, i64 size, u64 word) {
    u64 i = u64(size);
    while (i > 0) {
        const u64 above = (i - 1) >> 2;
        if (queue[above] <= word) break;
        queue[i] = queue[above];
        i = above;
    }
    queue[i] = word;
}

// The place of the least of four words from `below` on. It is selected, not branched upon: which
// of the four is first cannot be predicted.
INLINE u64 least_of_four(const u64* queue, u64 below, u64& word) {
    const u64 a = queue[below], b = queue[below + 1], c = queue[below + 2], d = queue[below + 3];
    const u64 left = b < a ? below + 1 : below, first = b < a ? b : a;
    const u64 right = d < c ? below + 3 : below + 2, second = d < c ? d : c;
    word = second < first ? second : first;
    return second < first ? right : left;
}

// Takes the first word out of a queue of `size` words; `size - 1` are left.
INLINE void drop_first(u64* queue, i64 size) {
    const u64 end = u64(size) - 1, last = queue[end];
    u64 i = 0;
    for (;;) {
        const u64 below = (i << 2) + 1;
        if (below >= end) break;
        u64 least = below, word = queue[below];
        if (below + 3 < end) {
            least = least_of_four(queue, below, word);
        } else {
            for (u64 k = below + 1; k < end; k++)
                if (queue[k] < word) least = k, word = queue[k];
        }
        if (last <= word) break;
        queue[i] = word;
        i = least;
    }
    queue[i] = last;
}

// Removes entries that a better one has replaced; returns how many are left. Of an entry that
// counts, time[cell] is the entry's own.
inline i64 compact(u64* queue, i64 size, const float* time) {
    i64 kept = 0;
    for (i64 i = 0; i < size; i++) {
        const u64 word = queue[i];
        if (time[cell_of(word)] == time_of(word)) push(queue, kept++, word);
    }
    return kept;
}

}  // namespace firebreak
