"""A live session in virtual time that keeps the history of its last minutes, for tests of playback.

Long past: a session that flies in circles for hours of virtual time and keeps its history; prints the memory of the
history, and the cost of jumps.

    python -m tests.support.session.past WORLD HOURS RADIUS MINUTES MB FRAME_S

MINUTES and MB are what the settings ``past_minutes`` and ``past_mb`` mean. A JSON line every ten minutes: bytes in all,
of checkpoints and their number, from where on it is whole. Then one for each jump: what its way costs this process.
"""

import json
import math
import sys
import time
from collections.abc import Iterator

from client.connection.connection import Connection
from client.options import Options, PastOptions
from client.player import Eye, View
from client.recording.history import SessionHistory
from client.session.config import SessionConfig
from client.session.spawn import SpawnPhase
from client.source import Embedded
from net.server.options import HostOptions
from tests.support.session.virtual import FRAME_S, SWIFT, VirtualSession, VirtualTransport

# ---------------------------------------------------------------- remembered


def remembering(
    virtual: VirtualSession, past: PastOptions | None = None, options: Options | None = None, frame_s: float = FRAME_S
) -> Connection:
    """A joined connection with a past, whose turns take so long."""
    connection = Connection(
        Embedded(),
        options or Options(radius=2, light=False),
        virtual.session,
        VirtualTransport(virtual.link, frame_s),
        clock=lambda: virtual.link.now,
        rest=lambda _seconds: None,
    )
    connection.remember(past or PastOptions())
    while virtual.session.spawn.phase is not SpawnPhase.PLAYING:
        connection.pump()
    return connection


def fly(connection: Connection, frames: int, blocks: float = 4.0) -> None:
    """So many frames, each so many blocks on."""
    for _ in range(frames):
        view = connection.session.movement.view
        connection.look(View(Eye(view.eye.x + blocks, view.eye.y, view.eye.z), 90.0, 10.0))
        connection.pump()


def arrive(connection: Connection) -> None:
    """Pumps until the way back is made: in few turns, however slow the machine, since time passes with each."""
    for _ in range(10_000):
        connection.pump(budget_s=60.0)
        if connection.replay is None or connection.replay.on_the_way is None:
            break
    connection.pump()


# ---------------------------------------------------------------- long past

SPEED_BLOCKS_S = 10.92
CIRCLE_BLOCKS = 96.0
PATIENCE = 60
TOLD_S = 600.0
FLUSHED_S = 30.0
JUMPS_S = (1.0, 10.0, 60.0, 600.0, 1800.0, 3600.0, 7200.0)


def flying(world: str, radius: int, past: PastOptions, frame_s: float) -> Connection:
    """A settled connection with a past, whose turns take so long."""
    virtual = VirtualSession(world, HostOptions(), SessionConfig(radius=radius, player=SWIFT))
    connection = remembering(virtual, past, Options(radius=radius, light=False), frame_s)
    connection.wait_settled()
    return connection


def fly_long_past(connection: Connection, seconds: float) -> Iterator[float]:
    """Circles over the start for so long; yields now and then how long it flew, with all of that in the past."""
    past = past_of(connection)
    middle, start, told = connection.session.movement.view.eye, past.live.now, 0.0
    while (flown := past.live.now - start) < seconds:
        angle = flown * SPEED_BLOCKS_S / CIRCLE_BLOCKS
        x, z = middle.x + CIRCLE_BLOCKS * (math.cos(angle) - 1.0), middle.z + CIRCLE_BLOCKS * math.sin(angle)
        connection.look(View(Eye(x, middle.y, z), math.degrees(angle), 10.0))
        connection.pump()
        past.live.dimension.store.pools.reclaim(
            past.live.dimension.store.pools.epoch
        )  # as the scene would, whose jobs are none here
        if flown - told >= FLUSHED_S:
            told = flown
            catch_up(past)
            yield flown


def catch_up(past: SessionHistory) -> None:
    """Waits for the buffer's thread, which thins now and then."""
    for _ in range(PATIENCE):
        try:
            past.buffer.tape()
        except TimeoutError:
            continue
        return
    raise AssertionError("the buffer's thread hangs")


def past_of(connection: Connection) -> SessionHistory:
    """There is one."""
    assert connection.past is not None
    return connection.past


def stands(past: SessionHistory) -> dict[str, float]:
    """What it takes, and how far back it is whole."""
    buffer, now = past.buffer, past.live.now - past.live.started_at
    _, starts = buffer.tape_with_starts()
    return {
        "hours": now / 3600,
        "mb": buffer.size_bytes / 1e6,
        "keyframes_mb": buffer.checkpoint_bytes / 1e6,
        "keyframes": len(starts),
        "whole_s": now - buffer.whole_from_us / 1e6,
    }


def jump(connection: Connection, back_s: float) -> dict[str, float]:
    """One from the present; processor seconds of the way, and how long ago it ended."""
    past = past_of(connection)
    cpu = time.process_time()
    past.look_back(back_s)
    assert past.replay is not None
    while past.replay.on_the_way is not None:
        past.replay.run(1.0)
    ended = past.replay.position.time_s
    cpu = time.process_time() - cpu
    past.to_present()
    return {"back_s": back_s, "cpu_s": cpu, "ago_s": past.live.now - past.live.started_at - ended}


def main(world: str, hours: float, radius: int, past: PastOptions, frame_s: float) -> None:
    """Flies, and jumps."""
    connection = flying(world, radius, past, frame_s)
    told = 0.0
    for flown in fly_long_past(connection, 3600.0 * hours):
        if flown - told >= TOLD_S:
            told = flown
            say(stands(past_of(connection)))
    for back_s in JUMPS_S:
        say(jump(connection, back_s))
    connection.close()


def say(facts: dict[str, float]) -> None:
    """One line."""
    sys.stdout.write(json.dumps({name: round(value, 3) for name, value in facts.items()}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    world, hours, radius, minutes, mb, frame_s = sys.argv[1:]
    main(world, float(hours), int(radius), PastOptions(60.0 * float(minutes), int(mb) << 20), float(frame_s))
