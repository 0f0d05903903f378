"""Both peers on a wire: the whole login with encryption, what a bad packet costs, and every way to end.

Session layers: Sessions whose server compresses otherwise, encrypts late, or not at all; both peers over a wire, from
end to end.

Releases: Both peers at releases whose sessions begin differently.

Events: What a peer's counters say of what has not come through.

Many logins: How many logins a listener reads on for before it lets others have their turn.
"""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

import net.peer.server
from net.bedrock import (
    Algorithm,
    Disconnect,
    Message,
    NetworkSettings,
    NetworkStackLatency,
    PlayStatus,
    RequestChunkRadius,
    ServerToClientHandshake,
    SetTime,
    StartGame,
    Unknown,
)
from net.bedrock.batch import BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.login import Identity, LoginStep, ServerLogin
from net.peer import ClientPeer, Closed, Event, Faulty, Joined, PeerListener, Received, ServerPeer
from net.peer.server import LOGINS_A_CALL
from net.raknet import Address
from net.raknet.handshake import OpenReply1, OpenRequest2, read_offline, write_offline
from net.releases import ProtocolRange
from net.transport.faulty import WireFaults
from tests.support.session.plain_client import UNIX_TIME as PLAIN_CLIENT_UNIX_TIME
from tests.support.session.plain_client import entropy
from tests.support.session.wires import ADA, SERVER, UNIX_TIME, PeerPair

# ---------------------------------------------------------------- session

BAD_WIRE = WireFaults(loss=0.15, repetition=0.1, delay_s=0.03, jitter_s=0.03)


def messages(events: list[Event]) -> list[Message]:
    return [event.message for event in events if isinstance(event, Received)]


def names(events: list[Event]) -> list[str]:
    return [type(message).__name__ for message in messages(events)]


def closing(events: list[Event]) -> list[str]:
    return [event.reason for event in events if isinstance(event, Closed)]


def test_a_whole_login_is_heard_by_both_ends() -> None:
    pair = PeerPair().join()
    assert names(pair.events) == [
        "ServerToClientHandshake",
        "PlayStatus",
        "ResourcePacksInfo",
        "ResourcePackStack",
        "StartGame",
    ]
    assert isinstance(pair.events[-1], Joined)
    assert names(pair.host.events)[:2] == ["Login", "ClientToServerHandshake"]
    assert pair.server.joined
    assert pair.server.login.identity == ADA


@pytest.mark.parametrize("seed", range(8))
def test_the_login_and_what_follows_survive_a_bad_wire(seed: int) -> None:
    pair = PeerPair(BAD_WIRE, BAD_WIRE, seed).join()
    before = len(pair.events)
    for time in range(50):
        pair.server.send(SetTime(time))
    assert pair.run(messages=before + 50)
    assert messages(pair.events[before:]) == [SetTime(time) for time in range(50)]
    assert not closing(pair.events + pair.host.events)


def test_events_carry_time_number_and_size() -> None:
    pair = PeerPair(down=WireFaults(delay_s=0.5)).join()
    received = [event for event in pair.events if isinstance(event, Received)]
    assert [event.number for event in received] == list(range(len(received)))
    assert all(event.at == pytest.approx(0.5 * round(event.at / 0.5), abs=0.1) for event in received)
    stats = pair.client.stats()
    assert sum(event.size_bytes for event in received) == stats.packet_bytes_in


def test_nothing_after_the_handshake_is_in_the_clear() -> None:
    pair = PeerPair().join()
    heard: list[bytes] = []
    push = pair.down.push
    pair.down.push = lambda datagram, now: (heard.append(datagram), push(datagram, now))
    message = Disconnect(False, "nobody else reads this sentence")
    pair.server.send(message)
    pair.run(1.0)
    in_the_clear = BatchWriter(level=3).pack([pair.client.codec.encode(message)])
    assert any(len(datagram) > len(in_the_clear) for datagram in heard)
    assert not any(in_the_clear[1:20] in datagram for datagram in heard)


