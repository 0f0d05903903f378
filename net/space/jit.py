"""How kernels are compiled, and the bit instructions they use.

Rules (performance.md 3, each measured when missing):
1. A kernel has one explicit signature: it compiles when its module is imported, or loads from the cache on disk
   (``NUMBA_CACHE_DIR``, set by ``client.connect.warmup``), and never in the middle of a frame.
2. It allocates nothing; scratch comes in as an argument. ``_nrt=False`` then drops reference counting
   around array views (light 4.5 -> 2.8 us a sub-chunk). Numba does not document it; a test keeps an eye on it.
3. int64 only with int64, uint64 only with uint64: mixed, they become a float.
4. It takes batches: a call costs 1.25 us, a sub-chunk's decode 0.9.

The intrinsics have no twin under ``NUMBA_DISABLE_JIT=1`` but the plain functions of the same name below.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy", "boundscheck": False, "_nrt": False}


def kernel(signature: str) -> Callable[[Kernel], Kernel]:
    """Compiles a function for exactly one signature, for example ``"void(uint16[:,::1], int64)"``."""
    return njit(signature, **OPTIONS)  # type: ignore[no-any-return]


def inner(function: Kernel) -> Kernel:
    """A function that only kernels call: typed by its callers, cached with them."""
    return njit(**OPTIONS)(function)  # type: ignore[no-any-return]


def inlined(function: Kernel) -> Kernel:
    """As ``inner``, put into each caller before typing: for loops whose bounds are constants there."""
    return njit(inline="always", **OPTIONS)(function)  # type: ignore[no-any-return]


if config.DISABLE_JIT:  # pragma: no cover - only for coverage of kernels and for debugging them

    def ctz(v: int) -> int:
        """Trailing zeros of a non-zero 64-bit number."""
        return (int(v) & -int(v)).bit_length() - 1

    def clz(v: int) -> int:
        """Leading zeros of a non-zero 64-bit number."""
        return 64 - (int(v) & 0xFFFFFFFFFFFFFFFF).bit_length()

    def popcount(v: int) -> int:
        """Set bits of a 64-bit number."""
        return (int(v) & 0xFFFFFFFFFFFFFFFF).bit_count()

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def ctz(_typing: Any, v: Any) -> Any:
        """Trailing zeros of a non-zero int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(v), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def clz(_typing: Any, v: Any) -> Any:
        """Leading zeros of a non-zero int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(v), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(_typing: Any, v: Any) -> Any:
        """Set bits of an int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(v), generate
