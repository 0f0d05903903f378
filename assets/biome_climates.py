"""What biomes are called and how warm and wet they are: typed access to ``climates.txt``."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple


class Climate(NamedTuple):
    """A biome's name without prefix, its temperature and its downfall, as the game has them (-0.7 to 2, 0 to 1)."""

    name: str
    temperature: float
    downfall: float


@cache
def load() -> Mapping[int, Climate]:
    """By the number of the protocol; reads the file once."""
    lines = resources.files("assets").joinpath("climates.txt").read_text("utf-8").splitlines()
    fields = (line.split() for line in lines if not line.startswith("#"))
    return MappingProxyType({int(number): Climate(name, float(warm), float(wet)) for number, name, warm, wet in fields})
