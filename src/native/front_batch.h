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
        own.before.lane[lane] = named + BEFORE.facet.lane[lane];
        own.behind.lane[lane] = named + BEHIND.facet.lane[lane];
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

// Bits of the neighbours that burn first from a point of the facet on this side. ends: times of the
// neighbours, inf where fire does not come from; now: of the middle.
template <const Side& SIDE>
INLINE u64 inside_at(Floats ends, Doubles now, const MetricLanes<Doubles>& child, Doubles det) {
    const Doubles there = widen(other_ends<SIDE>(ends));
    const Doubles apart = SIDE.middle_is_second ? now - there : there - now;
    return bits(inside(unit_slant<SIDE>(child, apart), det));
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
    const Doubles at = splat<Doubles>(double(now)), det = determinant(child);
    const Words name = splat<Words>(i64(cell << TO_CHILD));
    count = compressed(name + load<Words>(lists.before.lane),
                       inside_at<BEFORE>(ends, at, child, det) & into, lists.tried, count);
    return compressed(name + load<Words>(lists.behind.lane),
                      inside_at<BEHIND>(ends, at, child, det) & into, lists.tried, count);
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

// Four arcs as they are listed.
struct FourArcs {
    u64 child[4], a[4], b[4];
    i64 code[4];

    // A number of each from a table.
    INLINE FourDoubles of(const double (&table)[ARCS]) const {
        return four<FourDoubles>(table[code[0]], table[code[1]], table[code[2]], table[code[3]]);
    }
};

INLINE FourArcs four_arcs(const u64* tried, const i64* offset) {
    FourArcs own;
    for (int k = 0; k < 4; k++) {
        const u64 child = tried[k] >> TO_CHILD, code = tried[k] & CODE_MASK;
        own.child[k] = child;
        own.code[k] = i64(code);
        own.a[k] = child + u64(offset[ARC.a[code]]);
        own.b[k] = child + u64(offset[ARC.b[code]]);
    }
    return own;
}

// See `facet_weight`. apart: time of the second end less that of the first.
INLINE SlantLanes<FourDoubles> slant(const MetricLanes<FourDoubles>& m, const FourArcs& arcs,
                                     FourDoubles apart) {
    using D = FourDoubles;
    const D ab_east = arcs.of(ARC.ab_east), ab_north = arcs.of(ARC.ab_north);
    const D along_east = m.m11 * ab_east + m.m12 * ab_north;
    const D along_north = m.m12 * ab_east + m.m22 * ab_north;
    const D length2 = ab_east * along_east + ab_north * along_north;
    const D mixed = arcs.of(ARC.a_east) * along_east + arcs.of(ARC.a_north) * along_north;
    const D falls = m.east * ab_east + m.north * ab_north - apart;
    return {length2, mixed, falls, length2 - falls * falls};
}

// Minutes along arcs; see `facet_cost`. child: metrics there.
INLINE FourDoubles costs_along(const float* metric, const MetricLanes<FourDoubles>& child,
                               const FourArcs& arcs, FourDoubles weight) {
    using D = FourDoubles;
    const D east = arcs.of(ARC.a_east) + weight * arcs.of(ARC.ab_east);
    const D north = arcs.of(ARC.a_north) + weight * arcs.of(ARC.ab_north);
    const D half = splat<D>(0.5);
    const D at_ends = (splat<D>(1.0) - weight) * cost_of(metric_of(metric, arcs.a), east, north)
                      + weight * cost_of(metric_of(metric, arcs.b), east, north);
    return half * cost_of(child, east, north) + half * at_ends;
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
    const D from = widen(time_a), apart = widen(time_b) - from, det = determinant(child);
    const auto at = slant(child, arcs, apart);
    const D zero = splat<D>(0.0), weight = (at.falls * root(det / at.rest) - at.mixed) / at.length2;
    const auto& code = arcs.code;
    const auto is_step = less(four<FourWords>(code[0], code[1], code[2], code[3]),
                              splat<FourWords>(FACET_CODE));
    const auto good = (inside(at, det) & at_most(zero, weight)) | is_step;
    const D share = select(is_step, zero, weight);
    const D late = from + share * apart + costs_along(metric, child, arcs, share);
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
        task(ListedArc{time_of(word), cell_in(word) >> 3, u8(STEP_OF_LANE[word & 7]), 0.0f});
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
