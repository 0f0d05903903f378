"""A client and our own server in one thread and in virtual time: no socket, no sleep, same result every run.

``StreamedWorld`` measures streaming: our own server and a line with a fixed delay.
"""

from collections.abc import Callable, Sequence
from functools import cache

from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.live import LightKeeper
from client.options import Options
from client.player import Eye, PlayerConfig, View
from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.source import Embedded
from net.bedrock import Message
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.bedrock.login.tokens import PrivateKey
from net.blobs import BlobSource
from net.nethernet.connection import NetherNetConnection
from net.nethernet.offer import ClientOffer
from net.palette import Palette
from net.peer import ClientPeer, Event, PeerStats, Transports
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions
from net.server.virtual_host import RememberedWorld, even_entropy
from net.server.worlds import ServerWorld, open_worlds
from net.transport.faulty import PERFECT, Delayed, Wire
from net.transport.loopback import CLIENT_ADDRESS, Loopback
from net.visibility.priority import PriorityWeights
from net.wire.fields import Profile
from render.bench.streaming import StreamMeter

# ---------------------------------------------------------------- virtual session

ADDRESS = ("127.0.0.1", 19132)
UNIX_TIME = 1_750_000_000.0
FRAME_S = 0.01
SWIFT = PlayerConfig(level_speed_blocks_s=1000.0, climb_speed_blocks_s=1000.0)

palette = cache(Palette.for_protocol)


@cache
def shared_world(choice: str) -> RememberedWorld:
    """One world for all tests of a process; it makes each column once and completely, without counting time.

    If columns were made step by step, they would come earlier in tests that run after others.
    """
    return RememberedWorld(open_worlds(choice)[0])


class VirtualTransport:
    """A loopback as a ``Transport``; each call of ``events`` lets the time of a frame pass."""

    def __init__(self, link: Loopback, frame_s: float = FRAME_S) -> None:
        self.link = link
        self.codec = link.codec
        self.frame_s = frame_s

    def send(self, message: Message) -> None:
        self.link.send(message)

    def events(self) -> list[Event]:
        self.link.step(self.link.now)
        self.link.now += self.frame_s
        return self.link.events()

    def close(self, reason: str) -> None:
        self.link.close(reason)

    def stats(self) -> PeerStats:
        return self.link.stats()


