"""What a server can make a client hold: batches of many objects, events that nobody takes. See docs/develop/net.md."""

import tracemalloc
from itertools import islice

import pytest

from net.bedrock import UpdateSubChunkBlocks
from net.bedrock.batch import deflate
from net.peer import Event, Faulty, Received
from net.peer.events import EVENT_BYTES
from net.peer.packet_stream import AHEAD_BYTES
from net.transport.loopback import CLIENT_ADDRESS
from net.wire.limits import ELEMENT_BYTES, INFLATED_BATCH_BYTES, PACKETS_PER_BATCH
from tests.support.reference.wire import sized, uv, zz
from tests.support.session.wires import PeerPair


def changes(count: int) -> bytes:
    """UpdateSubChunkBlocks with so many blocks of seven bytes, each of them 170 as objects."""
    return uv(172) + zz(0) * 3 + uv(count) + bytes(7 * count) + uv(0)


def send_batch(pair: PeerPair, body: bytes) -> None:
    """A batch with this inflated body, which reaches the client; nobody takes what it says."""
    seal = pair.server._stream._writer._seal
    assert seal is not None
    body = b"".join(deflate(body, 1))
    pair.server._link.send(b"\xfe" + seal.run(body + seal.next_tag(body)))
    for _ in range(200):
        pair.link.now += 0.01
        for _, datagram in pair.host.datagrams(pair.link.now):
            pair.client.receive(datagram, pair.link.now)
        for datagram in pair.client.datagrams(pair.link.now):
            pair.host.receive(CLIENT_ADDRESS, datagram, pair.link.now)


def taken(pair: PeerPair, count: int) -> list[Event]:
    return list(islice(iter(pair.client.next_event, None), count))


def test_a_batch_of_a_gigabyte_of_objects_costs_its_own_size() -> None:
    pair = PeerPair().join()
    packet = changes(20_000)
    body = sized(packet) * (INFLATED_BATCH_BYTES // len(packet) - 1)
    batch_bytes, packets = len(body), len(body) // len(sized(packet))
    assert packets * 20_000 * 168 > 1 << 30
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    send_batch(pair, body)
    event_bytes = EVENT_BYTES + 2 * len(packet) + 20_000 * ELEMENT_BYTES
    counted = [pair.client.stats().held_bytes]
    del body
    tracemalloc.reset_peak()
    for _ in range(4):
        taken(pair, 1)
        counted.append(pair.client.stats().held_bytes)
    worst = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert min(counted) >= batch_bytes
    assert max(counted) <= batch_bytes + 16 * packets + 2 * (AHEAD_BYTES + event_bytes)
    assert worst <= max(counted) + event_bytes, "what is counted covers what is held"


def test_every_packet_of_a_batch_that_waited_comes_in_order_and_then_nothing_is_held() -> None:
    pair = PeerPair().join()
    first = pair.client.stats().packets_in
    send_batch(pair, b"".join(sized(changes(count)) for count in range(0, 3000, 15)))
    assert pair.client.stats().packets_in - first < 200
    received = [event for event in taken(pair, 500) if isinstance(event, Received)]
    assert [event.number - first for event in received] == list(range(200))
    lengths = [len(event.message.layer0) for event in received if isinstance(event.message, UpdateSubChunkBlocks)]
    assert lengths == list(range(0, 3000, 15))
    assert len({event.at for event in received}) == 1, "all came with the batch's last datagram, whenever taken"
    assert pair.client.stats().held_bytes == 0


@pytest.mark.parametrize("packet", [b"", b"\xff", b"\xe7\x07"], ids=["empty", "cut", "unknown"])
def test_a_batch_of_the_smallest_packets_is_read_a_little_ahead(packet: bytes) -> None:
    pair = PeerPair().join()
    first = pair.client.stats().packets_in
    send_batch(pair, sized(packet) * PACKETS_PER_BATCH)
    assert pair.client.stats().packets_in - first <= 2 * (AHEAD_BYTES // EVENT_BYTES + 1)
    events = taken(pair, PACKETS_PER_BATCH)
    assert len(events) == PACKETS_PER_BATCH
    assert all(isinstance(event, Received if packet == b"\xe7\x07" else Faulty) for event in events)
    assert pair.client.stats().held_bytes == 0


def test_the_end_comes_after_all_that_had_come_before_it() -> None:
    pair = PeerPair().join()
    send_batch(pair, b"".join(sized(changes(5000)) for _ in range(20)))
    pair.server.close("enough", pair.link.now)
    for _ in range(50):
        pair.link.now += 0.01
        for _, datagram in pair.host.datagrams(pair.link.now):
            pair.client.receive(datagram, pair.link.now)
        for datagram in pair.client.datagrams(pair.link.now):
            pair.host.receive(CLIENT_ADDRESS, datagram, pair.link.now)
    assert pair.client.closed is None
    events = taken(pair, 100)
    assert [type(event).__name__ for event in events] == ["Received"] * 21 + ["Closed"]
    assert "enough" in str(pair.client.closed)
