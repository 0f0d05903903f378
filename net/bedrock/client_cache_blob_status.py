"""ClientCacheBlobStatus: which of the announced blobs the client has (wire.md 2.7, 4).

Before protocol 1001 both counts stand before both lists, so the lists are one field of the wire.
"""

from typing import Any

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import U64LE, UV32, Field, Kind, Values, listed
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer


@frozen
class ClientCacheBlobStatus:
    """Each announced blob once, in one of two lists of at most 4095.

    Attributes:
        misses: ids to be sent.
        hits: ids the client has.
    """

    misses: tuple[int, ...]
    hits: tuple[int, ...]


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


def _build(values: Values, _dialect: Dialect) -> ClientCacheBlobStatus:
    lists = values.get("lists")
    return ClientCacheBlobStatus(*lists) if lists is not None else ClientCacheBlobStatus(**values)


def _split(message: ClientCacheBlobStatus, _dialect: Dialect) -> dict[str, Any]:
    return {"lists": (message.misses, message.hits), "misses": message.misses, "hits": message.hits}


IDS = listed(U64LE, UV32)

PACKET = Packet(
    135,
    ClientCacheBlobStatus,
    (
        Field("lists", Kind(_read, _write, 2), until=1001),
        Field("misses", IDS, since=1001),
        Field("hits", IDS, since=1001),
    ),
    _build,
    _split,
)
