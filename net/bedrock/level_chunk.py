"""LevelChunk: a column, whole or as a skeleton (wire.md 2.1).

Rules:
1. A skeleton ("request mode") holds biomes only; its sub-chunks are asked for. Two marks in the place of the count
   say so.
2. ``limit`` is read inclusively: indices 0..limit, from the dimension's floor, may hold something. Captures differ on
   whether it is an index or a count; an index one too high is answered with "all air" (wire.md 2.1).
3. With blobs, one id a sub-chunk from the bottom and the biomes' id last; a skeleton has the biomes' id alone.
"""

from dataclasses import dataclass
from typing import Any, Final

from net.bedrock.documented import to_unsigned, to_zigzag
from net.bedrock.packet import Packet
from net.space.positions import ColumnPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import BYTE_STRING, U32LE, U64LE, UV32, ZZ32, Field, Kind, Values, listed, optional
from net.wire.profile import Dialect, Profile

LIMITLESS_MARK: Final = 0xFFFFFFFF
LIMITED_MARK: Final = 0xFFFFFFFE


@dataclass(frozen=True, slots=True)
class LevelChunk:
    """A column or its skeleton.

    Attributes:
        column: where.
        dimension: in which; not on the wire before protocol 649.
        inline_count: sub-chunks in the payload; None = none, they are to be asked for.
        limit: index of the highest sub-chunk worth asking for, from the floor up; None = all of them.
        blob_ids: None when the cache is off.
        payload: sub-chunks, biome storages, border byte, block entities (wire.md 2.1); with the cache on only the
            last two.
    """

    column: ColumnPos
    dimension: int
    inline_count: int | None
    limit: int | None
    blob_ids: tuple[int, ...] | None
    payload: bytes


def _read_column(reader: Reader) -> ColumnPos:
    return ColumnPos(reader.zz32(), reader.zz32())


def _write_column(writer: Writer, column: ColumnPos) -> None:
    writer.zz32(column.x)
    writer.zz32(column.z)


def _extent(count: Kind[int]) -> Kind[tuple[int | None, int | None]]:
    """(inline count, limit): a count, or one of the marks."""

    def read(reader: Reader) -> tuple[int | None, int | None]:
        mark = count.read(reader)
        if mark == LIMITLESS_MARK:
            return None, None
        return (None, reader.u16le()) if mark == LIMITED_MARK else (mark, None)

    def write(writer: Writer, extent: tuple[int | None, int | None]) -> None:
        inline_count, limit = extent
        if inline_count is not None:
            if limit is not None or inline_count >= LIMITED_MARK:
                raise writer.fault(f"cannot say {inline_count} inline sub-chunks with limit {limit}")
            count.write(writer, inline_count)
        elif limit is None:
            count.write(writer, LIMITLESS_MARK)
        else:
            count.write(writer, LIMITED_MARK)
            writer.u16le(limit)

    return Kind(read, write, count.least_bytes)


def _build(values: Values, dialect: Dialect) -> LevelChunk:
    inline_count, limit = values["extent"]
    payload, blob_ids = values["payload"], values["blob_ids"]
    if dialect.profile is Profile.DOCUMENTED and blob_ids is None:
        payload = to_zigzag(payload, inline_count or 0, biomes=True)
    return LevelChunk(values["column"], values.get("dimension", 0), inline_count, limit, blob_ids, payload)


def _split(message: LevelChunk, dialect: Dialect) -> dict[str, Any]:
    payload = message.payload
    if dialect.profile is Profile.DOCUMENTED and message.blob_ids is None:
        payload = to_unsigned(payload, message.inline_count or 0, biomes=True)
    return {
        "column": message.column,
        "dimension": message.dimension,
        "extent": (message.inline_count, message.limit),
        "blob_ids": message.blob_ids,
        "payload": payload,
    }


PACKET = Packet(
    58,
    LevelChunk,
    (
        Field("column", Kind(_read_column, _write_column, 2)),
        Field("dimension", ZZ32, since=649),
        Field("extent", _extent(UV32), profile=Profile.BEDROCK),
        Field("extent", _extent(U32LE), profile=Profile.DOCUMENTED),
        Field("blob_ids", optional(listed(U64LE, UV32))),
        Field("payload", BYTE_STRING),
    ),
    _build,
    _split,
)
