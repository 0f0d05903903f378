"""A client peer and a listener on two wires, in virtual time; the listener's peers and their events are at hand."""

from collections.abc import Sequence
from random import Random

from net.bedrock import Codec, StartGame
from net.bedrock.login import Identity
from net.bedrock.releases import ProtocolRange, release_of
from net.peer import ClientPeer, Event, Joined, PeerListener, ServerPeer
from net.raknet import Address
from net.transport.faulty import PERFECT, Wire, WireFaults
from net.transport.loopback import Loopback

SERVER = ("127.0.0.1", 19132)
ADA = Identity("Ada", "0d3b1f9c-3a83-4b41-9d60-0c6e6a1c5e11", "127.0.0.1:19132")
UNIX_TIME = 1_700_000_000.0
START = StartGame(entity_unique_id=1, runtime_id=1, position=(0.0, 64.0, 0.0))


class GreetingHost:
    """A host that answers a finished login with StartGame and ``afterwards``, and keeps all events."""

    def __init__(self, now: float, seed: int = 1, afterwards: Sequence[bytes] = (), protocol: int = 486) -> None:
        self.afterwards = afterwards
        pong = f"MCPE;pair;{protocol};{release_of(protocol).name};0;9;"
        self.listener = PeerListener(ProtocolRange.only(protocol), pong, now, UNIX_TIME, Random(seed).randbytes)
        self.peers: list[ServerPeer] = []
        self.events: list[Event] = []

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self.listener.receive(address, datagram, now)
        while (peer := self.listener.accept()) is not None:
            self.peers.append(peer)
        self._hear()

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        out = self.listener.datagrams(now)
        self._hear()  # of logins that had to wait for their turn, too
        return out

    def _hear(self) -> None:
        for peer in self.peers:
            while (event := peer.next_event()) is not None:
                self.events.append(event)
                if isinstance(event, Joined):
                    peer.send(START)
                    for packet in self.afterwards:  # a batch each
                        peer.send_packet(packet)
                        peer.flush()

    def next_timer(self) -> float | None:
        return self.listener.next_timer()


class PeerPair:
    """``events`` are the client's, ``host.events`` the server's."""

    def __init__(
        self, up: WireFaults = PERFECT, down: WireFaults = PERFECT, seed: int = 0, protocol: int = 486
    ) -> None:
        self.up, self.down = Wire(up, seed), Wire(down, seed + 1)
        self.host = GreetingHost(0.0, seed + 2, protocol=protocol)
        self.client = ClientPeer(SERVER, Codec(protocol), ADA, 0.0, UNIX_TIME, Random(seed + 3).randbytes)
        self.link = Loopback(self.client, self.host, self.up, self.down)
        self.events: list[Event] = []

    @property
    def server(self) -> ServerPeer:
        return self.host.peers[0]

    def run(self, limit_s: float = 60.0, joined: bool = False, messages: int = -1) -> bool:
        """Until both ends have joined, or so many client events are there, or the time is over."""

        def done() -> bool:
            self.events += self.link.events()
            return (joined and self.client.joined) or (0 <= messages <= len(self.events))

        return self.link.run(done, limit_s)

    def join(self) -> "PeerPair":
        assert self.run(joined=True), (self.client.closed, self.events)
        return self
