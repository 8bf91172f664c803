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

// What decides where on a facet a child burns first, see `facet_weight`.
template <class D>
struct SlantLanes {
    D length2, mixed, falls, rest;
};

// Metrics of four cells, as floats: four numbers each from four places, turned, and the fifth.
INLINE MetricLanes<Floats4> four_metrics(const float* a, const float* b, const float* c,
                                         const float* d) {
    const Floats4 own_a = load<Floats4>(a), own_b = load<Floats4>(b);
    const Floats4 own_c = load<Floats4>(c), own_d = load<Floats4>(d);
    const Floats4 ab = __builtin_shufflevector(own_a, own_b, 0, 4, 1, 5);
    const Floats4 cd = __builtin_shufflevector(own_c, own_d, 0, 4, 1, 5);
    const Floats4 ab_last = __builtin_shufflevector(own_a, own_b, 2, 6, 3, 7);
    const Floats4 cd_last = __builtin_shufflevector(own_c, own_d, 2, 6, 3, 7);
    return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
            __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
            __builtin_shufflevector(ab_last, cd_last, 0, 1, 4, 5),
            __builtin_shufflevector(ab_last, cd_last, 2, 3, 6, 7), Floats4{a[4], b[4], c[4], d[4]}};
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

// See `cost`.
template <class D>
INLINE D cost_of(const MetricLanes<D>& m, D east, D north) {
    const D square = m.m11 * east * east + splat<D>(2.0) * m.m12 * east * north
                     + m.m22 * north * north;
    return root(square) - m.east * east - m.north * north;
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

// For a neighbour in each lane, of the two unit facets into it that end in the middle, the one
// whose second end is the middle, or whose first end is: the lane of the other end, and the facet.
// Facets lie along the axes: from the first end to the second is one cell east or north, times
// `sign`; east, north: the way from the first end to the child, times `sign`.
struct Side {
    bool middle_is_second;
    LaneTable<int> other, facet;
    LaneTable<double> sign, east, north;
    u64 runs_east;  // bits
};

constexpr Side side_of(bool middle_is_second) {
    Side own{};
    own.middle_is_second = middle_is_second;
    for (int lane = 0; lane < 8; lane++) {
        const i64 step = STEP_OF_LANE[lane], end = (step + (middle_is_second ? 7 : 1)) % 8;
        const i64 facet = middle_is_second ? end : step, code = facet + FACET_CODE;
        const double sign = ARC.ab_east[code] + ARC.ab_north[code];
        own.other.lane[lane] =
            lane_at(LANE_ROW[lane] + STEP_ROW[end], LANE_COL[lane] + STEP_COL[end]);
        own.facet.lane[lane] = int(facet);
        own.sign.lane[lane] = sign;
        own.east.lane[lane] = sign * ARC.a_east[code];
        own.north.lane[lane] = sign * ARC.a_north[code];
        own.runs_east |= u64(ARC.ab_east[code] != 0.0) << lane;
    }
    return own;
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

// Where a neighbour burns first on the unit facet of its lane. What would be multiplied by 0 is
// left out, which changes no bit. apart: time of the second end less that of the first.
template <const Side& SIDE>
INLINE SlantLanes<Doubles> unit_slant(const MetricLanes<Doubles>& m, Doubles apart) {
    const auto runs_east = truths_of<Doubles>(SIDE.runs_east);
    const Doubles along_east = select(runs_east, m.m11, m.m12);
    const Doubles along_north = select(runs_east, m.m12, m.m22);
    const Doubles length2 = select(runs_east, m.m11, m.m22);
    const Doubles mixed = load<Doubles>(SIDE.east.lane) * along_east
                          + load<Doubles>(SIDE.north.lane) * along_north;
    const Doubles drift = load<Doubles>(SIDE.sign.lane) * select(runs_east, m.east, m.north);
    const Doubles falls = drift - apart;
    return {length2, mixed, falls, length2 - falls * falls};
}

}  // namespace firebreak
