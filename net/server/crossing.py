"""The way of one client from one dimension into another (wire.md 2.5).

| step | who says it | what it means |
|---|---|---|
| ChangeDimension | server | the client drops all that it knows; columns of the other dimension follow |
| PlayStatus 3, from 560 on a PlayerAction 14 beside it | server | the columns nearest to the player are sent |
| PlayerAction 14 | client | its player is there |

Rules:
1. A wish waits until the client plays, so that no crossing begins within another one; the last wish counts.
2. Until the client has said that it is there, or ``ACKNOWLEDGE_S`` after it was let in, what it says of its place may
   be of where it was, and is ignored.
3. Within its dimension a player is just moved: a real client never leaves the screen of a change to where it is.

From 560 (1.19.50) on clients wait for the server's PlayerAction, and answer it with theirs (dragonfly, Allay).
"""

from typing import Final, NamedTuple

from net.bedrock import ChangeDimension, Message, PlayerAction
from net.server.realm import Realm
from net.server.whereabouts import Point

DONE: Final = 14
"""PlayerAction: the change of dimension is done."""
SERVER_SAYS_DONE: Final = 560
LOADING_SCREENS: Final = 712
ACKNOWLEDGE_S: Final = 10.0


class Wish(NamedTuple):
    """Where a player wants to be.

    Attributes:
        realm: of which dimension.
        feet: where in it; None for where it was there last, or where players start there.
    """

    realm: Realm
    feet: Point | None


class Crossing:
    """The crossings of one client. ``runtime_id`` is its own number.

    Attributes:
        wish: what is to be done next, None for nothing.
    """

    def __init__(self, runtime_id: int) -> None:
        self.wish: Wish | None = None
        self._runtime_id = runtime_id
        self._screens = 0
        self._under_way = False
        self._until = 0.0

    def begin(self, number: int, eye: Point, protocol: int) -> Message:
        """The player goes to a dimension; what it is told."""
        self._under_way, self._until = True, float("inf")
        self._screens += 1
        screen = self._screens if protocol >= LOADING_SCREENS else None
        return ChangeDimension(number, eye, respawn=False, loading_screen_id=screen)

    def let_in(self, protocol: int, now: float) -> list[Message]:
        """The client has what it needs; what it is told beside its PlayStatus."""
        if not self._under_way:
            return []
        self._until = now + ACKNOWLEDGE_S
        return [PlayerAction(self._runtime_id, DONE)] if protocol >= SERVER_SAYS_DONE else []

    def hear(self, message: PlayerAction) -> None:
        """The player has done something."""
        if message.action == DONE:
            self._under_way = False

    def still_there(self, now: float) -> bool:
        """Whether the client may still speak of where it was."""
        self._under_way = self._under_way and now < self._until
        return self._under_way
