"""Marches through the block-ID map (``shaders/include/blocks.glsl``): what ends one, and where block classes begin.

A test compares the bits of ``MarchEnd`` with those of the shader.
"""

from enum import IntFlag
from typing import Any, Final

from client.world.block_table import ClassThresholds

DEFINES: Final = {"MOST_STEPS": 2048}
"""Most steps of one march: at most three a block, so it reaches 680 blocks in bricks, farther in uniform sub-chunks."""


class MarchEnd(IntFlag):
    """What ends a march."""

    AIR = 1
    MODELS = 2
    CUTOUTS = 4
    TRANSLUCENTS = 8
    LIQUIDS = 16
    PLACEHOLDERS = 32
    OPAQUE = 64
    UNKNOWN = 128


def set_classes(program: Any, first: ClassThresholds) -> None:
    """Sets the uniforms that say where the classes begin."""
    program["first_of_class"].value = (first.model, first.cutout, first.translucent, first.liquid)
    program["first_of_others"].value = (first.placeholder, first.opaque)
