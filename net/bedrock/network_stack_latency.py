"""NetworkStackLatency: keep-alive above the transport."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, U64LE, Field


@frozen
class NetworkStackLatency:
    """Echoed with the same time and ``wants_reply`` false when it wants a reply.

    Attributes:
        time: the sender's clock; opaque.
        wants_reply: whether to echo it.
    """

    time: int
    wants_reply: bool


PACKET = Packet(
    115,
    NetworkStackLatency,
    (
        Field("time", U64LE),
        Field("wants_reply", BOOL),
    ),
)
