// The larger and the smaller of two numbers as Python chooses: the first where neither is.
#pragma once

#include "array.h"

namespace firebreak {

template <class T>
INLINE T larger(T a, T b) {
    return b > a ? b : a;
}

template <class T>
INLINE T smaller(T a, T b) {
    return b < a ? b : a;
}

}  // namespace firebreak
