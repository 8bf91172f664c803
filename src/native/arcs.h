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

constexpr i64 ARCS = FACET_CODE + FACETS;  // parent codes of arcs

// Of each parent code the steps to the two ends, and the way in cells east and north from the first
// end to the child, and from there to the second. A step is a facet between itself and itself.
struct ArcTable {
    i64 a[ARCS], b[ARCS];
    double a_east[ARCS], a_north[ARCS], ab_east[ARCS], ab_north[ARCS];
};

constexpr ArcTable arc_table() {
    ArcTable own{};
    for (i64 code = 0; code < ARCS; code++) {
        const i64 a = code < FACET_CODE ? code : FACET_A[code - FACET_CODE];
        const i64 b = code < FACET_CODE ? code : FACET_B[code - FACET_CODE];
        own.a[code] = a, own.b[code] = b;
        own.a_east[code] = -double(STEP_COL[a]), own.a_north[code] = double(STEP_ROW[a]);
        own.ab_east[code] = double(STEP_COL[a] - STEP_COL[b]);
        own.ab_north[code] = double(STEP_ROW[b] - STEP_ROW[a]);
    }
    return own;
}

inline constexpr ArcTable ARC = arc_table();

// F(d) of a displacement in cells, minutes.
INLINE double cost(const Metric& metric, i64 cell, double east, double north) {
    const float* own = &metric(cell, 0);
    return std::sqrt(double(own[0]) * east * east + 2.0 * double(own[1]) * east * north
                     + double(own[2]) * north * north)
           - double(own[3]) * east - double(own[4]) * north;
}

// Is a cell bare ground? It neither counts as burned nor has a value, throws or takes embers.
INLINE bool is_bare(i64 cell, const FireView& view) { return view.state[cell] >= BARE; }

// The cell whose number decides if fire crosses a break or bare ground. Cells of bare ground side
// by side share it: their width is crossed at once.
INLINE i64 gate_of(i64 cell, i64 kind, i64 width) {
    static_assert(BARE_CODES == 5, "itself, one and two cells west, one and two cells north");
    const i64 along = kind - BARE;
    if (along < 1 || along >= BARE_CODES) return cell;
    return along < 3 ? cell - along : cell - (along - 2) * width;
}

// The chance of a breach: that of the worst period, for fire may meet the break in any of them.
inline double breach_chance(i64 cell, const FireView& view) {
    float worst = 0.0f;
    for (i64 period = 0; period <= view.periods.later; period++)
        worst = larger(worst,
                       view.breach(view.periods.row_of(period) / view.rows_a_breach, cell));
    return double(worst);
}

