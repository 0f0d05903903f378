"""Painters by the names that ``assets/textures.toml`` uses."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final

from render.materials import paint_ground, paint_made, paint_plants, paint_wood
from render.materials.canvas import Painter


def _of(module: ModuleType) -> dict[str, Painter]:
    """The public functions a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    }


PAINTERS: Final[Mapping[str, Painter]] = MappingProxyType(
    _of(paint_ground)
    | _of(paint_made)
    | _of(paint_wood)
    | {name: value for name, value in _of(paint_plants).items() if name != "crop"}
    | {f"crop{height}": paint_plants.crop(height) for height in (3, 6, 9, 14)}
)
