"""The keys of pinned places: pin where the camera is or what it looks at, list what is pinned, release the nearest.

Rules:
1. A place looked at is the free block before the first one in the way, for a look-out stands, it is not buried.
2. What cannot be done is said in a sentence, like what was done.

Knows no window, so tests drive it without one.
"""

from collections.abc import Callable
from itertools import count
from typing import Final

from client.connection.connection import Connection
from client.errors import UsageError
from client.options import PinnedAnchor
from client.player import Eye, View
from client.streaming.anchors import AnchorClaim
from net.space import BlockPos
from render.viewer.picking import REACH_BLOCKS, blocks_along

FREE: Final = "minecraft:air"
LISTED: Final = 5


class PinKeys:
    """Pins and releases places of a connection, and says what was done."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def pin_here(self, view: View) -> str:
        """Pins where one is; what was done, or why not, in a sentence."""
        return self._pin(view.eye)

    def pin_there(self, view: View) -> str:
        """Pins what one looks at; what was done, or why not, in a sentence."""
        place = looked_at(view, lambda block: self._connection.block(block).name == FREE)
        return self._pin(place) if place else f"No block within {REACH_BLOCKS:.0f} blocks."

    def _pin(self, place: Eye) -> str:
        pins = self._connection.pins
        name = next(name for name in (f"pin {number}" for number in count(1)) if name not in pins)
        try:
            self._connection.pin(name, PinnedAnchor(place.x, place.z, y=place.y))
        except UsageError as error:
            return str(error)
        return f"{name}: {place.x:.0f} {place.y:.0f} {place.z:.0f} stays loaded."

    def unpin_nearest(self, eye: Eye) -> str:
        """Lets go the pin nearest to an eye; what was done, in a sentence."""
        pins = self._connection.pins
        if not pins:
            return "Nothing is pinned."
        name = min(pins, key=lambda name: (_place(pins[name]).distance_blocks(Eye(eye.x, 0.0, eye.z)), name))
        self._connection.unpin(name)
        return f"{name} is released."


def listed(pins: dict[str, AnchorClaim]) -> str:
    """What is pinned, in one line."""
    if not pins:
        return "Nothing is pinned."
    words = []
    for name, pin in list(pins.items())[:LISTED]:
        at, (wide, long) = _place(pin), pin.anchor.size
        what = "all chunks" if pin.eye is None else "visible chunks"
        words.append(f"{name} at {at.x:.0f} {at.z:.0f}, {wide} x {long} columns, {what}")
    more = [f"and {len(pins) - LISTED} more"] if len(pins) > LISTED else []
    return f"{len(pins)} pinned: " + "; ".join(words + more) + "."


def looked_at(view: View, is_free: Callable[[BlockPos], bool]) -> Eye | None:
    """The middle of the last free block along a look; None with nothing in the way, or the eye itself in it."""
    last = None
    for block in blocks_along(view):
        if not is_free(block):
            return None if last is None else Eye(last.x + 0.5, last.y + 0.5, last.z + 0.5)
        last = block
    return None


def _place(pin: AnchorClaim) -> Eye:
    """Where a pin is, on the level: its eye, or its middle."""
    if pin.eye is not None:
        return Eye(pin.eye.x, 0.0, pin.eye.z)
    return Eye(pin.anchor.centre.x * 16.0 + 8.0, 0.0, pin.anchor.centre.z * 16.0 + 8.0)
