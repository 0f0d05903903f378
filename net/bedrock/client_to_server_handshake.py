"""ClientToServerHandshake: the first encrypted packet (wire.md 5.3)."""

from net.bedrock.packet import Packet
from net.frozen import frozen


@frozen
class ClientToServerHandshake:
    """Says that the client encrypts from here on. Has no fields."""


PACKET = Packet(
    4,
    ClientToServerHandshake,
    (),
)
