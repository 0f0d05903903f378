"""How far a session is, and which steps are legal.

    JOINING ──StartGame──▶ SPAWNING ──PlayStatus 3──▶ PLAYING
                              ▲                          │
                              └──────ChangeDimension─────┘
    any ──Closed or Disconnect──▶ CLOSED

Columns may come before the spawn status and even before the radius was asked (ecosystem.md 2.4), so they are taken
from SPAWNING on; requests too, as several servers wait for them before they let the player spawn.
"""

from enum import Enum
from typing import Final


class Phase(Enum):
    """Where a session stands."""

    JOINING = "joining"  # the login runs; no dimension is known
    SPAWNING = "spawning"  # the dimension is known; columns may come
    PLAYING = "playing"  # the server let the player in
    CLOSED = "closed"  # over; the reason is kept


TRANSITIONS: Final = {
    Phase.JOINING: {Phase.SPAWNING, Phase.CLOSED},
    Phase.SPAWNING: {Phase.SPAWNING, Phase.PLAYING, Phase.CLOSED},
    Phase.PLAYING: {Phase.PLAYING, Phase.SPAWNING, Phase.CLOSED},
    Phase.CLOSED: {Phase.CLOSED},
}


def may_become(now: Phase, then: Phase) -> bool:
    """Whether the step is legal; one that is not is the server's confusion and is ignored."""
    return then in TRANSITIONS[now]
