// What a cell gets from its eight neighbours in a fire that burns again, and which of them breaks
// shut off.
//
// The same arcs in the same order of evaluation as in `front.cpp`, so with the same bits; but those
// of all eight neighbours are one vector.
#pragma once

#include "front_lanes.h"
#include "kept_fire.h"

namespace firebreak {

// Bits of the neighbours to which no step leads from a cell near a break, or from which none leads
// to it: those that do not burn, `closed`, and those past two breaks that touch at a corner.
INLINE u64 shut_around(u64 cell, u64 closed, const FireView& view) {
    static_assert(LANE_COL[1] == 0 && LANE_COL[3] == -1 && LANE_COL[4] == 1 && LANE_COL[6] == 0,
                  "lanes 1, 3, 4 and 6 are north, west, east and south");
    if (view.leak) return closed;
    const u64 beside = closed | lanes_equal(view.state, cell, u64(view.width), NARROW_BREAK);
    const u64 north = beside >> 1, west = beside >> 3, east = beside >> 4, south = beside >> 6;
    return closed | (north & west & 1) | (north & east & 1) << 2 | (south & west & 1) << 5
           | (south & east & 1) << 7;
}

// Prefetches what a cell's arcs to and from its neighbours take.
INLINE void prefetch_around(u64 cell, const double* edges, const float* metric, u64 width) {
    for (u64 row = 0; row < 3; row++) {
        const u64 first = cell - 1 + row * width - width;
        prefetch(metric, first * METRIC_PARTS);
        for (u64 k = 0; k < 3; k++) prefetch(edges, (first + k) * 8);
    }
}

// Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on.
INLINE u64 known_around(u64 cell, const FireView& view, const Scratch& work) {
    const u64 width = u64(view.width), status = bytes_around(work.status, cell, width);
    u64 stand = zero_bytes(status ^ eight_bytes(UNSEEN));
    if (view.state[cell] != OPEN) stand &= ~lanes_equal(view.state, cell, width, NARROW_BREAK);
    const u64 known = stand | zero_bytes(status ^ eight_bytes(FINAL));
    return known & ~lanes_equal(work.code, cell, width, UNBURNED);
}

// The best arc into a cell of a fire that burns again, through unit steps and unit facets from
// known cells; inf, UNBURNED and 0 if there is none.
INLINE Arrival pull_constant_weather(i64 child, const KeptFire& fire, const Scratch& work) {
    constexpr Arrival NONE{HUGE_VALF, UNBURNED, 0.0};
    const FireView& view = fire.view;
    const u64 cell = u64(child), width = u64(view.width), known = known_around(cell, view, work);
    if (known == 0) return NONE;
    u64 shut = 0;
    if (view.state[cell] != OPEN)
        shut = shut_around(cell, lanes_equal(view.state, cell, width, CLOSED), view);
    const u64 word = pull_around({fire.here.edges, fire.here.metric.data, work.time, width, known,
                                  shut}, cell, work.near_weight);
    const float time = time_of(word);
    const i64 code = i64(word & 255);
    if (time == HUGE_VALF) return NONE;
    if (code < FACET_CODE) return {time, code, 0.0};
    return {time, code, double(work.near_weight[LANE_OF_STEP[code - FACET_CODE]])};
}

}  // namespace firebreak
