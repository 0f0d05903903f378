"""ClientToServerHandshake: the first encrypted packet (wire.md 5.3)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet


@dataclass(frozen=True, slots=True)
class ClientToServerHandshake:
    """Says that the client encrypts from here on. Has no fields."""


PACKET = Packet(
    4,
    ClientToServerHandshake,
    (),
)
