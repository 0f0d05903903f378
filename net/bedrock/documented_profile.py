"""Converts terrain payloads between the documented profile and the form of real servers.

The vendor's documentation has unsigned varints in palettes where real servers have zigzag ones, and height values that
are the y of the top block where real servers send one more (wire.md 0.3, 0.6). The codec converts both, so that no
layer above it depends on the profile.

Rules:
1. Only palette counts and palette entries change; words, block entities and border bytes are copied.
2. From the first invalid storage on the payload is copied unchanged: the decoder of its content reports the fault with
   a better name for the place.

Limit: with the blob cache on, terrain is in blobs, which are identified by the hash of their bytes and never converted.
"""

from collections.abc import Callable
from typing import Final

from net.errors import RemoteProtocolError
from net.nbt import NETWORK, read_root
from net.wire.cursor import Buffer, Reader, Writer

Copy = Callable[[Reader, Writer], int]  # copies one number in the other form, returns it

_COPIED_AS_BELOW: Final = 0xFF
_LEGACY_BYTES: Final = 4096 + 2048
_LEGACY_VERSIONS: Final = frozenset({0, 2, 3, 4, 5, 6, 7})


def to_zigzag(payload: Buffer, subchunks: int, *, biomes: bool) -> bytes:
    """Converts a documented payload to the form of real servers.

    ``payload``: ``subchunks`` sub-chunks, biome storages if ``biomes``, then anything. ``subchunks``: number of
    sub-chunks at its start. ``biomes``: whether biome storages follow them.
    """
    return _turn(payload, subchunks, biomes, _unsigned_to_zigzag)


def to_unsigned(payload: Buffer, subchunks: int, *, biomes: bool) -> bytes:
    """The reverse of ``to_zigzag``."""
    return _turn(payload, subchunks, biomes, _zigzag_to_unsigned)


def _unsigned_to_zigzag(reader: Reader, writer: Writer) -> int:
    value = reader.uv32()
    writer.zz32(value - (1 << 32) if value >> 31 else value)
    return value


def _zigzag_to_unsigned(reader: Reader, writer: Writer) -> int:
    value = reader.zz32()
    writer.uv32(value & 0xFFFFFFFF)
    return value


def _turn(payload: Buffer, subchunks: int, biomes: bool, copy: Copy) -> bytes:
    reader, writer = Reader(payload, "payload"), Writer("payload")
    source, target = 0, 0  # both are after the last valid storage
    try:
        for _ in range(subchunks):
            for _ in range(_open_subchunk(reader, writer)):
                _copy_storage(reader, writer, copy)
                source, target = reader.offset, len(writer.buffer)
        while biomes and reader.left and reader.data[reader.offset] & 1:
            _copy_storage(reader, writer, copy)
            source, target = reader.offset, len(writer.buffer)
    except RemoteProtocolError:
        return bytes(writer.buffer[:target]) + bytes(payload[source:])
    return writer.take() + reader.rest()


def _open_subchunk(reader: Reader, writer: Writer) -> int:
    """Copies a sub-chunk's head and returns how many storages follow."""
    version = reader.u8()
    writer.u8(version)
    if version in _LEGACY_VERSIONS:
        writer.raw(reader.take(_LEGACY_BYTES))
        return 0
    if version not in {1, 8, 9}:
        raise reader.fault(f"does not support sub-chunk version {version}")
    storages = reader.u8() if version > 1 else 1
    if version > 1:
        writer.u8(storages)
    if version > 8:
        writer.u8(reader.u8())
    return storages


def _copy_storage(reader: Reader, writer: Writer, copy: Copy) -> None:
    header = reader.u8()
    writer.u8(header)
    if header == _COPIED_AS_BELOW:
        return
    bits = header >> 1
    if bits > 32:
        raise reader.fault(f"does not support storage of {bits} bits")
    if bits:
        per_word = 32 // bits
        writer.raw(reader.take(4 * -(-4096 // per_word)))
    entries = copy(reader, writer) if bits else 1
    if header & 1:
        for _ in range(entries):
            copy(reader, writer)
        return
    for _ in range(entries):
        start = reader.offset
        read_root(reader, NETWORK)
        writer.raw(reader.data[start : reader.offset])


def _height_table(turn: Callable[[int], int]) -> bytes:
    signed = [value - 256 if value > 127 else value for value in range(256)]
    return bytes(turn(max(-1, min(16, value))) & 0xFF for value in signed)


HEIGHTS_TO_BEDROCK: Final = _height_table(lambda top: top if top == 16 else top + 1)
"""For ``bytes.translate``. Documented: -1 below the sub-chunk, 0..15 y of the top block, 16 above."""
HEIGHTS_TO_DOCUMENTED: Final = _height_table(lambda above_top: max(above_top - 1, -1))
"""The reverse. Bedrock's -1 and 0 both mean a top below the sub-chunk; the documented form has one value for that."""
