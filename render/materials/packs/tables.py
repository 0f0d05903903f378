"""blocks.json, terrain_texture.json and flipbook_textures.json -> plain tables. Each unreadable entry is one trouble.

Rules:
1. Block names ignore case, and may have ``minecraft:`` in front.
2. A texture has variants by number; each is a file and may have an overlay colour.
3. The game chooses one of ``variations`` by position; here the heaviest is used everywhere, the first of equals.
4. A block that has only ``carried_textures`` shows those.
5. The game turns the pictures of a block by position only where ``isotropic`` is set.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf
from operator import itemgetter
from typing import Any, Final

import msgspec

from render.materials.packs.files import within
from render.materials.packs.troubles import FileTrouble

BLOCKS: Final = "blocks.json"
TERRAIN: Final = "textures/terrain_texture.json"
FLIPBOOKS: Final = "textures/flipbook_textures.json"
FACES: Final = ("west", "east", "north", "south", "down", "up")
"""By face number, -x, +x, -z, +z, -y, +y."""
FACE_WORDS: Final = frozenset({*FACES, "side", "all"})
VERSION: Final = "format_version"
"""The only key of blocks.json that is not a block."""
_COLOUR: Final = re.compile(r"#(?:[0-9a-fA-F]{2})?[0-9a-fA-F]{6}")

Tell = Callable[[str, str], None]
"""Reports one error: its key and its reason."""
BlockTextures = Mapping[str, Mapping[str, str]]
"""Block -> face word (``all`` among them) -> texture."""
BlockTurns = Mapping[str, frozenset[str]]
"""Block that has textures -> face words whose pictures are turned by position."""


class Variant(msgspec.Struct, frozen=True):
    """One file of a texture."""

    path: str  # without suffix, inside the pack
    overlay: str = ""  # ``#rrggbb`` that multiplies it with alpha as strength, or ""
    tint: str = ""  # ``#rrggbb`` that multiplies all of it, or ""
    by_place: bool = False  # one of several, of which the game chooses by position


class Flipbook(msgspec.Struct, frozen=True):
    """The animation of a texture."""

    path: str  # the strip, without suffix
    texture: str  # the texture whose pictures it replaces
    # the only variant it replaces, or None for all: ``atlas_index``, the index in a texture's list, or
    # ``atlas_tile_variant`` of older packs
    variant: int | None = None
    ticks: int = 1  # of 50 ms that each frame lasts
    order: tuple[int, ...] = ()  # numbers of frames, or () for top to bottom
    blended: bool = True  # one frame fades into the next


def read_blocks(content: Any, tell: Tell) -> dict[str, dict[str, str]]:
    """The textures in ``blocks.json``."""
    found: dict[str, dict[str, str]] = {}
    for name, block in _items(content, tell):
        if name == VERSION:
            continue
        try:
            faces = _faces(block)
        except FileTrouble as error:
            tell(name, str(error))
            continue
        if strange := sorted(faces.keys() - FACE_WORDS):
            tell(name, f"unknown face {', '.join(map(repr, strange))}")
        if known := {word: texture for word, texture in faces.items() if word in FACE_WORDS}:
            found[plain_name(name)] = known
    return found


def read_turns(content: Any, tell: Tell) -> dict[str, frozenset[str]]:
    """The ``isotropic`` entries of ``blocks.json``; ``read_blocks`` reports the errors in its objects."""
    found: dict[str, frozenset[str]] = {}
    for name, block in content.items() if isinstance(content, Mapping) else ():
        if not isinstance(block, Mapping) or not block.keys() & {"textures", "carried_textures"}:
            continue
        isotropic = block.get("isotropic", False)
        words = isotropic if isinstance(isotropic, Mapping) else {"all": isotropic}
        if not all(isinstance(turns, bool) and word in FACE_WORDS for word, turns in words.items()):
            tell(name, "'isotropic' must be true or false, or that by face")
            words = {}
        found[plain_name(name)] = frozenset(word for word, turns in words.items() if turns)
    return found


def _faces(block: Any) -> dict[str, str]:
    """Face word -> texture; empty for a block that only has a sound."""
    if not isinstance(block, Mapping):
        raise FileTrouble("a block must be an object")
    if not block.keys() & {"textures", "carried_textures"}:
        return {}
    textures = block.get("textures", block.get("carried_textures"))
    faces = {"all": textures} if isinstance(textures, str) else textures
    if not isinstance(faces, Mapping) or not all(isinstance(texture, str) for texture in faces.values()):
        raise FileTrouble("'textures' must be a name, or names by face")
    if not faces or not all(faces.values()):
        raise FileTrouble("'textures' is empty")
    return dict(faces)


def plain_name(name: str) -> str:
    """A block's name in the form that tables use."""
    return name.removeprefix("minecraft:").casefold()


