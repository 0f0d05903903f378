"""What panels ask of the window: plain values, done by ``panel_host`` once the frame is listed."""

from typing import Any

from net.frozen import frozen
from net.space.positions import BlockPos


@frozen
class Go:
    """Take the camera to a block, looking at it from nearby."""

    block: BlockPos


@frozen
class Copy:
    """Put a text on the clipboard."""

    text: str


@frozen
class Seek:
    """Go to a time of the recording, in seconds, and stay there."""

    time_s: float


@frozen
class Press:
    """Do what a key does, by the value of its ``Action``."""

    action: str


@frozen
class Overlay:
    """Switch an overlay on or off."""

    name: str


@frozen
class Change:
    """Change a setting, now and in the file; its value as the file has it, and one that it may have."""

    key: str
    value: Any  # Any: each setting has its own type


@frozen
class Inspect:
    """Look into this block, wherever the crosshair is; the panels' own to grant."""

    block: BlockPos


@frozen
class Bind:
    """Ask for a key of an action, by the value of its ``Action``."""

    action: str


Wish = Bind | Change | Copy | Go | Inspect | Overlay | Press | Seek
