// What the entries that burn kept fires again share: one fire of a call, and the check of a call.
#pragma once

#include "checks.h"
#include "front.h"
#include "kept_fire.h"

namespace firebreak {

// A thread's scratch memory on a kept fire's own arrays.
INLINE Scratch scratch_of_kept(i64 fire, i64 thread, const KeptFires& store, const Workspace& all) {
    Scratch own = scratch_of(all, thread, store.time.shape[1]);
    own.time = store.time[fire].data, own.code = store.code[fire].data;
    own.weight = store.weight[fire].data;
    return own;
}

// A fire of a call under an overlay's codes, on its own arrays.
template <class Call>
KeptFire kept_fire_of(i64 fire, i64 thread, const Array<const u8, ANY>& state, const i64* offset,
                      const Call& call) {
    const Arcs arcs = arcs_under(fire, call.arcs, call.rules, call.fires);
    const FireView view = view_of(fire, state, offset, call.width, call.rules, call.fires);
    return {arcs,
            call.fires.duration[fire],
            view,
            weather_at(arcs, view.periods, 0.0),
            scratch_of_kept(fire, thread, call.store, call.scratch),
            changes_of_thread(call.changes, thread),
            inner_cells(view.cells, call.width),
            suits_constant_weather(arcs, view)};
}

// Arcs that a break closes lead into cells within REACH.
inline const char* check_crossing(const Crossing& crossing, i64 width) {
    const i64 most = REACH * width + REACH;
    for (i64 child : crossing.child)
        if (child < -most || child > most) return "crossing: a child out of reach";
    return nullptr;
}

// Counts of changes lie within the room for them, and the cells listed in the map.
inline const char* check_changed_cells(const ChangedCells& changed, i64 cells, i64 width) {
    for (i64 slot = 0; slot < changed.how_many.size(); slot++) {
        const i64 count = changed.how_many[slot];
        if (count < 0 || count > changed.cells.shape[1])
            return "changed_cells: more than there is room for";
        CHECK(check_inside(changed.cells[slot].slice(0, count), cells, width));
    }
    return nullptr;
}

// How many plan fires there are.
INLINE i64 plan_fires_of(const KeptFires& store) { return rows_of(store.below); }

// What is kept of plan fires alone is there as a whole.
inline const char* check_store(const KeptFires& store, i64 threads) {
    const i64 plan_fires = plan_fires_of(store);
    if (plan_fires == 0) return nullptr;
    if (plan_fires > store.kept.size()) return "store: more plan fires than fires";
    if (store.order.empty() || store.size.empty() || store.burned.empty()
        || store.downstream.empty())
        return "store: a part of what is kept of plan fires";
    if (store.burned.size() < threads) return "store: sums of fewer threads";
    return nullptr;
}

// What a call's arrays hold, but for those of kept fires, which are asked where they are read;
// empties the room for changes.
template <class Call>
const char* check_kept(const Call& call) {
    CHECK(check_fires(call.which, call.width, call.arcs, call.rules, call.fires, call.overlays));
    CHECK(check_workspace(call.scratch, call.threads, call.store.time.shape[1]));
    CHECK(check_all_classes(call.arcs, call.rules.class_limits,
                            call.values.value_by_class.shape[1]));
    CHECK(check_crossing(call.crossing, call.width));
    CHECK(check_store(call.store, call.threads));
    if (call.arcs.sends_far.empty()) return "arcs: no far arcs";
    for (i64 thread = 0; thread < call.threads; thread++) call.changes.how_many(thread, 0) = 0;
    return nullptr;
}

}  // namespace firebreak
