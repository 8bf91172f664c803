// A cell's eight neighbours at a time. They are the lanes of `tables.h`, row by row from north-west
// to south-east.
#pragma once

#include "tables.h"
#include "vectors.h"
#include "words.h"

namespace firebreak {

// A number for each lane, known when this is compiled.
template <class T>
struct alignas(64) LaneTable {
    T lane[8];
};

// The eight neighbours' numbers. Reads one number more before the first of the last row.
INLINE Floats around(const float* map, u64 cell, u64 width) {
    static_assert(LANE_ROW[3] == 0 && LANE_COL[3] == -1 && LANE_ROW[4] == 0 && LANE_COL[4] == 1,
                  "the lanes in the middle are west and east");
    Floats4 north = load<Floats4>(map + (cell - width - 1)), south;
    south = load<Floats4>(map + (cell + width - 2));
    north[3] = map[cell - 1];
    south[0] = map[cell + 1];
    return eight<Floats>(north, south);
}

// The eight neighbours' bytes as one word.
INLINE u64 bytes_around(const u8* map, u64 cell, u64 width) {
    u32 north, middle, south;
    __builtin_memcpy(&north, map + (cell - width - 1), sizeof north);
    __builtin_memcpy(&middle, map + (cell - 1), sizeof middle);
    __builtin_memcpy(&south, map + (cell + width - 2), sizeof south);
    const u64 west_east = (middle & 0xff) << 24 | u64(middle & 0xff0000) << 16;
    return (north & 0xffffff) | west_east | u64(south >> 8) << 40;
}

// Bits of the bytes of a word that are 0. Without its highest bit a byte plus 127 has that bit
// unless it is 0; the product moves the eight bits together.
INLINE u64 zero_bytes(u64 word) {
    constexpr u64 LOW = 0x7f7f7f7f7f7f7f7fu;
    const u64 zero = ~(((word & LOW) + LOW) | word) & ~LOW;
    return (zero >> 7) * 0x0102040810204080u >> 56;
}

// Eight bytes of one value.
INLINE u64 eight_bytes(u8 value) { return 0x0101010101010101u * value; }

// Bits of the neighbours whose byte is `value`.
INLINE u64 lanes_equal(const u8* map, u64 cell, u64 width, u8 value) {
    return zero_bytes(bytes_around(map, cell, width) ^ eight_bytes(value));
}

// Bits of the neighbours whose time is later. times: of those around a cell.
INLINE u64 lanes_after(Floats times, float now) { return bits(less(splat<Floats>(now), times)); }

// Bits of the neighbours that burn before a cell that burns at `now`: earlier, or at once and of a
// lower index.
INLINE u64 lanes_final(Floats times, float now) {
    const Floats at = splat<Floats>(now);
    constexpr u64 LOWER = 15;  // the first four lanes
    return bits(less(times, at)) | (bits(equal(times, at)) & LOWER);
}

#if defined(__AVX2__)
// For four bits, the halves of words that are kept, first of all.
struct KeptHalves {
    alignas(32) i32 of[16][8];
};
constexpr KeptHalves kept_halves() {
    KeptHalves own{};
    for (int mask = 0; mask < 16; mask++)
        for (int lane = 0, place = 0; lane < 4; lane++)
            if (mask >> lane & 1) {
                own.of[mask][place++] = 2 * lane;
                own.of[mask][place++] = 2 * lane + 1;
            }
    return own;
}
inline constexpr KeptHalves KEPT_HALVES = kept_halves();

INLINE u64 compressed(Words4 words, u64 mask, u64* to, u64 count) {
    const __m256i order = _mm256_load_si256((const __m256i*)KEPT_HALVES.of[mask]);
    _mm256_storeu_si256((__m256i*)(to + count),
                        _mm256_permutevar8x32_epi32((__m256i)words, order));
    return count + u64(__builtin_popcountll(mask));
}
#endif

// Stores those of eight words that a mask wants, one after the other, from to[count] on; returns
// the new count. There must be room for eight.
INLINE u64 compressed(Words words, u64 mask, u64* to, u64 count) {
#if defined(VECTORS_AVX512)
    // In a register first: to store the wanted lanes alone is slow on some processors.
    _mm512_storeu_si512(to + count, _mm512_maskz_compress_epi64(__mmask8(mask), (__m512i)words));
    return count + u64(__builtin_popcountll(mask));
#elif defined(__AVX2__)
    return compressed(words.high, mask >> 4, to, compressed(words.low, mask & 15, to, count));
#else
    alignas(64) i64 all[8];
    store(words, all);
    for (int lane = 0; lane < 8; lane++) {  // without a branch: which are kept cannot be predicted
        to[count] = u64(all[lane]);
        count += mask >> lane & 1;
    }
    return count;
#endif
}

// How many of the first `count` words are less than each of eight. Counting never branches: for few
// words that is faster than sorting.
INLINE Words places_in_order(Words own, const u64* words, u64 count) {
    Words places = splat<Words>(0);
    for (u64 k = 0; k < count; k++)
        places = places - less(splat<Words>(i64(words[k])), own);
    return places;
}

// Puts words[first : first + 8] to their places among `count` words into `ordered`, the least
// first. Words are below 2^63; those from `count` on must be larger than all others.
INLINE void put_in_order(const u64* words, u64 first, u64 count, u64* ordered) {
    alignas(64) i64 own[8], place[8];
    const Words eight = load<Words>((const i64*)(words + first));
    store(places_in_order(eight, words, count), place);
    store(eight, own);
    for (int lane = 0; lane < 8; lane++) ordered[place[lane]] = u64(own[lane]);
}

// Fetches the cache line of a number that is read soon, to be kept in all caches.
template <class T>
INLINE void prefetch(const T* array, u64 index) {
    __builtin_prefetch(array + index, 0, 3);
}

}  // namespace firebreak
