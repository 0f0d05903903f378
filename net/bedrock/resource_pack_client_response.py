"""ResourcePackClientResponse: what the client did about resource packs (wire.md 2.9)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import STRING, U8, U16LE, Field, listed


@dataclass(frozen=True, slots=True)
class ResourcePackClientResponse:
    """Answers ResourcePacksInfo and ResourcePackStack.

    Attributes:
        status: 1 refused, 2 send packs, 3 have all packs, 4 completed.
        packs: ``uuid_version`` of those to be sent.
    """

    status: int
    packs: tuple[str, ...] = ()


PACKET = Packet(
    8,
    ResourcePackClientResponse,
    (
        Field("status", U8),
        Field("packs", listed(STRING, U16LE)),
    ),
)
