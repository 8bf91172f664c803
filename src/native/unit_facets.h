// The unit facets around a cell as lanes: tables that are made when this is compiled.
#pragma once

#include "arcs.h"
#include "facet_lanes.h"

namespace firebreak {

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

// The unit facet into the middle whose first end is in each lane, and the lane of its second end.
// Its number is the step by which the middle sees the neighbour in the lane.
constexpr Side facets_into_middle() {
    LaneTable<int> second{}, facets{};
    for (int step = 0; step < 8; step++) {
        facets.lane[LANE_OF_STEP[step]] = step;
        second.lane[LANE_OF_STEP[step]] = int(LANE_OF_STEP[(step + 1) % 8]);
    }
    return {false, second, unit_facets(facets)};
}
inline constexpr Side INTO_MIDDLE = facets_into_middle();

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

template <const Side& SIDE>
INLINE EndLanes<Doubles> ends_of() {
    return {load<Doubles>(SIDE.facets.a_east.lane), load<Doubles>(SIDE.facets.a_north.lane),
            load<Doubles>(SIDE.facets.ab_east.lane), load<Doubles>(SIDE.facets.ab_north.lane)};
}

}  // namespace firebreak
