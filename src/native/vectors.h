// Vectors of eight and of four lanes, truth values of lanes, and what is chosen by them. Every
// operation acts lane by lane, in the order in which it is written.
//
// The compiler's own vectors do the work; where a vector is wider than the target's registers it
// comes in halves, which compilers keep in registers: wider vectors they would keep in memory.
#pragma once

#include <type_traits>

#include "array.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define VECTORS_X86 1
#endif

namespace firebreak {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are counted from the low byte");

// Vectors in one register.
typedef double Doubles2 __attribute__((vector_size(16)));
typedef double Doubles4 __attribute__((vector_size(32)));
typedef double Doubles8 __attribute__((vector_size(64)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef i64 Words2 __attribute__((vector_size(16)));
typedef i64 Words4 __attribute__((vector_size(32)));
typedef i64 Words8 __attribute__((vector_size(64)));

// A vector in two registers, or in twice two.
template <class V>
struct Halves {
    V low, high;
};
template <class V>
constexpr bool IN_HALVES = false;
template <class V>
constexpr bool IN_HALVES<Halves<V>> = true;

#if defined(__AVX2__)
using Floats = Floats8;
using FourDoubles = Doubles4;
using FourWords = Words4;
#else
using Floats = Halves<Floats4>;
using FourDoubles = Halves<Doubles2>;
using FourWords = Halves<Words2>;
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define VECTORS_AVX512 1
using Doubles = Doubles8;
using Words = Words8;
#else
using Doubles = Halves<FourDoubles>;
using Words = Halves<FourWords>;
#endif

// How many lanes, the type of each, and integers as wide: a truth value is all bits of a lane.
template <class V>
struct LanesOf {
    using Lane = std::decay_t<decltype(V{}[0])>;
    static constexpr int COUNT = sizeof(V) / sizeof(Lane);
    typedef std::conditional_t<sizeof(Lane) == 4, i32, i64> Mask
        __attribute__((vector_size(sizeof(V))));
};
template <class V>
struct LanesOf<Halves<V>> {
    using Lane = typename LanesOf<V>::Lane;
    static constexpr int COUNT = 2 * LanesOf<V>::COUNT;
    using Mask = Halves<typename LanesOf<V>::Mask>;
};
template <class V>
using Lane = typename LanesOf<V>::Lane;
template <class V>
using Mask = typename LanesOf<V>::Mask;

// Applies an operation on registers to vectors.
template <class Operation, class V, class... More>
INLINE auto by_register(const Operation& operation, V x, More... more) {
    if constexpr (IN_HALVES<V>) {
        const auto low = by_register(operation, x.low, more.low...);
        return Halves<decltype(low + low)>{low, by_register(operation, x.high, more.high...)};
    } else {
        return operation(x, more...);
    }
}

template <class V>
INLINE Halves<V> operator+(Halves<V> a, Halves<V> b) { return {a.low + b.low, a.high + b.high}; }
template <class V>
INLINE Halves<V> operator-(Halves<V> a, Halves<V> b) { return {a.low - b.low, a.high - b.high}; }
template <class V>
INLINE Halves<V> operator*(Halves<V> a, Halves<V> b) { return {a.low * b.low, a.high * b.high}; }
template <class V>
INLINE Halves<V> operator/(Halves<V> a, Halves<V> b) { return {a.low / b.low, a.high / b.high}; }
template <class V>
INLINE Halves<V> operator&(Halves<V> a, Halves<V> b) { return {a.low & b.low, a.high & b.high}; }
template <class V>
INLINE Halves<V> operator|(Halves<V> a, Halves<V> b) { return {a.low | b.low, a.high | b.high}; }

// One number in every lane.
template <class V>
INLINE V splat(Lane<V> x) {
    if constexpr (IN_HALVES<V>) return {splat<decltype(V{}.low)>(x), splat<decltype(V{}.low)>(x)};
    else if constexpr (LanesOf<V>::COUNT == 2) return V{x, x};
    else if constexpr (LanesOf<V>::COUNT == 4) return V{x, x, x, x};
    else return V{x, x, x, x, x, x, x, x};
}

// Numbers from memory, aligned as a single one is; halves lie one after the other.
template <class V>
INLINE V load(const Lane<V>* from) {
    V lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
template <class V>
INLINE void store(V lanes, Lane<V>* to) {
    __builtin_memcpy(to, &lanes, sizeof lanes);
}

// Four numbers as a vector.
template <class V>
INLINE V four(Lane<V> a, Lane<V> b, Lane<V> c, Lane<V> d) {
    if constexpr (IN_HALVES<V>) {
        using Half = decltype(V{}.low);
        return {Half{a, b}, Half{c, d}};
    } else {
        return V{a, b, c, d};
    }
}

// Eight lanes of four and four, and the fours again.
template <class V, class Four>
INLINE V eight(Four low, Four high) {
    if constexpr (IN_HALVES<V>) return {low, high};
    else return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <class V>
INLINE auto first_four(V x) {
    if constexpr (IN_HALVES<V>) return x.low;
    else return __builtin_shufflevector(x, x, 0, 1, 2, 3);
}
template <class V>
INLINE auto last_four(V x) {
    if constexpr (IN_HALVES<V>) return x.high;
    else return __builtin_shufflevector(x, x, 4, 5, 6, 7);
}

template <class V>
INLINE V root(V x) {
    return by_register([](auto lanes) {
        for (int k = 0; k < LanesOf<decltype(lanes)>::COUNT; k++)
            lanes[k] = __builtin_sqrt(lanes[k]);
        return lanes;
    }, x);
}

// |x|: the sign bit cleared.
template <class V>
INLINE V absolute(V x) {
    return by_register([](auto lanes) {
        using R = decltype(lanes);
        return (R)((Mask<R>)lanes & splat<Mask<R>>(INT64_MAX));
    }, x);
}

// Doubles of floats, and back.
INLINE FourDoubles widen(Floats4 x) { return four<FourDoubles>(x[0], x[1], x[2], x[3]); }
INLINE Doubles widen(Floats x) {
#if defined(VECTORS_AVX512)
    return Doubles{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
#else
    return {widen(first_four(x)), widen(last_four(x))};
#endif
}
INLINE Floats4 narrow(FourDoubles x) {
#if defined(__AVX2__)
    return __builtin_convertvector(x, Floats4);
#else
    return Floats4{float(x.low[0]), float(x.low[1]), float(x.high[0]), float(x.high[1])};
#endif
}
INLINE Floats narrow(Doubles x) {
#if defined(VECTORS_AVX512)
    return __builtin_convertvector(x, Floats);
#else
    return eight<Floats>(narrow(x.low), narrow(x.high));
#endif
}

// The bits of floats as the upper halves of words.
INLINE FourWords upper_halves(Floats4 x) {
    const Floats4 none{};
#if defined(__AVX2__)
    return (Words4)__builtin_shufflevector(none, x, 0, 4, 1, 5, 2, 6, 3, 7);
#else
    return {(Words2)__builtin_shufflevector(none, x, 0, 4, 1, 5),
            (Words2)__builtin_shufflevector(none, x, 2, 6, 3, 7)};
#endif
}
INLINE Words upper_halves(Floats x) {
    return eight<Words>(upper_halves(first_four(x)), upper_halves(last_four(x)));
}

// Comparisons are false where a lane is not a number.
template <class V>
INLINE Mask<V> less(V a, V b) {
    return by_register([](auto x, auto y) { return (Mask<decltype(x)>)(x < y); }, a, b);
}
template <class V>
INLINE Mask<V> at_most(V a, V b) {
    return by_register([](auto x, auto y) { return (Mask<decltype(x)>)(x <= y); }, a, b);
}
template <class V>
INLINE Mask<V> equal(V a, V b) {
    return by_register([](auto x, auto y) { return (Mask<decltype(x)>)(x == y); }, a, b);
}

// Lanes of `a` where true, of `b` else.
template <class V>
INLINE V select(Mask<V> which, V a, V b) {
    return by_register([](auto truths, auto x, auto y) { return truths ? x : y; }, which, a, b);
}

// The later of two times, those of `b` where one is not a number; and the earlier one. These are
// the processor's own instructions.
template <class V>
INLINE V latest(V a, V b) {
    return by_register([](auto x, auto y) { return x > y ? x : y; }, a, b);
}
template <class V>
INLINE V earliest(V a, V b) {
    return by_register([](auto x, auto y) { return x < y ? x : y; }, a, b);
}

// The next floats above times of 0 or more.
template <class V>
INLINE V after(V time) {
    return by_register([](auto lanes) {
        using R = decltype(lanes);
        return (R)((Mask<R>)lanes + splat<Mask<R>>(1));
    }, time);
}

// Bits of a word as truths of the lanes of V.
template <class V>
INLINE Mask<V> truths_of(u64 word) {
    using M = Mask<V>;
    if constexpr (IN_HALVES<V>) {
        using Half = decltype(V{}.low);
        return {truths_of<Half>(word), truths_of<Half>(word >> LanesOf<Half>::COUNT)};
    } else {
        constexpr Lane<M> ORDER[8] = {1, 2, 4, 8, 16, 32, 64, 128};
        const M one = load<M>(ORDER);
        return (M)((splat<M>(Lane<M>(word)) & one) == one);
    }
}

// Truth values as the bits of a word, the first lane's lowest.
template <class M>
INLINE u64 bits(M lanes) {
    if constexpr (IN_HALVES<M>) {
        return bits(lanes.low) | bits(lanes.high) << LanesOf<decltype(lanes.low)>::COUNT;
    } else {
        [[maybe_unused]] constexpr int BYTES = sizeof(M), WIDE = sizeof(Lane<M>) == 8;
#if defined(VECTORS_X86)
        if constexpr (BYTES == 16 && WIDE) return u64(_mm_movemask_pd((__m128d)lanes));
        if constexpr (BYTES == 16 && !WIDE) return u64(_mm_movemask_ps((__m128)lanes));
#endif
#if defined(__AVX2__)
        if constexpr (BYTES == 32 && WIDE) return u64(_mm256_movemask_pd((__m256d)lanes));
        if constexpr (BYTES == 32 && !WIDE) return u64(_mm256_movemask_ps((__m256)lanes));
#endif
#if defined(VECTORS_AVX512)
        if constexpr (BYTES == 64) return u64(_mm512_movepi64_mask((__m512i)lanes));
#endif
        u64 word = 0;
        for (int lane = 0; lane < LanesOf<M>::COUNT; lane++) word |= u64(lanes[lane] & 1) << lane;
        return word;
    }
}

INLINE float least(Floats4 x) {
    const Floats4 two = earliest(x, __builtin_shufflevector(x, x, 2, 3, 2, 3));
    return two[1] < two[0] ? two[1] : two[0];
}

}  // namespace firebreak
