// The minimum-travel-time solver for one fire, in any weather, with embers, breaches and crews.
#pragma once

#include "arcs.h"
#include "parallel.h"

namespace firebreak {

// A fire and all that it meets.
struct Fire {
    double duration;
    Arcs arcs;
    const Spots& spots;
    FireView view;
    Crews crews;
};

// One fire's view of the land under an overlay's codes.
FireView view_of(i64 fire, const Array<const u8, ANY>& state, const i64* offset, i64 width,
                 const Rules& rules, const FireTable& fires);

// The travel field that one fire runs on, with as many weather steps as its own streams have.
Arcs arcs_under(i64 fire, const Arcs& arcs, const Rules& rules, const FireTable& fires);

// The crews that one fire meets.
Crews crews_of(i64 fire, const Rules& rules, const FireTable& fires);

// A fire of a call that burns fires of a table under overlays.
template <class Call>
Fire fire_of(i64 fire, const i64* offset, const Call& call) {
    return {call.fires.duration[fire],
            arcs_under(fire, call.arcs, call.rules, call.fires), call.spots,
            view_of(fire, call.overlays.state[call.fires.overlay[fire]], offset, call.width,
                    call.rules, call.fires),
            crews_of(fire, call.rules, call.fires)};
}

// Calls task(k, thread, offset) for each fire that a call lists, in parallel; offset: of steps.
template <class Call, class Task>
void for_fires(const Call& call, const Task& task) {
    const Offsets offsets = offsets_for(call.width);
    parallel_for(call.which.size(), call.threads,
                 [&](i64 k, i64 thread) { task(k, thread, offsets.to); });
}

// Does this fire burn in one weather, on arcs that are known by edges, and meet no crews?
inline bool has_constant_weather(const Arcs& arcs, const FireView& view) {
    return !arcs.edges.empty() && !arcs.bucket_min.empty() && is_constant(arcs, view)
           && !view.manned;
}

// Does this fire, if it throws no embers, burn as the functions here assume?
inline bool suits_constant_weather(const Arcs& arcs, const FireView& view) {
    const u8 kind = view.state[view.source];
    return has_constant_weather(arcs, view) && view.breach.empty()
           && (kind == OPEN || kind == NEAR);
}

// Burns a fire into clean scratch memory; returns the number of cells burned. Needs
// `suits_constant_weather`. Leaves `status` alone.
i64 spread_constant_weather(double duration, const Arcs& arcs, const FireView& view,
                            Scratch& work);

// Burns one fire into clean scratch memory; returns the number of cells burned. A fire that the
// initial attack contains ends there.
i64 burn_one(const Fire& fire, Scratch& work);

// Makes a cell of the scratch memory as before the fire.
INLINE void unburn(i64 cell, Scratch& work) {
    work.time[cell] = HUGE_VALF;
    work.code[cell] = UNBURNED;
    work.status[cell] = UNSEEN;
}

// The k-th break that crews hold in a fire; they stand at the end of `order`, the first one last.
INLINE i64 stopped_cell(i64 k, const Scratch& work) { return work.order[2 * work.cells - 1 - k]; }

// Makes the scratch memory ready for the next fire.
void clean(i64 burned, Scratch& work);

// Puts a cell whose time improved into the queue; returns the queue's size.
INLINE i64 enqueue(i64 child, float time, i64 size, Scratch& work) {
    if (size == work.queue_room) size = compact(work.queue, size, work.time);
    push(work.queue, size, word_of(time, child));
    return size + 1;
}

}  // namespace firebreak
