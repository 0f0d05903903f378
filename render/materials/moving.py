"""Layers whose picture changes with time: loops that are painted, and strips of packs.

Rules:
1. Time is given, in ticks of 50 ms; tick 0 shows what a still picture of the world shows.
2. A loop's pictures are made when they are first asked for: nobody waits for them at the start.
"""

from typing import Protocol

import numpy as np

from net.frozen import frozen
from render.materials.mips import Textures, mip_levels
from render.materials.packs.moving import Strip
from render.materials.paint_moving import FRAMES
from render.materials.painters import TICKS
from render.materials.painting import paint
from render.materials.words import FaceRecipe


class Moving(Protocol):
    """What one layer shows over time."""

    def step_at(self, tick: int) -> int:
        """Which picture of its loop is shown; 0 at tick 0."""

    def levels(self, step: int) -> tuple[Textures, ...]:
        """That picture's mip levels, uint8[1, side, side, 4] each, the largest first."""


@frozen
class PaintedLoop:
    """A painter's loop, each texel ``times`` as wide and high; none that moves is the mask of a tint."""

    look: FaceRecipe
    times: int = 1

    def step_at(self, tick: int) -> int:
        """See ``Moving``."""
        return tick // TICKS[self.look.recipe.painter] % FRAMES

    def levels(self, step: int) -> tuple[Textures, ...]:
        """See ``Moving``."""
        picture = paint(self.look, step)[None].repeat(self.times, 1).repeat(self.times, 2)
        return mip_levels(picture, np.array([True]))


@frozen
class StripLoop:
    """A strip of a pack; ``masked``: alpha is the mask of a tint."""

    strip: Strip
    masked: bool

    def step_at(self, tick: int) -> int:
        """See ``Moving``."""
        return self.strip.step_at(tick)

    def levels(self, step: int) -> tuple[Textures, ...]:
        """See ``Moving``."""
        return mip_levels(self.strip.picture(step)[None], np.array([not self.masked]))
