"""World state that belongs to no place: time, weather, fogs, names of biomes."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from assets.states import load_climates
from client.weather import CLEAR, Weather
from net.bedrock import BiomeDefinitionList, LevelEvent, PlayerFog, SetTime, StartGame, WeatherEvent
from net.bedrock.packets.registries import read_biome_definitions
from net.errors import RemoteProtocolError

FULL_ARGUMENT: Final = 65_535


def weather_after(weather: Weather, message: LevelEvent) -> Weather:
    """The weather after an event, unchanged by events of other kinds.

    The argument is the strength, 65535 for full. Some servers send 0 for full (a start of nothing makes no sense), and
    some send more than 65535. Thunder without rain is as dark as thunder, and dry.
    """
    match message.event:
        case WeatherEvent.START_RAIN:
            return replace(weather, rain=_strength(message.argument))
        case WeatherEvent.STOP_RAIN:
            return replace(weather, rain=0.0)
        case WeatherEvent.START_THUNDER:
            return replace(weather, thunder=_strength(message.argument))
        case WeatherEvent.STOP_THUNDER:
            return replace(weather, thunder=0.0)
    return weather


def _strength(argument: int) -> float:
    return min(argument / FULL_ARGUMENT, 1.0) if argument > 0 else 1.0


def name_of(number: int, own: Mapping[int, str]) -> str | None:
    """A biome's name in words: the server's ``own``, else the game's; None for an unknown number."""
    usual = load_climates().get(number)
    return own.get(number) or (_plain(usual.name) if usual else None)


def _plain(name: str) -> str:
    return name.removeprefix("minecraft:").replace("_", " ")


TICKS_A_DAY: Final = 24000
MOST_FOGS: Final = 32
"""Fogs that are kept of a stack, the uppermost ones."""


class Environment:
    """Time, weather, fogs and biome names, as last received; owned by the session."""

    def __init__(self, protocol: int) -> None:
        self._protocol = protocol
        self.world_time = 0  # ticks since the world's first sunrise, as last received; whole days count for the moon
        self.weather = CLEAR  # as last received
        self.fogs: tuple[str, ...] = ()  # identifiers of the fogs that the server set, the uppermost last
        self.biome_names: Mapping[int, str] = {}
        """The server's names of biomes that it numbered itself, by number, replaced whole; see ``name_of``."""

    @property
    def time_of_day(self) -> int:
        """Ticks since sunrise, 0..23999, as last received; it does not advance in between."""
        return self.world_time % TICKS_A_DAY

    def start(self, message: StartGame) -> None:
        self.world_time = message.time
        self.weather = Weather.bounded(message.rain, message.lightning)

    def set_time(self, message: SetTime) -> None:
        self.world_time = message.time

    def set_fogs(self, message: PlayerFog) -> None:
        self.fogs = message.stack[-MOST_FOGS:]

    def change_weather(self, message: LevelEvent) -> None:
        self.weather = weather_after(self.weather, message)

    def name_biomes(self, message: BiomeDefinitionList) -> str | None:
        """Replaces the biome names; returns a sentence and keeps the old ones where the list does not decode."""
        try:
            biomes = read_biome_definitions(message.content or b"", self._protocol)
        except RemoteProtocolError as error:
            return str(error)
        self.biome_names = {biome.number: _plain(biome.name) for biome in biomes if biome.number is not None}
        return None
