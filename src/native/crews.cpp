// Decisions of crews.
// Calls the C library: exp, pow, and what `intensity.h` says.
#include "crews.h"

#include "intensity.h"

namespace firebreak {
namespace {

// How hot fire is where it comes into a cell, in the crews' measure.
double hotness(i64 cell, double time, i64 code, double weight, const Fire& fire) {
    const i64 row = row_at(fire.arcs, fire.view.periods, time);
    if (fire.arcs.heat(row, cell, 0) <= 0.0f) return 0.0;
    const double here = intensity(fire.arcs, row, cell, code, weight);
    return fire.crews.scale * std::pow(here, fire.crews.power);
}

// 1 up to what crews always hold, 0 from what they never hold, linear in between.
double hold_chance(double hot, const Crews& crews) {
    if (hot <= crews.always) return 1.0;
    if (hot >= crews.never) return 0.0;
    return (crews.never - hot) / (crews.never - crews.always);
}

// Can crews be in a cell by a time of burning? They may come in a pause.
bool are_there(i64 cell, double time, const Fire& fire) {
    return fire.view.periods.clock(time) >= double(fire.crews.ready[cell]);
}

bool all_busy(const Fire& fire, const Scratch& work) {
    return double(work.front->stopped) >= fire.crews.most_cells;
}

// Does a cell have a neighbour that does not burn until then?
bool at_edge(i64 cell, double until, i64 width, const Scratch& work) {
    for (i64 row = -width; row <= width; row += width)
        for (i64 col = -1; col <= 1; col++) {
            const i64 near = cell + row + col;
            if (work.time[near] > until || work.code[near] == HELD) return true;
        }
    return false;
}

// Intensity of the head among the first `count` cells that burned, kW/m.
double hottest_edge(i64 count, const Fire& fire, const Scratch& work) {
    const Arcs& arcs = fire.arcs;
    double hottest = 0.0;
    for (i64 k = 0; k < count; k++) {
        const i64 cell = work.order[k];
        if (is_bare(cell, fire.view)) continue;
        const i64 row = row_at(arcs, fire.view.periods, work.time[cell]);
        if (arcs.heat(row, cell, 0) > 0.0f
            && at_edge(cell, fire.crews.attack_min, fire.view.width, work))
            hottest = larger(hottest,
                             intensity(arcs, row, cell, work.code[cell], work.weight[cell]));
    }
    return hottest;
}

}  // namespace

bool holds(i64 cell, float time, const Fire& fire, const Scratch& work) {
    if (!are_there(cell, time, fire) || all_busy(fire, work)) return false;
    const double hot = hotness(cell, time, work.code[cell], work.weight[cell], fire);
    return uniform(fire.view.key, u64(cell), DRAW_HOLD) < hold_chance(hot, fire.crews);
}

bool corner_held(const Diagonal& arc, const Fire& fire, const Scratch& work) {
    const FireView& view = fire.view;
    const i64 step = arc.step;
    if (!view.manned || step >= 8 || step % 2 == 0 || view.leak || all_busy(fire, work))
        return false;
    const double time = double(arc.now) + 0.5 * (double(arc.late) - double(arc.now));
    const i64 sides[2] = {arc.child + view.offset[(step + 1) & 7],
                          arc.child + view.offset[step - 1]};
    double hot = 0.0;
    bool manned = false;
    for (const i64 side : sides) {
        if (may_hold(side, view)) {
            if (!are_there(side, time, fire)) return false;
            hot = larger(hot, hotness(side, time, step, 0.0, fire));
            manned = true;
        } else if (!blocked(side, view)) {
            return false;
        }
    }
    if (!manned) return false;
    // The pair has one number, from whichever side fire comes.
    const i64 upper = smaller(sides[0], sides[1]), lower = larger(sides[0], sides[1]);
    const i64 draw = (lower - upper) % view.width == 1 ? DRAW_CORNER_EAST : DRAW_CORNER_WEST;
    return uniform(view.key, u64(upper), u64(draw)) < hold_chance(hot, fire.crews);
}

i64 stop(i64 cell, i64 burned, const FireView& view, Scratch& work) {
    work.order[2 * work.cells - 1 - work.front->stopped] = i32(cell);
    work.front->stopped++;
    if (view.state[cell] == NARROW_BREAK) {
        work.order[burned] = i32(cell);
        work.status[cell] = u8(BURNED_NO_SPREAD);
        return burned + 1;
    }
    work.status[cell] = u8(STOPPED);
    work.code[cell] = u8(HELD);
    return burned;
}

// E / (1 + E), ln E = 4.6835 - 0.7043 A - 0.00041 I - 0.000052 A I (Hirsch, Corey & Martell 1998).
double containment_chance(double area_ha, double intensity_kw_m) {
    const double log_odds = 4.6835 - 0.7043 * area_ha - 0.00041 * intensity_kw_m
                            - 0.000052 * area_ha * intensity_kw_m;
    if (log_odds < 0.0) return std::exp(log_odds) / (1.0 + std::exp(log_odds));
    return 1.0 / (1.0 + std::exp(-log_odds));
}

i64 end_if_contained(i64 burned, const Fire& fire, Scratch& work) {
    const double until = fire.crews.attack_min;
    i64 count = 0;
    while (count < burned && double(work.time[work.order[count]]) <= until) count++;
    i64 bare = 0;
    for (i64 k = 0; k < count; k++) bare += is_bare(work.order[k], fire.view);
    const double chance = containment_chance(double(count - bare) * fire.crews.cell_ha,
                                             hottest_edge(count, fire, work));
    if (uniform(fire.view.key, u64(fire.view.source), DRAW_ATTACK) >= chance) return burned;
    for (i64 k = count; k < burned; k++) unburn(work.order[k], work);
    i64 kept = 0;
    for (i64 k = 0; k < work.front->stopped; k++) {
        const i64 cell = stopped_cell(k, work);
        if (double(work.time[cell]) <= until)
            work.order[2 * work.cells - 1 - kept++] = i32(cell);
        else
            unburn(cell, work);
    }
    work.front->stopped = kept;
    return count;
}

}  // namespace firebreak
