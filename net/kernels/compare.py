"""Sixty-four comparisons of block ids at a time, as plain LLVM vector code (no instruction of one CPU is named).

The plain twins serve ``NUMBA_DISABLE_JIT=1``.
"""

from typing import Any

import numpy as np

from net.kernels.jit import PLAIN

if PLAIN:

    def _bits(found: Any) -> np.uint64:
        return np.uint64(np.packbits(found, bitorder="little").view(np.uint64)[0])

    def equal64(cells: Any, i: int, j: int) -> np.uint64:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells."""
        return _bits(cells[i : i + 64] == cells[j : j + 64])

    def same64(cells: Any, i: int, value: int) -> np.uint64:
        """Bit k: cells[i + k] == value, for 64 cells."""
        return _bits(cells[i : i + 64] == value)

    def at_least64(cells: Any, i: int, value: int) -> np.uint64:
        """Bit k: cells[i + k] >= value, for 64 cells."""
        return _bits(cells[i : i + 64] >= value)

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    I16, I32, I64 = (ir.IntType(bits) for bits in (16, 32, 64))
    CELLS = ir.VectorType(I16, 64)

    def _load(context: Any, builder: Any, signature: Any, args: Any, index: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, args[0]).data
        cells = builder.load(builder.bitcast(builder.gep(start, [index]), CELLS.as_pointer()))
        cells.align = 2
        return cells

    def _with_value(operator: str) -> Any:
        """A comparison of 64 cells with one number."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            none = ir.Constant(CELLS, ir.Undefined)
            one = builder.insert_element(none, builder.trunc(args[2], I16), ir.Constant(I32, 0))
            every = builder.shuffle_vector(one, none, ir.Constant(ir.VectorType(I32, 64), [0] * 64))
            cells = _load(context, builder, signature, args, args[1])
            return builder.bitcast(builder.icmp_unsigned(operator, cells, every), I64)

        return generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def equal64(_typing: Any, cells: Any, i: Any, j: Any) -> Any:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells of a uint16 array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            rows = [_load(context, builder, signature, args, index) for index in args[1:]]
            return builder.bitcast(builder.icmp_unsigned("==", *rows), I64)

        return types.uint64(cells, i, j), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def same64(_typing: Any, cells: Any, i: Any, value: Any) -> Any:
        """Bit k: cells[i + k] == value, for 64 cells of a uint16 array; ``value`` is an int64."""
        return types.uint64(cells, i, value), _with_value("==")

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def at_least64(_typing: Any, cells: Any, i: Any, value: Any) -> Any:
        """Bit k: cells[i + k] >= value, for 64 cells of a uint16 array; ``value`` is an int64."""
        return types.uint64(cells, i, value), _with_value(">=")
