"""What a packet's lists may cost as objects, whatever they take on the wire."""

import tracemalloc
from collections.abc import Callable

import pytest

from net import bedrock, nbt
from net.bedrock import Unknown
from net.errors import DecodeError, LimitExceeded
from net.nbt import read_root
from net.wire import Reader
from net.wire.limits import ELEMENT_BYTES, NBT_VALUE_BYTES, OBJECTS_BYTES, PACKET_BYTES
from tests.support.reference.wire import le, uv, zz

CODEC = bedrock.Codec()
MOST = OBJECTS_BYTES // ELEMENT_BYTES


def changes(count: int) -> bytes:
    """UpdateSubChunkBlocks with so many blocks of seven bytes."""
    return uv(172) + zz(0) * 3 + uv(count) + bytes(7 * count) + uv(0)


def refusals(count: int) -> bytes:
    return uv(174) + b"\0" + zz(0) * 4 + le(count, 4) + b"\0\0\0\2\0\0" * count


def hashes(count: int) -> bytes:
    return uv(135) + uv(count) + uv(0) + bytes(8 * count)


@pytest.mark.parametrize("packet", [changes, refusals, hashes])
def test_a_list_that_would_cost_too_much_is_refused_before_it_is_made(packet: Callable[[int], bytes]) -> None:
    tracemalloc.start()
    whole = packet(MOST + 1)
    before = tracemalloc.get_traced_memory()[0]
    with pytest.raises(DecodeError, match="bytes of objects"):
        CODEC.decode(whole)
    worst = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert worst < 2 * len(whole) + (1 << 20)


@pytest.mark.parametrize("packet", [changes, refusals, hashes])
def test_what_is_counted_for_a_list_covers_what_it_costs(packet: Callable[[int], bytes]) -> None:
    whole = packet(5000)
    reader = Reader(whole, "packet")
    tracemalloc.start()
    message = CODEC.read(reader)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert message is not None
    assert reader.objects_bytes == 5000 * ELEMENT_BYTES
    assert held < len(whole) + reader.objects_bytes


def test_all_roots_of_one_reader_share_the_bound() -> None:
    values = OBJECTS_BYTES // NBT_VALUE_BYTES // 2
    root = b"\x0a\0\x09\0\x01" + zz(values) + bytes(values) + b"\0"
    reader = Reader(root * 2, "test")
    read_root(reader, nbt.NETWORK)
    with pytest.raises(LimitExceeded, match="bytes of objects"):
        read_root(reader, nbt.NETWORK)


def test_a_packet_beyond_any_real_one_is_refused_by_name_unless_nobody_reads_it() -> None:
    with pytest.raises(DecodeError, match="bytes of LevelChunk"):
        CODEC.decode(uv(58) + bytes(PACKET_BYTES))
    assert CODEC.decode(uv(1000) + bytes(PACKET_BYTES)) == Unknown(1000, PACKET_BYTES + 2)
