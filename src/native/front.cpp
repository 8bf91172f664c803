// The minimum-travel-time solver for one fire.
// Calls the C library: sqrt, and what `crews.cpp` and `embers.h` say.
//
// Each cell is final when it leaves the queue. It is reached by a single step from a final cell, or
// through the facet between two final cells, at the point of the facet where it burns first. A
// child is never earlier than the later of its parents, so the order of leaving the queue is a
// topological order of the parents, and stopping at the duration is exact. A fixed order of
// evaluation, and ties broken by parent code and cell index: a fire has the same bits in any batch,
// on any thread.
#include "front.h"

#include "crews.h"
#include "embers.h"

namespace firebreak {
namespace {

// A cell that just became final, in whose weather its arcs are looked at.
struct Sender {
    i64 cell;
    float now;
    const Weather& weather;
};

// Improves `best` by the single step to a child, if it is open.
INLINE void offer_step(i64 child, i64 step, i64 kind, const Sender& from, const Fire& fire,
                       const Scratch& work, Arrival& best) {
    if (!(from.weather.accepts[child] >> step & 1)) return;
    if (kind != OPEN && !arc_open(child, step, fire.view)) return;
    const float time =
        step_arrival(fire.arcs, from.weather, child, step, from.now, fire.view);
    if (is_better(time, step, best)
        && (kind == OPEN || !corner_held({child, step, from.now, time}, fire, work)))
        best = {time, step, 0.0};
}

// Improves `best` by the facets of a child that the step to it ends; each is evaluated once, when
// its later end is final.
INLINE void offer_facets(i64 child, i64 step, i64 kind, const Sender& from, const Fire& fire,
                         const Scratch& work, Arrival& best) {
    const i64* offset = fire.view.offset;
    for (u64 facets = from.weather.facets[child] & TOUCHING[step]; facets != 0;
         facets &= facets - 1) {
        const i64 code = lowest_bit(facets) + FACET_CODE;
        const i64 cell_a = child + offset[ARC.a[code]], cell_b = child + offset[ARC.b[code]];
        if (work.status[cell_a] != FINAL || work.status[cell_b] != FINAL) continue;
        if (kind != OPEN && !arc_open(child, code, fire.view)) continue;
        const FacetEnds ends{child, code, work.time[cell_a], work.time[cell_b]};
        const Arrival found = facet_arrival(fire.arcs, from.weather, ends, fire.view);
        if (is_better(found.time, found.code, best)) best = found;
    }
}

// Sends fire to a child; returns the queue's size.
INLINE i64 reach(i64 child, i64 step, const Sender& from, i64 size, const Fire& fire,
                 Scratch& work) {
    const i64 kind = kind_of(child, fire.view);
    if (kind == CLOSED) return size;
    const float before = work.time[child];
    Arrival best{before, work.code[child], work.weight[child]};
    offer_step(child, step, kind, from, fire, work, best);
    offer_facets(child, step, kind, from, fire, work, best);
    if (!(best.time <= fire.duration) || best.code == work.code[child]) return size;
    work.time[child] = best.time;
    work.code[child] = u8(best.code);
    work.weight[child] = float(best.weight);
    return best.time < before ? enqueue(child, best.time, size, work) : size;
}

// Throws a cell's ember; returns the queue's size.
i64 throw_ember(const Sender& from, i64 size, const Fire& fire, Scratch& work) {
    const Ember ember = ember_lands(from.cell, from.weather.row, fire.spots, fire.view);
    const i64 child = ember.target;
    if (child < 0 || work.status[child] != UNSEEN) return size;
    const float time = larger(float(double(from.now) + ember.delay_min), later(from.now));
    if (!(time <= fire.duration && time < work.time[child])) return size;
    work.time[child] = time;
    work.code[child] = u8(SPOT);
    work.weight[child] = 0.0f;
    work.thrower[child] = i32(from.cell);
    return enqueue(child, time, size, work);
}

// Sends fire from a cell to all children that are not final; returns the queue's size.
INLINE i64 send(const Sender& from, i64 size, const Fire& fire, Scratch& work) {
    for (u64 steps = from.weather.sends[from.cell]; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), child = from.cell - fire.view.offset[step];
        if (work.status[child] == UNSEEN) size = reach(child, step, from, size, fire, work);
    }
    return size;
}

// Lets fire spread from the cells in the queue until it is empty; returns the number of cells
// burned.
i64 spread(i64 size, const Fire& fire, Scratch& work) {
    const FireView& view = fire.view;
    const bool throws = !fire.spots.cells.empty();
    Weather weather = weather_at(fire.arcs, view.periods, 0.0);
    i64 burned = 0;
    while (size > 0) {
        const u64 word = work.queue[0];
        drop_first(work.queue, size--);
        const i64 parent = cell_of(word);
        if (work.status[parent] != UNSEEN) continue;
        const float now = time_of(word);
        const bool open = view.state[parent] == OPEN;
        if (!open && may_hold(parent, view) && holds(parent, now, fire, work)) {
            burned = stop(parent, burned, view, work);
            continue;
        }
        work.order[burned++] = i32(parent);
        if (!open && kind_of(parent, view) == NARROW_BREAK) {
            work.status[parent] = u8(BURNED_NO_SPREAD);
            continue;
        }
        work.status[parent] = u8(FINAL);
        if (now >= weather.until)
            weather = weather_at(fire.arcs, view.periods, now);
        const Sender from{parent, now, weather};
        if (throws) size = throw_ember(from, size, fire, work);
        size = send(from, size, fire, work);
    }
    return burned;
}

constexpr i64 SETTLED = 1 << 21;  // cells of maps whose breaches are drawn before a fire burns

// The view of a fire whose breaches are drawn, all of them before it burns, into `state`: so it may
// burn as `suits_constant_weather`.
FireView settled(const FireView& view, u8* state) {
    constexpr u64 HIGH = 0x8080808080808080u, TO_HIGH = 0x0101010101010101u * (128 - NARROW_BREAK);
    for (i64 cell = 0; cell < view.cells; cell += 8) {
        const i64 end = smaller(cell + 8, view.cells);
        u64 eight = HIGH;
        if (end == cell + 8) __builtin_memcpy(&eight, view.state + cell, sizeof eight);
        __builtin_memcpy(state + cell, view.state + cell, size_t(end - cell));
        if ((((eight + TO_HIGH) | eight) & HIGH) == 0) continue;  // no break among them
        for (i64 k = cell; k < end; k++) state[k] = u8(kind_of(k, view));
    }
    FireView own = view;
    own.state = state;
    own.breach = {};
    return own;
}

// Burns a fire whose breaches are drawn first; the classes of intensity, which are not known before
// a fire has burned, lend their room.
i64 burn_settled(const Fire& fire, Scratch& work) {
    const FireView own = settled(fire.view, work.classes);
    const i64 burned = spread_constant_weather(fire.duration, fire.arcs, own, work);
    for (i64 k = 0; k < burned; k++) work.classes[work.order[k]] = 0;
    return burned;
}

i64 burn_out(const Fire& fire, Scratch& work) {
    const FireView& view = fire.view;
    if (fire.spots.cells.empty() && suits_constant_weather(fire.arcs, view))
        return spread_constant_weather(fire.duration, fire.arcs, view, work);
    if (fire.spots.cells.empty() && !view.breach.empty() && view.cells <= SETTLED
        && has_constant_weather(fire.arcs, view))
        return burn_settled(fire, work);
    const i64 source = fire.view.source;
    work.time[source] = 0.0f;
    work.code[source] = u8(IGNITION);
    work.weight[source] = 0.0f;
    return spread(enqueue(source, 0.0f, 0, work), fire, work);
}

}  // namespace

