"""Embedded worlds in virtual time: our server as a child process that moves only when it is asked.

Rules:
1. A session over it depends on the world, the options and the tampering, on nothing else: no clock, no socket, no
   scheduler. So its request log, too, is the same every time.
2. Nobody waits: virtual time goes as fast as both ends compute. ``timeout_s`` counts virtual seconds.
3. One child serves one session after the other; each finds a fresh host (``net.server.lockstep``).
4. A held sub-chunk (``Tampering``) is not waited for; nor is anything once ``most_answers`` came.
"""

import contextlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from client.connect.connection import Connection
from client.connect.embedded import served_protocol
from client.connect.errors import SourceError
from client.connect.opening import OUR_PLAYER
from client.connect.options import Options
from client.connect.source import Embedded, WorldFile
from client.connect.standing import EYE_HEIGHT_BLOCKS
from client.connect.tampering import Tamperer, Tampering
from client.session.config import SessionConfig
from client.session.phase import Phase
from client.session.session import Session
from net.bedrock import Message
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.interest import Weights
from net.palette import Palette
from net.peer import ClientPeer, Event, PeerStats
from net.transport.lockstep import CLIENT_SEED, UNIX_TIME, FarEndFailed, FarHost, even_entropy
from net.transport.loopback import Loopback
from net.wire.profile import Profile

FRAME_S: Final = 0.01
"""Virtual time between two turns of the session."""
JOIN_FRAMES: Final = 3000
ADDRESS: Final = ("127.0.0.1", 19132)
IDENTITY: Final = Identity("chunkscope", "00000000-0000-0000-0000-000000000001")
EXIT_WAIT_S: Final = 5.0


class LockstepServer:
    """The child process; whoever made it closes it, after its last connection."""

    def __init__(self) -> None:
        """Starts the child; it needs a second before its first answer."""
        command = [sys.executable, "-m", "net.server.lockstep"]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._pipes = self._child.stdin, self._child.stdout
        self.host = FarHost(*self._pipes)
        self._palettes: dict[int, Palette] = {}

    def palette(self, protocol: int) -> Palette:
        """Block states of a protocol, read once."""
        if protocol not in self._palettes:
            self._palettes[protocol] = Palette.for_protocol(protocol)
        return self._palettes[protocol]

    @property
    def ended(self) -> bool:
        """Whether the child is gone."""
        return self._child.poll() is not None

    def close(self) -> None:
        """Closes its stdin, waits for its end, and ends it when it does not come; may be called again."""
        for pipe in self._pipes:
            with contextlib.suppress(BrokenPipeError):  # it ended first
                pipe.close()
        try:
            self._child.wait(EXIT_WAIT_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


class LockstepTransport:
    """Both ends as a ``Transport``: looking for events lets a frame's time pass, and all that happens in it.

    Args:
        link: both ends.
        tampering: what of the answers is spoiled.
    """

    def __init__(self, link: Loopback, tampering: Tampering) -> None:
        self._link = link
        self.tamperer = Tamperer(tampering)

    def clock(self) -> float:
        """Virtual seconds."""
        return self._link.now

    @property
    def codec(self) -> Codec:
        """See ``Transport``."""
        return self._link.codec

    def send(self, message: Message) -> None:
        """See ``Transport``."""
        self._link.send(message)

    def events(self) -> list[Event]:
        """See ``Transport``.

        Raises:
            SourceError: the child is gone or failed.
        """
        try:
            self._link.step(self._link.now)
        except FarEndFailed as error:
            raise SourceError(f"The embedded server failed: {error}.") from None
        self._link.now += FRAME_S
        kept = (self.tamperer(event) for event in self._link.events())
        return [event for event in kept if event is not None]

    def close(self, reason: str) -> None:
        """See ``Transport``: nobody is told, the next session finds a fresh host."""
        del reason

    def stats(self) -> PeerStats:
        """See ``Transport``."""
        return self._link.stats()


def open_lockstep(
    server: LockstepServer,
    source: Embedded | WorldFile,
    options: Options,
    edits: Sequence[Mapping[str, Any]] = (),
    tampering: Tampering | None = None,
) -> tuple[Connection, LockstepTransport]:
    """Joins a world of our own server in virtual time: an embedded or a saved one.

    Args:
        server: the child; what it served before is gone.
        source: the world.
        options: how to connect; ``timeout_s`` and ``delay_s`` are not looked at.
        edits: blocks set before, as ``net.server.lockstep`` takes them.
        tampering: what of the answers is spoiled.

    Raises:
        SourceError: the child is gone, an edit names no block, or the player is put into another dimension.
    """
    protocol = served_protocol(source, options)
    try:
        server.host.open(_what(source, options, protocol, edits))
    except FarEndFailed as error:
        raise SourceError(f"{source}: {error}.") from None
    codec = Codec(protocol, Profile(options.profile))
    peer = ClientPeer(ADDRESS, codec, IDENTITY, 0.0, UNIX_TIME, even_entropy(CLIENT_SEED))
    transport = LockstepTransport(Loopback(peer, server.host), tampering or Tampering())
    config = SessionConfig(
        radius=options.radius,
        limits=options.limits,
        weights=Weights(attention=options.attention),
        player=OUR_PLAYER,
        protocol=protocol,
    )
    session = Session(config, server.palette(protocol), 0.0)
    connection = Connection(source, options, session, transport, clock=transport.clock, rest=_no_rest)
    _join(connection, session)
    return connection, transport


def _join(connection: Connection, session: Session) -> None:
    """Pumps until the player is let in."""
    for _ in range(JOIN_FRAMES):
        if session.phase is Phase.PLAYING:
            break
        connection.pump()
    expected, actual = connection.options.dimension, session.store.dimension
    if session.phase is not Phase.PLAYING:
        raise SourceError(f"{connection.source} did not let the player in.")
    if expected is not None and expected != actual.number:
        raise SourceError(f"{connection.source} put the player into dimension {actual.name}, not {expected}.")


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


def _no_rest(seconds: float) -> None:
    """Virtual time does not rest."""
    del seconds
