// One thread's part of the scratch memory, and one fire's view of the land.
#pragma once

#include "periods.h"
#include "tables.h"

namespace firebreak {

constexpr i64 BUCKETS = 512;    // of a bucket queue, a power of 2
constexpr i64 PER_BUCKET = 72;  // entries; with a power of 2 they would crowd into few cache lines
constexpr i64 BATCH = 8;        // cells that send fire in one go
// Arcs that a batch completes, but for unit steps: unit facets, long steps and facets, and room to
// store a vector.
constexpr i64 TRIED = BATCH * (16 + 24 + 96 + 8);
constexpr i64 FOUND = 8 * 33;  // unit steps of a batch, or a bucket's entries that are put in order

// How many unit steps, and how many other arcs, are listed.
struct Listed {
    u64 steps, others;
};

// What the front needs beside maps: the queue by buckets, with the entries of one bucket after the
// other, how many a bucket has and bits of the buckets that have any; arcs that a batch sends, and
// how many until each of its cells; how many breaks crews hold in the fire.
struct FrontRoom {
    u64 entry[BUCKETS * PER_BUCKET];
    i32 counts[BUCKETS];
    u64 occupied[BUCKETS / 64];
    u64 found[FOUND], tried[TRIED];
    float late[TRIED], share[TRIED];
    Listed ends[BATCH];
    i64 stopped;
    u64 apart[31];  // threads that write to one cache line wait for each other
};
static_assert(sizeof(FrontRoom) == FRONT_WORDS * sizeof(u64), "as Python makes it");

// A row of each array of `Workspace`, where its meaning is told. cells: of the map that burns, for
// which there may be more room.
struct Scratch {
    float* time;
    u8* code;
    float* weight;
    u8* status;
    i32* order;
    double* below;
    u8* classes;
    i32 *thrower, *stack;
    u64* queue;
    i64 queue_room;
    u64* current;
    FrontRoom* front;
    i64 cells;
};

INLINE FrontRoom* front_room(const Workspace& all, i64 thread) {
    return reinterpret_cast<FrontRoom*>(all.front[thread].data);
}

INLINE Scratch scratch_of(const Workspace& all, i64 thread, i64 cells) {
    return {all.time[thread].data,    all.code[thread].data,    all.weight[thread].data,
            all.status[thread].data,  all.order[thread].data,   all.below[thread].data,
            all.classes[thread].data, all.thrower[thread].data, all.stack[thread].data,
            all.queue[thread].data,   all.queue.shape[1],       all.current[thread].data,
            front_room(all, thread),  cells};
}

// Offsets in padded cells from a child to the parent at each step. Codes from damaged memory stay
// inside: there is an entry for each byte.
struct Offsets {
    i64 to[256];
};

INLINE Offsets offsets_for(i64 width) {
    Offsets own{};
    for (i64 step = 0; step < STEPS; step++) own.to[step] = STEP_ROW[step] * width + STEP_COL[step];
    return own;
}

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

// One fire's view of the land. state: codes of its overlay, [P]. source: its ignition cell, which
// burns even in a break. breach: probabilities, of each row of breach, or none where breaks are not
// breached. leak: fire passes between two breaks that touch at a corner. manned: crews may hold
// breaks.
struct FireView {
    const u8* state;
    i64 source;
    u64 key;
    Periods periods;
    Array<const float, ANY, ANY> breach;
    i64 rows_a_breach;
    bool leak;
    i64 width;
    const i64* offset;
    bool manned;
    i64 cells;
};

// The crews that a fire meets. ready: minutes from ignition until they can be in a cell, [P], or
// null where nobody holds breaks. attack_min: in minutes of burning. The rest is the `CrewRule` of
// Python.
struct Crews {
    const float* ready;
    double scale, power, always, never, most_cells, attack_min, cell_ha;
};

// A parent's time, code and weight of a cell, as they are chosen between arcs.
struct Arrival {
    float time;
    i64 code;
    double weight;
};

}  // namespace firebreak
