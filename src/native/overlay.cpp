// Writing of the codes that say where breaks are.
#include "overlay.h"

#include "structs.h"
#include "tables.h"

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

bool near_break(i64 row, i64 col, const Array<const bool, ANY, ANY>& breaks) {
    const Square near = square_around(row, col, breaks);
    for (i64 r = near.top; r < near.bottom; r++)
        for (i64 c = near.left; c < near.right; c++)
            if (breaks(r, c)) return true;
    return false;
}

}  // namespace

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
                code = near_break(r, c, breaks) ? NEAR : OPEN;
        }
    }
}

ENTRY(write_break, WriteBreak) {
    const i64 rows = call.breaks.shape[0], cols = call.breaks.shape[1];
    if (call.row < 0 || call.row >= rows || call.col < 0 || call.col >= cols)
        return "row, col: a cell outside the map";
    if (call.kind < CLOSED || call.kind > HELD_BREAK) return "kind: no code of a break";
    if (call.state.size() != (rows + 2 * REACH) * (cols + 2 * REACH))
        return "state: not of the padded map";
    write_break(call.row, call.col, u8(call.kind), call.breaks, call.state.data);
    return nullptr;
}

}  // namespace firebreak
