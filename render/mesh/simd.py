"""Vector steps on sixteen planes of faces, as generic vector IR (no instruction of one CPU is named).

A row is 16 consecutive numbers of 32 bits in a uint32 array, a square 16 rows. Offsets are int64. The plain versions
serve ``NUMBA_DISABLE_JIT=1``.

Theory of ``grow``. Row after row, ``seen`` are the faces of one row, split into runs by ``inside`` (bit b: b and b + 1
are of one run). A run continues in the next row if all its faces are there and joined to it. Adding a run's lowest bit
to its continuing bits carries up to its top exactly if all bits below continue; from the tops it is spread down again
in doubling steps. The other faces of the next row begin new runs. That is the same greedy choice that a loop over faces
makes, without a branch.
"""

from typing import Any

import numpy as np

from net.kernels.jit import PLAIN

if PLAIN:

    def turn(rows: Any, at: int, to: int) -> None:
        """A square as columns: ``rows[to + 16 * k + i] = rows[at + 16 * i + k]``."""
        rows[to : to + 256] = rows[at : at + 256].reshape(16, 16).T.copy().reshape(256)

    def slice_bits(rows: Any, at: int, to: int) -> None:
        """Bits of 16 lanes as 16 rows of bits, two to a number; see below."""
        bits = rows[at : at + 16, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
        words = (bits << np.arange(16, dtype=np.uint32)[:, None]).sum(0, dtype=np.uint32)
        rows[to : to + 16] = words[:16] | words[16:] << np.uint32(16)

    def some64(rows: Any, at: int, bits: int) -> int:
        """Bit k: ``rows[at + k] & bits`` is not 0, for 64 numbers."""
        return int(np.packbits(rows[at : at + 64] & np.uint32(bits) != 0, bitorder="little").view(np.int64)[0])

    def grow(rows: Any, faces: int, same: int, joined: int, to: int) -> int:
        """Merges the faces of 16 planes, row by row, twice; see below."""
        found = 0
        for side in range(2):
            shown, end = faces + 256 * side, to + 768 * side
            seen = inside = kept = np.zeros(16, np.uint32)
            every = []
            for k in range(16):
                now = rows[shown + 16 * k : shown + 16 * k + 16]
                if k:
                    held = now & rows[joined + 16 * k - 16 : joined + 16 * k]
                    reached = (inside & held) + (seen & ~(inside << np.uint32(1)))
                    kept = reached & held & seen & ~inside
                    for _ in range(31):
                        kept = kept | kept >> np.uint32(1) & inside
                left = now & ~kept
                runs = left & left >> np.uint32(1) & rows[same + 16 * k : same + 16 * k + 16]
                inside = inside & kept | runs
                seen = now.copy()
                rows[end + 16 * k : end + 16 * k + 16] = left & ~(runs << np.uint32(1))
                rows[end + 256 + 16 * k : end + 256 + 16 * k + 16] = runs
                every.append(kept)
            rows[end + 512 : end + 768] = np.stack(every).T.reshape(256)
            found |= int(np.any(every)) << 16 * side
        return found

    def stack(masks: Any, below: int, low: int, high: int, above: int, out: Any, to: int) -> None:
        """Sixteen columns of four slots as numbers of 34 bits; see below."""
        parts = [masks.reshape(-1)[k : k + 16].astype(np.int64) for k in (below, low, high, above)]
        out[to : to + 16] = parts[0] >> 15 | parts[1] << 1 | parts[2] << 17 | (parts[3] & 1) << 33

    def reach(rows: Any, at: int, bit: int, lane: int) -> int:
        """Number of lanes after ``lane`` in a row that have a bit, without a gap."""
        behind = (rows[at + lane + 1 : at + 16] & np.uint32(bit)) == 0
        return int(behind.argmax()) if behind.any() else len(behind)

else:
    from llvmlite import ir
    from numba import types

    from client.light.simd import splat, vector_step

    I1, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
    ROW, BYTES = ir.VectorType(I32, 16), ir.VectorType(I8, 64)
    HALVES, COLUMNS = ir.VectorType(I16, 16), ir.VectorType(I64, 16)
    NONE, ALL = ir.Constant(ROW, None), ir.Constant(ROW, [-1] * 16)
    ZIPPED = [ir.Constant(ROW, [half + k // 2 + 16 * (k % 2) for k in range(16)]) for half in (0, 8)]
    BYTE_ORDER = ir.Constant(ir.VectorType(I32, 64), [k % 16 * 4 + (0, 2, 1, 3)[k // 16] for k in range(64)])

    def _load(builder: Any, pointer: Any, k: int = 0) -> Any:
        row = builder.load(builder.gep(pointer, [ir.Constant(I32, k)]))
        row.align = 4
        return row

    def _store(builder: Any, row: Any, pointer: Any, k: int) -> None:
        builder.store(row, builder.gep(pointer, [ir.Constant(I32, k)])).align = 4

    def _some(builder: Any, row: Any) -> Any:
        """Bit k: lane k is not 0."""
        return builder.zext(builder.bitcast(builder.icmp_unsigned("!=", row, NONE), I16), I64)

    def _turned(builder: Any, square: list[Any]) -> list[Any]:
        """Each step interleaves rows k and k + 8, which moves one bit of a row's number to the lane's."""
        for _ in range(4):
            square = [builder.shuffle_vector(square[k], square[k + 8], half) for k in range(8) for half in ZIPPED]
        return square

    def _down(builder: Any, row: Any, by: int) -> Any:
        return builder.lshr(row, ir.Constant(row.type, [by] * 16))

    def _without(builder: Any, row: Any, other: Any) -> Any:
        return builder.and_(row, builder.xor(other, ALL))

    def _kept(builder: Any, seen: Any, inside: Any, held: Any) -> Any:
        """The faces of those runs of ``seen`` whose every face is held."""
        bottoms = _without(builder, seen, builder.add(inside, inside))
        reached = builder.add(builder.and_(inside, held), bottoms)
        kept = builder.and_(builder.and_(reached, held), _without(builder, seen, inside))
        links = inside
        for by in (1, 2, 4, 8, 16):
            kept = builder.or_(kept, builder.and_(_down(builder, kept, by), links))
            links = builder.and_(links, _down(builder, links, by))
        return kept

    @vector_step(types.void)
    def turn(builder: Any, rows: Any, at: Any, to: Any) -> Any:
        """A square as columns: ``rows[to + 16 * k + i] = rows[at + 16 * i + k]``."""
        begin, end = rows.at(at, ROW), rows.at(to, ROW)
        for k, row in enumerate(_turned(builder, [_load(builder, begin, k) for k in range(16)])):
            _store(builder, row, end, k)

    @vector_step(types.void)
    def slice_bits(builder: Any, rows: Any, at: Any, to: Any) -> Any:
        """Bits of 16 lanes as 16 rows of bits, two to a number.

        Bit i of ``rows[to + b]`` is bit b of ``rows[at + i]``, bit 16 + i is bit b + 16, for i and b from 0 to 15.
        """
        row = builder.bitcast(_load(builder, rows.at(at, ROW)), BYTES)
        row = builder.shuffle_vector(row, row, BYTE_ORDER)
        end = rows.at(to, I32)
        for b in reversed(range(8)):
            bits = builder.bitcast(builder.icmp_signed("<", row, ir.Constant(BYTES, None)), I64)
            _store(builder, builder.trunc(bits, I32), end, b)
            _store(builder, builder.trunc(builder.lshr(bits, ir.Constant(I64, 32)), I32), end, b + 8)
            row = builder.add(row, row)

    @vector_step(types.int64)
    def grow(builder: Any, rows: Any, faces: Any, same: Any, joined: Any, to: Any) -> Any:
        """Merges the faces of 16 planes: a lane is a plane, a row's bit a face.

        It does two directions at once: each row depends on the one before, so one alone would leave the processor idle
        half of the time. Returns whether any run continues: not 0 in bits 0-15 for the first, from 16 on for the
        second.

        Squares in ``rows``: two of ``faces``; ``same``, bit b: b and b + 1 may be of one run; ``joined``, bit b: b may
        continue in the next row. Squares written in a row at ``to``, three for each direction: the lowest face of each
        run that begins in a row; bit b: b and b + 1 are of one such run; then [lane][row] the faces of runs that began
        earlier.
        """
        shown, same, joined, end = (rows.at(k, ROW) for k in (faces, same, joined, to))
        seen, inside, kept, every = [NONE] * 2, [NONE] * 2, [NONE] * 2, [NONE] * 2
        earlier: list[list[Any]] = [[], []]
        for k in range(16):
            for d in range(2):
                now = _load(builder, shown, 16 * d + k)
                if k:
                    held = builder.and_(now, _load(builder, joined, k - 1))
                    kept[d] = _kept(builder, seen[d], inside[d], held)
                left = _without(builder, now, kept[d])
                runs = builder.and_(builder.and_(left, _down(builder, left, 1)), _load(builder, same, k))
                inside[d] = builder.or_(builder.and_(inside[d], kept[d]), runs)
                starts = _without(builder, left, builder.add(runs, runs))
                seen[d] = now
                earlier[d].append(kept[d])
                every[d] = builder.or_(every[d], kept[d])
                _store(builder, starts, end, 48 * d + k)
                _store(builder, runs, end, 48 * d + 16 + k)
        for d in range(2):
            for k, row in enumerate(_turned(builder, earlier[d])):
                _store(builder, row, end, 48 * d + 32 + k)
        first, second = (_some(builder, both) for both in every)
        return builder.or_(first, builder.shl(second, ir.Constant(I64, 16)))

    @vector_step(types.void)
    def stack(builder: Any, masks: Any, below: Any, low: Any, high: Any, above: Any, out: Any, to: Any) -> Any:
        """Sixteen columns of four slots as numbers of 34 bits: ``out[to + k]`` is column k's.

        masks: uint16, read as flat from four offsets on; out: int64. Bit 0 is the highest bit of below, bit 33 the
        lowest of above.
        """
        parts = []
        for first, clear, by in ((below, 15, 0), (low, 0, 1), (high, 0, 17), (above, 0, 33)):
            halves = builder.load(masks.at(first, HALVES))
            halves.align = 2
            column = _down(builder, builder.zext(halves, COLUMNS), clear)
            parts.append(builder.shl(column, ir.Constant(COLUMNS, [by] * 16)))
        parts[3] = builder.and_(parts[3], ir.Constant(COLUMNS, [1 << 33] * 16))
        made = builder.or_(builder.or_(parts[0], parts[1]), builder.or_(parts[2], parts[3]))
        builder.store(made, out.at(to, COLUMNS)).align = 8

    @vector_step(types.int64)
    def reach(builder: Any, rows: Any, at: Any, bit: Any, lane: Any) -> Any:
        """Number of lanes after ``lane`` in a row that have a bit (``bit`` is its value), without a gap."""
        row = _load(builder, rows.at(at, ROW))
        hits = _some(builder, builder.and_(row, splat(builder, builder.trunc(bit, I32), ROW)))
        behind = builder.lshr(builder.lshr(hits, lane), ir.Constant(I64, 1))
        return builder.cttz(builder.not_(behind), ir.Constant(I1, 1))

    @vector_step(types.int64)
    def some64(builder: Any, rows: Any, at: Any, bits: Any) -> Any:
        """Bit k: ``rows[at + k] & bits`` is not 0, for 64 numbers; int64."""
        begin = rows.at(at, ROW)
        wanted, every = splat(builder, builder.trunc(bits, I32), ROW), ir.Constant(I64, 0)
        for k in range(4):
            hits = _some(builder, builder.and_(_load(builder, begin, k), wanted))
            every = builder.or_(every, builder.shl(hits, ir.Constant(I64, 16 * k)))
        return every
