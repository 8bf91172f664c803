// Arrays that Python hands over: C-contiguous, with their shape. Nothing here owns memory.
#pragma once

#include <cstdint>

#define INLINE inline __attribute__((always_inline))

namespace firebreak {

using u8 = std::uint8_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr i64 ANY = -1;  // a length that is known at run time alone

// An array of at least one axis; `Lengths` are those known when this is compiled, else ANY. Its
// memory is that of the struct that `native_library.layouts` packs: a pointer, then the shape.
template <class T, i64... Lengths>
struct Array;

template <class T, i64 Length>
struct Array<T, Length> {
    T* data;
    i64 shape[1];

    INLINE i64 size() const { return Length == ANY ? shape[0] : Length; }
    INLINE bool empty() const { return size() == 0; }
    INLINE T& operator[](i64 k) const { return data[k]; }
    INLINE T& operator()(i64 k) const { return data[k]; }
    INLINE T* begin() const { return data; }
    INLINE T* end() const { return data + size(); }
    // The elements from `first` until `end`.
    INLINE Array<T, ANY> slice(i64 first, i64 end) const { return {data + first, {end - first}}; }
    INLINE operator Array<const T, Length>() const { return {data, {shape[0]}}; }
};

template <class T, i64 First, i64 Second, i64... Rest>
struct Array<T, First, Second, Rest...> {
    static constexpr int AXES = 2 + sizeof...(Rest);
    T* data;
    i64 shape[AXES];

    INLINE i64 size() const { return First == ANY ? shape[0] : First; }  // of the first axis
    INLINE bool empty() const {
        for (i64 length : shape)
            if (length == 0) return true;
        return false;
    }
    // The part k along the first axis.
    INLINE Array<T, Second, Rest...> operator[](i64 k) const {
        Array<T, Second, Rest...> part{};
        for (int axis = 1; axis < AXES; axis++) part.shape[axis - 1] = shape[axis];
        part.data = data + k * stride();
        return part;
    }
    template <class... Index>
    INLINE T& operator()(i64 k, Index... rest) const {
        return (*this)[k](rest...);
    }
    // All elements as one axis.
    INLINE Array<T, ANY> flat() const { return {data, {size() * stride()}}; }
    INLINE operator Array<const T, First, Second, Rest...>() const {
        Array<const T, First, Second, Rest...> same{};
        same.data = data;
        for (int axis = 0; axis < AXES; axis++) same.shape[axis] = shape[axis];
        return same;
    }

  private:
    INLINE i64 stride() const {
        constexpr i64 known[] = {First, Second, Rest...};
        i64 elements = 1;
        for (int axis = 1; axis < AXES; axis++)
            elements *= known[axis] == ANY ? shape[axis] : known[axis];
        return elements;
    }
};

// The larger and the smaller of two numbers as Python chooses: the first where neither is.
template <class T>
INLINE T larger(T a, T b) {
    return b > a ? b : a;
}
template <class T>
INLINE T smaller(T a, T b) {
    return b < a ? b : a;
}

// Sums wrap around where memory holds nonsense, instead of being undefined.
template <class T>
INLINE void add_to(T& sum, i64 amount) {
    sum = T(u64(i64(sum)) + u64(amount));
}
template <class T>
INLINE void subtract_from(T& sum, i64 amount) {
    sum = T(u64(i64(sum)) - u64(amount));
}

// A product that wraps around, as sums do.
INLINE i64 times(i64 weight, i64 amount) { return i64(u64(weight) * u64(amount)); }

// Index of the lowest set bit of a word that is not zero.
INLINE i64 lowest_bit(u64 word) { return __builtin_ctzll(word); }

// All bits of a float or an integer as those of another type of the same size.
template <class To, class From>
INLINE To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To same;
    __builtin_memcpy(&same, &value, sizeof same);
    return same;
}

// Checks of the indices that an array holds, once for each call, before it is used.
template <class T>
INLINE bool all_within(Array<const T, ANY> indices, i64 first, i64 end) {
    for (T index : indices)
        if (i64(index) < first || i64(index) >= end) return false;
    return true;
}

}  // namespace firebreak

// An entry of the library. It returns null, or a sentence that says what is wrong.
#define ENTRY(name, Arguments)                                                  \
    extern "C" __attribute__((visibility("default"))) const char* firebreak_##name( \
        const firebreak::Arguments& call)
