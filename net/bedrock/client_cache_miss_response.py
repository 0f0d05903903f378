"""ClientCacheMissResponse: the blobs the client said it has not (wire.md 2.7, 4)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BYTE_STRING, U64LE, UV32, Field, Record, listed


@frozen
class Blob:
    """One blob: terrain of a sub-chunk, or the biomes of a column.

    Attributes:
        blob_id: xxHash64 with seed 0 of the content, unchecked here.
        content: its bytes.
    """

    blob_id: int
    content: bytes


@frozen
class ClientCacheMissResponse:
    """Blobs, each named by the hash of its bytes.

    Attributes:
        blobs: in no particular order; at most 4095.
    """

    blobs: tuple[Blob, ...]


BLOB = Record(Blob, (Field("blob_id", U64LE), Field("content", BYTE_STRING))).kind

PACKET = Packet(136, ClientCacheMissResponse, (Field("blobs", listed(BLOB, UV32)),))
