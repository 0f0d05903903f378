"""Columns, radii and change of dimension (wire.md 2.1, 2.5).

LevelChunk: a column, whole or as a skeleton (wire.md 2.1).
1. A skeleton ("request mode") holds biomes only; its sub-chunks are requested. The wire form is hidden here: before
   protocol 2168 two special values of the count, from there on an optional limit, -1 for none.
2. ``limit`` is read inclusively: indices 0..limit, from the dimension's floor, may have blocks. Captures differ on
   whether it is an index or a count; an index one too high is answered with "all air" (wire.md 2.1).
3. With blobs, one id a sub-chunk from the bottom and the biomes' id last; a skeleton has only the biomes' id.

NetworkChunkPublisherUpdate: the circle inside which the client keeps columns (wire.md 2.5). The position is signed
(zigzag y) at every protocol: minecraft-data calls it a block position with unsigned y, three other implementations say
signed.

RequestChunkRadius: the radius that the client wants.
ChunkRadiusUpdated: the radius that the server grants.
ChangeDimension: the client drops all columns and waits for new ones (wire.md 2.5).
"""

from typing import Annotated, Any, Final, Self

from net.bedrock.documented_profile import to_unsigned, to_zigzag
from net.bedrock.packets.packet import Message, Sender, packet
from net.space import BlockPos, ColumnPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BOOL,
    BYTE_STRING,
    COLUMN_POS,
    POSITION,
    SIGNED_BLOCK_POS,
    U8,
    U32LE,
    U64LE,
    UV32,
    ZZ32,
    Dialect,
    Field,
    Kind,
    Profile,
    Values,
    listed,
    optional,
    wire,
)

__all__ = ["ChangeDimension", "ChunkRadiusUpdated", "LevelChunk", "NetworkChunkPublisherUpdate", "RequestChunkRadius"]

LIMITLESS_MARK: Final = 0xFFFFFFFF
LIMITED_MARK: Final = 0xFFFFFFFE
OPTIONAL_LIMIT_FIRST: Final = 2168
BLOB_IDS: Final = listed(U64LE, UV32)


def _extent(count: Kind[int]) -> Kind[tuple[int | None, int | None]]:
    """(inline count, limit): a count, or one of the special values."""

    def read(reader: Reader) -> tuple[int | None, int | None]:
        mark = count.read(reader)
        if mark == LIMITLESS_MARK:
            return None, None
        return (None, reader.u16le()) if mark == LIMITED_MARK else (mark, None)

    def write(writer: Writer, extent: tuple[int | None, int | None]) -> None:
        inline_count, limit = extent
        if inline_count is not None:
            if limit is not None or inline_count >= LIMITED_MARK:
                raise writer.fault(f"cannot hold {inline_count} inline sub-chunks with limit {limit}")
            count.write(writer, inline_count)
        elif limit is None:
            count.write(writer, LIMITLESS_MARK)
        else:
            count.write(writer, LIMITED_MARK)
            writer.u16le(limit)

    return Kind(read, write, count.least_bytes)


def _read_optional_extent(reader: Reader) -> tuple[int | None, int | None]:
    inline_count = reader.uv32()
    if not reader.boolean():
        return inline_count, None
    limit = reader.zz32()
    return None, None if limit < 0 else limit


def _write_optional_extent(writer: Writer, extent: tuple[int | None, int | None]) -> None:
    inline_count, limit = extent
    if inline_count is not None and limit is not None:
        raise writer.fault(f"cannot hold {inline_count} inline sub-chunks with limit {limit}")
    writer.uv32(inline_count or 0)
    writer.boolean(inline_count is None)
    if inline_count is None:
        writer.zz32(-1 if limit is None else limit)


def _read_blobs(reader: Reader) -> tuple[int, ...] | None:
    cached = reader.boolean()
    blob_ids = BLOB_IDS.read(reader)
    return blob_ids if cached else None


def _write_blobs(writer: Writer, blob_ids: tuple[int, ...] | None) -> None:
    writer.boolean(blob_ids is not None)
    BLOB_IDS.write(writer, blob_ids or ())


