"""TickSync: optional exchange of tick counters."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import I64LE, Field


@frozen
class TickSync:
    """Sent by the client with its own time; the server echoes it with the tick at which it came.

    Attributes:
        request_time: the client's.
        response_time: the server's.
    """

    request_time: int
    response_time: int = 0


PACKET = Packet(
    23,
    TickSync,
    (
        Field("request_time", I64LE),
        Field("response_time", I64LE),
    ),
)
