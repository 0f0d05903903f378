"""NetworkSettings: how batches are compressed (wire.md 2.9, 5.3).

From protocol 554 it is the server's first packet, and nothing is compressed before it. At 486 it may come late, and a
client has no use for it: every batch is deflated or raw, which inflating tells.
"""

from enum import IntEnum

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, F32LE, U8, U16LE, Field


class Algorithm(IntEnum):
    """How the packets of a batch are compressed."""

    DEFLATE = 0  # without a header
    SNAPPY = 1  # the raw block format
    NONE = 0xFFFF


@frozen
class NetworkSettings:
    """What holds for both directions from the next batch on.

    Attributes:
        threshold: in bytes; smaller batches need not be compressed.
        algorithm: an Algorithm; this and what follows from protocol 554.
        throttle: whether clients that are far from others get less.
        throttle_threshold: of the vendor's.
        throttle_scalar: of the vendor's.
    """

    threshold: int
    algorithm: int = Algorithm.DEFLATE
    throttle: bool = False
    throttle_threshold: int = 0
    throttle_scalar: float = 0.0


PACKET = Packet(
    143,
    NetworkSettings,
    (
        Field("threshold", U16LE),
        Field("algorithm", U16LE, since=554),
        Field("throttle", BOOL, since=554),
        Field("throttle_threshold", U8, since=554),
        Field("throttle_scalar", F32LE, since=554),
    ),
)
