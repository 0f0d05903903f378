"""Opens a SOURCE: pings, versions, child process, kernels, transport; returns a connection that has joined.

Every failure is a ``SourceError`` with one sentence, and leaves no thread, socket or child process behind.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from client.background_task import BackgroundTask
from client.connection.connection import Connection, Spoken
from client.connection.identity import Claim, claim, somebody
from client.connection.settle import IDLE_S, WOKEN_S
from client.embedded_server import EmbeddedServer, is_served, served_protocol, server_of
from client.errors import GuessRefused, MissingFile, NetherNetError, NotLetIn, SourceError, UnreadableFile, UsageError
from client.options import FRESH, PROTOCOL, Moment, Options, cache_folder
from client.player import PlayerConfig
from client.recording.replay import Replay
from client.session.config import SessionConfig
from client.session.join_steps import LOGIN, PACKETS, SETTINGS
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.session.stats import UNSENT_S
from client.source import (
    LAN,
    Embedded,
    Remote,
    Source,
    WorldFile,
    absent,
    is_recording,
    is_there_already,
    not_connected,
    not_let_in,
    one_line,
    other_version,
    parse_source,
    source_sentence,
)
from client.world.block_table import BlockTable
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.blobs import MemoryBlobs
from net.errors import CLOSED_BY_PEER, ConnectionClosed, DecodeError, NoGameServer
from net.palette import Palette
from net.peer import ClientPeer, Transports
from net.raknet.handshake import Address
from net.raknet.ping import Pong
from net.recording.file import Recording
from net.releases import RELEASES, SETTINGS_FIRST, SUPPORTED_RANGE, is_supported
from net.space import by_number
from net.storage import BlobStore
from net.storage.blob_store import FILE_NAME
from net.transport.faulty import Delayed
from net.transport.udp import UdpTransport, resolve
from net.visibility.priority import PriorityWeights
from net.wire.fields import Profile

if TYPE_CHECKING:
    from net.transport.http_signalling import FoundServer

NAME_SHARE, VERSION_SHARE, ANSWER_SHARE, LOGIN_SHARE, START_SHARE, SPAWN_SHARE = 0.05, 0.15, 0.3, 0.45, 0.6, 0.75
TERRAIN_SHARE: Final = 0.85
STEPS: Final = (
    (NAME_SHARE, "name"),
    (VERSION_SHARE, "version"),
    (ANSWER_SHARE, "answer"),
    (LOGIN_SHARE, "login"),
    (START_SHARE, "game"),
    (SPAWN_SHARE, "spawn"),
    (TERRAIN_SHARE, "terrain"),
)
"""Progress of a join at the begin of each step, 0..1, and the step's name."""
START_GAME: Final = "StartGame"
GUESSES: Final = tuple(release.protocol for release in reversed(RELEASES) if release.protocol >= 2168)[:4]
"""Protocols that are tried, in order, over NetherNet with a server that does not name its own.

NetherNet came with 2168.
"""


class Awaited:
    """Describes what a join waits for: ``waiting for StartGame, 2.1 s; ... 14 packets``.

    The step follows from what was received, not from what was sent: silence, datagrams, packets, StartGame, columns.
    The seconds are those of the present step, so that the user sees which one hangs.
    """

    def __init__(self, connection: Connection, now: float) -> None:
        self._connection = connection
        self._step = ""
        self._since = now

    def told(self, now: float) -> tuple[float, str]:
        share, step, heard = self._standing()
        if step != self._step:
            self._step, self._since = step, now
        return share, f"waiting for {step}, {now - self._since:.1f} s; {heard}"

    def _standing(self) -> tuple[float, str, str]:
        peer = self._connection.peer_stats()
        session = self._connection.session
        if not peer.datagrams_in:
            return ANSWER_SHARE, "an answer", f"no reply to {counted(peer.datagrams_out, 'datagram')}"
        packets = f"the server has sent {counted(peer.packets_in, 'packet')}"
        if not peer.packets_in:
            replied = f"the server replied with {counted(peer.datagrams_in, 'datagram')}"
            return LOGIN_SHARE, "the server's first packet", replied
        if session.spawn.phase is SpawnPhase.JOINING:
            return START_SHARE, START_GAME, packets
        columns = counted(len(session.dimension.store.row_of), "column")
        return SPAWN_SHARE, "the spawn status", f"{packets}, including {columns}"


