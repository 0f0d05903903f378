"""Three hundred strangers who knock and say no more, at a server that has room for sixty-four.

Half of them open a session and leave it at that, half finish RakNet's handshake, keep the line alive and never log in.
All in virtual time, one address each.
"""

import numpy as np

from net.bedrock import LevelChunk, Message, RequestChunkRadius, SubChunk, SubChunkRequest
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.peer import ClientPeer, Received
from net.raknet import Address, ClientConnection
from net.raknet.handshake import OpenReply1, OpenRequest1, OpenRequest2, read_offline, write_offline
from net.raknet.limits import SERVER_LIMITS
from net.server.client_session import LOGIN_S
from net.server.host import MOST_PLAYERS
from net.space.positions import SubChunkPos
from tests.support.session.plain_client import UNIX_TIME, entropy, make_host
from tests.support.session.virtual import shared_world

SERVER: Address = ("127.0.0.1", 19132)
STRANGERS = 300
STEP_S = 0.05


class HalfOpen:
    """Opens a session and leaves it at that."""

    def __init__(self) -> None:
        self.replies = 0  # datagrams that it was sent
        self._out = [write_offline(OpenRequest1(10, 1492))]

    def receive(self, datagram: bytes, now: float) -> None:
        self.replies += 1
        if datagram[0] < 0x80 and isinstance(reply := read_offline(datagram), OpenReply1):
            self._out.append(write_offline(OpenRequest2(SERVER, reply.mtu_bytes, 77, reply.cookie)))

    def datagrams(self, now: float) -> list[bytes]:
        out, self._out = self._out, []
        return out


class Crowd:
    """A host and everybody who talks to it, each from an address of its own."""

    def __init__(self) -> None:
        self.host = make_host(shared_world("flat:1"))
        self.now = 0.0
        self.ends: dict[Address, HalfOpen | ClientConnection | ClientPeer] = {}
        self.most_connections = 0
        self.sent_bytes = self.taken_bytes = 0  # by strangers, and to them

    @property
    def connections(self) -> int:
        return self.host._listener._listener.connections

    def add(self, end: HalfOpen | ClientConnection | ClientPeer) -> None:
        self.ends[f"10.0.{len(self.ends) // 200}.{len(self.ends) % 200}", 4000] = end

    def honest(self, name: str) -> "Honest":
        identity = Identity(name, "00000000-0000-4000-8000-000000000001")
        peer = ClientPeer(SERVER, Codec(486), identity, self.now, UNIX_TIME + self.now, entropy(name))
        self.add(peer)
        return Honest(peer)

    def rest(self, seconds: float, *honest: "Honest") -> None:
        """Lets time pass, a tick after another."""
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            for address, end in self.ends.items():
                for datagram in end.datagrams(self.now):
                    self.sent_bytes += len(datagram) * isinstance(end, HalfOpen)
                    self.host.receive(address, datagram, self.now)
            for address, datagram in self.host.datagrams(self.now):
                self.taken_bytes += len(datagram) * isinstance(self.ends[address], HalfOpen)
                self.ends[address].receive(datagram, self.now)
            self.most_connections = max(self.most_connections, self.connections)
            for each in honest:
                each.hear()


class Honest:
    """A client that means to play, and all that it heard."""

    def __init__(self, peer: ClientPeer) -> None:
        self.peer = peer
        self.heard: list[Message] = []

    def hear(self) -> None:
        while (event := self.peer.next_event()) is not None:
            if isinstance(event, Received):
                self.heard.append(event.message)

    def count(self, kind: type) -> int:
        return sum(isinstance(message, kind) for message in self.heard)


def test_three_hundred_idle_strangers_take_no_more_than_the_places_there_are_and_give_them_back() -> None:
    crowd = Crowd()
    player = crowd.honest("early")
    crowd.rest(1.0, player)
    player.peer.send(RequestChunkRadius(1))
    crowd.rest(1.0, player)
    assert player.count(LevelChunk) == 9
    for number in range(STRANGERS):
        crowd.add(ClientConnection(SERVER, 1000 + number, crowd.now, 10) if number % 2 else HalfOpen())
    crowd.rest(5.0, player)
    assert crowd.connections == crowd.most_connections == MOST_PLAYERS
    strangers = [end for end in crowd.ends.values() if isinstance(end, ClientConnection)]
    assert sum(end.connected for end in strangers) > 10
    refused = sum(end.closed is not None for end in strangers)
    assert refused == STRANGERS // 2 - sum(end.connected for end in strangers)
    assert crowd.taken_bytes < crowd.sent_bytes, "nobody is answered with more than was sent"

    late = crowd.honest("late")
    player.peer.send(SubChunkRequest(0, SubChunkPos(0, -4, 0), np.zeros((1, 3), np.int8)))
    crowd.rest(1.0, player, late)
    assert player.count(SubChunk) == 1, "who plays is served meanwhile"
    assert late.peer.closed == "the server is full"

    crowd.rest(max(LOGIN_S, SERVER_LIMITS.handshake_s) + SERVER_LIMITS.linger_s, player)
    assert crowd.connections == 1, "only who plays is left"
    assert player.peer.closed is None
    again = crowd.honest("again")
    crowd.rest(1.0, player, again)
    again.peer.send(RequestChunkRadius(1))
    crowd.rest(1.0, player, again)
    assert again.count(LevelChunk) == 9
