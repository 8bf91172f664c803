// Invalidation: the cells of a kept fire that lose the arc by which fire came to them.
#pragma once

#include "facet_lanes.h"
#include "kept_fire.h"

namespace firebreak {

// Eight bytes, a number for each lane, as one word.
template <class T>
constexpr u64 lane_bytes(const T (&numbers)[8], int more) {
    u64 word = 0;
    for (int lane = 0; lane < 8; lane++) word |= u64(numbers[lane] + more) << (8 * lane);
    return word;
}

// Bits of the neighbours that fire reached from a cell by a step, or through a unit facet that ends
// in it. code: of parents.
INLINE u64 children_around(const u8* code, u64 cell, u64 width) {
    constexpr u64 BY_STEP = lane_bytes(STEP_OF_LANE, 0);
    constexpr u64 BY_FACET_BEFORE = lane_bytes(BEFORE.facet.lane, FACET_CODE);
    constexpr u64 BY_FACET_BEHIND = lane_bytes(BEHIND.facet.lane, FACET_CODE);
    const u64 near = bytes_around(code, cell, width);
    return zero_bytes(near ^ BY_STEP) | zero_bytes(near ^ BY_FACET_BEFORE)
           | zero_bytes(near ^ BY_FACET_BEHIND);
}

// Lists a cell that is about to change for the first time, as it was.
INLINE void note(i64 cell, const Changed& changes, const Scratch& work) {
    if (work.status[cell] == INVALIDATED) return;
    work.status[cell] = INVALIDATED;
    const i64 k = *changes.how_many;
    if (k == work.cells) return;  // in damaged memory alone a cell is listed twice
    changes.cell[k] = i32(cell), changes.time[k] = work.time[cell];
    changes.code[k] = work.code[cell], changes.weight[k] = work.weight[cell];
    *changes.how_many = k + 1;
}

// Invalidates how fire came to a cell, and stacks it; returns how many stand there then.
//
// When it came is left to `invalidate_times`: to wait for it here, cell by cell, takes longer. But
// a cell that was invalidated before, and reached anew since, is noted already.
INLINE i64 invalidate(i64 cell, i64 invalidated, const InnerCells& inner, const Changed& changes,
                      const Scratch& work) {
    if (!inner.has(cell)) return invalidated;
    if (work.status[cell] != INVALIDATED) {
        work.status[cell] = INVALIDATED;
        const i64 k = *changes.how_many;
        if (k < work.cells) {
            changes.cell[k] = i32(cell), changes.code[k] = work.code[cell];
            *changes.how_many = k + 1;
        }
    } else {
        work.time[cell] = INFINITY;
    }
    work.code[cell] = UNBURNED;
    work.stack[invalidated] = i32(cell);
    return invalidated + 1;
}

// Does what `invalidate` leaves to do, for the changes from `first` on.
INLINE void invalidate_times(i64 first, const Changed& changes, const Scratch& work) {
    const i64 end = *changes.how_many;
    for (i64 k = first; k < end; k++) {
        const i32 cell = changes.cell[k];
        changes.time[k] = work.time[cell], changes.weight[k] = work.weight[cell];
        work.time[cell] = INFINITY;
    }
}

// Is the cell at `step` a parent of a cell of this code?
INLINE bool comes_by(i64 code, i64 step) {
    if (code < FACET_CODE) return code == step;
    if (code >= ARCS) return false;
    return (TOUCHING[step] >> (code - FACET_CODE) & 1) != 0;
}

// Invalidates all that fire reached from an inner cell.
INLINE i64 invalidate_children(i64 parent, i64 invalidated, const KeptFire& fire,
                               const Changed& changes, const Scratch& work) {
    const i64* const offset = fire.view.offset;
    for (u64 near = children_around(work.code, u64(parent), u64(fire.view.width)); near != 0;
         near &= near - 1)
        invalidated = invalidate(parent - offset[STEP_OF_LANE[lowest_bit(near)]], invalidated,
                                 fire.inner, changes, work);
    for (u64 steps = far_steps(parent, fire); steps != 0; steps &= steps - 1) {
        const i64 step = i64(lowest_bit(steps)), child = parent - offset[step];
        if (comes_by(work.code[child], step))
            invalidated = invalidate(child, invalidated, fire.inner, changes, work);
    }
    return invalidated;
}

// Invalidates all that depends on the cells on the stack, which are among the changes from `noted`
// on; returns how many stand there then.
inline i64 invalidate_descendants(i64 invalidated, i64 noted, const KeptFire& fire) {
    const Scratch work = fire.work;
    const Changed changes = fire.changes;
    // Each cell that is stacked loses its code, by which alone it could be stacked again.
    for (i64 done = 0; done < invalidated; done++)
        invalidated = invalidate_children(work.stack[done], invalidated, fire, changes, work);
    invalidate_times(noted, changes, work);
    return invalidated;
}

// Did fire come to any cell through this inner one?
inline bool has_children(i64 parent, const i64* offset, const Scratch& work) {
    bool found = false;
    for (i64 step = 0; step < STEPS; step++)
        found |= comes_by(work.code[parent - offset[step]], step);
    return found;
}

// Does an arc of this code into the k-th of the children around a break cross it?
INLINE bool crosses(i64 code, i64 k, const Crossing& crossing) {
    if (code < FACET_CODE) return (crossing.steps[k] >> code & 1) != 0;
    if (code >= ARCS) return false;
    return (crossing.facets[k] >> (code - FACET_CODE) & 1) != 0;
}

// May a fire change when a cell becomes a break? It burned the cell, or some child's recorded step
// or facet crosses the cell or is a diagonal beside it. The children lie in memory.
INLINE bool depends(const u8* code, i64 cell, const Crossing& crossing) {
    if (code[cell] != UNBURNED) return true;
    for (i64 k = 0; k < crossing.child.size(); k++)
        if (crosses(code[cell + crossing.child[k]], k, crossing)) return true;
    return false;
}

// Invalidates what is reached through a break, CLOSED or NARROW_BREAK, and by arcs that it closes.
inline i64 invalidate_closed(i64 cell, i64 kind, i64 invalidated, const Crossing& crossing,
                             const KeptFire& fire) {
    const Scratch work = fire.work;
    const Changed changes = fire.changes;
    if (work.code[cell] != UNBURNED)
        invalidated = kind == NARROW_BREAK
                          ? invalidate_children(cell, invalidated, fire, changes, work)
                          : invalidate(cell, invalidated, fire.inner, changes, work);
    for (i64 k = 0; k < crossing.child.size(); k++) {
        const i64 child = cell + crossing.child[k];
        if (crosses(work.code[child], k, crossing))
            invalidated = invalidate(child, invalidated, fire.inner, changes, work);
    }
    return invalidated;
}

}  // namespace firebreak
