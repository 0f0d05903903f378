"""Painters by the names that ``assets/textures.toml`` uses, and which of them are animated.

Callers pass the time, in ticks of 50 ms; screenshots show tick 0. The pictures of a loop are painted on first use, so
they do not delay the start.
"""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final, Protocol

import msgspec
import numpy as np

from render.materials import paint_building, paint_devices, paint_moving, paint_plants, paint_terrain
from render.materials.canvas import Grain, Painter, Picture, Textures, colour, mip_levels
from render.materials.face_recipes import MARKS, FaceRecipe
from render.materials.packs.images import Strip
from render.materials.paint_devices import GLYPHS
from render.materials.paint_moving import FRAMES

ELEMENTS: Final = 119


def _of(module: ModuleType, *others: str) -> dict[str, Painter]:
    """The public functions that a module defines itself, without ``others``, which are no painters."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
        and name not in others
    }


PAINTERS: Final[Mapping[str, Painter]] = MappingProxyType(
    _of(paint_terrain)
    | _of(paint_building)
    | _of(paint_moving)
    | _of(paint_devices, "stamp", "element", "number_mask")
    | _of(paint_plants, "crop")
    | {f"crop{height}": paint_plants.crop(height) for height in (3, 6, 9, 14)}
    | {f"stamp_{name}": paint_devices.stamp(name) for name in GLYPHS}
    | {f"element_{number}": paint_devices.element(number) for number in range(ELEMENTS)}
)

TICKS: Final[Mapping[str, int]] = MappingProxyType(
    {"water": 2, "stream": 1, "bubbles": 1, "lava": 3, "lava_stream": 2, "flames": 2, "portal": 2}
)
"""Animated painters -> ticks of 50 ms that each of their ``paint_moving.FRAMES`` pictures lasts."""


def paint(look: FaceRecipe, frame: int = 0) -> Textures:
    """One picture, uint8[16, 16, 4]. ``frame``: number in the loop of an animated painter.

    Raises:
        KeyError: no such painter.
        TypeError: the painter takes another number of colours.
    """
    recipe = look.recipe
    painter = PAINTERS[recipe.painter]
    moved = {"frame": frame} if frame else {}
    grain = Grain(" ".join((recipe.painter, *recipe.colours)))
    picture: Picture = painter(grain, *map(colour, recipe.colours), **moved)
    if look.mark:
        picture = MARKS[look.mark](picture)
    if look.turned:
        picture = np.rot90(picture)
    return np.rint(np.minimum(np.maximum(picture, 0), 255)).astype(np.uint8)


# ---------------------------------------------------------------- moving


class Moving(Protocol):
    """The animation of one texture layer."""

    def step_at(self, tick: int) -> int:
        """Number of the picture shown at a tick; 0 at tick 0."""

    def levels(self, step: int) -> tuple[Textures, ...]:
        """That picture's mip levels, uint8[1, side, side, 4] each, the largest first."""


class PaintedLoop(msgspec.Struct, frozen=True):
    """A painter's loop, each texel scaled by ``times``; alpha is coverage, never the mask of a tint."""

    look: FaceRecipe
    times: int = 1

    def step_at(self, tick: int) -> int:
        return tick // TICKS[self.look.recipe.painter] % FRAMES

    def levels(self, step: int) -> tuple[Textures, ...]:
        picture = paint(self.look, step)[None].repeat(self.times, 1).repeat(self.times, 2)
        return mip_levels(picture, np.array([True]))


class StripLoop(msgspec.Struct, frozen=True):
    """A strip of a pack; ``masked``: alpha is the mask of a tint."""

    strip: Strip
    masked: bool

    def step_at(self, tick: int) -> int:
        return self.strip.step_at(tick)

    def levels(self, step: int) -> tuple[Textures, ...]:
        return mip_levels(self.strip.picture(step)[None], np.array([not self.masked]))
