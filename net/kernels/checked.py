"""Kernels that check every index, and memory with guards, for ``CHUNKSCOPE_CHECKED=1``. Imports Numba.

Rules:
1. An index beyond its axis ends the kernel, and so does a negative one, which Numba would count from the end: kernels
   never use those on purpose. Python gets an IndexError with kernel, file and line (``call.Callee``).
2. All memory that NumPy allocates, and so every pool and scratch array of ours, lies between guards of ``GUARD_BYTES``
   (or as long as itself, if it is shorter, but at least ``LEAST_GUARD``) that hold a pattern. A guard is checked when
   its memory is freed; all are checked every ``BETWEEN`` allocations and by ``damage``. The same pattern fills new
   small arrays, so that reading unwritten memory does not give zeros by chance. With ``CHUNKSCOPE_CHECKED=pages``
   arrays of a page or more end at an inaccessible page, with another one before them: an access there, or to a freed
   array, ends the process at once.
3. Damage is reported on stderr once, and ``damage`` returns it: tests fail by that (``tests/conftest.py``).

Theory: NumPy's allocator is a struct of four functions that may be replaced (NEP 49). Here it is replaced for the whole
process, since NumPy's own setter is per thread; a table of all arrays shows which are older than the guards. The
functions are machine code and hold no Python object; they are called with the interpreter's lock held.

Limits: memory that is not NumPy's has no guards: bytes and bytearrays, mapped files and OpenGL buffers. A write that
jumps over a guard, or lands inside another row of the same array, is only detected as an index beyond its axis. Slices
are cut to their axis as everywhere in Python.
"""

import atexit
import ctypes
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import cfunc, njit, types
from numba.core import cgutils
from numba.core.lowering import Lower
from numba.extending import intrinsic
from numba.np import arrayobj

from net.kernels.place import CHECKED_VARIABLE

# Numba has no types, so what it makes is Any to mypy.
# mypy: disable-error-code="no-any-return, untyped-decorator, no-untyped-call, no-untyped-def"

GUARD_BYTES: Final = 1 << 14
"""Two rows of a pool of sub-chunks."""
LEAST_GUARD: Final = 64
BETWEEN: Final = 1 << 16
"""Allocations."""
FILLED_BYTES: Final = 1 << 16
"""New arrays up to this size are filled with the pattern."""
PATTERN: Final = 0xA5
_GET_HANDLER: Final = 305
"""Index in NumPy's table of functions (``numpy/__multiarray_api.h``)."""
_NAME: Final = 127
"""Length of the name at the start of NumPy's struct; it is followed by a byte with its version, a pointer that is
passed to each function, and the four functions."""


# -- indices

_line: list[Any] = [None]
"""Source position of the statement being lowered."""


class CheckedLower(Lower):  # type: ignore[misc]  # Numba has no types
    """Numba's lowering, which also records the source position."""

    def lower_inst(self, inst: Any) -> None:
        """Lowers one statement."""
        _line[0] = inst.loc
        super().lower_inst(inst)


_item_pointer: Final[Any] = cgutils.get_item_pointer2


def _item_pointer_as_it_is(*given: Any, wraparound: bool = False, boundscheck: bool = False, **named: Any) -> Any:
    """Numba's function, without counting from the end."""
    return _item_pointer(*given, wraparound=False, boundscheck=boundscheck, **named)


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """Numba's ``fix_integer_index``, without counting from the end."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _check(context: Any, builder: Any, index: Any, length: Any, axis: Any = None) -> None:
    """Numba's ``do_boundscheck`` with a source position: one comparison, as a negative number is large if unsigned."""
    with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", index, length)):
        where = f"{_line[0].filename}:{_line[0].line}" if _line[0] is not None else "an unknown line"
        context.call_conv.return_user_exc(builder, IndexError, (f"{where}: an index lies beyond axis {axis}",))


@contextmanager
def checked_indices() -> Iterator[None]:
    """Within this context Numba's ``boundscheck`` follows rule 1."""
    exchanged = (
        (cgutils, "get_item_pointer2", _item_pointer_as_it_is),
        (cgutils, "do_boundscheck", _check),
        (arrayobj, "fix_integer_index", _index_as_it_is),
    )
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in exchanged]
    for owner, name, other in exchanged:
        setattr(owner, name, other)
    try:
        yield
    finally:
        for owner, name, held in before:
            setattr(owner, name, held)


# -- guards

_SPACE: Final = 1 << 20
"""Arrays that have guards at the same time; more of them have none."""
_WORDS: Final = 3
"""Words of each table entry: first byte, bytes, and whether it lies between pages."""
_COUNT, _SINCE, _FOUND, _AT, _BYTES, _BESIDE, _PAGES, _TABLE = range(8)
"""Words of the state: arrays, allocations since the last check of all, number of damaged ones; of the last damaged one
the first byte, its size and which byte beside it was written; whether large ones lie between pages; then the table."""
_PAGE: Final = mmap.PAGESIZE
_PATTERNS: Final = int.from_bytes(bytes([PATTERN]) * 8, "little", signed=True)

