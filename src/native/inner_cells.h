// The padded cells from which every step stays in memory, whatever is written there.
#pragma once

#include "tables.h"

namespace firebreak {

// All cells of the map are among these, and some of the padding beside it. A look from one of them
// as far as REACH, in rows and in columns, finds cells of the array.
struct InnerCells {
    u64 first;
    u64 count;

    INLINE bool has(i64 cell) const { return u64(cell) - first < count; }
};

// cells: of the padded map, of more than 2 * REACH rows of `width`, which is more than 2 * REACH.
INLINE InnerCells inner_cells(i64 cells, i64 width) {
    const i64 first = REACH * width + REACH;
    return {u64(first), u64(cells - 2 * first)};
}

}  // namespace firebreak
