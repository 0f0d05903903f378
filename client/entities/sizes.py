"""How large entities are of which a server does not say it, by type: minecraft-data's tables, baked into ``assets``."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

UNKNOWN_SIZE: Final = (0.6, 0.6)
"""Of a type that is in no table: width and height in blocks."""


@cache
def load_sizes() -> Mapping[str, tuple[float, float]]:
    """Width and height in blocks by type; reads the file once."""
    lines = resources.files("assets").joinpath("entities.txt").read_text("utf-8").splitlines()
    fields = (line.split() for line in lines if not line.startswith("#"))
    return MappingProxyType({f"minecraft:{name}": (float(width), float(height)) for name, width, height in fields})
