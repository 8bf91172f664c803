// Burning of many fires at once, into losses, trees and maps of each, or into sums over fires:
// their memory grows with the map and the threads, never with fires x cells.
// Calls the C library: what `front.cpp` and `intensity.h` say.
//
// All sums are whole numbers, so that the order of fires, and with it blocks and threads, changes
// no bit. Each thread adds into a part of its own.
#include "checks.h"
#include "front.h"
#include "losses.h"

namespace firebreak {
namespace {

// Sets the class of intensity in which each burned cell burned.
void classify(i64 burned, const Fire& fire, const Array<const double, ANY>& limits,
              Scratch& work) {
    for (i64 k = 0; k < burned; k++) {
        const i64 cell = work.order[k];
        const i64 row = row_at(fire.arcs, fire.view.periods, work.time[cell]);
        work.classes[cell] = u8(class_above(
            limits, intensity(fire.arcs, row, cell, work.code[cell], work.weight[cell])));
    }
}

// The fire's loss; what each burned cell loses goes into `below`. value: [C, P]; classes are looked
// at where C is above 1.
double loss_of(i64 burned, const Array<const float, ANY, ANY>& value, Scratch& work) {
    const bool classed = value.size() > 1;
    const float* only = value[0].data;
    double loss = 0.0;
    for (i64 k = 0; k < burned; k++) {
        const i64 cell = work.order[k];
        const double cost = classed ? value(work.classes[cell], cell) : only[cell];
        work.below[cell] = cost;
        loss += cost;
    }
    return loss;
}

// Turns what each cell loses into what is lost in the fire's tree below it, itself included: each
// cell hands its sum to its parents by weight, last burned first (a topological order).
void hand_down(i64 burned, const i64* offset, Scratch& work) {
    double* const below = work.below;
    for (i64 k = burned - 1; k > 0; k--) {
        const i64 cell = work.order[k], code = work.code[cell];
        if (code < FACET_CODE) {
            below[cell + offset[code]] += below[cell];
        } else if (code == SPOT) {
            below[work.thrower[cell]] += below[cell];
        } else {
            const i64 facet = code - FACET_CODE;
            const double share = double(work.weight[cell]) * below[cell];
            below[cell + offset[FACET_B[facet]]] += share;
            below[cell + offset[FACET_A[facet]]] += below[cell] - share;
        }
    }
}

// Values of the burned cells in a result's row, `outside` in all others.
template <class To, class From>
void lay_out(const From* values, To outside, i64 burned, const Scratch& work,
             const Array<To, ANY>& row) {
    for (To& value : row) value = outside;
    for (i64 k = 0; k < burned; k++) row[work.order[k]] = To(values[work.order[k]]);
}

// Takes bare ground, which fire crossed and did not burn, out of `order`; returns how many cells
// are left. All that asks for how fire came to a cell is done then.
i64 without_bare(i64 burned, const FireView& view, Scratch& work) {
    if (view.breach.empty()) return burned;
    i64 left = 0;
    for (i64 k = 0; k < burned; k++) {
        const i32 cell = work.order[k];
        if (is_bare(cell, view))
            unburn(cell, work);
        else
            work.order[left++] = cell;
    }
    return left;
}

// Puts a burned fire into those results that have a row for it; returns how many cells are left in
// `order`. The tree of parents leads through bare ground.
i64 write(i64 fire, i64 burned, const FireView& view, Scratch& work, const Results& results) {
    if (fire < rows_of(results.code)) {
        const Array<u8, ANY> code = results.code[fire];
        lay_out(work.code, u8(UNBURNED), burned, work, code);
        for (i64 k = 0; k < work.front->stopped; k++) {
            const i64 cell = stopped_cell(k, work);  // a narrow break has burned, by its own code
            code[cell] = work.code[cell];
        }
    }
    burned = without_bare(burned, view, work);
    if (fire < rows_of(results.downstream))
        lay_out(work.below, 0.0, burned, work, results.downstream[fire]);
    if (fire < rows_of(results.arrival))
        lay_out(work.time, HUGE_VAL, burned, work, results.arrival[fire]);
    if (fire < rows_of(results.classes))
        lay_out(work.classes, u8(UNBURNED), burned, work, results.classes[fire]);
    return burned;
}

// Burns one fire of the table with a thread's scratch memory and writes its results.
void burn_listed(i64 number, i64 thread, const i64* offset, const BurnMany& call) {
    Scratch work = scratch_of(call.scratch, thread, call.arcs.metric.shape[1]);
    const Fire fire = fire_of(number, offset, call);
    i64 burned = burn_one(fire, work);
    if (!call.arcs.heat.empty()) classify(burned, fire, call.rules.class_limits, work);
    call.results.loss[number] =
        loss_of(burned, call.overlays.value[call.fires.overlay[number]], work);
    if (number < rows_of(call.results.downstream)) hand_down(burned, offset, work);
    burned = write(number, burned, fire.view, work, call.results);
    clean(burned, work);
}

const char* fault_of(const BurnMany& call) {
    CHECK(check_workspace(call.scratch, call.threads, call.arcs.metric.shape[1]));
    CHECK(check_spots(call.spots));
    CHECK(check_classes(call.arcs, call.rules.class_limits, call.overlays.value.shape[1]));
    return check_fires(call.which, call.width, call.arcs, call.rules, call.fires, call.overlays);
}

// Sets the tiles that a cell lies near as requested where they are not ready; are all ready?
bool near_ready(i64 cell, i64 cells, i64 width, const Tiles& tiles, u8* requested) {
    const i64 row = cell / width - REACH, col = cell % width - REACH;
    const i64 last_row = cells / width - 2 * REACH - 1, last_col = width - 2 * REACH - 1;
    const i64 rows[2] = {larger(row - REACH, i64(0)), smaller(row + REACH, last_row)};
    const i64 cols[2] = {larger(col - REACH, i64(0)), smaller(col + REACH, last_col)};
    bool ready = true;
    for (const i64 down : rows)
        for (const i64 right : cols) {
            const i64 tile = down / tiles.side * tiles.across + right / tiles.side;
            if (tiles.ready[tile] != 0) continue;
            requested[tile] = 1;
            ready = false;
        }
    return ready;
}

// Do all cells that burned, or at which crews held a break, lie so far inside tiles that are ready
// that the fire read no other?
bool stays_inside(i64 burned, i64 width, const Tiles& tiles, u8* requested, const Scratch& work) {
    bool inside = true;
    for (i64 k = 0; k < burned + work.front->stopped; k++) {
        const i64 cell = k < burned ? work.order[k] : stopped_cell(k - burned, work);
        inside &= near_ready(cell, work.cells, width, tiles, requested);
    }
    return inside;
}

// The nearest whole number of a sum's parts, 0 or more; the smallest of all where none is near.
INLINE i64 whole(double parts) {
    const double near = parts + 0.5;
    return near > -9e18 && near < 9e18 ? i64(near) : INT64_MIN;
}

// Adds a burned fire, as often as it counts, to its thread's sums.
void add(i64 burned, i64 weight, bool classed, const Sums& sums, i64 thread, const Scratch& work) {
    const Array<i64, ANY, ANY> count = sums.burned[thread];
    i64* const below = sums.below.empty() ? nullptr : sums.below[thread].data;
    i64* const arrival = sums.arrival.empty() ? nullptr : sums.arrival[thread].data;
    for (i64 k = 0; k < burned; k++) {
        const i64 cell = work.order[k];
        add_to(count(classed ? work.classes[cell] : 0, cell), weight);
        if (below != nullptr)
            add_to(below[cell], times(weight, whole(work.below[cell] * sums.per_value)));
        if (arrival != nullptr)
            add_to(arrival[cell],
                   times(weight, whole(double(work.time[cell]) * sums.per_minute)));
    }
    if (sums.stopped.empty()) return;
    for (i64 k = 0; k < work.front->stopped; k++)
        add_to(sums.stopped(thread, stopped_cell(k, work)), weight);
}

// Puts a burned fire into the tracks.
void track(i64 fire, i64 burned, const Tracks& tracks, const Scratch& work) {
    tracks.burned[fire] = burned;
    // Cells burn in the order of their times.
    tracks.latest[fire] = burned > 0 ? double(work.time[work.order[burned - 1]]) : 0.0;
    if (fire >= rows_of(tracks.cell)) return;
    for (i64 k = 0; k < burned; k++) {
        tracks.cell(fire, k) = work.order[k];
        tracks.time(fire, k) = work.time[work.order[k]];
    }
}

// Burns one fire of the table with a thread's scratch memory and adds it to the sums.
void sum_listed(i64 number, i64 thread, const i64* offset, const SumMany& call) {
    Scratch work = scratch_of(call.scratch, thread, call.arcs.metric.shape[1]);
    const Fire fire = fire_of(number, offset, call);
    i64 burned = burn_one(fire, work);
    const bool classed = !call.arcs.heat.empty();
    if (!call.tiles.ready.empty()
        && !stays_inside(burned, call.width, call.tiles, call.tiles.requested[thread].data, work)) {
        call.state[number] = u8(MISSED);
        clean(burned, work);
        return;
    }
    call.state[number] = u8(ADDED);
    if (classed) classify(burned, fire, call.rules.class_limits, work);
    call.loss[number] = loss_of(burned, call.overlays.value[call.fires.overlay[number]], work);
    if (!call.sums.below.empty()) hand_down(burned, offset, work);
    burned = without_bare(burned, fire.view, work);
    track(number, burned, call.tracks, work);
    if (!call.sums.burned.empty())
        add(burned, call.fires.weight[number], classed, call.sums, thread, work);
    clean(burned, work);
}

const char* check_tiles(const Tiles& tiles, i64 cells, i64 width) {
    if (tiles.ready.empty()) return nullptr;
    const i64 rows = cells / width - 2 * REACH, cols = width - 2 * REACH;
    if (tiles.side < 1 || tiles.across < 1 || tiles.across > cols
        || (rows - 1) / tiles.side * tiles.across + (cols - 1) / tiles.side >= tiles.ready.size())
        return "tiles: not those of this map";
    return tiles.requested.empty() ? "tiles: no room for requests" : nullptr;
}

const char* fault_of(const SumMany& call) {
    CHECK(check_workspace(call.scratch, call.threads, call.arcs.metric.shape[1]));
    CHECK(check_spots(call.spots));
    CHECK(check_classes(call.arcs, call.rules.class_limits, call.overlays.value.shape[1]));
    CHECK(check_fires(call.which, call.width, call.arcs, call.rules, call.fires, call.overlays));
    if (!call.sums.burned.empty() && !call.arcs.heat.empty()
        && call.sums.burned.shape[1] <= call.rules.class_limits.size())
        return "sums: fewer classes than the limits make";
    if (rows_of(call.tracks.cell) != rows_of(call.tracks.time))
        return "tracks: cells and times of unlike numbers of fires";
    return check_tiles(call.tiles, call.overlays.state.shape[1], call.width);
}

}  // namespace

ENTRY(burn_many, BurnMany) {
    CHECK(fault_of(call));
    for_fires(call, [&](i64 k, i64 thread, const i64* offset) {
        burn_listed(call.which[k], thread, offset, call);
    });
    return nullptr;
}

ENTRY(sum_many, SumMany) {
    CHECK(fault_of(call));
    for_fires(call, [&](i64 k, i64 thread, const i64* offset) {
        sum_listed(call.which[k], thread, offset, call);
    });
    return nullptr;
}

}  // namespace firebreak
