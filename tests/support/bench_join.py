"""A radius-8 join of the bench world by a plain client: every announced sub-chunk is asked for, everything is kept.

It has no store and no planner, so that what it measures and checks is the wire alone: the peer of each end, and the
messages between.
"""

from functools import cache

import numpy as np

from net.bedrock import LevelChunk, RequestChunkRadius, SubChunk, SubChunkEntry, SubChunkRequest
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.bedrock.releases import ProtocolRange
from net.peer import ClientPeer, Closed, Joined, Received
from net.server.host import Host
from net.server.options import HostOptions
from net.server.worlds import open_world
from net.space.positions import ColumnPos, SubChunkPos
from net.transport.faulty import Wire
from net.transport.interface import ServerTransport as HostContract
from net.transport.loopback import Loopback
from tests.support.server_talk import UNIX_TIME, entropy

RADIUS = 8
COLUMNS = (2 * RADIUS + 1) ** 2
FLOOR = -4

bench_world = cache(lambda: open_world("bench:1"))


def bench_host(options: HostOptions | None = None) -> Host:
    """A host of the bench world at the time 0."""
    return Host(bench_world(), options or HostOptions(), ProtocolRange.only(486), 0.0, UNIX_TIME, entropy("server"))


class BenchJoin:
    """One client; ``run`` ends when all columns and all their sub-chunks are there."""

    def __init__(self, host: HostContract, up: Wire | None = None, down: Wire | None = None, now: float = 0.0) -> None:
        identity = Identity("tester", "00000000-0000-4000-8000-000000000001")
        self.peer = ClientPeer(("127.0.0.1", 19132), Codec(486), identity, now, UNIX_TIME, entropy("client"))
        self.link = Loopback(self.peer, host, up, down, now=now)
        self.columns: dict[ColumnPos, bytes] = {}  # payload by column
        self.entries: dict[SubChunkPos, SubChunkEntry] = {}  # by sub-chunk
        # the kind and place of everything in the order it came: columns by position, answers by sub-chunk
        self.order: list[ColumnPos | SubChunkPos] = []
        self.numbers: list[int] = []  # of all packets
        self.asked = 0
        self.closed: str | None = None

    def run(self, limit_s: float = 60.0) -> bool:
        """Whether everything came within so much virtual time."""
        return self.link.run(self._complete, limit_s)

    def _complete(self) -> bool:
        for event in self.link.events():
            if isinstance(event, Joined):
                self.link.send(RequestChunkRadius(RADIUS))
            elif isinstance(event, Received):
                self.numbers.append(event.number)
                self._hear(event.message)
            elif isinstance(event, Closed):
                self.closed = event.reason
        return self.closed is not None or (len(self.columns) == COLUMNS and len(self.entries) == self.asked)

    def _hear(self, message: object) -> None:
        if isinstance(message, LevelChunk):
            self.columns[message.column] = message.payload
            self.order.append(message.column)
            limit = 0 if message.limit is None else message.limit
            self._ask(message.column, limit + 1)
        elif isinstance(message, SubChunk):
            x, y, z = message.centre
            for entry in message.entries:
                place = SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz)
                self.entries[place] = entry
                self.order.append(place)

    def _ask(self, column: ColumnPos, sections: int) -> None:
        offsets = np.zeros((sections, 3), np.int8)
        offsets[:, 1] = np.arange(sections)
        self.asked += sections
        self.link.send(SubChunkRequest(0, SubChunkPos(column.x, FLOOR, column.z), offsets))
