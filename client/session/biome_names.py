"""What biomes are called: by the server (``net.bedrock.packets.registries``) that numbered them, else by the game.

Rules:
1. A biome without a number of its own is a usual one; its name is in the game's table (``assets.climates``), not here.
2. A list that does not decode is a fault told once; what was known before holds. A later list replaces all of it.
3. A name is the server's, but for ``minecraft:`` before it and underscores in it.
"""

from collections.abc import Mapping

from assets import climates
from net.bedrock import BiomeDefinitionList
from net.bedrock.packets.registries import read_biome_definitions
from net.errors import RemoteProtocolError


def name_of(number: int, own: Mapping[int, str]) -> str | None:
    """A biome's name in words: among the server's ``own`` ones, else among the game's; None: nobody named it."""
    usual = climates.load().get(number)
    return own.get(number) or (_plain(usual.name) if usual else None)


class BiomeNames:
    """One session's; owned by it."""

    def __init__(self, protocol: int) -> None:
        """Nothing was said; ``protocol`` is the number spoken."""
        self._protocol = protocol
        self._named: dict[int, str] = {}

    @property
    def named(self) -> Mapping[int, str]:
        """Names by number, replaced whole and never written."""
        return self._named

    def hear(self, message: BiomeDefinitionList) -> str | None:
        """Takes a list; gives what is wrong with it, in a sentence."""
        try:
            biomes = read_biome_definitions(message.content or b"", self._protocol)
        except RemoteProtocolError as error:
            return str(error)
        self._named = {biome.number: _plain(biome.name) for biome in biomes if biome.number is not None}
        return None


def _plain(name: str) -> str:
    return name.removeprefix("minecraft:").replace("_", " ")
