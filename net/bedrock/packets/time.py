"""SetTime: the time of day.

TickSync: optional exchange of tick counters.

NetworkStackLatency: keep-alive above the transport.
"""

from net.bedrock.packets.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, I64LE, U64LE, ZZ32, Field

# ---------------------------------------------------------------- set time


@frozen
class SetTime:
    """The world's clock.

    Attributes:
        time: in ticks; keeps counting past 24000.
    """

    time: int


SET_TIME_PACKET = Packet(
    10,
    SetTime,
    (Field("time", ZZ32),),
)


# ---------------------------------------------------------------- tick sync


@frozen
class TickSync:
    """Sent by the client with its own time; the server echoes it with the tick at which it came.

    Attributes:
        request_time: the client's.
        response_time: the server's.
    """

    request_time: int
    response_time: int = 0


TICK_SYNC_PACKET = Packet(
    23,
    TickSync,
    (
        Field("request_time", I64LE),
        Field("response_time", I64LE),
    ),
)


# ---------------------------------------------------------------- network stack latency


@frozen
class NetworkStackLatency:
    """Echoed with the same time and ``wants_reply`` false when it wants a reply.

    Attributes:
        time: the sender's clock; opaque.
        wants_reply: whether to echo it.
    """

    time: int
    wants_reply: bool


NETWORK_STACK_LATENCY_PACKET = Packet(
    115,
    NetworkStackLatency,
    (
        Field("time", U64LE),
        Field("wants_reply", BOOL),
    ),
)
