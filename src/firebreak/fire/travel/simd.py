"""Eight neighbours at a time: what the processor does in one vector instruction.

A cell's neighbours are eight lanes, row by row from north-west to south-east: LANES. The vectors
are LLVM's, so every processor runs them, with the widest registers it has.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from firebreak.fire.travel.stencil import NEIGHBOURS

LANES = tuple((row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if (row, col) != (0, 0))
# The step by which a neighbour sees the cell in the middle.
STEP_OF_LANE = np.array([NEIGHBOURS.index((-row, -col)) for row, col in LANES], np.int64)
BYTE, FLOAT, DOUBLE, WORD = ir.IntType(8), ir.FloatType(), ir.DoubleType(), ir.IntType(64)


def vector(builder, pointer, index, kind, count, align):
    """Loads `count` numbers from an index on."""
    place = builder.gep(pointer, [index])
    return builder.load(builder.bitcast(place, ir.VectorType(kind, count).as_pointer()),
                        align=align)


def shuffled(builder, a, b, which):
    """Lanes of two vectors, those of the second counted on from the first's."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(which)), which)
    return builder.shuffle_vector(a, b, mask)


def around(builder, pointer, cell, width, kind, align):
    """The eight neighbours' numbers, from three rows of four."""
    one = ir.Constant(WORD, 1)
    west = builder.sub(cell, one)
    rows = [vector(builder, pointer, index, kind, 4, align)
            for index in (builder.sub(west, width), west, builder.add(west, width))]
    upper = shuffled(builder, rows[0], rows[1], [0, 1, 2, 4, 6, 0, 0, 0])
    lower = shuffled(builder, rows[2], rows[2], [0, 0, 0, 0, 0, 0, 1, 2])
    return shuffled(builder, upper, lower, [0, 1, 2, 3, 4, 13, 14, 15])


def splat(builder, value, count):
    """A vector of one value."""
    kind = ir.VectorType(value.type, count)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value,
                                   ir.Constant(ir.IntType(32), 0))
    return shuffled(builder, first, first, [0] * count)


def bits(builder, lanes):
    """Eight truth values as the bits of a word."""
    return builder.zext(builder.bitcast(lanes, BYTE), WORD)


def data(context, builder, kind, array):
    """Pointer to an array's first number."""
    return context.make_array(kind)(context, builder, array).data


def function(builder, name, result, arguments):
    """A function of LLVM's, declared where it is not yet."""
    kind = ir.FunctionType(result, arguments)
    return builder.module.globals.get(name) or ir.Function(builder.module, kind, name)


def compressed(builder, words, mask, pointer, count):
    """Stores those of eight words that a mask wants, one after the other, from pointer[count] on;
    returns the new count. There must be room for eight.
    """
    wide = ir.VectorType(WORD, 8)
    compress = function(builder, "llvm.experimental.vector.compress.v8i64", wide,
                        [wide, mask.type, wide])
    kept = builder.call(compress, [words, mask, ir.Constant(wide, ir.Undefined)])
    place = builder.gep(pointer, [count])
    builder.store(kept, builder.bitcast(place, wide.as_pointer()), align=8)
    return builder.add(count, builder.ctpop(bits(builder, mask)))


@intrinsic
def list_reached(typing_context, edges, cell, time, width, now, soonest, limit, shut, found, count):
    """Lists the neighbours that fire from a cell reaches no later than what they have, in a time
    of `limit` at most: time above 8 * neighbour + lane, from found[count] on; returns the new
    count.

    edges f64 [P * 8], minutes to each neighbour; time f32 [P]; now, soonest, limit f32: when the
    cell burns, the next float above, and a finite limit; shut: bits of lanes to leave out; found
    u64, with room for 8 words from `count` on.
    """
    def generate(context, builder, signature, args):
        kinds = signature.args
        eight = builder.shl(args[1], ir.Constant(WORD, 3))
        costs = vector(builder, data(context, builder, kinds[0], args[0]), eight, DOUBLE, 8, 8)
        late = builder.fadd(costs, splat(builder, builder.fpext(args[4], DOUBLE), 8))
        late = builder.fptrunc(late, ir.VectorType(FLOAT, 8))
        least = splat(builder, args[5], 8)
        late = builder.select(builder.fcmp_ordered("<", late, least), least, late)
        known = around(builder, data(context, builder, kinds[2], args[2]), args[1], args[3],
                        FLOAT, 4)
        most = splat(builder, args[6], 8)
        known = builder.select(builder.fcmp_ordered("<", known, most), known, most)
        reached = builder.fcmp_ordered("<=", late, known)
        out = builder.bitcast(builder.trunc(args[7], BYTE), reached.type)
        reached = builder.and_(reached, builder.not_(out))
        wide = ir.VectorType(WORD, 8)
        words = builder.zext(builder.bitcast(late, ir.VectorType(ir.IntType(32), 8)), wide)
        words = builder.shl(words, ir.Constant(wide, [32] * 8))
        width8 = splat(builder, builder.shl(args[3], ir.Constant(WORD, 3)), 8)
        rows = builder.mul(width8, ir.Constant(wide, [row for row, _ in LANES]))
        rows = builder.add(rows, ir.Constant(wide, [8 * col + lane
                                                    for lane, (_, col) in enumerate(LANES)]))
        words = builder.or_(words, builder.add(rows, splat(builder, eight, 8)))
        return compressed(builder, words, reached, data(context, builder, kinds[8], args[8]),
                          args[9])

    return types.uint64(edges, types.uint64, time, types.uint64, types.float32, types.float32,
                        types.float32, types.uint64, found, types.uint64), generate


