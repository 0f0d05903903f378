"""A server that means harm after the login: the session goes on or ends with one clear reason, in bounded memory.

Blobs: Servers that misuse the client's blob cache: the session hears what made no sense, and goes on.

Memory: What a server can make a client hold: batches of many objects, events that nobody takes. See
docs/develop/net.md.
"""

import tracemalloc
import zlib
from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from net.bedrock import (
    Blob,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    ClientCacheStatus,
    Message,
    SetTime,
    SubChunk,
    SubChunkEntry,
    UpdateSubChunkBlocks,
)
from net.bedrock.batch import TAG_BYTES, deflate
from net.blobs import BlobStats, MemoryBlobs, blob_id_of
from net.peer import Closed, Event, Faulty, Received
from net.peer.packet_stream import AHEAD_BYTES, EVENT_BYTES
from net.raknet.limits import SERVER_LIMITS
from net.space import SubChunkPos
from net.transport.faulty import WireFaults
from net.transport.loopback import CLIENT_ADDRESS
from net.wire.cursor import ELEMENT_BYTES, INFLATED_BATCH_BYTES, PACKETS_PER_BATCH
from tests.support.reference.blobs import SUCCESS, response, skeleton, whole
from tests.support.reference.wire import sized, uv, zz
from tests.support.servers.hostile import Besieged
from tests.support.session.wires import START, PeerPair

# ---------------------------------------------------------------- abuse


def send_body(pair: PeerPair, body: bytes, tag: bytes | None = None) -> None:
    """A batch whose body is this, properly encrypted unless the tag is forged."""
    pair.server.flush()
    seal = pair.server._writer._seal
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
        "the encrypted stream is broken: the checksum of a received batch is wrong"
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


def test_a_client_that_acknowledges_nothing_costs_a_bound_and_its_own_session() -> None:
    pair = PeerPair().join()
    pair.up.faults = WireFaults(loss=1.0)
    mib = bytes(1 << 20)
    for sent in range(64):
        pair.server.send_packet(mib)
        pair.server.send_packet(Random(sent).randbytes(1 << 20))
        pair.server.flush()
        assert pair.server.stats().queued_bytes <= SERVER_LIMITS.outbox_bytes
    ended = [event for event in iter(pair.server.next_event, None) if isinstance(event, Closed)]
    assert [event.reason.split(":")[0] for event in ended] == ["the other side acknowledges too little of the data"]
    assert pair.server.closed is not None


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
    assert closed.reason == f"the session cannot continue after a StartGame that cannot be decoded: {faulty.error}"
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


# ---------------------------------------------------------------- blobs

BIOMES = b"\x01\x02" * 25
MANY = 70_000


def besieged() -> Besieged:
    return Besieged(blobs=MemoryBlobs())


def counts(session: Besieged) -> BlobStats:
    stats = session.link.stats().blobs
    assert stats is not None
    return stats


def columns(session: Besieged) -> int:
    return len(session.session.dimension.store.row_of)


def heard(session: Besieged, kind: type) -> list[Message]:
    return [message for message in session.server.heard if isinstance(message, kind)]


def test_the_server_is_told_at_login_whether_blobs_are_kept() -> None:
    assert heard(besieged(), ClientCacheStatus) == [ClientCacheStatus(True)]
    assert heard(Besieged(), ClientCacheStatus) == [ClientCacheStatus(False)]


def test_without_a_cache_there_are_no_counts_of_it() -> None:
    assert PeerPair().join().client.stats().blobs is None


def test_a_server_that_sends_blobs_to_a_client_without_a_cache_is_a_fault_that_says_so() -> None:
    session = Besieged()
    session.bear(skeleton(0, 0, BIOMES))
    assert "announced no cache" in " ".join(session.session.stats(session.now).terrain.last_faults)


def test_a_column_is_there_when_its_blob_has_come_and_not_before() -> None:
    session = besieged()
    session.bear(skeleton(0, 0, BIOMES))
    before = columns(session)
    assert heard(session, ClientCacheBlobStatus) == [ClientCacheBlobStatus((blob_id_of(BIOMES),), ())]
    session.bear(response(BIOMES))
    assert columns(session) == before + 1
    assert session.session.stats(session.now).terrain.faults == 0


def test_a_wrong_hash_twice_the_right_answer_and_what_nobody_asked() -> None:
    session = besieged()
    session.bear(skeleton(0, 0, BIOMES))
    lie = ClientCacheMissResponse((Blob(blob_id_of(BIOMES), b"something else"),))
    session.bear(lie, response(BIOMES), response(BIOMES), response(b"nobody asked"))
    stats = counts(session)
    assert (stats.lying, stats.unasked, stats.waiting, stats.received_bytes) == (1, 2, 0, len(BIOMES))


def test_a_server_that_never_answers_costs_a_bound_and_a_time() -> None:
    session = besieged()
    before = columns(session)
    session.bear(*(skeleton(x, 0, b"%d" % x) for x in range(50)))
    assert counts(session).waiting == 50
    session.rest(11.0)
    stats = counts(session)
    assert (stats.waiting, stats.waiting_bytes, stats.asked, stats.timed_out) == (0, 0, 0, 50)
    assert columns(session) == before
    session.bear(skeleton(0, 0, BIOMES), response(BIOMES))
    assert columns(session) == before + 1


def test_ids_without_end_are_dropped_beyond_a_bound() -> None:
    session = besieged()
    entries = [
        SubChunkEntry(at & 127, at >> 7 & 15, at >> 11 & 127, SUCCESS, b"", 0, None, at + 1) for at in range(MANY)
    ]
    for start in range(0, MANY, 10_000):
        chunk = tuple(entries[start : start + 10_000])
        session.server.say(SubChunk(True, 0, SubChunkPos(0, -4, 0), chunk))
    session.until(lambda: counts(session).overflowed > 0)
    session.until(lambda: counts(session).overflowed + counts(session).waiting == MANY)
    stats = counts(session)
    assert stats.waiting_bytes <= 64 << 20
    told = heard(session, ClientCacheBlobStatus)
    assert all(isinstance(each, ClientCacheBlobStatus) and len(each.misses) <= 4095 for each in told)
    session.bear(skeleton(40, 40, BIOMES))
    assert session.session.spawn.closed_reason is None


def test_ids_that_cannot_be_meant_are_told_and_nothing_else_is_lost() -> None:
    session = besieged()
    before = columns(session)
    session.bear(replace(whole(0, 0, b"a"), blob_ids=tuple(range(100_000))), skeleton(1, 0, BIOMES), response(BIOMES))
    assert counts(session).malformed == 1
    assert "LevelChunk.blob_ids" in session.session.stats(session.now).last_fault
    assert columns(session) == before + 1


# ---------------------------------------------------------------- memory


def changes(count: int) -> bytes:
    """UpdateSubChunkBlocks with so many blocks of seven bytes, each of them 170 as objects."""
    return uv(172) + zz(0) * 3 + uv(count) + bytes(7 * count) + uv(0)


def send_batch(pair: PeerPair, body: bytes) -> None:
    """A batch with this inflated body, which reaches the client; nobody takes what it says."""
    seal = pair.server._writer._seal
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
