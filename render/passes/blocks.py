"""What shaders that include ``blocks.glsl`` are told of a session: where the classes of dense ids begin.

The bits of ``Wanted`` are those of the shader; a test compares both.
"""

from enum import IntFlag
from typing import Any, Final

from client.world.interface import Thresholds

DEFINES: Final = {"MOST_STEPS": 2048}
"""Of one march: three a block at most, so it reaches 680 blocks through bricks, farther through uniform sub-chunks."""


class Wanted(IntFlag):
    """What ends a march."""

    AIR = 1
    MODELS = 2
    CUTOUTS = 4
    CLEAR = 8
    LIQUIDS = 16
    PLACEHOLDERS = 32
    OPAQUE = 64
    UNKNOWN = 128


def set_classes(program: Any, first: Thresholds) -> None:
    """Tells a program where the classes begin."""
    program["first_of_class"].value = (first.model, first.cutout, first.translucent, first.liquid)
    program["first_of_others"].value = (first.placeholder, first.opaque)
