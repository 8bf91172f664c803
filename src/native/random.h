// Random numbers that belong to a place: one number for each fire, cell and draw, whatever burns
// before or elsewhere. The number is a hash: key, cell and draw are combined with odd constants and
// mixed twice with the finaliser of SplitMix64 (Steele, Lea & Flood 2014; constants of Stafford's
// variant 13). `effects/keyed_random.py` says why.
#pragma once

#include "array.h"

namespace firebreak {

INLINE u64 mixed(u64 word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

// The number of (key, cell, draw), in [0, 1) on a grid of 2^-53.
inline double uniform(u64 key, u64 cell, u64 draw) {
    constexpr u64 CELL_STEP = 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio, odd
    constexpr u64 DRAW_STEP = 0xD1B54A32D192ED03u;  // another odd one
    const u64 word = mixed(mixed(key + (cell + 1) * CELL_STEP) + (draw + 1) * DRAW_STEP);
    return double(word >> 11) * 0x1p-53;
}

}  // namespace firebreak
