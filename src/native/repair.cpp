// Repair of a kept fire where breaks came or went.
#include "repair.h"

#include "best_arc.h"
#include "invalidate.h"

namespace firebreak {

namespace {

constexpr u64 UNIT_STEPS = 255, FAR = ~u64(255);  // bits of arcs

// Of the bits of lanes, those of the steps by which the middle sees them.
struct StepBits {
    u8 of[256];
};
constexpr StepBits step_bits() {
    StepBits own{};
    for (int lanes = 0; lanes < 256; lanes++)
        for (int step = 0; step < 8; step++)
            own.of[lanes] |= u8((lanes >> LANE_OF_STEP[step] & 1) << step);
    return own;
}
constexpr StepBits STEPS_OF_LANES = step_bits();

// Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on.
INLINE u64 known_around(u64 cell, const FireView& view, const Scratch& work) {
    const u64 width = u64(view.width), status = bytes_around(work.status, cell, width);
    u64 stand = zero_bytes(status ^ eight_bytes(UNSEEN));
    if (view.state[cell] != OPEN) stand &= ~lanes_equal(view.state, cell, width, NARROW_BREAK);
    const u64 known = stand | zero_bytes(status ^ eight_bytes(FINAL));
    return known & ~lanes_equal(work.code, cell, width, UNBURNED);
}

// Does fire neither come through this break nor cross it?
INLINE bool is_closed(i64 kind) { return kind == CLOSED || kind == NARROW_BREAK; }

// The better of what the k-th inner child around a break has and the arcs that cross the break.
inline Arrival better_across(i64 child, i64 k, const Crossing& crossing, const KeptFire& fire) {
    const Scratch& work = fire.work;
    const Arrival own{work.time[child], work.code[child], double(work.weight[child])};
    const i64 kind = kind_of(child, fire.view);
    if (kind == CLOSED) return own;
    return best_arc({crossing.steps[k], crossing.facets[k]}, own, child, kind, fire, work);
}

// Invalidates what arcs that no break closes any more serve better, among the cells that burned;
// and the cell itself if it burned and sent nothing, so that it is looked at again.
i64 invalidate_opened(i64 cell, i64 invalidated, const Crossing& crossing, const KeptFire& fire) {
    const Scratch work = fire.work;
    const Changed changes = fire.changes;
    if (work.code[cell] != UNBURNED && !has_children(cell, fire.view.offset, work))
        invalidated = invalidate(cell, invalidated, fire.inner, changes, work);
    for (i64 k = 0; k < crossing.child.size(); k++) {
        const i64 child = cell + crossing.child[k];
        if (work.code[child] == UNBURNED || child == fire.view.source || !fire.inner.has(child))
            continue;
        if (better_across(child, k, crossing, fire).code != work.code[child])
            invalidated = invalidate(child, invalidated, fire.inner, changes, work);
    }
    return invalidated;
}

// Takes an arc into a cell whose change is noted, and queues the cell; returns the queue's size.
INLINE i64 take_queued(i64 cell, const Arrival& best, i64 size, const Scratch& work) {
    work.time[cell] = best.time, work.code[cell] = u8(best.code);
    work.weight[cell] = float(best.weight);
    return enqueue_again(cell, best.time, size, work);
}

// Queues an invalidated cell if known ones reach it by these unit steps, as bits, by the unit
// facets between them, or from afar; returns the queue's size.
INLINE i64 queue_reached(i64 cell, u64 steps, i64 size, const KeptFire& fire, const Scratch& work) {
    const i64 kind = kind_of(cell, fire.view);
    if (kind == CLOSED) return size;
    // A unit facet is between a step and the next.
    const ArcBits among{steps | FAR, (steps & (steps >> 1 | steps << 7)) | FAR};
    const Arrival best = best_arc(among, {HUGE_VALF, UNBURNED, 0.0}, cell, kind, fire, work);
    if (double(best.time) <= fire.duration && best.code != UNBURNED)
        size = take_queued(cell, best, size, work);
    return size;
}

// Prefetches what a cell's arcs from its neighbours take.
INLINE void prefetch_into(u64 cell, const Weather& weather, u64 width) {
    for (u64 row = 0; row < 3; row++) {
        const u64 west = cell - 1 + row * width - width;
        prefetch(weather.metric.data, west * METRIC_PARTS);
        prefetch(weather.unit_time.data, west * 8);
        prefetch(weather.unit_time.data, west * 8 + 16);
    }
}

// Queues those of the first `count` cells on the stack that known ones reach; returns the queue's
// size. Some cells at a time: those that arcs may lead to are found, and prefetched, before any is
// looked at.
i64 queue_stack(i64 count, i64 size, const KeptFire& fire) {
    const Scratch work = fire.work;
    u64* const found = work.front->found;
    constexpr i64 PART = FOUND;
    for (i64 first = 0; first < count; first += PART) {
        i64 kept = 0;
        for (i64 k = first; k < smaller(first + PART, count); k++) {
            const u64 cell = u64(work.stack[k]);
            u64 steps = UNIT_STEPS;
            if (fire.constant) {
                steps = STEPS_OF_LANES.of[known_around(cell, fire.view, work)];
                if (steps == 0 && ((fire.here.accepts[cell] | fire.here.facets[cell]) & FAR) == 0)
                    continue;
                prefetch_into(cell, fire.here, u64(fire.view.width));
            }
            found[kept++] = cell << 8 | steps;
        }
        for (i64 k = 0; k < kept; k++)
            size = queue_reached(i64(found[k] >> 8), found[k] & UNIT_STEPS, size, fire, work);
    }
    return size;
}

// Queues a cell whose break is gone, if known cells reach it; returns the queue's size.
i64 queue_opened(i64 cell, i64 size, const KeptFire& fire) {
    if (fire.work.code[cell] != UNBURNED) return size;
    note(cell, fire.changes, fire.work);
    fire.work.stack[0] = i32(cell);
    return queue_stack(1, size, fire);
}

// Queues what arcs across a break that is gone let burn for the first time, or earlier; returns the
// queue's size.
i64 queue_across(i64 cell, i64 size, const Crossing& crossing, const KeptFire& fire) {
    const Scratch work = fire.work;
    for (i64 k = 0; k < crossing.child.size(); k++) {
        const i64 child = cell + crossing.child[k];
        if ((work.status[child] == UNSEEN && work.code[child] != UNBURNED)
            || !fire.inner.has(child))
            continue;
        const Arrival best = better_across(child, k, crossing, fire);
        if (double(best.time) <= fire.duration && best.code != work.code[child]) {
            note(child, fire.changes, work);
            size = take_queued(child, best, size, work);
        }
    }
    return size;
}

// May fire come to a cell, or cross it, that it could not before?
INLINE bool is_opened(i64 cell, const FireView& view) {
    return !is_closed(kind_of(cell, view)) && cell != view.source;
}

}  // namespace

i64 change(Array<const i64, ANY> cells, const Crossing& crossing, const KeptFire& fire) {
    i64 invalidated = 0, size = 0;
    for (i64 cell : cells) {
        const i64 kind = kind_of(cell, fire.view);
        if (is_closed(kind))
            invalidated = invalidate_closed(cell, kind, invalidated, crossing, fire);
    }
    invalidated = invalidate_descendants(invalidated, 0, fire);
    const i64 noted = *fire.changes.how_many;
    for (i64 cell : cells)
        if (is_opened(cell, fire.view))
            invalidated = invalidate_opened(cell, invalidated, crossing, fire);
    if (*fire.changes.how_many > noted)
        invalidated = invalidate_descendants(invalidated, noted, fire);
    size = queue_stack(invalidated, size, fire);
    for (i64 cell : cells)
        if (is_opened(cell, fire.view)) size = queue_opened(cell, size, fire);
    // Only then: an arc across one of the cells may lead into another, which must have seen all
    // arcs.
    for (i64 cell : cells)
        if (is_opened(cell, fire.view)) size = queue_across(cell, size, crossing, fire);
    return size;
}

i64 start_over(i64 cell, i64 size, const KeptFire& fire) {
    const i64 noted = *fire.changes.how_many;
    const i64 invalidated = invalidate(cell, 0, fire.inner, fire.changes, fire.work);
    return queue_stack(invalidate_descendants(invalidated, noted, fire), size, fire);
}

void commit(const KeptFire& fire) {
    const Changed changes = fire.changes;
    u8* const status = fire.work.status;
    const i64 end = *changes.how_many;
    for (i64 k = 0; k < end; k++) status[changes.cell[k]] = UNSEEN;
    *changes.how_many = 0;
}

void rollback(const KeptFire& fire) {
    const Scratch work = fire.work;
    const Changed changes = fire.changes;
    const i64 end = *changes.how_many;
    for (i64 k = 0; k < end; k++) {
        const i32 cell = changes.cell[k];
        work.time[cell] = changes.time[k], work.code[cell] = changes.code[k];
        work.weight[cell] = changes.weight[k], work.status[cell] = UNSEEN;
    }
    *changes.how_many = 0;
}

}  // namespace firebreak
