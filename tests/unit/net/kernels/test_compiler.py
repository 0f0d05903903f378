"""Our compiler of kernels beside Numba's own: the same results, less work, and nothing of Numba's left changed."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numba.core.types.functions import BaseFunction

from net.kernels import casts as nb
from net.kernels.compiler import KernelCode, KernelCompiler
from net.kernels.jit import OPTIONS, UNWRAPPED, inlined, inner, kernel
from net.space.layout import BlockIds
from net.subchunk.arrays import Numbers

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
    (library,) = (result.library for result in longer.overloads.values())  # type: ignore[attr-defined]  # Numba's
    assert isinstance(library, KernelCode)
    assert not library._finalized
    assert library.get_pointer_to_function("nothing of that name") == 0
    assert not library._finalized


@pytest.mark.usefixtures("compiled_anew")
def test_a_function_is_compiled_once_whatever_constants_it_is_given() -> None:
    assert len(packed.overloads) == len(longer.overloads) == 1  # type: ignore[attr-defined]  # as above


def test_numba_is_left_as_it_was_also_by_what_does_not_compile() -> None:
    asked = BaseFunction.get_call_type

    def wrong(value: int) -> int:
        return value + "1"  # type: ignore[operator]  # that is the point

    with pytest.raises(TypingError):
        njit("int64(int64)", **OURS)(wrong)
    njit("int64(int64)", **OURS)(lambda value: value + 1)
    assert BaseFunction.get_call_type is asked
    assert asked.__module__.startswith("numba.")
