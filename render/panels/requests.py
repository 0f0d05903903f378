"""What panels ask of the window: plain values, done by ``panel_host`` once the frame is listed."""

from typing import Any

import msgspec

from net.space import BlockPos


class Go(msgspec.Struct, frozen=True):
    """Take the camera to a block, looking at it from nearby."""

    block: BlockPos


class Copy(msgspec.Struct, frozen=True):
    """Put a text on the clipboard."""

    text: str


class Seek(msgspec.Struct, frozen=True):
    """Go to a time of the recording, in seconds, and stay there."""

    time_s: float


class Press(msgspec.Struct, frozen=True):
    """Do what a key does, by the value of its ``Action``."""

    action: str


class Overlay(msgspec.Struct, frozen=True):
    """Switch an overlay on or off."""

    name: str


class Change(msgspec.Struct, frozen=True):
    """Change a setting, now and in the file; its value as the file has it, and one that it may have."""

    key: str
    value: Any  # Any: each setting has its own type


class Inspect(msgspec.Struct, frozen=True):
    """Look into this block, wherever the crosshair is; the panels' own to grant."""

    block: BlockPos


class Bind(msgspec.Struct, frozen=True):
    """Ask for a key of an action, by the value of its ``Action``."""

    action: str


Wish = Bind | Change | Copy | Go | Inspect | Overlay | Press | Seek
