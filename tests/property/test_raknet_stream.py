"""RakNet keeps its promise on a bad wire: each payload once and in order, whatever the wire does.

Raknet hostile: Whatever bytes arrive, RakNet raises nothing and holds no more than its limits.

Batch stream: Batches give back what was packed, plain and encrypted, and survive anything.
"""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.errors import ConnectionClosed, DecodeError, LimitExceeded
from net.raknet import ClientConnection, Limits, Listener
from net.raknet.connection import RaknetSession
from net.raknet.datagram import Fragment, Frame, Reliability, write_acks, write_frame
from net.raknet.handshake import MAGIC
from net.transport.faulty import WireFaults
from tests.support.session.wires import CLIENT, SERVER, Pair, entropy

# ---------------------------------------------------------------- raknet stream

BAD_WIRES = st.builds(
    WireFaults,
    loss=st.floats(0, 0.3),
    repetition=st.floats(0, 0.3),
    delay_s=st.floats(0, 0.15),
    jitter_s=st.floats(0, 0.08),
)
SIZES = st.lists(
    st.one_of(st.integers(1, 200), st.integers(1300, 1600), st.integers(1, 60_000)), min_size=1, max_size=20
)


def payloads(sizes: list[int], mark: int) -> list[bytes]:
    return [
        bytes((0xFE, mark, index & 0xFF)) + bytes((index * 7 + size) & 0xFF for _ in range(size))
        for index, size in enumerate(sizes)
    ]


@settings(max_examples=40, deadline=None)
@given(BAD_WIRES, BAD_WIRES, SIZES, SIZES, st.integers(0, 1 << 20))
def test_reliable_ordered_payloads_arrive_once_and_in_order(
    up: WireFaults, down: WireFaults, from_client: list[int], from_server: list[int], seed: int
) -> None:
    pair = Pair(up, down, seed)
    # ten unanswered requests in a row may happen on such a wire; the handshake has its own test
    if not pair.run(lambda: pair.client.connected and pair.server is not None):
        return
    server = pair.server
    assert server is not None
    there, back = payloads(from_client, 1), payloads(from_server, 2)
    for payload in there:
        pair.client.send(payload)
    for payload in back:
        server.send(payload)
    done = pair.run(lambda: len(pair.from_client) >= len(there) and len(pair.from_server) >= len(back))
    assert done, (pair.client.closed, server.closed)
    pair.run(lambda: False, 3.0)
    assert pair.from_client == there
    assert pair.from_server == back


@settings(max_examples=25, deadline=None)
@given(BAD_WIRES, st.integers(0, 1 << 20))
def test_each_reliability_keeps_its_own_promise(wire: WireFaults, seed: int) -> None:
    pair = Pair(wire, wire, seed)
    if not pair.run(lambda: pair.client.connected and pair.server is not None):
        return
    sent: dict[Reliability, list[bytes]] = {kind: [] for kind in Reliability}
    for index in range(30):
        for kind in Reliability:
            payload = bytes((0xFE, kind, index))
            sent[kind].append(payload)
            pair.client.send(payload, kind, channel=1)
        pair.run(lambda: False, 0.01)
    pair.run(lambda: False, 20.0)
    came = {kind: [p for p in pair.from_client if p[1] == kind] for kind in Reliability}
    assert came[Reliability.RELIABLE_ORDERED] == sent[Reliability.RELIABLE_ORDERED]
    assert sorted(came[Reliability.RELIABLE]) == sent[Reliability.RELIABLE]
    assert len(set(came[Reliability.UNRELIABLE])) == len(came[Reliability.UNRELIABLE])
    for kind in (Reliability.UNRELIABLE_SEQUENCED, Reliability.RELIABLE_SEQUENCED):
        assert came[kind] == sorted(set(came[kind]))


# ---------------------------------------------------------------- raknet hostile

SMALL = replace(
    Limits(),
    order_bytes=20_000,
    fragments=64,
    partial_payloads=8,
    partial_bytes=20_000,
    inbox_bytes=20_000,
    reliable_ahead=256,
    hole_ranges=32,
)
SHORT = st.integers(0, 0xFFFFFF) | st.integers(0, 400)
FRAMES = st.builds(
    Frame,
    st.binary(min_size=1, max_size=600),
    st.sampled_from(Reliability),
    SHORT,
    SHORT,
    SHORT,
    st.integers(0, 31),
    st.none() | st.builds(Fragment, st.integers(0, 100), st.integers(0, 20), st.integers(0, 100)),
)
DATA = st.builds(
    lambda number, frames: b"\x84" + number.to_bytes(3, "little") + b"".join(map(write_frame, frames)),
    SHORT,
    st.lists(FRAMES, max_size=4),
)
ACKS = st.builds(
    lambda kind, ranges: b"".join(write_acks(kind, ranges, 1400)[:1]),
    st.sampled_from([0xC0, 0xA0]),
    st.lists(st.tuples(SHORT, SHORT), max_size=40),
)
OFFLINE = st.builds(lambda kind, rest: bytes((kind,)) + MAGIC + rest, st.integers(0, 0x20), st.binary(max_size=60))
ANYTHING = st.lists(st.one_of(DATA, ACKS, OFFLINE, st.binary(max_size=80)), max_size=60)


