// Entry that burns kept fires again: what a change of breaks changes in a fire, and nothing else.
//
// Fires keep what `repair.h` takes: time, weight and code of every cell. The work on a fire is done
// on them in place, and its cost follows the cells that change: what they lose and hand down is
// corrected in the sums (`losses.h`).
#include "kept_call.h"
#include "losses.h"
#include "repair.h"

namespace firebreak {

namespace {

// One fire of a call: its number, its slot and the thread that burns it; what burning costs there.
struct Reburning {
    const ReburnMany& call;
    i64 fire, slot, thread;
    ClassValues value;
    ClassShares share;

    bool is_summed() const { return fire < plan_fires_of(call.store); }
    FireSums sums(const InnerCells& inner) const {
        return sums_of(call.store, fire, slot, thread, call.fires.weight[fire], inner);
    }
};

// Loses anew what each cell costs now, after `fresh` cells were reached anew.
void revalue(const Reburning& own, i64 fresh, const Classes& classes, KeptFire& fire) {
    own.call.store.lost[own.fire] = lost_anywhere(classes, own.value, fire.work);
    if (!own.is_summed()) return;
    const FireSums sums = own.sums(fire.inner);
    subtract_fire(sums);
    const i64 stands = close_ranks(sums, fresh, fire.work);
    add_fire(sums, stands + fresh, fire.view.offset, classes, own.share, fire.work);
}

// Solves a kept fire again where breaks came or went.
void burn_on(const Reburning& own, KeptFire& fire) {
    const ReburnMany& call = own.call;
    const ChangedCells& changed = call.changed_cells;
    const Classes classes{fire.arcs, fire.view.periods, call.rules.class_limits};
    const i64 size = change(changed.cells[own.slot].slice(0, changed.how_many[own.slot]),
                            call.crossing, fire);
    const i64 fresh = propagate(size, fire);
    if (changed.revalued[own.slot]) {
        revalue(own, fresh, classes, fire);
    } else {
        i64& lost = call.store.lost[own.fire];
        add_to(lost, lost_now(fresh, classes, own.value, fire.work));
        subtract_from(lost, lost_before(classes, own.value, fire.changes));
        if (own.is_summed())
            correct(own.sums(fire.inner), fresh, fire.view.offset, own.share,
                    fire.changes, fire.work);
    }
    commit(fire);
}

// Forgets how fire came to each cell.
void clear(Scratch& work) {
    for (i64 cell = 0; cell < work.cells; cell++) {
        work.time[cell] = HUGE_VALF;
        work.code[cell] = UNBURNED;
    }
}

// Makes the status of all cells that a fire came to as before it; times and codes stay, of breaks
// that crews hold too: fire was there.
void forget_status(i64 burned, Scratch& work) {
    for (i64 k = 0; k < burned; k++) work.status[work.order[k]] = UNSEEN;
    for (i64 k = 0; k < work.front->stopped; k++) work.status[stopped_cell(k, work)] = UNSEEN;
    work.front->stopped = 0;
}

void burn_anew(const Reburning& own, const Fire& fire, Scratch& work) {
    const KeptFires& store = own.call.store;
    const InnerCells inner = inner_cells(work.cells, own.call.width);
    const bool is_summed = own.is_summed();
    if (is_summed) subtract_fire(own.sums(inner));
    clear(work);
    const i64 burned = burn_one(fire, work);
    const Classes classes{fire.arcs, fire.view.periods, own.call.rules.class_limits};
    store.lost[own.fire] = lost_now(burned, classes, own.value, work);
    forget_status(burned, work);
    if (!is_summed) return;
    const FireSums sums = own.sums(inner);
    for (i64 k = 0; k < burned; k++) sums.order[k] = work.order[k];
    add_fire(sums, burned, fire.view.offset, classes, own.share, work);
}

void reburn(const Reburning& own, const i64* offset) {
    const ReburnMany& call = own.call;
    const KeptFires& store = call.store;
    if (store.kept[own.fire]) {
        KeptFire fire =
            kept_fire_of(own.fire, own.thread, call.overlays.state[own.slot], offset, call);
        burn_on(own, fire);
    } else {
        const Fire fire = fire_of(own.fire, offset, call);
        Scratch work = scratch_of_kept(own.fire, own.thread, store, call.scratch);
        burn_anew(own, fire, work);
        store.kept[own.fire] = call.spots.cells.empty() && !fire.view.manned
                               && fire.crews.attack_min == HUGE_VAL;
    }
    store.loss[own.fire] = double(times(call.fires.weight[own.fire], store.lost[own.fire]))
                           / call.values.unit[own.slot];
}

}  // namespace

ENTRY(reburn_many, ReburnMany) {
    CHECK(check_kept(call));
    CHECK(check_spots(call.spots));
    CHECK(check_changed_cells(call.changed_cells, call.store.time.shape[1], call.width));
    for_fires(call, [&](i64 k, i64 thread, const i64* offset) {
        const i64 fire = call.which[k], slot = call.fires.overlay[fire];
        reburn({call, fire, slot, thread, call.values.value_by_class[slot],
                call.values.share[slot]}, offset);
    });
    return nullptr;
}

}  // namespace firebreak
