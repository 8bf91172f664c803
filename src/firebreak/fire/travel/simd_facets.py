"""Several facets at a time: the equations of `arc_kernel` as vectors.

The same operations in the same order as there, so that an arc has the same bits. Of the eight unit
facets around a cell the lanes are those of `simd`.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from firebreak.fire.travel.simd import (
    BYTE,
    DOUBLE,
    FLOAT,
    LANES,
    WORD,
    function,
    shuffled,
    splat,
    vector,
)
from firebreak.fire.travel.stencil import NEIGHBOURS, STENCIL

DOUBLES, FLOATS, BYTES = (ir.VectorType(kind, 8) for kind in (DOUBLE, FLOAT, BYTE))
INTS = ir.VectorType(ir.IntType(32), 8)
_PARTS = 5  # of a metric

_STEPS = STENCIL.steps[:8]


class Metric(NamedTuple):
    """m11, m12, m22, w east and w north of eight cells, vectors of float64."""

    m11: Any
    m12: Any
    m22: Any
    east: Any
    north: Any


class Ends(NamedTuple):
    """A facet for each lane, from the child: a, and from a to b; cells east and north."""

    a_east: Any
    a_north: Any
    ab_east: Any
    ab_north: Any


class Slant(NamedTuple):
    """What decides where on a facet a child burns first, see `arc_kernel.facet_weight`."""

    length2: Any
    mixed: Any
    falls: Any
    rest: Any


def same(lanes, number: float) -> Any:
    """A constant as often as a vector has lanes."""
    return ir.Constant(lanes.type, [number] * lanes.type.count)


def doubles(numbers: NDArray) -> Any:
    """A constant vector."""
    return ir.Constant(DOUBLES, [float(x) for x in numbers])


def _ends_of(facets: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Ends of the unit facet of each lane, east and north: the first, and from it the second."""
    a, b = _STEPS[STENCIL.facets[facets, 0]], _STEPS[STENCIL.facets[facets, 1]]
    # From the parent to the child: the step, turned round; rows run south.
    a_east, a_north, b_east, b_north = -a[:, 1], a[:, 0], -b[:, 1], b[:, 0]
    return a_east, a_north, b_east - a_east, b_north - a_north


def ends_of(facets: NDArray[np.int64]) -> Ends:
    """Of the unit facet of each lane."""
    return Ends(*(doubles(x) for x in _ends_of(facets)))


def lane_at(row: int, col: int) -> int:
    """The lane of a neighbour."""
    return LANES.index((row, col))


LANE_OF_STEP = np.array([lane_at(row, col) for row, col in NEIGHBOURS], np.int64)


def widen(builder, lanes):
    """Vectors of float32 -> float64."""
    return builder.fpext(lanes, DOUBLES)


def metric_around(builder, metric, cell, width) -> Metric:
    """Of the eight neighbours; metric: pointer to f32 [P * 5]. A row's three are one load."""
    one, parts = ir.Constant(WORD, 1), ir.Constant(WORD, _PARTS)
    west = builder.sub(cell, one)
    rows = [vector(builder, metric, builder.mul(index, parts), FLOAT, 16, 4)
            for index in (builder.sub(west, width), west, builder.add(west, width))]
    made = []
    for part in range(_PARTS):
        first, second, third = (part + _PARTS * k for k in range(3))
        upper = shuffled(builder, rows[0], rows[1],
                         [first, second, third, 16 + first, 16 + third] + [0] * 11)
        made.append(widen(builder, shuffled(builder, upper, rows[2], [
            0, 1, 2, 3, 4, 16 + first, 16 + second, 16 + third])))
    return Metric(*made)


def metric_at(builder, metric, cell) -> Metric:
    """Of one cell, eight times."""
    first = builder.mul(cell, ir.Constant(WORD, _PARTS))
    made = []
    for part in range(_PARTS):
        place = builder.gep(metric, [builder.add(first, ir.Constant(WORD, part))])
        made.append(splat(builder, builder.fpext(builder.load(place), DOUBLE), 8))
    return Metric(*made)


def permuted(builder, lanes, which) -> Any:
    """lanes[which]"""
    return shuffled(builder, lanes, lanes, list(which))


def call(builder, name, *lanes) -> Any:
    """An LLVM function of vectors of float64 or of float32."""
    kind = lanes[0].type
    suffix = f"v{kind.count}f{64 if kind.element == DOUBLE else 32}"
    return builder.call(function(builder, f"llvm.{name}.{suffix}", kind, [kind] * len(lanes)),
                        lanes)


