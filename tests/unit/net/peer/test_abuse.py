"""A server that means harm after the login: the session goes on or ends with one clear reason, in bounded memory."""

import tracemalloc
import zlib

import pytest

from net.bedrock import SetTime
from net.bedrock.batch import TAG_BYTES
from net.peer import Closed, Faulty, Received
from net.wire.limits import INFLATED_BATCH_BYTES
from tests.support.session.wires import START, PeerPair


def send_body(pair: PeerPair, body: bytes, tag: bytes | None = None) -> None:
    """A batch whose body is this, properly encrypted unless the tag is forged."""
    pair.server.flush()
    seal = pair.server._stream._writer._seal
    assert seal is not None
    honest = seal.next_tag(body)
    pair.server._link.send(b"\xfe" + seal.run(body + (honest if tag is None else tag)))


def deflated(size: int) -> bytes:
    """Zeros, a thousand to one."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = bytes(1 << 20)
    return b"".join(deflate.compress(block) for _ in range(size >> 20)) + deflate.flush()


def still_alive(pair: PeerPair) -> bool:
    pair.events.clear()
    pair.server.send(SetTime(4711))
    pair.run(limit_s=0.5)
    return any(isinstance(each, Received) and each.message == SetTime(4711) for each in pair.events)


def test_a_deflate_bomb_costs_one_batch_and_bounded_memory() -> None:
    pair = PeerPair().join()
    bomb = deflated(512 << 20)
    assert len(bomb) < (512 << 20) // 900
    send_body(pair, bomb)
    tracemalloc.start()
    pair.run(limit_s=1.0)
    worst = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (fault,) = (each for each in pair.events if isinstance(each, Faulty))
    assert "over the limit" in str(fault.error)
    assert worst < 2.5 * INFLATED_BATCH_BYTES
    assert still_alive(pair)


@pytest.mark.parametrize("length", [b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x08", b"\xff\xff\xff\xff\xff\xff"])
def test_an_announced_length_of_gigabytes_costs_one_batch(length: bytes) -> None:
    pair = PeerPair().join()
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    send_body(pair, deflate.compress(length + b"\x0a\x00") + deflate.flush())
    pair.run(limit_s=0.5)
    assert sum(isinstance(each, Faulty) for each in pair.events) == 1
    assert still_alive(pair)


@pytest.mark.parametrize("tag", [bytes(TAG_BYTES), b"\xff" * TAG_BYTES, b""])
def test_a_forged_tag_ends_the_session_with_one_reason(tag: bytes) -> None:
    pair = PeerPair().join()
    pair.events.clear()
    send_body(pair, b"\x03\x00", tag)
    pair.server.send(SetTime(4711))
    pair.run(limit_s=2.0)
    closed = [each for each in pair.events if isinstance(each, Closed)]
    assert [each.reason for each in closed] == [
        "the encrypted stream is broken: a batch from the other side has a wrong checksum"
    ]
    assert pair.events[-1] is closed[0]
    assert not any(isinstance(each, Received) for each in pair.events)


def test_replayed_datagrams_of_an_encrypted_session_change_nothing() -> None:
    pair = PeerPair().join()
    seen: list[bytes] = []
    push = pair.down.push
    pair.down.push = lambda datagram, now: (seen.append(datagram), push(datagram, now))[1]
    for time in range(20):
        pair.server.send(SetTime(time))
        pair.run(limit_s=0.1)
    pair.down.push = push
    times = [each.message for each in pair.events if isinstance(each, Received) and isinstance(each.message, SetTime)]
    for datagram in seen * 3:
        pair.client.receive(datagram, pair.link.now)
    assert times == [SetTime(time) for time in range(20)]
    assert still_alive(pair)
    assert pair.client.stats().datagrams_repeated >= 60


def test_a_server_that_says_goodbye_in_the_middle_of_everything_is_quoted_once() -> None:
    pair = PeerPair().join()
    for time in range(100):
        pair.server.send(SetTime(time))
    pair.server.close("full of stars", pair.link.now)
    pair.run(limit_s=5.0)
    reasons = [each.reason for each in pair.events if isinstance(each, Closed)]
    assert len(reasons) == 1
    assert "full of stars" in reasons[0]


@pytest.mark.parametrize("size", [1, 2, 12, 30])
def test_a_start_that_does_not_read_ends_the_session_at_once_and_names_the_field(size: int) -> None:
    pair = PeerPair().join()
    pair.run(limit_s=0.5)
    pair.events.clear()
    packet = pair.client.codec.encode(START)
    since = pair.link.now
    pair.server.send_packet(packet[:size])
    pair.server.send(SetTime(4711))
    pair.run(messages=2)
    faulty, closed = pair.events
    assert isinstance(faulty, Faulty)
    assert isinstance(closed, Closed)
    assert closed.reason == f"nothing can follow a StartGame that does not read: {faulty.error}"
    assert closed.reason.count("StartGame.") == 1
    assert pair.link.now - since < 1.0
    assert pair.host.peers[0].closed == "the other side closed the connection"


def test_other_packets_that_do_not_read_end_nothing() -> None:
    pair = PeerPair().join()
    for packet in (b"\x3a", b"\xae\x01", b"\x0a", b""):
        pair.server.send_packet(packet)
    pair.run(limit_s=0.5)
    assert sum(isinstance(each, Faulty) for each in pair.events) == 4
    assert still_alive(pair)