def test_what_is_sent_between_two_steps_leaves_in_one_batch() -> None:
    pair = PeerPair().join()
    pair.run(1.0)
    before = pair.client.stats()
    for time in range(20):
        pair.client.send(NetworkStackLatency(time, False))
    pair.run(0.001)
    after = pair.client.stats()
    assert after.packets_out - before.packets_out == 20
    assert after.datagrams_out - before.datagrams_out == 1


def test_a_large_burst_is_cut_into_batches_and_stays_in_order() -> None:
    pair = PeerPair().join()
    before = len(pair.events)
    packets = [b"\xe7\x07" + bytes(59_998 + index) for index in range(12)]  # number 999: in no table
    for packet in packets:
        pair.server.send_packet(packet)
    assert pair.run(messages=before + 12)
    assert messages(pair.events[before:]) == [Unknown(999, 60_000 + index) for index in range(12)]
    assert pair.client.stats().unknown == {999: 12}


def test_a_packet_that_does_not_decode_is_skipped_and_named() -> None:
    pair = PeerPair().join()
    before = len(pair.events)
    pair.server.send_packet(b"\x0a")  # SetTime without its time
    pair.server.send(SetTime(5))
    assert pair.run(messages=before + 2)
    faulty, received = pair.events[before:]
    assert isinstance(faulty, Faulty)
    assert (faulty.error.packet, faulty.error.field) == ("SetTime", "time")
    assert isinstance(received, Received)
    assert received.message == SetTime(5)
    assert received.number == faulty.number + 1
    assert pair.client.stats().decode_errors == 1


def test_a_broken_key_stream_ends_the_session() -> None:
    pair = PeerPair().join()
    pair.server.flush()
    pair.server._link.send(b"\xfe" + bytes(40))  # nobody has the key for this
    pair.server.send(SetTime(5))
    pair.run(3.0)
    assert closing(pair.events) == ["the encrypted stream is broken: the checksum of a received batch is wrong"]
    assert isinstance(pair.events[-1], Closed)
    assert pair.client.finished
    assert closing(pair.host.events) == ["the other side closed the connection"]


def test_the_servers_words_reach_the_client() -> None:
    pair = PeerPair().join()
    pair.server.send(SetTime(5))
    pair.server.close("the house burns", pair.link.now)
    pair.run(3.0)
    assert SetTime(5) in messages(pair.events)
    assert closing(pair.events) == ["the server ended the session: the house burns"]
    assert closing(pair.host.events) == ["the house burns"]
    assert pair.server.finished


def test_the_client_leaves_and_the_server_knows_at_once() -> None:
    pair = PeerPair().join()
    pair.client.send(NetworkStackLatency(77, False))
    pair.link.close("done")
    pair.run(0.5)
    assert closing(pair.events) == ["done"]
    assert NetworkStackLatency(77, False) in messages(pair.host.events)
    assert closing(pair.host.events) == ["the other side closed the connection"]
    pair.client.send(SetTime(1))
    pair.link.close("again")
    pair.run(0.5)
    assert closing(pair.events) == ["done"]


def test_silence_is_told_once() -> None:
    pair = PeerPair().join()
    pair.up.faults = pair.down.faults = WireFaults(loss=1.0)
    pair.run(30.0)
    reason = "the other side has been silent for 10 s"
    assert closing(pair.events) == closing(pair.host.events) == [reason]
    assert pair.client.next_timer() is None


def test_a_login_of_another_protocol_is_refused_with_its_status() -> None:
    pair = PeerPair()
    codec = pair.client.codec
    encode = codec.encode

    class Newer:
        protocol = 486

        def __getattr__(self, name: str) -> object:
            return getattr(codec, name)

        def encode(self, message: Message) -> bytes:
            packet = bytearray(encode(message))
            packet[1:5] = (999).to_bytes(4, "big")
            return bytes(packet)

    pair.client.codec = Newer()
    pair.run(3.0)
    assert any(isinstance(message, PlayStatus) for message in messages(pair.events))
    assert closing(pair.events) == ["the server speaks an older version than protocol 486"]


def test_what_is_sent_too_early_waits_behind_the_login() -> None:
    pair = PeerPair()
    pair.client.send(NetworkStackLatency(1, False))
    pair.join()
    assert names(pair.host.events)[:2] == ["Login", "NetworkStackLatency"]


