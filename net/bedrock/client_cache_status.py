"""ClientCacheStatus: whether the client keeps blobs (wire.md 2.7)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, Field


@frozen
class ClientCacheStatus:
    """Sent once, at login.

    Attributes:
        supported: false = the server shall send everything in full.
    """

    supported: bool


PACKET = Packet(
    129,
    ClientCacheStatus,
    (Field("supported", BOOL),),
)
