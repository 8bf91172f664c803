// One weather of a stream, and arcs through facets that begin in it.
#pragma once

#include "arcs.h"

namespace firebreak {

// A row of the travel field, the `row - first`-th weather of a stream, from `begin` until `until`
// minutes since ignition.
struct Weather {
    i64 first, row;
    double begin, until;
    Metric metric;
    UnitTime unit_time;
    const u64* facets;
    const u32* accepts;
    const u32* sends;
};

INLINE Weather weather_of(const Arcs& arcs, i64 first, i64 row) {
    return {first, row, double(row - first) * arcs.step_min, row_end(arcs, first, row),
            arcs.metric[row], arcs.unit_time[row], arcs.facets[row].data,
            arcs.accepts[row].data, arcs.sends[row].data};
}

// A facet of a child's, and when its two ends burn.
struct FacetEnds {
    i64 child, facet;
    float time_a, time_b;
};

// When an arc through a facet arrives, and the weight of the facet's second end in it.
struct FacetTime {
    double late, weight;
};

// The better of `found` and of the point of the facet that suits the next weather, in which the arc
// ends.
inline FacetTime under_next_weather(const Arcs& arcs, const Weather& now, const FacetEnds& ends,
                                    const FacetTime& found, const i64* offset) {
    const double other =
        facet_weight(arcs.metric[now.row + 1], ends.child, ends.facet, ends.time_a, ends.time_b);
    if (!(other >= 0.0)) return found;
    const double start = ends.time_a + other * (double(ends.time_b) - double(ends.time_a));
    const double late = arrive_across(arcs, now.first, start, ends.child, ends.facet + FACET_CODE,
                                      other, offset);
    return late < found.late ? FacetTime{late, other} : found;
}

// The arc through a facet whose later end burned in the weather `now`; none: inf, and a weight
// below 0.
INLINE FacetTime facet_time(const Arcs& arcs, const Weather& now, const FacetEnds& ends,
                            const i64* offset) {
    const i64 child = ends.child, facet = ends.facet;
    FacetTime found{HUGE_VAL,
                    facet_weight(now.metric, child, facet, ends.time_a, ends.time_b)};
    if (found.weight >= 0.0) {
        const double start =
            ends.time_a + found.weight * (double(ends.time_b) - double(ends.time_a));
        found.late = start + facet_cost(now.metric, child, facet, found.weight, offset);
        if (start < now.begin || found.late > now.until)
            found.late = arrive_across(arcs, now.first, start, child, facet + FACET_CODE,
                                       found.weight, offset);
    }
    if (found.late > now.until) return under_next_weather(arcs, now, ends, found, offset);
    return found;
}

}  // namespace firebreak
