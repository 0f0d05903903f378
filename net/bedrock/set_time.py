"""SetTime: the time of day."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import ZZ32, Field


@frozen
class SetTime:
    """The world's clock.

    Attributes:
        time: in ticks; keeps counting past 24000.
    """

    time: int


PACKET = Packet(
    10,
    SetTime,
    (Field("time", ZZ32),),
)
