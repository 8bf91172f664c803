// The front of fires in constant weather, without embers, breaches and ignitions in breaks.
//
// The same arcs in the same order of evaluation as in `front.cpp`, so with the same bits; but cells
// become final some at a time. Arrivals are put into buckets (`buckets.h`), a bucket is put in
// order when it is opened, and a batch of its cells lists what it sends before any of it is taken:
// an arc depends on the times of final cells alone. If one of the arcs leads to a cell that burns
// before the last of the batch, which is rare, the batch ends before: later cells send again.
#pragma once

#include "buckets.h"
#include "front_batch.h"

namespace firebreak {

// How many unit steps, and how many other arcs, are listed.
struct Listed {
    u64 steps, others;
};

// Does this fire, if it throws no embers, burn as the functions here assume?
inline bool suits_constant_weather(const Arcs& arcs, const FireView& view) {
    const u8 kind = view.state[view.source];
    return !arcs.edges.empty() && !arcs.bucket_min.empty() && arcs.steps == 1
           && view.breach == nullptr && !view.manned && (kind == OPEN || kind == NEAR);
}

// Burns a fire into clean scratch memory; returns the number of cells burned. Needs
// `suits_constant_weather`. Leaves `status` alone.
i64 spread_constant_weather(double duration, i64 row, const Arcs& arcs, const FireView& view,
                            Scratch& work);

// Makes arrival times and weights of the arcs listed in `tried`.
INLINE void arrive(u64 count, const float* metric, const i64* offset, const Scratch& work) {
    if (count == 0) return;
    for (u64 k = count; k < count + 3; k++) work.tried[k] = work.tried[0];  // four at a time
    for (u64 k = 0; k < count; k += 4) arrive_listed(metric, offset, k, work);
}

// The earliest of the arrivals in `found` and `late`; inf if there is none.
INLINE float first_arrival(const Listed& listed, const Scratch& work) {
    // Of four at a time; and of words, which are ordered as their times are.
    Floats4 late = splat<Floats4>(__builtin_inff());
    for (u64 k = 0; k < listed.others; k += 4) late = earliest(load<Floats4>(work.late + k), late);
    u64 word = word_of(__builtin_inff(), 0);
    for (u64 k = 0; k < listed.steps; k++) word = work.found[k] < word ? work.found[k] : word;
    const float by_step = time_of(word), by_facet = least(late);
    return by_step < by_facet ? by_step : by_facet;
}

// The end of the part of a batch current[first:end] that burns before a time: of one cell, or more.
INLINE u64 batch_until(float time, u64 first, u64 end, const u64* current) {
    while (end > first + 1 && time_of(current[end - 1]) >= time) end--;
    return end;
}

// Puts a word into its place among current[first:count], which are in order.
INLINE void insert(u64 word, u64 first, u64 count, u64* current) {
    u64 place = count;
    for (; place > first && current[place - 1] > word; place--) current[place] = current[place - 1];
    current[place] = word;
}

// The parent code of a unit step that is listed in a lane.
struct StepCodes {
    u8 of[8];
};
constexpr StepCodes step_codes() {
    StepCodes own{};
    for (int lane = 0; lane < 8; lane++) own.of[lane] = u8(STEP_OF_LANE[lane]);
    return own;
}
inline constexpr StepCodes STEP_CODE = step_codes();

}  // namespace firebreak
