"""How many logins a listener reads on for before it lets others have their turn."""

import pytest

from net.bedrock import Message
from net.bedrock.codec import Codec
from net.bedrock.login import Identity, ServerLogin
from net.bedrock.releases import ProtocolRange
from net.peer import ClientPeer, PeerListener, ServerPeer
from net.peer.server import LOGINS_A_CALL
from net.raknet import Address
from tests.support.session.plain_client import UNIX_TIME, entropy

CLIENTS = 12


def test_logins_that_come_together_are_read_a_few_a_call_and_all_end_well(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [0]
    handle = ServerLogin.handle

    def counted(self: ServerLogin, message: Message) -> object:
        counts[-1] += 1
        return handle(self, message)

    monkeypatch.setattr(ServerLogin, "handle", counted)
    listener = PeerListener(ProtocolRange.only(486), "", 0.0, UNIX_TIME, entropy("server"))
    clients: dict[Address, ClientPeer] = {}
    for number in range(CLIENTS):
        identity = Identity(f"c{number}", f"00000000-0000-4000-8000-{number:012d}")
        address = ("127.0.0.1", 50000 + number)
        clients[address] = ClientPeer(("127.0.0.1", 19132), Codec(486), identity, 0.0, UNIX_TIME, entropy(f"{number}"))
    joined: list[ServerPeer] = []
    now = 0.0
    while now < 5.0 and not (len(joined) == CLIENTS and all(peer.joined for peer in joined)):
        now += 0.01
        for address, client in clients.items():
            for datagram in client.datagrams(now):
                listener.receive(address, datagram, now)
        while True:
            counts.append(0)
            for address, datagram in listener.datagrams(now):
                clients[address].receive(datagram, now)
            while (peer := listener.accept()) is not None:
                joined.append(peer)
            if listener.next_timer() != 0.0:
                break
    assert now < 1.0
    # Each datagram holds a message or two of a login; those before the call and those in it are bounded alike.
    assert max(counts) <= 2 * 2 * LOGINS_A_CALL
    assert sum(counts) >= 3 * CLIENTS
