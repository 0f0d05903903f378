"""Packets of the client's blob cache (wire.md 2.7, 4).

ClientCacheStatus: whether the client keeps blobs.
ClientCacheBlobStatus: which of the announced blobs the client has. Before protocol 1001 both counts come before both
lists, so the lists are one field of the wire.
ClientCacheMissResponse: the blobs that the client reported as missing.
"""

from typing import Annotated, Any, Self

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.wire.cursor import Reader, Writer
from net.wire.fields import BOOL, BYTE_STRING, U64LE, UV32, Dialect, Field, Kind, Values, listed, record

__all__ = ["Blob", "ClientCacheBlobStatus", "ClientCacheMissResponse", "ClientCacheStatus"]


@packet(129, Sender.CLIENT)
class ClientCacheStatus(Message, frozen=True):
    """Sent once, at login."""

    supported: Annotated[bool, BOOL]  # false = the server sends everything in full


def _read(reader: Reader) -> tuple[tuple[int, ...], tuple[int, ...]]:
    misses = reader.count(Reader.uv32, 8)
    hits = reader.count(Reader.uv32, 8)
    reader.charge(misses + hits)
    return tuple(reader.u64le() for _ in range(misses)), tuple(reader.u64le() for _ in range(hits))


def _write(writer: Writer, lists: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    for ids in lists:
        writer.uv32(len(ids))
    for ids in lists:
        for blob_id in ids:
            writer.u64le(blob_id)


IDS = listed(U64LE, UV32)


@packet(135, Sender.CLIENT)
class ClientCacheBlobStatus(Message, frozen=True):
    """Each announced blob once, in one of two lists of at most 4095."""

    misses: tuple[int, ...]  # ids to send
    hits: tuple[int, ...]  # ids the client has

    FIELDS = (
        Field("lists", Kind(_read, _write, 2), until=1001),
        Field("misses", IDS, since=1001),
        Field("hits", IDS, since=1001),
    )

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        lists = values.get("lists")
        return cls(*lists) if lists is not None else cls(**values)

    def to_values(self, _dialect: Dialect) -> dict[str, Any]:
        """The values by wire field."""
        return {"lists": (self.misses, self.hits), "misses": self.misses, "hits": self.hits}


class Blob(msgspec.Struct, frozen=True):
    """One blob: terrain of a sub-chunk, or the biomes of a column."""

    blob_id: Annotated[int, U64LE]  # xxHash64 with seed 0 of the content, unchecked here
    content: Annotated[bytes, BYTE_STRING]  # its bytes


BLOB = record(Blob)


@packet(136, Sender.SERVER)
class ClientCacheMissResponse(Message, frozen=True):
    """Blobs with their ids."""

    blobs: Annotated[tuple[Blob, ...], listed(BLOB, UV32)]  # in no particular order; at most 4095
