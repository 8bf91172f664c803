// Travel fields: lengths of buckets, and fireline intensity over speed.
#include <cmath>

#include "intensity.h"
#include "structs.h"
#include "tables.h"

namespace firebreak {
namespace {

// The length of a bucket, minutes, for one row of edges.
double bucket_length(Array<const double, ANY, 8> edges, double share) {
    double speed = 0.0;
    i64 count = 0;
    // Odd, not to look at some columns only.
    const i64 stride = edges.size() / 256 | 1;
    for (i64 cell = 0; cell < edges.size(); cell += stride) {
        for (double minutes : edges[cell]) {
            if (!(0.0 < minutes && minutes < HUGE_VAL)) continue;  // as in the padding
            speed += 1.0 / minutes;
            count++;
        }
    }
    return count > 0 ? share * double(count) / speed : 1.0;
}

}  // namespace

ENTRY(set_bucket_lengths, SetBucketLengths) {
    for (i64 r = 0; r < call.edges.size(); r++)
        call.bucket_min[r] = bucket_length(call.edges[r], call.share);
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
