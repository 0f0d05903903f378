"""From a SOURCE to a connection that has joined: pings, versions, the child process, kernels, transport.

Every failure is a ``SourceError`` of one sentence, and leaves nothing behind: no thread, no socket, no child.
"""

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, TypeVar

from client.connect.awaited import NAME_SHARE, VERSION_SHARE, Awaited
from client.connect.beside import Beside
from client.connect.blob_cache import open_blob_cache
from client.connect.connection import Connection
from client.connect.embedded import EmbeddedServer, is_served, served_protocol, server_command
from client.connect.errors import SourceError, UnreadableFile, UsageError
from client.connect.identities import Claim, claim, somebody
from client.connect.identity_names import FRESH
from client.connect.options import PROTOCOL, Options
from client.connect.recorded_source import is_recording, open_recorded
from client.connect.settling import IDLE_S
from client.connect.source import Embedded, Remote, Source, WorldFile
from client.connect.wording import absent, is_there_already, not_let_in, other_version
from client.player import PlayerConfig
from client.session.config import SessionConfig
from client.session.phase import Phase
from client.session.session import Session
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.bedrock.releases import SUPPORTED_RANGE, is_supported
from net.blobs import MemoryBlobs
from net.errors import ConnectionClosed
from net.palette import Palette
from net.peer import ClientPeer
from net.raknet.address import Address
from net.transport.discovery import ping
from net.transport.faulty import Delayed
from net.transport.udp import UdpTransport, resolve
from net.visibility import Weights
from net.wire.dialect import Profile

T = TypeVar("T")

PING_S: Final = 2.0
"""How long a server may take to say its version; some do not answer pings and are tried all the same."""

OUR_PLAYER: Final = PlayerConfig(level_speed_blocks_s=1000.0, climb_speed_blocks_s=1000.0)
"""Our own server rules no game: nobody has to wait until a player has flown to where a picture is taken."""
ENDLESS: Final = frozenset({"hills", "flat"})
ENDLESS_QUIET_S: Final = 15.0
"""How long one of our worlds without end may be silent while columns are missing: every column comes, and on a busy
machine the next may take seconds (84 columns of 1,225 counted as a whole world after half a second, 2,947 of 4,489
after three, at loads of 17 and 25)."""

STAYS_S: Final = 1.0
"""A server that has this player already may let it in and say so a moment later (dragonfly 0.11), in the place
of terrain."""

STRANGER: Final = "you join as somebody new: the server has this player already"

Progress = Callable[[float, str], None]


def open_connection(
    source: Source, options: Options, progress: Progress | None = None, server: EmbeddedServer | None = None
) -> Connection:
    """Joins a source.

    Args:
        source: where the world comes from.
        options: how to connect.
        progress: told (share done 0..1, what is done) now and then.
        server: the child of an embedded source, where it was started earlier; belongs to the connection from now on.

    Raises:
        SourceError: it cannot be joined, in one sentence.
        UnreadableFile: it is a recording that cannot be read, likewise.
        UsageError: an option does not fit the source.
    """
    deadline = time.monotonic() + options.timeout_s
    tell = progress or (lambda _share, _what: None)
    if isinstance(source, WorldFile) and is_recording(source.path):
        return open_recorded(source, options, tell)
    if options.start is not None or options.speed is not None:
        raise UsageError(f"{source} is no recording: it has no start and no speed to choose.")
    if options.still is not None:
        raise UsageError(f"{source} is no recording: it has no moment at {options.still} to come back to.")
    try:
        return _open(source, options, tell, deadline, server)
    except SourceError as error:
        if options.identity == FRESH or not isinstance(source, Remote) or not is_there_already(str(error)):
            raise
    return _open(source, options, tell, deadline, stranger=True)


def _open(
    source: Source,
    options: Options,
    tell: Progress,
    deadline: float,
    server: EmbeddedServer | None = None,
    *,
    stranger: bool = False,
) -> Connection:
    """Joins what is no recording, as ``open_connection``; a stranger is nobody that the server may have met."""
    palette: Palette | None = None
    with ExitStack() as undo:
        tell(0.0, "starting")
        if server is None and is_served(source):
            server = EmbeddedServer(server_command(source, options))
        if server is not None:
            undo.callback(server.close)
            palette = Palette.for_protocol(served_protocol(source, options))  # a tenth of a second, as the child starts
            server.wait_ready(deadline - time.monotonic(), tell)
        try:
            tell(NAME_SHARE, f"looking up {source}")
            address = _address(source, deadline, tell) if server is None else server.address
            tell(VERSION_SHARE, f"asking {source} which version it speaks")
            protocol = _protocol(source, address, options, deadline, tell)
            player = claim(options.identity, address) if server is None and not stranger else Claim(somebody())
            undo.callback(player.close)
            transport = _transport(source, address, options, protocol, player)
        except ConnectionClosed as error:
            raise SourceError(f"{source}: {error.reason}.") from None
        undo.callback(transport.close, "joining failed")
        if palette is None:
            palette = Palette.for_protocol(protocol)
        connection = _over(transport, source, options, palette, server, deadline)
        connection.remark = STRANGER if stranger else player.said
        undo.callback(connection.close)
        _join(connection, deadline, tell)
        if not stranger and options.identity != FRESH and isinstance(source, Remote):
            _stay(connection, time.monotonic() + STAYS_S, tell)
        undo.pop_all()
        return connection


