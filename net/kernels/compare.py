"""Sixty-four comparisons of block ids at a time, as plain LLVM vector code (no instruction of one CPU is named).

The plain twins serve ``NUMBA_DISABLE_JIT=1``.
"""

from typing import Any

import numpy as np

from net.kernels.jit import PLAIN

if PLAIN:

    def equal64(cells: Any, i: int, j: int) -> np.uint64:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells."""
        return np.uint64(np.packbits(cells[i : i + 64] == cells[j : j + 64], bitorder="little").view(np.uint64)[0])

    def at_least64(cells: Any, i: int, lowest: int) -> np.uint64:
        """Bit k: cells[i + k] >= lowest, for 64 cells."""
        return np.uint64(np.packbits(cells[i : i + 64] >= lowest, bitorder="little").view(np.uint64)[0])

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    CELLS = ir.VectorType(ir.IntType(16), 64)

    def _load(context: Any, builder: Any, signature: Any, args: Any, index: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, args[0]).data
        cells = builder.load(builder.bitcast(builder.gep(start, [index]), CELLS.as_pointer()))
        cells.align = 2
        return cells

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def equal64(_typing: Any, cells: Any, i: Any, j: Any) -> Any:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells of a uint16 array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            rows = [_load(context, builder, signature, args, index) for index in args[1:]]
            return builder.bitcast(builder.icmp_unsigned("==", *rows), ir.IntType(64))

        return types.uint64(cells, i, j), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def at_least64(_typing: Any, cells: Any, i: Any, lowest: Any) -> Any:
        """Bit k: cells[i + k] >= lowest, for 64 cells of a uint16 array; ``lowest`` is an int64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            none = ir.Constant(CELLS, ir.Undefined)
            one = builder.insert_element(none, builder.trunc(args[2], ir.IntType(16)), ir.Constant(ir.IntType(32), 0))
            every = builder.shuffle_vector(one, none, ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64))
            cells = _load(context, builder, signature, args, args[1])
            return builder.bitcast(builder.icmp_unsigned(">=", cells, every), ir.IntType(64))

        return types.uint64(cells, i, lowest), generate
