"""How wishes of panels are granted, as far as that needs no window of its own to be tested."""

from typing import Any, Final

from msgspec.structs import replace

from client.player import Eye, View
from net.space import BlockPos

AWAY_BLOCKS: Final = 12.0
"""How far before a block one looks at it."""


def near(block: BlockPos, view: View) -> View:
    """A view that looks at a block as one looks now, from a few blocks away."""
    ahead = view.forward
    at = (axis + 0.5 - AWAY_BLOCKS * way for axis, way in zip(block, ahead, strict=True))
    return replace(view, eye=Eye(*at))


def pasted(window: Any) -> str:  # Any: a pyglet window
    """What is on the clipboard; nothing where that cannot be told."""
    try:
        return str(window.get_clipboard_text())
    except Exception:  # any: as for ``copied``
        return ""


def copied(window: Any, text: str) -> str:  # Any: a pyglet window
    """Puts a text on the clipboard; what there is to say."""
    try:
        window.set_clipboard_text(text)
    except Exception as error:  # any: pyglet's systems raise what they like, and some have none
        return f"Nothing was copied: {error or type(error).__name__}."
    return f"{len(text)} characters are on the clipboard."
