// Construction of travel fields: which facets and steps of the stencil are in use in each cell, and
// what the bucket queue and the lists of the engine need of them.
//
// Calls the C library: sqrt.
#include <cmath>

#include "arcs.h"
#include "checks.h"
#include "lanes.h"
#include "parallel.h"

namespace firebreak {
namespace {

constexpr u64 UNIT = 255;   // bits of the unit facets
constexpr i64 HALVED = 24;  // facets from here on are not halved
constexpr i64 ENDS = 16;    // steps from here on end none that is halved
constexpr i64 PART = 512;   // cells that a thread takes at a time
constexpr i64 RUN = 32;     // cells side by side of which senders are found at a time

// What decides which arcs are open, in one row of weather.
struct Ground {
    const float* metric;  // [P][5]
    const float* rate;
    const u8* burnable;
    i64 width;
};

// The gradient of the travel time F at each of the steps that end a facet which may be halved: the
// slowness of the front there, east and north.
struct Gradients {
    double east[ENDS], north[ENDS];
};

INLINE Gradients gradients_of(const float* own) {
    const double m11 = own[0], m12 = own[1], m22 = own[2], w_east = own[3], w_north = own[4];
    Gradients found;
    for (i64 step = 0; step < ENDS; step++) {
        const double east = ARC.a_east[step], north = ARC.a_north[step];
        const double to_east = m11 * east + m12 * north, to_north = m12 * east + m22 * north;
        const double norm = std::sqrt(east * to_east + north * to_north);
        found.east[step] = to_east / norm - w_east;
        found.north[step] = to_north / norm - w_north;
    }
    return found;
}

// Is the gradient's product with the other end negative at an end of a facet? Then the ellipse is
// not acute on it.
INLINE bool is_blunt(const Gradients& at, i64 facet) {
    const i64 a = FACET_A[facet], b = FACET_B[facet];
    const double at_a = at.east[a] * ARC.a_east[b] + at.north[a] * ARC.a_north[b];
    const double at_b = at.east[b] * ARC.a_east[a] + at.north[b] * ARC.a_north[a];
    return (at_a < 0.0) | (at_b < 0.0);
}

INLINE u64 blunt_facets(const float* own) {
    const Gradients at = gradients_of(own);
    u64 bits = 0;
    for (i64 facet = 0; facet < HALVED; facet++) bits |= u64(is_blunt(at, facet)) << facet;
    return bits;
}

INLINE u64 eight_bytes_at(const u8* low, const u8* high) {
    u32 first, second;
    __builtin_memcpy(&first, low, sizeof first);
    __builtin_memcpy(&second, high, sizeof second);
    return first | u64(second) << 32;
}

// Bits of the cells around that no long arc may cross, as in `CROSSES`: they do not burn, or at
// another pace.
INLINE u64 barriers_around(i64 cell, const Ground& ground) {
    const double pace = double(ground.rate[cell]);
    const Doubles own = splat<Doubles>(pace), most = splat<Doubles>(RATE_GATE * pace);
    const Doubles gate = splat<Doubles>(RATE_GATE);
    u64 barriers = 0;
    for (i64 row = -REACH; row <= REACH; row++) {
        const i64 middle = cell + row * ground.width, west = middle - REACH;
        const Doubles there = widen(eight<Floats>(load<Floats4>(ground.rate + west),
                                           load<Floats4>(ground.rate + middle)));
        const u64 bare = zero_bytes(eight_bytes_at(ground.burnable + west,
                                                   ground.burnable + middle));
        const u64 shut = bits(less(most, there)) | bits(less(gate * there, own)) | bare;
        barriers |= shut << (row + REACH) * 8;
    }
    return barriers;
}

// Bits of the facets that halve those of given bits: 8 unit facets, then two for each before.
INLINE u64 halves_of(u64 halved) {
    u64 halves = 0;
    for (; halved != 0; halved &= halved - 1) halves |= u64(3) << (8 + 2 * lowest_bit(halved));
    return halves;
}

// What is open at a cell by facets, and by single long steps that end one in use.
struct Open {
    u64 facets;
    u32 steps;
};

INLINE Open open_at(i64 cell, const Ground& ground) {
    const u64 blunt = blunt_facets(ground.metric + cell * 5);
    Open found{UNIT, 0};
    u64 todo = halves_of(blunt & UNIT), ends = 0;
    if (todo == 0) return found;
    const u64 barriers = barriers_around(cell, ground);
    while (todo != 0) {
        const i64 facet = lowest_bit(todo);
        const u64 bit = u64(1) << facet;
        todo = (todo & ~bit) | halves_of(blunt & bit);
        ends |= (u64(1) << FACET_A[facet]) | (u64(1) << FACET_B[facet]);
        if (!(barriers & CROSSES[FACET_CODE + facet])) found.facets |= bit;
    }
    for (ends &= ~UNIT; ends != 0; ends &= ends - 1) {
        const i64 step = lowest_bit(ends);
        if (!(barriers & CROSSES[step])) found.steps |= u32(1) << step;
    }
    return found;
}

// Bits of the unit steps: all but the diagonals between two cells that do not burn.
INLINE u32 unit_steps(i64 cell, const Ground& ground) {
    u32 bits = 0;
    for (i64 step = 0; step < 8; step++)
        if (step % 2 == 0 || ground.burnable[cell + STEP_ROW[step] * ground.width]
            || ground.burnable[cell + STEP_COL[step]])
            bits |= u32(1) << step;
    return bits;
}

// The cells of a call that a thread works on, in one row of weather.
using Cells = Array<const i64, ANY>;

void open_listed(Cells cells, i64 r, const OpenArcs& call) {
    u64* const facets = call.facets[r].data;
    u32* const accepts = call.accepts[r].data;
    const Ground ground{call.metric[r].data, call.rate[r].data,
                        reinterpret_cast<const u8*>(call.burnable.data), call.width};
    for (i64 cell : cells) {
        facets[cell] = 0;
        accepts[cell] = 0;
        if (!ground.burnable[cell]) continue;
        const Open found = open_at(cell, ground);
        facets[cell] = found.facets;
        accepts[cell] = unit_steps(cell, ground) | found.steps;
    }
}

// `count` cells side by side, RUN at most.
INLINE void reverse_run(i64 first, i64 count, i64 r, const Offsets& offsets,
                        const OpenArcs& call) {
    u32 near[RUN] = {}, far[RUN] = {};
    for (i64 step = 0; step < 8; step++) {
        const u32* const accepts = call.accepts[r].data + first - offsets.to[step];
        const u64* const facets = call.facets[r].data + first - offsets.to[step];
        const u64 short_ones = TOUCHING[step] & UNIT, long_ones = TOUCHING[step] & ~UNIT;
        for (i64 k = 0; k < count; k++) {
            const u32 by_unit = (facets[k] & short_ones) != 0;
            const u32 by_long = (facets[k] & long_ones) != 0;
            near[k] |= (accepts[k] & u32(1) << step) | by_unit << step;
            far[k] |= by_long << step;
        }
    }
    // Where a longer facet is open, so is the step to each of its ends.
    for (i64 step = 8; step < STEPS; step++) {
        const u32* const accepts = call.accepts[r].data + first - offsets.to[step];
        for (i64 k = 0; k < count; k++) far[k] |= accepts[k] & u32(1) << step;
    }
    for (i64 k = 0; k < count; k++) call.sends(r, first + k) = near[k] | far[k];
    for (i64 k = 0; k < count; k++) call.sends_far(r, first + k) = far[k];
}

void reverse_listed(Cells cells, i64 r, const Offsets& offsets, const OpenArcs& call) {
    for (i64 k = 0; k < cells.size();) {
        i64 count = 1;
        while (count < RUN && k + count < cells.size() && cells[k + count] == cells[k] + count)
            count++;
        reverse_run(cells[k], count, r, offsets, call);
        k += count;
    }
}

void join_listed(Cells cells, i64 r, const OpenArcs& call) {
    const auto unit_time = call.unit_time[r];
    const u32* const accepts = call.accepts[r].data;
    double* const edges = call.edges[r].data;
    for (i64 cell : cells)
        for (i64 lane = 0; lane < 8; lane++) {
            const i64 child = cell + LANE_ROW[lane] * call.width + LANE_COL[lane];
            const i64 step = STEP_OF_LANE[lane];
            const bool opens = call.burnable[cell] && accepts[child] >> step & 1;
            edges[cell * 8 + lane] = opens ? unit_cost(unit_time, child, step, cell) : HUGE_VAL;
        }
}

// Calls task(first row of a stream, part of the cells) for all of both.
template <class Task>
void for_parts(Cells cells, const OpenArcs& call, const Task& task) {
    const i64 parts = (cells.size() + PART - 1) / PART;
    parallel_for(call.metric.size() / call.steps * parts, call.threads, [&](i64 k, i64) {
        const i64 first = k % parts * PART;
        task(k / parts * call.steps, cells.slice(first, smaller(first + PART, cells.size())));
    });
}

// An arc that begins in one step of the weather may end in the next and suit that.
void open_in_stream(i64 first, Cells cells, const OpenArcs& call) {
    const i64 last = first + call.steps - 1;
    for (i64 r = first; r <= last; r++) open_listed(cells, r, call);
    for (i64 r = first; r < last; r++)
        for (i64 cell : cells) {
            call.facets(r, cell) |= call.facets(r + 1, cell);
            call.accepts(r, cell) |= call.accepts(r + 1, cell);
        }
}

// What a cell may have sent far is asked without knowing in which weather.
void reverse_in_stream(i64 first, Cells cells, const Offsets& offsets, const OpenArcs& call) {
    const i64 end = first + call.steps;
    for (i64 r = first; r < end; r++) reverse_listed(cells, r, offsets, call);
    if (call.steps == 1) return;
    for (i64 cell : cells) {
        u32 far = 0;
        for (i64 r = first; r < end; r++) far |= call.sends_far(r, cell);
        for (i64 r = first; r < end; r++) call.sends_far(r, cell) = far;
    }
}

}  // namespace

ENTRY(open_arcs, OpenArcs) {
    const i64 cells = call.burnable.size();
    CHECK(check_map(cells, call.width));
    CHECK(check_inside(call.cells, cells, call.width));
    CHECK(check_inside(call.senders, cells, call.width));
    if (call.steps < 1 || call.metric.size() % call.steps != 0) return "steps: no whole streams";
    const Offsets offsets = offsets_for(call.width);
    for_parts(call.cells, call, [&](i64 first, Cells part) { open_in_stream(first, part, call); });
    for_parts(call.senders, call, [&](i64 first, Cells part) {
        reverse_in_stream(first, part, offsets, call);
    });
    if (call.edges.empty()) return nullptr;
    for_parts(call.senders, call, [&](i64 first, Cells part) {
        for (i64 r = first; r < first + call.steps; r++) join_listed(part, r, call);
    });
    return nullptr;
}

}  // namespace firebreak
