"""Fogs and colours of the sky that packs define, and which of them a biome has.

Rules:
1. A fog is a file ``fogs/*.json`` with a layer for each of ``LAYERS``; an identifier names it. A later pack overrides
   earlier ones fog by fog.
2. A biome's own file (``biomes/NAME.client_biome.json``) comes first, ``biomes_client.json`` second. The latter's entry
   ``default`` lies under all biomes: it supplies the layers that a biome's fog lacks.
3. A distance out of range is one trouble and is clamped. A layer that is not understood is one trouble and left out.
4. A biome may name a fog of the game itself (``minecraft:``) that no pack has; any other such name is a trouble.

Limits: ``transition_fog``, ``lava_resistance``, ``powder_snow`` and ``volumetric`` are not read.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any, Final

import msgspec

from render.materials.canvas import colour
from render.materials.packs.biomes import Entries, component, read_biomes, read_file
from render.materials.packs.pack import Pack
from render.materials.packs.tables import Tell, colour_of, plain_name
from render.materials.packs.troubles import MOST_LETTERS, FileTrouble

FOLDER: Final = "fogs/"
LAYERS: Final = ("air", "weather", "water", "lava")
DEFAULT: Final = "default"
OF_GAME: Final = "minecraft:"
MOST_DISTANCE: Final = 10_000.0
"""Blocks, or times the view distance."""


class FogLayer(msgspec.Struct, frozen=True):
    """What a fog is like for an eye in one medium."""

    colour: tuple[float, float, float]  # under full daylight, 0..1
    start: float  # distance where it begins
    end: float  # distance where it is complete, not less than ``start``
    fixed: bool  # whether these are blocks; else they are multiplied by the view distance

    def blocks(self, view_distance_blocks: float) -> tuple[float, float]:
        """Start and end in blocks."""
        by = 1.0 if self.fixed else view_distance_blocks
        return self.start * by, self.end * by


Fog = Mapping[str, FogLayer]
"""By the words of ``LAYERS``."""


class PackFogs(msgspec.Struct, frozen=True, eq=False):
    """All that packs define; biomes by their plain names (``plain_name``)."""

    fogs: Mapping[str, Fog] = {}  # by identifier
    of_biome: Mapping[str, str] = {}  # biome, or ``default`` -> identifier of its fog
    skies: Mapping[str, tuple[float, float, float]] = {}  # biome, or ``default`` -> the sky's colour, 0..1

    @property
    def by_biome(self) -> bool:
        """Whether anything depends on the biome."""
        return bool(self.of_biome or self.skies)

    def undefined(self, stack: Sequence[str]) -> list[str]:
        """The identifiers of a stack that no pack defines, each once."""
        return [name for name in dict.fromkeys(stack) if name not in self.fogs]

    def uppermost(self, stack: Sequence[str], layer: str) -> FogLayer | None:
        """A layer of the uppermost fog of a stack that has it; the last is the uppermost."""
        return next((found for name in reversed(stack) if (found := self.fogs.get(name, {}).get(layer))), None)

    def around(self, biome: str, layer: str) -> FogLayer | None:
        """A layer of the fog of a biome."""
        stack = [name for each in (DEFAULT, biome) if (name := self.of_biome.get(each))]
        return self.uppermost(stack, layer)

    def sky(self, biome: str) -> tuple[float, float, float] | None:
        return self.skies.get(biome, self.skies.get(DEFAULT))


NO_FOGS: Final = PackFogs()


def undefined_fog(name: str) -> str:
    """The sentence for a fog that the server set and no pack defines."""
    fog = repr(name[:MOST_LETTERS])
    return f"The server set the fog {fog}, but no resource pack defines it. Give the pack that does with --pack."


def fogs_under(packs: Sequence[Pack]) -> PackFogs:
    """What packs define, the lowest first; ``NO_FOGS`` if they define nothing."""
    fogs: dict[str, Fog] = {}
    for pack in packs:
        for file in sorted(pack.files.names):
            if file.removeprefix(pack.prefix).startswith(FOLDER) and file.endswith(".json"):
                for name, distance, report in read_file(pack, file, _fog_entry):
                    fogs[name] = {word: layer for word in LAYERS if (layer := _layer(distance, word, report))}
    table, own = read_biomes(packs, _of_table, _of_biome)
    entries = table | own
    of_biome: dict[str, str] = {}
    for name, (identifier, report) in [(name, value) for (name, what), value in entries.items() if what == "fog"]:
        of_biome[name] = identifier
        if identifier not in fogs and not identifier.startswith(OF_GAME):
            report(f"no pack defines its fog {identifier!r}")
    skies = {name: value for (name, what), value in entries.items() if what == "sky"}
    return PackFogs(fogs, of_biome, skies) if fogs or skies else NO_FOGS


def _fog_entry(content: Any, report: Tell) -> Entries:
    fog = content.get("minecraft:fog_settings") if isinstance(content, Mapping) else None
    description = fog.get("description") if isinstance(fog, Mapping) else None
    name = description.get("identifier") if isinstance(description, Mapping) else None
    distance = fog.get("distance", {}) if isinstance(fog, Mapping) else None
    if not isinstance(name, str) or not isinstance(distance, Mapping):
        report("minecraft:fog_settings", "it has no 'identifier', or its 'distance' is not an object")
        return []
    return [(name, distance, report)]


def _layer(distance: Mapping[str, Any], word: str, report: Tell) -> FogLayer | None:
    layer = distance.get(word)
    if layer is None:
        return None
    try:
        if not isinstance(layer, Mapping):
            raise FileTrouble("it is not an object")
        wanted = colour_of(layer, "fog_color")
        if not wanted:
            raise FileTrouble("it has no 'fog_color'")
        kind = layer.get("render_distance_type")
        if kind not in ("fixed", "render"):
            raise FileTrouble(f"render_distance_type {kind!r} is neither 'fixed' nor 'render'")
        start = _distance(layer, "fog_start", 0.0, word, report)
        end = _distance(layer, "fog_end", start, word, report)
    except FileTrouble as error:
        report(word, str(error))
        return None
    return FogLayer(_shares(wanted), start, end, kind == "fixed")


def _distance(layer: Mapping[str, Any], key: str, least: float, word: str, report: Tell) -> float:
    """A distance, clamped; reports one that had to be. Raises FileTrouble: it is not a number."""
    value = layer.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and isnan(value)):
        raise FileTrouble(f"{key} {value!r} is not a number")
    clamped = min(max(value, least), MOST_DISTANCE)
    if clamped != value:
        report(word, f"{key} {str(value)[:20]} is not from {least:g} to {MOST_DISTANCE:g}; {clamped:g} is used")
    return float(clamped)


def _shares(text: str) -> tuple[float, float, float]:
    red, green, blue = (colour(text) / 255).tolist()
    return red, green, blue


BiomeFogs = dict[tuple[str, str], Any]
"""By biome and ``fog`` (an identifier, and what reports an error in it) or ``sky`` (a colour)."""


def _of_table(name: str, biome: Mapping[str, Any], report: Tell) -> BiomeFogs:
    return _fog(plain_name(name), biome, name, report)


def _of_biome(name: str, components: Mapping[str, Any], report: Tell) -> BiomeFogs:
    key = "minecraft:sky_color"
    entries = _fog(
        plain_name(name), component(components, "minecraft:fog_appearance", report), "minecraft:fog_appearance", report
    )
    try:
        if wanted := colour_of(component(components, key, report), "sky_color"):
            entries[plain_name(name), "sky"] = _shares(wanted)
    except FileTrouble as error:
        report(key, str(error))
    return entries


def _fog(name: str, part: Mapping[str, Any], key: str, report: Tell) -> BiomeFogs:
    identifier = part.get("fog_identifier")
    if identifier is None:
        return {}
    if isinstance(identifier, str):
        return {(name, "fog"): (identifier, partial(report, key))}
    report(key, f"fog_identifier {identifier!r} is not a name")
    return {}
