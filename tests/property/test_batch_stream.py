"""Batches give back what was packed, plain and encrypted, and survive anything."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.errors import ConnectionClosed, DecodeError, LimitExceeded

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
