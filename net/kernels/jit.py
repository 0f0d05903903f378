"""How kernels are compiled, the number types they cast to, and the bit and vector instructions they use.

Rules (performance.md 3, each measured when missing):
1. A kernel has one explicit signature: it compiles when its module is imported, or loads from the cache on disk
   (``NUMBA_CACHE_DIR``, set by ``client.kernel_cache``), and never in the middle of a frame.
2. It allocates nothing; scratch memory is an argument. ``_nrt=False`` then drops reference counting around array views
   (light 4.5 -> 2.8 us a sub-chunk). Numba does not document it; a test checks it.
3. int64 only with int64, uint64 only with uint64: mixed, they become a float.
4. It takes batches: a call with 14 arrays costs 0.26 us, a sub-chunk's decode 0.9.
5. Python calls it through ``call``, not through Numba: that costs less to compile and to call, and needs no Numba in a
   process that finds all kernels in one file (``image``), named by ``IMAGE_VARIABLE``. There a module of kernels
   defines only names: ``inner`` functions stay plain Python and are not called.
6. With ``CHUNKSCOPE_CHECKED=1`` all of this is done with kernels that check every index (``checked``), in a folder of
   their own.

Kernels import this module as ``from net.kernels import jit as nb`` and cast with its number types. Under
``NUMBA_DISABLE_JIT=1`` the intrinsics are replaced by the plain functions of the same names below.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from net.kernels.call import NOT_HERE, parse
from net.kernels.place import CHECKED_FOLDER, IMAGE_VARIABLE, LATER_VARIABLE, folder_of_code, is_checked

if TYPE_CHECKING:
    from net.kernels.image import MachineCode

# Numba has no types, so what it makes is Any to mypy.
# mypy: disable-error-code="no-any-return, untyped-decorator"

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

CHECKED: Final = is_checked()
"""Whether kernels look at every index, and NumPy's memory has guards (``checked``)."""
OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "boundscheck": CHECKED,
    "_nrt": False,
}
DEBUGGING: Final = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
"""Environment variables for debugging, with which Numba itself calls kernels."""
KNOWN_NUMBA: Final = "0.68."
"""Prefix of the versions of Numba whose undocumented names ``pipeline`` and ``compiled`` use."""
REFINED: Final = "_chunkscope_refined"
"""Attribute that marks a function of ``refined`` for our compiler."""
UNWRAPPED: Final = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _image() -> "MachineCode | None":
    """The machine code of this process, if it needs no Numba; None also if the file is missing or damaged."""
    path = os.environ.get(IMAGE_VARIABLE)
    if not path or NOT_HERE or any(os.environ.get(name, "0") != "0" for name in DEBUGGING):
        return None
    if CHECKED and Path(path).parent.name != CHECKED_FOLDER:  # it is the unchecked one
        return None
    from net.kernels.image import BadImage, load_image  # noqa: PLC0415 - links; nobody else needs it

    try:
        return load_image(Path(path))
    except BadImage:  # the next start makes a new one
        with suppress(OSError):
            Path(path).unlink()
    except OSError:
        pass
    return None


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


if CHECKED:
    import numba

    from net.kernels.checked import guard_memory

    if numba.config.CACHE_DIR:
        numba.config.CACHE_DIR = folder_of_code(numba.config.CACHE_DIR)
    else:  # beside the sources is the unchecked cache
        OPTIONS["cache"] = False
    guard_memory()
IMAGE: Final = _image()
if IMAGE is None:
    import numba
    from numba import config, types
    from numba.extending import intrinsic

    if config.BOUNDSCHECK:  # Numba's cache does not separate kernels it calls itself from others: a null pointer
        OPTIONS["cache"] = False

_NUMBERS: Any = np if IMAGE is not None else numba
int32, int64, uint16, uint32, uint64 = (
    getattr(_NUMBERS, name) for name in ("int32", "int64", "uint16", "uint32", "uint64")
)
"""The number types of kernels for casts; NumPy's with an image, where the functions that use them are not called."""

PLAIN: Final[bool] = IMAGE is not None or bool(config.DISABLE_JIT)
"""Whether intrinsics are plain functions here."""
DEBUGGED: Final[bool] = IMAGE is None and bool(config.DISABLE_JIT or config.BOUNDSCHECK)


def _wrapped() -> bool:
    """Whether Numba compiles and calls everything: in debugging, or if this machine or Numba version is unknown."""
    return NOT_HERE or DEBUGGED or not _knows_numba()


