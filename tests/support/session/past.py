"""A live session in virtual time that keeps the history of its last minutes, for tests of looking back.

    python -m tests.support.session.past WORLD HOURS RADIUS MINUTES MB FRAME_S

flies in circles for hours of virtual time and prints the memory of the history and the cost of jumps. MINUTES and MB
are the settings ``past_minutes`` and ``past_mb``. Every ten minutes it prints a JSON line with the size of the history,
the size and number of its checkpoints, and how far back it is complete; at the end, one line for the cost of each jump.
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
from net.server.host_options import HostOptions
from tests.support.session.virtual import FRAME_S, SWIFT, VirtualSession, VirtualTransport

# ---------------------------------------------------------------- remembered


def remembering(
    virtual: VirtualSession, past: PastOptions | None = None, options: Options | None = None, frame_s: float = FRAME_S
) -> Connection:
    """A joined connection that keeps its history; a turn takes ``frame_s``."""
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
    """Moves the camera by ``blocks`` in each of so many frames."""
    for _ in range(frames):
        view = connection.session.movement.view
        connection.look(View(Eye(view.eye.x + blocks, view.eye.y, view.eye.z), 90.0, 10.0))
        connection.pump()


def arrive(connection: Connection) -> None:
    """Pumps until the jump has ended: with a large budget, since time passes with each turn."""
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
    """A settled connection that keeps its history; a turn takes ``frame_s``."""
    virtual = VirtualSession(world, HostOptions(), SessionConfig(radius=radius, player=SWIFT))
    connection = remembering(virtual, past, Options(radius=radius, light=False), frame_s)
    connection.wait_settled()
    return connection


def fly_long_past(connection: Connection, seconds: float) -> Iterator[float]:
    """Flies in circles for so long; yields the time flown now and then, after all of it was written to the history."""
    past = past_of(connection)
    middle, start, told = connection.session.movement.view.eye, past.live.now, 0.0
    while (flown := past.live.now - start) < seconds:
        angle = flown * SPEED_BLOCKS_S / CIRCLE_BLOCKS
        x, z = middle.x + CIRCLE_BLOCKS * (math.cos(angle) - 1.0), middle.z + CIRCLE_BLOCKS * math.sin(angle)
        connection.look(View(Eye(x, middle.y, z), math.degrees(angle), 10.0))
        connection.pump()
        past.live.dimension.store.pools.reclaim(
            past.live.dimension.store.pools.epoch
        )  # as the scene does; no job uses the slots here
        if flown - told >= FLUSHED_S:
            told = flown
            catch_up(past)
            yield flown


def catch_up(past: SessionHistory) -> None:
    """Waits for the buffer's thread."""
    for _ in range(PATIENCE):
        try:
            past.buffer.tape()
        except TimeoutError:
            continue
        return
    raise AssertionError("the buffer's thread hangs")


def past_of(connection: Connection) -> SessionHistory:
    """The history of a connection that keeps one."""
    assert connection.past is not None
    return connection.past


def stands(past: SessionHistory) -> dict[str, float]:
    """The memory of the history, and how far back it is complete."""
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
    """Jumps back from the present; returns the processor seconds, and how far back the jump ended."""
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
    """Flies, then jumps."""
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
    """Prints a line of JSON."""
    sys.stdout.write(json.dumps({name: round(value, 3) for name, value in facts.items()}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    world, hours, radius, minutes, mb, frame_s = sys.argv[1:]
    main(world, float(hours), int(radius), PastOptions(60.0 * float(minutes), int(mb) << 20), float(frame_s))
