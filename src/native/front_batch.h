// Arcs of the front in lists: what cells that became final complete, and when fire arrives so.
// Calls the C library: sqrt.
#pragma once

#include "facet_lanes.h"

namespace firebreak {

// One row of a travel field, and what a batch reads and lists: edges [P][8], metric [P][5] and
// times [P]. Words that list unit steps are times above 8 * child + lane, in `found`; those that
// list other arcs, 256 * child + parent code, in `tried`. The lanes of these words as of cell 0 are
// in `by_step`, `before` and `behind`.
struct FrontLists {
    const double* edges;
    const float* metric;
    const float* time;
    u64 width;
    u64* found;
    u64* tried;
    LaneTable<i64> by_step, before, behind;
};

constexpr i64 TO_CHILD = 8, CODE_MASK = 255;  // of the words that list arcs

INLINE FrontLists front_lists(const double* edges, const float* metric, i64 width,
                              const Scratch& work) {
    FrontLists own{edges, metric, work.time, u64(width), work.front->found, work.front->tried,
                   {},    {},     {}};
    for (int lane = 0; lane < 8; lane++) {
        const i64 neighbour = LANE_ROW[lane] * width + LANE_COL[lane];
        const i64 named = neighbour * (1 << TO_CHILD) + FACET_CODE;
        own.by_step.lane[lane] = neighbour * 8 + lane;
        own.before.lane[lane] = named + BEFORE.facets.facet.lane[lane];
        own.behind.lane[lane] = named + BEHIND.facets.facet.lane[lane];
    }
    return own;
}

// Lists the neighbours that fire from a cell, which burns at `now`, reaches no later than what they
// have, by `limit` at the latest, which is finite, from found[count] on; returns the new count.
// times: of the neighbours; shut: bits of lanes to leave out. There must be room for 8 words.
INLINE u64 list_reached(const FrontLists& lists, u64 cell, Floats times, float now, float limit,
                        u64 shut, u64 count) {
    const Doubles cost = load<Doubles>(lists.edges + cell * 8);
    Floats late = narrow(cost + splat<Doubles>(double(now)));
    late = latest(splat<Floats>(later(now)), late);
    const Floats known = earliest(times, splat<Floats>(limit));
    const u64 reached = bits(at_most(late, known)) & ~shut;
    const Words name = splat<Words>(i64(cell * 8)) + load<Words>(lists.by_step.lane);
    return compressed(upper_halves(late) | name, reached, lists.found, count);
}

// What lists the unit facets that end in a cell: times of the neighbours, inf where fire does not
// come from, when the cell burns, and metrics of the neighbours.
struct Listing {
    Floats ends;
    Doubles now;
    MetricLanes<Doubles> child;
    Doubles det;
};

// Bits of the neighbours that burn first from a point of the facet on this side.
template <const Side& SIDE>
INLINE u64 inside_at(const Listing& own) {
    const Doubles there = widen(other_ends<SIDE>(own.ends));
    const Doubles apart = SIDE.middle_is_second ? own.now - there : there - own.now;
    return bits(inside(unit_slant<SIDE>(own.child, apart), own.det));
}

// Lists the unit facets that end in a cell, final at `now`, and whose child burns first from a
// point between their ends, from tried[count] on; returns the new count. Bits: neighbours
// `sending`, that fire comes from; `into`, that it may still come to. There must be room for 16
// words.
INLINE u64 list_inside(const FrontLists& lists, u64 cell, Floats times, float now, u64 sending,
                       u64 into, u64 count) {
    // Without an end no point of a facet is inside.
    const Floats ends = select(truths_of<Floats>(sending), times, splat<Floats>(__builtin_inff()));
    const auto child = widen(metric_around(lists.metric, cell, lists.width));
    const Listing own{ends, splat<Doubles>(double(now)), child, determinant(child)};
    const Words name = splat<Words>(i64(cell << TO_CHILD));
    count = compressed(name + load<Words>(lists.before.lane), inside_at<BEFORE>(own) & into,
                       lists.tried, count);
    return compressed(name + load<Words>(lists.behind.lane), inside_at<BEHIND>(own) & into,
                      lists.tried, count);
}

// Bits of the neighbours to which no step leads from a cell near a break, or from which none leads
// to it: those that do not burn, `closed`, and those past two breaks that touch at a corner.
INLINE u64 shut_around(u64 cell, u64 closed, const FireView& view) {
    static_assert(LANE_COL[1] == 0 && LANE_COL[3] == -1 && LANE_COL[4] == 1 && LANE_COL[6] == 0,
                  "lanes 1, 3, 4 and 6 are north, west, east and south");
    if (view.leak) return closed;
    const u64 beside = closed | lanes_equal(view.state, cell, u64(view.width), NARROW_BREAK);
    const u64 north = beside >> 1, west = beside >> 3, east = beside >> 4, south = beside >> 6;
    return closed | (north & west & 1) | (north & east & 1) << 2 | (south & west & 1) << 5
           | (south & east & 1) << 7;
}

// Lists what a cell that burns at `now` sends to its neighbours by unit steps and unit facets,
// behind what is listed. times: of the neighbours; bits of those that send as well, and of those
// that fire may still come to.
INLINE Listed list_around(const FrontLists& lists, u64 cell, Floats times, float now, float limit,
                          u64 sending, u64 into, const FireView& view, Listed listed) {
    u64 shut = ~into;
    if (view.state[cell] != OPEN) {
        const u64 closed = lanes_equal(view.state, cell, lists.width, CLOSED);
        into &= ~closed;
        sending &= ~lanes_equal(view.state, cell, lists.width, NARROW_BREAK);
        shut |= shut_around(cell, closed, view);
    }
    return {list_reached(lists, cell, times, now, limit, shut, listed.steps),
            list_inside(lists, cell, times, now, sending, into, listed.others)};
}

// Of each parent code the two ends, and the displacement from the first to the child and from the
// first to the second, cells east and north. A step is a facet between itself and itself.
struct ArcTable {
    u8 a[STEPS + FACETS], b[STEPS + FACETS];
    alignas(32) double span[STEPS + FACETS][4];
};

constexpr ArcTable arc_table() {
    ArcTable own{};
    for (i64 code = 0; code < STEPS + FACETS; code++) {
        const i64 a = code < STEPS ? code : FACET_A[code - STEPS];
        const i64 b = code < STEPS ? code : FACET_B[code - STEPS];
        own.a[code] = u8(a);
        own.b[code] = u8(b);
        own.span[code][0] = TOWARDS.step_east[a];
        own.span[code][1] = TOWARDS.step_north[a];
        own.span[code][2] = TOWARDS.step_east[b] - TOWARDS.step_east[a];
        own.span[code][3] = TOWARDS.step_north[b] - TOWARDS.step_north[a];
    }
    return own;
}
inline constexpr ArcTable ARC_TABLE = arc_table();

// Four arcs as they are listed.
struct FourArcs {
    u64 child[4], a[4], b[4];
    i64 code[4];
};

INLINE FourArcs four_arcs(const u64* tried, const i64* offset) {
    FourArcs own;
    for (int k = 0; k < 4; k++) {
        const u64 child = tried[k] >> TO_CHILD, code = tried[k] & CODE_MASK;
        own.child[k] = child;
        own.code[k] = i64(code);
        own.a[k] = child + u64(offset[ARC_TABLE.a[code]]);
        own.b[k] = child + u64(offset[ARC_TABLE.b[code]]);
    }
    return own;
}

INLINE EndLanes<FourDoubles> spans_of(const i64 (&code)[4]) {
    const auto& span = ARC_TABLE.span;
    const auto part = [&](int k) {
        return four<FourDoubles>(span[code[0]][k], span[code[1]][k], span[code[2]][k],
                                 span[code[3]][k]);
    };
    return {part(0), part(1), part(2), part(3)};
}

// When fire arrives by tried[first : first + 4], arcs between final cells: late, inf where no point
// of a facet is the better one, and weight, from `first` on. Long steps may be among them.
INLINE void arrive_listed(const float* metric, const i64* offset, u64 first, const Scratch& work) {
    using D = FourDoubles;
    const FourArcs arcs = four_arcs(work.front->tried + first, offset);
    const float* const time = work.time;
    const Floats4 time_a{time[arcs.a[0]], time[arcs.a[1]], time[arcs.a[2]], time[arcs.a[3]]};
    const Floats4 time_b{time[arcs.b[0]], time[arcs.b[1]], time[arcs.b[2]], time[arcs.b[3]]};
    const auto child = metric_of(metric, arcs.child);
    const auto span = spans_of(arcs.code);
    const D from = widen(time_a), apart = widen(time_b) - from, det = determinant(child);
    const auto at = slant(child, span, apart);
    const D zero = splat<D>(0.0), weight = weight_of(at, det);
    const auto& code = arcs.code;
    const auto is_step = less(four<FourWords>(code[0], code[1], code[2], code[3]),
                              splat<FourWords>(STEPS));
    const auto good = (inside(at, det) & at_most(zero, weight)) | is_step;
    const D share = select(is_step, zero, weight);
    const auto arc = arc_of(span, share);
    const CostLanes<D> costs{cost_of(child, arc), cost_of(metric_of(metric, arcs.a), arc),
                             cost_of(metric_of(metric, arcs.b), arc)};
    const D late = arrival(share, costs, from, apart);
    const Floats4 t = narrow(select(good, late, splat<D>(__builtin_inf())));
    store(latest(t, after(latest(time_a, time_b))), work.front->late + first);
    store(narrow(share), work.front->share + first);
}

// Makes arrival times and weights of the arcs listed in `tried`.
INLINE void arrive(u64 count, const float* metric, const i64* offset, const Scratch& work) {
    if (count == 0) return;
    u64* const tried = work.front->tried;
    for (u64 k = count; k < count + 3; k++) tried[k] = tried[0];  // four at a time
    for (u64 k = 0; k < count; k += 4) arrive_listed(metric, offset, k, work);
}

// The earliest of the arrivals in `found` and `late`; inf if there is none.
INLINE float first_arrival(const Listed& listed, const FrontRoom& front) {
    // Of four at a time; and of words, which are ordered as their times are.
    Floats4 late = splat<Floats4>(__builtin_inff());
    for (u64 k = 0; k < listed.others; k += 4)
        late = earliest(load<Floats4>(front.late + k), late);
    u64 word = word_of(__builtin_inff(), 0);
    for (u64 k = 0; k < listed.steps; k++) word = front.found[k] < word ? front.found[k] : word;
    const float by_step = time_of(word), by_facet = least(late);
    return by_step < by_facet ? by_step : by_facet;
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

// An arc that is listed.
struct ListedArc {
    float time;
    u64 child;
    u8 code;
    float weight;
};

// Calls task(arc) for the arcs listed. Facets first: most are better than the step of their later
// end.
template <class Task>
INLINE void for_listed(const Listed& listed, const FrontRoom& front, const Task& task) {
    for (u64 k = 0; k < listed.others; k++) {
        const u64 name = front.tried[k];
        task(ListedArc{front.late[k], name >> TO_CHILD, u8(name & CODE_MASK), front.share[k]});
    }
    for (u64 k = 0; k < listed.steps; k++) {
        const u64 word = front.found[k];
        task(ListedArc{time_of(word), cell_in(word) >> 3, STEP_CODE.of[word & 7], 0.0f});
    }
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

}  // namespace firebreak
