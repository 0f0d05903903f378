"""ServerToClientHandshake: the server's half of the key exchange, in the clear (wire.md 5.3)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import STRING, Field


@frozen
class ServerToClientHandshake:
    """The signed token that names the server's key and the salt.

    Attributes:
        token: a JWT whose header holds the key (x5u) and whose body the salt.
    """

    token: str


PACKET = Packet(
    3,
    ServerToClientHandshake,
    (Field("token", STRING),),
)
