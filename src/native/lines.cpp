// Lines of cells: those that lie apart, what fire carries through each, counted once, and sums of
// maps along them.
#include "checks.h"

namespace firebreak {
namespace {

bool touches(Array<const i64, ANY> cells, const bool* near) {
    for (i64 cell : cells)
        if (near[cell]) return true;
    return false;
}

// Marks what is nearer than `spacing`, at least 0, to a flat cell.
void mark_near(i64 cell, i64 spacing, Array<bool, ANY, ANY> near) {
    const i64 rows = near.shape[0], cols = near.shape[1], row = cell / cols, col = cell % cols;
    const i64 left = larger(col - spacing + 1, i64(0)), right = smaller(col + spacing, cols);
    for (i64 r = larger(row - spacing + 1, i64(0)); r < smaller(row + spacing, rows); r++)
        for (i64 c = left; c < right; c++) near(r, c) = true;
}

const char* check_lines(const ChooseSpaced& call) {
    CHECK(check_parts(call.first, call.chosen.size(), call.cells.size()));
    if (!all_within(call.cells, 0, call.near.flat().size())) return "cells: a cell outside the map";
    if (call.count[0] < 0 || call.count[0] > INT64_MAX / 2) return "count: out of range";
    return nullptr;
}

// What the lines in one direction are scored by, from a start.
struct Scoring {
    const ScoreLines& call;
    i64 start;

    // A cell of the line, or -1 where it leaves the padded map.
    INLINE i64 cell_at(i64 j) const {
        const i64 cell = start + call.offset[j];
        return cell < 0 || cell >= call.state.size() ? -1 : cell;
    }
    // What comes to the j-th cell, a new break, from new breaks before it, or to them from it.
    INLINE double take_away(double total, i64 j, i64 cell) const {
        for (i64 back = larger(i64(0), j - 2 * REACH); back < j; back++) {
            const i64 other = cell_at(back);
            const i64 rows = call.steps(back, 0) - call.steps(j, 0);
            const i64 cols = call.steps(back, 1) - call.steps(j, 1);
            if (call.state[other] != PLACED || rows < -REACH || rows > REACH || cols < -REACH
                || cols > REACH)
                continue;
            const i64 here = call.step_index(rows + REACH, cols + REACH);
            if (here < 0) continue;
            total -= call.along(here, cell);
            total -= call.along(call.step_index(REACH - rows, REACH - cols), other);
        }
        return total;
    }
};

// Scores the lines from the i-th start.
void score_from(const ScoreLines& call, i64 i) {
    const Scoring scoring{call, call.starts[i]};
    const auto gain = call.gain[i], price = call.price[i];
    const i64 lengths = call.lengths.size();
    for (i64 k = 0; k < lengths; k++) price[k] = HUGE_VAL, gain[k] = 0.0;
    double total = 0.0, cost_so_far = 0.0;
    i64 reached = 0;
    for (i64 j = 0; j < call.steps.size() && reached < lengths; j++) {
        const i64 cell = scoring.cell_at(j);
        if (cell < 0 || call.state[cell] == STOPS || cost_so_far > call.max_price) return;
        if (call.state[cell] == PLACED) {
            cost_so_far += call.cost[cell];
            total = scoring.take_away(total + call.through[cell], j, cell);
        }
        if (j + 1 != call.lengths[reached]) continue;
        if (call.state[cell] == PLACED && cost_so_far <= call.max_price)
            gain[reached] = total, price[reached] = cost_so_far;
        reached++;
    }
}

const char* check_scoring(const ScoreLines& call) {
    if (!all_within(call.starts, 0, call.state.size())) return "starts: a cell outside the map";
    if (!all_within(call.offset, -INT64_MAX / 2, INT64_MAX / 2)) return "offset: too far";
    if (!all_within(call.steps.flat(), -FARTHEST, FARTHEST)) return "steps: too far";
    const auto index = call.step_index.flat();
    if (!all_within(index, -1, STEPS)) return "step_index: no step";
    for (i64 k = 0; k < index.size(); k++)
        if ((index[k] < 0) != (index[index.size() - 1 - k] < 0))
            return "step_index: a step that does not lead back";
    return nullptr;
}

// Adds a map [H, W], moved by (down, right), to another.
void add_moved(Array<const float, ANY, ANY> map, i64 down, i64 right, Array<float, ANY, ANY> out) {
    const i64 rows = map.shape[0], cols = map.shape[1];
    const i64 left = larger(i64(0), -right), end = smaller(cols, cols - right);
    if (end <= left) return;
    for (i64 row = larger(i64(0), -down); row < smaller(rows, rows - down); row++) {
        float* const here = out[row].data + left;
        const float* const there = map[row + down].data + left + right;
        for (i64 k = 0; k < end - left; k++) here[k] += there[k];
    }
}

}  // namespace

ENTRY(choose_spaced, ChooseSpaced) {
    CHECK(check_lines(call));
    const i64 whole = call.near.shape[0] + call.near.shape[1];
    const i64 spacing = larger(i64(0), smaller(call.spacing, whole));
    i64& count = call.count[0];
    for (i64 line = 0; line < call.chosen.size(); line++) {
        const auto own = call.cells.slice(call.first[line], call.first[line + 1]);
        if (count > 0 && (count + own.size() > call.max_cells || touches(own, call.near.data)))
            continue;
        call.chosen[line] = true;
        count += own.size();
        for (i64 cell : own) mark_near(cell, spacing, call.near);
        if (count >= call.max_cells) break;
    }
    return nullptr;
}

ENTRY(score_lines, ScoreLines) {
    CHECK(check_scoring(call));
    for (i64 i = 0; i < call.starts.size(); i++) score_from(call, i);
    return nullptr;
}

ENTRY(add_along, AddAlong) {
    CHECK(check_parts(call.first, call.maps.shape[1], call.steps.size()));
    if (!all_within(call.steps.flat(), -FARTHEST, FARTHEST)) return "steps: too far";
    for (i64 m = 0; m < call.maps.size(); m++)
        for (i64 shape = 0; shape < call.maps.shape[1]; shape++)
            for (i64 k = call.first[shape]; k < call.first[shape + 1]; k++)
                add_moved(call.maps[m][shape], call.steps(k, 0), call.steps(k, 1),
                          call.out[m][shape]);
    return nullptr;
}

}  // namespace firebreak
