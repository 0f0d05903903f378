"""PlayStatus: how the login goes, and when the player may stand in the world (wire.md 2.9)."""

from enum import IntEnum

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import I32BE, Field


class PlayStatusCode(IntEnum):
    """What servers say; other numbers are refusals unknown to us."""

    LOGIN_SUCCESS = 0
    CLIENT_TOO_OLD = 1
    SERVER_TOO_OLD = 2
    PLAYER_SPAWN = 3
    INVALID_TENANT = 4
    VANILLA_TO_EDUCATION = 5
    EDUCATION_TO_VANILLA = 6
    SERVER_FULL = 7
    EDITOR_TO_VANILLA = 8
    VANILLA_TO_EDITOR = 9


@frozen
class PlayStatus:
    """A step of the login.

    Attributes:
        status: a PlayStatusCode, or a number that is none.
    """

    status: int


PACKET = Packet(2, PlayStatus, (Field("status", I32BE),))
