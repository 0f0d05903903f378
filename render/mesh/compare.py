"""Sixty-four comparisons of block ids at a time, as plain LLVM vector code (no instruction of one CPU is named)."""

from typing import Any

import numpy as np

from net.kernels.jit import PLAIN

if PLAIN:

    def equal64(cells: Any, i: int, j: int) -> np.uint64:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells."""
        return np.uint64(np.packbits(cells[i : i + 64] == cells[j : j + 64], bitorder="little").view(np.uint64)[0])

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def equal64(_typing: Any, cells: Any, i: Any, j: Any) -> Any:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells of a uint16 array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.IntType(16), 64)
            start = context.make_array(signature.args[0])(context, builder, args[0]).data
            rows = []
            for index in args[1:]:
                row = builder.load(builder.bitcast(builder.gep(start, [index]), vector.as_pointer()))
                row.align = 2
                rows.append(row)
            return builder.bitcast(builder.icmp_unsigned("==", rows[0], rows[1]), ir.IntType(64))

        return types.uint64(cells, i, j), generate
