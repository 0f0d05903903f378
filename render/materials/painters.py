"""Painters by the names that ``assets/textures.toml`` uses, and which of them move."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final

from render.materials import paint_devices, paint_ground, paint_made, paint_moving, paint_plants, paint_wood
from render.materials.canvas import Painter
from render.materials.glyphs import GLYPHS

ELEMENTS: Final = 119


def _of(module: ModuleType, *makers: str) -> dict[str, Painter]:
    """The public functions a module defines itself, but for those that make painters."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
        and name not in makers
    }


PAINTERS: Final[Mapping[str, Painter]] = MappingProxyType(
    _of(paint_ground)
    | _of(paint_made)
    | _of(paint_moving)
    | _of(paint_wood)
    | _of(paint_devices, "stamp", "element")
    | _of(paint_plants, "crop")
    | {f"crop{height}": paint_plants.crop(height) for height in (3, 6, 9, 14)}
    | {f"stamp_{name}": paint_devices.stamp(name) for name in GLYPHS}
    | {f"element_{number}": paint_devices.element(number) for number in range(ELEMENTS)}
)

TICKS: Final[Mapping[str, int]] = MappingProxyType(
    {"water": 2, "stream": 1, "bubbles": 1, "lava": 3, "lava_stream": 2, "flames": 2, "portal": 2}
)
"""Painters that move: ticks of 50 ms that each of their ``paint_moving.FRAMES`` pictures lasts."""
