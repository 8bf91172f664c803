"""Arcs of the front in lists: what cells that became final complete, and when fire arrives so.

Of the facets that end in a cell about one is worth looking at more closely. Eight are tested at a
time whether the child burns first inside; those that pass are listed, for many cells, and then
evaluated four at a time, densely and without a branch.
"""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from firebreak.fire.travel.simd import (
    DOUBLE,
    FLOAT,
    LANES,
    WORD,
    around,
    compressed,
    data,
    shuffled,
    splat,
)
from firebreak.fire.travel.simd_facets import (
    FLOATS,
    Ends,
    Metric,
    after,
    arc_of,
    arrival,
    cost_of,
    determinant,
    inside,
    latest,
    metric_around,
    permuted,
    same,
    slant,
    unit_slant,
    weight_of,
    widen,
)
from firebreak.fire.travel.simd_front import (
    BEFORE,
    BEHIND,
    FACET_BEFORE,
    FACET_BEHIND,
    truths,
)
from firebreak.fire.travel.stencil import FACET_CODE, STENCIL, STEPS

_TO_CHILD, _CODE = 8, 255  # of the words that list arcs
_LINE = 4  # arcs evaluated at a time
_WIDE = ir.VectorType(WORD, 8)


def _arc_tables():
    """Of each parent code the two ends, steps i64 [88, 2], and the displacement from the first to
    the child and from the first to the second, cells east and north, f64 [88, 4]. A step is a
    facet between itself and itself.
    """
    ends = np.concatenate([np.repeat(np.arange(STEPS)[:, None], 2, axis=1), STENCIL.facets])
    a, b = STENCIL.steps[ends[:, 0]], STENCIL.steps[ends[:, 1]]
    spans = np.stack([-a[:, 1], a[:, 0], a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]], axis=1)
    return ends, spans.astype(np.float64)


ENDS, SPANS = _arc_tables()


@intrinsic
def list_inside(typing_context, metric, cell, time, width, now, sending, into, tried, count):
    """Lists the unit facets that end in a cell, final at `now`, and whose child burns first from
    a point between their ends: 256 times the child, plus the parent code, from tried[count] on;
    returns the new count.

    metric f32 [P * 5]; time f32 [P]; bits: neighbours `sending`, that fire comes from; `into`, that
    it may still come to; tried u64, with room for 16 words from `count` on.
    """
    def generate(context, builder, signature, args):
        metric, time, tried = (data(context, builder, signature.args[k], args[k])
                               for k in (0, 2, 7))
        middle, across, count = args[1], args[3], args[8]
        now64 = splat(builder, builder.fpext(args[4], DOUBLE), 8)
        child = metric_around(builder, metric, middle, across)
        det = determinant(builder, child)
        # Without an end no point of a facet is inside.
        ends_at = builder.select(truths(builder, args[5]),
                                 around(builder, time, middle, across, FLOAT, 4),
                                 ir.Constant(FLOATS, [np.inf] * 8))
        into = truths(builder, args[6])
        shift = ir.Constant(WORD, _TO_CHILD)
        rows = builder.mul(splat(builder, builder.shl(across, shift), 8),
                           ir.Constant(_WIDE, [row for row, _ in LANES]))
        rows = builder.add(rows, splat(builder, builder.shl(middle, shift), 8))
        for other, facet in ((BEFORE, FACET_BEFORE), (BEHIND, FACET_BEHIND)):
            there = widen(builder, permuted(builder, ends_at, other))
            apart = (builder.fsub(now64, there) if other is BEFORE
                     else builder.fsub(there, now64))
            at = unit_slant(builder, child, facet, apart)
            wanted = builder.and_(into, inside(builder, at, det))
            words = builder.add(rows, ir.Constant(_WIDE, [
                (col << _TO_CHILD) + int(number) + FACET_CODE
                for number, (_, col) in zip(facet, LANES, strict=True)]))
            count = compressed(builder, words, wanted, tried, count)
        return count

    return types.uint64(metric, types.uint64, time, types.uint64, types.float32, types.uint64,
                        types.uint64, tried, types.uint64), generate


def _joined(builder, numbers, kind):
    """A vector of single numbers."""
    lanes = ir.Constant(ir.VectorType(kind, len(numbers)), ir.Undefined)
    for k, number in enumerate(numbers):
        lanes = builder.insert_element(lanes, number, ir.Constant(ir.IntType(32), k))
    return lanes


