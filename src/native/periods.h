// Burning periods: a fire burns for some hours, rests where it is, and goes on in other weather.
//
// All times of a fire are minutes of burning: no clock runs in the pauses but that of crews. The
// first period has the stream of weather that begins at row `first`, each later one a stream of its
// own.
#pragma once

#include <cmath>

#include "structs.h"

namespace firebreak {

// Of each later period in which the fire burns: the first row of its stream, when it begins, and
// how long all pauses before it were.
struct Periods {
    i64 first, later;
    const i64* row;
    const double *begin, *pause;

    INLINE i64 row_of(i64 period) const { return period == 0 ? first : row[period - 1]; }
    INLINE double begin_of(i64 period) const { return period == 0 ? 0.0 : begin[period - 1]; }
    INLINE double end_of(i64 period) const { return period < later ? begin[period] : HUGE_VAL; }

    // The period at a time of burning.
    INLINE i64 at(double time) const {
        i64 period = later;
        while (period > 0 && !(time >= begin[period - 1])) period--;
        return period;
    }

    // Minutes since ignition at a time of burning.
    INLINE double clock(double time) const {
        const i64 period = at(time);
        return period == 0 ? time : time + pause[period - 1];
    }

    // The time of burning so many minutes after ignition: in a pause, that at which it began.
    INLINE double burning(double clock) const {
        i64 period = later;
        while (period > 0 && !(clock >= begin[period - 1] + pause[period - 1])) period--;
        const double time = period == 0 ? clock : clock - pause[period - 1];
        return smaller(time, end_of(period));
    }
};

// The periods of one fire of a table, without those that begin after its end.
INLINE Periods periods_of(i64 fire, const FireTable& fires) {
    const i64 room = fires.begin.shape[1];
    const double* const begin = fires.begin.data + fire * room;
    i64 later = 0;
    while (later < room && begin[later] < fires.duration[fire]) later++;
    return {fires.row[fire], later, fires.later_row.data + fire * room, begin,
            fires.pause.data + fire * room};
}

}  // namespace firebreak
