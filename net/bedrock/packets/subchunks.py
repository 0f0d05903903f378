"""SubChunkRequest, and SubChunk: its answers, in any order, unrequested or missing (wire.md 2.2, 2.3, seed 000).

Entries of SubChunk, in all their wire forms:
1. An entry's payload is the sub-chunk and its block entities; it is empty for every result but SUCCESS. With the cache
   on it holds the block entities alone, and the blob id identifies the terrain.
2. Unknown result codes are kept. Unknown kinds of height maps are kept, too, where a bool on the wire says whether a
   map follows. Before protocol 2168 there is no such bool, and an unknown kind is a DecodeError, since its length is
   unknown.
3. Reading an entry takes a few slices and no loop over its bytes.

SubChunkRequest: the sub-chunks that the client wants, as signed-byte offsets from a centre. Before protocol 1001 the
centre comes first; from there on the offsets come first, then the centre as fixed-width integers.
"""

import struct
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from net.bedrock.documented_profile import HEIGHTS_TO_BEDROCK, HEIGHTS_TO_DOCUMENTED, to_unsigned, to_zigzag
from net.bedrock.packets.packet import Message, Sender, packet
from net.errors import DecodeError
from net.space import ColumnPos, SubChunkPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BOOL,
    FIXED_SUBCHUNK_POS,
    I32LE,
    SUBCHUNK_POS,
    U32LE,
    UV32,
    ZZ32,
    Dialect,
    Field,
    Kind,
    Profile,
    Values,
    by_dialect,
)

if TYPE_CHECKING:
    from net.arrays import Offsets  # loads NumPy

__all__ = ["HeightKind", "SubChunk", "SubChunkEntry", "SubChunkRequest", "SubChunkResult"]

HEIGHT_MAP_BYTES: Final = 256
RENDER_MAP_FIRST: Final = 818
OPTIONAL_PARTS_FIRST: Final = 2168
ROWS_FIRST: Final = 2193


class SubChunkResult(IntEnum):
    """The result for one requested sub-chunk."""

    UNDEFINED = 0  # undefined; request it again
    SUCCESS = 1  # the payload has it
    CHUNK_NOT_FOUND = 2  # not there yet; request it again
    WRONG_DIMENSION = 3  # the player is in another dimension by now
    PLAYER_NOT_FOUND = 4  # the server does not know the player (yet)
    Y_OUT_OF_BOUNDS = 5  # no such height in this dimension
    SUCCESS_ALL_AIR = 6  # no blocks, and so no payload


class HeightKind(IntEnum):
    """Where the tops of an entry's 256 block columns are."""

    NONE = 0  # no height map
    DATA = 1  # 256 values follow
    ALL_TOO_HIGH = 2  # all above this sub-chunk
    ALL_TOO_LOW = 3  # all below this sub-chunk
    ALL_COPIED = 4  # as in another map; from protocol 818, mostly in the render map


class SubChunkEntry(NamedTuple):
    """One answered sub-chunk."""

    dx: int  # offset from the packet's centre, in sub-chunks
    dy: int  # offset
    dz: int  # offset
    result: int  # a SubChunkResult, or another number
    payload: bytes = b""  # see the module; may be empty
    height_kind: int = HeightKind.NONE  # a HeightKind
    # 256 signed bytes, [z][x], as ``net.space.HeightMap`` in either profile; kind DATA only
    heights: bytes | None = None
    blob_id: int | None = None  # None when the cache is off
    # a HeightKind of the second map, of blocks that are drawn; from protocol 818
    render_kind: int = HeightKind.ALL_COPIED
    render_heights: bytes | None = None  # as ``heights``

    @property
    def surface_kind(self) -> int:
        """The height map's kind, or the render map's if it is said to be a copy of that."""
        return self.render_kind if self.height_kind == HeightKind.ALL_COPIED else self.height_kind

    @property
    def surface_heights(self) -> bytes | None:
        """The map that ``surface_kind`` describes."""
        return self.render_heights if self.height_kind == HeightKind.ALL_COPIED else self.heights


_HEAD: Final = struct.Struct("<bbbB")
# Looking up an enumeration member costs 0.2 us (CPython 3.11, measured): as much as reading the head.
_SUCCESS: Final = SubChunkResult.SUCCESS
_ALL_AIR: Final = SubChunkResult.SUCCESS_ALL_AIR
_DATA: Final = HeightKind.DATA
_COPIED: Final = int(HeightKind.ALL_COPIED)
_LEAST_ENTRY_BYTES: Final = 5  # the head and the height map's kind; the documented profile has no more


def _write_head(writer: Writer, entry: SubChunkEntry) -> None:
    try:
        writer.buffer += _HEAD.pack(entry.dx, entry.dy, entry.dz, entry.result)
    except struct.error:
        raise writer.fault(f"has offsets or a result out of range: {entry[:4]}") from None