def test_a_full_listener_says_so() -> None:
    pair = PeerPair()
    pair.host.listener._listener._most_connections = 0
    pair.run(3.0)
    assert closing(pair.events) == ["the server is full"]


def test_start_game_may_be_read_from_the_events() -> None:
    pair = PeerPair().join()
    (start,) = [message for message in messages(pair.events) if isinstance(message, StartGame)]
    assert start.position == (0.0, 64.0, 0.0)


# ---------------------------------------------------------------- session layers


def heard(events: list[Event]) -> list[Message]:
    return [event.message for event in events if isinstance(event, Received)]


def speak(pair: PeerPair) -> None:
    """Both say something long enough to be compressed, and hear it all."""
    before = len(pair.events)
    for time in range(400):
        pair.server.send(SetTime(time))
    for radius in range(400):
        pair.client.send(RequestChunkRadius(radius))
    assert pair.run(messages=before + 400)
    assert heard(pair.events[before:]) == [SetTime(time) for time in range(400)]
    pair.run(1.0)
    assert heard(pair.host.events)[-400:] == [RequestChunkRadius(radius) for radius in range(400)]
    assert pair.client.stats().decode_errors == pair.server.stats().decode_errors == 0


def login_with(**chosen: object) -> Callable[..., ServerLogin]:
    """Makes logins with these arguments, whatever the listener gives."""
    return lambda *arguments, **given: ServerLogin(*arguments, **given | chosen)


@pytest.mark.parametrize("encrypt", [True, False], ids=["encrypted", "in the clear"])
@pytest.mark.parametrize("algorithm", Algorithm, ids=lambda algorithm: algorithm.name.lower())
@pytest.mark.parametrize("protocol", [554, 649, 2193])
def test_any_algorithm_with_and_without_a_key(
    monkeypatch: pytest.MonkeyPatch, protocol: int, algorithm: Algorithm, encrypt: bool
) -> None:
    settings = NetworkSettings(256, algorithm)
    login = login_with(encrypt=encrypt, settings=settings)
    monkeypatch.setattr(net.peer.server, "ServerLogin", login)
    pair = PeerPair(protocol=protocol).join()
    told = heard(pair.events)
    assert told[0] == settings
    assert any(isinstance(message, ServerToClientHandshake) for message in told) is encrypt
    speak(pair)


@pytest.mark.parametrize("threshold", [0, 1, 65535])
def test_a_threshold_is_kept(monkeypatch: pytest.MonkeyPatch, threshold: int) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", partial(ServerLogin, settings=NetworkSettings(threshold)))
    speak(PeerPair(protocol=649).join())


def test_a_session_of_486_may_stay_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", login_with(encrypt=False))
    speak(PeerPair().join())


class LateLogin(ServerLogin):
    """Says that the login is good before it offers a key, and says so again after it."""

    def handle(self, message: Message) -> LoginStep:
        step = super().handle(message)
        return step if step.key is None else LoginStep((PlayStatus(0), *step.send), step.key)


@pytest.mark.parametrize("protocol", [486, 649])
def test_a_key_may_come_after_the_login_was_accepted(monkeypatch: pytest.MonkeyPatch, protocol: int) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", LateLogin)
    pair = PeerPair(protocol=protocol).join()
    names = [type(message).__name__ for message in heard(pair.events)]
    assert names.index("PlayStatus") < names.index("ServerToClientHandshake")
    speak(pair)


# ---------------------------------------------------------------- client


def test_the_raknet_id_is_negative_whatever_the_entropy() -> None:
    """go-raknet 1.15 does not answer any other: "vanilla clients always provide a negative ClientGUID"."""
    for byte in (b"\0", b"\x7f", b"\xff"):
        peer = ClientPeer(SERVER, Codec(2169), ADA, 0.0, UNIX_TIME, lambda count, byte=byte: byte * count)
        peer.datagrams(0.0)
        peer.receive(write_offline(OpenReply1(1, None, 1492)), 0.1)
        (datagram,) = peer.datagrams(0.1)
        request = read_offline(datagram)
        assert isinstance(request, OpenRequest2)
        assert request.guid >> 63 == 1


