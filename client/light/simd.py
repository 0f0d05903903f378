"""Vector steps of the light channels on sets of 4096 cells, as generic vector IR (no instruction of one CPU is named).

A set is 64 words, see ``propagate_kernels``. Its *edges* are the cells that touch each side, 24 words: four a side in
the order -x, +x, -z, +z, -y, +y. Both sides of a border have the same order, so light crosses it by an AND of four
words. Arrays are uint64, offsets int64; the plain versions serve ``NUMBA_DISABLE_JIT=1``.
"""

from typing import Any, Final

import numpy as np

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

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    I1, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
    SET, SIDE = ir.VectorType(I64, 64), ir.VectorType(I64, 4)
    LANES, SIDE_LANES = ir.VectorType(I16, 256), ir.VectorType(I16, 16)
    MANY, FEW = ir.VectorType(I1, 256), ir.VectorType(I1, 4)
    LINE = ir.VectorType(I64, 8)
    LINES = ir.VectorType(I8, 8)
    NOTHING = ir.Constant(SET, None)
    HAS_BEFORE = ir.Constant(SET, [-(k % 4 > 0) for k in range(64)])  # word k - 1 is the neighbour towards -z
    HAS_AFTER = ir.Constant(SET, [-(k % 4 < 3) for k in range(64)])

    def _pointer(context: Any, builder: Any, signature: Any, args: Any, array: int, at: Any, kind: Any) -> Any:
        """A pointer to vectors, from element ``at`` of an array on."""
        data = context.make_array(signature.args[array])(context, builder, args[array]).data
        at = ir.Constant(I64, at) if isinstance(at, int) else at
        return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())

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

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def edges(_typing: Any, words: Any, at: Any, out: Any, to: Any) -> Any:
        """Writes the edges of the set at ``words[at]`` to ``out[to]`` and behind."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cells = _load(builder, _pointer(context, builder, signature, args, 0, args[1], SET))
            end = _pointer(context, builder, signature, args, 2, args[3], SIDE)
            for k, side in enumerate(_edges(builder, cells)):
                _store(builder, side, _side(builder, end, k))
            return context.get_dummy_value()

        return types.void(words, at, out, to), generate

    @intrinsic  # type: ignore[untyped-decorator]  # as above
    def spread(_typing: Any, row: Any, now: Any, found: Any) -> Any:
        """Finds the free cells of a row that are lit by a lit neighbour: by a cell of its last plane, or by income.

        The income at ``row[now]`` becomes empty. The set is written to ``found``.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def near(by: int) -> Any:
                return _load(builder, _pointer(context, builder, signature, args, 0, LAST + by, SET))

            income = _pointer(context, builder, signature, args, 0, args[1], SIDE)
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
            free = _load(builder, _pointer(context, builder, signature, args, 0, FREE, SET))
            _store(builder, builder.and_(lit, free), _pointer(context, builder, signature, args, 2, 0, SET))
            return context.get_dummy_value()

        return types.void(row, now, found), generate

    @intrinsic  # type: ignore[untyped-decorator]  # as above
    def enter(_typing: Any, found: Any, row: Any, edge: Any, plane: Any, at: Any) -> Any:
        """Lights the cells ``found`` in a row: they become its last plane, and are free no more.

        Their edges are written to ``edge``, lines of eight words that are not all 0 to ``plane[at]`` and behind, where
        64 words must be free. Returns bit k: line k was written.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cells = _load(builder, _pointer(context, builder, signature, args, 0, 0, SET))
            _store(builder, cells, _pointer(context, builder, signature, args, 1, LAST, SET))
            free = _pointer(context, builder, signature, args, 1, FREE, SET)
            _store(builder, builder.and_(_load(builder, free), builder.not_(cells)), free)
            begin = _pointer(context, builder, signature, args, 2, 0, SIDE)
            unlit = _pointer(context, builder, signature, args, 1, OPEN, SIDE)
            for k, side in enumerate(_edges(builder, cells)):
                _store(builder, side, _side(builder, begin, k))
                left = builder.and_(_load(builder, _side(builder, unlit, k)), builder.not_(side))
                _store(builder, left, _side(builder, unlit, k))
            some = builder.bitcast(builder.icmp_unsigned("!=", cells, NOTHING), LINES)
            some = builder.icmp_unsigned("!=", some, ir.Constant(LINES, None))
            end = _pointer(context, builder, signature, args, 3, args[4], LINE)
            for k in range(8):
                _store(builder, _picked(builder, cells, list(range(8 * k, 8 * k + 8))), end)
                step = builder.zext(builder.extract_element(some, ir.Constant(I32, k)), I64)
                end = builder.gep(end, [step])
            return builder.zext(builder.bitcast(some, I8), I64)

        return types.int64(found, row, edge, plane, at), generate

    @intrinsic  # type: ignore[untyped-decorator]  # as above
    def send(_typing: Any, edge: Any, side: Any, row: Any, soon: Any) -> Any:
        """Adds light that leaves through a side to the neighbour's income at ``row[soon]``; returns if it is any."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            four = ir.Constant(I64, 4)
            to = builder.mul(builder.xor(args[1], ir.Constant(I64, 1)), four)
            leaving = _load(builder, _pointer(context, builder, signature, args, 0, builder.mul(args[1], four), SIDE))
            unlit = builder.add(to, ir.Constant(I64, OPEN))
            light = builder.and_(leaving, _load(builder, _pointer(context, builder, signature, args, 2, unlit, SIDE)))
            income = _pointer(context, builder, signature, args, 2, builder.add(to, args[3]), SIDE)
            _store(builder, builder.or_(_load(builder, income), light), income)
            return _any(builder, light)

        return types.boolean(edge, side, row, soon), generate

    @intrinsic  # type: ignore[untyped-decorator]  # as above
    def count_line(_typing: Any, words: Any, at: Any, level: Any, bits: Any, to: Any) -> Any:
        """Sets the bits of ``level`` for the cells of eight words from ``at`` on: bit i from ``bits[to + 64 * i]``."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cells = _load(builder, _pointer(context, builder, signature, args, 0, args[1], LINE))
            for i in range(4):
                shifted = builder.shl(args[2], ir.Constant(I64, 63 - i))
                every = builder.ashr(shifted, ir.Constant(I64, 63))
                first = builder.insert_element(ir.Constant(LINE, ir.Undefined), every, ir.Constant(I32, 0))
                every = _picked(builder, first, [0] * 8)
                at = builder.add(args[4], ir.Constant(I64, 64 * i))
                word = _pointer(context, builder, signature, args, 3, at, LINE)
                _store(builder, builder.or_(_load(builder, word), builder.and_(cells, every)), word)
            return context.get_dummy_value()

        return types.void(words, at, level, bits, to), generate
