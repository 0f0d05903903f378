"""The block table in the form that the light kernels need, and two vector steps of these kernels.

Rules, checked here because the kernels rely on them:
1. Opaque blocks and the placeholder stop all light in all four channels.
2. Liquids dim daylight: their column mask means "takes daylight" without a look at the table.
3. Emission is red, green and blue, 0..15 each; opacity beyond 15 counts as 15.

``prefetch`` and ``paint64`` are vector steps that LLVM does not find by itself, as generic vector IR: no instruction of
one CPU is named. Arguments must have exactly the types of their docstrings; the plain versions serve
``NUMBA_DISABLE_JIT=1``.
"""

from functools import reduce
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world.block_table import BlockTable
from net.arrays import LightValues
from net.kernels.jit import PLAIN


class LightTables(msgspec.Struct, frozen=True):
    """Values by dense id; frozen, made anew when the block table has grown."""

    emission: npt.NDArray[np.uint16]  # uint16[n] R | G << 4 | B << 8
    steps: npt.NDArray[np.uint8]  # uint8[4, n] what a channel loses on entering: ``max(1, opacity)``
    dims: npt.NDArray[np.uint8]  # uint8[n] 1 for blocks that daylight does not pass downwards without loss
    packed: npt.NDArray[np.uint32]  # uint32[n] ``steps``, a byte each, R, B, G, D from the low end
    packed_down: npt.NDArray[np.uint32]  # uint32[n] the same for light going down at 15: D loses only the opacity

    @classmethod
    def build(cls, table: BlockTable) -> "LightTables":
        """Makes the tables. Raises WorldError: the block table breaks a rule above; names the first such id."""
        opacity = np.minimum(table.opacity, 15).astype(np.uint8)
        _check(table, opacity)
        steps = np.maximum(opacity, 1)
        down = steps.copy()
        down[3] = opacity[3]
        emission = np.ascontiguousarray(table.emission, np.uint16)
        return cls(
            emission=emission,
            steps=np.ascontiguousarray(steps),
            dims=(opacity[3] > 0).astype(np.uint8),
            packed=_pack(steps),
            packed_down=_pack(down),
        )


def _pack(steps: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    r, g, b, d = steps.astype(np.uint32)
    return np.ascontiguousarray(r | b << np.uint32(8) | g << np.uint32(16) | d << np.uint32(24))


def _check(table: BlockTable, opacity: npt.NDArray[np.uint8]) -> None:
    bright = np.flatnonzero(table.emission >> 12)
    if len(bright):
        shown = int(table.emission[bright[0]])
        raise WorldError(f"block {bright[0]} emits {shown:#06x}: a lamp has three channels of 0..15")
    leaking = np.flatnonzero((opacity[:, table.first.placeholder :] < 15).any(axis=0))
    if len(leaking):
        block = table.first.placeholder + int(leaking[0])
        raise WorldError(f"block {block} is opaque but lets light through: opacity {opacity[:, block].tolist()}")
    clear = np.flatnonzero(opacity[3, table.first.liquid : table.first.placeholder] == 0)
    if len(clear):
        raise WorldError(f"block {table.first.liquid + int(clear[0])} is a liquid but does not dim daylight")


if PLAIN:

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

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def prefetch(_typing: Any, words: Any, i: Any) -> Any:
        """A hint that ``words[i]`` will be read soon."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            i32, i8p = ir.IntType(32), ir.IntType(8).as_pointer()
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            at = builder.bitcast(builder.gep(data, [args[1]]), i8p)
            shape = ir.FunctionType(ir.VoidType(), [i8p, i32, i32, i32])
            hint = builder.module.declare_intrinsic("llvm.prefetch", [i8p], shape)
            builder.call(hint, [at, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])
            return context.get_dummy_value()

        return types.void(words, i), generate

    def _splat64(builder: Any, value: Any) -> Any:
        """64 copies of an integer, 16 bits each."""
        i16, i32 = ir.IntType(16), ir.IntType(32)
        none = ir.Constant(ir.VectorType(i16, 64), ir.Undefined)
        if value.type != i16:
            value = builder.trunc(value, i16)
        first = builder.insert_element(none, value, ir.Constant(i32, 0))
        return builder.shuffle_vector(first, none, ir.Constant(ir.VectorType(i32, 64), [0] * 64))

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def paint64(_typing: Any, cells: Any, first: Any, bits: Any, k: Any, unlit: Any) -> Any:
        """Writes 64 uint16 cells, whose 16 bits are those of ``bits[k]``, ``bits[64 + k]`` and so on, and ``unlit``'s.

        A channel, four bits, that is 0 in all cells is skipped.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            i64, cells_type, bits_type = (
                ir.IntType(64),
                ir.VectorType(ir.IntType(16), 64),
                ir.VectorType(ir.IntType(1), 64),
            )
            data, planes = (context.make_array(signature.args[n])(context, builder, args[n]).data for n in (0, 2))
            nothing = ir.Constant(cells_type, None)
            painted = alloca_once_value(builder, _splat64(builder, args[4]))
            for channel in range(0, 16, 4):
                places = [builder.add(args[3], ir.Constant(i64, 64 * b)) for b in range(channel, channel + 4)]
                words = [builder.load(builder.gep(planes, [place])) for place in places]
                some = reduce(builder.or_, words)
                with builder.if_then(builder.icmp_unsigned("!=", some, ir.Constant(i64, 0))):
                    cells_now = builder.load(painted)
                    for b, word in enumerate(words, channel):
                        one = ir.Constant(cells_type, [1 << b] * 64)
                        cells_now = builder.or_(
                            cells_now, builder.select(builder.bitcast(word, bits_type), one, nothing)
                        )
                    builder.store(cells_now, painted)
            at = builder.bitcast(builder.gep(data, [args[1]]), cells_type.as_pointer())
            builder.store(builder.load(painted), at).align = 2
            return context.get_dummy_value()

        return types.void(cells, first, bits, k, unlit), generate