@intrinsic
def lanes_equal(typing_context, state, cell, width, value):
    """Bits of the neighbours whose u8 [P] is `value`."""
    def generate(context, builder, signature, args):
        near = around(builder, data(context, builder, signature.args[0], args[0]), args[1],
                      args[2], BYTE, 1)
        return bits(builder, builder.icmp_unsigned("==", near, splat(builder, args[3], 8)))

    return types.uint64(state, types.uint64, types.uint64, types.uint8), generate


@intrinsic
def lanes_after(typing_context, time, cell, width, now):
    """Bits of the neighbours whose time f32 [P] is later."""
    def generate(context, builder, signature, args):
        near = around(builder, data(context, builder, signature.args[0], args[0]), args[1],
                      args[2], FLOAT, 4)
        return bits(builder, builder.fcmp_ordered(">", near, splat(builder, args[3], 8)))

    return types.uint64(time, types.uint64, types.uint64, types.float32), generate


@intrinsic
def lanes_final(typing_context, time, cell, width, now):
    """Bits of the neighbours that burn before a cell that burns at `now`: earlier, or at once and
    of a lower index; time f32 [P].
    """
    def generate(context, builder, signature, args):
        near = around(builder, data(context, builder, signature.args[0], args[0]), args[1],
                      args[2], FLOAT, 4)
        now = splat(builder, args[3], 8)
        lower = ir.Constant(ir.VectorType(ir.IntType(1), 8), [lane < 4 for lane in range(8)])
        level = builder.and_(builder.fcmp_ordered("==", near, now), lower)
        return bits(builder, builder.or_(builder.fcmp_ordered("<", near, now), level))

    return types.uint64(time, types.uint64, types.uint64, types.float32), generate


def _places_in_order(builder, own, source, count):
    """How many of the first `count` words are less than each of eight.

    Counting never branches: for few words that is faster than sorting.
    """
    wide = ir.VectorType(WORD, 8)
    places = cgutils.alloca_once_value(builder, ir.Constant(wide, [0] * 8))
    with cgutils.for_range(builder, count) as loop:
        other = splat(builder, builder.load(builder.gep(source, [loop.index])), 8)
        less = builder.icmp_unsigned("<", other, own)
        builder.store(builder.add(builder.load(places), builder.zext(less, wide)), places)
    return builder.load(places)


def _scatter(builder, lanes, pointer, places):
    for lane in range(8):
        which = ir.Constant(ir.IntType(32), lane)
        place = builder.gep(pointer, [builder.extract_element(places, which)])
        builder.store(builder.extract_element(lanes, which), place)


@intrinsic
def put_in_order(typing_context, words, first, count, ordered):
    """Puts words[first : first + 8] to their places among `count` words into ordered u64, the least
    first. Words from `count` on must be larger than all others.
    """
    def generate(context, builder, signature, args):
        source = data(context, builder, signature.args[0], args[0])
        target = data(context, builder, signature.args[3], args[3])
        own = vector(builder, source, args[1], WORD, 8, 8)
        _scatter(builder, own, target, _places_in_order(builder, own, source, args[2]))
        return context.get_dummy_value()

    return types.void(words, types.uint64, types.uint64, ordered), generate


@intrinsic
def prefetch(typing_context, array, index):
    """Prefetches the cache line of array[index]."""
    def generate(context, builder, signature, args):
        pointer = BYTE.as_pointer()
        prefetch_line = function(builder, "llvm.prefetch.p0", ir.VoidType(),
                                 [pointer] + [ir.IntType(32)] * 3)
        place = builder.gep(data(context, builder, signature.args[0], args[0]), [args[1]])
        # For reading, to be kept in all caches, data.
        builder.call(prefetch_line, [builder.bitcast(place, pointer),
                                     *(ir.Constant(ir.IntType(32), k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate
