// Truth values of lanes, what is chosen by them, and lanes stored by them.
#pragma once

#include "vectors.h"

namespace firebreak {

#if defined(VECTORS_AVX512)
// A bit for each lane.
struct TruthBits {
    u32 word;
};
INLINE TruthBits operator&(TruthBits a, TruthBits b) { return {a.word & b.word}; }
INLINE TruthBits operator|(TruthBits a, TruthBits b) { return {a.word | b.word}; }
INLINE u64 bits(TruthBits truths) { return truths.word; }

// Comparisons are false where a lane is not a number.
#define FIREBREAK_COMPARED(Vector, Raw, compare)                                         \
    INLINE TruthBits less(Vector a, Vector b) {                                          \
        return {compare((Raw)a, (Raw)b, _CMP_LT_OQ)};                                    \
    }                                                                                    \
    INLINE TruthBits at_most(Vector a, Vector b) {                                       \
        return {compare((Raw)a, (Raw)b, _CMP_LE_OQ)};                                    \
    }                                                                                    \
    INLINE TruthBits equal(Vector a, Vector b) {                                         \
        return {compare((Raw)a, (Raw)b, _CMP_EQ_OQ)};                                    \
    }
FIREBREAK_COMPARED(Doubles8, __m512d, _mm512_cmp_pd_mask)
FIREBREAK_COMPARED(Doubles4, __m256d, _mm256_cmp_pd_mask)
FIREBREAK_COMPARED(Floats8, __m256, _mm256_cmp_ps_mask)
#undef FIREBREAK_COMPARED
INLINE TruthBits less(Words8 a, Words8 b) {
    return {_mm512_cmplt_epi64_mask((__m512i)a, (__m512i)b)};
}
INLINE TruthBits less(Words4 a, Words4 b) {
    return {_mm256_cmplt_epi64_mask((__m256i)a, (__m256i)b)};
}

template <class V>
INLINE TruthBits truths_of(u64 word) {
    return {u32(word)};
}

// Lanes of `a` where true, of `b` else.
INLINE Doubles8 select(TruthBits which, Doubles8 a, Doubles8 b) {
    return (Doubles8)_mm512_mask_blend_pd(__mmask8(which.word), (__m512d)b, (__m512d)a);
}
INLINE Doubles4 select(TruthBits which, Doubles4 a, Doubles4 b) {
    return (Doubles4)_mm256_mask_blend_pd(__mmask8(which.word), (__m256d)b, (__m256d)a);
}
INLINE Floats8 select(TruthBits which, Floats8 a, Floats8 b) {
    return (Floats8)_mm256_mask_blend_ps(__mmask8(which.word), (__m256)b, (__m256)a);
}

// Adds one where true.
INLINE Words8 counted(TruthBits which, Words8 counts) {
    return (Words8)_mm512_mask_add_epi64((__m512i)counts, __mmask8(which.word), (__m512i)counts,
                                         _mm512_set1_epi64(1));
}

#else
// A truth value is all bits of a lane.
template <class V>
INLINE Mask<V> less(V a, V b) {
    return (Mask<V>)(a < b);
}
template <class V>
INLINE Mask<V> at_most(V a, V b) {
    return (Mask<V>)(a <= b);
}
template <class V>
INLINE Mask<V> equal(V a, V b) {
    return (Mask<V>)(a == b);
}
template <class V>
INLINE Mask<Halves<V>> less(Halves<V> a, Halves<V> b) {
    return {less(a.low, b.low), less(a.high, b.high)};
}
template <class V>
INLINE Mask<Halves<V>> at_most(Halves<V> a, Halves<V> b) {
    return {at_most(a.low, b.low), at_most(a.high, b.high)};
}
template <class V>
INLINE Mask<Halves<V>> equal(Halves<V> a, Halves<V> b) {
    return {equal(a.low, b.low), equal(a.high, b.high)};
}

template <class V>
INLINE V select(Mask<V> which, V a, V b) {
    return which ? a : b;
}
template <class V>
INLINE Halves<V> select(Mask<Halves<V>> which, Halves<V> a, Halves<V> b) {
    return {select(which.low, a.low, b.low), select(which.high, a.high, b.high)};
}

template <class V>
struct Truths {
    using Lane = typename LanesOf<Mask<V>>::Lane;
    static INLINE Mask<V> of(u64 word) {
        constexpr Lane ORDER[8] = {1, 2, 4, 8, 16, 32, 64, 128};
        const Mask<V> one = load<Mask<V>>(ORDER);
        return (Mask<V>)((splat<Mask<V>>(Lane(word)) & one) == one);
    }
};
template <class V>
struct Truths<Halves<V>> {
    static INLINE Mask<Halves<V>> of(u64 word) {
        return {Truths<V>::of(word), Truths<V>::of(word >> LanesOf<V>::COUNT)};
    }
};
// Bits of a word as truths of the lanes of V.
template <class V>
INLINE Mask<V> truths_of(u64 word) {
    return Truths<V>::of(word);
}

#if defined(VECTORS_X86)
INLINE u64 bits(Ints4 lanes) { return u64(_mm_movemask_ps((__m128)lanes)); }
INLINE u64 bits(Words2 lanes) { return u64(_mm_movemask_pd((__m128d)lanes)); }
#else
INLINE u64 bits(Ints4 lanes) {
    const Ints4 own = lanes & Ints4{1, 2, 4, 8};
    return u64(own[0] | own[1] | own[2] | own[3]);
}
INLINE u64 bits(Words2 lanes) { return u64((lanes[0] & 1) | (lanes[1] & 2)); }
#endif
#if defined(__AVX2__)
INLINE u64 bits(Ints8 lanes) { return u64(_mm256_movemask_ps((__m256)lanes)); }
INLINE u64 bits(Words4 lanes) { return u64(_mm256_movemask_pd((__m256d)lanes)); }
#endif
// Truth values as the bits of a word, the first lane's lowest.
template <class V>
INLINE u64 bits(Halves<V> lanes) {
    return bits(lanes.low) | bits(lanes.high) << LanesOf<V>::COUNT;
}

template <class V>
INLINE V counted(V which, V counts) {
    return counts - which;
}
#endif

// The later of two times, those of `b` where one is not a number; and the earlier one. These are
// the processor's own instructions.
#if defined(__AVX2__)
INLINE Floats8 latest(Floats8 a, Floats8 b) { return (Floats8)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE Floats8 earliest(Floats8 a, Floats8 b) {
    return (Floats8)_mm256_min_ps((__m256)a, (__m256)b);
}
#endif
#if defined(VECTORS_X86)
INLINE Floats4 latest(Floats4 a, Floats4 b) { return (Floats4)_mm_max_ps((__m128)a, (__m128)b); }
INLINE Floats4 earliest(Floats4 a, Floats4 b) { return (Floats4)_mm_min_ps((__m128)a, (__m128)b); }
#else
INLINE Floats4 latest(Floats4 a, Floats4 b) { return a > b ? a : b; }
INLINE Floats4 earliest(Floats4 a, Floats4 b) { return a < b ? a : b; }
#endif
template <class V>
INLINE Halves<V> latest(Halves<V> a, Halves<V> b) {
    return {latest(a.low, b.low), latest(a.high, b.high)};
}
template <class V>
INLINE Halves<V> earliest(Halves<V> a, Halves<V> b) {
    return {earliest(a.low, b.low), earliest(a.high, b.high)};
}

INLINE float least(Floats4 x) {
    const Floats4 two = earliest(x, __builtin_shufflevector(x, x, 2, 3, 2, 3));
    return two[1] < two[0] ? two[1] : two[0];
}

// The next floats above times of 0 or more.
INLINE Floats4 after(Floats4 time) { return (Floats4)((Ints4)time + splat<Ints4>(1)); }
#if defined(__AVX2__)
INLINE Floats8 after(Floats8 time) { return (Floats8)((Ints8)time + splat<Ints8>(1)); }
#endif
template <class V>
INLINE Halves<V> after(Halves<V> time) {
    return {after(time.low), after(time.high)};
}

}  // namespace firebreak
