// Fireline intensity: how hot a fire is where it enters a cell, from whatever side.
// Calls the C library: sqrt.
#pragma once

#include "arcs.h"

namespace firebreak {

using Heat = Array<const float, ANY, 3>;

// Minutes per cell of ground in the direction of the head. The drift w is the heading's, seen on
// the map; without one every direction is as fast.
inline double head_minutes(const Metric& metric, const Heat& heat, i64 cell) {
    double east = metric(cell, 3), north = metric(cell, 4);
    const double up_east = heat(cell, 1), up_north = heat(cell, 2);
    if (east == 0.0 && north == 0.0) east = 1.0;
    const double lean = (up_east * east + up_north * north)
                        / (1.0 + up_east * up_east + up_north * up_north);
    east = east - lean * up_east;
    north = north - lean * up_north;
    const double rise = up_east * east + up_north * north;
    return cost(metric, cell, east, north)
           / std::sqrt(east * east + north * north + rise * rise);
}

// Slowness of the front, minutes per cell of ground, where fire comes into a cell from a direction:
// the gradient of F, but for its part up the slope.
inline double slowness(const Metric& metric, const Heat& heat, i64 cell, double east,
                       double north) {
    const double m11 = metric(cell, 0), m12 = metric(cell, 1), m22 = metric(cell, 2);
    const double norm =
        std::sqrt(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north);
    const double slow_east = (m11 * east + m12 * north) / norm - double(metric(cell, 3));
    const double slow_north = (m12 * east + m22 * north) / norm - double(metric(cell, 4));
    const double up_east = heat(cell, 1), up_north = heat(cell, 2);
    const double up = slow_east * up_east + slow_north * up_north;
    return std::sqrt(slow_east * slow_east + slow_north * slow_north
                     - up * up / (1.0 + up_east * up_east + up_north * up_north));
}

// Fireline intensity where fire came into the cell, kW/m: the head's, times the speed of the front
// there, which is that along its normal, over the head's (Catchpole, de Mestre & Gill 1982). The
// head's own for an ignition and an ember.
inline double intensity(const Arcs& arcs, i64 row, i64 cell, i64 code, double weight) {
    const Metric metric = arcs.metric[row];
    const Heat heat = arcs.heat[row];
    const double own = heat(cell, 0);
    if (code >= ARCS) return own / head_minutes(metric, heat, cell);
    return own / slowness(metric, heat, cell, ARC.a_east[code] + weight * ARC.ab_east[code],
                          ARC.a_north[code] + weight * ARC.ab_north[code]);
}

}  // namespace firebreak
