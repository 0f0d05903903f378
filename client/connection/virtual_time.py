"""Embedded worlds in virtual time: our server and the session in one process, on one clock.

Rules:
1. A session over it depends only on the world, the options and the tampering: no clock, socket or scheduler takes part.
   So its request log, too, is the same in every run.
2. No thread sleeps: virtual time goes as fast as both ends compute. ``timeout_s`` counts virtual seconds.
3. One server serves one session after the other; each gets a new host (``net.server.virtual_host``).
4. No wait expects an ignored sub-chunk (``Tampering``), nor any once ``most_answers`` came.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from client.connection.connection import EYE_HEIGHT_BLOCKS, Connection
from client.connection.opening import OUR_PLAYER, expect_dimension
from client.connection.tampering import Tamperer, Tampering
from client.embedded_server import served_protocol
from client.errors import SourceError
from client.options import Options
from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.source import Embedded, WorldFile
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.errors import NetError
from net.palette import Palette
from net.peer import ClientPeer, Event
from net.server.host import Host
from net.server.virtual_host import UNIX_TIME, VirtualServer, even_entropy
from net.transport.loopback import Loopback
from net.visibility.priority import PriorityWeights
from net.wire.fields import Profile

__all__ = ["VirtualServer", "VirtualTransport", "open_virtual"]

FRAME_S: Final = 0.01  # virtual time between two turns of the session
JOIN_FRAMES: Final = 3000
ADDRESS: Final = ("127.0.0.1", 19132)
CLIENT_SEED: Final = 2
IDENTITY: Final = Identity("chunkscope", "00000000-0000-0000-0000-000000000001")


class VirtualTransport(Loopback):
    """Both ends; each call of ``events`` advances virtual time by one frame."""

    def __init__(self, client: ClientPeer, host: Host, tampering: Tampering) -> None:
        super().__init__(client, host)
        self.host = host
        self.tamperer = Tamperer(tampering)

    def clock(self) -> float:
        return self.now

    def events(self) -> list[Event]:
        self.step(self.now)
        self.now += FRAME_S
        kept = map(self.tamperer, super().events())
        return [event for event in kept if event is not None]

    def close(self, reason: str) -> None:
        """See ``Transport``; sends nothing, the next session gets a new host."""
        del reason


def open_virtual(
    server: VirtualServer,
    source: Embedded | WorldFile,
    options: Options,
    edits: Sequence[Mapping[str, Any]] = (),
    tampering: Tampering | None = None,
) -> tuple[Connection, VirtualTransport]:
    """Joins an embedded or saved world of our own server in virtual time.

    ``server``: of the process; its earlier session is gone. ``options``: ``timeout_s`` and ``delay_s`` are not used.
    ``edits``: blocks set before the join, see ``net.server.virtual_host``. Raises SourceError: there is no such world,
    an edit names no block, or the player is in another dimension.
    """
    protocol = served_protocol(source, options)
    try:
        host = server.open(_what(source, options, protocol, edits))
    except (NetError, ValueError) as error:
        raise SourceError(f"{source}: {error}.") from None
    codec = Codec(protocol, Profile(options.profile))
    peer = ClientPeer(ADDRESS, codec, IDENTITY, 0.0, UNIX_TIME, even_entropy(CLIENT_SEED))
    transport = VirtualTransport(peer, host, tampering or Tampering())
    config = SessionConfig(
        radius=options.radius,
        limits=options.limits,
        weights=PriorityWeights(attention=options.attention),
        player=OUR_PLAYER,
        protocol=protocol,
    )
    session = Session(config, Palette.for_protocol(protocol), 0.0)
    connection = Connection(source, options, session, transport, clock=transport.clock, rest=lambda _seconds: None)
    for _ in range(JOIN_FRAMES):
        if session.spawn.phase is SpawnPhase.PLAYING:
            expect_dimension(connection)
            return connection, transport
        connection.pump()
    raise SourceError(f"{source} did not spawn the player.")


def _what(
    source: Embedded | WorldFile, options: Options, protocol: int, edits: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "world": "" if isinstance(source, WorldFile) else f"{source.world}:{source.seed}",
        "folder": str(source.path) if isinstance(source, WorldFile) else None,
        "number": options.dimension or 0,
        "protocol": protocol,
        "profile": options.profile,
        "mode": options.mode,
        "radius_max": options.radius + 1,
        "time": 6000 if options.time is None else options.time,
        "spawn": None if options.at is None else [options.at.x, options.at.y - EYE_HEIGHT_BLOCKS, options.at.z],
        "edits": list(edits),
    }
