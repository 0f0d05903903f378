"""What panels ask of the window: plain values, done by ``render.viewer.panel_room`` once the frame is listed."""

from dataclasses import dataclass

from net.space.positions import BlockPos


@dataclass(frozen=True, slots=True)
class Go:
    """Take the camera to a block, looking at it from nearby."""

    block: BlockPos


@dataclass(frozen=True, slots=True)
class Copy:
    """Put a text on the clipboard."""

    text: str


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to a time of the recording, in seconds, and stay there."""

    time_s: float


@dataclass(frozen=True, slots=True)
class Press:
    """Do what a key does, by the value of its ``Action``."""

    action: str


Wish = Go | Copy | Seek | Press