def _turned(builder, places, kind):
    """Four numbers each from four places, as four vectors of the first, second, ... of each."""
    row = ir.VectorType(kind, 4)
    rows = [builder.load(builder.bitcast(place, row.as_pointer()), align=4) for place in places]
    pairs = [[shuffled(builder, rows[k], rows[k + 1], which) for k in (0, 2)]
             for which in ([0, 4, 1, 5], [2, 6, 3, 7])]
    return [shuffled(builder, *pair, which) for pair in pairs
            for which in ([0, 1, 4, 5], [2, 3, 6, 7])]


def _metric_of(builder, places) -> Metric:
    """Of four cells."""
    last = [builder.load(builder.gep(place, [ir.Constant(WORD, 4)])) for place in places]
    parts = [*_turned(builder, places, FLOAT), _joined(builder, last, FLOAT)]
    return Metric(*(builder.fpext(part, ir.VectorType(DOUBLE, _LINE)) for part in parts))


@intrinsic
def arrive_listed(typing_context, metric, time, tried, first, ends, spans, offset, late, weight):
    """When fire arrives by tried[first : first + 4], arcs between final cells: late f32, inf where
    no point of a facet is the better one, and weight f32, from `first` on.

    Long steps may be among them. tried u64, as listed by `list_inside`; metric f32 [P * 5]; time
    f32 [P]; ends, spans: ENDS and SPANS; offset i64 [32], padded cells to each step.
    """
    def generate(context, builder, signature, args):
        kinds, first = signature.args, args[3]
        metric, time, tried, ends, spans, offset, late, weight = (
            data(context, builder, kinds[k], args[k]) for k in (0, 1, 2, 4, 5, 6, 7, 8))
        one, five = ir.Constant(WORD, 1), ir.Constant(WORD, 5)

        def entry(array, index):
            return builder.load(builder.gep(array, [index]))

        codes, cells = [], ([], [], [])
        for k in range(_LINE):
            word = entry(tried, builder.add(first, ir.Constant(WORD, k)))
            child = builder.lshr(word, ir.Constant(WORD, _TO_CHILD))
            code = builder.and_(word, ir.Constant(WORD, _CODE))
            row = builder.shl(code, one)
            a, b = (builder.add(child, entry(offset, entry(ends, place)))
                    for place in (row, builder.add(row, one)))
            codes.append(code)
            for listed, cell in zip(cells, (child, a, b), strict=True):
                listed.append(cell)
        child, at_a, at_b = (_metric_of(builder, [
            builder.gep(metric, [builder.mul(cell, five)]) for cell in listed]) for listed in cells)
        time_a, time_b = (_joined(builder, [entry(time, cell) for cell in listed], FLOAT)
                          for listed in cells[1:])
        span = Ends(*_turned(builder, [
            builder.gep(spans, [builder.shl(code, ir.Constant(WORD, 2))]) for code in codes],
            DOUBLE))
        from_a, to_b = (builder.fpext(lanes, ir.VectorType(DOUBLE, _LINE))
                        for lanes in (time_a, time_b))
        apart, det = builder.fsub(to_b, from_a), determinant(builder, child)
        at = slant(builder, child, span, apart)
        share = weight_of(builder, at, det)
        zero = same(share, 0.0)
        good = builder.and_(inside(builder, at, det), builder.fcmp_ordered(">=", share, zero))
        step = builder.icmp_unsigned("<", _joined(builder, codes, WORD), ir.Constant(
            ir.VectorType(WORD, _LINE), [STEPS] * _LINE))
        share = builder.select(step, zero, share)
        arc = arc_of(builder, span, share)
        t = arrival(builder, share, *(cost_of(builder, m, *arc) for m in (child, at_a, at_b)),
                    from_a, apart)
        t = builder.fptrunc(t, ir.VectorType(FLOAT, _LINE))
        t = latest(builder, t, after(builder, latest(builder, time_a, time_b)))
        t = builder.select(builder.or_(good, step), t, same(t, np.inf))
        for lanes, array in ((t, late), (builder.fptrunc(share, t.type), weight)):
            place = builder.gep(array, [first])
            builder.store(lanes, builder.bitcast(place, lanes.type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(metric, time, tried, types.uint64, ends, spans, offset, late,
                      weight), generate
