"""SetTime: the time of day.

TickSync: optional exchange of tick counters.

NetworkStackLatency: keep-alive above the transport.
"""

from net.bedrock.packets.packet import Blocks, Message, Sender, packet
from net.wire.fields import BOOL, I64LE, U64LE, ZZ32, Field

__all__ = ["NetworkStackLatency", "SetTime", "TickSync"]

# ---------------------------------------------------------------- set time


@packet(10, Sender.SERVER, blocks=Blocks.NONE)
class SetTime(Message, frozen=True):
    """The world's clock."""

    time: int  # in ticks; keeps counting past 24000

    FIELDS = (Field("time", ZZ32),)


# ---------------------------------------------------------------- tick sync


@packet(23, Sender.EITHER)
class TickSync(Message, frozen=True):
    """Sent by the client with its own time; the server echoes it with the tick at which it came."""

    request_time: int  # the client's
    response_time: int = 0  # the server's

    FIELDS = (
        Field("request_time", I64LE),
        Field("response_time", I64LE),
    )


# ---------------------------------------------------------------- network stack latency


@packet(115, Sender.EITHER, blocks=Blocks.NONE)
class NetworkStackLatency(Message, frozen=True):
    """Echoed with the same time and ``wants_reply`` false when it wants a reply."""

    time: int  # the sender's clock; opaque
    wants_reply: bool  # whether to echo it

    FIELDS = (
        Field("time", U64LE),
        Field("wants_reply", BOOL),
    )