// CLOSED, NARROW_BREAK or NEAR: what a cell that is neither OPEN nor NEAR is in this fire.
inline i64 not_open(i64 cell, const FireView& view) {
    const i64 kind = view.state[cell];
    if (cell == view.source || kind == HELD_BREAK) return NEAR;
    if (kind == CLOSED) return CLOSED;
    const u64 gate = u64(gate_of(cell, kind, view.width));
    if (!view.breach.empty()
        && uniform(view.key, gate, DRAW_BREACH) < breach_chance(cell, view))
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
    const i64 kind = view.state[cell];
    return view.manned && kind >= NARROW_BREAK && kind < BARE && cell != view.source
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

// Is an arc free of breaks? A unit diagonal needs one of the two cells beside it (unless breaks
// leak there), a long step or facet all that it crosses; unit facets cover their own cells alone.
inline bool arc_open(i64 child, i64 code, const FireView& view) {
    if (code >= 8) return arc_free(CROSSES[code], child, view);
    return view.leak || code % 2 == 0 || !blocked(child + view.offset[(code + 1) & 7], view)
           || !blocked(child + view.offset[code - 1], view);
}

// slope * sqrt(det / rest) > bound, without root or division; det and rest are positive.
INLINE bool above(double slope, double det, double rest, double bound) {
    const double left = slope * slope * det, right = bound * bound * rest;
    return bound < 0.0 ? slope >= 0.0 || left < right : slope >= 0.0 && left > right;
}

// Weight of the facet's second end at the point that minimises the time in the child's own
// ellipse, in closed form; -1 where that is an end: single steps cover those.
INLINE double facet_weight(const Metric& metric, i64 child, i64 code, float time_a,
                           float time_b) {
    const float* own = &metric(child, 0);
    const double m11 = own[0], m12 = own[1], m22 = own[2];
    const double east_ab = ARC.ab_east[code], north_ab = ARC.ab_north[code];
    const double along_east = m11 * east_ab + m12 * north_ab;
    const double along_north = m12 * east_ab + m22 * north_ab;
    const double length2 = east_ab * along_east + north_ab * along_north;
    const double mixed = ARC.a_east[code] * along_east + ARC.a_north[code] * along_north;
    const double falls = double(own[3]) * east_ab + double(own[4]) * north_ab
                         - (double(time_b) - double(time_a));
    const double rest = length2 - falls * falls;
    if (rest <= 0.0) return -1.0;
    // The triangle's area is the same for every facet, so its square in the metric is det(M).
    const double det = m11 * m22 - m12 * m12;
    if (!above(falls, det, rest, mixed) || above(falls, det, rest, mixed + length2)) return -1.0;
    return (falls * std::sqrt(det / rest) - mixed) / length2;
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
    const double east = ARC.a_east[step], north = ARC.a_north[step];
    return 0.5 * (cost(metric, child, east, north) + cost(metric, parent, east, north));
}

// Minutes to the child from the point of a facet at which its second end has this weight.
inline double facet_cost(const Metric& metric, i64 child, i64 code, double weight,
                         const i64* offset) {
    const double east = ARC.a_east[code] + weight * ARC.ab_east[code];
    const double north = ARC.a_north[code] + weight * ARC.ab_north[code];
    const i64 cell_a = child + offset[ARC.a[code]], cell_b = child + offset[ARC.b[code]];
    return 0.5 * cost(metric, child, east, north)
           + 0.5 * ((1.0 - weight) * cost(metric, cell_a, east, north)
                    + weight * cost(metric, cell_b, east, north));
}

// A step of the weather of one fire: the k-th of the stream of a period.
struct Step {
    i64 period, k;
};

INLINE Step step_at(const Arcs& arcs, const Periods& periods, double time) {
    const i64 period = periods.at(time);
    if (arcs.steps == 1) return {period, 0};
    const i64 last = arcs.steps - 1;
    const double passed = (time - periods.begin_of(period)) / arcs.step_min;
    if (!(passed < double(last))) return {period, last};
    return {period, passed > 0.0 ? i64(passed) : 0};
}

INLINE i64 row_of(const Periods& periods, const Step& step) {
    return periods.row_of(step.period) + step.k;
}

// Does a fire burn in one weather?
INLINE bool is_constant(const Arcs& arcs, const FireView& view) {
    return arcs.steps == 1 && view.periods.later == 0;
}

// The row of the travel field at a time of burning.
INLINE i64 row_at(const Arcs& arcs, const Periods& periods, double time) {
    return row_of(periods, step_at(arcs, periods, time));
}

// When the weather of a step begins and ends, minutes of burning: at the latest with its period.
INLINE double step_begin(const Arcs& arcs, const Periods& periods, const Step& step) {
    const double begin = periods.begin_of(step.period);
    return step.k == 0 ? begin : begin + double(step.k) * arcs.step_min;
}
INLINE double step_end(const Arcs& arcs, const Periods& periods, const Step& step) {
    const double end = periods.end_of(step.period);
    if (step.k == arcs.steps - 1) return end;
    return smaller(periods.begin_of(step.period) + double(step.k + 1) * arcs.step_min, end);
}

INLINE Step next_step(const Arcs& arcs, const Periods& periods, const Step& step) {
    if (step_end(arcs, periods, step) < periods.end_of(step.period))
        return {step.period, step.k + 1};
    return {step.period + 1, 0};
}

// The weather of a step of a fire, from `begin` until `until` minutes of burning; row: of the
// travel field. edges: null where there are none.
struct Weather {
    Step step;
    i64 row;
    double begin, until;
    Metric metric;
    UnitTime unit_time;
    const u64* facets;
    const u32 *accepts, *sends, *sends_far;
    const double* edges;
};

INLINE Weather weather_at(const Arcs& arcs, const Periods& periods, double time) {
    const Step step = step_at(arcs, periods, time);
    const i64 row = row_of(periods, step);
    return {step, row, step_begin(arcs, periods, step), step_end(arcs, periods, step),
            arcs.metric[row], arcs.unit_time[row], arcs.facets[row].data, arcs.accepts[row].data,
            arcs.sends[row].data, arcs.sends_far[row].data,
            arcs.edges.empty() ? nullptr : arcs.edges[row].data};
}

// Arrival along an arc that starts at `start`, through as many weather steps as it takes.
inline double arrive_across(const Arcs& arcs, const Periods& periods, double start, i64 child,
                            i64 code, double weight, const i64* offset) {
    Step step = step_at(arcs, periods, start);
    double time = start, left = 1.0;
    for (;; step = next_step(arcs, periods, step)) {
        const i64 row = row_of(periods, step);
        const Metric metric = arcs.metric[row];
        const double whole =
            code < FACET_CODE ? step_cost(metric, arcs.unit_time[row], child, code, offset)
                              : facet_cost(metric, child, code, weight, offset);
        const double end = step_end(arcs, periods, step), arrival = time + left * whole;
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
                          const FireView& view) {
    const i64* const offset = view.offset;
    double late = double(now) + step_cost(weather.metric, weather.unit_time, child, step, offset);
    if (late > weather.until)
        late = arrive_across(arcs, view.periods, double(now), child, step, 0.0, offset);
    return larger(float(late), later(now));
}

// The arc through a facet into a child, and when the facet's two ends burn.
struct FacetEnds {
    i64 child, code;
    float time_a, time_b;
};

// When fire arrives through a facet, and the weight of the facet's second end in the arc.
struct FacetTime {
    double late, weight;
};

// The better of `found` and of the point of the facet that suits the next weather, in which the arc
// ends. In constant weather a fire has its bits until the next period, whatever that brings.
inline FacetTime under_next_weather(const Arcs& arcs, const Weather& now, const FacetEnds& ends,
                                    const FacetTime& found, const FireView& view) {
    const Step next = next_step(arcs, view.periods, now.step);
    const double other = facet_weight(arcs.metric[row_of(view.periods, next)], ends.child,
                                      ends.code, ends.time_a, ends.time_b);
    if (!(other >= 0.0)) return found;
    const double start = ends.time_a + other * (double(ends.time_b) - double(ends.time_a));
    const double late = arrive_across(arcs, view.periods, start, ends.child, ends.code, other,
                                      view.offset);
    const bool is_known = next.period == now.step.period || late > now.until;
    return is_known && late < found.late ? FacetTime{late, other} : found;
}

// The arc through a facet whose later end burned in the weather `now`; none: inf, and a weight
// below 0.
INLINE Arrival facet_arrival(const Arcs& arcs, const Weather& now, const FacetEnds& ends,
                             const FireView& view) {
    const i64* const offset = view.offset;
    const i64 child = ends.child, code = ends.code;
    FacetTime found{HUGE_VAL, facet_weight(now.metric, child, code, ends.time_a, ends.time_b)};
    if (found.weight >= 0.0) {
        const double start =
            ends.time_a + found.weight * (double(ends.time_b) - double(ends.time_a));
        found.late = start + facet_cost(now.metric, child, code, found.weight, offset);
        if (start < now.begin || found.late > now.until)
            found.late =
                arrive_across(arcs, view.periods, start, child, code, found.weight, offset);
    }
    if (found.late > now.until) found = under_next_weather(arcs, now, ends, found, view);
    const float last = larger(ends.time_a, ends.time_b);
    return {larger(float(found.late), later(last)), code, found.weight};
}

// Is an arc better than the best one so far? Of two that arrive at once the one of the lower code.
INLINE bool is_better(float time, i64 code, const Arrival& best) {
    return time < best.time || (time == best.time && time < HUGE_VALF && code < best.code);
}

}  // namespace firebreak
