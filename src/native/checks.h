// Checks that entries share, once for each call. Shapes and types were checked in Python; here are
// those of what arrays hold, so that no number leads a kernel outside of an array. A check returns
// null, or a sentence that says what is wrong.
#pragma once

#include <cmath>
#include <cstring>

#include "scratch.h"

namespace firebreak {

// Returns what is wrong, if anything.
#define CHECK(check)                                  \
    do {                                              \
        if (const char* fault = (check)) return fault; \
    } while (false)

// Rows of an array that may be left out: one without elements has none, whatever its shape.
template <class A>
INLINE i64 rows_of(const A& array) {
    return array.empty() ? 0 : array.size();
}

constexpr i64 FARTHEST = INT32_MAX;  // rows or columns of a step

// The parts of a list of `count` items: part k has those from first[k] to first[k + 1].
inline const char* check_parts(const Array<const i64, ANY>& first, i64 parts, i64 count) {
    if (first.size() != parts + 1) return "first: not one more than there are parts";
    for (i64 part = 0; part < parts; part++)
        if (first[part] > first[part + 1]) return "first: it falls";
    if (first[0] < 0 || first[parts] > count) return "first: out of range";
    return nullptr;
}

// A map of `cells` padded cells has REACH cells of padding at each side, around a cell at least.
inline const char* check_map(i64 cells, i64 width) {
    if (cells > INT32_MAX) return "width: a map of more than 2^31 cells";
    if (width <= 2 * REACH || cells % width != 0 || cells / width <= 2 * REACH)
        return "width: not that of a padded map";
    return nullptr;
}

// Does a padded cell lie in the map, outside of the padding? The map was checked.
INLINE bool inside_map(i64 cell, i64 cells, i64 width) {
    if (cell < REACH * width || cell >= cells - REACH * width) return false;
    const i64 col = cell % width;
    return col >= REACH && col < width - REACH;
}

inline const char* check_inside(const Array<const i64, ANY>& listed, i64 cells, i64 width) {
    for (i64 cell : listed)
        if (!inside_map(cell, cells, width)) return "cells: a cell outside the map";
    return nullptr;
}

// The padding of an overlay is CLOSED: so no cell in it burns, and all arcs into cells that burn
// lie within the padded map, where cells that are CLOSED and not the ignition send no fire.
inline const char* check_padding(const u8* state, i64 cells, i64 width) {
    u8 open = 0;
    const i64 ends = REACH * width;
    for (i64 cell = 0; cell < ends; cell++) open |= state[cell] | state[cells - 1 - cell];
    for (i64 row_end = ends + width; row_end <= cells - ends; row_end += width)
        for (i64 k = -REACH; k < REACH; k++) open |= state[row_end + k];
    return open == CLOSED ? nullptr : "overlays: an open cell in the padding";
}

// Scratch memory of at least so many threads, with room for maps of `cells`; what leads from it to
// other memory is emptied: the buckets of the queue, and the count of the breaks that crews hold.
inline const char* check_workspace(const Workspace& all, i64 threads, i64 cells) {
    if (threads < 1 || threads > all.time.size()) return "scratch: memory for fewer threads";
    if (all.time.shape[1] < cells) return "scratch: memory for a smaller map";
    if (all.queue.shape[1] < 2 * cells + QUEUE_SPARE) return "scratch: a queue without room";
    for (i64 thread = 0; thread < threads; thread++) {
        FrontRoom& front = *front_room(all, thread);
        std::memset(front.counts, 0, sizeof front.counts);
        std::memset(front.occupied, 0, sizeof front.occupied);
        front.stopped = 0;
    }
    return nullptr;
}

inline const char* check_arcs(const Arcs& arcs) {
    if (arcs.steps < 1) return "arcs: no weather step";
    if (!(arcs.step_min > 0.0) && arcs.steps > 1) return "arcs: weather steps of no length";
    if (!arcs.edges.empty()) {
        if (arcs.bucket_min.empty() || arcs.sends_far.empty())
            return "arcs: edges without lengths of buckets, or without far arcs";
        for (double length : arcs.bucket_min)
            if (!(length > 0.0) || std::isinf(length)) return "arcs: a bucket of no length";
    }
    return nullptr;
}

inline const char* check_spots(const Spots& spots) {
    if (!spots.cells.empty() && spots.winds.empty()) return "spots: no winds";
    return nullptr;
}

// Classes of intensity lead into tables of values [C, P].
inline const char* check_classes(const Arcs& arcs, const Array<const double, ANY>& limits,
                                 i64 classes) {
    if (limits.size() > 255) return "class_limits: more than a byte holds";
    if (classes < 1) return "value: no class of intensity";
    if (classes > 1 && (arcs.heat.empty() || classes <= limits.size()))
        return "value: classes that the limits do not make";
    return nullptr;
}

// The same for tables that hold whole numbers: of each class that the limits make.
inline const char* check_all_classes(const Arcs& arcs, const Array<const double, ANY>& limits,
                                     i64 classes) {
    CHECK(check_classes(arcs, limits, classes));
    if (!arcs.heat.empty() && classes <= limits.size())
        return "value: fewer classes than the limits make";
    return nullptr;
}

// One fire of the table: its indices, and those that its overlay leads to.
inline const char* check_fire(i64 fire, i64 width, const Arcs& arcs, const Rules& rules,
                              const FireTable& fires, const Overlays& overlays) {
    const i64 rows = arcs.metric.size(), cells = arcs.metric.shape[1];
    const i64 overlay = fires.overlay[fire];
    if (!inside_map(fires.source[fire], cells, width)) return "sources: a cell outside the map";
    if (overlay < 0 || overlay >= overlays.state.size()) return "fires: an overlay out of range";
    const i64 steps = rules.steps.empty() ? arcs.steps : rules.steps[overlay];
    if (steps < 1 || (steps > 1 && !(arcs.step_min > 0.0))) return "rules: steps out of range";
    const Periods periods = periods_of(fire, fires);
    for (i64 period = 0; period <= periods.later; period++) {
        const i64 row = periods.row_of(period);
        if (row < 0 || row >= rows || steps > rows - row) return "fires: a row out of range";
        if (!rules.breach.empty() && row / rules.rows_a_breach >= rules.breach.size())
            return "rules: too few rows of breach";
    }
    if (arcs.heat.empty() && !rules.ready.empty() && rules.ready(overlay, 0) < HUGE_VALF)
        return "rules: crews, on arcs without heat";
    if (arcs.heat.empty() && periods.burning(rules.crew(5)) < fires.duration[fire])
        return "rules: an initial attack, on arcs without heat";
    return nullptr;
}

// The fires listed, and the padding of their overlays.
inline const char* check_fires(const Array<const i64, ANY>& which, i64 width, const Arcs& arcs,
                               const Rules& rules, const FireTable& fires,
                               const Overlays& overlays) {
    const i64 cells = arcs.metric.shape[1];
    CHECK(check_map(cells, width));
    CHECK(check_arcs(arcs));
    if (!rules.breach.empty() && rules.rows_a_breach < 1) return "rules: no rows for each breach";
    i64 checked = -1;
    for (i64 fire : which) {
        if (fire < 0 || fire >= fires.row.size()) return "which: a fire out of range";
        CHECK(check_fire(fire, width, arcs, rules, fires, overlays));
        const i64 overlay = fires.overlay[fire];
        if (overlay != checked) CHECK(check_padding(overlays.state[overlay].data, cells, width));
        checked = overlay;
    }
    return nullptr;
}

}  // namespace firebreak
