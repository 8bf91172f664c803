// Metrics: how long fire takes through a cell in any direction.
//
// With the ellipse of velocities written (v-c)'Q(v-c) = 1, the time along a displacement d is
// t = (-d'Qc + sqrt((d'Qc)^2 + (1-c'Qc) d'Qd)) / (1-c'Qc). Dividing through by g = 1-c'Qc turns it
// into F(d) = sqrt(d'Md) - w.d with w = Qc/g and M = Q/g + ww'.
//
// The ellipse lies in the plane of the slope, the map does not: a displacement on the map is longer
// on the ground, by sqrt(1 + tan^2) up the slope and not at all across it.
//
// Calls the C library: sqrt, sin, cos.
#include <cmath>

#include "intensity.h"
#include "parallel.h"

namespace firebreak {
namespace {

constexpr double SLOWEST_BACK = 1e-3;  // of the head's rate
// Cells per minute; slower than any fire that matters, keeps the metric finite.
constexpr double SLOWEST = 1e-5;
constexpr double RADIANS = 3.141592653589793 / 180.0;

// Rates in m/min and where the head runs to.
struct Rates {
    double head, back, flank, heading_deg;
};

// M and w in the plane of the slope, or on the map.
struct PlaneMetric {
    double m11, m12, m22, east, north;
};

INLINE bool in_range(double rate) { return 0.0 <= rate && rate < HUGE_VAL; }

INLINE PlaneMetric metric_of(const Rates& rates, double cell_size) {
    const double head = larger(rates.head / cell_size, SLOWEST);
    // A back far slower than the head would cancel out in a float.
    const double back = smaller(
        larger(larger(rates.back / cell_size, SLOWEST), SLOWEST_BACK * head), head);
    const double flank = larger(rates.flank / cell_size, SLOWEST);
    const double east = std::sin(rates.heading_deg * RADIANS);
    const double north = std::cos(rates.heading_deg * RADIANS);
    const double semi = 0.5 * (head + back), offset = 0.5 * (head - back);
    const double ratio = offset / semi, g = 1.0 - ratio * ratio;
    const double across = 1.0 / (flank * flank * g), drift = offset / (semi * semi * g);
    const double along = 1.0 / (semi * semi * g) + drift * drift;
    return {along * east * east + across * north * north, (along - across) * east * north,
            along * north * north + across * east * east, drift * east, drift * north};
}

// The metric seen on the map: A'MA and A'w, A = I + stretch uu', u upslope.
INLINE PlaneMetric onto_map(double stretch, double east, double north, const PlaneMetric& own) {
    if (stretch == 0.0) return own;
    const double a11 = 1.0 + stretch * east * east, a12 = stretch * east * north;
    const double a22 = 1.0 + stretch * north * north;
    const double first_e = own.m11 * a11 + own.m12 * a12, first_n = own.m12 * a11 + own.m22 * a12;
    const double second_e = own.m11 * a12 + own.m12 * a22, second_n = own.m12 * a12 + own.m22 * a22;
    return {a11 * first_e + a12 * first_n, a12 * first_e + a22 * first_n,
            a12 * second_e + a22 * second_n, a11 * own.east + a12 * own.north,
            a12 * own.east + a22 * own.north};
}

// Minutes over each unit step, two that are opposite at a time.
INLINE void time_steps(const PlaneMetric& own, float* unit_time) {
    for (i64 step = 0; step < 4; step++) {
        const double east = double(-STEP_COL[step]), north = double(STEP_ROW[step]);
        const double still = std::sqrt(own.m11 * east * east + 2.0 * own.m12 * east * north
                                       + own.m22 * north * north);
        unit_time[step] = float(still - own.east * east - own.north * north);
        unit_time[step + 4] = float(still + own.east * east + own.north * north);
    }
}

INLINE void store(const PlaneMetric& own, float* metric) {
    metric[0] = float(own.m11), metric[1] = float(own.m12), metric[2] = float(own.m22);
    metric[3] = float(own.east), metric[4] = float(own.north);
}

// Fills a row of the map in a row of weather; returns in how many cells a number is out of range.
i64 fill_row(const FillMetric& call, i64 r, i64 row) {
    const auto head = call.head[r][row], back = call.back[r][row], flank = call.flank[r][row];
    const auto heading = call.heading_deg[r][row];
    const auto stretch = call.ground[0][row];
    const auto east = call.ground[1][row], north = call.ground[2][row];
    const auto burnable = call.burnable[row];
    const i64 first = (row + REACH) * call.width + REACH;
    float* const rate = call.rate[r].data + first;
    float* const metric = call.metric[r].data + first * 5;
    float* const unit_time = call.unit_time[r].data + first * 8;
    i64 odd = 0;
    for (i64 col = 0; col < burnable.size(); col++) {
        const Rates rates{head[col], back[col], flank[col], heading[col]};
        rate[col] = float(rates.head);
        if (!(in_range(rates.head) && in_range(rates.back) && in_range(rates.flank)
              && std::fabs(rates.heading_deg) < HUGE_VAL)) {
            odd++;
            continue;
        }
        if (!burnable[col]) continue;
        const PlaneMetric own = onto_map(stretch[col], east[col], north[col],
                                         metric_of(rates, call.cell_size_m));
        store(own, metric + col * 5);
        time_steps(own, unit_time + col * 8);
    }
    return odd;
}

}  // namespace

ENTRY(fill_ground, FillGround) {
    const i64 cells = call.slope_tan.flat().size();
    const auto slope_tan = call.slope_tan.flat(), aspect_deg = call.aspect_deg.flat();
    const auto stretch = call.ground[0].flat(), east = call.ground[1].flat();
    const auto north = call.ground[2].flat();
    i64 odd = 0;
    for (i64 cell = 0; cell < cells; cell++) {
        const double slope = slope_tan[cell], aspect = aspect_deg[cell];
        if (!(0.0 <= slope && slope <= MAX_SLOPE_TAN && std::fabs(aspect) < HUGE_VAL)) {
            odd++;
            continue;
        }
        stretch[cell] = std::sqrt(1.0 + slope * slope) - 1.0;
        east[cell] = -std::sin(aspect * RADIANS);
        north[cell] = -std::cos(aspect * RADIANS);
    }
    call.odd[0] = odd;
    return nullptr;
}

ENTRY(fill_metric, FillMetric) {
    const i64 rows = call.burnable.shape[0], cols = call.burnable.shape[1];
    if (call.width != cols + 2 * REACH || call.rate.shape[1] != (rows + 2 * REACH) * call.width)
        return "width: not that of the padded map";
    if (!(0.0 < call.cell_size_m && call.cell_size_m < HUGE_VAL))
        return "cell_size_m: not above 0";
    i64 odd = 0;
    parallel_for(call.head.size() * rows, call.threads, [&](i64 k, i64) {
        __atomic_fetch_add(&odd, fill_row(call, k / rows, k % rows), __ATOMIC_RELAXED);
    });
    call.odd[0] = odd;
    return nullptr;
}

ENTRY(heat_per_speed, HeatPerSpeed) {
    for (i64 cell = 0; cell < call.intensity_kw_m.size(); cell++) {
        const double intensity = call.intensity_kw_m[cell];
        if (intensity > 0.0)
            call.heat(cell, 0) = float(intensity * head_minutes(call.metric, call.heat, cell));
    }
    return nullptr;
}

}  // namespace firebreak
