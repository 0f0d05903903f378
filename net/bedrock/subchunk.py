"""SubChunk: answers to a request, in any order, unasked or never (wire.md 2.3, seed 000).

Rules:
1. An entry's payload is the sub-chunk and its block entities; empty for every result but SUCCESS. With the cache on it
   holds the block entities alone, and the blob id names the terrain.
2. Result codes that nobody knows are kept as they are; a height map of an unknown kind is a DecodeError, since nobody
   knows how long it is.
3. An entry is four slices and no loop over its bytes.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from net.bedrock.documented import HEIGHTS_TO_BEDROCK, HEIGHTS_TO_DOCUMENTED, to_unsigned, to_zigzag
from net.bedrock.packet import Packet
from net.errors import DecodeError
from net.space.positions import SubChunkPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import BOOL, FIXED_SUBCHUNK_POS, I32LE, SUBCHUNK_POS, U32LE, ZZ32, Field, Kind, Values
from net.wire.profile import Profile

HEIGHT_MAP_BYTES: Final = 256


class SubChunkResult(IntEnum):
    """What became of one asked sub-chunk."""

    UNDEFINED = 0  # the server does not say; ask again
    SUCCESS = 1  # the payload has it
    CHUNK_NOT_FOUND = 2  # not there yet; ask again
    WRONG_DIMENSION = 3  # the player is elsewhere by now
    PLAYER_NOT_FOUND = 4  # the server does not know the player (yet)
    Y_OUT_OF_BOUNDS = 5  # no such height in this dimension
    SUCCESS_ALL_AIR = 6  # there is nothing in it, and so no payload


class HeightKind(IntEnum):
    """Where the tops of an entry's 256 block columns lie."""

    NONE = 0  # nothing is said
    DATA = 1  # 256 values follow
    ALL_TOO_HIGH = 2  # all above this sub-chunk
    ALL_TOO_LOW = 3  # all below this sub-chunk


class SubChunkEntry(NamedTuple):
    """One answered sub-chunk.

    Attributes:
        dx: offset from the packet's centre, in sub-chunks.
        dy: offset.
        dz: offset.
        result: a SubChunkResult, or a number that is none.
        payload: see the module; empty where nothing was sent.
        height_kind: a HeightKind.
        heights: 256 signed bytes, [z][x], as ``net.space.layout.HeightMap`` in either profile; kind DATA only.
        blob_id: None when the cache is off.
    """

    dx: int
    dy: int
    dz: int
    result: int
    payload: bytes = b""
    height_kind: int = HeightKind.NONE
    heights: bytes | None = None
    blob_id: int | None = None


@dataclass(frozen=True, slots=True)
class SubChunk:
    """Answers around one centre.

    Attributes:
        cache_enabled: whether terrain comes as blobs.
        dimension: where they are.
        centre: what the entries' offsets count from; y is absolute.
        entries: may be empty.
    """

    cache_enabled: bool
    dimension: int
    centre: SubChunkPos
    entries: tuple[SubChunkEntry, ...]


_HEAD: Final = struct.Struct("<bbbB")
_LEAST_ENTRY_BYTES: Final = 5  # the head and the height map's kind; the documented profile has no more


