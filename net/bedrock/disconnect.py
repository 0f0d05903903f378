"""Disconnect: the session ends, with a reason for the player (wire.md 2.9)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, ZZ32, Field, Values


@frozen
class Disconnect:
    """The last packet.

    Attributes:
        hidden: whether the screen that shows the message is skipped.
        message: empty when hidden, often a key such as ``disconnectionScreen.notAuthenticated``.
        reason: a number of the vendor's list, 0 = unknown; from protocol 622.
        filtered: the message without bad words; from protocol 712, mostly empty.
    """

    hidden: bool
    message: str = ""
    reason: int = 0
    filtered: str = ""


def _shown(values: Values) -> bool:
    return not values["hidden"]


PACKET = Packet(
    5,
    Disconnect,
    (
        Field("reason", ZZ32, since=622),
        Field("hidden", BOOL),
        Field("message", STRING, when=_shown),
        Field("filtered", STRING, since=712, when=_shown),
    ),
)
