// One kept fire while it burns on: what it runs on, its own arrays, and room for what changes.
#pragma once

#include "arcs.h"
#include "changed.h"
#include "inner_cells.h"
#include "words.h"

namespace firebreak {

// One row of a travel field. edges: null where there are none.
struct FieldRow {
    Metric metric;
    UnitTime unit_time;
    const u64* facets;
    const u32* accepts;
    const u32* sends;
    const u32* sends_far;
    const double* edges;
};

INLINE FieldRow field_row(const Arcs& arcs, i64 row) {
    return {arcs.metric[row],       arcs.unit_time[row],
            arcs.facets[row].data,  arcs.accepts[row].data,
            arcs.sends[row].data,   arcs.sends_far[row].data,
            arcs.edges.empty() ? nullptr : arcs.edges[row].data};
}

// arcs: with the weather steps of the fire's own stream, from row `first` on; here: that row.
// work: scratch memory on the fire's own time, code and weight. constant: the fire
// `suits_constant_weather`. Only cells that are `inner` ever change.
struct KeptFire {
    Arcs arcs;
    i64 first;
    double duration;
    FireView view;
    FieldRow here;
    Scratch work;
    Changed changes;
    InnerCells inner;
    bool constant;
};

// Puts a cell whose time improved into the queue; returns the queue's size. A cell that was
// invalidated and queued again at the same time has two entries: where so many leave no room, which
// takes a damaged fire, the cell is left out.
INLINE i64 enqueue_again(i64 cell, float time, i64 size, const Scratch& work) {
    if (size == work.queue_room) {
        size = compact(work.queue, size, work.time);
        if (size == work.queue_room) return size;
    }
    push(work.queue, size, word_of(time, cell));
    return size + 1;
}

}  // namespace firebreak
