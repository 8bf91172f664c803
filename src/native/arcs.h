// Rules of one arc: is it open, how long does it take, when does fire that takes it arrive.
// Calls the C library: sqrt.
//
// An arc leads into a cell (the child) from a step of the stencil, or from a point of a facet
// between two steps. The time that a displacement d takes in a cell's ellipse of velocities is
//
//     F(d) = sqrt(d'Md) - w.d
//
// (a Randers metric; M and w are made in `metric.cpp`). Half of an arc counts in the child, half in
// the cells that it comes from. Where the weather changes on the way, the share of it that is left
// goes on at the next step's speed, so that along one arc leaving later never means arriving
// earlier.
#pragma once

#include <cmath>

#include "random.h"
#include "scratch.h"
#include "words.h"

namespace firebreak {

using Metric = Array<const float, ANY, 5>;
using UnitTime = Array<const float, ANY, 8>;

// Arcs from the parent to the child in cells east and north: steps, turned round. Of a facet the
// one from its first end, and the way from there to the second.
struct Directions {
    double step_east[STEPS], step_north[STEPS];
    double a_east[FACETS], a_north[FACETS], ab_east[FACETS], ab_north[FACETS];
};

constexpr Directions make_directions() {
    Directions own{};
    for (i64 step = 0; step < STEPS; step++) {
        own.step_east[step] = -double(STEP_COL[step]);
        own.step_north[step] = double(STEP_ROW[step]);
    }
    for (i64 facet = 0; facet < FACETS; facet++) {
        const i64 a = FACET_A[facet], b = FACET_B[facet];
        own.a_east[facet] = own.step_east[a];
        own.a_north[facet] = own.step_north[a];
        own.ab_east[facet] = own.step_east[b] - own.step_east[a];
        own.ab_north[facet] = own.step_north[b] - own.step_north[a];
    }
    return own;
}

constexpr Directions TOWARDS = make_directions();

// F(d) of a displacement in cells, minutes.
INLINE double cost(const Metric& metric, i64 cell, double east, double north) {
    const float* own = &metric(cell, 0);
    return std::sqrt(double(own[0]) * east * east + 2.0 * double(own[1]) * east * north
                     + double(own[2]) * north * north)
           - double(own[3]) * east - double(own[4]) * north;
}

// CLOSED, NARROW_BREAK or NEAR: what a cell that is neither OPEN nor NEAR is in this fire.
inline i64 not_open(i64 cell, const FireView& view) {
    const i64 kind = view.state[cell];
    if (cell == view.source || kind == HELD_BREAK) return NEAR;
    if (kind == CLOSED) return CLOSED;
    if (view.breach != nullptr
        && uniform(view.key, u64(cell), DRAW_BREACH) < double(view.breach[cell]))
        return NEAR;
    return kind == NARROW_BREAK ? NARROW_BREAK : CLOSED;
}

// What a cell is in this fire: CLOSED, OPEN, NEAR or NARROW_BREAK; breaches are drawn.
INLINE i64 kind_of(i64 cell, const FireView& view) {
    const i64 kind = view.state[cell];
    return kind == OPEN || kind == NEAR ? kind : not_open(cell, view);
}

// Does fire neither burn a cell nor cross it, whoever is there?
INLINE bool blocked(i64 cell, const FireView& view) {
    const i64 kind = kind_of(cell, view);
    return kind == CLOSED || kind == NARROW_BREAK;
}

// Is a cell a break that fire would cross, and that crews may hold?
INLINE bool may_hold(i64 cell, const FireView& view) {
    return view.manned && view.state[cell] >= NARROW_BREAK && cell != view.source
           && kind_of(cell, view) == NEAR;
}

// Are all cells that an arc crosses free of breaks? crosses: see `CROSSES`.
inline bool arc_free(u64 crosses, i64 child, const FireView& view) {
    for (; crosses != 0; crosses &= crosses - 1) {
        const i64 bit = lowest_bit(crosses), place = bit % 8;
        const i64 col = place > REACH ? place - REACH - 1 : place - REACH;
        const i64 crossed = child + (bit / 8 - REACH) * view.width + col;
        if (blocked(crossed, view) || may_hold(crossed, view)) return false;
    }
    return true;
}

// Is a single step free of breaks? A diagonal needs one of the two cells beside it (unless breaks
// leak there), a long step all that it crosses.
inline bool step_open(i64 child, i64 step, const FireView& view) {
    if (step >= 8) return arc_free(CROSSES[step], child, view);
    if (view.leak || step % 2 == 0) return true;
    return !(blocked(child + view.offset[(step + 1) & 7], view)
             && blocked(child + view.offset[step - 1], view));
}

// Is a facet's triangle free of breaks? Unit triangles only cover their own three cells.
inline bool facet_open(i64 child, i64 facet, const FireView& view) {
    return arc_free(CROSSES[FACET_CODE + facet], child, view);
}

// slope * sqrt(det / rest) > bound, without root or division; det and rest are positive.
INLINE bool above(double slope, double det, double rest, double bound) {
    const double left = slope * slope * det, right = bound * bound * rest;
    return bound < 0.0 ? slope >= 0.0 || left < right : slope >= 0.0 && left > right;
}

// Weight of the facet's second end at the point that minimises the time in the child's own
// ellipse, in closed form; -1 where that is an end: single steps cover those.
INLINE double facet_weight(const Metric& metric, i64 child, i64 facet, float time_a,
                           float time_b) {
    const float* own = &metric(child, 0);
    const double m11 = own[0], m12 = own[1], m22 = own[2];
    const double east_ab = TOWARDS.ab_east[facet], north_ab = TOWARDS.ab_north[facet];
    const double along_east = m11 * east_ab + m12 * north_ab;
    const double along_north = m12 * east_ab + m22 * north_ab;
    const double length2 = east_ab * along_east + north_ab * along_north;
    const double mixed = TOWARDS.a_east[facet] * along_east + TOWARDS.a_north[facet] * along_north;
    const double falls = double(own[3]) * east_ab + double(own[4]) * north_ab
                         - (double(time_b) - double(time_a));
    const double rest = length2 - falls * falls;
    if (rest <= 0.0) return -1.0;
    // The triangle's area is the same for every facet, so its square in the metric is det(M).
    const double det = m11 * m22 - m12 * m12;
    if (!above(falls, det, rest, mixed) || above(falls, det, rest, mixed + length2)) return -1.0;
    return (falls * std::sqrt(det / rest) - mixed) / length2;
}

// Minutes from the point of a facet to the child.
inline double facet_cost(const Metric& metric, i64 child, i64 facet, double weight,
                         const i64* offset) {
    const double east = TOWARDS.a_east[facet] + weight * TOWARDS.ab_east[facet];
    const double north = TOWARDS.a_north[facet] + weight * TOWARDS.ab_north[facet];
    const i64 cell_a = child + offset[FACET_A[facet]], cell_b = child + offset[FACET_B[facet]];
    return 0.5 * cost(metric, child, east, north)
           + 0.5 * ((1.0 - weight) * cost(metric, cell_a, east, north)
                    + weight * cost(metric, cell_b, east, north));
}

// Minutes along a step to one of the eight neighbours.
INLINE double unit_cost(const UnitTime& unit_time, i64 child, i64 step, i64 parent) {
    return 0.5 * double(unit_time(child, step)) + 0.5 * double(unit_time(parent, step));
}

// Minutes along a single step to the child.
inline double step_cost(const Metric& metric, const UnitTime& unit_time, i64 child, i64 step,
                        const i64* offset) {
    const i64 parent = child + offset[step];
    if (step < 8) return unit_cost(unit_time, child, step, parent);
    const double east = TOWARDS.step_east[step], north = TOWARDS.step_north[step];
    return 0.5 * (cost(metric, child, east, north) + cost(metric, parent, east, north));
}

// The row of a stream whose first row is `first`, at a time since ignition.
INLINE i64 row_at(const Arcs& arcs, i64 first, double time) {
    if (arcs.steps == 1) return first;
    const i64 last = arcs.steps - 1;
    const double passed = time / arcs.step_min;
    if (!(passed < double(last))) return first + last;
    return passed > 0.0 ? first + i64(passed) : first;
}

// When the weather of `row` ends, minutes since ignition.
INLINE double row_end(const Arcs& arcs, i64 first, i64 row) {
    return row == first + arcs.steps - 1 ? HUGE_VAL : double(row - first + 1) * arcs.step_min;
}

// A row of the travel field, the `row - first`-th weather of a stream, from `begin` until `until`
// minutes since ignition. edges: null where there are none.
struct Weather {
    i64 first, row;
    double begin, until;
    Metric metric;
    UnitTime unit_time;
    const u64* facets;
    const u32 *accepts, *sends, *sends_far;
    const double* edges;
};

INLINE Weather weather_of(const Arcs& arcs, i64 first, i64 row) {
    return {first, row, double(row - first) * arcs.step_min, row_end(arcs, first, row),
            arcs.metric[row], arcs.unit_time[row], arcs.facets[row].data, arcs.accepts[row].data,
            arcs.sends[row].data, arcs.sends_far[row].data,
            arcs.edges.empty() ? nullptr : arcs.edges[row].data};
}

// Arrival along an arc that starts at `start`, through as many weather steps as it takes. code: a
// step, or FACET_CODE and a facet.
inline double arrive_across(const Arcs& arcs, i64 first, double start, i64 child, i64 code,
                            double weight, const i64* offset) {
    i64 row = row_at(arcs, first, start);
    double time = start, left = 1.0;
    for (;; row++) {
        const Metric metric = arcs.metric[row];
        const double whole =
            code < FACET_CODE ? step_cost(metric, arcs.unit_time[row], child, code, offset)
                              : facet_cost(metric, child, code - FACET_CODE, weight, offset);
        const double end = row_end(arcs, first, row), arrival = time + left * whole;
        if (!(arrival > end)) return arrival;  // so also where it is nan
        left = left - (end - time) / whole;
        time = end;
        // By rounding; what is closed in the next weather would take 0 times inf.
        if (!(left > 0.0)) return time;
    }
}

// When fire arrives by a single step from a cell that burned at `now`, in whose weather the step
// begins.
INLINE float step_arrival(const Arcs& arcs, const Weather& weather, i64 child, i64 step, float now,
                          const i64* offset) {
    double late = double(now) + step_cost(weather.metric, weather.unit_time, child, step, offset);
    if (late > weather.until)
        late = arrive_across(arcs, weather.first, double(now), child, step, 0.0, offset);
    return larger(float(late), later(now));
}

// A facet of a child's, and when its two ends burn.
struct FacetEnds {
    i64 child, facet;
    float time_a, time_b;
};

// When fire arrives through a facet, and the weight of the facet's second end in the arc.
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
INLINE Arrival facet_arrival(const Arcs& arcs, const Weather& now, const FacetEnds& ends,
                             const i64* offset) {
    const i64 child = ends.child, facet = ends.facet;
    FacetTime found{HUGE_VAL, facet_weight(now.metric, child, facet, ends.time_a, ends.time_b)};
    if (found.weight >= 0.0) {
        const double start =
            ends.time_a + found.weight * (double(ends.time_b) - double(ends.time_a));
        found.late = start + facet_cost(now.metric, child, facet, found.weight, offset);
        if (start < now.begin || found.late > now.until)
            found.late = arrive_across(arcs, now.first, start, child, facet + FACET_CODE,
                                       found.weight, offset);
    }
    if (found.late > now.until) found = under_next_weather(arcs, now, ends, found, offset);
    const float last = larger(ends.time_a, ends.time_b);
    return {larger(float(found.late), later(last)), facet + FACET_CODE, found.weight};
}

// Is an arc better than the best one so far? Of two that arrive at once the one of the lower code.
INLINE bool is_better(float time, i64 code, const Arrival& best) {
    return time < best.time || (time == best.time && time < HUGE_VALF && code < best.code);
}

}  // namespace firebreak
