"""SetTime: the time of day."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import ZZ32, Field


@dataclass(frozen=True, slots=True)
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
