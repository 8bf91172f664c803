// Choice of the best of the arcs into a cell from cells that are known to burn.
//
// An arc counts as when the fire burns anew: it is looked at in the weather in which the last of
// its ends burns, and goes through as many weather steps as it takes. So its time is a function of
// the times of its ends alone.
#pragma once

#include "kept_fire.h"

namespace firebreak {

constexpr u64 ALL_ARCS = ~u64(0);
constexpr u64 ALL_FACETS = (u64(1) << FACETS) - 1;  // the bits that mean something

// Some of the arcs into a cell, as bits.
struct ArcBits {
    u64 steps, facets;
};

// Is a cell known to burn and to pass fire on?
INLINE bool is_sending(i64 cell, const FireView& view, const Scratch& work) {
    if (work.status[cell] != UNSEEN) return work.status[cell] == FINAL;
    return work.code[cell] != UNBURNED
           && (view.state[cell] == OPEN || kind_of(cell, view) != NARROW_BREAK);
}

// Those of some arcs that are open in any weather of the fire: which one counts depends on the
// ends. Not inlined, for most fires have one weather.
__attribute__((noinline)) inline ArcBits open_in_any(ArcBits among, i64 child,
                                                     const KeptFire& fire) {
    u64 steps = 0, facets = 0;
    const Periods& periods = fire.view.periods;
    for (i64 period = 0; period <= periods.later; period++) {
        const i64 first = periods.row_of(period);
        for (i64 row = first; row < first + fire.arcs.steps; row++) {
            steps |= fire.arcs.accepts(row, child);
            facets |= fire.arcs.facets(row, child);
        }
    }
    return {among.steps & steps, among.facets & facets & ALL_FACETS};
}

// Calls task(weather) with the weather in which a cell burned at `time`. Constant weather, in which
// most fires of training burn, is not looked up.
template <class Task>
INLINE auto in_weather(float time, const KeptFire& fire, const Task& task) {
    if (is_constant(fire.arcs, fire.view)) return task(fire.here);
    return task(weather_at(fire.arcs, fire.view.periods, double(time)));
}

// The best of what is given and of the open arcs from known cells among these, into an inner cell
// of this kind. If an arc is free of breaks is asked last: that takes longest.
INLINE Arrival best_arc(ArcBits among, Arrival best, i64 child, i64 kind, const KeptFire& fire,
                        const Scratch& work) {
    const FireView& view = fire.view;
    const i64* const offset = view.offset;
    ArcBits open{among.steps & fire.here.accepts[child],
                 among.facets & fire.here.facets[child] & ALL_FACETS};
    if (!is_constant(fire.arcs, view)) open = open_in_any(among, child, fire);
    for (u64 steps = open.steps; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), parent = child + offset[step];
        const float now = work.time[parent];
        if (!(now < best.time) || !is_sending(parent, view, work)) continue;
        const float time = in_weather(now, fire, [&](const Weather& weather) {
            if ((weather.accepts[child] >> step & 1) == 0) return HUGE_VALF;
            return step_arrival(fire.arcs, weather, child, step, now, view);
        });
        if (is_better(time, step, best) && (kind == OPEN || arc_open(child, step, view)))
            best = {time, step, 0.0};
    }
    for (u64 facets = open.facets; facets != 0; facets &= facets - 1) {
        const i64 facet = lowest_bit(facets), code = facet + FACET_CODE;
        const i64 cell_a = child + offset[ARC.a[code]], cell_b = child + offset[ARC.b[code]];
        const float time_a = work.time[cell_a], time_b = work.time[cell_b];
        const float last = larger(time_a, time_b);
        // The child would burn after the later end.
        if (!(last < best.time) || !is_sending(cell_a, view, work)
            || !is_sending(cell_b, view, work))
            continue;
        const Arrival found = in_weather(last, fire, [&](const Weather& weather) {
            if ((weather.facets[child] >> facet & 1) == 0)
                return Arrival{HUGE_VALF, UNBURNED, -1.0};
            return facet_arrival(fire.arcs, weather, {child, code, time_a, time_b}, view);
        });
        if (is_better(found.time, code, best) && (kind == OPEN || arc_open(child, code, view)))
            best = found;
    }
    return best;
}

}  // namespace firebreak
