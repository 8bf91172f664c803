// Propagation of what is invalidated and queued in a kept fire.
#include "repair.h"

#include "best_arc.h"
#include "front_batch.h"
#include "invalidate.h"

namespace firebreak {

namespace {

constexpr u64 NEIGHBOURS = 255;        // the steps to them, as bits
constexpr double BUCKETS_TOGETHER = 4.0;  // of a bucket queue: few cells of a front are invalidated

// Takes a better arc into an inner cell; returns the queue's size.
INLINE i64 reach(i64 child, const Arrival& best, i64 size, const KeptFire& fire,
                 const Scratch& work) {
    if (work.status[child] != INVALIDATED && work.code[child] != UNBURNED)
        return start_over(child, size, fire);
    note(child, fire.changes, work);
    const bool sooner = best.time < work.time[child];
    work.time[child] = best.time, work.code[child] = u8(best.code);
    work.weight[child] = float(best.weight);
    return sooner ? enqueue_again(child, best.time, size, work) : size;
}

// Lets fire spread from an inner cell by steps, as bits, and the facets that end there; returns the
// queue's size.
INLINE i64 send_far(i64 parent, u64 steps, i64 size, const KeptFire& fire, const Scratch& work) {
    const float now = work.time[parent];
    for (; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), child = parent - fire.view.offset[step];
        if (work.time[child] <= now || !fire.inner.has(child)) continue;
        const i64 kind = kind_of(child, fire.view);
        if (kind == CLOSED) continue;
        // The better of what the cell has and the arcs that its parent completes.
        const Arrival best =
            best_arc({u64(1) << step, TOUCHING[step]},
                     {work.time[child], work.code[child], double(work.weight[child])}, child, kind,
                     fire, work);
        if (double(best.time) <= fire.duration && best.code != work.code[child])
            size = reach(child, best, size, fire, work);
    }
    return size;
}

// `propagate` for any fire.
i64 propagate_one_by_one(i64 size, const KeptFire& fire) {
    const Scratch work = fire.work;
    i64 burned = 0;
    while (size > 0 && burned < work.cells) {
        const u64 word = work.queue[0];
        drop_first(work.queue, size--);
        const i64 parent = cell_of(word);
        // An entry counts if the cell still has its time: invalidation may have taken it back.
        if (work.status[parent] != INVALIDATED || work.time[parent] != time_of(word)) continue;
        work.order[burned++] = i32(parent);
        if (kind_of(parent, fire.view) == NARROW_BREAK) {
            work.status[parent] = BURNED_NO_SPREAD;
            continue;
        }
        work.status[parent] = FINAL;
        const u64 sends = is_constant(fire.arcs, fire.view) ? u64(fire.here.sends[parent])
                                                            : NEIGHBOURS | far_steps(parent, fire);
        size = send_far(parent, sends, size, fire, work);
    }
    return burned;
}

// Lists what the first `count` cells of the batch send to their neighbours, up to one that sends
// further, see `constant_weather.cpp`; returns how many sent.
INLINE u64 list_sent(u64 count, float limit, const FrontLists& lists, const KeptFire& fire,
                     const Scratch& work) {
    Listed listed{0, 0};
    for (u64 k = 0; k < count; k++) {
        const u64 word = work.current[k], cell = u64(cell_of(word));
        const float now = time_of(word);
        if (work.time[cell] == now && work.status[cell] == INVALIDATED
            && fire.view.state[cell] != NARROW_BREAK) {
            // A cell that stands may be the later end of a facet: it will not send again.
            const Floats times = around(work.time, cell, lists.width);
            const u64 sending =
                lanes_equal(work.status, cell, lists.width, UNSEEN) | lanes_final(times, now);
            listed = list_around(lists, cell, times, now, limit, sending, lanes_after(times, now),
                                 fire.view, listed);
            if (fire.here.sends_far[cell] != 0) count = k + 1;
        }
        work.front->ends[k] = listed;
    }
    return count;
}

// Does any of the arcs listed lead to a cell that keeps its arrival from before, and might improve
// it?
INLINE bool any_may_improve_kept(const Listed& listed, const Scratch& work) {
    bool found = false;
    for_listed(listed, *work.front, [&](const ListedArc& arc) {
        found |= (arc.time <= work.time[arc.child]) & (work.status[arc.child] == UNSEEN)
                 & (work.code[arc.child] != UNBURNED);
    });
    return found;
}

// Prefetches what a cell's arcs to its neighbours take.
INLINE void prefetch_around(u64 cell, const Weather& weather, u64 width) {
    prefetch(weather.edges, cell * 8);
    for (u64 row = 0; row < 3; row++)
        prefetch(weather.metric.data, (cell - 1 + row * width - width) * METRIC_PARTS);
}

// Gives a cell the arc if it is the better one, and changes the queue's size; returns if the cell
// would have to be invalidated first: then nothing is done.
INLINE bool take(const ListedArc& arc, float limit, i64& size, const KeptFire& fire,
                 const Changed& changes, const Scratch& work) {
    const u64 child = arc.child;
    const float known = work.time[child];
    if (arc.time > known || arc.time > limit || arc.code == work.code[child]
        || (arc.time == known && arc.code > work.code[child]))
        return false;
    if (work.status[child] != INVALIDATED && work.code[child] != UNBURNED) return true;
    if (!fire.inner.has(i64(child))) return false;
    note(i64(child), changes, work);
    work.time[child] = arc.time, work.code[child] = arc.code, work.weight[child] = arc.weight;
    if (arc.time < known) {
        size = enqueue_again(i64(child), arc.time, size, work);
        prefetch_around(child, fire.here, u64(fire.view.width));
    }
    return false;
}

// Takes the arcs listed; returns a cell that would have to be invalidated first, 0 if there is
// none.
INLINE u64 take_listed(const Listed& listed, float limit, i64& size, const KeptFire& fire,
                       const Scratch& work) {
    const Changed changes = fire.changes;
    u64 improved_kept = 0;
    for_listed(listed, *work.front, [&](const ListedArc& arc) {
        if (take(arc, limit, size, fire, changes, work)) improved_kept = arc.child;
    });
    return improved_kept;
}

// Takes a batch from the queue into `current`: the next cell, and what burns within `together`
// minutes of it; changes the queue's size, and returns how many.
INLINE u64 next_batch(double together, i64& size, const Scratch& work) {
    u64 count = 0;
    float until = HUGE_VALF;
    while (size > 0 && count < BATCH && time_of(work.queue[0]) <= until) {
        const u64 word = work.queue[0];
        drop_first(work.queue, size--);
        const i64 cell = cell_of(word);
        // An entry counts if the cell still has its time: invalidation may have taken it back. A
        // cell that was invalidated and queued again at the same time has two.
        if (work.status[cell] != INVALIDATED || work.time[cell] != time_of(word)
            || (count > 0 && work.current[count - 1] == word))
            continue;
        if (count == 0) until = float(double(time_of(word)) + together);
        work.current[count++] = word;
    }
    return count;
}

// Makes the first `count` cells of the batch final, in `order` from `burned` on.
INLINE void finish(u64 count, i64 burned, const FireView& view, const Scratch& work) {
    for (u64 k = 0; k < count; k++) {
        const i64 cell = cell_of(work.current[k]);
        work.order[burned + i64(k)] = i32(cell);
        work.status[cell] = view.state[cell] == NARROW_BREAK ? BURNED_NO_SPREAD : FINAL;
    }
}

// `propagate` for fires that `suits_constant_weather`: batch by batch, as
// `spread_constant_weather`, but with a heap: so few cells are in a queue at a time that buckets
// would cost more.
i64 propagate_constant_weather(i64 size, const KeptFire& fire) {
    const Scratch work = fire.work;
    const float limit = last_moment(fire.duration);
    const double together = BUCKETS_TOGETHER * fire.arcs.bucket_min[fire.here.row];
    const FrontLists lists =
        front_lists(fire.here.edges, fire.here.metric.data, fire.view.width, work);
    i64 burned = 0;
    u64 count = next_batch(together, size, work);
    // Each round makes a cell final, or invalidates one that stood.
    for (i64 rounds = 2 * work.cells; count > 0 && burned + i64(count) <= work.cells && rounds > 0;
         rounds--) {
        const u64 whole = list_sent(count, limit, lists, fire, work);
        const Listed listed = work.front->ends[whole - 1];
        arrive(listed.others, fire.here.metric.data, fire.view.offset, work);
        u64 end = batch_until(first_arrival(listed, *work.front), 0, whole, work.current);
        if (end > 1 && any_may_improve_kept(listed, work)) end = 1;
        for (u64 k = end; k < count; k++) push(work.queue, size++, work.current[k]);
        const u64 improved_kept = take_listed(work.front->ends[end - 1], limit, size, fire, work);
        if (improved_kept != 0) {
            // Only of a batch of one cell, which is final, and sends again what is better then.
            size = start_over(i64(improved_kept), size, fire);
            count = 1;
            continue;
        }
        finish(end, burned, fire.view, work);
        burned += i64(end);
        const i64 last = cell_of(work.current[end - 1]);
        if (end == whole && fire.here.sends_far[last] != 0 && work.status[last] == FINAL)
            size = send_far(last, fire.here.sends_far[last], size, fire, work);
        count = next_batch(together, size, work);
    }
    return burned;
}

}  // namespace

i64 propagate(i64 size, const KeptFire& fire) {
    return fire.constant ? propagate_constant_weather(size, fire)
                         : propagate_one_by_one(size, fire);
}

}  // namespace firebreak
