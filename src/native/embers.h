// Embers: where the brand of a burning cell lands, and does it ignite what it lands on.
// Calls the C library: cos, exp, floor, log1p, sin, sqrt.
#pragma once

#include <cmath>

#include "arcs.h"

namespace firebreak {

// A cell that may throw a brand: its place on the map, without padding.
struct Thrower {
    u64 key;
    i64 cell, row, col, rows, cols;
    double cell_size_m;
};

// How brands fly: the parts of `Spots` at a cell, in a weather.
struct Flight {
    double throw_probability, log_distance_mean, log_distance_sd, side_sd_m, longest_m;
    double downwind_east, downwind_north;
};

// Where a brand lands, and metres flown; row is -1 where none does.
struct Landing {
    i64 row, col;
    double metres;
};

// None if the cell throws no brand, or none that leaves the cell, stays on the map and burns so
// far. All draws
// belong to (key, cell), so breaks elsewhere move none; does the target burn, or lie in a break,
// is for the caller to ask.
inline Landing spot_target(const Thrower& from, const Flight& by) {
    constexpr double TWO_PI = 2.0 * 3.141592653589793;
    const u64 cell = u64(from.cell);
    const Landing none{-1, -1, 0.0};
    if (uniform(from.key, cell, DRAW_THROW) >= by.throw_probability) return none;
    // Two independent standard normals from two uniforms on [0, 1) (Box & Muller 1958).
    const double radius =
        std::sqrt(-2.0 * std::log1p(-uniform(from.key, cell, DRAW_DISTANCE)));
    const double angle = TWO_PI * uniform(from.key, cell, DRAW_SIDE);
    const double along =
        std::exp(by.log_distance_mean + by.log_distance_sd * radius * std::cos(angle));
    if (along > by.longest_m) return none;
    const double side = by.side_sd_m * radius * std::sin(angle);
    const double east = along * by.downwind_east + side * by.downwind_north;
    const double north = along * by.downwind_north - side * by.downwind_east;
    // Before they are whole numbers: a brand may fly further than an integer holds.
    const double down = std::floor(0.5 - north / from.cell_size_m);
    const double right = std::floor(0.5 + east / from.cell_size_m);
    const double row = double(from.row) + down, col = double(from.col) + right;
    const bool lands = 0.0 <= row && row < double(from.rows) && 0.0 <= col
                       && col < double(from.cols) && !(down == 0.0 && right == 0.0);
    if (!lands) return none;
    return {i64(row), i64(col), std::sqrt(along * along + side * side)};
}

// Does the brand thrown by `cell` ignite what it lands on?
inline bool spot_ignites(u64 key, i64 cell, double ignition_probability) {
    return uniform(key, u64(cell), DRAW_IGNITION) < ignition_probability;
}

// A padded cell that an ember sets on fire, and minutes until it burns there; -1 for none.
struct Ember {
    i64 target;
    double delay_min;
};

// Of a burning cell in the weather of a row. Breaks and bare ground do not catch fire.
inline Ember ember_lands(i64 parent, i64 row, const Spots& spots, const FireView& view) {
    const i64 width = view.width;
    const Array<const float, ANY, ANY> chance = spots.cells[0], mean = spots.cells[1],
                                       spread = spots.cells[2], side = spots.cells[3],
                                       longest = spots.cells[4];
    const Landing landing = spot_target(
        {view.key, parent, parent / width - REACH, parent % width - REACH,
         view.cells / width - 2 * REACH, width - 2 * REACH, spots.cell_size_m},
        {chance(row, parent), mean(row, parent), spread(row, parent), side(row, parent),
         longest(row, parent), spots.winds(1, row), spots.winds(2, row)});
    if (landing.row < 0) return {-1, 0.0};
    const i64 target = (landing.row + REACH) * width + landing.col + REACH;
    if (is_bare(target, view) || blocked(target, view)
        || !spot_ignites(view.key, parent, spots.winds(0, row)))
        return {-1, 0.0};
    return {target, landing.metres * double(spots.winds(3, row)) + spots.delay_min};
}

}  // namespace firebreak
