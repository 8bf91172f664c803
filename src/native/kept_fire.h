// One kept fire while it burns on: what it runs on, its own arrays, and room for what changes.
#pragma once

#include "arcs.h"

namespace firebreak {

// A row of each array of `Changes`, where its meaning is told.
struct Changed {
    i32* cell;
    float* time;
    float* weight;
    u8* code;
    i64* how_many;
    i32* more;
};

INLINE Changed changes_of_thread(const Changes& all, i64 thread) {
    return {all.cell[thread].data, all.time[thread].data,     all.weight[thread].data,
            all.code[thread].data, all.how_many[thread].data, all.more[thread].data};
}

// arcs: with the weather steps of the fire's own streams; here: the first.
// work: scratch memory on the fire's own time, code and weight. constant: the fire
// `suits_constant_weather`. Only cells that are `inner` ever change.
struct KeptFire {
    Arcs arcs;
    double duration;
    FireView view;
    Weather here;
    Scratch work;
    Changed changes;
    InnerCells inner;
    bool constant;
};

// The steps by which a cell may send fire further than to its neighbours, as bits, in whichever
// weather.
INLINE u64 far_steps(i64 cell, const KeptFire& fire) {
    const Periods& periods = fire.view.periods;
    u64 steps = fire.here.sends_far[cell];
    for (i64 period = 1; period <= periods.later; period++)
        steps |= fire.arcs.sends_far(periods.row_of(period), cell);
    return steps;
}

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
