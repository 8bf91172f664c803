// Choice of the fires that a change of breaks affects.
#pragma once

#include "invalidate.h"

namespace firebreak {

// May a fire change when a cell becomes a break? It burned the cell, or some child's recorded step
// or facet crosses the cell or is a diagonal beside it. The children lie in memory.
INLINE bool depends(const u8* code, i64 cell, const Crossing& crossing) {
    if (code[cell] != UNBURNED) return true;
    for (i64 k = 0; k < crossing.child.size(); k++)
        if (crosses(code[cell + crossing.child[k]], k, crossing)) return true;
    return false;
}

// Did a fire burn a cell within REACH of an inner one?
INLINE bool burned_within_reach(const u8* code, i64 cell, i64 width) {
    static_assert(UNBURNED == 255 && REACH == 3, "all bits are set of what did not burn");
    u32 all = ~u32(0);
    for (i64 row = -REACH; row <= REACH; row++) {
        u32 west, east;  // four cells each, of which they share the middle one
        __builtin_memcpy(&west, code + (cell + row * width - REACH), sizeof west);
        __builtin_memcpy(&east, code + (cell + row * width), sizeof east);
        all &= west & east;
    }
    return all != ~u32(0);
}

}  // namespace firebreak
