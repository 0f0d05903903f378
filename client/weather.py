"""Rain and thunder, and the words of options for them. The command line reads it, so it loads no packets."""

from math import isnan
from typing import Final

import msgspec


class Weather(msgspec.Struct, frozen=True):
    """Both 0..1."""

    rain: float = 0.0  # how much it rains, or snows where it is cold
    thunder: float = 0.0  # how dark the clouds are besides

    @classmethod
    def bounded(cls, rain: float, thunder: float) -> "Weather":
        """From levels of a packet, clamped to 0..1; NaN becomes 0."""
        return cls(_bounded(rain), _bounded(thunder))


CLEAR: Final = Weather()
WEATHERS: Final = {"clear": CLEAR, "rain": Weather(1.0), "thunder": Weather(1.0, 1.0)}
"""By the names in options and scenes."""


def _bounded(level: float) -> float:
    return 0.0 if isnan(level) else min(max(level, 0.0), 1.0)
