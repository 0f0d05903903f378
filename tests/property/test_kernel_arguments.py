"""What kernels take: no array or number that is not as declared ever reaches machine code."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.kernel_cache.cache import ALL_PACKAGES, kernel_modules
from net.kernels.call import Callee, Parameter, dtype_of
from net.kernels.jit import kernel

SIGNATURE = "int64(uint16[:,::1], int32[:], float64[::1], int32, uint32, boolean, float64)"


def _add_up(table, row, reals, small, positive, one_more, real):
    total = small * 3 + positive * 5 + int(real * 8) + (7 if one_more else 0)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += (i + 2 * j + 1) * table[i, j]
    for i in range(row.shape[0]):
        total += (i + 1) * row[i]
    for i in range(reals.shape[0]):
        total += int(reals[i])
    return total


OURS = kernel(SIGNATURE)(_add_up)
NUMBAS = numba.njit(SIGNATURE, nogil=True)(_add_up)


class Derived(np.ndarray[Any, Any]):
    """An array of another type."""


def laid(array: np.ndarray[Any, Any], how: str) -> np.ndarray[Any, Any]:
    """The same numbers, kept otherwise."""
    if how == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if how == "gaps":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "columns":
        return np.asfortranarray(array)
    if how == "misaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        raw[...] = array
        return raw
    made = array.view(Derived) if how == "derived" else array.copy()
    made.flags.writeable = how != "read only"
    return made


@st.composite
def arrays(draw: st.DrawFn, kind: str, axes: int) -> np.ndarray[Any, Any]:
    """Mostly as it should be; Numba takes what is misaligned, and fractions for whole numbers, where we do not."""
    off = draw(st.sampled_from(["", "", "", "", "kind", "axes"]))
    dtype = dtype_of(
        draw(st.sampled_from(["int8", "uint16", "int32", "uint32", "int64", "float64"])) if off == "kind" else kind
    )
    shape = [draw(st.integers(0, 3)) for _ in range(axes + (off == "axes"))]
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    return laid(numbers, draw(st.sampled_from(["", "", "", "", "swapped", "gaps", "columns", "read only"])))


def outcome(function: Callable[..., Any], given_to_it: tuple[Any, ...]) -> object:
    try:
        return function(*given_to_it)
    except (TypeError, ValueError, OverflowError, numba.core.errors.NumbaError):
        return "refused"


WHOLE = st.integers(-(2**31), 2**31 - 1)
ARGUMENTS = st.tuples(
    arrays("uint16", 2) | st.none(),
    arrays("int32", 1),
    arrays("float64", 1) | st.just([1.0]),
    WHOLE | WHOLE.map(np.int64) | st.booleans() | st.just("1"),
    st.integers(0, 2**32 - 1),
    st.booleans() | st.booleans().map(np.bool_),
    st.floats(-1e6, 1e6) | WHOLE | st.none(),
)


@given(ARGUMENTS)
@settings(max_examples=500)
def test_arguments_are_taken_and_refused_as_by_numba(arguments: tuple[Any, ...]) -> None:
    assert outcome(OURS, arguments) == outcome(NUMBAS, arguments)


def right(wanted: Parameter) -> Any:
    return np.zeros((2,) * wanted.axes, dtype_of(wanted.kind)) if wanted.axes else 0


def wrong(wanted: Parameter) -> Iterator[Any]:
    """Everything that must not get through for one parameter."""
    if not wanted.axes:
        yield from ("1", None, np.zeros(2), 1j) if wanted.kind != "boolean" else (np.zeros(2),)
        if not wanted.kind.startswith(("float", "bool")):
            yield from (1.5, 2**63, -(2**63) - 1)
        return
    fits = right(wanted)
    yield from (None, 0, [0], fits.tobytes(), memoryview(fits), fits.astype("complex128"), fits.astype(object))
    yield fits.view("uint8" if wanted.kind == "int8" else "int8")
    yield from (fits[0], fits[np.newaxis], laid(fits, "read only"), laid(fits, "derived"))
    if fits.itemsize > 1:
        yield from (laid(fits, "swapped"), laid(fits, "misaligned"))
    if wanted.contiguous:
        yield laid(fits, "gaps")
        if wanted.axes > 1:
            yield laid(fits, "columns")


KERNELS: Final = {
    each.__self__.name: each
    for module in kernel_modules(ALL_PACKAGES)
    for each in vars(import_module(module)).values()
    if isinstance(getattr(each, "__self__", None), Callee)
}


def test_kernels_were_found() -> None:
    assert len(KERNELS) > 30


@pytest.mark.parametrize("name", KERNELS)
def test_every_parameter_refuses_what_it_cannot_take(name: str) -> None:
    """One argument is wrong at a time, so that no kernel runs."""
    takes = KERNELS[name].__self__.signature.takes
    for place, wanted in enumerate(takes):
        for value in wrong(wanted):
            arguments = [right(one) for one in takes]
            arguments[place] = value
            with pytest.raises((TypeError, OverflowError, ValueError)):
                KERNELS[name](*arguments)
    with pytest.raises(TypeError):
        KERNELS[name](*map(right, takes), 0)