def _whole_map(writer: Writer, heights: bytes | None) -> bytes:
    if heights is None or len(heights) != HEIGHT_MAP_BYTES:
        raise writer.fault("has no height map of 256 bytes")
    return heights


class ImpliedForm(msgspec.Struct, frozen=True):
    """Before protocol 2168: cache, result and kinds imply which parts are present.

    While one entry is read, the reader's ``field`` names only the part.
    """

    cached: bool  # whether each entry ends with a blob id
    documented: bool = False  # whether by the vendor's documentation
    render: bool = False  # whether a second height map follows the first

    def has_payload(self, result: int) -> bool:
        """Whether a length and a payload follow this result."""
        if self.documented:
            return result == _SUCCESS
        return not (self.cached and result == _ALL_AIR)

    def read(self, reader: Reader) -> SubChunkEntry:
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
        heights = self._read_heights(reader, kind, "heights") if kind else None
        render_kind, render_heights = _COPIED, None
        if self.render:
            reader.field = "render_kind"
            render_kind = reader.u8()
            render_heights = self._read_heights(reader, render_kind, "render_heights")
        reader.field = "blob_id"
        blob_id = reader.u64le() if self.cached else None
        return SubChunkEntry(dx, dy, dz, result, payload, kind, heights, blob_id, render_kind, render_heights)

    def _read_heights(self, reader: Reader, kind: int, field: str) -> bytes | None:
        if kind > (_COPIED if self.render else HeightKind.ALL_TOO_LOW):
            raise reader.fault(f"does not support a height map of kind {kind}", reader.offset - 1)
        if kind != _DATA:
            return None
        reader.field = field
        heights = reader.take(HEIGHT_MAP_BYTES)
        return heights.translate(HEIGHTS_TO_BEDROCK) if self.documented else heights

    def write(self, writer: Writer, entry: SubChunkEntry) -> None:
        _write_head(writer, entry)
        if self.has_payload(entry.result):
            turned = self.documented and not self.cached
            writer.byte_string(to_unsigned(entry.payload, 1, biomes=False) if turned else entry.payload)
        kind = entry.height_kind
        writer.u8(kind)
        if kind == _DATA:
            heights = _whole_map(writer, entry.heights)
            writer.raw(heights.translate(HEIGHTS_TO_DOCUMENTED) if self.documented else heights)
        if self.render:
            writer.u8(entry.render_kind)
            if entry.render_kind == _DATA:
                writer.raw(_whole_map(writer, entry.render_heights))
        if self.cached:
            writer.u64le(entry.blob_id or 0)


_ROW_BYTES: Final = 17  # a count of 16, then the values of one z
_ROW_COUNTS: Final = b"\x10" * 16


class OptionalForm(msgspec.Struct, frozen=True):
    """From protocol 2168 on: each part has a flag for its presence."""

    rows: bool  # whether a height map is 16 lists of 16 values, as from protocol 2193

    def read(self, reader: Reader) -> SubChunkEntry:
        reader.field = "head"
        dx, dy, dz, result = _HEAD.unpack(reader.take(4))
        reader.field = "payload"
        payload = reader.byte_string() if reader.boolean() else b""
        reader.field = "height_kind"
        kind = reader.u8()
        heights = self._read_heights(reader, "heights")
        reader.field = "render_kind"
        render_kind = reader.u8()
        render_heights = self._read_heights(reader, "render_heights")
        reader.field = "blob_id"
        blob_id = reader.u64le() if reader.boolean() else None
        return SubChunkEntry(dx, dy, dz, result, payload, kind, heights, blob_id, render_kind, render_heights)

    def _read_heights(self, reader: Reader, field: str) -> bytes | None:
        reader.field = field
        if not reader.boolean():
            return None
        if not self.rows:
            return reader.take(HEIGHT_MAP_BYTES)
        start = reader.offset
        rows = reader.take(16 * _ROW_BYTES)
        if rows[::_ROW_BYTES] != _ROW_COUNTS:
            raise reader.fault("has rows that are not 16 values long", start)
        return b"".join(rows[at + 1 : at + _ROW_BYTES] for at in range(0, len(rows), _ROW_BYTES))

    def write(self, writer: Writer, entry: SubChunkEntry) -> None:
        _write_head(writer, entry)
        has_payload = bool(entry.payload) or entry.result == _SUCCESS
        writer.boolean(has_payload)
        if has_payload:
            writer.byte_string(entry.payload)
        writer.u8(entry.height_kind)
        self._write_heights(writer, entry.height_kind, entry.heights)
        writer.u8(entry.render_kind)
        self._write_heights(writer, entry.render_kind, entry.render_heights)
        writer.boolean(entry.blob_id is not None)
        if entry.blob_id is not None:
            writer.u64le(entry.blob_id)

    def _write_heights(self, writer: Writer, kind: int, heights: bytes | None) -> None:
        writer.boolean(kind == _DATA)
        if kind != _DATA:
            return
        values = _whole_map(writer, heights)
        if not self.rows:
            writer.raw(values)
            return
        for at in range(0, HEIGHT_MAP_BYTES, 16):
            writer.uv32(16)
            writer.raw(values[at : at + 16])


