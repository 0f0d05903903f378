"""A client that is sent from dimension to dimension before anything settles, and a scene that follows it.

    python -m tests.crossings [COUNT] [--seed N] [--no-scene]

Client and server of our own share one thread and virtual time; light and meshes are made by worker threads, which still
work on a store when the scene leaves it. What it looks for is memory that is written where it should not be: run it
with ``CHUNKSCOPE_CHECKED=1``, or under an allocator that checks (``MALLOC_PERTURB_=165 MALLOC_CHECK_=3
LD_PRELOAD=libc_malloc_debug.so.0``).
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from client.session.session import Session
from net.blobs import MemoryBlobs
from net.kernels.place import is_checked
from net.server.worlds import open_worlds
from tests.support.session.plain_client import go_to
from tests.support.session.virtual import VirtualSession

FEW_TURNS, MOST_TURNS = 1, 16
"""Of 10 ms between two crossings."""
BETWEEN_RESTS = 40
"""Crossings; then all is waited for."""


def cross(count: int, seed: int, follow: Callable[[Session, bool], None]) -> VirtualSession:
    """Sends a client to and fro.

    Args:
        count: crossings.
        seed: of where to, and when.
        follow: told the session after each of its turns, and whether it has settled.

    Raises:
        AssertionError: it does not settle any more, or met a fault.
    """
    overworld, *beside = open_worlds("hills:1")
    client = VirtualSession(overworld, protocol=975, blobs=MemoryBlobs(), beside=beside)
    chance = random.Random(seed)
    assert client.settle()
    for number in range(1, count + 1):
        go_to(client.host, 1, chance.randrange(3))
        for _ in range(chance.randint(FEW_TURNS, MOST_TURNS)):
            client.turn()
            follow(client.session, False)
        if number % BETWEEN_RESTS == 0 or number == count:
            assert client.settle(), f"crossing {number} never settled"
            follow(client.session, True)
            assert client.session.stats(client.now).terrain.faults == 0
    return client


def main() -> int:
    """Crosses, and says how often; the exit code."""
    parser = argparse.ArgumentParser("python -m tests.crossings", description="Crosses dimensions under load.")
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-scene", action="store_true")
    chosen = parser.parse_args()
    started, turns = time.monotonic(), [0]

    def alone(_session: Session, _settled: bool) -> None:
        turns[0] += 1

    if chosen.no_scene:
        cross(chosen.count, chosen.seed, alone)
    else:
        _with_a_scene(chosen.count, chosen.seed, alone)
    guarded = "no guards"
    if is_checked():
        from net.kernels.checked import guard_memory  # noqa: PLC0415 - Numba

        found = guard_memory().damage()
        guarded = found or "guards whole"
    took_s = time.monotonic() - started
    sys.stdout.write(f"{chosen.count:,} crossings, {turns[0]:,} turns, {took_s:.0f} s, {guarded}\n")
    return 1 if guarded not in {"no guards", "guards whole"} else 0


def _with_a_scene(count: int, seed: int, also: Callable[[Session, bool], None]) -> None:
    from render.gpu import Gpu  # noqa: PLC0415 - needs OpenGL
    from render.jobs.workers import ThreadRunner  # noqa: PLC0415 - as above
    from render.scene import Scene, SceneConfig  # noqa: PLC0415 - as above
    from render.scene.gpu_copy.block_appearance import BlockAppearance  # noqa: PLC0415 - as above

    gpu, runner = Gpu.standalone(), ThreadRunner(2)
    scenes: list[Scene] = []
    shown: list[object] = [None]

    def follow(session: Session, settled: bool) -> None:
        also(session, settled)
        if not scenes:
            scenes.append(
                Scene(gpu, BlockAppearance(session.dimension.store.table), runner, SceneConfig(radius_columns=2))
            )
        (scene,) = scenes
        if shown[0] is not session.dimension.store:
            shown[0] = session.dimension.store
            scene.attach(session.dimension.store, session.dimension.light, session.anchors)
        eye = (
            session.movement.eye.x,
            session.movement.eye.y + 1.6,
            session.movement.eye.z,
        )
        scene.step(eye)
        if settled:
            assert scene.settle(eye), "the scene never settled"

    try:
        cross(count, seed, follow)
    finally:
        runner.close()
        for scene in scenes:
            scene.release()
        gpu.release()


if __name__ == "__main__":
    sys.exit(main())
