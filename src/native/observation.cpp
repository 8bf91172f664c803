// Writing of the channels of an observation that change as breaks come.
//
// Calls the C library: sqrt, rint.
#include <cmath>

#include "structs.h"
#include "tables.h"

namespace firebreak {
namespace {

// [0, 1] -> byte, rounded to even; nan is 0.
INLINE u8 byte_of(double share) {
    return u8(i32(std::rint(smaller(larger(0.0, share), 1.0) * 255.0)));
}

// The largest downstream value, in whole units, of a free cell without a break.
i64 most_below(const WriteCells& call, i64 slot) {
    const i64 rows = call.free.shape[1], cols = call.free.shape[2], width = cols + 2 * REACH;
    i64 most = 0;
    for (i64 row = 0; row < rows; row++) {
        const i64* const below = call.below[slot].data + (row + REACH) * width + REACH;
        const bool* const free = call.free[slot][row].data;
        const bool* const breaks = call.breaks[slot][row].data;
        for (i64 col = 0; col < cols; col++)
            if (free[col] & !breaks[col]) most = larger(most, below[col]);
    }
    return most;
}

// What full scale is in one slot, and in what a cell's sums are counted.
struct Scale {
    double most_below, middle, unit, fires;
};

// Burn probability and downstream value of `cols` cells in a row.
void write_risks(i64 cols, const Scale& scale, const i64* burned, const i64* below, u8* chances,
                 u8* values) {
    for (i64 col = 0; col < cols; col++) {
        const double chance = double(burned[col]) / scale.fires;
        const double value = double(below[col]) / scale.unit / scale.fires;
        chances[col] = byte_of(chance / (chance + scale.middle));
        values[col] = byte_of(std::sqrt(value / scale.most_below));
    }
}

void write_flags(i64 cells, const bool* flags, u8* out) {
    for (i64 cell = 0; cell < cells; cell++) out[cell] = flags[cell] ? 255 : 0;
}

void write_slot(const WriteCells& call, i64 slot) {
    const i64 rows = call.free.shape[1], cols = call.free.shape[2], width = cols + 2 * REACH;
    const double unit = call.unit[slot], fires = double(call.fires[slot]);
    call.best[slot] = double(most_below(call, slot)) / unit / fires;
    const Scale scale{larger(call.best[slot], 1e-9), larger(call.usual[slot], 1e-9), unit, fires};
    const auto layers = call.layers[slot];
    for (i64 row = 0; row < rows; row++) {
        const i64 first = (row + REACH) * width + REACH;
        write_risks(cols, scale, call.burned[slot].data + first, call.below[slot].data + first,
                    layers[0][row].data, layers[1][row].data);
    }
    write_flags(rows * cols, call.breaks[slot].data, layers[2].data);
    write_flags(rows * cols, call.available[slot].data, layers[3].data);
}

}  // namespace

ENTRY(write_cells, WriteCells) {
    const i64 rows = call.free.shape[1], cols = call.free.shape[2];
    if (call.burned.shape[1] != (rows + 2 * REACH) * (cols + 2 * REACH))
        return "burned: not of the padded map";
    if (call.layers.shape[1] < 4) return "layers: fewer than four channels";
    if (!all_within(call.which, 0, call.free.size())) return "which: a slot out of range";
    for (i64 slot : call.which) write_slot(call, slot);
    return nullptr;
}

}  // namespace firebreak
