"""NetworkSettings: from which size on batches are compressed (wire.md 2.9)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import U16LE, Field


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """At 486 a client has no use for it: every batch is compressed or raw, which inflating tells.

    Attributes:
        threshold: in bytes.
    """

    threshold: int


PACKET = Packet(
    143,
    NetworkSettings,
    (Field("threshold", U16LE),),
)
