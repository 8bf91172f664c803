// A queue of cells by buckets: arrivals are put into buckets of equal length, and the buckets
// follow one after the other (Dial 1969: Algorithm 360, Commun. ACM 12).
//
// A bucket's entries are in no order; whoever opens the bucket puts them in order or not. What is
// further ahead than the bucket queue reaches waits in a heap, and so does what a full bucket has
// no room for. Entries are words of `words.h`; a cell whose time improves is inserted again, and
// entries that a better one has replaced are dropped when their bucket is opened.
#pragma once

#include "scratch.h"
#include "words.h"

namespace firebreak {

constexpr u64 NEVER = ~u64(0);             // after all buckets
constexpr u64 LAST_BUCKET = u64(1) << 62;  // of all times that are too late to tell apart

// Where a bucket queue is: the open bucket, buckets a minute, entries of the heap. The entries are
// in scratch memory.
struct BucketQueue {
    u64 bucket;
    double per_min;
    i64 far;
};

// The bucket of a time, at so many buckets a minute.
INLINE u64 bucket_of(float time, double per_min) {
    const double place = double(time) * per_min;
    return place < double(LAST_BUCKET) ? u64(i64(place)) : LAST_BUCKET;
}

// Keeps an entry that no bucket takes.
__attribute__((noinline)) inline i64 insert_far(u64 word, i64 far, const Scratch& work) {
    if (far == work.queue_room) far = compact(work.queue, far, work.time);
    push(work.queue, far, word);
    return far + 1;
}

// Inserts an entry for the bucket `on`, after the one that is open. cold: `work` once more, which
// only calls see, so that what it holds may stay in registers.
INLINE void insert_entry(u64 word, u64 on, BucketQueue& queue, const Scratch& work,
                         const Scratch& cold) {
    const u64 place = on & (BUCKETS - 1), count = u64(work.front->counts[place]);
    if (on - queue.bucket < u64(BUCKETS) && count < u64(PER_BUCKET)) {
        work.front->entry[place * PER_BUCKET + count] = word;
        work.front->counts[place] = i32(count + 1);
        work.front->occupied[place >> 6] |= u64(1) << (place & 63);
    } else {
        queue.far = insert_far(word, queue.far, cold);
    }
}

// The next bucket for which anything is inserted, NEVER if there is none.
INLINE u64 next_bucket(const BucketQueue& queue, const Scratch& work) {
    constexpr u64 BLOCKS = BUCKETS / 64;
    const u64 next = queue.bucket + 1, place = next & (BUCKETS - 1);
    const u64 block = place >> 6, begin = place & 63;
    const u64 bits = work.front->occupied[block] >> begin;
    u64 found = NEVER;
    if (bits != 0) {
        found = next + u64(lowest_bit(bits));
    } else {
        for (u64 k = 0; k < BLOCKS && found == NEVER; k++) {
            const u64 own = work.front->occupied[(block + 1 + k) & (BLOCKS - 1)];
            if (own != 0) found = next + 64 - begin + 64 * k + u64(lowest_bit(own));
        }
    }
    if (queue.far > 0) {
        const u64 far = bucket_of(time_of(work.queue[0]), queue.per_min);
        found = far < found ? far : found;
    }
    return found;
}

// Appends an entry to `current` if it stands; returns how many there are.
INLINE u64 take_standing(u64 word, u64 count, const Scratch& work) {
    work.current[count] = word;
    return count + u64(work.time[cell_in(word)] == time_of(word));
}

// Takes those of the heap's entries that are in the open bucket and stand into `current`; returns
// how many there are.
__attribute__((noinline)) inline u64 open_far(u64 count, BucketQueue& queue, const Scratch& work) {
    while (queue.far > 0
           && bucket_of(time_of(work.queue[0]), queue.per_min) == queue.bucket) {
        const u64 word = work.queue[0];
        drop_first(work.queue, queue.far--);
        count = take_standing(word, count, work);
    }
    return count;
}

// Takes the open bucket's entries that stand into `current`; returns how many.
INLINE u64 open_bucket(BucketQueue& queue, const Scratch& work) {
    const u64 place = queue.bucket & (BUCKETS - 1), entries = u64(work.front->counts[place]);
    const u64* const entry = work.front->entry + place * PER_BUCKET;
    work.front->counts[place] = 0;
    work.front->occupied[place >> 6] &= ~(u64(1) << (place & 63));
    u64 count = 0;
    for (u64 k = 0; k < entries; k++) count = take_standing(entry[k], count, work);
    return queue.far > 0 ? open_far(count, queue, work) : count;
}

}  // namespace firebreak
