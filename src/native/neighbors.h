// A cell and its eight neighbours at a time: which of them fire reached from it, and the best arc
// from them, of a fire that burns again. Calls the C library: sqrt.
//
// The same arcs in the same order of evaluation as in `front.cpp`, so with the same bits. Of two
// arcs that arrive at once the one with the lower parent code counts, as everywhere.
#pragma once

#include "front_batch.h"
#include "kept_fire.h"

namespace firebreak {

// Eight bytes, a number for each lane, as one word.
constexpr u64 lane_bytes(const LaneTable<int>& numbers, int more) {
    u64 word = 0;
    for (int lane = 0; lane < 8; lane++) word |= u64(numbers.lane[lane] + more) << (8 * lane);
    return word;
}

constexpr LaneTable<int> steps_to_middle() {
    LaneTable<int> own{};
    for (int lane = 0; lane < 8; lane++) own.lane[lane] = int(STEP_OF_LANE[lane]);
    return own;
}

// Bits of the neighbours that fire reached from a cell by a step, or through a unit facet that ends
// in it. code: of parents.
INLINE u64 children_around(const u8* code, u64 cell, u64 width) {
    constexpr u64 BY_STEP = lane_bytes(steps_to_middle(), 0);
    constexpr u64 BY_FACET_BEFORE = lane_bytes(BEFORE.facets.facet, FACET_CODE);
    constexpr u64 BY_FACET_BEHIND = lane_bytes(BEHIND.facets.facet, FACET_CODE);
    const u64 near = bytes_around(code, cell, width);
    return zero_bytes(near ^ BY_STEP) | zero_bytes(near ^ BY_FACET_BEFORE)
           | zero_bytes(near ^ BY_FACET_BEHIND);
}

// What fire may come to a cell by: edges [P][8], metric [P][5] and times [P]; bits of the
// neighbours `sending`, that it comes from, and `shut`, from which no step leads here.
struct PullFrom {
    const double* edges;
    const float* metric;
    const float* time;
    u64 width;
    u64 sending, shut;
};

// A code for each lane: the step by which the middle sees it, and `more`.
constexpr LaneTable<i64> codes_into_middle(i64 more) {
    LaneTable<i64> own{};
    for (int lane = 0; lane < 8; lane++)
        own.lane[lane] = INTO_MIDDLE.facets.facet.lane[lane] + more;
    return own;
}
inline constexpr LaneTable<i64> STEPS_INTO = codes_into_middle(0);
inline constexpr LaneTable<i64> FACETS_INTO = codes_into_middle(FACET_CODE);

// Minutes along the edges from the neighbours to a cell: each one's edge in the opposite lane.
INLINE Doubles edges_into(const double* edges, u64 cell, u64 width) {
    u64 at[8];
    for (int lane = 0; lane < 8; lane++) {
        const u64 parent = cell + u64(LANE_ROW[lane]) * width + u64(LANE_COL[lane]);
        at[lane] = parent * 8 + u64(7 - lane);
    }
    return gathered(edges, at);
}

// Arrivals through the facets into a cell, inf where none is the better one. The weights of those
// that might be go into `weight`, by the first end's lane.
INLINE Floats arrivals_through(const PullFrom& from, u64 cell, Floats times, float* weight) {
    const Floats never = splat<Floats>(__builtin_inff());
    const Floats second = other_ends<INTO_MIDDLE>(times);
    const Doubles time_a = widen(times), apart = widen(second) - time_a;
    const auto child = metric_at(from.metric, cell);
    const Doubles det = determinant(child);
    const auto at = unit_slant<INTO_MIDDLE>(child, apart);
    const auto wanted = inside(at, det);
    if (bits(wanted) == 0) return never;
    const Doubles share = weight_of(at, det);
    const auto arc = arc_of(ends_of<INTO_MIDDLE>(), share);
    const auto near = metric_around(from.metric, cell, from.width);
    const MetricLanes<Floats> far{
        other_ends<INTO_MIDDLE>(near.m11), other_ends<INTO_MIDDLE>(near.m12),
        other_ends<INTO_MIDDLE>(near.m22), other_ends<INTO_MIDDLE>(near.east),
        other_ends<INTO_MIDDLE>(near.north)};
    const CostLanes<Doubles> costs{cost_of(child, arc), cost_of(widen(near), arc),
                                   cost_of(widen(far), arc)};
    const Floats late = latest(narrow(arrival(share, costs, time_a, apart)),
                               after(latest(times, second)));
    store(narrow(share), weight);
    const u64 good = bits(wanted & at_most(splat<Doubles>(0.0), share));
    return select(truths_of<Floats>(good), late, never);
}

// The best arc into a cell through unit steps and unit facets: its time above its parent code, as
// words of the queue are; the weights of its facets go into weight[8], by the first end's lane.
INLINE u64 pull_around(const PullFrom& from, u64 cell, float* weight) {
    const Floats never = splat<Floats>(__builtin_inff());
    const Floats times = select(truths_of<Floats>(from.sending),
                                around(from.time, cell, from.width), never);
    const Doubles late = widen(times) + edges_into(from.edges, cell, from.width);
    const Floats step = select(truths_of<Floats>(from.shut), never,
                               latest(narrow(late), after(times)));
    const Floats facet = arrivals_through(from, cell, times, weight);
    const Words by_step = upper_halves(step) | load<Words>(STEPS_INTO.lane);
    const Words by_facet = upper_halves(facet) | load<Words>(FACETS_INTO.lane);
    const i64 first = least(by_step), second = least(by_facet);
    return u64(second < first ? second : first);
}

// Prefetches what a cell's arcs to and from its neighbours take.
INLINE void prefetch_around(u64 cell, const double* edges, const float* metric, u64 width) {
    for (u64 row = 0; row < 3; row++) {
        const u64 first = cell - 1 + row * width - width;
        prefetch(metric, first * METRIC_PARTS);
        for (u64 k = 0; k < 3; k++) prefetch(edges, (first + k) * 8);
    }
}

// Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on.
INLINE u64 known_around(u64 cell, const FireView& view, const Scratch& work) {
    const u64 width = u64(view.width), status = bytes_around(work.status, cell, width);
    u64 stand = zero_bytes(status ^ eight_bytes(UNSEEN));
    if (view.state[cell] != OPEN) stand &= ~lanes_equal(view.state, cell, width, NARROW_BREAK);
    const u64 known = stand | zero_bytes(status ^ eight_bytes(FINAL));
    return known & ~lanes_equal(work.code, cell, width, UNBURNED);
}

// The best arc into a cell of a fire that burns again, through unit steps and unit facets from
// known cells; inf, UNBURNED and 0 if there is none.
INLINE Arrival pull_constant_weather(i64 child, const KeptFire& fire, const Scratch& work) {
    constexpr Arrival NONE{HUGE_VALF, UNBURNED, 0.0};
    const FireView& view = fire.view;
    const u64 cell = u64(child), width = u64(view.width), known = known_around(cell, view, work);
    if (known == 0) return NONE;
    u64 shut = 0;
    if (view.state[cell] != OPEN)
        shut = shut_around(cell, lanes_equal(view.state, cell, width, CLOSED), view);
    const u64 word = pull_around({fire.here.edges, fire.here.metric.data, work.time, width, known,
                                  shut}, cell, work.front->near_weight);
    const float time = time_of(word);
    const i64 code = i64(word & 255);
    if (time == HUGE_VALF) return NONE;
    if (code < FACET_CODE) return {time, code, 0.0};
    return {time, code, double(work.front->near_weight[LANE_OF_STEP[code - FACET_CODE]])};
}

}  // namespace firebreak
