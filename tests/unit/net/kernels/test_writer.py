"""What our compiler writes itself, beside what Numba writes: variables, items and parts of arrays, ranges, tuples."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from net.kernels import casts as nb
from net.kernels.compiled import called
from net.kernels.compiler import KernelCompiler
from net.kernels.jit import OPTIONS, UNWRAPPED

OURS = OPTIONS | UNWRAPPED | {"cache": False, "pipeline_class": KernelCompiler}
NUMBAS = OPTIONS | {"cache": False}
PAIRS = ((1, 2.5), (3, -0.5))


def both(function: Callable[..., Any], signature: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A function as we compile it, and as Numba does."""
    with global_compiler_lock:  # which is held anyhow where a kernel goes into the cache
        ours = called(njit(signature, **OURS)(function), signature)
    return ours, njit(signature, **NUMBAS)(function)


def test_items_are_counted_from_either_end() -> None:
    """Of arrays in C order and of others, with numbers that are known and that are not, of each kind."""

    def look(plain: Any, gaps: Any, at: int, out: Any) -> None:
        small, unsigned = np.int8(at), nb.uint64(at & 3)
        out[0] = plain[at, -1, 2] + 2 * plain[1, at, small] + 3 * plain[unsigned, 0, at]
        out[1] = gaps[-2, at] + 2 * gaps[at, 3] + 3 * gaps[unsigned, -1]
        out[-2] = plain[at][small][-3] + gaps[at][-1] + plain[-1, at][1]
        plain[at, 0, small] = 300 - at
        gaps[-1, at] = 2.75
        plain[2][at][-1] = gaps[at, -1]
        out[np.uint8(3)] = plain[at].shape[1] + gaps[at].shape[0] + plain.shape[-1] + plain[0, at].size

    ours, numbas = both(look, "void(uint8[:,:,::1], int64[:,:], int64, int64[::1])")
    random = np.random.default_rng(3)
    plain, gaps = random.integers(0, 256, (4, 4, 4)).astype(np.uint8), random.integers(-99, 99, (4, 12))[:, ::3]
    for at in range(-4, 4):
        made = [(plain.copy(), gaps.copy(), np.zeros(5, np.int64)) for _ in range(2)]
        made = [(a, np.repeat(b, 3, axis=1)[:, ::3], c) for a, b, c in made]
        for function, (a, b, c) in zip((ours, numbas), made, strict=True):
            function(a, b, at, c)
        for one, other in zip(*made, strict=True):
            assert np.array_equal(one, other)
        assert made[0][2][3] == 4 + 4 + 4 + 4


@pytest.mark.parametrize("ends", [(0, 0), (-3, 9), (9, -3), (5, 6), (-7, -7), (-20, 20)])
def test_ranges_count_as_numbas_do(ends: tuple[int, int]) -> None:
    def count(first: int, end: int, step: int, out: Any) -> int:
        at = nb.int64(0)
        for _ in range(end):
            at += 1
        for number in range(first, end):
            out[at % 90] += number
            at += 2
        for number in range(first, end, 3):
            out[at % 90] -= 5 * number
            at += 1
        for number in range(end, first, -2):
            out[at % 90] += 7 * number
        for number in range(first, end, step):
            if number == 4:
                continue
            for other in range(number, number + 2):
                out[(at + other) % 90] += other
        for number in range(nb.int32(end)):
            at ^= number
        last = nb.uint64(0)
        for wide in range(nb.uint64(3), nb.uint64(12)):
            last = wide
        return at + nb.int64(last)

    ours, numbas = both(count, "int64(int64, int64, int64, int64[::1])")
    for step in (1, 2, -1, -4):
        written, wanted = np.zeros(90, np.int64), np.zeros(90, np.int64)
        assert ours(*ends, step, written) == numbas(*ends, step, wanted)
        assert np.array_equal(written, wanted)


def test_a_step_of_nothing_ends_a_kernel() -> None:
    def endless(step: int) -> int:
        total = nb.int64(0)
        for number in range(0, 9, step):
            total += number
        return total

    ours, _ = both(endless, "int64(int64)")
    assert ours(3) == 9
    with pytest.raises(TypeError, match="the kernel failed"):
        ours(0)


@pytest.mark.parametrize("seed", range(8))
def test_variables_hold_what_they_were_given_last(seed: int) -> None:
    """In branches, over rounds of a loop, under another name, as parts of tuples, and where nothing was given."""

    def wander(values: Any, flags: Any, limit: int) -> float:
        kept, before, seen, total = values[0], values[1], False, 0.0
        pair = (kept, limit)
        while limit > 0:
            limit -= 1
            value = values[limit % values.shape[0]]
            flags[limit % 7] = value > before
            if value > kept:
                kept, before = before, value
                pair = (value, pair[1] + 1)
            elif flags[limit % 5] and not seen:
                seen = not seen
                before = kept
                late = value
            else:
                pair = (pair[0], pair[1] - value)
                if value == 3:
                    continue
            if seen:
                total += late * 0.5
            number, weight = PAIRS[nb.int64(value > 0)]
            total += number * weight + pair[0] - pair[1] / 3
        return total + kept * 1000 + before

    ours, numbas = both(wander, "float64(int64[::1], boolean[::1], int64)")
    values = np.random.default_rng(seed).integers(-5, 6, 11)
    flags, wanted = np.zeros(7, bool), np.zeros(7, bool)
    for limit in (0, 1, 2, 50):
        assert ours(values, flags, limit) == numbas(values, wanted, limit)
        assert np.array_equal(flags, wanted)


def test_operators_give_the_types_that_numbas_do() -> None:
    def reckon(small: Any, signed: int, unsigned: int, real: float, out: Any) -> None:
        byte, word = small[0], small[1] * 257
        out[0] = (byte + word) // 7 - (signed % 5) + (signed // -3)
        out[1] = (signed << 3) ^ (signed >> 2) | (byte & 15)
        out[2] = nb.int64(unsigned >> nb.uint32(3)) + (signed**2) + min(byte, 9)
        out[3] = nb.int64(real * 8 / (byte + 1)) + nb.int64(signed < real) - nb.int64(byte != 3)
        out[4] = -signed + abs(signed) + (~signed) + nb.int64(np.float32(real) + np.float32(0.1) > real)
        out[5] = nb.int64(not signed) + nb.int64(signed == 4 or byte == 200) + nb.int64(np.uint8(signed))

    ours, numbas = both(reckon, "void(uint8[::1], int64, uint32, float64, int64[::1])")
    for given in ((-7, 9, 2.75), (4, 2**31 + 5, -1e3), (0, 1, 0.0)):
        for byte in (0, 3, 200):
            small = np.array([byte, 255 - byte], np.uint8)
            written, wanted = np.zeros(6, np.int64), np.zeros(6, np.int64)
            ours(small, *given, written)
            numbas(small, *given, wanted)
            assert np.array_equal(written, wanted)