@settings(deadline=None)
@given(ANYTHING)
def test_a_session_holds_no_more_than_its_limits(datagrams: list[bytes]) -> None:
    session = RaknetSession(SMALL, 1492, 0.0)
    session.send(b"\xfe" + bytes(5000))
    for index, datagram in enumerate(datagrams):
        now = index * 0.01
        session.receive(datagram, now)
        assert session.held_bytes <= 60_000 + 2 * 700
        session.datagrams(now)
        assert session.sender.in_flight_bytes >= 0
        timer = session.next_timer()
        assert timer is not None or session.ended is not None


@settings(deadline=None)
@given(ANYTHING)
def test_a_client_outlives_any_bytes_or_ends_with_a_reason(datagrams: list[bytes]) -> None:
    fresh = ClientConnection(SERVER, 1, 0.0, limits=SMALL)
    pair = Pair(limits=SMALL)
    pair.connect()
    for client, now in ((fresh, 0.0), (pair.client, pair.now)):
        for datagram in datagrams:
            client.receive(datagram, now)
            client.datagrams(now)
        assert client.closed is None or client.closed


@settings(deadline=None)
@given(ANYTHING)
def test_a_listener_keeps_its_other_clients(datagrams: list[bytes]) -> None:
    pair = Pair()
    pair.connect()
    strangers = Listener(7, "", entropy(1), most_connections=4)
    for index, datagram in enumerate(datagrams):
        pair.listener.receive(("10.0.0.1", 1000 + index), datagram, pair.now)
        strangers.receive(CLIENT, datagram, 0.0)
        strangers.datagrams(0.0)
    assert strangers.connections <= 4
    pair.client.send(b"\xfestill served")
    assert pair.run(lambda: pair.from_client == [b"\xfestill served"], 5.0)


# ---------------------------------------------------------------- batch stream

PACKETS = st.lists(st.binary(max_size=300), max_size=8)
KEYS = st.none() | st.binary(min_size=32, max_size=32)


@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(PACKETS, max_size=5),
    key=KEYS,
    level=st.integers(0, 9),
    protocol=st.sampled_from([486, 554, 649]),
    told=st.none() | st.builds(NetworkSettings, st.integers(0, 400), st.sampled_from(Algorithm)),
)
def test_a_stream_of_batches_comes_back(
    batches: list[list[bytes]], key: bytes | None, level: int, protocol: int, told: NetworkSettings | None
) -> None:
    writer, reader = BatchWriter(level, protocol), BatchReader(protocol=protocol)
    if told is not None:
        writer.compress_with(told)
        reader.compress_with(told)
    if key is not None:
        writer.encrypt_with(key)
        reader.encrypt_with(key)
    for packets in batches:
        assert reader.unpack(writer.pack(packets)) == packets


@settings(max_examples=60, deadline=None)
@given(packets=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=8), data=st.data())
def test_one_flipped_bit_breaks_an_encrypted_stream(packets: list[bytes], data: st.DataObject) -> None:
    writer, reader = BatchWriter(), BatchReader()
    writer.encrypt_with(bytes(32))
    reader.encrypt_with(bytes(32))
    payload = bytearray(writer.pack(packets))
    bit = data.draw(st.integers(8, 8 * len(payload) - 1))
    payload[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ConnectionClosed):
        reader.unpack(bytes(payload))


@settings(max_examples=60, deadline=None)
@given(payload=st.binary(max_size=400), marked=st.booleans(), protocol=st.sampled_from([486, 554, 649]))
def test_random_bytes_never_crash(payload: bytes, marked: bool, protocol: int) -> None:
    reader = BatchReader(inflated_bytes=1 << 16, protocol=protocol)
    reader.compress_with(NetworkSettings(1, Algorithm.SNAPPY))
    with contextlib.suppress(DecodeError, LimitExceeded):
        reader.unpack(b"\xfe" + payload if marked else payload)


@settings(max_examples=60, deadline=None)
@given(packets=PACKETS, data=st.data())
def test_a_cut_batch_never_crashes(packets: list[bytes], data: st.DataObject) -> None:
    # No more can be promised: where batches may be raw, half a deflated one can look like packets. RakNet delivers
    # whole payloads, and once a key is set the tag tells.
    payload = BatchWriter().pack(packets)
    size = data.draw(st.integers(0, len(payload) - 1))
    with contextlib.suppress(DecodeError):
        BatchReader().unpack(payload[:size])