def slant(builder, m: Metric, ends: Ends, apart) -> Slant:
    """apart: time of the second end less that of the first."""
    mul, add = builder.fmul, builder.fadd
    along_east = add(mul(m.m11, ends.ab_east), mul(m.m12, ends.ab_north))
    along_north = add(mul(m.m12, ends.ab_east), mul(m.m22, ends.ab_north))
    length2 = add(mul(ends.ab_east, along_east), mul(ends.ab_north, along_north))
    mixed = add(mul(ends.a_east, along_east), mul(ends.a_north, along_north))
    falls = builder.fsub(add(mul(m.east, ends.ab_east), mul(m.north, ends.ab_north)), apart)
    return Slant(length2, mixed, falls, builder.fsub(length2, mul(falls, falls)))


def unit_slant(builder, m: Metric, facets: NDArray[np.int64], apart) -> Slant:
    """`slant` of the unit facet of each lane. They lie along the axes: what is multiplied by 0
    is left out, which changes no bit.
    """
    a_east, a_north, ab_east, ab_north = _ends_of(facets)
    sign = ab_east + ab_north
    runs_east = ir.Constant(ir.VectorType(ir.IntType(1), 8), [bool(x) for x in ab_east])
    along_east = builder.select(runs_east, m.m11, m.m12)
    along_north = builder.select(runs_east, m.m12, m.m22)
    length2 = builder.select(runs_east, m.m11, m.m22)
    mixed = builder.fadd(builder.fmul(doubles(sign * a_east), along_east),
                         builder.fmul(doubles(sign * a_north), along_north))
    drift = builder.fmul(doubles(sign), builder.select(runs_east, m.east, m.north))
    falls = builder.fsub(drift, apart)
    return Slant(length2, mixed, falls, builder.fsub(length2, builder.fmul(falls, falls)))


def determinant(builder, m: Metric):
    """det(M)"""
    return builder.fsub(builder.fmul(m.m11, m.m22), builder.fmul(m.m12, m.m12))


def inside(builder, at: Slant, det):
    """Does the child burn first from a point between the ends? The tests of `arc_kernel._above`,
    both sides squared with their signs kept.
    """
    def squared(lanes):
        return builder.fmul(lanes, call(builder, "fabs", lanes))

    slope = builder.fmul(squared(at.falls), det)
    near = builder.fmul(squared(at.mixed), at.rest)
    far = builder.fmul(squared(builder.fadd(at.mixed, at.length2)), at.rest)
    within = builder.and_(builder.fcmp_ordered(">", slope, near),
                          builder.fcmp_ordered("<=", slope, far))
    return builder.and_(within, builder.fcmp_ordered(">", at.rest, same(at.rest, 0.0)))


def weight_of(builder, at: Slant, det):
    """Weight of the second end."""
    root = call(builder, "sqrt", builder.fdiv(det, at.rest))
    return builder.fdiv(builder.fsub(builder.fmul(at.falls, root), at.mixed), at.length2)


def cost_of(builder, m: Metric, east, north):
    """See `arc_kernel.cost`."""
    mul, add, two = builder.fmul, builder.fadd, same(east, 2.0)
    square = add(add(mul(mul(m.m11, east), east), mul(mul(mul(two, m.m12), east), north)),
                 mul(mul(m.m22, north), north))
    return builder.fsub(builder.fsub(call(builder, "sqrt", square), mul(m.east, east)),
                        mul(m.north, north))


def arrival(builder, weight, cost, cost_a, cost_b, time_a, apart):
    """When fire that takes the facets arrives, float64, with the costs of the arcs in the
    ellipses of the child and of the two ends; see `arc_kernel.facet_cost`.
    """
    mul, add = builder.fmul, builder.fadd
    half, one = same(weight, 0.5), same(weight, 1.0)
    at_ends = add(mul(builder.fsub(one, weight), cost_a), mul(weight, cost_b))
    whole = add(mul(half, cost), mul(half, at_ends))
    return add(add(time_a, mul(weight, apart)), whole)


def arc_of(builder, ends: Ends, weight):
    """The displacement from the point of this weight, cells east and north."""
    mul, add = builder.fmul, builder.fadd
    return (add(ends.a_east, mul(weight, ends.ab_east)),
            add(ends.a_north, mul(weight, ends.ab_north)))


def after(builder, time):
    """The next float32 above times of 0 or more."""
    ints = ir.VectorType(ir.IntType(32), time.type.count)
    bits = builder.bitcast(time, ints)
    return builder.bitcast(builder.add(bits, same(bits, 1)), time.type)


def latest(builder, a, b):
    """The larger of float32 vectors without nan."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)
