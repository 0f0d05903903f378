"""Colours of grass, foliage and water from packs, by biome; ours where packs have none.

Rules:
1. A biome's own file (``biomes/NAME.client_biome.json``, since 1.21.70) comes first: it has a colour, or the name of a
   colour map. ``biomes_client.json`` comes second: colours of water, with ``default`` for biomes that it does not list.
2. Otherwise the colour maps ``textures/colormap/grass.png`` and ``foliage.png`` apply; swamps have their own. The pixel
   is chosen by temperature, from right to left, and by downfall times temperature, from bottom to top.
3. A later pack overrides earlier ones entry by entry and file by file. Unknown names are taken as custom biomes.
4. Leaves of birches and spruces have maps of their own, read at the climate of plains: one colour everywhere.

Limits: the game darkens grass under dark oaks and fixes its colour in badlands in code; here the maps apply there too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from assets.states import Climate, load_climates
from net.arrays import U8
from render.materials.biome_tints import BIOMES, TINTS, TintColours, tint_colours
from render.materials.canvas import colour
from render.materials.packs.images import decoded
from render.materials.packs.pack import Pack, read_json
from render.materials.packs.tables import Tell, colour_of, plain_name
from render.materials.packs.troubles import FileTrouble

CLIENT: Final = "biomes_client.json"
FOLDER: Final = "biomes/"
SUFFIX: Final = ".client_biome.json"
MAPS: Final = "textures/colormap/"
PLAINS: Final = 1
GRASS, FOLIAGE, WATER = range(3)
OWN_MAPS: Final = {
    "swampland": ("swamp_grass", "swamp_foliage"), "swampland_mutated": ("swamp_grass", "swamp_foliage"),
    "mangrove_swamp": ("swamp_grass", "mangrove_swamp_foliage"),
}  # fmt: skip
"""Biomes with other maps than ``grass`` and ``foliage``."""
LEAVES: Final = {"birch_leaves": "birch", "spruce_leaves": "evergreen"}
"""Material word -> the map of its one colour."""

Map = U8
"""[height, width, 4]."""


class WantedTint(NamedTuple):
    """A file's entry for one tint of a biome: a colour or the name of a map. ``missing`` reports that no map exists."""

    colour: str = ""
    map: str = ""
    missing: Callable[[], None] = lambda: None


Said = dict[tuple[str, int], WantedTint]
"""By biome and tint."""


def tints_under(packs: Sequence[Pack]) -> TintColours:
    """The whole table with packs applied, the lowest first; the shared table of ``tint_colours`` if nothing differs."""
    said, maps = _said(packs), _Maps(packs)
    table = tint_colours().copy()
    listed = load_climates()
    for number in range(BIOMES):
        climate = listed.get(number)
        name = climate.name if climate else ""
        for tint in range(len(TINTS)):
            found = _colour(said.get((name, tint)), maps, climate or listed[PLAINS], tint)
            if found is not None:
                table[number, tint] = found
    if np.array_equal(table, tint_colours()):
        return tint_colours()
    table.flags.writeable = False
    return table


def leaves_under(packs: Sequence[Pack]) -> dict[str, str]:
    """Material word -> ``#rrggbb``, for leaves of one colour whose maps packs have."""
    maps, plains = _Maps(packs), load_climates()[PLAINS]
    found = {word: maps.at(name, plains) for word, name in LEAVES.items()}
    return {word: "#" + bytes(texel).hex() for word, texel in found.items() if texel is not None}


def _colour(wanted: WantedTint | None, maps: "_Maps", climate: Climate, tint: int) -> U8 | None:
    if wanted and wanted.colour:
        return colour(wanted.colour).astype(np.uint8)
    if wanted and wanted.map:
        if (found := maps.at(wanted.map, climate)) is not None:
            return found
        wanted.missing()
    if tint == WATER:
        return None
    usual = OWN_MAPS.get(climate.name, ("grass", "foliage"))[tint]
    return maps.at(usual, climate)


