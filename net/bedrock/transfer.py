"""Transfer: go to another server."""

from net.bedrock.join_info import GATHERING_OR_NONE, Gathering
from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, U16LE, Field


@frozen
class Transfer:
    """The session ends here and should go on there.

    Attributes:
        address: host name or number.
        port: UDP port.
        reload: whether the client should load its world again; from protocol 729.
        gathering: the event to join there; from protocol 2168.
    """

    address: str
    port: int
    reload: bool = False
    gathering: Gathering | None = None


PACKET = Packet(
    85,
    Transfer,
    (
        Field("address", STRING),
        Field("port", U16LE),
        Field("reload", BOOL, since=729),
        Field("gathering", GATHERING_OR_NONE, since=2168),
    ),
)
