// Placing of breaks in slots, and which cells are then left to treat.
#include "overlay.h"
#include "structs.h"
#include "tables.h"

namespace firebreak {
namespace {

// Sums of costs carry rounding; a budget that is short by less still buys the cell.
INLINE float most(double left) { return float(left * (1.0 + 1e-9) + 1e-9); }

void refresh(i64 cells, float payable, const bool* treatable, const float* cost,
             const bool* breaks, bool* available) {
    for (i64 cell = 0; cell < cells; cell++)
        available[cell] = treatable[cell] & !breaks[cell] & (cost[cell] <= payable);
}

template <class Call>
void refresh_slot(const Call& call, i64 slot) {
    refresh(call.breaks[slot].flat().size(), most(call.left[slot]), call.treatable[slot].data,
            call.cost[slot].data, call.breaks[slot].data, call.available[slot].data);
}

// Breaks a flat cell if it is available; returns its padded cell, or -1.
i64 place_break(const PlaceBreaks& call, i64 slot, i64 cell) {
    const i64 cols = call.breaks.shape[2], row = cell / cols, col = cell % cols;
    const float price = call.cost(slot, row, col);
    if (!call.treatable(slot, row, col) || call.breaks(slot, row, col)
        || !(price <= most(call.left[slot])))
        return -1;
    call.left[slot] -= double(price);
    call.breaks(slot, row, col) = true;
    write_break(row, col, call.kinds[slot], call.breaks[slot], call.states[slot].data);
    return (row + REACH) * (cols + 2 * REACH) + col + REACH;
}

}  // namespace

ENTRY(refresh_available, RefreshAvailable) {
    if (call.slot < 0 || call.slot >= call.breaks.size()) return "slot: out of range";
    refresh_slot(call, call.slot);
    return nullptr;
}

ENTRY(place_breaks, PlaceBreaks) {
    const i64 slots = call.breaks.size(), rows = call.breaks.shape[1], cols = call.breaks.shape[2];
    if (call.states.shape[1] != (rows + 2 * REACH) * (cols + 2 * REACH))
        return "states: not of the padded map";
    if (!all_within(call.which, 0, slots)) return "which: a slot out of range";
    if (!all_within(call.cells, 0, rows * cols)) return "cells: a cell outside the map";
    const i64 count = call.which.size();
    for (i64 k = 0; k < count; k++) {
        const i64 slot = call.which[k];
        call.places[k] = place_break(call, slot, call.cells[k]);
        if (k + 1 == count || call.which[k + 1] != slot) refresh_slot(call, slot);
    }
    return nullptr;
}

}  // namespace firebreak
