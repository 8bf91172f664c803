// Checks of what is kept of fires between two burns, see `checks.h`.
#pragma once

#include "checks.h"

namespace firebreak {

// Arcs that a break closes lead into cells within REACH.
inline const char* check_crossing(const Crossing& crossing, i64 width) {
    const i64 most = REACH * width + REACH;
    for (i64 child : crossing.child)
        if (child < -most || child > most) return "crossing: a child out of reach";
    return nullptr;
}

// Counts of changes lie within the room for them, and the cells listed in the map.
inline const char* check_changed_cells(const ChangedCells& changed, i64 cells, i64 width) {
    for (i64 slot = 0; slot < changed.how_many.size(); slot++) {
        const i64 count = changed.how_many[slot];
        if (count < 0 || count > changed.cells.shape[1])
            return "changed_cells: more than there is room for";
        for (i64 cell : changed.cells[slot].slice(0, count))
            if (!inside_map(cell, cells, width)) return "changed_cells: a cell outside the map";
    }
    return nullptr;
}

// How many plan fires there are.
INLINE i64 plan_fires_of(const KeptFires& store) { return rows_of(store.below); }

// What is kept of plan fires alone is there as a whole.
inline const char* check_store(const KeptFires& store, i64 threads) {
    const i64 plan_fires = plan_fires_of(store);
    if (plan_fires == 0) return nullptr;
    if (plan_fires > store.kept.size()) return "store: more plan fires than fires";
    if (store.order.empty() || store.size.empty() || store.burned.empty()
        || store.downstream.empty())
        return "store: a part of what is kept of plan fires";
    if (store.burned.size() < threads) return "store: sums of fewer threads";
    return nullptr;
}

}  // namespace firebreak
