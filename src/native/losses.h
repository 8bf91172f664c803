// Sums of kept fires: losses, burned cells and downstream value as whole numbers.
//
// A cell hands what is lost below it, itself included, to its parents; of two the second gets its
// weight's share, rounded to a whole number, the first the rest. So every cell's number is a
// function of the fire's tree alone, and it does not matter whether numbers are made anew or
// corrected: where some cells changed, only they and their ancestors get others.
#pragma once

#include "intensity.h"
#include "kept_fire.h"

namespace firebreak {

// How a fire's cells are put into classes of intensity.
struct Classes {
    const Arcs& arcs;
    const Periods& periods;
    Array<const double, ANY> limits;

    // Does intensity matter?
    INLINE bool matter() const { return !arcs.heat.empty() && !limits.empty(); }
};

using ClassValues = Array<const i64, ANY, ANY>;  // what burning costs, [C, P]
using ClassShares = Array<const i32, ANY, ANY>;  // the same, coarser, for downstream value

// How many limits lie at or below an intensity; all for nan.
inline i64 class_above(const Array<const double, ANY>& limits, double intensity) {
    i64 from = 0, until = limits.size();
    while (from < until) {
        const i64 middle = from + (until - from) / 2;
        if (limits[middle] > intensity)
            until = middle;
        else
            from = middle + 1;
    }
    return from;
}

// Class of intensity in which a cell burned; 0 where intensity does not matter.
INLINE i64 class_of(i64 cell, float time, i64 code, float weight, const Classes& classes) {
    if (!classes.matter()) return 0;
    return class_above(classes.limits,
                       intensity(classes.arcs, row_at(classes.arcs, classes.periods, time), cell,
                                 code, weight));
}

// What the first `burned` cells of `order` lose together. Leaves their classes of intensity in
// `classes` of the scratch memory.
i64 lost_now(i64 burned, const Classes& classes, const ClassValues& value, Scratch& work);

// What the cells that changed lost together before.
i64 lost_before(const Classes& classes, const ClassValues& value, const Changed& changed);

// What all cells lose together.
i64 lost_anywhere(const Classes& classes, const ClassValues& value, const Scratch& work);

// A plan fire's cells in their order and its downstream value, with the sums of its slot, in which
// it counts `weight` times. Cells in damaged memory that are not `inner` are left out.
struct FireSums {
    i32* order;
    i32& size;
    i32* below;
    i32* burned;
    i64* downstream;
    InnerCells inner;
    i64 cells, weight;

    // Adds the fire `sign` times its weight to the sums in a cell, below which it loses so much.
    INLINE void count(i64 cell, i64 sign, i64 below) const {
        add_to(burned[cell], times(sign, weight));
        add_to(downstream[cell], times(times(sign, weight), below));
    }
};

INLINE FireSums sums_of(const KeptFires& store, i64 fire, i64 slot, i64 thread, i64 weight,
                        const InnerCells& inner) {
    return {store.order[fire].data,         store.size[fire],
            store.below[fire].data,         store.burned[thread][slot].data,
            store.downstream[thread][slot].data, inner,
            store.time.shape[1], weight};
}

// Subtracts a plan fire from its slot's sums.
void subtract_fire(const FireSums& sums);

// Adds a plan fire, whose first `burned` cells are in its order, to its slot's sums.
void add_fire(const FireSums& sums, i64 burned, const i64* offset, const Classes& classes,
              const ClassShares& share, const Scratch& work);

// Makes a plan fire's order: the cells that stand as they stood, then the `fresh` ones. No cell
// that stands has a parent that changed, so parents still come first. Returns their number.
i64 close_ranks(const FireSums& sums, i64 fresh, const Scratch& work);

// Corrects a plan fire's part of its slot's sums by what has changed in it, after `lost_now`.
void correct(const FireSums& sums, i64 fresh, const i64* offset, const ClassShares& share,
             const Changed& changed, const Scratch& work);

}  // namespace firebreak
