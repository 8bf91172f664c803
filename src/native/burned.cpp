// What is made of a burned fire.
// Calls the C library: what `intensity.h` says.
#include "burned.h"

#include "losses.h"

namespace firebreak {

void classify(i64 burned, const Fire& fire, const Array<const double, ANY>& limits,
              Scratch& work) {
    for (i64 k = 0; k < burned; k++) {
        const i64 cell = work.order[k];
        const i64 row = row_at(fire.arcs, fire.first, work.time[cell]);
        work.classes[cell] = u8(class_above(
            limits, intensity(fire.arcs, row, cell, work.code[cell], work.weight[cell])));
    }
}

double loss_of(i64 burned, const Array<const float, ANY, ANY>& value, Scratch& work) {
    const bool classed = value.size() > 1;
    const float* only = value[0].data;
    double loss = 0.0;
    for (i64 k = 0; k < burned; k++) {
        const i64 cell = work.order[k];
        const double cost = classed ? value(work.classes[cell], cell) : only[cell];
        work.below[cell] = cost;
        loss += cost;
    }
    return loss;
}

void hand_down(i64 burned, const i64* offset, Scratch& work) {
    double* const below = work.below;
    for (i64 k = burned - 1; k > 0; k--) {
        const i64 cell = work.order[k], code = work.code[cell];
        if (code < FACET_CODE) {
            below[cell + offset[code]] += below[cell];
        } else if (code == SPOT) {
            below[work.thrower[cell]] += below[cell];
        } else {
            const i64 facet = code - FACET_CODE;
            const double share = double(work.weight[cell]) * below[cell];
            below[cell + offset[FACET_B[facet]]] += share;
            below[cell + offset[FACET_A[facet]]] += below[cell] - share;
        }
    }
}

}  // namespace firebreak
