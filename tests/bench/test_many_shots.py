"""Thousands of shots: no GL object, no descriptor, no thread and no memory is left behind.

Measured on two shared cores: 1,800 shots of 64 x 40 pixels in one studio, after 200 others, grow the process by
1.0 MiB; 60 with contexts of their own, after 10 others, by 1.9 MiB.
"""

import gc
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from render.capture import CHANNELS, PictureOptions, Studio, shoot
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from tests.golden import shots
from tests.support.worlds.scene import SceneWorld

pytestmark = [pytest.mark.bench, pytest.mark.counts]

SIZE_PX = (64, 40)
PICTURE = PictureOptions(size_px=SIZE_PX, time=6000)
MANY, OWN = 2000, 60
MIB = 1 << 20


def resident_bytes() -> int:
    """What the process holds now, not its peak."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def growth(act: Callable[[], object], warm: int, times: int) -> tuple[int, int, int]:
    """Bytes, descriptors and threads that ``times`` acts leave behind, after ``warm`` ones that may."""
    for _ in range(warm):
        act()
    gc.collect()
    before = resident_bytes(), descriptors(), threading.active_count()
    for _ in range(times):
        act()
    gc.collect()
    after = resident_bytes(), descriptors(), threading.active_count()
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


@pytest.fixture(scope="module")
def world() -> SceneWorld:
    return SceneWorld(shots.CAVE).load()


@pytest.mark.nightly
def test_two_thousand_shots_in_one_studio_leave_nothing(world: SceneWorld) -> None:
    gpu = Gpu.standalone()
    studio = Studio(gpu, world.session.dimension.store.table, SyncRunner(), shots.CAVE.radius)
    first = studio.shoot(world.session, shots.CAVE.view, CHANNELS, PICTURE)
    grown, opened, threads = growth(
        lambda: studio.shoot(world.session, shots.CAVE.view, CHANNELS, PICTURE), 200, MANY - 200
    )
    last = studio.shoot(world.session, shots.CAVE.view, CHANNELS, PICTURE)
    assert all(array.tobytes() == last.arrays[name].tobytes() for name, array in first.arrays.items())
    assert gpu.leaks() == 0
    gpu.check()
    studio.release()
    assert gpu.leaks() == 0
    gpu.release()
    print(f"\n{MANY} shots in one studio: {grown / MIB:.2f} MiB more")
    assert (opened, threads) == (0, 0)
    assert grown < 8 * MIB


def test_sixty_shots_with_contexts_of_their_own_leave_little(world: SceneWorld) -> None:
    grown, opened, threads = growth(lambda: shoot(world.session, shots.CAVE.view, SIZE_PX, picture=PICTURE), 10, OWN)
    print(f"\n{OWN} shots with contexts of their own: {grown / MIB:.2f} MiB more")
    assert (opened, threads) == (0, 0)
    assert grown < OWN * MIB
