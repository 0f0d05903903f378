"""What is told of a server that puts the player somewhere, or holds it where it is.

Rules:
1. One that holds the player corrects it again and again, and each word of the camera's ends it: it is told of once, and
   again where nothing was held for ``FORGOTTEN_S``.
2. Where one asked to be taken is told by the answer (``following``); this tells of what nobody asked for.
"""

from typing import Final

from client.player import Eye
from net.space.dimensions import Dimension

FORGOTTEN_S: Final = 5.0


class Placement:
    """Of one player."""

    def __init__(self, dimension: Dimension) -> None:
        """Is there."""
        self._dimension = dimension.number
        self._held_s: float | None = None

    def took(self, eye: Eye, dimension: Dimension) -> str:
        """The server put the player there; names its dimension where it is another one."""
        crossed, self._dimension = dimension.number != self._dimension, dimension.number
        there = f", dimension {dimension.name}" if crossed else ""
        return f"The server took you to {eye.x:.0f} {eye.y:.0f} {eye.z:.0f}{there}."

    def held(self, eye: Eye | None, back: str, now: float) -> str | None:
        """What there is to say of being held.

        Args:
            eye: where; None: the player goes where the camera does.
            back: the key that leads back to the player.
            now: monotonic seconds.
        """
        if eye is None:
            return None
        fresh = self._held_s is None or now - self._held_s >= FORGOTTEN_S
        self._held_s = now
        at = f"{eye.x:.0f} {eye.y:.0f} {eye.z:.0f}"
        said = f"The server holds you at {at} and sends what is around there; the camera goes on alone ({back}: back)."
        return said if fresh else None
