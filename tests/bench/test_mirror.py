"""Changed bricks on their way to the GPU: 1,000 at once, within 4 ms on llvmpipe.

Times are processor time of the owner's thread, which is where llvmpipe takes uploads; the elapsed time of the fastest
turn stands beside it, and what the plain copy of the same bricks takes in the same run, which a crowd slows down, too.
"""

import sys
from collections.abc import Callable, Iterator
from time import perf_counter, thread_time

import numpy as np
import pytest

from render.gpu import Gpu, Unit
from render.gpu.brick_volume import PagedVolume
from tests.support.bench.gates import gate, gated

pytestmark = pytest.mark.bench

BRICKS = 1000
TURNS = 40
GOAL_MS = 4.0
QUIET_COPY_MS = 0.4
"""What the copy takes where nobody else uses the caches; beyond it the goal is scaled.

Measured on a crowded machine: 3.4 to 3.5 ms beside a copy of 0.48 to 0.59, 3.0 in the best turn.
"""


@pytest.fixture
def volume() -> Iterator[PagedVolume]:
    gpu = Gpu.standalone()
    made = PagedVolume(gpu, "bench", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), first_bricks=4096)
    yield made
    made.release()
    gpu.release()


def times_ms(turn: Callable[[], None]) -> tuple[float, float, float]:
    """Processor time, median and best, and the best elapsed time."""
    spent, elapsed = [], []
    for _ in range(TURNS):
        begun, begun_at = thread_time(), perf_counter()
        turn()
        spent.append((thread_time() - begun) * 1e3)
        elapsed.append((perf_counter() - begun_at) * 1e3)
    return float(np.median(spent)), min(spent), min(elapsed)


@gated
def test_a_thousand_bricks_go_up_within_four_milliseconds(volume: PagedVolume) -> None:
    rng = np.random.default_rng(1)
    pool = rng.integers(0, 65536, (4096, 4096)).astype(np.uint16)
    where = np.stack(np.unravel_index(rng.permutation(40 * 16 * 40)[:3000], (40, 16, 40)), axis=1).astype(np.int32)
    slots = rng.permutation(4096)[:3000].astype(np.int32)
    volume.set_bricks(where, pool, slots)
    volume.flush()
    writes = volume.stats().writes
    copied = np.empty((BRICKS, 4096), np.uint16)

    def mirrored() -> None:
        chosen = rng.permutation(3000)[:BRICKS]
        volume.set_bricks(where[chosen], pool, slots[chosen])
        volume.flush()
        volume._gpu.wait()

    def copy() -> None:
        np.take(pool, slots[rng.permutation(3000)[:BRICKS]], axis=0, out=copied, mode="clip")

    copy_ms, _, _ = times_ms(copy)
    median, best, elapsed = times_ms(mirrored)
    calls = (volume.stats().writes - writes) / TURNS
    sys.stdout.write(
        f"\n  {BRICKS} scattered bricks: {median:.2f} ms of processor time in the median, {best:.2f} in the best turn, "
        f"{elapsed:.2f} elapsed there; {calls:.0f} writes; copied in memory: {copy_ms:.2f}\n"
    )
    gate("ms for 1,000 changed bricks", median, max(GOAL_MS, GOAL_MS * copy_ms / QUIET_COPY_MS))
