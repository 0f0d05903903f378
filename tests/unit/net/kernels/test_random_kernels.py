"""Kernels that seeds make up: as we compile them and as Numba does, the same to the last bit."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from net.kernels import casts as nb
from net.kernels.compiled import called
from net.kernels.jit import OPTIONS, UNWRAPPED
from net.kernels.pipeline import KernelCompiler
from tests.support.random_kernels import SIGNATURE, RandomKernel

NUMBAS = OPTIONS | {"cache": False}
OURS = NUMBAS | UNWRAPPED | {"pipeline_class": KernelCompiler}
SEEDS = range(10)
"""Some ninety others were tried when it was written; each takes a second or two."""


def function_of(source: str, name: str) -> Callable[..., Any]:
    """What a source defines; Numba wants to read it again when it reports an error."""
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    found: dict[str, Any] = {"np": np, "nb": nb, "PAIRS": ((1, 2.5), (-3, -0.5)), "__name__": __name__}
    exec(compile(source, name, "exec"), found)
    made: Callable[..., Any] = found["made"]
    return made


def given(seed: int) -> list[Any]:
    """What such a kernel takes."""
    random = np.random.default_rng(seed)
    return [
        int(random.integers(-9, 400)),
        int(random.integers(0, 2**32)),
        float(random.normal() * 5),
        random.integers(0, 256, (4, 3, 8)).astype(np.uint8),
        random.integers(-(2**40), 2**40, (5, 8))[:, ::2],
        random.integers(0, 2**16, 16).astype(np.uint16),
        random.normal(size=6),
        random.integers(0, 2, 7).astype(bool),
        random.integers(-99, 99, 9),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_kernel_of_a_seed_does_what_numbas_does(seed: int) -> None:
    source = RandomKernel(seed).source
    function = function_of(source, f"<kernel of seed {seed}>")
    with global_compiler_lock:  # which is held anyhow where a kernel goes into the cache
        ours = called(njit(SIGNATURE, **OURS)(function), SIGNATURE)
    numbas = njit(SIGNATURE, **NUMBAS)(function)
    for world in range(6):
        mine, its = given(world), given(world)
        assert same(np.array(ours(*mine)), np.array(numbas(*its))), source
        assert all(map(same, mine[3:], its[3:])), source


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """To the last bit, but for those of what is no number, which LLVM may choose."""
    return (
        np.array_equal(np.isnan(one), np.isnan(other))
        and one[~np.isnan(one)].tobytes() == other[~np.isnan(other)].tobytes()
    )