def _over(
    transport: UdpTransport,
    source: Source,
    options: Options,
    palette: Palette,
    server: EmbeddedServer | None,
    deadline: float,
) -> Connection:
    """A connection that has not joined yet, recorded and remembered as wished."""
    session = Session(session_config(source, options, transport.codec.protocol), palette, time.monotonic())
    carrier = Delayed(transport, options.delay_s, time.monotonic) if options.delay_s else transport
    connection = Connection(source, options, session, carrier, server)
    if options.record and _answers(transport, deadline):
        connection.record(options.record)
    if options.past:
        connection.remember(options.past)
    return connection


def session_config(source: Source, options: Options, protocol: int) -> SessionConfig:
    """What a session on a source is told before it starts."""
    player = OUR_PLAYER if is_served(source) else PlayerConfig()
    weights = Weights(attention=options.attention)
    is_endless = isinstance(source, Embedded) and source.world in ENDLESS
    return SessionConfig(
        radius=options.radius,
        limits=options.limits,
        weights=weights,
        player=player,
        protocol=protocol,
        quiet_s=ENDLESS_QUIET_S if is_endless else SessionConfig().quiet_s,
    )


def _address(source: Source, deadline: float, tell: Progress) -> Address:
    """Where it is."""
    match source:
        case Remote(host, port):
            words = f"looking up {source}"
            return _beside(lambda: resolve(host, port), lambda: tell(NAME_SHARE, words), deadline, words)
        case WorldFile(path):
            if not path.exists():
                raise SourceError(f"{path} does not exist.")
            raise UnreadableFile(
                f"{path} is neither a recording (.cscope) nor a saved world (a folder, .mcworld, .zip)."
            )
        case Embedded():
            raise AssertionError("an embedded source is where its server listens")


def _beside(work: Callable[[], T], tell: Callable[[], None], deadline: float, words: str) -> T:
    """What came of a call to the system that may take long and hears no signal: told of meanwhile, and given up late.

    Raises:
        SourceError: it is not over at the deadline.
    """
    beside = Beside("asking", work)
    while not beside.wait(IDLE_S):
        tell()
        if time.monotonic() >= deadline:
            raise SourceError(f"{words} took too long: the system has not answered.")
    return beside.outcome()


def _protocol(source: Source, address: Address, options: Options, deadline: float, tell: Progress) -> int:
    """The number to speak: the one that was asked for, else the one the server names."""
    if options.protocol != "auto" or not isinstance(source, Remote):
        return served_protocol(source, options)
    words = f"asking {source} which version it speaks"
    within_s = min(PING_S, deadline - time.monotonic())
    pong = _beside(lambda: ping(address, within_s), lambda: tell(VERSION_SHARE, words), deadline + PING_S, words)
    if pong is None or pong.protocol == 0:
        return PROTOCOL
    if not is_supported(pong.protocol):
        raise SourceError(other_version(source, pong.protocol, pong.version, SUPPORTED_RANGE))
    return pong.protocol


def _transport(source: Source, address: Address, options: Options, protocol: int, player: Claim) -> UdpTransport:
    codec = Codec(protocol, Profile(options.profile))
    identity = Identity(
        options.player_name, player.uuid, str(source) if isinstance(source, Remote) else f"{address[0]}:{address[1]}"
    )
    store = open_blob_cache(source, options)
    blobs = None if store is None else MemoryBlobs(behind=store)
    peer = ClientPeer(address, codec, identity, time.monotonic(), time.time(), os.urandom, blobs=blobs)
    try:
        return UdpTransport(peer, address, files=() if store is None else (store,), claim=player)
    except BaseException:
        if store is not None:
            store.close()
        raise


def _answers(transport: UdpTransport, deadline: float) -> bool:
    """Waits for the server's first word: no older recording is overwritten for a server that is not there."""
    while not transport.stats().datagrams_in:
        if transport.over or time.monotonic() >= deadline:
            return False
        time.sleep(IDLE_S)
    return True


def _stay(connection: Connection, until_s: float, tell: Progress) -> None:
    """Pumps until the first column is there, or nothing has been for so long.

    Raises:
        SourceError: the player was let in and thrown out.
    """
    while not connection.session.store.row_of and time.monotonic() < until_s:
        tell(1.0, "waiting for the first column")
        if not connection.pump():
            time.sleep(IDLE_S)


def _join(connection: Connection, deadline: float, tell: Progress) -> None:
    """Pumps until the server lets the player in."""
    options = connection.options
    awaited = Awaited(connection, time.monotonic())
    while connection.session.phase is not Phase.PLAYING:
        busy = connection.pump()
        tell(*awaited.told(time.monotonic()))
        if time.monotonic() >= deadline:
            heard = connection.statistics().peer.datagrams_in
            if not heard:
                raise SourceError(absent(connection.source, options.timeout_s))
            last_fault = connection.statistics().session.last_fault
            raise SourceError(not_let_in(connection.source, options.timeout_s, last_fault))
        if not busy:
            time.sleep(IDLE_S)
    expected, actual = options.dimension, connection.session.store.dimension
    if expected is not None and expected != actual.number:
        raise SourceError(f"{connection.source} put the player into dimension {actual.name}, not {expected}.")
