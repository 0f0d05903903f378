"""The block table as the light kernels want it.

Rules, checked here because the kernels rely on them:
1. Whatever is opaque, and the placeholder, stops all light in all four channels.
2. Liquids dim daylight: their column mask stands for "takes daylight" without asking the table.
3. Lamps shine in red, green and blue, 0..15 each; opacity beyond 15 takes no more than 15 does.

Vector: Two vector steps that LLVM does not find by itself, as generic vector IR: no instruction of one CPU is named.

Rules: arguments are typed exactly as their docstrings say; the plain twins below serve ``NUMBA_DISABLE_JIT=1``.
"""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world.block_table import BlockTable
from net.kernels.jit import PLAIN
from net.space import LightValues


class LightTables(msgspec.Struct, frozen=True):
    """Per dense id; frozen, made anew when the block table has grown."""

    emission: npt.NDArray[np.uint16]  # uint16[n] R | G << 4 | B << 8
    steps: npt.NDArray[np.uint8]  # uint8[4, n] what a channel loses on entering: ``max(1, opacity)``
    dims: npt.NDArray[np.uint8]  # uint8[n] 1 where daylight does not pass down without loss
    packed: npt.NDArray[np.uint32]  # uint32[n] ``steps``, a byte each, R, B, G, D from the low end
    packed_down: npt.NDArray[np.uint32]  # uint32[n] the same for light going down at 15: D loses its bare opacity

    @classmethod
    def build(cls, table: BlockTable) -> "LightTables":
        """Makes the tables. Raises WorldError: the block table breaks a rule above; names the first id that does."""
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

    def paint64(cells: LightValues, first: int, p0: int, p1: int, p2: int, p3: int, unit: int) -> None:
        """``cells[first + i] |= unit * (bit i of p0, p1, p2, p3 as a number)`` for 64 cells."""
        for i in range(64):
            level = sum((int(p) >> i & 1) << k for k, p in enumerate((p0, p1, p2, p3)))
            cells[first + i] |= int(unit) * level

else:
    from llvmlite import ir
    from numba import types
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
    def paint64(_typing: Any, cells: Any, first: Any, p0: Any, p1: Any, p2: Any, p3: Any, unit: Any) -> Any:
        """``cells[first + i] |= unit * (bit i of p0, p1, p2, p3 as a number)`` for 64 uint16 cells at once."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cells_type, bits_type = ir.VectorType(ir.IntType(16), 64), ir.VectorType(ir.IntType(1), 64)
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            at = builder.bitcast(builder.gep(data, [args[1]]), cells_type.as_pointer())
            painted = builder.load(at)
            painted.align = 2
            nothing = ir.Constant(cells_type, None)
            one = _splat64(builder, args[6])
            for k in range(4):
                amount = builder.shl(one, ir.Constant(cells_type, [k] * 64))
                painted = builder.or_(painted, builder.select(builder.bitcast(args[2 + k], bits_type), amount, nothing))
            builder.store(painted, at).align = 2
            return context.get_dummy_value()

        return types.void(cells, first, p0, p1, p2, p3, unit), generate