class VirtualSession:
    """One client of one host.

    Args:
        world: a world, or its name as ``--world`` takes it.
        options: options of the host.
        config: configuration of the session.
        profile: wire profile of both ends.
        up: the wire to the host.
        down: the wire to the client.
        protocol: protocol of both ends.
        blobs: the client's blob cache; by default none.
        beside: other dimensions of the world.
        nethernet: whether to join by NetherNet. The wires are perfect until its channels are open, since OpenSSL
            repeats its handshake by the real clock.
    """

    def __init__(
        self,
        world: str | ServerWorld = "flat:1",
        options: HostOptions | None = None,
        config: SessionConfig | None = None,
        profile: Profile = Profile.BEDROCK,
        up: Wire | None = None,
        down: Wire | None = None,
        protocol: int = 486,
        blobs: BlobSource | None = None,
        beside: Sequence[ServerWorld] = (),
        nethernet: bool = False,
    ) -> None:
        codec = Codec(protocol, profile)
        self.world = shared_world(world) if isinstance(world, str) else world
        spoken = ProtocolRange.only(protocol, profile)
        start = 0.0, UNIX_TIME, even_entropy(1)
        options = options or HostOptions()
        if nethernet:
            options = replace(options, transports=Transports.NETHERNET)
        self.host = Host(self.world, options, spoken, *start, beside=beside)
        identity = Identity("tester", "00000000-0000-0000-0000-000000000001")
        link = self._offered() if nethernet else None
        key = link[1] if link else None
        peer = ClientPeer(
            ADDRESS, codec, identity, 0.0, UNIX_TIME, even_entropy(2), blobs=blobs, link=link and link[0], key=key
        )
        self.link = Loopback(peer, self.host, up, down)
        if link:
            self._open(link[0], [wire for wire in (up, down) if wire is not None])
        config = replace(config or SessionConfig(radius=2, player=SWIFT), protocol=protocol)
        self.session = Session(config, palette(protocol), 0.0)
        self.sent: list[Message] = []

    def _offered(self) -> tuple[NetherNetConnection, PrivateKey]:
        """A link whose offer the host has answered, and the login's key."""
        offer = ClientOffer((CLIENT_ADDRESS,), "tester", even_entropy(3), UNIX_TIME)
        answer = self.host.answer(offer.text, CLIENT_ADDRESS[0], (ADDRESS,), 0.0)
        return offer.answered(answer, UNIX_TIME, 0.0)[0], offer.key

    def _open(self, link: NetherNetConnection, wires: Sequence[Wire]) -> None:
        faults = [wire.faults for wire in wires]
        for wire in wires:
            wire.faults = PERFECT
        while not link.connected:
            assert self.link._round(0.0), link.closed
        for wire, its in zip(wires, faults, strict=True):
            wire.faults = its

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self.link.now

    def turn(self) -> list[Event]:
        """One frame: what has arrived, one tick, what is to be sent; then 10 ms pass. Returns the events."""
        now = self.link.now
        self.link.step(now)
        events = self.link.events()
        for event in events:
            self.receive(event, now)
        stats = self.link.stats()
        self.session.tick(now, stats.rtt_s or 0.0, stats.under_way(now))
        for message in self.session.outbox.take():
            self.sent.append(message)
            self.link.send(message)
        self.link.step(now)
        self.link.now = now + FRAME_S
        return events

    def receive(self, event: Event, now: float) -> None:
        """Passes one event to the session; tests override it to change messages of the server."""
        self.session.handle(event, now)

    def run(self, until: Callable[[], bool], limit_s: float = 60.0) -> bool:
        """Takes turns until the condition holds; False if ``limit_s`` of virtual time passed."""
        end = self.now + limit_s
        while not until():
            if self.now >= end:
                return False
            self.turn()
        return True

    def settle(self, limit_s: float = 60.0) -> bool:
        """Takes turns until nothing is wanted or outstanding."""
        return self.run(lambda: self.session.unsettled(self.now) is None, limit_s)

    def light_up(self) -> None:
        """Computes the light of all known sub-chunks."""
        LightKeeper(self.session).light_up()

    def connection(self, options: Options | None = None) -> Connection:
        """The same client as a joined ``Connection``; do not call ``turn`` after that."""
        connection = Connection(
            Embedded(),
            options or Options(radius=2),
            self.session,
            VirtualTransport(self.link),
            clock=lambda: self.link.now,
            rest=lambda _seconds: None,
        )
        if connection.options.record:
            connection.record(connection.options.record)
        while self.session.spawn.phase is not SpawnPhase.PLAYING:
            connection.pump()
        return connection


# ---------------------------------------------------------------- streamed world

STREAMED_WORLD_FRAME_S = 0.005


class _FineTransport(VirtualTransport):
    """Frames of 5 ms, to measure a tenth of a round trip."""

    def events(self) -> list[Event]:
        self.link.step(self.link.now)
        self.link.now += STREAMED_WORLD_FRAME_S
        return self.link.events()


class StreamedWorld:
    """A client that has just joined ``world``; ``meter`` measures it, ``view`` is the view at the spawn."""

    def __init__(
        self,
        world: ServerWorld,
        radius: int,
        mode: str = "limited",
        round_trip_s: float = 0.2,
        everything: bool = False,
        weights: PriorityWeights | None = None,
    ) -> None:
        options = HostOptions(mode=ColumnMode(mode), radius_max=radius + 1, warm_radius=radius + 1)
        virtual = VirtualSession(
            world, options, SessionConfig(radius=radius, player=SWIFT, weights=weights or PriorityWeights())
        )
        self._link = virtual.link
        self.connection = Connection(
            Embedded(),
            Options(radius=radius, light=False),
            virtual.session,
            Delayed(_FineTransport(virtual.link), round_trip_s, self.clock),
            clock=self.clock,
            rest=lambda _seconds: None,
        )
        while self.connection.session.spawn.phase is not SpawnPhase.PLAYING:
            self.connection.pump()
        self.view: View = self.connection.session.movement.view
        self.meter = StreamMeter(self.connection, self.clock, lambda _seconds: None, everything)

    def clock(self) -> float:
        """Virtual seconds."""
        return self._link.now

    def above(self, blocks: float) -> View:
        """A level view from above the spawn."""
        eye = self.view.eye
        return View(Eye(eye.x, eye.y + blocks, eye.z))