OPTIONAL_EXTENT: Final = Kind(_read_optional_extent, _write_optional_extent, 2)


@packet(58, Sender.SERVER)
class LevelChunk(Message, frozen=True):
    """A column or its skeleton."""

    column: ColumnPos
    # its dimension; None if unknown: it is not on the wire before protocol 649. From there on
    # None is written as the overworld.
    dimension: int | None
    inline_count: int | None  # sub-chunks in the payload; None = none, they are to be requested
    limit: int | None  # index of the highest sub-chunk to request, from the floor up; None = all of them
    blob_ids: tuple[int, ...] | None  # None when the cache is off
    # sub-chunks, biome storages, border byte, block entities (wire.md 2.1); with the cache on only the last two
    payload: bytes

    FIELDS = (
        Field("column", COLUMN_POS),
        Field("dimension", ZZ32, since=649),
        Field("extent", _extent(UV32), profile=Profile.BEDROCK, until=OPTIONAL_LIMIT_FIRST),
        Field("extent", OPTIONAL_EXTENT, profile=Profile.BEDROCK, since=OPTIONAL_LIMIT_FIRST),
        Field("extent", _extent(U32LE), profile=Profile.DOCUMENTED),
        Field("blob_ids", optional(BLOB_IDS), until=OPTIONAL_LIMIT_FIRST),
        Field("blob_ids", Kind(_read_blobs, _write_blobs, 2), since=OPTIONAL_LIMIT_FIRST),
        Field("payload", BYTE_STRING),
    )

    def columns(self) -> tuple[ColumnPos, ...]:
        return (self.column,)

    @classmethod
    def from_values(cls, values: Values, dialect: Dialect) -> Self:
        inline_count, limit = values["extent"]
        payload, blob_ids = values["payload"], values["blob_ids"]
        if dialect.profile is Profile.DOCUMENTED and blob_ids is None:
            payload = to_zigzag(payload, inline_count or 0, biomes=True)
        return cls(values["column"], values.get("dimension"), inline_count, limit, blob_ids, payload)

    def to_values(self, dialect: Dialect) -> dict[str, Any]:
        """The values by wire field."""
        payload = self.payload
        if dialect.profile is Profile.DOCUMENTED and self.blob_ids is None:
            payload = to_unsigned(payload, self.inline_count or 0, biomes=True)
        return {
            "column": self.column,
            "dimension": self.dimension or 0,
            "extent": (self.inline_count, self.limit),
            "blob_ids": self.blob_ids,
            "payload": payload,
        }


COLUMNS = listed(COLUMN_POS, U32LE)


@packet(121, Sender.SERVER)
class NetworkChunkPublisherUpdate(Message, frozen=True):
    """The area in which the server publishes columns."""

    position: Annotated[BlockPos, SIGNED_BLOCK_POS]  # centre of the circle
    radius_blocks: Annotated[int, UV32]  # its radius in blocks
    # columns that the server itself generates; from protocol 544, at most 9216
    built: Annotated[tuple[ColumnPos, ...], wire(COLUMNS, since=544)] = ()


@packet(69, Sender.CLIENT)
class RequestChunkRadius(Message, frozen=True):
    """Sent once at login and whenever the setting changes."""

    radius: Annotated[int, ZZ32]  # in columns
    # in columns; the largest radius that this client can ever request. From protocol 582.
    most: Annotated[int, wire(U8, since=582)] = 96


@packet(70, Sender.SERVER)
class ChunkRadiusUpdated(Message, frozen=True):
    """The answer to RequestChunkRadius."""

    radius: Annotated[int, ZZ32]  # in columns; may be smaller than requested


LOADING_SCREEN = optional(U32LE)


@packet(61, Sender.SERVER)
class ChangeDimension(Message, frozen=True):
    """The player changes dimension."""

    dimension: Annotated[int, ZZ32]  # 0 overworld, 1 nether, 2 end
    position: Annotated[tuple[float, float, float], POSITION]  # eyes
    respawn: Annotated[bool, BOOL]  # whether because of a death
    # of the loading screen that the client then shows
    loading_screen_id: Annotated[int | None, wire(LOADING_SCREEN, since=712)] = None
