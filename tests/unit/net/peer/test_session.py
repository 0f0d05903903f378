"""Both peers on a wire: the whole login with encryption, what a bad packet costs, and every way to end."""

import pytest

from net.bedrock import Disconnect, Message, NetworkStackLatency, PlayStatus, SetTime, StartGame, Unknown
from net.bedrock.batch import BatchWriter
from net.peer import Closed, Event, Faulty, Joined, Received
from net.transport.faulty import WireFaults
from tests.support.session.wires import ADA, PeerPair

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
    assert closing(pair.events) == ["the encrypted stream is broken: a batch from the other side has a wrong checksum"]
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
