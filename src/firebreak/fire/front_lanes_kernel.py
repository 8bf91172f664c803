"""Unit steps and unit segments of eight neighbours at a time, as the compiled front takes them.

Of two ways that arrive at once the one with the lower parent code counts, as everywhere.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from firebreak.fire.lanes_kernel import (
    BYTE,
    DOUBLE,
    FLOAT,
    LANES,
    STEP_OF_LANE,
    WORD,
    around,
    bits,
    data,
    function,
    splat,
    vector,
)
from firebreak.fire.ring import NEIGHBOURS, SEGMENT_CODE
from firebreak.fire.segment_lanes import (
    BYTES,
    DOUBLES,
    FLOATS,
    INTS,
    LANE_OF_STEP,
    after,
    arrival,
    chosen,
    cost_of,
    determinant,
    doubles,
    ends_of,
    inside,
    lane_at,
    latest,
    metric_around,
    metric_at,
    permuted,
    unit_slant,
    way_of,
    weight_of,
    widen,
)

_OWN_STEP = np.argsort(LANE_OF_STEP)  # by which a cell sees the neighbour in each lane
_NEVER = ir.Constant(FLOATS, [np.inf] * 8)
_NO_WEIGHT = ir.Constant(FLOATS, [0.0] * 8)
_ALL = ir.Constant(ir.VectorType(ir.IntType(1), 8), [1] * 8)


def _codes(numbers):
    return ir.Constant(BYTES, [int(x) for x in numbers])


def truths(builder, word):
    """Bits of a word -> eight truth values."""
    return builder.bitcast(builder.trunc(word, BYTE), ir.VectorType(ir.IntType(1), 8))


def _store(builder, lanes, pointer):
    builder.store(lanes, builder.bitcast(pointer, lanes.type.as_pointer()), align=1)


def _sooner(builder, time, code, than_time, than_code):
    """Is one way better than the other?"""
    level = builder.and_(builder.fcmp_ordered("==", time, than_time),
                         builder.icmp_unsigned("<", code, than_code))
    return builder.or_(builder.fcmp_ordered("<", time, than_time), level)



def _sides():
    """For a neighbour in each lane, of the two unit segments into it that end in the middle: (the
    lane of the other end, the segment), first where the middle is the second end.
    """
    before, behind = [], []
    for (row, col), step in zip(LANES, STEP_OF_LANE.tolist(), strict=True):
        for side, other, segment in ((before, (step - 1) % 8, (step - 1) % 8),
                                     (behind, (step + 1) % 8, step)):
            down, right = NEIGHBOURS[other]
            side.append((lane_at(row + down, col + right), segment))
    return [np.array(side, np.int64).T for side in (before, behind)]


(BEFORE, SEGMENT_BEFORE), (BEHIND, SEGMENT_BEHIND) = _sides()


@intrinsic
def push_around(typing_context, edges, metric, cell, time, code, width, now, limit, sending, into,
                shut, best, weight, by):
    """What a cell that just became final changes in its eight neighbours, through unit steps and
    unit segments; returns the bits of those for which it has a better way, in a time of `limit` at
    most, and writes the ways into best f32 [8], weight f32 [8], by u8 [8] (the parent code).

    edges f64 [P * 8], metric f32 [P * 5]; time f32, code u8 [P]; now: f32, the cell's time; bits:
    neighbours `sending`, that fire comes from; `into`, that it may still come to; `shut`, that it
    does not come to by a step.
    """
    def generate(context, builder, signature, args):
        pointer = {name: data(context, builder, signature.args[k], args[k]) for k, name in (
            (0, "edges"), (1, "metric"), (3, "time"), (4, "code"), (11, "best"), (12, "weight"),
            (13, "by"))}
        middle, across, moment = args[2], args[5], args[6]
        into_lanes = truths(builder, args[9])
        now64 = splat(builder, builder.fpext(moment, DOUBLE), 8)
        now32 = splat(builder, moment, 8)
        first = builder.shl(middle, ir.Constant(WORD, 3))
        known = around(builder, pointer["time"], middle, across, FLOAT, 4)
        known_by = around(builder, pointer["code"], middle, across, BYTE, 1)

        costs = vector(builder, pointer["edges"], first, DOUBLE, 8, 8)
        step = builder.fptrunc(builder.fadd(now64, costs), FLOATS)
        step = latest(builder, step, after(builder, now32))
        step = builder.select(truths(builder, args[10]), _NEVER, step)
        found = [cgutils.alloca_once_value(builder, x) for x in (
            step, _NO_WEIGHT, _codes(STEP_OF_LANE))]

        child = metric_around(builder, pointer["metric"], middle, across)
        own = metric_at(builder, pointer["metric"], middle)
        det = determinant(builder, child)
        # Without an end no point of a segment is inside.
        ends_at = builder.select(truths(builder, args[8]), known, _NEVER)
        sides = []
        for other, segment in ((BEFORE, SEGMENT_BEFORE), (BEHIND, SEGMENT_BEHIND)):
            there = permuted(builder, ends_at, other)
            there64 = widen(builder, there)
            before = other is BEFORE
            apart = builder.fsub(now64, there64) if before else builder.fsub(there64, now64)
            ends = ends_of(segment)
            at = unit_slant(builder, child, segment, apart)
            mask = builder.and_(into_lanes, inside(builder, at, det))
            sides.append((at, ends, apart, there, there64, other,
                          _codes(segment + SEGMENT_CODE), mask))
        one, two = sides

        def improve(behind, wanted):
            """Takes the segments behind, or before, where those wanted are better."""
            at, ends = chosen(builder, behind, two[0], one[0]), chosen(builder, behind, two[1],
                                                                       one[1])
            apart, there, there64 = (builder.select(behind, two[k], one[k]) for k in (2, 3, 4))
            codes = builder.select(behind, two[6], one[6])
            other = chosen(builder, behind, *(type(child)(*(
                permuted(builder, part, side[5]) for part in child)) for side in (two, one)))
            share = weight_of(builder, at, det)
            way = way_of(builder, ends, share)
            from_own, from_other = cost_of(builder, own, *way), cost_of(builder, other, *way)
            late = arrival(
                builder, share, cost_of(builder, child, *way),
                builder.select(behind, from_own, from_other),
                builder.select(behind, from_other, from_own),
                builder.select(behind, now64, there64), apart)
            late = latest(builder, builder.fptrunc(late, FLOATS),
                          after(builder, latest(builder, there, now32)))
            best, _, by = (builder.load(place) for place in found)
            good = builder.and_(wanted, builder.fcmp_ordered(">=", share, doubles(np.zeros(8))))
            good = builder.and_(good, _sooner(builder, late, codes, best, by))
            for place, value in zip(found, (late, builder.fptrunc(share, FLOATS), codes),
                                    strict=True):
                builder.store(builder.select(good, value, builder.load(place)), place)

        either = builder.or_(one[7], two[7])
        nothing = ir.Constant(WORD, 0)
        with builder.if_then(builder.icmp_unsigned("!=", bits(builder, either), nothing)):
            improve(builder.not_(one[7]), either)
            both = builder.and_(one[7], two[7])
            with builder.if_then(builder.icmp_unsigned("!=", bits(builder, both), nothing),
                                 likely=False):
                improve(_ALL, both)
        best, share, by = (builder.load(place) for place in found)
        better = _sooner(builder, best, by, known, known_by)
        better = builder.and_(better, builder.fcmp_ordered("<=", best, splat(builder, args[7], 8)))
        for lanes, name in ((best, "best"), (share, "weight"), (by, "by")):
            _store(builder, lanes, pointer[name])
        return bits(builder, builder.and_(better, into_lanes))

    return types.uint64(edges, metric, types.uint64, time, code, types.uint64, types.float32,
                        types.float32, types.uint64, types.uint64, types.uint64, best, weight,
                        by), generate


@intrinsic
def children_around(typing_context, code, cell, width):
    """Bits of the neighbours that fire reached from a cell by a step, or through a unit segment
    that ends in it; code: u8 [P], parent codes.
    """
    def generate(context, builder, signature, args):
        near = around(builder, data(context, builder, signature.args[0], args[0]), args[1],
                      args[2], BYTE, 1)
        found = None
        for codes in (STEP_OF_LANE, SEGMENT_BEFORE + SEGMENT_CODE, SEGMENT_BEHIND + SEGMENT_CODE):
            same = builder.icmp_unsigned("==", near, _codes(codes))
            found = same if found is None else builder.or_(found, same)
        return bits(builder, found)

    return types.uint64(code, types.uint64, types.uint64), generate


@intrinsic
def pull_around(typing_context, edges, metric, cell, time, width, sending, shut, weight):
    """The best way into a cell through unit steps and unit segments: float32 time above 8 bits of
    parent code, u64; the weights of its segments go into weight f32 [8], by the first end's lane.

    Arguments as of `push_around`; `shut`: neighbours from which no step leads here.
    """
    def generate(context, builder, signature, args):
        pointer = {name: data(context, builder, signature.args[k], args[k]) for k, name in (
            (0, "edges"), (1, "metric"), (3, "time"), (7, "weight"))}
        middle, across = args[2], args[4]
        times = around(builder, pointer["time"], middle, across, FLOAT, 4)
        times = builder.select(truths(builder, args[5]), times, _NEVER)
        times64 = widen(builder, times)
        costs = ir.Constant(DOUBLES, ir.Undefined)
        for lane, (row, col) in enumerate(LANES):
            parent = builder.add(middle, builder.mul(across, ir.Constant(WORD, row)))
            parent = builder.add(parent, ir.Constant(WORD, col))
            place = builder.add(builder.shl(parent, ir.Constant(WORD, 3)),
                                ir.Constant(WORD, 7 - lane))
            costs = builder.insert_element(
                costs, builder.load(builder.gep(pointer["edges"], [place])),
                ir.Constant(ir.IntType(32), lane))
        step = builder.fptrunc(builder.fadd(times64, costs), FLOATS)
        step = latest(builder, step, after(builder, times))
        step = builder.select(truths(builder, args[6]), _NEVER, step)

        second = LANE_OF_STEP[(_OWN_STEP + 1) % 8]
        child = metric_at(builder, pointer["metric"], middle)
        det = determinant(builder, child)
        ends = ends_of(_OWN_STEP)
        later_end = permuted(builder, times, second)
        apart = builder.fsub(widen(builder, later_end), times64)
        at = unit_slant(builder, child, _OWN_STEP, apart)
        mask = inside(builder, at, det)
        segment = cgutils.alloca_once_value(builder, _NEVER)
        with builder.if_then(builder.icmp_unsigned("!=", bits(builder, mask),
                                                   ir.Constant(WORD, 0))):
            share = weight_of(builder, at, det)
            way = way_of(builder, ends, share)
            near = metric_around(builder, pointer["metric"], middle, across)
            cost_a = cost_of(builder, near, *way)
            far = type(near)(*(permuted(builder, part, second) for part in near))
            late = arrival(builder, share, cost_of(builder, child, *way), cost_a,
                           cost_of(builder, far, *way), times64, apart)
            late = latest(builder, builder.fptrunc(late, FLOATS),
                          after(builder, latest(builder, times, later_end)))
            good = builder.and_(mask, builder.fcmp_ordered(">=", share, doubles(np.zeros(8))))
            builder.store(builder.select(good, late, _NEVER), segment)
            _store(builder, builder.fptrunc(share, FLOATS), pointer["weight"])
        wide = ir.VectorType(WORD, 8)

        def words(arrivals, codes):
            high = builder.zext(builder.bitcast(arrivals, INTS), wide)
            return builder.or_(builder.shl(high, ir.Constant(wide, [8] * 8)),
                               ir.Constant(wide, [int(x) for x in codes]))

        by_step = words(step, _OWN_STEP)
        by_segment = words(builder.load(segment), _OWN_STEP + SEGMENT_CODE)
        least = builder.select(builder.icmp_unsigned("<", by_step, by_segment), by_step, by_segment)
        reduce = function(builder, "llvm.vector.reduce.umin.v8i64", WORD, [wide])
        return builder.call(reduce, [least])

    return types.uint64(edges, metric, types.uint64, time, types.uint64, types.uint64, types.uint64,
                        weight), generate
