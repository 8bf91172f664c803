// Single rules as entries of a library of the tests' own, see tests/native_probes.py.
// Calls the C library: what the headers below say.
#include <initializer_list>

#include "../../src/native/checks.h"
#include "../../src/native/crews.h"
#include "../../src/native/embers.h"
#include "../../src/native/intensity.h"
#include "../../src/native/random.h"
#include "probes.h"

namespace firebreak {
namespace {

// Do all cells that an arc into a child comes from lie in memory?
bool ends_within(i64 child, i64 code, const i64* offset, i64 cells) {
    for (const i64 cell : {child, child + offset[ARC.a[code]], child + offset[ARC.b[code]]})
        if (cell < 0 || cell >= cells) return false;
    return true;
}

}  // namespace

ENTRY(probe_uniforms, ProbeUniforms) {
    for (i64 k = 0; k < call.out.size(); k++)
        call.out[k] = uniform(call.key[k], call.cell[k], call.draw[k]);
    return nullptr;
}

ENTRY(probe_facet_weights, ProbeFacetWeights) {
    if (!all_within<i64>(call.child, 0, call.metric.size())) return "child: a cell out of range";
    if (!all_within<i64>(call.facet, 0, FACETS)) return "facet: out of range";
    for (i64 k = 0; k < call.out.size(); k++)
        call.out[k] = facet_weight(call.metric, call.child[k], call.facet[k] + FACET_CODE,
                                   call.time_a[k], call.time_b[k]);
    return nullptr;
}

ENTRY(probe_arrivals, ProbeArrivals) {
    CHECK(check_arcs(call.arcs));
    if (call.arcs.steps > call.arcs.metric.size()) return "arcs: too few rows";
    const i64* offset = call.offset.data;
    for (i64 k = 0; k < call.out.size(); k++) {
        if (call.code[k] < 0 || call.code[k] >= ARCS) return "code: no arc";
        if (!ends_within(call.child[k], call.code[k], offset, call.arcs.metric.shape[1]))
            return "child: a cell out of range";
        call.out[k] = arrive_across(call.arcs, Periods{}, call.start[k], call.child[k], call.code[k],
                                    call.weight[k], offset);
    }
    return nullptr;
}

ENTRY(probe_intensities, ProbeIntensities) {
    if (!all_within<i64>(call.row, 0, rows_of(call.arcs.heat))) return "row: out of range";
    if (!all_within<i64>(call.cell, 0, call.arcs.metric.shape[1])) return "cell: out of range";
    if (!all_within<i64>(call.code, 0, UNBURNED)) return "code: out of range";
    for (i64 k = 0; k < call.out.size(); k++)
        call.out[k] =
            intensity(call.arcs, call.row[k], call.cell[k], call.code[k], call.weight[k]);
    return nullptr;
}

ENTRY(probe_containment, ProbeContainment) {
    for (i64 k = 0; k < call.out.size(); k++)
        call.out[k] = containment_chance(call.area_ha[k], call.intensity_kw_m[k]);
    return nullptr;
}

ENTRY(probe_landings, ProbeLandings) {
    const double* by = call.flight.data;
    const Flight flight{by[0], by[1], by[2], by[3], by[4], by[5], by[6]};
    for (i64 k = 0; k < call.out.size(); k++) {
        const Landing found = spot_target({call.key[k], call.cell(k, 0), call.cell(k, 1),
                                           call.cell(k, 2), call.rows, call.cols,
                                           call.cell_size_m},
                                          flight);
        call.out(k, 0) = double(found.row);
        call.out(k, 1) = double(found.col);
        call.out(k, 2) = found.metres;
    }
    return nullptr;
}

ENTRY(probe_ignitions, ProbeIgnitions) {
    for (i64 k = 0; k < call.out.size(); k++)
        call.out[k] = spot_ignites(call.key[k], call.cell[k], call.probability);
    return nullptr;
}

}  // namespace firebreak
