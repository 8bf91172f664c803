// Entries of what-ifs: what each of many breaks alone would save of each fire, nothing kept of
// them.
//
// Each break that a kept fire depends on is tried in turn on the fire's own arrays: what depends on
// it is invalidated and repaired as in `repair.h`, what was lost before and after is counted over
// the cells that this changed, and they are put back. There is nothing to hand down and no order to
// restore. Losses are whole numbers, so that sums over fires have no rounding.
#include "invalidate.h"
#include "kept_call.h"
#include "losses.h"
#include "parallel.h"
#include "repair.h"

namespace firebreak {

namespace {

using Cells = Array<const i64, ANY>;

// Tries in one fire. state: the fire's overlay, which is `like` between tries. is_beyond: with some
// break the fire burned a cell that it does not burn without.
struct Trial {
    KeptFire fire;
    u8* state;
    const u8* like;
    const Candidates& candidates;
    const Crossing& crossing;
    ClassValues value;
    Array<const double, ANY> limits;
    bool is_beyond;
};

template <class Call>
Trial begun(i64 fire, i64 thread, const i64* offset, const Call& call) {
    const i64 slot = call.candidates.slot;
    const Array<const u8, ANY> like = call.overlays.state[slot];
    const Array<u8, ANY> state = call.states[thread];
    __builtin_memcpy(state.data, like.data, size_t(like.size()));
    return {kept_fire_of<Call>(fire, thread, state, offset, call),
            state.data,
            like.data,
            call.candidates,
            call.crossing,
            call.values.value_by_class[slot],
            call.rules.class_limits,
            false};
}

// Gives the cells within REACH of an inner one the codes that they have beside a break, or else
// without it.
void set_around(i64 cell, bool is_broken, const Trial& trial) {
    const i64 width = trial.fire.view.width;
    for (i64 down = -REACH; down <= REACH; down++)
        for (i64 right = -REACH; right <= REACH; right++) {
            const i64 near = cell + down * width + right;
            const u8 code = trial.like[near];
            trial.state[near] = is_broken && code == OPEN ? u8(NEAR) : code;
        }
}

void set_breaks(Cells cells, const Trial& trial) {
    for (i64 cell : cells) set_around(cell, true, trial);
    for (i64 cell : cells) trial.state[cell] = u8(trial.candidates.kind);
}

void remove_breaks(Cells cells, const Trial& trial) {
    for (i64 cell : cells) set_around(cell, false, trial);
}

// What narrow breaks save of their own cells, where fire still comes to them.
i64 saved_inside(Cells cells, const Classes& classes, const Trial& trial) {
    const Array<const i64, ANY, ANY>& left = trial.candidates.left;
    const Scratch& work = trial.fire.work;
    i64 saved = 0;
    if (left.empty()) return saved;
    for (i64 cell : cells) {
        if (work.code[cell] == UNBURNED) continue;
        const i64 k = class_of(cell, work.time[cell], work.code[cell], work.weight[cell], classes);
        add_to(saved, trial.value(k, cell));
        subtract_from(saved, left(k, cell));
    }
    return saved;
}

// Does the fire burn a cell that it did not burn before it changed?
bool burns_beyond(const KeptFire& fire) {
    const Changed& changes = fire.changes;
    for (i64 k = 0; k < *changes.how_many; k++)
        if (changes.code[k] == UNBURNED && fire.work.code[changes.cell[k]] != UNBURNED)
            return true;
    return false;
}

// What breaks in inner cells save together; all is as before then.
i64 try_cells(Cells cells, Trial& trial) {
    KeptFire& fire = trial.fire;
    const Classes classes{fire.arcs, fire.first, trial.limits};
    set_breaks(cells, trial);
    fire.constant = suits_constant_weather(fire.arcs, fire.view);  // not of an ignition in a break
    const i64 size = change(cells, trial.crossing, fire), fresh = propagate(size, fire);
    i64 saved = lost_before(classes, trial.value, fire.changes);
    subtract_from(saved, lost_now(fresh, classes, trial.value, fire.work));
    add_to(saved, saved_inside(cells, classes, trial));
    trial.is_beyond = trial.is_beyond || burns_beyond(fire);
    remove_breaks(cells, trial);
    rollback(fire);
    return saved;
}

// Where what each candidate saves goes.
using Saved = Array<i64, ANY>;

// Tries the candidate in a cell, if there is one that `is_wanted`.
template <class Wanted>
INLINE void try_cell(i64 cell, const Saved& out, Trial& trial, Wanted is_wanted) {
    if (!trial.fire.inner.has(cell)) return;
    const i64 number = trial.candidates.row[cell];
    if (number >= 0 && number < out.size() && is_wanted(out[number]))
        out[number] = try_cells({&cell, {1}}, trial);
}

// The cells that a plan fire burned, in their order.
Array<const i32, ANY> burned_of(const KeptFires& store, i64 fire) {
    const i64 size = store.size[fire], most = store.order.shape[1];
    return {store.order[fire].data, {size < 0 ? 0 : size < most ? size : most}};
}

// Tries the breaks in cells that burned.
void try_burned(Array<const i32, ANY> burned, const Saved& out, Trial& trial) {
    for (i32 cell : burned) try_cell(cell, out, trial, [](i64) { return true; });
}

// Tries the breaks in cells that did not burn but are crossed by arcs that fire took.
void try_crossed(Array<const i32, ANY> burned, const Crossed& crossed, const Saved& out,
                 Trial& trial) {
    for (i32 child : burned) {
        if (!trial.fire.inner.has(child)) continue;
        const i64 code = trial.fire.work.code[child];
        if (code >= FACET_CODE + FACETS) continue;
        for (i64 k = 0; k < crossed.how_many[code]; k++)
            try_cell(child + crossed.cell(code, k), out, trial,
                     [](i64 saved) { return saved == NOT_TRIED; });
    }
}

void try_all(i64 k, i64 thread, const i64* offset, const TryBreaks& call) {
    const i64 fire = call.which[k];
    const Saved out = call.out[k];
    for (i64& saved : out) saved = NOT_TRIED;
    Trial trial = begun(fire, thread, offset, call);
    const Array<const i32, ANY> burned = burned_of(call.store, fire);
    try_burned(burned, out, trial);
    try_crossed(burned, call.crossed, out, trial);
    for (i64& saved : out)
        if (saved == NOT_TRIED) saved = 0;
    call.beyond[k] = trial.is_beyond;
}

void try_each_line(i64 k, i64 thread, const i64* offset, const TryLines& call) {
    const i64 fire = call.which[k];
    const u8* const code = call.store.code[fire].data;
    const Saved out = call.out[k];
    Trial trial = begun(fire, thread, offset, call);
    for (i64 line = 0; line < out.size(); line++) {
        const Cells own = call.cells.slice(call.first[line], call.first[line + 1]);
        out[line] = NOT_TRIED;
        for (i64 cell : own) {
            if (!depends(code, cell, call.crossing)) continue;
            out[line] = try_cells(own, trial);
            break;
        }
    }
}

template <class Call>
const char* check_trial(const Call& call) {
    CHECK(check_kept(call));
    const Candidates& candidates = call.candidates;
    if (candidates.slot < 0 || candidates.slot >= call.overlays.state.size())
        return "candidates: a slot out of range";
    const i64 kind = candidates.kind;
    if (kind < CLOSED || kind > HELD_BREAK || kind == OPEN || kind == NEAR)
        return "candidates: no code of a break";
    return nullptr;
}

// The lines lie one after the other among `cells`.
const char* check_lines(const TryLines& call) {
    const i64 cells = call.store.time.shape[1], lines = call.out.shape[1];
    if (call.first.size() != lines + 1) return "first: not as many as there are lines, and one";
    if (call.first[0] < 0 || call.first[lines] > call.cells.size())
        return "first: beyond the cells";
    for (i64 line = 0; line < lines; line++)
        if (call.first[line] > call.first[line + 1]) return "first: not in order";
    for (i64 cell : call.cells)
        if (!inside_map(cell, cells, call.width)) return "cells: one outside the map";
    return nullptr;
}

}  // namespace

ENTRY(try_breaks, TryBreaks) {
    CHECK(check_trial(call));
    if (call.candidates.row.empty()) return "candidates: no rows";
    if (!all_within(call.which, 0, plan_fires_of(call.store))) return "which: not a plan fire";
    for (i64 count : call.crossed.how_many)
        if (count < 0 || count > call.crossed.cell.shape[1]) return "crossed: too many cells";
    const Offsets offsets = offsets_for(call.width);
    auto task = [&](i64 k, i64 thread) { try_all(k, thread, offsets.to, call); };
    parallel_for(call.which.size(), call.threads, task);
    return nullptr;
}

ENTRY(try_lines, TryLines) {
    CHECK(check_trial(call));
    CHECK(check_lines(call));
    const Offsets offsets = offsets_for(call.width);
    auto task = [&](i64 k, i64 thread) { try_each_line(k, thread, offsets.to, call); };
    parallel_for(call.which.size(), call.threads, task);
    return nullptr;
}

}  // namespace firebreak
