// Placing of breaks: the codes around them, and which cells are then left to treat.
#include "checks.h"

namespace firebreak {
namespace {

// Rows and columns of the map within REACH of a cell.
struct Square {
    i64 top, bottom, left, right;
};

INLINE Square square_around(i64 row, i64 col, const Array<const bool, ANY, ANY>& map) {
    return {larger(row - REACH, i64(0)), smaller(row + REACH + 1, map.shape[0]),
            larger(col - REACH, i64(0)), smaller(col + REACH + 1, map.shape[1])};
}

// Is a cell within REACH of a break, or of bare ground that fire may cross?
bool near_break(i64 row, i64 col, const Array<const bool, ANY, ANY>& breaks, const u8* state) {
    const Square near = square_around(row, col, breaks);
    const i64 width = breaks.shape[1] + 2 * REACH;
    for (i64 r = near.top; r < near.bottom; r++)
        for (i64 c = near.left; c < near.right; c++)
            if (breaks(r, c) || state[(r + REACH) * width + c + REACH] >= BARE) return true;
    return false;
}

// Writes the codes of `tables.h` around a burnable cell whose break came or went. breaks, [H, W]:
// as they are now, all of one kind. state, [P]: of the padded map.
void write_break(i64 row, i64 col, u8 kind, Array<const bool, ANY, ANY> breaks, u8* state) {
    const i64 width = breaks.shape[1] + 2 * REACH;
    const bool came = breaks(row, col);
    const Square near = square_around(row, col, breaks);
    for (i64 r = near.top; r < near.bottom; r++) {
        for (i64 c = near.left; c < near.right; c++) {
            u8& code = state[(r + REACH) * width + c + REACH];
            if (breaks(r, c)) code = kind;
            else if (came && code == OPEN) code = NEAR;
            else if (!came && (code == NEAR || (r == row && c == col)))
                code = near_break(r, c, breaks, state) ? NEAR : OPEN;
        }
    }
}

// Sums of costs carry rounding; a budget that is short by less still buys the cell.
INLINE float most(double left) { return float(left * (1.0 + 1e-9) + 1e-9); }

void refresh(const PlaceBreaks& call, i64 slot) {
    const auto treatable = call.treatable[slot].flat();
    const auto breaks = call.breaks[slot].flat();
    const auto cost = call.cost[slot].flat();
    const auto available = call.available[slot].flat();
    const float payable = most(call.left[slot]);
    for (i64 cell = 0; cell < available.size(); cell++)
        available[cell] = treatable[cell] & !breaks[cell] & (cost[cell] <= payable);
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

ENTRY(write_breaks, WriteBreaks) {
    const i64 rows = call.breaks.shape[0], cols = call.breaks.shape[1];
    if (!all_within(call.cells, 0, rows * cols)) return "cells: a cell outside the map";
    if (call.kind < CLOSED || call.kind > HELD_BREAK) return "kind: no code of a break";
    if (call.state.size() != (rows + 2 * REACH) * (cols + 2 * REACH))
        return "state: not of the padded map";
    for (const i64 cell : call.cells) {
        const i64 row = cell / cols, col = cell % cols;
        call.breaks(row, col) = call.broken != 0;
        write_break(row, col, u8(call.kind), call.breaks, call.state.data);
    }
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
        if (k + 1 == count || call.which[k + 1] != slot) refresh(call, slot);
    }
    return nullptr;
}

}  // namespace firebreak