# ---------------------------------------------------------------- releases


@pytest.mark.parametrize("faults", [WireFaults(), BAD_WIRE], ids=["perfect", "bad"])
@pytest.mark.parametrize("protocol", [486, 545, 554, 630, 649, 818, 944, 1001, 2168, 2193])
def test_a_login_and_what_follows_at_every_kind_of_session(protocol: int, faults: WireFaults) -> None:
    pair = PeerPair(faults, faults, protocol=protocol).join()
    assert (names(pair.events)[0] == "NetworkSettings") == (protocol >= 554)
    assert names(pair.events)[-1] == "StartGame"
    assert (names(pair.host.events)[0] == "RequestNetworkSettings") == (protocol >= 554)
    before = len(pair.events)
    for time in range(300):
        pair.server.send(SetTime(time))
    pair.client.send(RequestChunkRadius(9))
    assert pair.run(messages=before + 300)
    assert messages(pair.events[before:]) == [SetTime(time) for time in range(300)]
    assert pair.run(5.0) or messages(pair.host.events)[-1] == RequestChunkRadius(9)
    assert pair.client.stats().decode_errors == 0


def test_what_the_owner_says_too_early_waits_behind_the_login() -> None:
    pair = PeerPair(protocol=649)
    pair.client.send(RequestChunkRadius(5))
    pair.join()
    heard = names(pair.host.events)
    assert heard.index("RequestNetworkSettings") < heard.index("Login") < heard.index("RequestChunkRadius")


# ---------------------------------------------------------------- events


def test_a_session_at_rest_has_nothing_under_way() -> None:
    pair = PeerPair(WireFaults(delay_s=0.1), WireFaults(delay_s=0.1)).join()
    pair.run(2.0)
    assert not pair.client.stats().under_way(pair.link.now)


def test_a_large_batch_is_under_way_until_it_is_whole_and_taken() -> None:
    down = WireFaults(delay_s=0.1)
    pair = PeerPair(WireFaults(delay_s=0.1), down).join()
    pair.run(2.0)
    before = len(pair.events)
    pair.server.send_packet(b"\x3a" + Random(1).randbytes(300_000))
    seen = []
    for _ in range(200):
        pair.link.now += 0.005
        pair.link.step(pair.link.now)
        seen.append(pair.client.stats().under_way(pair.link.now))
        pair.events += pair.link.events()
        if len(pair.events) > before:
            break
    assert len(pair.events) > before
    assert any(seen)
    assert not pair.client.stats().under_way(pair.link.now)


def test_what_is_lost_on_its_way_up_is_under_way_after_a_round_trip() -> None:
    pair = PeerPair(WireFaults(delay_s=0.05), WireFaults(delay_s=0.05)).join()
    pair.run(2.0)
    pair.up.faults = WireFaults(loss=1.0)
    pair.client.send_packet(b"\x0a" + bytes(8))
    pair.run(0.05)
    assert not pair.client.stats().under_way(pair.link.now)
    pair.run(0.4)
    assert pair.client.stats().under_way(pair.link.now)
    pair.up.faults = WireFaults(delay_s=0.05)
    pair.run(3.0)
    assert not pair.client.stats().under_way(pair.link.now)


# ---------------------------------------------------------------- many logins

CLIENTS = 12


def test_logins_that_come_together_are_read_a_few_a_call_and_all_end_well(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [0]
    handle = ServerLogin.handle

    def counted(self: ServerLogin, message: Message) -> object:
        counts[-1] += 1
        return handle(self, message)

    monkeypatch.setattr(ServerLogin, "handle", counted)
    listener = PeerListener(ProtocolRange.only(486), "", 0.0, PLAIN_CLIENT_UNIX_TIME, entropy("server"))
    clients: dict[Address, ClientPeer] = {}
    for number in range(CLIENTS):
        identity = Identity(f"c{number}", f"00000000-0000-4000-8000-{number:012d}")
        address = ("127.0.0.1", 50000 + number)
        clients[address] = ClientPeer(
            ("127.0.0.1", 19132), Codec(486), identity, 0.0, PLAIN_CLIENT_UNIX_TIME, entropy(f"{number}")
        )
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
