// Sums of kept fires as whole numbers.
// Calls the C library: rint, and what `intensity.h` says.
#include "losses.h"


namespace firebreak {
namespace {

constexpr i64 AHEAD = 6;  // cells

// Prefetches what `class_of` reads of a cell some places ahead of the k-th.
INLINE void prefetch_heat(const i32* cells, i64 k, i64 count, const Classes& classes) {
    if (classes.matter() && k + AHEAD < count)
        __builtin_prefetch(&classes.arcs.heat(classes.periods.first, cells[k + AHEAD], 0));
}

INLINE i64 class_in(i64 cell, const Classes& classes, const Scratch& work) {
    return class_of(cell, work.time[cell], work.code[cell], work.weight[cell], classes);
}

// The part of what a cell hands down that its second parent gets.
INLINE i64 second_part(float weight, i64 below) {
    const double part = std::rint(double(weight) * double(below));
    return part > -4e18 && part < 4e18 ? i64(part) : 0;
}

// Calls give(parent, part) for each parent from which fire came to a cell, with its part of an
// amount; embers have none.
template <class Give>
INLINE void to_parents(i64 cell, i64 code, float weight, i64 amount, const i64* offset,
                       const Give& give) {
    if (code < FACET_CODE) return give(cell + offset[code], amount);
    if (code >= ARCS) return;
    const i64 facet = code - FACET_CODE, second = second_part(weight, amount);
    give(cell + offset[FACET_B[facet]], second);
    give(cell + offset[FACET_A[facet]], amount - second);
}

}  // namespace

i64 lost_now(i64 burned, const Classes& classes, const ClassValues& value, Scratch& work) {
    i64 lost = 0;
    for (i64 k = 0; k < burned; k++) {
        prefetch_heat(work.order, k, burned, classes);
        const i64 cell = work.order[k], own = class_in(cell, classes, work);
        work.classes[cell] = u8(own);
        add_to(lost, value(own, cell));
    }
    return lost;
}

i64 lost_before(const Classes& classes, const ClassValues& value, const Changed& changed) {
    const i64 count = *changed.how_many;
    i64 lost = 0;
    for (i64 k = 0; k < count; k++) {
        prefetch_heat(changed.cell, k, count, classes);
        if (changed.code[k] == UNBURNED) continue;
        const i64 cell = changed.cell[k];
        const i64 own =
            class_of(cell, changed.time[k], changed.code[k], changed.weight[k], classes);
        add_to(lost, value(own, cell));
    }
    return lost;
}

i64 lost_anywhere(const Classes& classes, const ClassValues& value, const Scratch& work) {
    i64 lost = 0;
    for (i64 cell = 0; cell < work.cells; cell++)
        if (work.code[cell] != UNBURNED)
            add_to(lost, value(class_in(cell, classes, work), cell));
    return lost;
}

void subtract_fire(const FireSums& sums) {
    const i64 size = smaller(i64(sums.size), sums.cells);
    for (i64 k = 0; k < size; k++) {
        const i64 cell = sums.order[k];
        if (!sums.inner.has(cell)) continue;
        sums.count(cell, -1, sums.below[cell]);
        sums.below[cell] = 0;
    }
}

void add_fire(const FireSums& sums, i64 burned, const i64* offset, const Classes& classes,
              const ClassShares& share, const Scratch& work) {
    i32 *const order = sums.order, *const below = sums.below;
    burned = smaller(burned, sums.cells);
    sums.size = i32(burned);
    for (i64 k = 0; k < burned; k++)
        below[order[k]] = share(class_in(order[k], classes, work), order[k]);
    for (i64 k = burned - 1; k >= 0; k--) {
        const i64 cell = order[k], code = work.code[cell], mine = below[cell];
        sums.count(cell, 1, mine);
        if (code == SPOT && sums.inner.has(work.thrower[cell]))
            add_to(below[work.thrower[cell]], mine);
        to_parents(cell, code, work.weight[cell], mine, offset,
                   [&](i64 parent, i64 part) { add_to(below[parent], part); });
    }
}

i64 close_ranks(const FireSums& sums, i64 fresh, const Scratch& work) {
    const i64 size = smaller(i64(sums.size), sums.cells), most = sums.cells - fresh;
    i64 stands = 0;
    for (i64 k = 0; k < size && stands < most; k++) {
        const i32 cell = sums.order[k];
        if (sums.inner.has(cell) && work.status[cell] == UNSEEN) sums.order[stands++] = cell;
    }
    for (i64 k = 0; k < fresh && stands + k < sums.cells; k++)
        sums.order[stands + k] = work.order[k];
    return stands;
}

namespace {

// Subtracts what cells handed down before they changed from those that stand.
void subtract_old(const FireSums& sums, const i64* offset, const Changed& changed,
                  const Scratch& work) {
    const i64 count = *changed.how_many;
    for (i64 k = 0; k < count; k++) {
        const i64 cell = changed.cell[k], code = changed.code[k];
        if (code == UNBURNED) continue;
        const i64 mine = sums.below[cell];
        sums.count(cell, -1, mine);
        to_parents(cell, code, changed.weight[k], mine, offset, [&](i64 parent, i64 part) {
            if (work.status[parent] == UNSEEN) subtract_from(changed.more[parent], part);
        });
    }
    for (i64 k = 0; k < count; k++) sums.below[changed.cell[k]] = 0;
}

// Numbers of the cells that were reached anew, whose classes are known; what they hand to those
// that stand is kept apart.
void hand_down_fresh(const FireSums& sums, i64 fresh, const i64* offset, const ClassShares& share,
                     i32* more, const Scratch& work) {
    i32* const below = sums.below;
    for (i64 k = fresh - 1; k >= 0; k--) {
        const i64 cell = work.order[k];
        add_to(below[cell], share(work.classes[cell], cell));
        const i64 mine = below[cell];
        sums.count(cell, 1, mine);
        to_parents(cell, work.code[cell], work.weight[cell], mine, offset,
                   [&](i64 parent, i64 part) {
                       add_to(work.status[parent] == UNSEEN ? more[parent] : below[parent], part);
                   });
    }
}

// Hands what cells that stand got more on to their ancestors.
void hand_down_more(const FireSums& sums, i64 stands, const i64* offset, i32* more,
                    const Scratch& work) {
    for (i64 k = stands - 1; k >= 0; k--) {
        const i64 cell = sums.order[k], extra = more[cell];
        if (extra == 0) continue;
        more[cell] = 0;
        const i64 mine = sums.below[cell], code = work.code[cell];
        const float weight = work.weight[cell];
        sums.below[cell] = i32(mine + extra);
        add_to(sums.downstream[cell], times(sums.weight, extra));
        to_parents(cell, code, weight, mine + extra, offset,
                   [&](i64 parent, i64 part) { add_to(more[parent], part); });
        to_parents(cell, code, weight, mine, offset,
                   [&](i64 parent, i64 part) { subtract_from(more[parent], part); });
    }
}

}  // namespace

void correct(const FireSums& sums, i64 fresh, const i64* offset, const ClassShares& share,
             const Changed& changed, const Scratch& work) {
    for (i64 k = 0; k < *changed.how_many; k++) __builtin_prefetch(&sums.below[changed.cell[k]]);
    const i64 stands = close_ranks(sums, fresh, work);
    subtract_old(sums, offset, changed, work);
    hand_down_fresh(sums, fresh, offset, share, changed.more, work);
    hand_down_more(sums, stands, offset, changed.more, work);
    sums.size = i32(stands + fresh);
}

}  // namespace firebreak