@cache
def _knows_numba() -> bool:
    """Whether this Numba has the version and all names that our compiler uses."""
    import numba  # noqa: PLC0415 - a warm process does without

    try:
        import net.kernels.compiled  # noqa: PLC0415 - as above
        import net.kernels.pipeline  # noqa: F401, PLC0415 - as above
    except (ImportError, AttributeError):
        # The cache may hold our compiler's results for the same version, which Numba cannot call.
        OPTIONS["cache"] = not numba.__version__.startswith(KNOWN_NUMBA)
        return False
    return bool(numba.__version__.startswith(KNOWN_NUMBA))


def _ours() -> dict[str, Any]:
    """Options of our compiler for every function."""
    from net.kernels.pipeline import KernelCompiler  # noqa: PLC0415 - Numba and all of it

    return OPTIONS | UNWRAPPED | {"pipeline_class": KernelCompiler}


def _inside(function: Kernel, **more: bool) -> Kernel:
    """A function that only kernels call: cached with them, not separately."""
    if IMAGE is not None:
        return function
    from numba import njit  # noqa: PLC0415 - a warm process does without

    if _wrapped():
        return njit(**OPTIONS, **more)(function)
    from net.kernels.pipeline import one_for_all_constants  # noqa: PLC0415 - as above

    return one_for_all_constants(njit(**_ours() | {"cache": False}, **more)(function))


def kernel(signature: str) -> Callable[[Kernel], Kernel]:
    """Compiles a function for exactly one signature, for example ``"void(uint16[:,::1], int64)"``."""

    def compiled(function: Kernel) -> Kernel:
        if IMAGE is not None:
            return IMAGE.function(_name(function), parse(signature))
        from numba import njit  # noqa: PLC0415 - a warm process does without

        if _wrapped():
            return njit(signature, **OPTIONS)(function)
        from net.kernels.compiled import UncompiledKernel, called  # noqa: PLC0415 - as above

        if os.environ.get(LATER_VARIABLE):
            return UncompiledKernel(njit(**_ours())(function), signature)  # type: ignore[return-value]  # it is never called
        return called(njit(signature, **_ours())(function), signature)

    return compiled


def numba_kernel(signature: str) -> Callable[[Kernel], Kernel]:
    """Like ``kernel``, for a kernel of a single command: it is not compiled at the first start and is in no image.

    Numba compiles it when its module is imported, stores it in its own cache and calls it, also in a process with an
    image; so it uses no ``inner`` functions, and casts with NumPy's types. Its module is not named ``*_kernels``.
    """

    def compiled(function: Kernel) -> Kernel:
        from numba import njit  # noqa: PLC0415 - who does not import that module does without

        return njit(signature, **OPTIONS)(function)

    return compiled


def inner(function: Kernel) -> Kernel:
    """A function that only kernels call: typed by its callers, cached with them."""
    return _inside(function)


def refined(function: Kernel) -> Kernel:
    """Like ``inner``, but optimised on its own before a kernel includes it, where measurements showed a gain."""
    setattr(function, REFINED, True)
    return _inside(function)


def inlined(function: Kernel) -> Kernel:
    """Like ``inner``, inlined by LLVM into each caller: for loops whose bounds are constants there."""
    return _inside(function, forceinline=True)


if PLAIN:

    def ctz(v: int) -> int:
        """Trailing zeros of a non-zero 64-bit number."""
        return (int(v) & -int(v)).bit_length() - 1

    def clz(v: int) -> int:
        """Leading zeros of a non-zero 64-bit number."""
        return 64 - (int(v) & 0xFFFFFFFFFFFFFFFF).bit_length()

    def popcount(v: int) -> int:
        """Set bits of a 64-bit number."""
        return (int(v) & 0xFFFFFFFFFFFFFFFF).bit_count()

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

    def look_up(bits: int) -> Any:
        """A vector step for indices of constant width; see below."""
        each = 32 // bits
        many = 32 // each

        def step(words: Any, w: int, ids: Any, out: Any, o: int) -> None:
            shifts = np.arange(each, dtype=np.uint32) * np.uint32(bits)
            indices = words[w : w + many, None] >> shifts & np.uint32((1 << bits) - 1)
            out[o : o + many * each] = ids[indices.reshape(-1)]

        return step

