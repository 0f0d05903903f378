"""A server process whose columns stand at x of 0, of 10^9 and at the edges of what the wire can say, all at once.

    python -m tests.support.far_server [SECONDS]

Prints one line of JSON with its port and ends with its standard input. It moves its player between x of 0 and of 10^9
every so many seconds (never unless named); all columns stay announced.
"""

import json
import math
import os
import sys
import threading
import time

import numpy as np

from net.bedrock import (
    ChunkRadiusUpdated,
    LevelChunk,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayStatus,
    StartGame,
)
from net.bedrock.codec import Codec
from net.bedrock.releases import ProtocolRange
from net.palette import Palette
from net.peer import PeerListener
from net.raknet import Address
from net.space.positions import BlockPos, ColumnPos
from net.subchunk.encode import SubChunkEncoder
from net.transport.udp_server import UdpHost
from tests.support.hostile_server import HostileServer
from tests.support.session_messages import start_game

PROTOCOL = 486
FAR_X = 62_500_000
"""In columns: blocks at x of 10^9."""
EDGE = (1 << 27) - 1
BEYOND = 1 << 27, (1 << 31) - 1
"""Columns whose blocks have no coordinates on the wire."""
SIDE = 4
SPAWN = ColumnPos(0, 0)
FAR = ColumnPos(FAR_X, 0)
PLACES = SPAWN, FAR, ColumnPos(EDGE - SIDE, EDGE - SIDE), ColumnPos(-EDGE + SIDE, EDGE - SIDE), ColumnPos(1 << 20, 7)
EVERYWHERE = 1 << 30
"""A publisher's radius in blocks: nothing is let go for where it lies."""


class FarServer(HostileServer):
    """Tells all of it to whoever joins."""

    def __init__(self, every_s: float) -> None:
        codec = Codec(PROTOCOL)
        super().__init__(codec, self._first_messages())
        now = time.monotonic()
        self._listener = PeerListener(
            ProtocolRange.only(PROTOCOL, codec.dialect.profile),
            "MCPE;far;486;1.18.11;0;9;",
            now,
            time.time(),
            os.urandom,
        )
        self._every_s = every_s
        self._next = now + every_s
        self._there = False

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        if now >= self._next and self._peers:
            self._next = now + self._every_s
            self._there = not self._there
            self.say(*self._move(FAR if self._there else SPAWN))
        return super().datagrams(now)

    def next_timer(self) -> float | None:
        timer = super().next_timer()
        return self._next if timer is None else min(timer, self._next)

    def _move(self, column: ColumnPos) -> list[Message]:
        position = column.x * 16 + 8.0, 24.0, column.z * 16 + 8.0
        block = BlockPos(column.x * 16, 0, column.z * 16)
        return [MovePlayer(1, position, 20.0, -45.0, -45.0, mode=2), NetworkChunkPublisherUpdate(block, EVERYWHERE)]

    def _first_messages(self) -> list[Message]:
        start: StartGame = start_game(position=(8.0, 24.0, 8.0), world_name="far")
        around = range(-SIDE, SIDE + 1)
        columns = [ColumnPos(at.x + x, at.z + z) for at in PLACES for x in around for z in around]
        columns += [ColumnPos(x, 0) for x in BEYOND] + [ColumnPos(0, -x) for x in BEYOND]
        payload = _payload()
        told = [LevelChunk(column, None, 5, None, None, payload) for column in columns]
        publisher = NetworkChunkPublisherUpdate(BlockPos(0, 0, 0), EVERYWHERE)
        return [start, ChunkRadiusUpdated(SIDE), publisher, *told, PlayStatus(3)]


def _payload() -> bytes:
    """Four sub-chunks of stone, one of stone with pillars on it; air above."""
    palette = Palette.for_protocol(PROTOCOL)
    ids = {state.name: int(number) for state, number in zip(palette.states, palette.runtime_ids, strict=True)}
    encoder = SubChunkEncoder(np.array([ids["minecraft:air"], ids["minecraft:stone"]], np.int64))
    x, z, y = np.meshgrid(*[np.arange(16)] * 3, indexing="ij")
    ground = (y < 3 + 5 * ((x % 5 == 1) & (z % 4 == 2))).astype(np.uint16).reshape(1, 4096)
    stone = np.ones((1, 4096), np.uint16)
    parts = [encoder.encode(stone, None, section)[0] or b"" for section in range(-4, 0)]
    parts.append(encoder.encode(ground, None, 0)[0] or b"")
    return b"".join(parts) + b"\x01\x04" + b"\xff" * 23 + b"\x00"


def main() -> None:
    every_s = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
    server = UdpHost(FarServer(every_s))
    sys.stdout.write(json.dumps({"port": server.address[1]}) + "\n")
    sys.stdout.flush()

    def obey() -> None:
        sys.stdin.read()
        server.stop()

    threading.Thread(target=obey, daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()
