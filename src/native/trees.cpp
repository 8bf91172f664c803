// Traversals of the trees of fires: paths, flows, what lies behind sets of cells.
//
// A tree is the row of parent codes that the engine keeps of a fire: every burned cell came from
// one cell, or from between two. A cell that an ember lit has no recorded parent; it counts as
// reached from the ignition whatever is broken in between.
#include "arcs.h"
#include "checks.h"

namespace firebreak {
namespace {

constexpr const char* LOOP = "codes: parents in a circle";
constexpr const char* OUTSIDE = "codes: a parent outside the map";

// Of each step, cells from a child to its parent.
using Steps = Array<const i64, STEPS>;

// The two cells that a cell was reached from; -1 where there is none. Codes that no fire leaves
// lead nowhere.
struct Parents {
    i64 first, second;
};

INLINE Parents parents_of(i64 cell, i64 code, const Steps& steps) {
    if (code >= ARCS) return {-1, -1};
    return {cell + steps[ARC.a[code]], code < FACET_CODE ? -1 : cell + steps[ARC.b[code]]};
}

// The burned cells of a fire, parents before children. stack: room; seen: zeros before and after.
struct Order {
    i32* cells;
    i32* stack;
    u8* seen;
    i64 room, count;

    // Appends a cell behind all that it was reached from; returns what is wrong, if anything.
    const char* append(const u8* code, i64 start, const Steps& steps) {
        i64 depth = 1;
        stack[0] = i32(start);
        while (depth > 0) {
            const i64 cell = stack[depth - 1];
            const Parents own = parents_of(cell, code[cell], steps);
            if (own.first >= room || own.second >= room || own.first < -1 || own.second < -1)
                return OUTSIDE;
            const i64 waits = own.first >= 0 && !seen[own.first] ? own.first : own.second;
            if (waits >= 0 && !seen[waits]) {
                if (depth == room) return LOOP;
                stack[depth++] = i32(waits);
                continue;
            }
            seen[cell] = 1;
            cells[count++] = i32(cell);
            depth--;
        }
        return nullptr;
    }

