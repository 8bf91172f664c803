// Entries that choose the fires which a change of breaks affects.
#include "invalidate.h"
#include "kept_call.h"
#include "lanes.h"

namespace firebreak {

namespace {

constexpr i64 AHEAD = 4;  // fires

// The fires of a slot: plan fires and reward fires lie apart.
struct FireRange {
    i64 first, end;
};
struct SlotFires {
    FireRange part[2];
};

SlotFires fires_of(i64 slot, i64 slots, i64 plan_fires, i64 reward_fires) {
    const i64 reward = slots * plan_fires + slot * reward_fires;
    return {{{slot * plan_fires, (slot + 1) * plan_fires}, {reward, reward + reward_fires}}};
}

// The slots have so many fires, and room to note changes.
const char* check_slots(const ChangedCells& changed, i64 plan_fires, i64 reward_fires, i64 fires) {
    const i64 slots = changed.how_many.size();
    if (plan_fires < 0 || reward_fires < 0 || plan_fires > fires || reward_fires > fires
        || slots > INT32_MAX || fires > INT32_MAX || slots * (plan_fires + reward_fires) != fires)
        return "plan_fires, reward_fires: not as many as the slots have";
    if (changed.cells.shape[1] < 1) return "changed_cells: no room";
    for (i64 count : changed.how_many)
        if (count < 0 || count > changed.cells.shape[1])
            return "changed_cells: more than there is room for";
    return nullptr;
}

void note_change(i64 slot, i64 place, const SlotFires& fires, const ChangedCells& changed,
                 const Array<bool, ANY>& kept, const u8* stale) {
    i64& count = changed.how_many[slot];
    if (count == changed.cells.shape[1]) {
        for (const FireRange& part : fires.part)
            for (i64 fire = part.first; fire < part.end; fire++)
                kept[fire] = kept[fire] && stale[fire] == 0;
        count = 0;
    }
    changed.cells(slot, count++) = place;
}

// Did a fire burn a cell within REACH of an inner one?
INLINE bool burned_within_reach(const u8* code, i64 cell, i64 width) {
    static_assert(UNBURNED == 255 && REACH == 3, "all bits are set of what did not burn");
    u32 all = ~u32(0);
    for (i64 row = -REACH; row <= REACH; row++) {
        u32 west, east;  // four cells each, of which they share the middle one
        __builtin_memcpy(&west, code + (cell + row * width - REACH), sizeof west);
        __builtin_memcpy(&east, code + (cell + row * width), sizeof east);
        all &= west & east;
    }
    return all != ~u32(0);
}

// Prefetches what `burned_within_reach` looks at.
INLINE void prefetch_near(const u8* code, i64 cell, i64 width) {
    for (i64 row = -REACH; row <= REACH; row++) prefetch(code, u64(cell + row * width));
}

void break_affects(i64 place, const FireRange& fires, const BreaksAffect& call) {
    for (i64 fire = fires.first; fire < fires.end; fire++) {
        // Codes of fires lie far apart.
        const i64 soon = fire + AHEAD < fires.end ? fire + AHEAD : fires.end - 1;
        prefetch_near(call.codes[soon].data, place, call.width);
        const u8* const code = call.codes[fire].data;
        if (!burned_within_reach(code, place, call.width)) continue;
        call.affected[fire]++;
        if (call.sources[fire] != place && depends(code, place, call.crossing))
            call.stale[fire] = 1;
    }
}

}  // namespace

ENTRY(depends_on, DependsOn) {
    const i64 cells = call.codes.shape[1];
    if (call.cell < 0 || call.cell >= cells) return "cell: outside the map";
    for (i64 child : call.crossing.child)
        if (child < -call.cell || child >= cells - call.cell)
            return "crossing: a child outside the map";
    for (i64 fire = 0; fire < call.codes.size(); fire++)
        if (call.sources[fire] != call.cell
            && depends(call.codes[fire].data, call.cell, call.crossing))
            call.out[fire] = 1;
    return nullptr;
}

ENTRY(list_change, ListChange) {
    const ChangedCells& changed = call.changed_cells;
    CHECK(check_slots(changed, call.plan_fires, call.reward_fires, call.kept.size()));
    if (call.slot < 0 || call.slot >= changed.how_many.size()) return "slot: out of range";
    note_change(call.slot, call.place,
                fires_of(call.slot, changed.how_many.size(), call.plan_fires, call.reward_fires),
                changed, call.kept, call.stale.data);
    return nullptr;
}

ENTRY(breaks_affect, BreaksAffect) {
    const ChangedCells& changed = call.changed_cells;
    const i64 slots = changed.how_many.size(), cells = call.codes.shape[1];
    CHECK(check_map(cells, call.width));
    CHECK(check_slots(changed, call.plan_fires, call.reward_fires, call.kept.size()));
    CHECK(check_crossing(call.crossing, call.width));
    if (!all_within(call.slots, 0, slots)) return "slots: one out of range";
    CHECK(check_inside(call.places, cells, call.width));
    for (i64 k = 0; k < call.places.size(); k++) {
        const i64 place = call.places[k];
        const SlotFires fires =
            fires_of(call.slots[k], slots, call.plan_fires, call.reward_fires);
        note_change(call.slots[k], place, fires, changed, call.kept, call.stale.data);
        for (const FireRange& part : fires.part) break_affects(place, part, call);
    }
    return nullptr;
}

}  // namespace firebreak
