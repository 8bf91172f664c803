// What a cell gets from its neighbours, as entries for tests.
#include "checks.h"
#include "front_lanes.h"
#include "inner_cells.h"

namespace firebreak {

ENTRY(probe_neighbors, ProbeNeighbors) {
    const i64 cells = call.code.size();
    CHECK(check_map(cells, call.width));
    const InnerCells inner = inner_cells(cells, call.width);
    const u64 width = u64(call.width);
    for (i64 k = 0; k < call.cells.size(); k++) {
        if (!inner.has(call.cells[k])) return "cells: a cell in the padding";
        const u64 cell = u64(call.cells[k]);
        const float now = call.time[call.cells[k]];
        const Floats times = around(call.time.data, cell, width);
        const PullFrom from{call.edges.data, call.metric.data, call.time.data, width,
                            call.bits(k, 0), call.bits(k, 1)};
        call.found(k, 0) = children_around(call.code.data, cell, width);
        call.found(k, 1) = not_acute_around(call.metric.data, cell);
        call.found(k, 2) = lanes_final(times, now);
        call.found(k, 3) = lanes_after(times, now);
        call.found(k, 4) = pull_around(from, cell, &call.weight(k, 0));
    }
    return nullptr;
}

ENTRY(probe_order, ProbeOrder) {
    const i64 count = call.words.size() - 8;
    if (count < 0) return "words: fewer than eight";
    for (u64 word : call.words)
        if (word >> 63 != 0) return "words: one that is too large";
    for (i64 k = 0; k < count; k += 8)
        put_in_order(call.words.data, u64(k), u64(count), call.out.data);
    return nullptr;
}

}  // namespace firebreak
