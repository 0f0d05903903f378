"""Our compiler of kernels beside Numba's own: the same results, less work."""

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError, UnsupportedError

from net.kernels import casts as nb
from net.kernels.compiled import called
from net.kernels.jit import OPTIONS, UNWRAPPED, inlined, inner, kernel, refined
from net.kernels.pipeline import KernelCode, KernelCompiler
from net.space.layout import BlockIds
from net.subchunk.storage import Numbers

OURS = OPTIONS | UNWRAPPED | {"cache": False, "pipeline_class": KernelCompiler}
NUMBAS = OPTIONS | {"cache": False}
WIDTHS = (3, 5)


def _longer(values: Numbers, least: int) -> int:
    count = nb.int64(0)
    for value in values:
        if value > least and (count := count + 1) > 90:
            break
    return count


def _packed(values: Numbers, out: BlockIds, WIDTH: int) -> None:  # noqa: N803 - a constant where it is inlined
    for i in range(values.shape[0] // WIDTH):
        word = np.uint16(0)
        for k in range(WIDTH):
            word |= np.uint16(values[i * WIDTH + k] & 1) << np.uint16(k)
        out[i] = word


longer = inner(_longer)
packed = inlined(_packed)
numba_longer = njit(**NUMBAS)(_longer)
numba_packed = njit(inline="always", **NUMBAS)(_packed)


@kernel("int64(int64[::1], uint16[::1], int64)")
def ours(values: Numbers, out: BlockIds, width: int) -> int:
    """Inner functions, an inlined one, views, a table, extremes."""
    if width == 3:
        packed(values, out, 3)
    else:
        packed(values, out, 5)
    halves = out[:8].view(np.uint32)
    return longer(values, WIDTHS[nb.int64(width == 5)]) + max(halves[0], halves[1]) + min(values[0], 7)


@njit(**NUMBAS)
def numbas(values: Numbers, out: BlockIds, width: int) -> int:
    """The same."""
    if width == 3:
        numba_packed(values, out, 3)
    else:
        numba_packed(values, out, 5)
    halves = out[:8].view(np.uint32)
    return numba_longer(values, WIDTHS[nb.int64(width == 5)]) + max(halves[0], halves[1]) + min(values[0], 7)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", range(20))
def test_a_kernel_does_what_numbas_own_does(seed: int, width: int) -> None:
    values = np.random.default_rng(seed).integers(-9, 9, 200)
    written, wanted = np.zeros(100, np.uint16), np.zeros(100, np.uint16)
    assert ours(values, written, width) == numbas(values, wanted, width)
    assert np.array_equal(written, wanted)


@pytest.mark.parametrize(
    ("old", "new"), [("bool", "uint64"), ("uint64", "int8"), ("uint16", "float32"), ("int64",) * 2]
)
def test_an_array_is_seen_as_another_as_numpy_sees_it(old: str, new: str) -> None:
    """A part of it, so that it begins somewhere within, with one axis and with two."""
    wanted = np.dtype(new).type

    def look(of: Any, shape: Numbers, strides: Numbers, flat: Any, out: Any) -> None:
        part = of[1].view(wanted)
        line = part[2].view(np.uint8)
        shape[0], shape[1], shape[2] = part.shape[0], part.shape[1], line.size
        strides[0], strides[1], strides[2] = part.strides[0], part.strides[1], line.strides[0]
        for x in range(part.shape[0]):
            for y in range(part.shape[1]):
                out[x, y] = part[x, y]
        for i in range(line.shape[0]):
            flat[i] = line[i]

    held = np.random.default_rng(7).integers(0, 256, (3, 4, 32)).astype(np.uint8)
    given = (held & 1).view(bool) if old == "bool" else held.view(old)
    seen = given[1].view(new)
    out, shape, strides, flat = (
        np.zeros_like(seen),
        np.zeros(3, np.int64),
        np.zeros(3, np.int64),
        np.zeros(32, np.uint8),
    )
    kind = old.replace("bool", "boolean")
    signature = f"void({kind}[:,:,::1],int64[::1],int64[::1],uint8[::1],{new}[:,::1])"
    with global_compiler_lock:  # which is held anyhow where a kernel goes into the cache
        seeing = called(njit(signature, **OURS)(look), signature)
    seeing(given, shape, strides, flat, out)
    assert tuple(shape) == (*seen.shape, 32)
    assert tuple(strides) == (*seen.strides, 1)
    assert out.tobytes() == seen.tobytes()
    assert flat.tobytes() == seen[2].tobytes()


@pytest.fixture
def compiled_anew() -> None:
    """The kernel without its cache: what comes from there needs no inner functions."""

    def again(values: Numbers, out: BlockIds) -> int:
        packed(values, out, 3)
        packed(values, out, 5)
        return longer(values, 2) + longer(values, 4)

    njit("int64(int64[::1], uint16[::1])", **OURS)(again)


@pytest.mark.usefixtures("compiled_anew")
def test_no_machine_code_is_made_of_inner_functions() -> None:
    (library,) = (result.library for result in longer.overloads.values())
    assert isinstance(library, KernelCode)
    assert not library._finalized
    assert library.get_pointer_to_function("nothing of that name") == 0
    assert not library._finalized


@pytest.mark.usefixtures("compiled_anew")
def test_a_function_is_compiled_once_whatever_constants_it_is_given() -> None:
    assert len(packed.overloads) == len(longer.overloads) == 1


def test_what_is_refined_goes_through_all_passes_before_a_kernel_takes_it() -> None:
    def total(values: Numbers) -> int:
        found = nb.int64(0)
        for i in range(4):
            found += values[i]
        return found

    def again(values: Numbers) -> int:
        return plain(values) - 2 * quick(values)

    plain, quick = inner(total), refined(FunctionType(total.__code__, globals(), "quick"))
    signature = "int64(int64[::1])"
    with global_compiler_lock:  # which is held anyhow where a kernel goes into the cache
        both = called(njit(signature, **OURS)(again), signature)
    assert both(np.array([3, 4, 5, 6])) == -18
    texts = [str(result.library._final_module) for each in (plain, quick) for result in each.overloads.values()]
    assert ["phi" in text for text in texts] == [True, False], "a short loop is unrolled, by all passes alone"


def _catching(values: Numbers) -> None:
    try:
        values[0] = 3
        if values[1]:
            raise ValueError
    except Exception:
        values[0] = 4


def _closing(values: Numbers) -> None:
    def add(value: int) -> int:
        return value + values[1]

    values[0] = add(3)


def _yielding(values: Numbers) -> Iterator[int]:
    yield values[0]


def _fetching(values: Numbers) -> None:
    for value in numba_yielding(values):
        values[0] = value


numba_yielding = njit(**OURS)(_yielding)


@pytest.mark.parametrize("function", [_catching, _closing, _fetching])
def test_what_our_compiler_cannot_do_does_not_compile(function: Callable[[Numbers], None]) -> None:
    """Numba's own does all of it; ours must not do something else."""
    with pytest.raises((UnsupportedError, TypingError, NotImplementedError)):
        njit("void(int64[::1])", **OURS)(function)
