"""World state that belongs to no place: time, weather, names of biomes."""

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
        """The weather after an event, unchanged by events of other kinds.

        The argument is the strength, 65535 for full. Some servers send 0 for full (a start of nothing makes no sense),
        and some send more than 65535. Thunder without rain is as dark as thunder, and dry.
        """
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
        """Levels of a packet, clamped to 0..1; NaN becomes 0."""
        return cls(_bounded(rain), _bounded(thunder))


CLEAR: Final = Weather()
WEATHERS: Final = {"clear": CLEAR, "rain": Weather(1.0), "thunder": Weather(1.0, 1.0)}
"""By the names in options and scenes."""


def _strength(argument: int) -> float:
    return min(argument / FULL_ARGUMENT, 1.0) if argument > 0 else 1.0


def _bounded(level: float) -> float:
    return 0.0 if isnan(level) else min(max(level, 0.0), 1.0)


def name_of(number: int, own: Mapping[int, str]) -> str | None:
    """A biome's name in words: the server's ``own``, else the game's; None for an unknown number."""
    usual = load_climates().get(number)
    return own.get(number) or (_plain(usual.name) if usual else None)


def _plain(name: str) -> str:
    return name.removeprefix("minecraft:").replace("_", " ")


TICKS_A_DAY: Final = 24000


class Environment:
    """Time, weather and biome names, as last received; owned by the session."""

    def __init__(self, protocol: int) -> None:
        self._protocol = protocol
        self.world_time = 0  # ticks since the world's first sunrise, as last received; whole days count for the moon
        self.weather = CLEAR  # as last received
        self.biome_names: Mapping[int, str] = {}
        """The server's names of biomes that it numbered itself, by number, replaced whole; see ``name_of``."""

    @property
    def time_of_day(self) -> int:
        """Ticks since sunrise, 0..23999, as last received; it does not advance in between."""
        return self.world_time % TICKS_A_DAY

    def start(self, message: StartGame) -> None:
        self.world_time = message.time
        self.weather = Weather.told(message.rain, message.lightning)

    def set_time(self, message: SetTime) -> None:
        self.world_time = message.time

    def change_weather(self, message: LevelEvent) -> None:
        self.weather = self.weather.after(message)

    def name_biomes(self, message: BiomeDefinitionList) -> str | None:
        """Replaces the biome names; returns a sentence and keeps the old ones where the list does not decode."""
        try:
            biomes = read_biome_definitions(message.content or b"", self._protocol)
        except RemoteProtocolError as error:
            return str(error)
        self.biome_names = {biome.number: _plain(biome.name) for biome in biomes if biome.number is not None}
        return None
