// Sums of maps along line actions.
#include "structs.h"

namespace firebreak {
namespace {

constexpr i64 FARTHEST = INT32_MAX;  // rows or columns of a step

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

const char* check_steps(const AddAlong& call) {
    const i64 shapes = call.maps.shape[1];
    if (call.first.size() != shapes + 1) return "first: not one more than shapes";
    for (i64 shape = 0; shape < shapes; shape++)
        if (call.first[shape] > call.first[shape + 1]) return "first: it falls";
    if (call.first[0] < 0 || call.first[shapes] > call.steps.size()) return "first: out of range";
    for (i64 step : call.steps.flat())
        if (step < -FARTHEST || step > FARTHEST) return "steps: too far";
    return nullptr;
}

}  // namespace

ENTRY(add_along, AddAlong) {
    if (const char* fault = check_steps(call)) return fault;
    for (i64 m = 0; m < call.maps.size(); m++)
        for (i64 shape = 0; shape < call.maps.shape[1]; shape++)
            for (i64 k = call.first[shape]; k < call.first[shape + 1]; k++)
                add_moved(call.maps[m][shape], call.steps(k, 0), call.steps(k, 1),
                          call.out[m][shape]);
    return nullptr;
}

}  // namespace firebreak