    const char* fill(const u8* code, const Steps& steps) {
        const char* fault = nullptr;
        count = 0;
        for (i64 start = 0; start < room && !fault; start++)
            if (code[start] != UNBURNED && code[start] != HELD && !seen[start])
                fault = append(code, start, steps);
        for (i64 k = 0; k < count; k++) seen[cells[k]] = 0;
        return fault;
    }
};

// Value burned below each cell, itself included, as often as the fire counts; half to each parent.
void hand_up(const u8* code, const double* value, double weight, const Steps& steps,
             const Order& order, double* below) {
    for (i64 k = 0; k < order.count; k++) below[order.cells[k]] = weight * value[order.cells[k]];
    for (i64 k = order.count - 1; k >= 0; k--) {
        const i64 cell = order.cells[k];
        const Parents own = parents_of(cell, code[cell], steps);
        const double share = own.second >= 0 ? 0.5 : 1.0;
        if (own.first >= 0) below[own.first] += share * below[cell];
        if (own.second >= 0) below[own.second] += share * below[cell];
    }
}

// Expected number of cells on the path from the ignition to each cell.
void count_steps(const u8* code, const Steps& steps, const Order& order, double* above) {
    for (i64 k = 0; k < order.count; k++) {
        const i64 cell = order.cells[k];
        const Parents own = parents_of(cell, code[cell], steps);
        if (own.first < 0) above[cell] = 0.0;
        else if (own.second < 0) above[cell] = above[own.first] + 1.0;
        else above[cell] = 0.5 * (above[own.first] + above[own.second]) + 1.0;
    }
}

// Adds what one fire carries through each cell, and over each step to the parent.
void add_flow(const Flows& call, const u8* code, const Steps& steps, const Order& order) {
    for (i64 k = 0; k < order.count; k++) {
        const i64 cell = order.cells[k];
        const Parents own = parents_of(cell, code[cell], steps);
        if (own.first < 0) continue;
        const double below = call.below[cell], share = own.second >= 0 ? 0.5 : 1.0;
        call.through[cell] += below;
        if (code[own.first] < SPOT) call.along(ARC.a[code[cell]], cell) += share * below;
        if (own.second >= 0 && code[own.second] < SPOT)
            call.along(ARC.b[code[cell]], cell) += share * below;
    }
}

constexpr i64 SETS = 64;  // that a word has bits for

// Adds to a fire's `out` the value of the cells of each of up to SETS sets from `begin` on, and of
// what it reached through any of them, in whole or in part; marks are zeros before and after.
void add_behind(const ValueBehind& call, i64 fire, i64 begin, const u8* code, const Order& order) {
    const i64 end = smaller(begin + SETS, call.out.shape[1]);
    for (i64 set = begin; set < end; set++)
        for (i64 cell : call.cells.slice(call.first[set], call.first[set + 1]))
            call.marks[cell] |= u64(1) << (set - begin);
    for (i64 k = 0; k < order.count; k++) {
        const i64 cell = order.cells[k];
        const Parents own = parents_of(cell, code[cell], call.offset);
        u64& marks = call.marks[cell];
        if (own.first >= 0) marks |= call.marks[own.first];
        if (own.second >= 0) marks |= call.marks[own.second];
        if (call.value[cell] == 0.0) continue;
        for (u64 left = marks; left != 0; left &= left - 1)
            call.out(fire, begin + lowest_bit(left)) += call.weight[fire] * call.value[cell];
    }
    for (i64 k = 0; k < order.count; k++) call.marks[order.cells[k]] = 0;
    for (i64 cell : call.cells.slice(call.first[begin], call.first[end])) call.marks[cell] = 0;
}

const char* fault_of(const ValueBehind& call) {
    for (i64 cell : call.cells)
        if (cell < 0 || cell >= call.marks.size()) return "cells: one outside the map";
    for (u64 mark : call.marks)
        if (mark) return "marks: not zeros";
    return check_parts(call.first, call.out.shape[1], call.cells.size());
}

// Calls task(fire, code, order) for each fire, once its cells are in order.
template <class Call, class Task>
const char* for_trees(const Call& call, const Task& task) {
    const i64 cells = call.seen.size();
    if (cells > INT32_MAX) return "codes: a map of more than 2^31 cells";
    for (i64 offset : call.offset)
        if (offset < -INT32_MAX || offset > INT32_MAX) return "offset: beyond any map";
    for (u8 seen : call.seen)
        if (seen) return "seen: not zeros";
    for (i64 fire = 0; fire < call.codes.size(); fire++) {
        const u8* const code = call.codes[fire].data;
        Order order{call.ints[0].data, call.ints[1].data, call.seen.data, cells, 0};
        if (const char* fault = order.fill(code, call.offset)) return fault;
        task(fire, code, order);
    }
    return nullptr;
}

}  // namespace

ENTRY(path_counts, PathCounts) {
    const Steps& steps = call.offset;
    double* const above = call.reals[0].data;
    double* const below = call.reals[1].data;
    return for_trees(call, [&](i64 fire, const u8* code, const Order& order) {
        count_steps(code, steps, order, above);
        hand_up(code, call.value.data, call.weight[fire], steps, order, below);
        for (i64 k = 0; k < order.count; k++) {
            const i64 cell = order.cells[k];
            call.total[cell] += above[cell] * below[cell];
        }
    });
}

ENTRY(flows, Flows) {
    const Steps& steps = call.offset;
    return for_trees(call, [&](i64 fire, const u8* code, const Order& order) {
        hand_up(code, call.value.data, call.weight[fire], steps, order, call.below.data);
        add_flow(call, code, steps, order);
    });
}

ENTRY(value_behind, ValueBehind) {
    CHECK(fault_of(call));
    return for_trees(call, [&](i64 fire, const u8* code, const Order& order) {
        for (i64 begin = 0; begin < call.out.shape[1]; begin += SETS)
            add_behind(call, fire, begin, code, order);
    });
}

}  // namespace firebreak
