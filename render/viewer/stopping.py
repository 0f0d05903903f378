"""Why a walking body goes no further: holes obstruct and are invisible, so somebody who meets one is told what it is.

Knows no window: it looks at a body, and asks what a block is.

Rules:
1. A hole is told of once, by its sub-chunk, until nothing was met for ``FORGOTTEN_S``: who slides along one is not
   told again and again.
2. Walls that one sees are no news; who stands in a block (flew there, or was put there) is told, and sees nothing.
"""

from collections.abc import Callable
from math import floor
from typing import Final

from client.world.block_table import PLACEHOLDER_NAME
from net.space.positions import BlockPos
from render.viewer.walking import EYE, HAIR, Body

FORGOTTEN_S: Final = 3.0
PREFIX: Final = "minecraft:"
Deed = str
"""What a hole does to a body."""
AGAINST, WITHIN, BELOW = "stops you", "is around you, so you do not fall", "holds you up"
OUT: Final = "walk out of it, or fly again"


class Stops:
    """Of one window in one world."""

    def __init__(self, name_at: Callable[[BlockPos], str], why: Callable[[BlockPos], str]) -> None:
        """Nothing was met.

        Args:
            name_at: the name of a block, the placeholder's where nothing is known.
            why: a hole's sentence.
        """
        self._name_at, self._why = name_at, why
        self._told: set[object] = set()
        self._met_s = 0.0

    def news(self, body: Body | None, now: float) -> str | None:
        """What there is to say of a body, once; ``now`` is monotonic seconds."""
        met = None if body is None else self._met(body)
        if met is None:
            if now - self._met_s >= FORGOTTEN_S:
                self._told.clear()
            return None
        self._met_s = now
        block, deed = met
        name = self._name_at(block)
        key = block.subchunk if name == PLACEHOLDER_NAME else name
        if key in self._told:
            return None
        self._told.add(key)
        if name == PLACEHOLDER_NAME:
            return f"A hole {deed}. {self._why(block)}"
        return f"You are inside of {name.removeprefix(PREFIX)}: {OUT}."

    def _met(self, body: Body) -> tuple[BlockPos, Deed] | None:
        if body.within is not None:
            return body.within, WITHIN
        if body.against is not None and self._is_hole(body.against):
            return body.against, AGAINST
        x, y, z = body.eye
        below = BlockPos(floor(x), floor(y - EYE - HAIR), floor(z))
        return (below, BELOW) if body.stands and self._is_hole(below) else None

    def _is_hole(self, block: BlockPos) -> bool:
        return self._name_at(block) == PLACEHOLDER_NAME
