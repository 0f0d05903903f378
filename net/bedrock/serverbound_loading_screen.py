"""ServerboundLoadingScreen: the client shows, or leaves, its loading screen (wire.md 2.5)."""

from typing import Final

from net.bedrock.change_dimension import LOADING_SCREEN
from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import ZZ32, Field

FIRST_PROTOCOL: Final = 712
"""Nobody says it before."""


@frozen
class ServerboundLoadingScreen:
    """What a client says around a change of dimension, from protocol 712 on.

    Attributes:
        kind: 1 the screen appears, 2 it is gone.
        loading_screen_id: as ChangeDimension gave it.
    """

    kind: int
    loading_screen_id: int | None = None


PACKET = Packet(
    312,
    ServerboundLoadingScreen,
    (
        Field("kind", ZZ32),
        Field("loading_screen_id", LOADING_SCREEN),
    ),
    since=FIRST_PROTOCOL,
)
