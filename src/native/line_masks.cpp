// Masks of lines: which lines of cells can be placed and paid for.
//
// Where a budget pays for any line, only what stops a line is looked at: how far each direction is
// clear follows from how far it is one period of its steps further on.
#include "checks.h"

namespace firebreak {
namespace {

// One of the maps, and what a line on it may cost.
struct Land {
    Array<const u8, ANY, ANY> state;
    Array<const bool, ANY, ANY> available;
    Array<const double, ANY, ANY> cost;
    double most;
    i64 rows, cols;
};

// Lines in one direction: out, [L, H, W], are those of its lengths.
struct Direction {
    Array<const i64, ANY, 2> steps;
    Array<const i64, ANY> lengths;
    i64 period;
    bool* out;

    INLINE bool* out_row(const Land& land, i64 number, i64 row) const {
        return out + (number * land.rows + row) * land.cols;
    }
};

// Does the budget pay for the dearest cells, as many as the longest line has?
bool pays_for_any(const Land& land, i64 longest) {
    double dearest = 0.0;
    for (i64 cell = 0; cell < land.rows * land.cols; cell++)
        if (land.state.data[cell] == PLACED) dearest = larger(dearest, land.cost.data[cell]);
    return dearest * double(longest + 1) <= land.most;  // one more: sums of costs carry rounding
}

// Writes, for each cell of a row, cells of the direction's line from it, up to the longest length,
// before the map ends or one stops it. clear: the same, known of cells further on.
void clear_row(const Land& land, const Direction& own, i64 row, u8* __restrict clear) {
    const u8* const state = land.state.data;
    const i64 rows = land.rows, cols = land.cols, period = own.period, longest = own.steps.size();
    const auto steps = own.steps;
    const i64 down = steps(period, 0), right = steps(period, 1);
    const bool goes_on = row + down < rows;
    for (i64 col = cols - 1; col >= 0; col--) {
        i64 run = 0;
        for (; run < period; run++) {
            const i64 r = row + steps(run, 0), c = col + steps(run, 1);
            if (r >= rows || c < 0 || c >= cols || state[r * cols + c] == STOPS) break;
        }
        const i64 c = col + right;
        if (run == period && goes_on && 0 <= c && c < cols)
            run = smaller(run + clear[(row + down) * cols + c], longest);
        clear[row * cols + col] = u8(run);
    }
}

void fill_clear(const Land& land, const Direction& own, const Array<u8, ANY, ANY>& clear) {
    for (i64 row = land.rows - 1; row >= 0; row--) clear_row(land, own, row, clear.data);
}

// Truth values as the bytes that they are: so they are handled many at a time.
INLINE const u8* bytes_of(const bool* truths) { return reinterpret_cast<const u8*>(truths); }
INLINE u8* bytes_of(bool* truths) { return reinterpret_cast<u8*>(truths); }

INLINE void allow_cells(i64 cells, u8 length, const u8* begins, const u8* clear, const u8* ends,
                        u8* __restrict allowed) {
    constexpr u8 END = PLACED;
    for (i64 k = 0; k < cells; k++)
        allowed[k] = begins[k] & u8(clear[k] >= length) & u8(ends[k] == END);
}

// Cells side by side, a register at a time; the last ones of a row once more.
void allow_row(i64 cells, u8 length, const u8* begins, const u8* clear, const u8* ends,
               u8* allowed) {
    constexpr i64 PART = 16;
    if (cells < PART) return allow_cells(cells, length, begins, clear, ends, allowed);
    for (i64 k = 0; k < cells; k += PART) {
        const i64 first = smaller(k, cells - PART);
        allow_cells(PART, length, begins + first, clear + first, ends + first, allowed + first);
    }
}

// Sets the lines that are clear as far as they go.
void allow_clear(const Land& land, const Direction& own, const Array<u8, ANY, ANY>& clear) {
    for (i64 number = 0; number < own.lengths.size(); number++) {
        const i64 length = own.lengths[number];
        const auto last = own.steps[length - 1], middle = own.steps[length / 2];
        const i64 left = larger(i64(0), -last[1]), end = smaller(land.cols, land.cols - last[1]);
        if (end <= left) continue;
        for (i64 row = 0; row < land.rows - last[0]; row++)
            allow_row(end - left, u8(length), bytes_of(land.available[row].data) + left,
                      clear[row].data + left, land.state[row + last[0]].data + left + last[1],
                      bytes_of(own.out_row(land, number, row + middle[0])) + left + middle[1]);
    }
}

// Sets the lines from one available cell, walking along them and paying.
void allow_walking(const Land& land, const Direction& own, i64 row, i64 col) {
    double cost_so_far = 0.0;
    i64 reached = 0;
    for (i64 j = 0; j < own.steps.size(); j++) {
        const i64 r = row + own.steps(j, 0), c = col + own.steps(j, 1);
        if (r >= land.rows || c < 0 || c >= land.cols || land.state(r, c) == STOPS) return;
        const bool placed = land.state(r, c) == PLACED;
        if (placed) cost_so_far += land.cost(r, c);
        if (cost_so_far > land.most) return;
        if (j + 1 != own.lengths[reached]) continue;
        const auto middle = own.steps[own.lengths[reached] / 2];
        if (placed) own.out_row(land, reached, row + middle[0])[col + middle[1]] = true;
        reached++;
    }
}

// Steps of a direction go down, or right in the same row; the middle of a line lies between its
// ends, and all that is clear further on is known before.
const char* check_direction(Array<const i64, ANY, 2> steps, Array<const i64, ANY> lengths,
                            i64 period) {
    if (!all_within(steps.flat(), -FARTHEST, FARTHEST)) return "steps: too far";
    if (period < 1 || period >= steps.size()) return "period: out of range";
    for (i64 j = 0; j < steps.size(); j++)
        if (steps(j, 0) < (j > 0 ? steps(j - 1, 0) : 0)) return "steps: their rows fall";
    for (i64 length : lengths) {
        const i64 last = steps(length - 1, 1), middle = steps(length / 2, 1);
        if (middle < smaller(last, i64(0)) || middle > larger(last, i64(0)))
            return "steps: a middle that lies beside its line";
    }
    return nullptr;
}

const char* check_lines(const AllowLines& call) {
    const i64 longest = call.steps.shape[1];
    if (longest > UINT8_MAX) return "steps: more than 255";
    if (call.lengths.empty() || call.lengths[call.lengths.size() - 1] != longest)
        return "lengths: the last is not that of the steps";
    for (i64 k = 0; k < call.lengths.size(); k++)
        if (call.lengths[k] <= (k > 0 ? call.lengths[k - 1] : 0))
            return "lengths: they do not rise";
    if (call.out.shape[1] != 1 + call.steps.size() * call.lengths.size())
        return "out: not one map for each length of each direction";
    for (i64 k = 0; k < call.steps.size(); k++)
        CHECK(check_direction(call.steps[k], call.lengths, call.period[k]));
    return nullptr;
}

void allow_on(const AllowLines& call, i64 k) {
    const Land land{call.state[k], call.available[k], call.cost[k],
                    call.most[k], call.state.shape[1], call.state.shape[2]};
    const auto out = call.out[k];
    for (i64 cell = 0; cell < land.rows * land.cols; cell++)
        out.data[cell] = land.available.data[cell];
    const bool pays = pays_for_any(land, call.steps.shape[1]);
    for (i64 number = 0; number < call.steps.size(); number++) {
        const Direction own{call.steps[number], call.lengths, call.period[number],
                            out[1 + number * call.lengths.size()].data};
        if (pays) {
            fill_clear(land, own, call.clear);
            allow_clear(land, own, call.clear);
            continue;
        }
        for (i64 row = 0; row < land.rows; row++)
            for (i64 col = 0; col < land.cols; col++)
                if (land.available(row, col)) allow_walking(land, own, row, col);
    }
}

}  // namespace

ENTRY(allow_lines, AllowLines) {
    CHECK(check_lines(call));
    for (i64 k = 0; k < call.state.size(); k++) allow_on(call, k);
    return nullptr;
}

}  // namespace firebreak
