"""Unit steps and unit facets around a cell, eight at a time: arcs into it, and cells below it.

Of two arcs that arrive at once the one with the lower parent code counts, as everywhere.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from firebreak.fire.travel.simd import (
    BYTE,
    FLOAT,
    LANES,
    STEP_OF_LANE,
    WORD,
    around,
    bits,
    data,
    function,
)
from firebreak.fire.travel.simd_facets import (
    BYTES,
    DOUBLES,
    FLOATS,
    INTS,
    LANE_OF_STEP,
    after,
    arc_of,
    arrival,
    call,
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
    same,
    unit_slant,
    weight_of,
    widen,
)
from firebreak.fire.travel.stencil import FACET_CODE, NEIGHBOURS, STENCIL

_OWN_STEP = np.argsort(LANE_OF_STEP)  # by which a cell sees the neighbour in each lane
_STEPS = STENCIL.steps[:8]
_NEVER = ir.Constant(FLOATS, [np.inf] * 8)


def _codes(numbers):
    return ir.Constant(BYTES, [int(x) for x in numbers])


def truths(builder, word):
    """Bits of a word -> eight truth values."""
    return builder.bitcast(builder.trunc(word, BYTE), ir.VectorType(ir.IntType(1), 8))


def _store(builder, lanes, pointer):
    builder.store(lanes, builder.bitcast(pointer, lanes.type.as_pointer()), align=1)


def _sides():
    """For a neighbour in each lane, of the two unit facets into it that end in the middle: (the
    lane of the other end, the facet), first where the middle is the second end.
    """
    before, behind = [], []
    for (row, col), step in zip(LANES, STEP_OF_LANE.tolist(), strict=True):
        for side, other, facet in ((before, (step - 1) % 8, (step - 1) % 8),
                                   (behind, (step + 1) % 8, step)):
            down, right = NEIGHBOURS[other]
            side.append((lane_at(row + down, col + right), facet))
    return [np.array(side, np.int64).T for side in (before, behind)]


(BEFORE, FACET_BEFORE), (BEHIND, FACET_BEHIND) = _sides()


@intrinsic
def children_around(typing_context, code, cell, width):
    """Bits of the neighbours that fire reached from a cell by a step, or through a unit facet
    that ends in it; code: u8 [P], parent codes.
    """
    def generate(context, builder, signature, args):
        near = around(builder, data(context, builder, signature.args[0], args[0]), args[1],
                      args[2], BYTE, 1)
        found = None
        for codes in (STEP_OF_LANE, FACET_BEFORE + FACET_CODE, FACET_BEHIND + FACET_CODE):
            same = builder.icmp_unsigned("==", near, _codes(codes))
            found = same if found is None else builder.or_(found, same)
        return bits(builder, found)

    return types.uint64(code, types.uint64, types.uint64), generate


@intrinsic
def not_acute_around(typing_context, metric, cell):
    """Bits of the unit facets on which a cell's ellipse is not acute: where the gradient of the
    travel time at one end has a negative product with the other; metric f32 [P * 5].
    """
    def generate(context, builder, signature, args):
        mul, add = builder.fmul, builder.fadd
        m = metric_at(builder, data(context, builder, signature.args[0], args[0]), args[1])
        east, north = (doubles(x) for x in (-_STEPS[:, 1], _STEPS[:, 0]))
        to_east = add(mul(m.m11, east), mul(m.m12, north))
        to_north = add(mul(m.m12, east), mul(m.m22, north))
        norm = call(builder, "sqrt", add(mul(east, to_east), mul(north, to_north)))
        gradient = [builder.fsub(builder.fdiv(part, norm), drift)
                    for part, drift in ((to_east, m.east), (to_north, m.north))]
        found = None
        first, second = np.arange(8), (np.arange(8) + 1) % 8
        for at, other in (first, second), (second, first):
            product = add(
                mul(permuted(builder, gradient[0], at), doubles(-_STEPS[other, 1])),
                mul(permuted(builder, gradient[1], at), doubles(_STEPS[other, 0])))
            blunt = builder.fcmp_ordered("<", product, same(product, 0.0))
            found = blunt if found is None else builder.or_(found, blunt)
        return bits(builder, found)

    return types.uint64(metric, types.uint64), generate


@intrinsic
def pull_around(typing_context, edges, metric, cell, time, width, sending, shut, weight):
    """The best arc into a cell through unit steps and unit facets: float32 time above 8 bits of
    parent code, u64; the weights of its facets go into weight f32 [8], by the first end's lane.

    edges f64 [P * 8], metric f32 [P * 5]; time f32 [P]; bits: neighbours `sending`, that fire comes
    from; `shut`, from which no step leads here.
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
        facet = cgutils.alloca_once_value(builder, _NEVER)
        with builder.if_then(builder.icmp_unsigned("!=", bits(builder, mask),
                                                   ir.Constant(WORD, 0))):
            share = weight_of(builder, at, det)
            arc = arc_of(builder, ends, share)
            near = metric_around(builder, pointer["metric"], middle, across)
            cost_a = cost_of(builder, near, *arc)
            far = type(near)(*(permuted(builder, part, second) for part in near))
            late = arrival(builder, share, cost_of(builder, child, *arc), cost_a,
                           cost_of(builder, far, *arc), times64, apart)
            late = latest(builder, builder.fptrunc(late, FLOATS),
                          after(builder, latest(builder, times, later_end)))
            good = builder.and_(mask, builder.fcmp_ordered(">=", share, doubles(np.zeros(8))))
            builder.store(builder.select(good, late, _NEVER), facet)
            _store(builder, builder.fptrunc(share, FLOATS), pointer["weight"])
        wide = ir.VectorType(WORD, 8)

        def words(arrivals, codes):
            high = builder.zext(builder.bitcast(arrivals, INTS), wide)
            return builder.or_(builder.shl(high, ir.Constant(wide, [8] * 8)),
                               ir.Constant(wide, [int(x) for x in codes]))

        by_step = words(step, _OWN_STEP)
        by_facet = words(builder.load(facet), _OWN_STEP + FACET_CODE)
        least = builder.select(builder.icmp_unsigned("<", by_step, by_facet), by_step, by_facet)
        reduce = function(builder, "llvm.vector.reduce.umin.v8i64", WORD, [wide])
        return builder.call(reduce, [least])

    return types.uint64(edges, metric, types.uint64, time, types.uint64, types.uint64, types.uint64,
                        weight), generate
