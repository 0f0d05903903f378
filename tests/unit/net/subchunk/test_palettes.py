import numpy as np
import pytest

from net.subchunk.decode import scan, unpack
from net.subchunk.storage import SubChunkFault


def varint(value: int) -> bytes:
    """A non-negative number as a zigzag varint."""
    value <<= 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def subchunk(entries: int) -> bytes:
    """Block i is palette entry i + 1 (modulo the entries), whose runtime id is ten more than its number."""
    indices = ((np.arange(4096) + 1) % entries).astype("<u2")
    return b"\x09\x01\x00\x21" + indices.tobytes() + varint(entries) + b"".join(varint(10 + i) for i in range(entries))


@pytest.mark.parametrize("entries", [4096, 4097, 8192, 65536])
def test_a_palette_may_hold_more_than_there_are_blocks(entries: int) -> None:
    """Dragonfly keeps air in front of 4,096 other states, and whatever was once set."""
    data = subchunk(entries)
    scanned = scan([data])
    assert scanned.status.tolist() == [SubChunkFault.NONE]
    assert scanned.ends.tolist() == [len(data)]
    blocks, flags = np.zeros((1, 4096), np.uint16), np.zeros(1, np.uint32)
    mapped = (scanned.palette - 10).astype(np.uint16)
    unpack(scanned, np.array([0]), 0, np.zeros(1, np.int32), mapped, np.zeros(65536, np.uint32), blocks, flags)
    np.testing.assert_array_equal(blocks[0], (np.arange(4096) + 1) % entries)


@pytest.mark.parametrize("entries", [0, 65537])
def test_a_palette_that_no_index_could_use_is_a_fault(entries: int) -> None:
    data = b"\x09\x01\x00\x21" + bytes(8192) + varint(entries) + bytes(entries)
    assert scan([data]).status.tolist() == [SubChunkFault.PALETTE_SIZE]