_malloc: Final = types.ExternalFunction("malloc", types.intp(types.intp))
_calloc: Final = types.ExternalFunction("calloc", types.intp(types.intp, types.intp))
_realloc: Final = types.ExternalFunction("realloc", types.intp(types.intp, types.intp))
_free: Final = types.ExternalFunction("free", types.void(types.intp))
_fill: Final = types.ExternalFunction("memset", types.intp(types.intp, types.int32, types.intp))
_map: Final = types.ExternalFunction(
    "mmap", types.intp(types.intp, types.intp, types.int32, types.int32, types.int32, types.intp)
)
_unmap: Final = types.ExternalFunction("munmap", types.int32(types.intp, types.intp))
_protect: Final = types.ExternalFunction("mprotect", types.int32(types.intp, types.intp, types.int32))
_ANYONE: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_BOTH: Final = mmap.PROT_READ | mmap.PROT_WRITE
_copy: Final = types.ExternalFunction("memcpy", types.intp(types.intp, types.intp, types.intp))


@intrinsic
def _load(_typing: Any, _at: Any) -> Any:
    """The word at an address."""

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.load(builder.inttoptr(given[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), generate


@intrinsic
def _store(_typing: Any, _at: Any, _value: Any) -> Any:
    """Writes a word."""

    def generate(context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        builder.store(given[1], builder.inttoptr(given[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@njit
def _guard_of(size):
    """Bytes of each guard."""
    return min(max((size + 63) & ~63, LEAST_GUARD), GUARD_BYTES)


@njit
def _home(state, at):
    """The preferred table position of an array's entry."""
    return state + 8 * (_TABLE + _WORDS * ((((at >> 4) * 0x1E3779B97F4A7C15) >> 24) & (_SPACE - 1)))


@njit
def _after(state, entry):
    """The next table position; the first after the last."""
    following = entry + 8 * _WORDS
    return following if following < state + 8 * (_TABLE + _WORDS * _SPACE) else state + 8 * _TABLE


@njit
def _entry_of(state, at):
    """The table position of an array's entry, or a free one for it."""
    entry = _home(state, at)
    while _load(entry) != 0 and _load(entry) != at:
        entry = _after(state, entry)
    return entry


@njit
def _strike_out(state, entry):
    """Removes an entry; moves entries forward that were displaced by it."""
    size = 8 * _WORDS * _SPACE
    free, other = entry, entry
    while True:
        other = _after(state, other)
        if _load(other) == 0:
            break
        if (other - _home(state, _load(other))) % size >= (other - free) % size:
            _store(free, _load(other))
            _store(free + 8, _load(other + 8))
            _store(free + 16, _load(other + 16))
            free = other
    _store(free, 0)
    _store(state + 8 * _COUNT, _load(state + 8 * _COUNT) - 1)


@njit
def _beside(at, size):
    """Offset from its first byte of a damaged byte in an array's guards; 0 if none."""
    guard = _guard_of(size)
    for k in range(0, guard, 8):
        if _load(at - 8 - k) != _PATTERNS:
            return -8 - k
    for k in range(0, guard, 8):
        if _load(at + size + k) != _PATTERNS:
            return size + k
    return 0


@njit
def _write_guards(at, size):
    guard = _guard_of(size)
    _fill(at - guard, PATTERN, guard)
    _fill(at + size, PATTERN, guard)


@njit
def _look(state, entry):
    """Records damage beside an array, and repairs the guard, so that it is found once."""
    at, size = _load(entry), _load(entry + 8)
    beside = 0 if _load(entry + 16) else _beside(at, size)
    if beside != 0:
        _store(state + 8 * _FOUND, _load(state + 8 * _FOUND) + 1)
        _store(state + 8 * _AT, at)
        _store(state + 8 * _BYTES, size)
        _store(state + 8 * _BESIDE, beside)
        _write_guards(at, size)


@njit
def _look_at_all(state):
    entry = state + 8 * _TABLE
    for _ in range(_SPACE):
        if _load(entry) != 0:
            _look(state, entry)
        entry += 8 * _WORDS
    _store(state + 8 * _SINCE, 0)


@njit
def _space_of(size):
    """Bytes of an array that ends where a page begins."""
    return (size + _PAGE - 1) & ~(_PAGE - 1)


@njit
def _between_pages(size):
    """Allocates memory between inaccessible pages; 0 if there is none."""
    space = _space_of(size)
    start = _map(0, space + 2 * _PAGE, _BOTH, _ANYONE, -1, 0)
    if start == -1:
        return 0
    if _protect(start, _PAGE, 0) or _protect(start + _PAGE + space, _PAGE, 0):
        _unmap(start, space + 2 * _PAGE)
        return 0
    return start + _PAGE + ((space - size) & ~15)


@njit
def _enter(state, at, size, pages):
    entry = _entry_of(state, at)
    _store(entry, at)
    _store(entry + 8, size)
    _store(entry + 16, pages)
    _store(state + 8 * _COUNT, _load(state + 8 * _COUNT) + 1)


@njit
def _allocate(state, size, zeroed):
    if size < 0:
        return 0
    if _load(state + 8 * _COUNT) * 4 > _SPACE * 3:
        return _calloc(size, 1) if zeroed else _malloc(size)
    if _load(state + 8 * _SINCE) >= BETWEEN:
        _look_at_all(state)
    _store(state + 8 * _SINCE, _load(state + 8 * _SINCE) + 1)
    if _load(state + 8 * _PAGES) and size >= _PAGE:
        at = _between_pages(size)
        if at != 0:
            _enter(state, at, size, 1)
            return at
    guard = _guard_of(size)
    start = _calloc(size + 2 * guard, 1) if zeroed else _malloc(size + 2 * guard)
    if start == 0:
        return 0
    at = start + guard
    _write_guards(at, size)
    if not zeroed and size <= FILLED_BYTES:
        _fill(at, PATTERN, size)
    _enter(state, at, size, 0)
    return at


@njit
def _give_back(state, at):
    entry = _entry_of(state, at)
    if _load(entry) != at:  # older than the guards
        _free(at)
        return
    _look(state, entry)
    size, pages = _load(entry + 8), _load(entry + 16)
    _strike_out(state, entry)
    if pages:
        space = _space_of(size)
        _unmap(at - ((space - size) & ~15) - _PAGE, space + 2 * _PAGE)
    else:
        _free(at - _guard_of(size))


def _functions() -> list[Any]:
    """NumPy's four functions, and the one that checks all guards."""

    def malloc(state, size):
        return _allocate(state, size, False)

    def calloc(state, count, size):
        return _allocate(state, count * size, True)

    def realloc(state, at, size):
        if at == 0:
            return _allocate(state, size, False)
        entry = _entry_of(state, at)
        if _load(entry) != at:  # older than the guards
            return _realloc(at, size)
        other = _allocate(state, size, False)
        if other != 0:
            _copy(other, at, min(size, _load(_entry_of(state, at) + 8)))
            _give_back(state, at)
        return other

    def free(state, at, _size):
        if at != 0:
            _give_back(state, at)

    def look(state):
        _look_at_all(state)

    made = [
        cfunc(signature, cache=True)(each)
        for each, signature in (
            (malloc, "intp(intp, intp)"),
            (calloc, "intp(intp, intp, intp)"),
            (realloc, "intp(intp, intp, intp)"),
            (free, "void(intp, intp, intp)"),
            (look, "void(intp)"),
        )
    ]
    for each in made:  # kept alive: NumPy calls them until the process ends
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
    return made


class Guards:
    """The guards of this process."""

    def __init__(self) -> None:
        calloc = ctypes.CDLL(None).calloc
        calloc.restype, calloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
        self._state: int = calloc(_TABLE + _WORDS * _SPACE, 8)
        words = (ctypes.c_int64 * _TABLE).from_address(self._state)
        words[_PAGES] = os.environ.get(CHECKED_VARIABLE) == "pages"
        *allocator, look = _functions()
        self._look = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(look.address)
        self._said = 0
        into = (ctypes.c_void_p * 5).from_address(_numpys_handler() + _NAME + 1)
        into[0] = self._state
        for number, each in enumerate(allocator, 1):
            into[number] = each.address

    def damage(self) -> str:
        """Checks all guards; returns damage found since the last call, or an empty text."""
        self._look(self._state)
        found, at, size, beside = (ctypes.c_int64 * _TABLE).from_address(self._state)[_FOUND:_PAGES]
        more, self._said = found - self._said, found
        if not more:
            return ""
        where = f"{-beside} bytes before its first byte" if beside < 0 else f"{beside - size} bytes beyond its end"
        return f"{more} arrays were written beside; the last one, of {size} bytes at {at:#x}, {where}"


def _numpys_handler() -> int:
    """Address of NumPy's own allocator; all threads use it by default.

    Raises RuntimeError: this NumPy has another layout.
    """
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions: Any = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]  # NumPy has no type of it
    get_handler = (ctypes.c_void_p * (_GET_HANDLER + 1)).from_address(pointer(functions, None))[_GET_HANDLER]
    handler: int = pointer(ctypes.PYFUNCTYPE(ctypes.py_object)(get_handler or 0)(), b"mem_handler")
    name, version = ctypes.string_at(handler, _NAME).rstrip(b"\0"), ctypes.string_at(handler + _NAME, 1)
    if (name, version) != (b"default_allocator", b"\1"):
        raise RuntimeError("NumPy's memory is somebody else's already, or kept otherwise than was known")
    return handler


_guards: list[Guards] = []


def guard_memory() -> Guards:
    """Gives guards to all memory that NumPy allocates from now on; once a process."""
    if not _guards:
        _guards.append(Guards())
        atexit.register(_report)
    return _guards[0]


def _report() -> None:
    if found := _guards[0].damage():
        sys.stderr.write(f"chunkscope: {found}\n")
