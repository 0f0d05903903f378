"""SetPlayerGameType: another game mode for the player."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import ZZ32, Field


@frozen
class SetPlayerGameType:
    """The player's new game mode.

    Attributes:
        game_mode: 0 survival, 1 creative, 2 adventure, 5 default, 6 spectator.
    """

    game_mode: int


PACKET = Packet(
    62,
    SetPlayerGameType,
    (Field("game_mode", ZZ32),),
)
