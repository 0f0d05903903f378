"""The quad arena keeps what it is given, through growth and reuse."""

import numpy as np
import pytest

from render.gpu import Gpu, OutOfPages
from render.gpu.quad_arena import PAGE_UNITS, QuadArena
from tests.support.data.failing_gl import without_memory

pytestmark = pytest.mark.gpu


def units(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, 1 << 32, (count, 2), dtype=np.uint32)


def test_runs_survive_growth_and_the_freeing_of_others(gpu: Gpu) -> None:
    rng = np.random.default_rng(4)
    arena = QuadArena(gpu, first_pages=4)
    held = {}
    for step in range(120):
        content = units(rng, int(rng.integers(1, 400)))
        run = arena.put(content, (step, -step, 3))
        held[run] = content
        if step % 3 == 0:
            victim = list(held)[int(rng.integers(0, len(held)))]
            arena.free(victim)
            del held[victim]
    for run, content in held.items():
        assert np.array_equal(arena.read(run)[: len(content)], content)
    assert arena.stats().pages_used == sum(run.pages for run in held)
    assert arena.stats().pages > 4
    arena.release()


def test_a_run_takes_whole_pages(gpu: Gpu) -> None:
    arena = QuadArena(gpu, first_pages=8)
    run = arena.put(units(np.random.default_rng(1), PAGE_UNITS + 1), (0, 0, 0))
    assert run.pages == 2
    arena.free(run)
    assert arena.stats().pages_used == 0
    assert arena.stats().free_runs == 1
    arena.release()


def test_the_limit_is_an_error_and_changes_nothing(gpu: Gpu) -> None:
    arena = QuadArena(gpu, first_pages=2, limit_pages=4)
    content = units(np.random.default_rng(2), 3 * PAGE_UNITS)
    run = arena.put(content, (0, 0, 0))
    with pytest.raises(OutOfPages, match="quad arena: 3 more do not fit in 4"):
        arena.put(content, (1, 0, 0))
    assert np.array_equal(arena.read(run)[: len(content)], content)
    arena.release()


def test_a_driver_without_memory_keeps_what_there_is(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(5)
    arena = QuadArena(gpu, first_pages=4)
    content = units(rng, 3 * PAGE_UNITS)
    run = arena.put(content, (0, 0, 0))
    with without_memory(gpu):
        for _ in range(2):
            with pytest.raises(OutOfPages, match="quad arena: 2 more do not fit in 4"):
                arena.put(units(rng, 2 * PAGE_UNITS), (1, 0, 0))
    assert caplog.text.count("quad arena: no GPU memory") == 1
    assert arena.stats().pages == 4
    assert np.array_equal(arena.read(run)[: len(content)], content)
    arena.free(run)
    again = arena.put(units(rng, 4 * PAGE_UNITS), (1, 0, 0))
    assert again.pages == 4
    arena.release()
