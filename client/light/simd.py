"""Vector steps of the light channels on sets of 4096 cells, as generic vector IR (no instruction of one CPU is named).

A set is 64 words, see ``propagate_kernels``. Its *edges* are the cells that touch each side, 24 words: four a side in
the order -x, +x, -z, +z, -y, +y. Both sides of a border have the same order, so light crosses it by an AND of four
words. Arrays are uint64, offsets int64; the plain versions serve ``NUMBA_DISABLE_JIT=1``.

``prefetch`` and ``paint64`` are the vector steps of light values and of all kernels. ``vector_step`` makes such a
function, here and for meshes.
"""

from collections.abc import Callable
from functools import reduce
from inspect import Parameter, Signature, signature
from typing import Any, Final

import numpy as np

from net.arrays import LightValues
from net.kernels.jit import PLAIN

FREE: Final = 0
OPEN: Final = 64
INCOME: Final = 88
LAST: Final = 144
PART: Final = 216
"""Words of a row, see ``propagate_kernels``; two incomes follow each other."""
EDGE_WORDS: Final = 24

if PLAIN:

    def _cells(words: Any, at: int) -> Any:
        """A set as bool[x, z, y]."""
        return np.unpackbits(words[at : at + 64].view(np.uint8), bitorder="little").reshape(16, 16, 16).astype(np.bool_)

    def _words(cells: Any) -> Any:
        return np.packbits(np.ascontiguousarray(cells).reshape(-1), bitorder="little").view(np.uint64)

    def _sides(cells: Any) -> Any:
        return (cells[0], cells[15], cells[:, 0], cells[:, 15], cells[:, :, 0], cells[:, :, 15])

    def edges(words: Any, at: int, out: Any, to: int) -> None:
        """Writes the edges of a set; see below."""
        out[to : to + EDGE_WORDS] = np.concatenate([_words(side) for side in _sides(_cells(words, at))])

    def spread(row: Any, now: int, found: Any) -> None:
        """Finds the cells that are lit by a lit neighbour; see below."""
        cells = _cells(row, LAST)
        lit = np.zeros_like(cells)
        for axis in range(3):
            there, here = np.moveaxis(lit, axis, 0), np.moveaxis(cells, axis, 0)
            there[1:] |= here[:-1]
            there[:-1] |= here[1:]
        income = np.unpackbits(row[now : now + EDGE_WORDS].view(np.uint8), bitorder="little").astype(np.bool_)
        for side, cells in zip(_sides(lit), income.reshape(6, 16, 16), strict=True):
            np.logical_or(side, cells, out=side)
        found[:64] = _words(lit) & row[FREE : FREE + 64]
        row[now : now + EDGE_WORDS] = 0

    def enter(found: Any, row: Any, edge: Any, plane: Any, at: int) -> int:
        """Lights the found cells of a row; see below."""
        row[LAST : LAST + 64] = found[:64]
        row[FREE : FREE + 64] &= ~found[:64]
        edges(found, 0, edge, 0)
        row[OPEN : OPEN + EDGE_WORDS] &= ~edge[:EDGE_WORDS]
        lines = found[:64].reshape(8, 8)
        some = lines.any(axis=1)
        plane[at : at + 8 * int(some.sum())] = lines[some].reshape(-1)
        return int(np.packbits(some, bitorder="little")[0])

    def send(edge: Any, side: int, row: Any, soon: int) -> bool:
        """Sends light through a side to the neighbouring row; see below."""
        to = 4 * (side ^ 1)
        light = edge[4 * side : 4 * side + 4] & row[OPEN + to : OPEN + to + 4]
        row[soon + to : soon + to + 4] |= light
        return bool(light.any())

    def count_line(words: Any, at: int, level: int, bits: Any, to: int) -> None:
        """Adds a level to cells; see below."""
        for i in range(4):
            if level >> i & 1:
                bits[to + 64 * i : to + 64 * i + 8] |= words[at : at + 8]

    def prefetch(words: Any, i: int) -> None:
        """A hint that ``words[i]`` will be read soon."""

    def paint64(cells: LightValues, first: int, bits: Any, k: int, unlit: int) -> None:
        """Writes 64 cells, whose 16 bits are those of ``bits[k]``, ``bits[64 + k]`` and so on, and ``unlit``'s."""
        for i in range(64):
            cells[first + i] = unlit | sum((int(bits[64 * b + k]) >> i & 1) << b for b in range(16))

else:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import alloca_once_value
    from numba.extending import intrinsic

    I1, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
    SET, SIDE = ir.VectorType(I64, 64), ir.VectorType(I64, 4)
    LANES, SIDE_LANES = ir.VectorType(I16, 256), ir.VectorType(I16, 16)
    MANY, FEW = ir.VectorType(I1, 256), ir.VectorType(I1, 4)
    LINE = ir.VectorType(I64, 8)
    LINES = ir.VectorType(I8, 8)
    CELLS = ir.VectorType(I16, 64)
    NOTHING = ir.Constant(SET, None)
    HAS_BEFORE = ir.Constant(SET, [-(k % 4 > 0) for k in range(64)])  # word k - 1 is the neighbour towards -z
    HAS_AFTER = ir.Constant(SET, [-(k % 4 < 3) for k in range(64)])

    class Elements:
        """An array argument of a vector step."""

        def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
            self._builder = builder
            self._data = context.make_array(kind)(context, builder, array).data

        def at(self, index: Any, kind: Any) -> Any:
            """A pointer to vectors of a kind, from an element on; ``index``: a number or an int64 of the code."""
            index = ir.Constant(I64, index) if isinstance(index, int) else index
            return self._builder.bitcast(self._builder.gep(self._data, [index]), kind.as_pointer())

    def vector_step(result: Any) -> Callable[[Callable[..., Any]], Any]:
        """A function for kernels from one that writes its code: with a builder, and each argument's value.

        Arrays are ``Elements``. ``result``: Numba's type of what the code returns.
        """

        def made(write: Callable[..., Any]) -> Any:
            def typed(_typing: Any, *kinds: Any) -> Any:
                def generate(context: Any, builder: Any, called: Any, args: Any) -> Any:
                    values = [
                        Elements(context, builder, kind, value) if isinstance(kind, types.Array) else value
                        for kind, value in zip(called.args, args, strict=True)
                    ]
                    returned = write(builder, *values)
                    return context.get_dummy_value() if returned is None else returned

                return result(*kinds), generate

            names = ["_typing", *list(signature(write).parameters)[1:]]
            parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in names]
            typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # Numba asks for it
            typed.__name__, typed.__doc__ = write.__name__, write.__doc__
            return intrinsic(typed)

        return made

    def splat(builder: Any, value: Any, kind: Any) -> Any:
        """A vector of a kind with the same value everywhere."""
        none = ir.Constant(kind, ir.Undefined)
        first = builder.insert_element(none, value, ir.Constant(I32, 0))
        return builder.shuffle_vector(first, none, ir.Constant(ir.VectorType(I32, kind.count), [0] * kind.count))

    def _load(builder: Any, pointer: Any) -> Any:
        words = builder.load(pointer)
        words.align = 8
        return words

    def _store(builder: Any, words: Any, pointer: Any) -> None:
        builder.store(words, pointer).align = 8

    def _side(builder: Any, pointer: Any, k: int) -> Any:
        return builder.gep(pointer, [ir.Constant(I32, k)])

    def _each(words: Any, value: int) -> Any:
        return ir.Constant(words.type, [value] * words.type.count)

    def _shifted(builder: Any, words: Any, by: int) -> Any:
        """All words, shifted up or (by < 0) down."""
        return builder.shl(words, _each(words, by)) if by > 0 else builder.lshr(words, _each(words, -by))

    def _picked(builder: Any, vector: Any, numbers: list[int]) -> Any:
        """Some elements; the number ``count`` gives 0."""
        nothing = ir.Constant(vector.type, None)
        return builder.shuffle_vector(vector, nothing, ir.Constant(ir.VectorType(I32, len(numbers)), numbers))

    def _any(builder: Any, words: Any) -> Any:
        bits = builder.icmp_unsigned("!=", words, ir.Constant(words.type, None))
        count = ir.IntType(words.type.count)
        return builder.icmp_unsigned("!=", builder.bitcast(bits, count), ir.Constant(count, 0))

    def _edges(builder: Any, cells: Any) -> list[Any]:
        lanes = builder.bitcast(cells, LANES)
        low = builder.bitcast(_shifted(builder, cells, 15), LANES)
        none = ir.Constant(LANES, None)
        return [
            _picked(builder, cells, list(range(4))),
            _picked(builder, cells, list(range(60, 64))),
            builder.bitcast(_picked(builder, lanes, list(range(0, 256, 16))), SIDE),
            builder.bitcast(_picked(builder, lanes, list(range(15, 256, 16))), SIDE),
            builder.bitcast(builder.icmp_signed("<", low, none), SIDE),
            builder.bitcast(builder.icmp_signed("<", lanes, none), SIDE),
        ]

    def _inward(builder: Any, sides: list[Any]) -> Any:
        """The set whose edges are given."""
        x = builder.shuffle_vector(sides[0], sides[1], ir.Constant(ir.VectorType(I32, 8), list(range(8))))
        words = _picked(builder, x, [k if k < 4 else k - 56 if k >= 60 else 8 for k in range(64)])
        z = builder.shuffle_vector(
            *(builder.bitcast(side, SIDE_LANES) for side in sides[2:4]),
            ir.Constant(ir.VectorType(I32, 32), list(range(32))),
        )
        at = {0: 0, 15: 16}
        lanes = _picked(builder, z, [at[k % 16] + k // 16 if k % 16 in at else 32 for k in range(256)])
        for side, bit in zip(sides[4:], (1, 1 << 15), strict=True):
            found = builder.bitcast(side, MANY)
            lanes = builder.or_(lanes, builder.select(found, _each(lanes, bit), ir.Constant(LANES, None)))
        return builder.or_(words, builder.bitcast(lanes, SET))

    @vector_step(types.void)
    def edges(builder: Any, words: Any, at: Any, out: Any, to: Any) -> Any:
        """Writes the edges of the set at ``words[at]`` to ``out[to]`` and behind."""
        cells = _load(builder, words.at(at, SET))
        end = out.at(to, SIDE)
        for k, side in enumerate(_edges(builder, cells)):
            _store(builder, side, _side(builder, end, k))

    @vector_step(types.void)
    def spread(builder: Any, row: Any, now: Any, found: Any) -> Any:
        """Finds the free cells of a row that are lit by a lit neighbour: by a cell of its last plane, or by income.

        The income at ``row[now]`` becomes empty. The set is written to ``found``.
        """

        def near(by: int) -> Any:
            return _load(builder, row.at(LAST + by, SET))

        income = row.at(now, SIDE)
        lit = _inward(builder, [_load(builder, _side(builder, income, k)) for k in range(6)])
        for k in range(6):
            _store(builder, ir.Constant(SIDE, None), _side(builder, income, k))
        here = near(0)
        up = builder.and_(_shifted(builder, here, 1), _each(here, 0xFFFEFFFEFFFEFFFE))
        down = builder.and_(_shifted(builder, here, -1), _each(here, 0x7FFF7FFF7FFF7FFF))
        before = builder.and_(_shifted(builder, near(-1), -48), HAS_BEFORE)
        after = builder.and_(_shifted(builder, near(1), 48), HAS_AFTER)
        beside = _shifted(builder, here, 16), _shifted(builder, here, -16), near(-4), near(4)
        for words in (up, down, before, after, *beside):
            lit = builder.or_(lit, words)
        free = _load(builder, row.at(FREE, SET))
        _store(builder, builder.and_(lit, free), found.at(0, SET))

    @vector_step(types.int64)
    def enter(builder: Any, found: Any, row: Any, edge: Any, plane: Any, at: Any) -> Any:
        """Lights the cells ``found`` in a row: they become its last plane, and are free no more.

        Their edges are written to ``edge``, lines of eight words that are not all 0 to ``plane[at]`` and behind, where
        64 words must be free. Returns bit k: line k was written.
        """
        cells = _load(builder, found.at(0, SET))
        _store(builder, cells, row.at(LAST, SET))
        free = row.at(FREE, SET)
        _store(builder, builder.and_(_load(builder, free), builder.not_(cells)), free)
        begin = edge.at(0, SIDE)
        unlit = row.at(OPEN, SIDE)
        for k, side in enumerate(_edges(builder, cells)):
            _store(builder, side, _side(builder, begin, k))
            left = builder.and_(_load(builder, _side(builder, unlit, k)), builder.not_(side))
            _store(builder, left, _side(builder, unlit, k))
        some = builder.bitcast(builder.icmp_unsigned("!=", cells, NOTHING), LINES)
        some = builder.icmp_unsigned("!=", some, ir.Constant(LINES, None))
        end = plane.at(at, LINE)
        for k in range(8):
            _store(builder, _picked(builder, cells, list(range(8 * k, 8 * k + 8))), end)
            step = builder.zext(builder.extract_element(some, ir.Constant(I32, k)), I64)
            end = builder.gep(end, [step])
        return builder.zext(builder.bitcast(some, I8), I64)

    @vector_step(types.boolean)
    def send(builder: Any, edge: Any, side: Any, row: Any, soon: Any) -> Any:
        """Adds light that leaves through a side to the neighbour's income at ``row[soon]``; returns if it is any."""
        four = ir.Constant(I64, 4)
        to = builder.mul(builder.xor(side, ir.Constant(I64, 1)), four)
        leaving = _load(builder, edge.at(builder.mul(side, four), SIDE))
        unlit = builder.add(to, ir.Constant(I64, OPEN))
        light = builder.and_(leaving, _load(builder, row.at(unlit, SIDE)))
        income = row.at(builder.add(to, soon), SIDE)
        _store(builder, builder.or_(_load(builder, income), light), income)
        return _any(builder, light)

    @vector_step(types.void)
    def count_line(builder: Any, words: Any, at: Any, level: Any, bits: Any, to: Any) -> Any:
        """Sets the bits of ``level`` for the cells of eight words from ``at`` on: bit i from ``bits[to + 64 * i]``."""
        cells = _load(builder, words.at(at, LINE))
        for i in range(4):
            shifted = builder.shl(level, ir.Constant(I64, 63 - i))
            every = builder.ashr(shifted, ir.Constant(I64, 63))
            word = bits.at(builder.add(to, ir.Constant(I64, 64 * i)), LINE)
            added = builder.and_(cells, splat(builder, every, LINE))
            _store(builder, builder.or_(_load(builder, word), added), word)

    @vector_step(types.void)
    def prefetch(builder: Any, words: Any, i: Any) -> Any:
        """A hint that ``words[i]`` will be read soon."""
        byte = I8.as_pointer()
        shape = ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
        builder.call(hint, [words.at(i, I8), ir.Constant(I32, 0), ir.Constant(I32, 3), ir.Constant(I32, 1)])

    @vector_step(types.void)
    def paint64(builder: Any, cells: Any, first: Any, bits: Any, k: Any, unlit: Any) -> Any:
        """Writes 64 uint16 cells, whose 16 bits are those of ``bits[k]``, ``bits[64 + k]`` and so on, and ``unlit``'s.

        A channel, four bits, that is 0 in all cells is skipped.
        """
        every = unlit if unlit.type == I16 else builder.trunc(unlit, I16)
        painted = alloca_once_value(builder, splat(builder, every, CELLS))
        for channel in range(0, 16, 4):
            places = [builder.add(k, ir.Constant(I64, 64 * b)) for b in range(channel, channel + 4)]
            words = [builder.load(bits.at(place, I64)) for place in places]
            some = reduce(builder.or_, words)
            with builder.if_then(builder.icmp_unsigned("!=", some, ir.Constant(I64, 0))):
                now = builder.load(painted)
                for b, word in enumerate(words, channel):
                    lit = builder.bitcast(word, ir.VectorType(I1, 64))
                    now = builder.or_(now, builder.select(lit, _each(now, 1 << b), ir.Constant(CELLS, None)))
                builder.store(now, painted)
        builder.store(builder.load(painted), cells.at(first, CELLS)).align = 2
