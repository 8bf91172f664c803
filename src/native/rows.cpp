// Least-cost paths along bands of cells.
#include <cmath>

#include "structs.h"

namespace firebreak {
namespace {

// A column of the map, and a band's part of it from row `top` on. Beyond the map nothing is paid.
struct Column {
    const double* price;
    i64 rows, top;

    INLINE double at(i64 place) const {
        const u64 row = u64(top + place);
        return row < u64(rows) ? price[row] : 0.0;
    }
};

// The cheapest way into each place from the column before. settled: of paths that have just
// entered; best: of the column before, until they have.
void enter(const Column& column, i64 shift, i64 turns, i64 height, const double* best,
           double* settled, i32* came) {
    constexpr i64 TURNS[3] = {0, -1, 1};
    for (i64 place = 0; place < height; place++) settled[place] = HUGE_VAL, came[place] = 0;
    for (i64 turn = 0; turn < turns; turn++) {
        const i64 aside = shift + TURNS[turn], end = smaller(height, height - aside);
        for (i64 place = larger(i64(0), -aside); place < end; place++) {
            const bool less = best[place + aside] < settled[place];
            settled[place] = less ? best[place + aside] : settled[place];
            came[place] = less ? i32(place + aside) : came[place];
        }
    }
    for (i64 place = 0; place < height; place++)
        settled[place] = turns == 0 ? column.at(place) : settled[place] + column.at(place);
}

// Costs once paths have run up or down their column. settled[0]: of paths that have just entered;
// settled[1]: room. Sets at which place the cheapest one to each place entered; of equals the one
// that ran down, and the one that entered last.
void run_along(const Column& column, Array<double, 2, ANY> settled, double* best, i32* entered) {
    const i64 height = settled.shape[1];
    double* const first = settled[0].data;
    double* const down = settled[1].data;
    double below = 0.0, least = HUGE_VAL;
    i64 at = 0;
    for (i64 place = 0; place < height; place++) {
        below += column.at(place);
        if (first[place] - below <= least) least = first[place] - below, at = place;
        down[place] = least + below;
        entered[place] = i32(at);
    }
    below = 0.0, least = HUGE_VAL, at = 0;
    for (i64 place = height - 1; place >= 0; place--) {
        below += column.at(place);
        if (first[place] - below <= least) least = first[place] - below, at = place;
        const bool ran_down = down[place] <= least + below;
        best[place] = ran_down ? down[place] : least + below;
        entered[place] = ran_down ? entered[place] : i32(at);
    }
}

}  // namespace

ENTRY(lay_paths, LayPaths) {
    const i64 rows = call.price.shape[1], height = call.best.shape[1];
    if (height > INT32_MAX) return "best: too many places";
    if (!all_within(call.first.flat(), -INT32_MAX, INT32_MAX)) return "first: too far";
    for (i64 band = 0; band < call.first.size(); band++) {
        const auto first = call.first[band];
        double* const best = call.best[band].data;
        for (i64 col = 0; col < first.size(); col++) {
            const Column column{call.price[col].data, rows, first[col]};
            const i64 shift = col > 0 ? first[col] - first[col - 1] : 0;
            const i64 turns = col == 0 ? 0 : call.joined ? 1 : 3;
            enter(column, shift, turns, height, best, call.settled[0].data,
                  call.came[band][col].data);
            run_along(column, call.settled, best, call.entered[band][col].data);
        }
    }
    return nullptr;
}

ENTRY(path_steps, PathSteps) {
    const i64 columns = call.entered.shape[0], height = call.entered.shape[1];
    const i64 room = call.steps.size();
    if (call.place < 0 || (columns > 0 && call.place >= height)) return "place: out of range";
    if (!all_within(call.entered.flat(), 0, height)) return "entered: a place out of range";
    if (!all_within(call.came.flat(), 0, height)) return "came: a place out of range";
    i64 place = call.place, count = 0;
    for (i64 col = columns - 1; col >= 0; col--) {
        const i64 begin = call.entered(col, place), step = place < begin ? 1 : -1;
        for (;; place += step) {
            count++;
            if (count <= room)
                call.steps(room - count, 0) = col, call.steps(room - count, 1) = place;
            if (place == begin) break;
        }
        place = call.came(col, begin);
    }
    call.count[0] = count;
    return nullptr;
}

}  // namespace firebreak