def counted(number: int, thing: str) -> str:
    """``1 packet``, ``2,000 packets``."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def open_blob_cache(source: Source, options: Options) -> BlobStore | None:
    """The blob cache of a connection, or None; a fault of the disk is a warning, never an error.

    A second visit then transfers ids instead of sub-chunks that are known. There is none for an embedded server, which
    is on this machine, and while recording, since a recording must be complete by itself.
    """
    wanted = isinstance(source, Remote) if options.cache is None else options.cache
    if not wanted or options.record:
        return None
    return BlobStore((options.cache_dir or cache_folder()) / FILE_NAME)


TELL_EVERY_S: Final = 0.05

Progress = Callable[[float, str], None]


def open_recording(path: Path) -> Recording:
    """Opens the file of a recording.

    Raises MissingFile; UnreadableFile: it is no recording, of another version, or damaged at its begin.
    """
    try:
        return Recording.open(path)
    except FileNotFoundError:
        raise MissingFile(path) from None
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}.") from None
    except DecodeError as error:
        raise UnreadableFile(f"{path} at byte {error.offset}: {error.field} {error.reason}.") from None


def open_replay(path: Path, space_bytes: int = 0) -> Replay:
    """Opens a recording at its start; raises as ``open_recording``."""
    recording = open_recording(path)
    try:
        return Replay(recording, path, space_bytes=space_bytes)
    except BaseException:
        recording.close()
        raise


def open_recorded(source: WorldFile, options: Options, progress: Progress) -> Connection:
    """A connection that plays a recording from where the server spawned the player, or from ``Options.start``.

    Its ``source`` is the recorded one, so that outputs made from it bear the same labels. A recording with lost parts
    plays from where it is whole; with a dimension in the options, from where that is shown first. With
    ``Options.still`` it stays at that moment. Raises UnreadableFile: see ``open_replay``; UsageError: the options
    record it, pin anchors, or name a moment after its end; SourceError: it does not show the named dimension, or not at
    that moment.
    """
    if options.record:
        raise UsageError(f"{source} is already a recording: copy the file.")
    if options.pins:
        raise UsageError(f"{source} is a recording: its anchors were pinned at that time, and no others can be pinned.")
    replay = open_replay(source.path, options.past.most_bytes // 2 if options.past else 0)
    try:
        replay.join()
        replay.leave_checkpoint()  # so that a seek to the first seconds need not repeat the join
        chosen = options.start if options.still is None else options.still
        moment = Moment(replay.whole_from_s) if chosen is None and replay.whole_from_s else chosen
        if moment is not None:
            _go_to(replay, moment, source, progress)
        if options.dimension is not None:
            _expect_dimension(replay, options.dimension, chosen, source, progress)
    except BaseException:
        replay.close("it is not replayed")
        raise
    if options.still is None:
        replay.play(options.speed)
    return Connection(_recorded(replay, source), options, replay.session, replay)


def _go_to(replay: Replay, moment: Moment, source: WorldFile, progress: Progress) -> None:
    if moment.packet is None:
        if moment.time_s > replay.duration_s:
            raise _too_late(f"{source} lasts {replay.duration_s:.2f} s", moment, replay)
        if moment.time_s < replay.whole_from_s:
            raise UsageError(
                f"{source} is readable only from {replay.whole_from_s:.2f} s on; {moment} lies before that."
            )
        replay.seek(moment.time_s)
    else:
        replay.seek_packet(moment.packet)
    while (there := replay.on_the_way) is not None:
        progress(there.time_s / max(replay.duration_s, 1e-6), f"seeking to {moment} in {source}")
        replay.run(TELL_EVERY_S)
    if moment.packet is not None and replay.position.packets < moment.packet:
        raise _too_late(f"{source} has {replay.position.packets} packets", moment, replay)


def _expect_dimension(
    replay: Replay, dimension: int, chosen: Moment | None, source: WorldFile, progress: Progress
) -> None:
    """Plays on to where the dimension is shown first; if the user chose a moment, only checks the dimension there."""

    def shown(session: Session) -> bool:
        progress(replay.position.time_s / max(replay.duration_s, 1e-6), f"searching {source} for {wanted}")
        return session.dimension.store.dimension.number == dimension

    wanted = by_number(dimension).name
    if chosen is None:
        replay.until(shown)
    actual = replay.session.dimension.store.dimension
    if actual.number != dimension:
        where = "never shows dimension" if chosen is None else f"shows dimension {actual.name} at {chosen}, not"
        raise SourceError(f"{source} {where} {wanted}.")


def _too_late(has: str, moment: Moment, replay: Replay) -> UsageError:
    """The error with the damages of the file, which may be why."""
    lost = "".join(f"; {damage}" for damage in replay.damages)
    return UsageError(f"{has}, so {moment} lies outside it{lost}.")


def _recorded(replay: Replay, file: WorldFile) -> Source:
    """The recorded source, so that outputs bear its labels; the file if that source cannot be parsed."""
    try:
        return parse_source(replay.source)
    except UsageError:
        return file


T = TypeVar("T")

PING_S: Final = 2.0  # how long a server may take to answer a ping; some never do and are tried all the same

OUR_PLAYER: Final = PlayerConfig(level_speed_blocks_s=1000.0, climb_speed_blocks_s=1000.0)
"""Our own server does not limit the speed, so that the player is soon where a picture is taken."""
OUR_INTERVAL_S: Final = 0.01
"""Interval between request packets to our own server: a join takes nine, each for what the last answers showed. Other
servers get one in each tick of 50 ms."""
ENDLESS: Final = frozenset({"hills", "flat"})
ENDLESS_QUIET_S: Final = 15.0
"""How long an endless world of our server may be silent while columns are missing: every column comes, and on a busy
machine the next may take seconds (84 columns of 1,225 counted as a whole world after half a second, 2,947 of 4,489
after three, at loads of 17 and 25)."""

NETHERNET_SHARE: Final = 0.6
"""Of the time for a join: when a server must have sent its first packet over NetherNet; the rest is for RakNet."""

STAYS_S: Final = 1.0
"""A server that already has this player may spawn it and disconnect it a moment later (dragonfly 0.11), instead of
sending terrain."""

STRANGER: Final = "you join as a new player: the server already has this player"


def open_connection(source: Source, options: Options, progress: Progress | None = None) -> Connection:
    """Joins a source; ``progress``: told (share done 0..1, what is done) now and then.

    Raises SourceError: it cannot be joined; UnreadableFile: it is a recording that cannot be read; UsageError: an
    option does not fit the source.
    """
    deadline = time.monotonic() + options.timeout_s
    tell = progress or (lambda _share, _what: None)
    if is_recording(source):
        return open_recorded(source, options, tell)
    if options.start is not None or options.speed is not None:
        raise UsageError(f"{source} is not a recording: a start time and a speed apply only to recordings.")
    if options.still is not None:
        raise UsageError(f"{source} is not a recording: it cannot be shown at {options.still}.")
    if options.transport == "raknet" and isinstance(source, Remote) and source.scheme:
        raise UsageError(f"{source} is joined over NetherNet only: for RakNet write HOST:PORT.")
    try:
        return _open_either(source, options, tell, deadline)
    except SourceError as error:
        if options.identity == FRESH or not isinstance(source, Remote) or not is_there_already(str(error)):
            raise
    return _open_either(source, options, tell, deadline, stranger=True)


def _open_either(
    source: Source, options: Options, tell: Progress, deadline: float, *, stranger: bool = False
) -> Connection:
    """Like ``_open``; tries each guessed protocol if the server names none, then RakNet if either is allowed."""
    either = options.transport == "auto" and isinstance(source, Remote) and not source.scheme
    now = time.monotonic()
    heard_by = now + NETHERNET_SHARE * (deadline - now) if either else deadline
    try:
        return _open(source, options, tell, deadline, heard_by=heard_by, stranger=stranger)
    except NetherNetError as error:
        failed = error
    for protocol in GUESSES[1:] if isinstance(failed, GuessRefused) else ():
        if time.monotonic() < heard_by:
            with suppress(NetherNetError):
                guess = replace(options, protocol=protocol)
                return _open(source, guess, tell, deadline, heard_by=heard_by, stranger=stranger)
    if not either or not isinstance(source, Remote):
        raise failed
    tell(VERSION_SHARE, f"asking {source} whether it also speaks RakNet")
    asked = replace(options, transport="raknet", protocol="auto")
    if time.monotonic() < deadline and _find(source, _address(source, deadline, tell), asked, deadline, tell):
        connection = _open(source, replace(options, transport="raknet"), tell, deadline, stranger=stranger)
        connection.remark = "; ".join(filter(None, (connection.remark, f"joined over RakNet: {one_line(str(failed))}")))
        return connection
    raise failed


def _open(
    source: Source,
    options: Options,
    tell: Progress,
    deadline: float,
    *,
    heard_by: float | None = None,
    stranger: bool = False,
) -> Connection:
    """Joins a source that is no recording, see ``open_connection``.

    ``heard_by``: when a server must have sent its first packet over NetherNet; None: at the deadline. ``stranger``:
    with a fresh player UUID.
    """
    palette: Palette | None = None
    server: EmbeddedServer | None = None
    other = ""  # the program that listens there over TCP instead of a server over NetherNet, in words
    with ExitStack() as undo:
        tell(0.0, "starting")
        if is_served(source):
            server = server_of(source, options)
            undo.callback(server.close)
            palette = Palette.for_protocol(served_protocol(source, options))  # takes 0.1 s, while the child starts
            BlockTable.build(palette)  # likewise; the session finds it
            server.wait_ready(deadline - time.monotonic(), tell)
        try:
            tell(NAME_SHARE, f"looking up {source}")
            address = _address(source, deadline, tell) if server is None else server.address
            tell(VERSION_SHARE, f"asking {source} which version it speaks")
            try:
                found = _find(source, address, options, deadline, tell)
            except NoGameServer as error:
                if options.transport == "nethernet" or (isinstance(source, Remote) and source.scheme):
                    raise
                found, other = None, error.reason
            by_nethernet = found is not None and found.transport == "nethernet"
            try:
                protocol = _protocol(source, found, options)
                player = claim(options.identity, address) if server is None and not stranger else Claim(somebody())
                undo.callback(player.close)
                until = heard_by if by_nethernet and heard_by is not None else deadline
                transport, key_remark = _transport(source, found, address, options, protocol, player, until, tell)
            except ConnectionClosed as error:
                kind = NetherNetError if by_nethernet else SourceError
                raise kind(source_sentence(source, error.reason)) from None
        except ConnectionClosed as error:
            raise SourceError(source_sentence(source, error.reason)) from None
        undo.callback(transport.close, "the join failed")
        if palette is None:
            palette = Palette.for_protocol(protocol)
        connection = _over(transport, source, options, palette, server, deadline)
        said = _said_of_version(found)
        version = "" if said is None else said.version
        connection.spoken = Spoken(
            Transports.RAKNET.value if found is None else found.place, protocol, one_line(version)
        )
        connection.remark = "; ".join(filter(None, (STRANGER if stranger else player.said, key_remark)))
        undo.callback(connection.close)
        try:
            _join(connection, deadline, until, tell)
        except SourceError as error:
            if connection.session.dispatcher.steps.has(LOGIN):
                raise
            guesses = () if options.protocol != "auto" or said is not None else GUESSES if by_nethernet else (protocol,)
            sentence = _closed_early(connection, guesses)
            if options.protocol != "auto" and isinstance(source, Remote) and not isinstance(error, NotLetIn):
                heard = connection.peer_stats().datagrams_in > 0
                sentence = _another_protocol(sentence or str(error), protocol, said, heard)
            if other and not connection.peer_stats().datagrams_in:
                sentence = f"{(sentence or str(error))[:-1]} over RakNet; {other}."
            if not sentence and not by_nethernet:
                raise
            kind = SourceError if not by_nethernet else NetherNetError
            if by_nethernet and guesses and not connection.session.dispatcher.steps.has(SETTINGS):
                kind = GuessRefused
            raise kind(sentence or str(error)) from None
        if not stranger and options.identity != FRESH and isinstance(source, Remote):
            _wait_for_column(connection, time.monotonic() + STAYS_S, tell)
        undo.pop_all()
        return connection


def _closed_early(connection: Connection, guesses: Sequence[int]) -> str:
    """The sentence for a server that closed the session before the login without a reason; else empty."""
    session = connection.session
    if session.spawn.closed_reason != CLOSED_BY_PEER:
        return ""
    steps, protocol = session.dispatcher.steps, session.config.protocol
    missing = LOGIN if steps.has(SETTINGS) or protocol < SETTINGS_FIRST else SETTINGS
    numbers = ", ".join(map(str, guesses))
    tried = f"; it does not say its version; tried: protocol {numbers} (--protocol N tries another)"
    return source_sentence(connection.source, f"{CLOSED_BY_PEER} before {PACKETS[missing]}{tried if guesses else ''}")


def _another_protocol(sentence: str, protocol: int, said: Pong | None, heard: bool) -> str:
    """The sentence of a join that failed, with what the server (``said``) says against the protocol asked for."""
    if said is not None and said.protocol != protocol:
        return f"{sentence[:-1]}; it speaks protocol {said.protocol}, but --protocol is {protocol}."
    if said is None and heard:
        return f"{sentence[:-1]}; --protocol is {protocol}, and it may speak another (auto finds out)."
    return sentence


def _over(
    transport: UdpTransport,
    source: Source,
    options: Options,
    palette: Palette,
    server: EmbeddedServer | None,
    deadline: float,
) -> Connection:
    """A connection that has not joined yet, with recording and rewind history if the options ask for them."""
    session = Session(session_config(source, options, transport.codec.protocol), palette, time.monotonic())
    carrier = Delayed(transport, options.delay_s, time.monotonic) if options.delay_s else transport
    rest = time.sleep if options.delay_s else lambda _seconds: transport.wait(WOKEN_S)
    connection = Connection(source, options, session, carrier, server, rest=rest)
    if options.record and _answers(transport, deadline):
        connection.record(options.record)
    if options.past:
        connection.remember(options.past)
    return connection


def session_config(source: Source, options: Options, protocol: int) -> SessionConfig:
    player = OUR_PLAYER if is_served(source) else PlayerConfig()
    weights = PriorityWeights(attention=options.attention)
    is_endless = isinstance(source, Embedded) and source.world in ENDLESS
    limits = options.limits
    if is_served(source) and not options.delay_s:
        limits = replace(limits, packet_interval_s=min(limits.packet_interval_s, OUR_INTERVAL_S))
    return SessionConfig(
        radius=options.radius,
        limits=limits,
        weights=weights,
        player=player,
        protocol=protocol,
        quiet_s=ENDLESS_QUIET_S if is_endless else SessionConfig().quiet_s,
    )


def _address(source: Source, deadline: float, tell: Progress) -> Address:
    match source:
        case Remote(host=host, port=port):
            words = f"looking up {source}"
            late = f"{words} took too long: the name lookup did not finish"
            return _beside(lambda: resolve(host, port), lambda: tell(NAME_SHARE, words), deadline, late)
        case WorldFile(path):
            if not path.exists():
                raise MissingFile(path)
            raise UnreadableFile(
                f"{path} is neither a recording (.cscope) nor a saved world (a folder, .mcworld, .zip)."
            )
        case Embedded():
            raise AssertionError("an embedded source is where its server listens")


def _beside(work: Callable[[], T], tell: Callable[[], None], deadline: float, late: str) -> T:
    """The result of a blocking system call on another thread. Raises SourceError with ``late`` at the deadline."""
    beside = BackgroundTask("asking", work)
    while not beside.wait(IDLE_S):
        tell()
        if time.monotonic() >= deadline:
            raise SourceError(f"{late}.")
    return beside.outcome()


def _find(source: Source, address: Address, options: Options, deadline: float, tell: Progress) -> "FoundServer | None":
    """The transport and version that a server answers with, or None. Raises ConnectionClosed: no NetherNet there."""
    if not isinstance(source, Remote) or (options.transport == "raknet" and options.protocol != "auto"):
        return None
    # HTTP and NetherNet take a fortieth of a second, which joining our own server does not need.
    from net.transport.http_signalling import (  # noqa: PLC0415 - as above
        GRACE_S,
        find_server,
        timeout_towards,
    )

    words = f"asking {source} which version it speaks"
    within_s = max(0.0, min(timeout_towards(address[0]), (deadline - time.monotonic()) / 3))
    if options.transport == "raknet":
        within_s = min(PING_S, max(0.0, deadline - time.monotonic()))
    bases, lan_port = ((), None) if options.transport == "raknet" else (source.places, source.lan_port)
    with_raknet = options.transport != "nethernet" and not source.scheme

    def ask() -> "FoundServer | None":
        return find_server(
            address, bases, within_s, with_raknet=with_raknet, lan_port=lan_port, before=options.joined_at
        )

    longest_s = within_s + GRACE_S + PING_S
    late = f"{source} did not say in time which version it speaks"
    found = _beside(ask, lambda: tell(VERSION_SHARE, words), deadline + longest_s, late)
    if found is None and not with_raknet:
        by_http = [f"over HTTP there ({' or '.join(bases)})"] if bases else []
        by_discovery = [f"over LAN discovery there (UDP port {lan_port})"] if lan_port is not None else []
        raise ConnectionClosed(f"no server accepts NetherNet offers {' or '.join(by_http + by_discovery)}")
    return found


def _protocol(source: Source, found: "FoundServer | None", options: Options) -> int:
    """The protocol number to use: that of the options, else the server's, else the transport's default."""
    if options.protocol != "auto" or not isinstance(source, Remote):
        return served_protocol(source, options)
    pong = _said_of_version(found)
    if pong is None:
        return PROTOCOL if found is None or found.transport == "raknet" else GUESSES[0]
    if not is_supported(pong.protocol):
        raise SourceError(other_version(source, pong.protocol, pong.version, SUPPORTED_RANGE))
    return pong.protocol


def _said_of_version(found: "FoundServer | None") -> Pong | None:
    """The version that a server names on the joined transport, else over RakNet; None if it names none."""
    pongs = () if found is None else (found.pong, found.raknet)
    return next((pong for pong in pongs if pong is not None and pong.protocol), None)


def _transport(
    source: Source,
    found: "FoundServer | None",
    address: Address,
    options: Options,
    protocol: int,
    player: Claim,
    until: float,
    tell: Progress,
) -> tuple[UdpTransport, str]:
    """The transport to the server, and a remark about its key; an offer must be answered by ``until``."""
    codec = Codec(protocol, Profile(options.profile))
    told = str(source) if isinstance(source, Remote) else f"{address[0]}:{address[1]}"
    if isinstance(source, Remote) and source.scheme == LAN:
        told = str(Remote(source.host, source.port))
    elif isinstance(source, Remote) and source.scheme:
        told = f"{source.scheme}://{Remote(source.host, source.port)}:{source.port}"  # in the form that the game sends
    identity = Identity(options.player_name, player.uuid, told)
    store = open_blob_cache(source, options)
    blobs = None if store is None else MemoryBlobs(behind=store)
    files = () if store is None else (store,)
    try:
        if found is None or found.place == Transports.RAKNET.value:
            peer = ClientPeer(address, codec, identity, time.monotonic(), time.time(), os.urandom, blobs=blobs)
            return UdpTransport(peer, address, files=files, claim=player), ""
        from client.connection.joining_nethernet import (  # noqa: PLC0415 - as in ``_find``
            join_lan_game,
            join_nethernet,
        )

        if found.game is not None:
            return join_lan_game(found.game, codec, identity, blobs, files, player)
        words = f"sending {found.place} a session offer"

        def post(work: Callable[[], str]) -> str:
            late = f"{found.place} did not answer a session offer in time (--timeout gives it more)"
            try:
                return _beside(work, lambda: tell(ANSWER_SHARE, words), until, late)
            except SourceError as error:
                raise NetherNetError(str(error)) from None

        return join_nethernet(found.place, address, codec, identity, options.insist_on_key, blobs, files, player, post)
    except BaseException:
        if store is not None:
            store.close()
        raise


def _answers(transport: UdpTransport, deadline: float) -> bool:
    """Waits for the first datagram, so that an older recording is not overwritten for a server that does not answer."""
    while not transport.stats().datagrams_in:
        if transport.over or time.monotonic() >= deadline:
            return False
        time.sleep(IDLE_S)
    return True


def _wait_for_column(connection: Connection, until_s: float, tell: Progress) -> None:
    """Pumps until the first column arrived or the time is over. Raises SourceError: the session was closed."""
    while not connection.session.dimension.store.row_of and time.monotonic() < until_s:
        tell(1.0, "waiting for the first column")
        if not connection.pump():
            connection.rest()


def _join(connection: Connection, deadline: float, heard_by: float, tell: Progress) -> None:
    """Pumps until the server spawns the player; its first packet must have come at ``heard_by``.

    Raises NotLetIn: the time is over, or columns came, and then nothing of the join for ``UNSENT_S``.
    """
    options = connection.options
    awaited = Awaited(connection, time.monotonic())
    while connection.session.spawn.phase is not SpawnPhase.PLAYING:
        busy = connection.pump()
        tell(*awaited.told(time.monotonic()))
        if (now := time.monotonic()) >= min(deadline, heard_by):
            peer = connection.peer_stats()
            if peer.waits_for or (now < deadline and not peer.packets_in):
                within_s = options.timeout_s - (deadline - heard_by)
                what = peer.waits_for or "the server's first packet"
                raise SourceError(not_connected(connection.source, within_s, what))
        session = connection.session
        stalled = session.dimension.store.row_of and now - session.dispatcher.steps.progress_at >= UNSENT_S
        if now >= deadline or stalled:
            if not connection.peer_stats().datagrams_in:
                raise SourceError(absent(connection.source, options.timeout_s))
            step, last_fault = session.join_fault(now, complete=True), session.stats(now).last_fault
            within_s = options.timeout_s - (deadline - now)
            raise NotLetIn(not_let_in(connection.source, within_s, step, last_fault), session)
        if not busy:
            connection.rest()
    expect_dimension(connection)


def expect_dimension(connection: Connection) -> None:
    """Raises SourceError: the player was spawned in another dimension than that of the options."""
    expected, actual = connection.options.dimension, connection.session.dimension.store.dimension
    if expected is not None and expected != actual.number:
        raise SourceError(f"{connection.source} spawned the player in dimension {actual.name}, not {expected}.")
