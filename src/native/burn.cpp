// Burning of many fires at once, and what is made of each: losses, trees, maps.
// Calls the C library: what `front.cpp` and `intensity.h` say.
#include "burned.h"
#include "checks.h"
#include "parallel.h"

namespace firebreak {
namespace {

// Values of the burned cells in a result's row, `outside` in all others.
template <class To, class From>
void lay_out(const From* values, To outside, i64 burned, const Scratch& work,
             const Array<To, ANY>& row) {
    for (To& value : row) value = outside;
    for (i64 k = 0; k < burned; k++) row[work.order[k]] = To(values[work.order[k]]);
}

// Puts a burned fire into those results that have a row for it.
void write(i64 fire, i64 burned, const Scratch& work, const Results& results) {
    if (fire < rows_of(results.arrival))
        lay_out(work.time, HUGE_VAL, burned, work, results.arrival[fire]);
    if (fire < rows_of(results.code)) {
        const Array<u8, ANY> code = results.code[fire];
        lay_out(work.code, u8(UNBURNED), burned, work, code);
        for (i64 k = 0; k < work.stopped[0]; k++) {  // a narrow break has burned, by its own code
            const i64 cell = stopped_cell(k, work);
            code[cell] = work.code[cell];
        }
    }
    if (fire < rows_of(results.downstream))
        lay_out(work.below, 0.0, burned, work, results.downstream[fire]);
    if (fire < rows_of(results.classes))
        lay_out(work.classes, u8(UNBURNED), burned, work, results.classes[fire]);
}

// Burns one fire of the table with a thread's scratch memory and writes its results.
void burn_listed(i64 number, i64 thread, const i64* offset, const BurnMany& call) {
    Scratch work = scratch_of(call.scratch, thread, call.arcs.metric.shape[1]);
    const Fire fire = fire_of(number, offset, call);
    const i64 burned = burn_one(fire, work);
    if (!call.arcs.heat.empty()) classify(burned, fire, call.rules.class_limits, work);
    call.results.loss[number] =
        loss_of(burned, call.overlays.value[call.fires.overlay[number]], work);
    if (number < rows_of(call.results.downstream)) hand_down(burned, offset, work);
    write(number, burned, work, call.results);
    clean(burned, work);
}

const char* fault_of(const BurnMany& call) {
    CHECK(check_workspace(call.scratch, call.threads, call.arcs.metric.shape[1]));
    CHECK(check_spots(call.spots));
    CHECK(check_classes(call.arcs, call.rules.class_limits, call.overlays.value.shape[1]));
    return check_fires(call.which, call.width, call.arcs, call.rules, call.fires, call.overlays);
}

}  // namespace
}  // namespace firebreak

ENTRY(burn_many, BurnMany) {
    using namespace firebreak;
    CHECK(fault_of(call));
    const Offsets offsets = offsets_for(call.width);
    auto burn = [&](i64 k, i64 thread) {
        burn_listed(call.which[k], thread, offsets.to, call);
    };
    parallel_for(call.which.size(), call.threads, burn);
    return nullptr;
}
