"""What panels ask of the window: plain values, done by ``render.viewer.panel_room`` once the frame is listed."""

from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Overlay:
    """Switch an overlay on or off."""

    name: str


@dataclass(frozen=True, slots=True)
class Change:
    """Change a setting, now and in the file; its value as the file has it, and one that it may have."""

    key: str
    value: Any  # Any: each setting has its own type


@dataclass(frozen=True, slots=True)
class Inspect:
    """Look into this block, wherever the crosshair is; the panels' own to grant."""

    block: BlockPos


@dataclass(frozen=True, slots=True)
class Bind:
    """Ask for a key of an action, by the value of its ``Action``."""

    action: str


Wish = Bind | Change | Copy | Go | Inspect | Overlay | Press | Seek
