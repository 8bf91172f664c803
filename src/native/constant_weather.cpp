// The front of fires in constant weather, without embers, breaches and ignitions in breaks.
//
// The same arcs in the same order of evaluation as in `front.cpp`, so with the same bits; but cells
// become final some at a time. Arrivals are put into buckets (`buckets.h`), a bucket is put in
// order when it is opened, and a batch of its cells lists what it sends before any of it is taken:
// an arc depends on the times of final cells alone. If one of the arcs leads to a cell that burns
// before the last of the batch, which is rare, the batch ends before: later cells send again.
//
// Calls the C library: sqrt.
#include "buckets.h"
#include "front.h"
#include "front_batch.h"

namespace firebreak {
namespace {

constexpr u64 FAR_FACETS = ~u64(255);  // facets that are not unit ones
constexpr u64 COUNTED = 64;            // longer buckets are sorted by insertion

// A fire on its way. cold: the scratch memory once more, which only calls that are not inlined
// see: so the compiler knows that nothing changes `work`.
struct Front {
    FrontLists lists;
    Weather field;
    FireView view;
    float limit;
    Scratch work;
    const Scratch* cold;
    BucketQueue queue;
    u64 count;   // entries of `current`
    u64 burned;  // cells in `order`
};

// Was a cell final when the cell of the word `last` became so, and does it pass fire on?
INLINE bool sends_by(i64 cell, u64 last, const u8* state, const float* time) {
    return word_of(time[cell], cell) <= last && state[cell] != NARROW_BREAK;
}

// `arc_open`, not inlined, for few cells are near breaks.
__attribute__((noinline)) bool is_free(i64 child, i64 code, const FireView& view) {
    return arc_open(child, code, view);
}

// Lists the facets into a child, as bits, that the cell of `last` completes; returns the new count.
INLINE u64 list_facets(u64 facets, i64 child, u64 last, const FireView& view, const Scratch& work,
                       u64 count) {
    const bool open = view.state[child] == OPEN;
    for (; facets != 0; facets &= facets - 1) {
        const i64 code = lowest_bit(facets) + FACET_CODE;
        if (sends_by(child + view.offset[ARC.a[code]], last, view.state, work.time)
            && sends_by(child + view.offset[ARC.b[code]], last, view.state, work.time)
            && (open || is_free(child, code, view)))
            work.front->tried[count++] = u64(child) << TO_CHILD | u64(code);
    }
    return count;
}

// Lists the long steps, and the facets that are not unit ones, that a cell completes; returns the
// new count. last: the cell's word, it just became final; steps: bits of those that lead to its
// children.
__attribute__((noinline)) u64 list_far(u64 steps, u64 last, const Weather& field,
                                       const FireView& view, const Scratch& work, u64 count) {
    for (; steps != 0; steps &= steps - 1) {
        const i64 step = lowest_bit(steps), child = cell_of(last) - view.offset[step];
        const i64 kind = view.state[child];
        if (kind == CLOSED || word_of(work.time[child], child) <= last) continue;
        if (step >= 8 && (field.accepts[child] >> step & 1) != 0
            && (kind == OPEN || is_free(child, step, view)))
            work.front->tried[count++] = u64(child) << TO_CHILD | u64(step);
        const u64 ending = field.facets[child] & TOUCHING[step] & FAR_FACETS;
        count = list_facets(ending, child, last, view, work, count);
    }
    return count;
}

// Lists what the cell of a word sends, behind what is listed. Where no tile of a scene is made yet,
// nothing is sent; nor by what does not burn, whatever leads there.
INLINE Listed list_sent_by(u64 word, const Front& fire, Listed listed) {
    const u64 cell = cell_in(word);
    const float now = time_of(word);
    const u8 kind = fire.view.state[cell];
    if (fire.lists.time[cell] != now || kind == NARROW_BREAK || kind == CLOSED
        || fire.field.sends[cell] == 0)
        return listed;
    const Floats times = around(fire.lists.time, cell, fire.lists.width);
    const u64 sending = lanes_final(times, now);
    listed = list_around(fire.lists, cell, times, now, fire.limit, sending, ~sending, fire.view,
                         listed);
    const u64 far = fire.field.sends_far[cell];
    if (far != 0)
        listed.others = list_far(far, word, fire.field, fire.view, *fire.cold, listed.others);
    return listed;
}

// Lists what the cells current[first:end] send, and in `ends` how many arcs after each cell.
INLINE Listed list_sent(u64 first, u64 end, const Front& fire) {
    Listed listed{0, 0};
    for (u64 k = first; k < end; k++) {
        listed = list_sent_by(fire.work.current[k], fire, listed);
        fire.work.front->ends[k - first] = listed;
    }
    return listed;
}

// Makes room in `current`, from `end` on, where today's entries are in order.
__attribute__((noinline)) u64 drop_replaced(u64 end, u64 count, const Scratch& work) {
    u64 kept = end;
    for (u64 k = end; k < count; k++) kept = take_standing(work.current[k], kept, work);
    return kept;
}

// Gives a cell the arc if it is the better one. Today's entries are in order from `end` on.
INLINE void take(const ListedArc& arc, u64 end, Front& fire) {
    const Scratch& work = fire.work;
    const float known = work.time[arc.child];
    if (!(arc.time <= known && arc.time <= fire.limit)) return;
    if (arc.time < known) {
        work.time[arc.child] = arc.time;
        work.code[arc.child] = arc.code;
        work.weight[arc.child] = arc.weight;
        const u64 on = bucket_of(arc.time, fire.queue.per_min);
        const u64 word = word_of(arc.time, i64(arc.child));
        prefetch(fire.lists.edges, arc.child * 8);
        if (on != fire.queue.bucket)
            return insert_entry(word, on, fire.queue, work, *fire.cold);
        if (fire.count == u64(work.queue_room))
            fire.count = drop_replaced(end, fire.count, *fire.cold);
        insert(word, end, fire.count++, work.current);
    } else if (arc.code < work.code[arc.child]) {
        work.code[arc.child] = arc.code;
        work.weight[arc.child] = arc.weight;
    }
}

// Lets a batch of the open bucket's entries burn, from `first` on; returns its end.
INLINE u64 burn_batch(u64 first, Front& fire) {
    const Scratch& work = fire.work;
    u64 end = first + BATCH < fire.count ? first + BATCH : fire.count;
    const Listed listed = list_sent(first, end, fire);
    arrive(listed.others, fire.lists.metric, fire.view.offset, work);
    end = batch_until(first_arrival(listed, *work.front), first, end, work.current);
    for_listed(work.front->ends[end - first - 1], *work.front,
               [&](const ListedArc& arc) { take(arc, end, fire); });
    for (u64 k = first; k < end; k++) {
        const u64 word = work.current[k];
        work.order[fire.burned] = i32(cell_in(word));
        fire.burned += u64(work.time[cell_in(word)] == time_of(word));
    }
    return end;
}

// Puts the entries of `current` in order, and prefetches what their cells will read.
INLINE void sort_bucket(const Front& fire) {
    u64 *const current = fire.work.current, *const copy = fire.work.front->found;
    const u64 count = fire.count, width = fire.lists.width;
    if (count > COUNTED) {
        for (u64 k = 1; k < count; k++) insert(current[k], 0, k, current);
        return;
    }
    for (u64 k = 0; k < count; k++) {
        const u64 cell = cell_in(current[k]), north = cell - width - 1;
        copy[k] = current[k];
        prefetch(fire.lists.edges, cell * 8);
        prefetch(fire.field.sends, cell);
        prefetch(fire.field.sends_far, cell);
        prefetch(fire.view.state, cell);
        for (u64 row = 0; row < 3; row++) {
            const u64 west = north + row * width;
            prefetch(fire.lists.time, west);
            prefetch(fire.lists.metric, west * METRIC_PARTS);
            prefetch(fire.lists.metric, west * METRIC_PARTS + 14);
        }
    }
    for (u64 k = count; k < count + 8; k++) copy[k] = u64(INT64_MAX);
    for (u64 k = 0; k < count; k += 8) put_in_order(copy, k, count, current);
}

// Burns the open bucket. Room for entries is never short: what has burned makes room first.
INLINE void burn_bucket(Front& fire) {
    u64 first = 0;
    while (first < fire.count) {
        if (first > u64(fire.work.cells)) {
            for (u64 k = first; k < fire.count; k++)
                fire.work.current[k - first] = fire.work.current[k];
            fire.count -= first;
            first = 0;
        }
        first = burn_batch(first, fire);
    }
}

}  // namespace

i64 spread_constant_weather(double duration, const Arcs& arcs, const FireView& view,
                            Scratch& work) {
    const Weather field = weather_at(arcs, view.periods, 0.0);
    const double per_min = 1.0 / arcs.bucket_min[field.row];
    Front fire{front_lists(field.edges, field.metric.data, view.width, work),
               field,
               view,
               last_moment(duration),
               work,
               &work,
               {0, per_min, 0},
               1,
               0};
    work.time[view.source] = 0.0f;
    work.code[view.source] = IGNITION;
    work.weight[view.source] = 0.0f;
    work.current[0] = word_of(0.0f, view.source);
    for (;;) {
        burn_bucket(fire);
        fire.queue.bucket = next_bucket(fire.queue, fire.work);
        if (fire.queue.bucket == NEVER) return i64(fire.burned);
        fire.count = open_bucket(fire.queue, fire.work);
        sort_bucket(fire);
    }
}

}  // namespace firebreak
