// Vectors of eight and of four lanes, in the widest registers that the target has: one register, or
// halves of it. Every operation acts lane by lane, in the order in which it is written.
#pragma once

#include "array.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define VECTORS_X86 1
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define VECTORS_AVX512 1
#endif

namespace firebreak {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are counted from the low byte");

typedef double Doubles2 __attribute__((vector_size(16)));
typedef double Doubles4 __attribute__((vector_size(32)));
typedef double Doubles8 __attribute__((vector_size(64)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats16 __attribute__((vector_size(64)));
typedef i32 Ints4 __attribute__((vector_size(16)));
typedef i32 Ints8 __attribute__((vector_size(32)));
typedef i64 Words2 __attribute__((vector_size(16)));
typedef i64 Words4 __attribute__((vector_size(32)));
typedef i64 Words8 __attribute__((vector_size(64)));

// A vector in two registers, or in twice two. Compilers keep arrays of vectors, and vectors wider
// than a register, in memory; these they keep in registers.
template <class V>
struct Halves {
    V low, high;
};

#if defined(VECTORS_AVX512)
using Doubles = Doubles8;
using Floats = Floats8;
using Words = Words8;
using FourDoubles = Doubles4;
using FourWords = Words4;
#elif defined(__AVX2__)
using Doubles = Halves<Doubles4>;
using Floats = Floats8;
using Words = Halves<Words4>;
using FourDoubles = Doubles4;
using FourWords = Words4;
#else
using Doubles = Halves<Halves<Doubles2>>;
using Floats = Halves<Floats4>;
using Words = Halves<Halves<Words2>>;
using FourDoubles = Halves<Doubles2>;
using FourWords = Halves<Words2>;
#endif
using FourFloats = Floats4;

// Lanes, and the type of each.
template <class V>
struct LanesOf {
    using Lane = decltype(V{}[0] + 0);
    static constexpr int COUNT = sizeof(V) / sizeof(Lane);
};
template <class V>
struct LanesOf<Halves<V>> {
    using Lane = typename LanesOf<V>::Lane;
    static constexpr int COUNT = 2 * LanesOf<V>::COUNT;
};

// Integers as wide as the lanes of V. Compilers name those of comparisons differently.
template <class V>
struct MaskOf;
template <>
struct MaskOf<Floats4> {
    using Type = Ints4;
};
template <>
struct MaskOf<Floats8> {
    using Type = Ints8;
};
template <>
struct MaskOf<Doubles2> {
    using Type = Words2;
};
template <>
struct MaskOf<Doubles4> {
    using Type = Words4;
};
template <>
struct MaskOf<Doubles8> {
    using Type = Words8;
};
template <>
struct MaskOf<Words2> {
    using Type = Words2;
};
template <>
struct MaskOf<Words4> {
    using Type = Words4;
};
template <class V>
struct MaskOf<Halves<V>> {
    using Type = Halves<typename MaskOf<V>::Type>;
};
template <class V>
using Mask = typename MaskOf<V>::Type;

template <class V>
struct Maker {
    using Lane = typename LanesOf<V>::Lane;
    static INLINE V splat(Lane x) {
        if constexpr (LanesOf<V>::COUNT == 2) return V{x, x};
        else if constexpr (LanesOf<V>::COUNT == 4) return V{x, x, x, x};
        else return V{x, x, x, x, x, x, x, x};
    }
    static INLINE V load(const Lane* from) {
        V lanes;
        __builtin_memcpy(&lanes, from, sizeof lanes);
        return lanes;
    }
};
template <class V>
struct Maker<Halves<V>> {
    using Lane = typename LanesOf<V>::Lane;
    static INLINE Halves<V> splat(Lane x) {
        const V half = Maker<V>::splat(x);
        return {half, half};
    }
    static INLINE Halves<V> load(const Lane* from) {
        return {Maker<V>::load(from), Maker<V>::load(from + LanesOf<V>::COUNT)};
    }
};

// One number in every lane.
template <class V>
INLINE V splat(typename LanesOf<V>::Lane x) {
    return Maker<V>::splat(x);
}

// Numbers from memory, aligned as a single one is.
template <class V>
INLINE V load(const typename LanesOf<V>::Lane* from) {
    return Maker<V>::load(from);
}

template <class V>
INLINE void store(V lanes, typename LanesOf<V>::Lane* to) {
    __builtin_memcpy(to, &lanes, sizeof lanes);  // halves lie one after the other
}

template <class V>
INLINE Halves<V> operator+(Halves<V> a, Halves<V> b) {
    return {a.low + b.low, a.high + b.high};
}
template <class V>
INLINE Halves<V> operator-(Halves<V> a, Halves<V> b) {
    return {a.low - b.low, a.high - b.high};
}
template <class V>
INLINE Halves<V> operator*(Halves<V> a, Halves<V> b) {
    return {a.low * b.low, a.high * b.high};
}
template <class V>
INLINE Halves<V> operator/(Halves<V> a, Halves<V> b) {
    return {a.low / b.low, a.high / b.high};
}
template <class V>
INLINE Halves<V> operator&(Halves<V> a, Halves<V> b) {
    return {a.low & b.low, a.high & b.high};
}
template <class V>
INLINE Halves<V> operator|(Halves<V> a, Halves<V> b) {
    return {a.low | b.low, a.high | b.high};
}

// |x|: the sign bit cleared.
template <class V>
INLINE V absolute(V x) {
    return (V)((Mask<V>)x & splat<Mask<V>>(INT64_MAX));
}
template <class V>
INLINE Halves<V> absolute(Halves<V> x) {
    return {absolute(x.low), absolute(x.high)};
}

INLINE Doubles2 root(Doubles2 x) {
#if defined(VECTORS_X86)
    return (Doubles2)_mm_sqrt_pd((__m128d)x);
#else
    return Doubles2{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
}
#if defined(__AVX2__)
INLINE Doubles4 root(Doubles4 x) { return (Doubles4)_mm256_sqrt_pd((__m256d)x); }
#endif
#if defined(VECTORS_AVX512)
INLINE Doubles8 root(Doubles8 x) { return (Doubles8)_mm512_maskz_sqrt_pd(255, (__m512d)x); }
#endif
template <class V>
INLINE Halves<V> root(Halves<V> x) {
    return {root(x.low), root(x.high)};
}

// Doubles of floats.
INLINE Halves<Doubles2> widen_two(Floats4 x) {
#if defined(VECTORS_X86)
    return {(Doubles2)_mm_cvtps_pd((__m128)x),
            (Doubles2)_mm_cvtps_pd(_mm_movehl_ps((__m128)x, (__m128)x))};
#else
    return {Doubles2{double(x[0]), double(x[1])}, Doubles2{double(x[2]), double(x[3])}};
#endif
}
INLINE Floats4 narrow(Halves<Doubles2> x) {
#if defined(VECTORS_X86)
    return (Floats4)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)x.low), _mm_cvtpd_ps((__m128d)x.high));
#else
    return Floats4{float(x.low[0]), float(x.low[1]), float(x.high[0]), float(x.high[1])};
#endif
}
#if defined(__AVX2__)
INLINE Doubles4 widen(Floats4 x) { return (Doubles4)_mm256_cvtps_pd((__m128)x); }
INLINE Floats4 narrow(Doubles4 x) { return (Floats4)_mm256_cvtpd_ps((__m256d)x); }
#else
INLINE FourDoubles widen(Floats4 x) { return widen_two(x); }
#endif

#if defined(__AVX2__)
INLINE Floats joined(Floats4 low, Floats4 high) {
    return (Floats8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
}
INLINE Floats4 low_half(Floats x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
INLINE Floats4 high_half(Floats x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
#else
INLINE Floats joined(Floats4 low, Floats4 high) { return {low, high}; }
INLINE Floats4 low_half(Floats x) { return x.low; }
INLINE Floats4 high_half(Floats x) { return x.high; }
#endif
#if defined(VECTORS_AVX512)
INLINE Doubles widen(Floats x) { return (Doubles8)_mm512_maskz_cvtps_pd(255, (__m256)x); }
INLINE Floats narrow(Doubles x) { return (Floats8)_mm512_maskz_cvtpd_ps(255, (__m512d)x); }
#else
INLINE Doubles widen(Floats x) { return {widen(low_half(x)), widen(high_half(x))}; }
INLINE Floats narrow(Doubles x) { return joined(narrow(x.low), narrow(x.high)); }
#endif

// The bits of floats as the upper halves of words.
#if defined(VECTORS_AVX512)
INLINE Words upper_halves(Floats x) {
    return (Words8)_mm512_maskz_cvtepu32_epi64(255, (__m256i)x) << 32;
}
#elif defined(__AVX2__)
INLINE Words upper_halves(Floats x) {
    return {(Words4)_mm256_slli_epi64(_mm256_cvtepu32_epi64((__m128i)low_half(x)), 32),
            (Words4)_mm256_slli_epi64(_mm256_cvtepu32_epi64((__m128i)high_half(x)), 32)};
}
#else
INLINE Halves<Words2> upper_halves(Floats4 x) {
    const Floats4 none{};
    return {(Words2)__builtin_shufflevector(none, x, 0, 4, 1, 5),
            (Words2)__builtin_shufflevector(none, x, 0, 6, 1, 7)};
}
INLINE Words upper_halves(Floats x) { return {upper_halves(x.low), upper_halves(x.high)}; }
#endif

// The least of all words.
INLINE i64 least(Words2 x) { return x[1] < x[0] ? x[1] : x[0]; }
INLINE i64 least(Words4 x) {
    const Words2 low = __builtin_shufflevector(x, x, 0, 1);
    const Words2 high = __builtin_shufflevector(x, x, 2, 3);
    return least(high < low ? high : low);
}
#if defined(VECTORS_AVX512)
INLINE i64 least(Words8 x) {
    const Words4 low = __builtin_shufflevector(x, x, 0, 1, 2, 3);
    const Words4 high = __builtin_shufflevector(x, x, 4, 5, 6, 7);
    return least(high < low ? high : low);
}
#else
INLINE i64 least(Halves<Words4> x) { return least(x.high < x.low ? x.high : x.low); }
INLINE i64 least(Halves<Halves<Words2>> x) {
    const Words2 low = x.low.high < x.low.low ? x.low.high : x.low.low;
    const Words2 high = x.high.high < x.high.low ? x.high.high : x.high.low;
    return least(high < low ? high : low);
}
#endif

// Eight numbers from memory that lie apart.
INLINE Doubles gathered(const double* from, const u64 (&at)[8]) {
    const double a = from[at[0]], b = from[at[1]], c = from[at[2]], d = from[at[3]];
    const double e = from[at[4]], f = from[at[5]], g = from[at[6]], h = from[at[7]];
#if defined(VECTORS_AVX512)
    return Doubles8{a, b, c, d, e, f, g, h};
#elif defined(__AVX2__)
    return {Doubles4{a, b, c, d}, Doubles4{e, f, g, h}};
#else
    return {{Doubles2{a, b}, Doubles2{c, d}}, {Doubles2{e, f}, Doubles2{g, h}}};
#endif
}

}  // namespace firebreak
