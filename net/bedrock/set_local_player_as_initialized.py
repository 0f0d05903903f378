"""SetLocalPlayerAsInitialized: the client stands in the world."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import UV64, Field


@frozen
class SetLocalPlayerAsInitialized:
    """Answers PlayStatus 3 (spawn).

    Attributes:
        runtime_id: StartGame's runtime id.
    """

    runtime_id: int


PACKET = Packet(
    113,
    SetLocalPlayerAsInitialized,
    (Field("runtime_id", UV64),),
)
