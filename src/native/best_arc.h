// Choice of the best of the arcs into a cell from cells that are known to burn.
//
// An arc counts as when the fire burns anew: it is looked at in the weather in which the last of
// its ends burns, and goes through as many weather steps as it takes. So its time is a function of
// the times of its ends alone.
//
// Constant weather, in which most fires of training burn, has functions of its own: what several
// weather steps need would slow its loops down.
#pragma once

#include "kept_fire.h"
#include "weather.h"
#include "words.h"

namespace firebreak {

constexpr u64 ALL_ARCS = ~u64(0);
constexpr u64 ALL_FACETS = (u64(1) << FACETS) - 1;  // the bits that mean something

// Some of the arcs into a cell, as bits.
struct ArcBits {
    u64 steps;
    u64 facets;
};

// Is a cell known to burn and to pass fire on?
INLINE bool is_sending(i64 cell, const FireView& view, const Scratch& work) {
    if (work.status[cell] != UNSEEN) return work.status[cell] == FINAL;
    return work.code[cell] != UNBURNED
           && (view.state[cell] == OPEN || kind_of(cell, view) != NARROW_BREAK);
}

// Is an arc better than the best one so far, but for being open?
INLINE bool is_better(float time, i64 code, const Arrival& best) {
    return time < best.time
           || (time == best.time && best.time < HUGE_VALF && code < best.code);
}

// Time of the single step from a cell that is known to send, as if no break closed it.
INLINE float by_step(i64 child, i64 step, const KeptFire& fire, const Scratch& work) {
    const float now = work.time[child + fire.view.offset[step]];
    const double late = double(now) + step_cost(fire.here.metric, fire.here.unit_time, child, step,
                                                fire.view.offset);
    return larger(float(late), later(now));
}

// Time and weight of the arc through a facet as if no break closed it; inf where its ends are not
// known, or it is later than `best`.
INLINE Arrival through_facet(i64 child, i64 facet, float best, const KeptFire& fire,
                             const Scratch& work) {
    const i64* const offset = fire.view.offset;
    const i64 cell_a = child + offset[FACET_A[facet]], cell_b = child + offset[FACET_B[facet]];
    const float time_a = work.time[cell_a], time_b = work.time[cell_b];
    Arrival found{HUGE_VALF, facet + FACET_CODE, -1.0};
    // The child would burn after the later end.
    const float last = larger(time_a, time_b);
    if (!(last < best) || !is_sending(cell_a, fire.view, work)
        || !is_sending(cell_b, fire.view, work))
        return found;
    const Metric& metric = fire.here.metric;
    found.weight = facet_weight(metric, child, facet, time_a, time_b);
    if (found.weight >= 0.0) {
        const double late = double(time_a) + found.weight * (double(time_b) - double(time_a))
                            + facet_cost(metric, child, facet, found.weight, offset);
        found.time = larger(float(late), later(last));
    }
    return found;
}

// `by_step` in weather of several steps.
INLINE float step_through_weathers(i64 child, i64 step, const KeptFire& fire,
                                   const Scratch& work) {
    const Arcs& arcs = fire.arcs;
    const i64* const offset = fire.view.offset;
    const float now = work.time[child + offset[step]];
    const i64 row = row_at(arcs, fire.first, double(now));
    double late = HUGE_VAL;
    if ((arcs.accepts(row, child) >> step & 1) != 0) {
        late = double(now) + step_cost(arcs.metric[row], arcs.unit_time[row], child, step, offset);
        if (late > row_end(arcs, fire.first, row))
            late = arrive_across(arcs, fire.first, double(now), child, step, 0.0, offset);
    }
    return larger(float(late), later(now));
}

// `through_facet` in weather of several steps.
INLINE Arrival facet_through_weathers(i64 child, i64 facet, float best, const KeptFire& fire,
                                      const Scratch& work) {
    const i64* const offset = fire.view.offset;
    const i64 cell_a = child + offset[FACET_A[facet]], cell_b = child + offset[FACET_B[facet]];
    const float time_a = work.time[cell_a], time_b = work.time[cell_b];
    Arrival found{HUGE_VALF, facet + FACET_CODE, -1.0};
    const float last = larger(time_a, time_b);
    if (!(last < best) || !is_sending(cell_a, fire.view, work)
        || !is_sending(cell_b, fire.view, work))
        return found;
    const i64 row = row_at(fire.arcs, fire.first, double(last));
    FacetTime arc{HUGE_VAL, -1.0};
    if ((fire.arcs.facets(row, child) >> facet & 1) != 0)
        arc = facet_time(fire.arcs, weather_of(fire.arcs, fire.first, row),
                         {child, facet, time_a, time_b}, offset);
    found.time = larger(float(arc.late), later(last));
    found.weight = arc.weight;
    return found;
}

// `best_arc` in weather of several steps.
inline Arrival best_through_weathers(ArcBits among, Arrival best, i64 child, i64 kind,
                                     const KeptFire& fire, const Scratch& work) {
    u64 open_steps = 0, open_facets = 0;
    // Which of the rows counts depends on the ends.
    for (i64 row = fire.first; row < fire.first + fire.arcs.steps; row++) {
        open_steps |= fire.arcs.accepts(row, child);
        open_facets |= fire.arcs.facets(row, child);
    }
    for (u64 steps = among.steps & open_steps; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), parent = child + fire.view.offset[step];
        if (!(work.time[parent] < best.time) || !is_sending(parent, fire.view, work)) continue;
        const float time = step_through_weathers(child, step, fire, work);
        if (is_better(time, step, best) && (kind == OPEN || step_open(child, step, fire.view)))
            best = {time, step, 0.0};
    }
    u64 facets = among.facets & open_facets & ALL_FACETS;
    for (; facets != 0; facets &= facets - 1) {
        const i64 facet = lowest_bit(facets);
        const Arrival found = facet_through_weathers(child, facet, best.time, fire, work);
        if (is_better(found.time, found.code, best)
            && (kind == OPEN || facet_open(child, facet, fire.view)))
            best = found;
    }
    return best;
}

// The best of what is given and of the open arcs from known cells among these, into an inner cell
// of this kind.
INLINE Arrival best_arc(ArcBits among, Arrival best, i64 child, i64 kind, const KeptFire& fire,
                        const Scratch& work) {
    if (fire.arcs.steps > 1)
        return best_through_weathers(among, best, child, kind, fire, work);
    for (u64 steps = among.steps & fire.here.accepts[child]; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), parent = child + fire.view.offset[step];
        if (!(work.time[parent] < best.time) || !is_sending(parent, fire.view, work)) continue;
        const float time = by_step(child, step, fire, work);
        if (is_better(time, step, best) && (kind == OPEN || step_open(child, step, fire.view)))
            best = {time, step, 0.0};
    }
    u64 facets = among.facets & fire.here.facets[child] & ALL_FACETS;
    for (; facets != 0; facets &= facets - 1) {
        const i64 facet = lowest_bit(facets);
        const Arrival found = through_facet(child, facet, best.time, fire, work);
        // If it is open is asked last: that takes longest.
        if (is_better(found.time, found.code, best)
            && (kind == OPEN || facet_open(child, facet, fire.view)))
            best = found;
    }
    return best;
}

}  // namespace firebreak
