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
#include "repair.h"

namespace firebreak {

namespace {

using Cells = Array<const i64, ANY>;

// Tries in one fire. state: the fire's overlay, which is `like` between tries. is_beyond: with some
// break the fire burned a cell that it does not burn without.
struct Trial {
    const TryLines& call;
    KeptFire fire;
    u8* state;
    const u8* like;
    ClassValues value;
    bool is_beyond;
};

Trial begun(i64 fire, i64 thread, const i64* offset, const TryLines& call) {
    const i64 slot = call.candidates.slot;
    const Array<const u8, ANY> like = call.overlays.state[slot];
    const Array<u8, ANY> state = call.states[thread];
    __builtin_memcpy(state.data, like.data, size_t(like.size()));
    return {call, kept_fire_of(fire, thread, state, offset, call), state.data, like.data,
            call.values.value_by_class[slot], false};
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

// What narrow breaks save of their own cells, where fire still comes to them.
i64 saved_inside(Cells cells, const Classes& classes, const Trial& trial) {
    const Array<const i64, ANY, ANY>& left = trial.call.candidates.left;
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
    const Classes classes{fire.arcs, fire.view.periods, trial.call.rules.class_limits};
    for (i64 cell : cells) set_around(cell, true, trial);
    for (i64 cell : cells) trial.state[cell] = u8(trial.call.candidates.kind);
    fire.constant = suits_constant_weather(fire.arcs, fire.view);  // not of an ignition in a break
    const i64 size = change(cells, trial.call.crossing, fire), fresh = propagate(size, fire);
    i64 saved = lost_before(classes, trial.value, fire.changes);
    subtract_from(saved, lost_now(fresh, classes, trial.value, fire.work));
    add_to(saved, saved_inside(cells, classes, trial));
    trial.is_beyond = trial.is_beyond || burns_beyond(fire);
    for (i64 cell : cells) set_around(cell, false, trial);
    rollback(fire);
    return saved;
}

// Did a fire burn an inner cell, or one within two cells of it? Arcs that cross a cell which is not
// an end of theirs lead to such a child: most fires that do not depend on a cell lie further away.
INLINE bool burned_within_two(const u8* code, i64 cell, i64 width) {
    static_assert(UNBURNED == 255 && REACH > 2, "all bits are set of what did not burn");
    constexpr u64 FIVE = 0xff'ffff'ffffu;
    u64 all = FIVE;
    for (i64 row = -2; row <= 2; row++) {
        u64 eight;
        __builtin_memcpy(&eight, code + (cell + row * width - 2), sizeof eight);
        all &= eight;
    }
    return all != FIVE;
}

bool depends_on_any(Cells cells, const u8* code, const TryLines& call) {
    for (i64 cell : cells)
        if (burned_within_two(code, cell, call.width) && depends(code, cell, call.crossing))
            return true;
    return false;
}

void try_each_line(i64 k, i64 thread, const i64* offset, const TryLines& call) {
    const i64 fire = call.which[k];
    const u8* const code = call.store.code[fire].data;
    const Array<i64, ANY> out = call.out[k];
    const i64 weight = call.fires.weight[fire];
    Trial trial = begun(fire, thread, offset, call);
    for (i64 line = 0; line < out.size(); line++) {
        const Cells own = call.cells.slice(call.first[line], call.first[line + 1]);
        out[line] =
            depends_on_any(own, code, call) ? times(weight, try_cells(own, trial)) : NOT_TRIED;
    }
    call.beyond[k] = trial.is_beyond;
}

// The lines lie one after the other among `cells`.
const char* fault_of(const TryLines& call) {
    CHECK(check_kept(call));
    const i64 slot = call.candidates.slot, kind = call.candidates.kind;
    if (slot < 0 || slot >= call.overlays.state.size()) return "candidates: a slot out of range";
    if (kind < CLOSED || kind > HELD_BREAK || kind == OPEN || kind == NEAR)
        return "candidates: no code of a break";
    CHECK(check_parts(call.first, call.out.shape[1], call.cells.size()));
    return check_inside(call.cells, call.store.time.shape[1], call.width);
}

}  // namespace

ENTRY(try_lines, TryLines) {
    CHECK(fault_of(call));
    for_fires(call, [&](i64 k, i64 thread, const i64* offset) {
        try_each_line(k, thread, offset, call);
    });
    return nullptr;
}

}  // namespace firebreak
