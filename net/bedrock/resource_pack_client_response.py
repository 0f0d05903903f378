"""ResourcePackClientResponse: what the client did about resource packs (wire.md 2.9).

From protocol 2168 the wire counts one lower, adds the status in words, and lists packs only where some are wanted.
"""

from enum import IntEnum
from typing import Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import STRING, U8, U16LE, UV32, Field, Kind, Values, listed
from net.wire.reader import Reader
from net.wire.writer import Writer


class PackStatus(IntEnum):
    """As counted before protocol 2168."""

    NONE = 0
    REFUSED = 1
    SEND_PACKS = 2
    ALL_HERE = 3
    COMPLETED = 4


STATUS_WORDS: Final[dict[int, str]] = {
    PackStatus.REFUSED: "cancel",
    PackStatus.SEND_PACKS: "downloading",
    PackStatus.ALL_HERE: "downloadingfinished",
    PackStatus.COMPLETED: "resourcepackstackfinished",
}
"""The last two as a real client sends them, the first two by their pattern."""


@frozen
class ResourcePackClientResponse:
    """Answers ResourcePacksInfo and ResourcePackStack.

    Attributes:
        status: a PackStatus.
        packs: ``uuid_version`` of those to be sent.
    """

    status: int
    packs: tuple[str, ...] = ()


def _read_counted_lower(reader: Reader) -> int:
    status = reader.uv32() + 1
    reader.string()  # the same in words
    return status


def _write_counted_lower(writer: Writer, status: int) -> None:
    writer.uv32(status - 1)
    writer.string(STATUS_WORDS.get(status, ""))


def _wants_packs(values: Values) -> bool:
    return bool(values["status"] == PackStatus.SEND_PACKS)


PACKET = Packet(
    8,
    ResourcePackClientResponse,
    (
        Field("status", U8, until=2168),
        Field("packs", listed(STRING, U16LE), until=2168),
        Field("status", Kind(_read_counted_lower, _write_counted_lower, 2), since=2168),
        Field("packs", listed(STRING, UV32), since=2168, when=_wants_packs),
    ),
)