def form_of(dialect: Dialect, *, cached: bool) -> "ImpliedForm | OptionalForm":
    """The form of entries in a dialect."""
    if dialect.profile is Profile.DOCUMENTED:
        return ImpliedForm(cached, documented=True)
    if dialect.protocol >= OPTIONAL_PARTS_FIRST:
        return OptionalForm(rows=dialect.protocol >= ROWS_FIRST)
    return ImpliedForm(cached, render=dialect.protocol >= RENDER_MAP_FIRST)


def entries_in(form: ImpliedForm | OptionalForm, count: Kind[int]) -> Kind[tuple[SubChunkEntry, ...]]:
    """A packet's entries, preceded by their number."""

    def read(reader: Reader) -> tuple[SubChunkEntry, ...]:
        name = reader.field
        entries: list[SubChunkEntry] = []
        try:
            length = reader.count(count.read, _LEAST_ENTRY_BYTES)
            reader.charge(length)
            for _ in range(length):
                entries.append(form.read(reader))  # noqa: PERF401 - a comprehension would hide how far it came
        except DecodeError as error:
            # The path is built only when it is needed: naming each part of 512 entries costs more than reading them.
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


def _count(dialect: Dialect) -> Kind[int]:
    if dialect.profile is Profile.DOCUMENTED:
        return I32LE
    return U32LE if dialect.protocol < FIXED_FIRST else UV32


FIXED_FIRST = 2168


@packet(174, Sender.SERVER)
class SubChunk(Message, frozen=True):
    """Answers around one centre."""

    cache_enabled: bool  # whether terrain comes as blobs
    dimension: int  # of the entries
    centre: SubChunkPos  # origin of the entries' offsets; y is absolute
    entries: tuple[SubChunkEntry, ...]  # may be empty

    FIELDS = (
        Field("cache_enabled", BOOL),
        Field("dimension", ZZ32, profile=Profile.BEDROCK),
        Field("dimension", I32LE, profile=Profile.DOCUMENTED),
        Field("centre", SUBCHUNK_POS, profile=Profile.BEDROCK, until=FIXED_FIRST),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.BEDROCK, since=FIXED_FIRST),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.DOCUMENTED),
        Field("entries", by_dialect(lambda d: entries_in(form_of(d, cached=False), _count(d))), when=_plain),
        Field("entries", by_dialect(lambda d: entries_in(form_of(d, cached=True), _count(d))), when=_cached),
    )

    def columns(self) -> tuple[ColumnPos, ...]:
        return tuple({ColumnPos(self.centre.x + entry.dx, self.centre.z + entry.dz) for entry in self.entries})


def _offsets(count: Kind[int]) -> "Kind[Offsets]":
    def read(reader: Reader) -> "Offsets":
        import numpy as np  # noqa: PLC0415 - who reads options loads the packets, but no NumPy

        length = reader.count(count.read, 3)
        return np.frombuffer(reader.take(3 * length), np.int8).reshape(length, 3)

    def write(writer: Writer, offsets: "Offsets") -> None:
        if offsets.dtype != "int8" or offsets.ndim != 2 or offsets.shape[1] != 3:
            raise writer.fault(f"is {offsets.dtype}{offsets.shape}, not int8[n, 3]")
        count.write(writer, len(offsets))
        writer.raw(offsets.tobytes())

    return Kind(read, write, count.least_bytes)


@packet(175, Sender.CLIENT)
class SubChunkRequest(Message, frozen=True, eq=False):
    """Some sub-chunks around a centre."""

    dimension: int  # of the sub-chunks
    centre: SubChunkPos  # origin of the offsets, mostly the player's sub-chunk; y is absolute
    offsets: "Offsets"  # int8[n, 3] of dx, dy, dz, each -127..127

    FIELDS = (
        Field("dimension", ZZ32, profile=Profile.BEDROCK),
        Field("dimension", I32LE, profile=Profile.DOCUMENTED),
        Field("centre", SUBCHUNK_POS, profile=Profile.BEDROCK, until=1001),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.DOCUMENTED),
        Field("offsets", _offsets(U32LE), profile=Profile.BEDROCK, until=1001),
        Field("offsets", _offsets(UV32), profile=Profile.BEDROCK, since=1001),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.BEDROCK, since=1001),
        Field("offsets", _offsets(I32LE), profile=Profile.DOCUMENTED),
    )

    def __eq__(self, other: object) -> bool:
        """Compares all three fields: an array has no truth value of its own."""
        if not isinstance(other, SubChunkRequest):
            return NotImplemented
        same_place = (self.dimension, self.centre) == (other.dimension, other.centre)
        return same_place and self.offsets.tolist() == other.offsets.tolist()

    def __hash__(self) -> int:
        return hash((self.dimension, self.centre, self.offsets.tobytes()))
