// One thread's room for the cells of a fire that change when it burns again.
#pragma once

#include "structs.h"

namespace firebreak {

// A row of each array of `Changes`, where its meaning is told.
struct Changed {
    i32* cell;
    float* time;
    float* weight;
    u8* code;
    i64* how_many;
    i32* more;
};

INLINE Changed changes_of_thread(const Changes& all, i64 thread) {
    return {all.cell[thread].data, all.time[thread].data,     all.weight[thread].data,
            all.code[thread].data, all.how_many[thread].data, all.more[thread].data};
}

}  // namespace firebreak
