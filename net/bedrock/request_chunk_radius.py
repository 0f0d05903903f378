"""RequestChunkRadius: how far the client wants columns."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import U8, ZZ32, Field


@frozen
class RequestChunkRadius:
    """Asked for once at login and whenever the setting changes.

    Attributes:
        radius: in columns.
        most: in columns; the largest radius this client could ever ask for. From protocol 582.
    """

    radius: int
    most: int = 96


PACKET = Packet(
    69,
    RequestChunkRadius,
    (
        Field("radius", ZZ32),
        Field("most", U8, since=582),
    ),
)