FireView view_of(i64 fire, const Array<const u8, ANY>& state, const i64* offset, i64 width,
                 const Rules& rules, const FireTable& fires) {
    const Periods periods = periods_of(fire, fires);
    Array<const float, ANY, ANY> breach = rules.breach;
    if (!breach.empty() && !(breach(periods.first / rules.rows_a_breach, 0) >= 0.0f)) breach = {};
    const bool manned =
        !rules.ready.empty() && rules.ready(fires.overlay[fire], 0) < HUGE_VALF;
    return {state.data,          fires.source[fire], fires.key[fire], periods, breach,
            rules.rows_a_breach, rules.leak != 0,    width,           offset,  manned,
            state.size()};
}

Arcs arcs_under(i64 fire, const Arcs& arcs, const Rules& rules, const FireTable& fires) {
    Arcs own = arcs;
    if (!rules.steps.empty()) own.steps = rules.steps[fires.overlay[fire]];
    return own;
}

Crews crews_of(i64 fire, const Rules& rules, const FireTable& fires) {
    const double* rule = rules.crew.data;
    const float* ready =
        rules.ready.empty() ? nullptr : rules.ready[fires.overlay[fire]].data;
    return {ready, rule[0], rule[1], rule[2], rule[3], rule[4],
            periods_of(fire, fires).burning(rule[5]), rule[6]};
}

i64 burn_one(const Fire& fire, Scratch& work) {
    const i64 burned = burn_out(fire, work);
    if (fire.crews.attack_min < fire.duration) return end_if_contained(burned, fire, work);
    return burned;
}

void clean(i64 burned, Scratch& work) {
    for (i64 k = 0; k < burned; k++) unburn(work.order[k], work);
    for (i64 k = 0; k < work.front->stopped; k++) unburn(stopped_cell(k, work), work);
    work.front->stopped = 0;
}

}  // namespace firebreak
