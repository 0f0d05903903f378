"""What a face of a block is called in blocks.json, and at the end of a file's name.

Rules:
1. A block on its side shows its ends where it lies; one that was turned shows its front where it looks.
2. Devices that face any way carry their front and back with them: where blocks.json has those says ``CARRIED``.
"""

from collections.abc import Sequence
from typing import Final

from render.materials.packs.tables import FACES
from render.materials.words import ENDS, Signature

Words = tuple[str, ...]

FRONT: Final = "south"
"""The face that has a device's front in blocks.json."""
_UPRIGHT: Final = ("up", "down")
_NORTHWARD: Final = ("north", "south")
CARRIED: Final = {
    "piston": _UPRIGHT, "sticky_piston": _UPRIGHT, "pistonarmcollision": _UPRIGHT, "stickypistonarmcollision": _UPRIGHT,
    "barrel": _UPRIGHT, "observer": _NORTHWARD, "command_block": _NORTHWARD, "repeating_command_block": _NORTHWARD,
    "chain_command_block": _NORTHWARD, "dispenser": ("south", "north"), "dropper": ("south", "north"),
}  # fmt: skip
"""Devices that may face up and down, too -> the words of blocks.json for what is in front and what is behind."""


def words_and_role(names: Sequence[str], signature: Signature, face: int) -> tuple[Words, str]:
    """The words for a face, the most exact first, and what it is called at the end of a file's name.

    Args:
        names: of the block, the surest first.
        signature: which way it looks.
        face: 0..5.
    """
    carried = next((CARRIED[name] for name in names if name in CARRIED), None)
    words = _carried_words(signature, face, carried) if carried else _words(signature, face)
    return words, _role(words, signature, face, bool(carried))


def _carried_words(signature: Signature, face: int, carried: tuple[str, str]) -> Words:
    """Words for a face of a device that faces any way: front, back, or what lies around them."""
    front, back = carried
    if face == signature.front:
        return (front, "all") if front in _UPRIGHT else (front, "side", "all")
    if face == signature.front ^ 1:
        return (back, "all") if back in _UPRIGHT else (back, "side", "all")
    if carried != _UPRIGHT and signature.front < 4 and face >= 4:
        return (FACES[face], "all")
    return ("side", "east", "west", "all")


def _role(words: Words, signature: Signature, face: int, carried: bool) -> str:
    """What a face is called at the end of a file's name."""
    if carried and face == signature.front:
        return "top" if "up" in words else "front"
    if carried and face == signature.front ^ 1:
        return "bottom" if "down" in words else "back"
    return "top" if "up" in words else "bottom" if "down" in words else "front" if words[0] == FRONT else "side"


def _words(signature: Signature, face: int) -> Words:
    """Words of blocks.json for a face, the most exact first. A block on its side shows its ends where it lies."""
    ends = ENDS[signature.axis]
    if signature.axis != "y":
        word = ("down", "up")[ends.index(face)] if face in ends else "side"
        return (word, *(("north", "all") if word == "side" else ("all",)))
    word = FACES[face]
    if face >= 4:
        return (word, "all")
    if signature.front == face:
        return (FRONT, "side", "all")
    # Where a block has been turned, its other sides are those that look away from its front.
    others = ("side", "north", "west", "east") if signature.front != 3 else (word, "side")
    return (*others, "all")