else:
    from llvmlite import ir

    @intrinsic
    def ctz(_typing: Any, v: Any) -> Any:
        """Trailing zeros of a non-zero int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(v), generate

    @intrinsic
    def clz(_typing: Any, v: Any) -> Any:
        """Leading zeros of a non-zero int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(v), generate

    @intrinsic
    def popcount(_typing: Any, v: Any) -> Any:
        """Set bits of an int64 or uint64, as int64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(v), generate

    # -- sixty-four comparisons of block ids at a time, as plain LLVM vector code: no instruction of one CPU is named

    I8, I16, I32, I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
    CELLS, IDS = ir.VectorType(I16, 64), ir.VectorType(I16, 16)

    def _pointer(context: Any, builder: Any, signature: Any, args: Any, array: int, index: Any, kind: Any) -> Any:
        start = context.make_array(signature.args[array])(context, builder, args[array]).data
        return builder.bitcast(builder.gep(start, [index]), kind.as_pointer())

    def _load(context: Any, builder: Any, signature: Any, args: Any, index: Any) -> Any:
        cells = builder.load(_pointer(context, builder, signature, args, 0, index, CELLS))
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

    @intrinsic
    def equal64(_typing: Any, cells: Any, i: Any, j: Any) -> Any:
        """Bit k: cells[i + k] == cells[j + k], for 64 cells of a uint16 array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            rows = [_load(context, builder, signature, args, index) for index in args[1:]]
            return builder.bitcast(builder.icmp_unsigned("==", *rows), I64)

        return types.uint64(cells, i, j), generate

    @intrinsic
    def same64(_typing: Any, cells: Any, i: Any, value: Any) -> Any:
        """Bit k: cells[i + k] == value, for 64 cells of a uint16 array; ``value`` is an int64."""
        return types.uint64(cells, i, value), _with_value("==")

    @intrinsic
    def at_least64(_typing: Any, cells: Any, i: Any, value: Any) -> Any:
        """Bit k: cells[i + k] >= value, for 64 cells of a uint16 array; ``value`` is an int64."""
        return types.uint64(cells, i, value), _with_value(">=")

    def look_up(bits: int) -> Any:
        """A vector step for indices of a constant width up to 4, see its docstring.

        LLVM turns a look-up of each element of a vector in another one into one instruction where the processor has it.
        """
        each = 32 // bits
        many = 32 // each
        lanes = [divmod(k, each) if k < each * many else (0, 0) for k in range(32)]
        bytes_ = [4 * word + min(k * bits // 8, 2) for word, k in lanes]  # the first of two that hold the index
        shifts = [word * 32 + k * bits - 8 * byte for (word, k), byte in zip(lanes, bytes_, strict=True)]

        @intrinsic
        def step(_typing: Any, words: Any, w: Any, ids: Any, out: Any, o: Any) -> Any:
            """Writes the ids of the indices in as many words as give at most 32, from ``words[w]`` on, to ``out[o]``.

            Always 32 are written: with three bits, the last two belong to no index. ``words``: uint32, at any byte;
            ``ids``: at least uint16[16]; ``w`` and ``o``: int64.
            """

            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                def at(array: int, index: Any, kind: Any) -> Any:
                    return _pointer(context, builder, signature, args, array, index, kind)

                source = builder.load(at(0, args[1], ir.VectorType(I8, 4 * many)))
                table = builder.load(at(2, ir.Constant(I64, 0), IDS))
                source.align, table.align = 1, 2
                for first in (0, 16):
                    order = [byte + k for byte in bytes_[first : first + 16] for k in (0, 1)]
                    pairs = builder.shuffle_vector(source, source, ir.Constant(ir.VectorType(I32, 32), order))
                    indices = builder.lshr(builder.bitcast(pairs, IDS), ir.Constant(IDS, shifts[first : first + 16]))
                    indices = builder.and_(indices, ir.Constant(IDS, [(1 << bits) - 1] * 16))
                    found = ir.Constant(IDS, ir.Undefined)
                    for k in (ir.Constant(I32, k) for k in range(16)):
                        index = builder.zext(builder.extract_element(indices, k), I32)
                        found = builder.insert_element(found, builder.extract_element(table, index), k)
                    end = builder.add(args[4], ir.Constant(I64, first))
                    builder.store(found, at(3, end, IDS)).align = 2
                return context.get_dummy_value()

            return types.void(words, w, ids, out, o), generate

        return step
