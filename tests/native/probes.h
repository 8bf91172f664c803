// Written by scripts/native_headers.py; edit the Python that it names.
#pragma once

#include "../../src/native/structs.h"

namespace firebreak {

struct ProbeUniforms {
    Array<const u64, ANY> key, cell, draw;  // N
    Array<double, ANY> out;  // N
};

struct ProbeFacetWeights {
    Array<const float, ANY, 5> metric;  // P 5
    Array<const i64, ANY> child, facet;  // N
    Array<const float, ANY> time_a, time_b;  // N
    Array<double, ANY> out;  // N
};

struct ProbeArrivals {
    Arcs arcs;
    Array<const i64, 32> offset;  // 32
    Array<const double, ANY> start;  // N
    Array<const i64, ANY> child, code;  // N
    Array<const double, ANY> weight;  // N
    Array<double, ANY> out;  // N
};

struct ProbeIntensities {
    Arcs arcs;
    Array<const i64, ANY> row, cell, code;  // N
    Array<const double, ANY> weight;  // N
    Array<double, ANY> out;  // N
};

struct ProbeContainment {
    Array<const double, ANY> area_ha, intensity_kw_m;  // N
    Array<double, ANY> out;  // N
};

struct ProbeLandings {
    Array<const u64, ANY> key;  // N
    Array<const i64, ANY, 3> cell;  // N 3
    i64 rows, cols;
    double cell_size_m;
    Array<const double, 7> flight;  // 7
    Array<double, ANY, 3> out;  // N 3
};

struct ProbeIgnitions {
    Array<const u64, ANY> key;  // N
    Array<const i64, ANY> cell;  // N
    double probability;
    Array<u8, ANY> out;  // N
};

}  // namespace firebreak
