// Several facets at a time: the equations of `arcs.h` as vectors. Calls the C library: sqrt.
//
// The same operations in the same order as there, so that an arc has the same bits. Vectors are of
// four or of eight doubles; of the eight unit facets around a cell the lanes are those of
// `lanes.h`.
#pragma once

#include "arcs.h"
#include "lanes.h"

namespace firebreak {

constexpr u64 METRIC_PARTS = 5;

// m11, m12, m22, w east and w north of several cells.
template <class D>
struct MetricLanes {
    D m11, m12, m22, east, north;
};

// A facet for each lane, from the child: a, and from a to b; cells east and north.
template <class D>
struct EndLanes {
    D a_east, a_north, ab_east, ab_north;
};

// What decides where on a facet a child burns first, see `facet_weight`.
template <class D>
struct SlantLanes {
    D length2, mixed, falls, rest;
};

// Four numbers each from four places, as four vectors of the first, second, ... of each.
struct FourRows {
    Floats4 lanes[4];
};

INLINE FourRows turned(Floats4 a, Floats4 b, Floats4 c, Floats4 d) {
    const Floats4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Floats4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Floats4 ab_last = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Floats4 cd_last = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return {{__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
             __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
             __builtin_shufflevector(ab_last, cd_last, 0, 1, 4, 5),
             __builtin_shufflevector(ab_last, cd_last, 2, 3, 6, 7)}};
}

// Metrics of four cells, as floats.
INLINE MetricLanes<Floats4> four_metrics(const float* a, const float* b, const float* c,
                                         const float* d) {
    const FourRows parts = turned(load<Floats4>(a), load<Floats4>(b), load<Floats4>(c),
                                  load<Floats4>(d));
    return {parts.lanes[0], parts.lanes[1], parts.lanes[2], parts.lanes[3],
            Floats4{a[4], b[4], c[4], d[4]}};
}

// Of four cells.
INLINE MetricLanes<FourDoubles> metric_of(const float* metric, const u64 (&cell)[4]) {
    const auto own = four_metrics(metric + cell[0] * METRIC_PARTS, metric + cell[1] * METRIC_PARTS,
                                  metric + cell[2] * METRIC_PARTS, metric + cell[3] * METRIC_PARTS);
    return {widen(own.m11), widen(own.m12), widen(own.m22), widen(own.east), widen(own.north)};
}

// Of the eight neighbours, as floats.
INLINE MetricLanes<Floats> metric_around(const float* metric, u64 cell, u64 width) {
    const float* north = metric + (cell - width - 1) * METRIC_PARTS;
    const float* middle = metric + (cell - 1) * METRIC_PARTS;
    const float* south = metric + (cell + width - 1) * METRIC_PARTS;
    const auto first = four_metrics(north, north + METRIC_PARTS, north + 2 * METRIC_PARTS, middle);
    const auto last = four_metrics(middle + 2 * METRIC_PARTS, south, south + METRIC_PARTS,
                                   south + 2 * METRIC_PARTS);
    return {eight<Floats>(first.m11, last.m11), eight<Floats>(first.m12, last.m12),
            eight<Floats>(first.m22, last.m22), eight<Floats>(first.east, last.east),
            eight<Floats>(first.north, last.north)};
}

INLINE MetricLanes<Doubles> widen(const MetricLanes<Floats>& m) {
    return {widen(m.m11), widen(m.m12), widen(m.m22), widen(m.east), widen(m.north)};
}

template <class D>
INLINE D determinant(const MetricLanes<D>& m) {
    return m.m11 * m.m22 - m.m12 * m.m12;
}

// apart: time of the second end less that of the first.
template <class D>
INLINE SlantLanes<D> slant(const MetricLanes<D>& m, const EndLanes<D>& ends, D apart) {
    const D along_east = m.m11 * ends.ab_east + m.m12 * ends.ab_north;
    const D along_north = m.m12 * ends.ab_east + m.m22 * ends.ab_north;
    const D length2 = ends.ab_east * along_east + ends.ab_north * along_north;
    const D mixed = ends.a_east * along_east + ends.a_north * along_north;
    const D falls = m.east * ends.ab_east + m.north * ends.ab_north - apart;
    return {length2, mixed, falls, length2 - falls * falls};
}

// Does the child burn first from a point between the ends? The tests of `above`, both sides
// squared with their signs kept.
template <class D>
INLINE auto inside(const SlantLanes<D>& at, D det) {
    const D slope = at.falls * absolute(at.falls) * det;
    const D near = at.mixed * absolute(at.mixed) * at.rest;
    const D beyond = at.mixed + at.length2;
    const D far = beyond * absolute(beyond) * at.rest;
    return less(near, slope) & at_most(slope, far) & less(splat<D>(0.0), at.rest);
}

// Weight of the second end.
template <class D>
INLINE D weight_of(const SlantLanes<D>& at, D det) {
    return (at.falls * root(det / at.rest) - at.mixed) / at.length2;
}

// A displacement in each lane, cells east and north.
template <class D>
struct ArcLanes {
    D east, north;
};

// The displacement from the point of this weight.
template <class D>
INLINE ArcLanes<D> arc_of(const EndLanes<D>& ends, D weight) {
    return {ends.a_east + weight * ends.ab_east, ends.a_north + weight * ends.ab_north};
}

// See `cost`.
template <class D>
INLINE D cost_of(const MetricLanes<D>& m, const ArcLanes<D>& arc) {
    const D square = m.m11 * arc.east * arc.east
                     + splat<D>(2.0) * m.m12 * arc.east * arc.north
                     + m.m22 * arc.north * arc.north;
    return root(square) - m.east * arc.east - m.north * arc.north;
}

// Costs of arcs in the ellipses of the child and of the two ends.
template <class D>
struct CostLanes {
    D child, a, b;
};

// When fire that takes the facets arrives; see `facet_cost`.
template <class D>
INLINE D arrival(D weight, const CostLanes<D>& cost, D time_a, D apart) {
    const D half = splat<D>(0.5);
    const D at_ends = (splat<D>(1.0) - weight) * cost.a + weight * cost.b;
    return time_a + weight * apart + (half * cost.child + half * at_ends);
}

constexpr int lane_at(i64 row, i64 col) {
    for (int lane = 0; lane < 8; lane++)
        if (LANE_ROW[lane] == row && LANE_COL[lane] == col) return lane;
    return -1;
}

constexpr bool lanes_are_steps() {
    for (int lane = 0; lane < 8; lane++) {
        const i64 step = STEP_OF_LANE[lane];
        if (STEP_ROW[step] != -LANE_ROW[lane] || STEP_COL[step] != -LANE_COL[lane]) return false;
        if (lane_at(STEP_ROW[lane], STEP_COL[lane]) != LANE_OF_STEP[lane]) return false;
    }
    return true;
}
static_assert(lanes_are_steps(), "lanes and steps are of one order");

constexpr bool facets_join_neighbours() {
    for (int facet = 0; facet < 8; facet++)
        if (FACET_A[facet] != facet || FACET_B[facet] != (facet + 1) % 8) return false;
    return true;
}
static_assert(facets_join_neighbours(), "a unit facet is between a step and the next");

// The unit facet of each lane. They lie along the axes: from the first end to the second is one
// cell east or north, times `sign`.
struct UnitFacets {
    LaneTable<int> facet;
    LaneTable<double> a_east, a_north, ab_east, ab_north;
    LaneTable<double> sign, signed_east, signed_north;
    u64 runs_east;  // bits
};

constexpr UnitFacets unit_facets(const LaneTable<int>& facets) {
    UnitFacets own{};
    own.facet = facets;
    for (int lane = 0; lane < 8; lane++) {
        const int facet = facets.lane[lane];
        const double sign = TOWARDS.ab_east[facet] + TOWARDS.ab_north[facet];
        own.a_east.lane[lane] = TOWARDS.a_east[facet];
        own.a_north.lane[lane] = TOWARDS.a_north[facet];
        own.ab_east.lane[lane] = TOWARDS.ab_east[facet];
        own.ab_north.lane[lane] = TOWARDS.ab_north[facet];
        own.sign.lane[lane] = sign;
        own.signed_east.lane[lane] = sign * TOWARDS.a_east[facet];
        own.signed_north.lane[lane] = sign * TOWARDS.a_north[facet];
        own.runs_east |= u64(TOWARDS.ab_east[facet] != 0.0) << lane;
    }
    return own;
}

// For a neighbour in each lane, of the two unit facets into it that end in the middle, the one
// whose second end is the middle, or whose first end is: the lane of the other end, and the facet.
struct Side {
    bool middle_is_second;
    LaneTable<int> other;
    UnitFacets facets;
};

constexpr Side side_of(bool middle_is_second) {
    LaneTable<int> other{}, facets{};
    for (int lane = 0; lane < 8; lane++) {
        const i64 step = STEP_OF_LANE[lane];
        const i64 end = (step + (middle_is_second ? 7 : 1)) % 8;
        other.lane[lane] = lane_at(LANE_ROW[lane] + STEP_ROW[end], LANE_COL[lane] + STEP_COL[end]);
        facets.lane[lane] = int(middle_is_second ? end : step);
    }
    return {middle_is_second, other, unit_facets(facets)};
}
inline constexpr Side BEFORE = side_of(true), BEHIND = side_of(false);

// Of the floats of the neighbours, those of the other ends.
template <const Side& SIDE>
INLINE Floats other_ends(Floats x) {
    constexpr auto& K = SIDE.other.lane;
#if defined(__AVX2__)
    return __builtin_shufflevector(x, x, K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7]);
#else
    return {__builtin_shufflevector(x.low, x.high, K[0], K[1], K[2], K[3]),
            __builtin_shufflevector(x.low, x.high, K[4], K[5], K[6], K[7])};
#endif
}

// `slant` of the unit facet of each lane. What would be multiplied by 0 is left out, which changes
// no bit.
template <const Side& SIDE>
INLINE SlantLanes<Doubles> unit_slant(const MetricLanes<Doubles>& m, Doubles apart) {
    const auto runs_east = truths_of<Doubles>(SIDE.facets.runs_east);
    const Doubles along_east = select(runs_east, m.m11, m.m12);
    const Doubles along_north = select(runs_east, m.m12, m.m22);
    const Doubles length2 = select(runs_east, m.m11, m.m22);
    const Doubles mixed = load<Doubles>(SIDE.facets.signed_east.lane) * along_east
                          + load<Doubles>(SIDE.facets.signed_north.lane) * along_north;
    const Doubles drift = load<Doubles>(SIDE.facets.sign.lane) * select(runs_east, m.east, m.north);
    const Doubles falls = drift - apart;
    return {length2, mixed, falls, length2 - falls * falls};
}

}  // namespace firebreak
