"""The world as a whole: its time, how much it rains and thunders, what its biomes are called.

Rules:
1. An event's argument is the strength, 65535 for all of it; some servers send 0 where they mean all of it (a start
   that starts nothing has no other meaning), and some more.
2. Thunder without rain is as dark as thunder, and dry.

Biome names: What biomes are called: by the server (``net.bedrock.packets.registries``) that numbered them, else by the
game.
1. A biome without a number of its own is a usual one; its name is in the game's table (``assets.states``), not
   here.
2. A list that does not decode is a fault told once; what was known before holds. A later list replaces all of it.
3. A name is the server's, but for ``minecraft:`` before it and underscores in it.
"""

from collections.abc import Mapping
from math import isnan
from typing import Final

import msgspec
from msgspec.structs import replace

from assets.states import load_climates
from net.bedrock import BiomeDefinitionList, LevelEvent, SetTime, StartGame, WeatherEvent
from net.bedrock.packets.registries import read_biome_definitions
from net.errors import RemoteProtocolError

FULL_ARGUMENT: Final = 65_535


class Weather(msgspec.Struct, frozen=True):
    """Both 0..1."""

    rain: float = 0.0  # how much it rains, or snows where it is cold
    thunder: float = 0.0  # how dark the clouds are besides

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
WEATHERS: Final = {"clear": CLEAR, "rain": Weather(1.0), "thunder": Weather(1.0, 1.0)}
"""By the words of options and scenes; rain is snow where it is cold."""


def _strength(argument: int) -> float:
    return min(argument / FULL_ARGUMENT, 1.0) if argument > 0 else 1.0


def _bounded(level: float) -> float:
    return 0.0 if isnan(level) else min(max(level, 0.0), 1.0)


def name_of(number: int, own: Mapping[int, str]) -> str | None:
    """A biome's name in words: among the server's ``own`` ones, else among the game's; None: nobody named it."""
    usual = load_climates().get(number)
    return own.get(number) or (_plain(usual.name) if usual else None)


def _plain(name: str) -> str:
    return name.removeprefix("minecraft:").replace("_", " ")


TICKS_A_DAY: Final = 24000


class Environment:
    """What the server says of the world as a whole; owned by the session."""

    def __init__(self, protocol: int) -> None:
        """Nothing was said; ``protocol`` is the number spoken."""
        self._protocol = protocol
        self.world_time = 0  # ticks since the world's first sunrise, as the server last said: whole days are the moon's
        self.weather = CLEAR  # how much it rains and thunders, as the server last said
        self.biome_names: Mapping[int, str] = {}
        """What the server calls biomes that it numbered itself, by number, replaced whole; see ``name_of``."""

    @property
    def time_of_day(self) -> int:
        """Ticks since sunrise, 0..23999, as the server last said.

        Not counted on between: whether the server's clock runs at all is a game rule, and one told time is one picture.
        """
        return self.world_time % TICKS_A_DAY

    def start(self, message: StartGame) -> None:
        self.world_time = message.time
        self.weather = Weather.told(message.rain, message.lightning)

    def set_time(self, message: SetTime) -> None:
        """The server's clock."""
        self.world_time = message.time

    def change_weather(self, message: LevelEvent) -> None:
        """An event, maybe of weather."""
        self.weather = self.weather.after(message)

    def name_biomes(self, message: BiomeDefinitionList) -> str | None:
        """Takes a list; gives what is wrong with it, in a sentence."""
        try:
            biomes = read_biome_definitions(message.content or b"", self._protocol)
        except RemoteProtocolError as error:
            return str(error)
        self.biome_names = {biome.number: _plain(biome.name) for biome in biomes if biome.number is not None}
        return None