@dataclass(frozen=True, slots=True)
class EntryForm:
    """How entries look on the wire.

    Attributes:
        cached: whether each ends with a blob id.
        documented: whether by the vendor's text.
    """

    cached: bool
    documented: bool

    def has_payload(self, result: int) -> bool:
        """Whether a length and a payload stand behind this result."""
        if self.documented:
            return result == SubChunkResult.SUCCESS
        return not (self.cached and result == SubChunkResult.SUCCESS_ALL_AIR)

    def read(self, reader: Reader) -> SubChunkEntry:
        """Takes one entry off a reader, which then carries only the part's name as its field."""
        reader.field = "head"
        dx, dy, dz, result = _HEAD.unpack(reader.take(4))
        payload = b""
        if self.has_payload(result):
            reader.field = "payload"
            payload = reader.byte_string()
            if self.documented and not self.cached:
                payload = to_zigzag(payload, 1, biomes=False)
        reader.field = "height_kind"
        kind = reader.u8()
        heights = self._read_heights(reader, kind) if kind else None
        reader.field = "blob_id"
        blob_id = reader.u64le() if self.cached else None
        return SubChunkEntry(dx, dy, dz, result, payload, kind, heights, blob_id)

    def _read_heights(self, reader: Reader, kind: int) -> bytes | None:
        if kind > HeightKind.ALL_TOO_LOW:
            raise reader.fault(f"knows no height map of kind {kind}", reader.offset - 1)
        if kind != HeightKind.DATA:
            return None
        reader.field = "heights"
        heights = reader.take(HEIGHT_MAP_BYTES)
        return heights.translate(HEIGHTS_TO_BEDROCK) if self.documented else heights

    def write(self, writer: Writer, entry: SubChunkEntry) -> None:
        """Puts one entry onto a writer."""
        try:
            writer.buffer += _HEAD.pack(entry.dx, entry.dy, entry.dz, entry.result)
        except struct.error:
            raise writer.fault(f"has offsets or a result out of range: {entry[:4]}") from None
        if self.has_payload(entry.result):
            turned = self.documented and not self.cached
            writer.byte_string(to_unsigned(entry.payload, 1, biomes=False) if turned else entry.payload)
        writer.u8(entry.height_kind)
        if entry.height_kind == HeightKind.DATA:
            if entry.heights is None or len(entry.heights) != HEIGHT_MAP_BYTES:
                raise writer.fault("has no height map of 256 bytes")
            writer.raw(entry.heights.translate(HEIGHTS_TO_DOCUMENTED) if self.documented else entry.heights)
        if self.cached:
            writer.u64le(entry.blob_id or 0)


def _entries(form: EntryForm, count: Kind[int]) -> Kind[tuple[SubChunkEntry, ...]]:
    def read(reader: Reader) -> tuple[SubChunkEntry, ...]:
        name = reader.field
        entries: list[SubChunkEntry] = []
        try:
            for _ in range(reader.count(count.read, _LEAST_ENTRY_BYTES)):
                entries.append(form.read(reader))  # noqa: PERF401 - a comprehension would hide how far it came
        except DecodeError as error:
            # The path is made only when it is needed: naming each part of 512 entries costs more than reading them.
            part = "" if error.field == name else f"[{len(entries)}].{error.field}"
            raise DecodeError(error.packet, name + part, error.offset, error.reason) from None
        reader.field = name
        return tuple(entries)

    def write(writer: Writer, entries: tuple[SubChunkEntry, ...]) -> None:
        name = writer.field
        count.write(writer, len(entries))
        for index, entry in enumerate(entries):
            writer.field = f"{name}[{index}]"
            form.write(writer, entry)
        writer.field = name

    return Kind(read, write, count.least_bytes)


def _cached(values: Values) -> bool:
    return bool(values["cache_enabled"])


def _plain(values: Values) -> bool:
    return not values["cache_enabled"]


PACKET = Packet(
    174,
    SubChunk,
    (
        Field("cache_enabled", BOOL),
        Field("dimension", ZZ32, profile=Profile.BEDROCK),
        Field("dimension", I32LE, profile=Profile.DOCUMENTED),
        Field("centre", SUBCHUNK_POS, profile=Profile.BEDROCK),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.DOCUMENTED),
        Field("entries", _entries(EntryForm(False, False), U32LE), profile=Profile.BEDROCK, when=_plain),
        Field("entries", _entries(EntryForm(True, False), U32LE), profile=Profile.BEDROCK, when=_cached),
        Field("entries", _entries(EntryForm(False, True), I32LE), profile=Profile.DOCUMENTED, when=_plain),
        Field("entries", _entries(EntryForm(True, True), I32LE), profile=Profile.DOCUMENTED, when=_cached),
    ),
)
