"""How much it rains and thunders, as level events and the start of the game tell.

Rules:
1. An event's argument is the strength, 65535 for all of it; some servers send 0 where they mean all of it (a start
   that starts nothing has no other meaning), and some more.
2. Thunder without rain is as dark as thunder, and dry.
"""

from dataclasses import replace
from math import isnan
from typing import Final

from net.bedrock import LevelEvent, WeatherEvent
from net.frozen import frozen

FULL_ARGUMENT: Final = 65_535


@frozen
class Weather:
    """Both 0..1.

    Attributes:
        rain: how much it rains, or snows where it is cold.
        thunder: how dark the clouds are besides.
    """

    rain: float = 0.0
    thunder: float = 0.0

    def after(self, message: LevelEvent) -> "Weather":
        """The weather after an event; the same where it speaks of something else."""
        match message.event:
            case WeatherEvent.START_RAIN:
                return replace(self, rain=_strength(message.argument))
            case WeatherEvent.STOP_RAIN:
                return replace(self, rain=0.0)
            case WeatherEvent.START_THUNDER:
                return replace(self, thunder=_strength(message.argument))
            case WeatherEvent.STOP_THUNDER:
                return replace(self, thunder=0.0)
        return self

    @classmethod
    def told(cls, rain: float, thunder: float) -> "Weather":
        """Levels of a packet, which may be anything: what is no number from 0 to 1 is brought there."""
        return cls(_bounded(rain), _bounded(thunder))


CLEAR: Final = Weather()


def _strength(argument: int) -> float:
    return min(argument / FULL_ARGUMENT, 1.0) if argument > 0 else 1.0


def _bounded(level: float) -> float:
    return 0.0 if isnan(level) else min(max(level, 0.0), 1.0)