def read_terrain(content: Any, tell: Tell) -> dict[str, tuple[Variant, ...]]:
    """``terrain_texture.json``: texture -> its variants."""
    found: dict[str, tuple[Variant, ...]] = {}
    textures = content.get("texture_data") if isinstance(content, Mapping) else None
    for name, entry in _items(textures, tell):
        try:
            entries = entry["textures"] if isinstance(entry, Mapping) else entry
            if entries == []:
                raise FileTrouble("its 'textures' are empty")
            found[name] = tuple(
                _variant(one, partial(tell, name)) for one in (entries if isinstance(entries, list) else [entries])
            )
        except (FileTrouble, KeyError) as error:
            tell(name, str(error) if isinstance(error, FileTrouble) else "it has no 'textures'")
    return found


def _variant(entry: Any, tell: Callable[[str], None]) -> Variant:
    by_place = False
    if isinstance(entry, Mapping) and isinstance(entry.get("variations"), list):
        by_place = len(entry["variations"]) > 1
        entry = _heaviest(entry["variations"], tell)
    if isinstance(entry, str):
        return Variant(_path(entry), by_place=by_place)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
        raise FileTrouble("a texture is a path, or has a 'path'")
    return Variant(_path(entry["path"]), colour_of(entry, "overlay_color"), colour_of(entry, "tint_color"), by_place)


def _heaviest(variations: list[Any], tell: Callable[[str], None]) -> Any:
    """The heaviest valid variation, the first of equals; reports each invalid one."""
    weighed = []
    for number, variation in enumerate(variations):
        entry = {"path": variation} if isinstance(variation, str) else variation
        weight = entry.get("weight", 1) if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
            tell(f"variation {number} is not a path and has none")
        elif isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < inf:
            tell(f"the weight of variation {number} is invalid: {weight!r}")
        else:
            weighed.append((weight, entry))
    if not weighed:
        raise FileTrouble("none of its 'variations' can be used")
    return max(weighed, key=itemgetter(0))[1]


def _path(text: str) -> str:
    path = within(text)
    if path == "":
        raise FileTrouble("the path is empty")
    if path is None:
        raise FileTrouble(f"the path {text!r} points outside the pack")
    return path.removesuffix(".png").removesuffix(".tga")


def colour_of(entry: Mapping[str, Any], key: str) -> str:
    """A colour as ``#rrggbb``, "" without one. Raises FileTrouble: it is not a colour."""
    text = entry.get(key, "")
    if text == "":
        return ""
    if not isinstance(text, str) or not _COLOUR.fullmatch(text):
        raise FileTrouble(f"{key} {text!r} is not a #rrggbb colour")
    return "#" + text[-6:].lower()


def read_flipbooks(content: Any, tell: Tell) -> list[Flipbook]:
    """``flipbook_textures.json``."""
    if not isinstance(content, list):
        tell("", "it is not a list")
        return []
    found = []
    for number, entry in enumerate(content):
        try:
            found.append(_flipbook(entry))
        except FileTrouble as error:
            tell(str(number), str(error))
    return found


def _flipbook(entry: Any) -> Flipbook:
    if not isinstance(entry, Mapping):
        raise FileTrouble("a flipbook must be an object")
    path, texture = entry.get("flipbook_texture"), entry.get("atlas_tile")
    if not isinstance(path, str) or not isinstance(texture, str):
        raise FileTrouble("a flipbook needs a 'flipbook_texture' and an 'atlas_tile'")
    ticks, variant = entry.get("ticks_per_frame", 1), entry.get("atlas_index", entry.get("atlas_tile_variant"))
    if not _whole(ticks, 1, 1 << 20) or not (variant is None or _whole(variant, 0, 1 << 16)):
        raise FileTrouble("'ticks_per_frame', 'atlas_index' or 'atlas_tile_variant' is not a valid number")
    order = entry.get("frames", [])
    if _whole(order, 1, 1 << 16):
        order = list(range(order))
    if not isinstance(order, list) or len(order) > 1 << 16 or not all(_whole(frame, 0, 1 << 16) for frame in order):
        raise FileTrouble("'frames' is not a list of frames")
    blended = entry.get("blend_frames", True)
    if not isinstance(blended, bool):
        raise FileTrouble("'blend_frames' must be true or false")
    return Flipbook(_path(path), texture, variant, ticks, tuple(order), blended)


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _items(content: Any, tell: Tell) -> Iterable[tuple[str, Any]]:
    if isinstance(content, Mapping):
        return content.items()
    tell("", "it is not an object with names")
    return ()
