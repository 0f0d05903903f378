"""Disconnect: the session ends, with a reason for the player (wire.md 2.9)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import BOOL, STRING, Field


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The last packet.

    Attributes:
        hidden: whether the screen that shows the message is skipped.
        message: empty when hidden, often a key such as ``disconnectionScreen.notAuthenticated``.
    """

    hidden: bool
    message: str = ""


PACKET = Packet(5, Disconnect, (Field("hidden", BOOL), Field("message", STRING, when=lambda v: not v["hidden"])))
