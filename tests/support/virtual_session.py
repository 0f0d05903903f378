"""A session and our own server in one thread and in virtual time: no socket, no sleep, same result every run."""

from collections.abc import Callable
from itertools import count

from client.session.config import SessionConfig
from client.session.lighting import LightKeeper
from client.session.session import Session
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.palette import Palette
from net.peer import ClientPeer
from net.server.host import Host
from net.server.options import HostOptions
from net.server.worlds import open_world
from net.transport.faulty import Wire
from net.transport.loopback import Loopback
from net.wire.profile import Profile

ADDRESS = ("127.0.0.1", 19132)
UNIX_TIME = 1_750_000_000.0
TICK_S = 0.05


def chance(seed: int) -> Callable[[int], bytes]:
    """Bytes that look random and are the same every run."""
    numbers = count(seed * 1_000_003 + 1)
    return lambda size: b"".join(
        (next(numbers) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big") for _ in range(size // 8 + 1)
    )[:size]


class VirtualSession:
    """One client of one host.

    Args:
        world: as ``--world`` takes it.
        options: of the host.
        config: of the session.
        profile: of both.
        up: the wire to the host.
        down: the wire to the client.
    """

    def __init__(
        self,
        world: str = "flat:1",
        options: HostOptions | None = None,
        config: SessionConfig | None = None,
        profile: Profile = Profile.BEDROCK,
        up: Wire | None = None,
        down: Wire | None = None,
    ) -> None:
        codec, palette = Codec(486, profile), Palette.for_protocol(486)
        self.world = open_world(world)
        self.host = Host(self.world, options or HostOptions(), codec, palette, 0.0, UNIX_TIME, chance(1))
        peer = ClientPeer(ADDRESS, codec, Identity("tester", "00000000-0000-0000-0000-000000000001"), 0.0, UNIX_TIME, chance(2))
        self.link = Loopback(peer, self.host, up, down)
        self.session = Session(config or SessionConfig(radius=2), palette, 0.0)
        self.keeper = LightKeeper(self.session)
        self.palette = palette

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self.link.now

    def turn(self) -> None:
        """One frame: everything that has arrived, one tick, everything to be sent; then 10 ms pass."""
        now = self.link.now
        self.link.step(now)
        for event in self.link.events():
            self.session.handle(event, now)
        self.session.tick(now, self.link.stats().rtt_s or 0.0)
        for message in self.session.take_outgoing():
            self.link.send(message)
        self.link.step(now)
        self.link.now = now + 0.01

    def run(self, until: Callable[[], bool], limit_s: float = 60.0) -> bool:
        """Turns until a condition holds; False when the virtual time ran out."""
        end = self.now + limit_s
        while not until():
            if self.now >= end:
                return False
            self.turn()
        return True

    def settle(self, limit_s: float = 60.0) -> bool:
        """Turns until nothing is wanted or outstanding, then makes the light."""
        settled = self.run(lambda: self.session.unsettled(self.now) is None, limit_s)
        while self.keeper.step(200):
            pass
        return settled