class _Maps:
    """Colour maps, each from the uppermost pack with a readable one."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._packs = packs
        self._read: dict[str, Map | None] = {}

    def at(self, name: str, climate: Climate) -> U8 | None:
        """uint8[3] of a climate; None without such a map."""
        if name not in self._read:
            self._read[name] = self._uppermost(name)
        pixels = self._read[name]
        if pixels is None:
            return None
        warm = min(max(climate.temperature, 0.0), 1.0)
        wet = min(max(climate.downfall, 0.0), 1.0) * warm
        height, width = pixels.shape[:2]
        return pixels[round((1 - wet) * (height - 1)), round((1 - warm) * (width - 1)), :3]

    def _uppermost(self, name: str) -> Map | None:
        for pack in reversed(self._packs):
            file = pack.image(MAPS + name)
            if file is None:
                continue
            try:
                return decoded(pack.files.read(file), file)
            except FileTrouble as error:
                pack.tell(file, name, str(error))
        return None


def _said(packs: Sequence[Pack]) -> Said:
    """All colours of the packs' biome files; a biome's own file overrides ``biomes_client.json``."""
    table, own = read_biomes(packs, _of_table, _of_biome)
    default = table.get(("default", WATER))
    if default:
        names = {climate.name for climate in load_climates().values()} | {""}
        table = {(name, WATER): default for name in names} | table
    return table | own


Parts = TypeVar("Parts")
Parse = Callable[[str, Mapping[str, Any], Tell], Mapping[Parts, Any]]
"""What the entry of one biome says, by a key that holds the biome's plain name, from that name and the entry."""


def read_biomes(
    packs: Sequence[Pack], of_table: Parse[Parts], of_biome: Parse[Parts]
) -> tuple[dict[Parts, Any], dict[Parts, Any]]:
    """What ``biomes_client.json`` says, and what biomes' own files say, the uppermost pack last.

    ``of_table``: of an entry of the former, ``default`` among them; ``of_biome``: of a file's components.
    """
    table: dict[Parts, Any] = {}
    own: dict[Parts, Any] = {}
    for pack in packs:
        for file in sorted(pack.files.names):
            if file == CLIENT:
                for name, biome, tell in read_file(pack, file, _table_entries):
                    table |= of_table(name, biome, tell)
            elif file.startswith(FOLDER) and file.endswith(SUFFIX):
                for name, biome, tell in read_file(pack, file, _own_entry):
                    own |= of_biome(name, biome, tell)
    return table, own


Entries = list[tuple[str, Mapping[str, Any], Tell]]
"""Names, contents, and what reports their errors."""


def read_file(pack: Pack, file: str, parse: Callable[[Any, Tell], Entries]) -> Entries:
    """The valid entries of one file of JSON; errors are troubles of the pack."""
    return read_json(pack.files, pack.troubles, file, parse, [])


def _table_entries(content: Any, tell: Tell) -> Entries:
    biomes = content.get("biomes") if isinstance(content, Mapping) else None
    if not isinstance(biomes, Mapping):
        tell("biomes", "the list is empty")
        return []
    for name in [name for name, biome in biomes.items() if not isinstance(biome, Mapping)]:
        tell(name, "a biome must be an object")
    return [(name, biome, tell) for name, biome in biomes.items() if isinstance(biome, Mapping)]


def _own_entry(content: Any, tell: Tell) -> Entries:
    biome = content.get("minecraft:client_biome") if isinstance(content, Mapping) else None
    description = biome.get("description") if isinstance(biome, Mapping) else None
    name = description.get("identifier") if isinstance(description, Mapping) else None
    components = biome.get("components", {}) if isinstance(biome, Mapping) else None
    if not isinstance(name, str) or not isinstance(components, Mapping):
        tell("minecraft:client_biome", "it has no 'identifier' or no 'components'")
        return []
    return [(name, components, tell)]


def _of_table(name: str, biome: Mapping[str, Any], tell: Tell) -> Said:
    found = _wanted(biome, "water_surface_color", name, tell)
    return {} if found is None else {(plain_name(name), WATER): found}


def _of_biome(name: str, components: Mapping[str, Any], tell: Tell) -> Said:
    said: Said = {}
    for tint, key in enumerate(("grass_appearance", "foliage_appearance", "water_appearance")):
        part = component(components, f"minecraft:{key}", tell)
        field = "surface_color" if tint == WATER else "color"
        if (found := _wanted(part, field, f"minecraft:{key}", tell)) is not None:
            said[plain_name(name), tint] = found
    return said


def component(components: Mapping[str, Any], key: str, tell: Tell) -> Mapping[str, Any]:
    """A component of a biome; empty where there is none, or an invalid one."""
    part = components.get(key, {})
    if isinstance(part, Mapping):
        return part
    tell(key, "it is not an object")
    return {}


def _wanted(part: Mapping[str, Any], field: str, key: str, tell: Tell) -> WantedTint | None:
    """The colour or colour map of a field; None where the field is missing or invalid."""
    value = part.get(field)
    if value is None:
        return None
    if isinstance(value, Mapping) and isinstance(value.get("color_map"), str):
        name = value["color_map"]
        return WantedTint(map=name, missing=lambda: tell(key, f"image {MAPS}{name} does not exist"))
    try:
        return WantedTint(colour=colour_of(part, field))
    except FileTrouble as error:
        tell(key, str(error))
        return None
