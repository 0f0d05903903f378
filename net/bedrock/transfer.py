"""Transfer: go to another server."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import STRING, U16LE, Field


@dataclass(frozen=True, slots=True)
class Transfer:
    """The session ends here and should go on there.

    Attributes:
        address: host name or number.
        port: UDP port.
    """

    address: str
    port: int


PACKET = Packet(
    85,
    Transfer,
    (
        Field("address", STRING),
        Field("port", U16LE),
    ),
)
