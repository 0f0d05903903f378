"""Block states -> material words and the recipe of each face.

Rules: those at the head of ``assets/textures.toml``, and
1. Faces are numbered -x, +x, -z, +z, -y, +y.
2. ``pillar_axis`` turns the ends of a block; on its sides the picture is turned where the grain would run across.
3. ``facing_direction`` (0 down, 1 up, 2 north, 3 south, 4 west, 5 east) or ``direction`` (0 south, 1 west, 2 north, 3
   east) selects the front face, where a material has a front; the back is the opposite face. Pistons and end rods
   number their horizontal directions the other way round (3 north, 2 south, 5 west, 4 east), as the game's converters
   do.
4. A mark (a button's plate, the seam of two slabs) is drawn over the finished picture, so both keep their grain;
   marks of ``SIDES`` on side faces only, the others on all six.
"""

import colorsys
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
import numpy as np

from assets import renames
from assets.textures import Faces, Recipe, TextureRules
from net.arrays import Bools
from render.materials.canvas import COLUMNS, ROWS, Picture, box, disc, frame, rim, seed_of

# ---------------------------------------------------------------- marks

Where = Bools


def _darker(picture: Picture, where: Where, share: float) -> Picture:
    picture[where, :3] *= share
    return picture


def _seam(picture: Picture) -> Picture:
    return _darker(_darker(picture, ROWS == 8, 1.12), ROWS == 7, 0.68)


def _button(picture: Picture) -> Picture:
    return _darker(_darker(picture, box(4, 5, 12, 11) & ~box(5, 6, 11, 10), 0.7), box(5, 6, 11, 7), 1.15)


def _plate(picture: Picture) -> Picture:
    return _darker(rim(picture, 0.22), box(2, 2, 14, 14) & ~box(3, 3, 13, 13), 0.84)


def _gate(picture: Picture) -> Picture:
    return _darker(picture, (ROWS % 6 == 0) | (np.abs(COLUMNS - 7.5) < 1), 0.72)


def _sign(picture: Picture) -> Picture:
    lines = box(3, 4, 13, 12) & (ROWS % 3 == 1)
    return _darker(_darker(picture, frame(), 0.78), lines, 0.62)


def _bolts(picture: Picture) -> Picture:
    corners = disc(3, 3, 1.5) | disc(13, 3, 1.5) | disc(3, 13, 1.5) | disc(13, 13, 1.5)
    picture[corners] = (236, 240, 240, 230)
    return picture


MARKS: Final[Mapping[str, Callable[[Picture], Picture]]] = MappingProxyType(
    {"seam": _seam, "button": _button, "plate": _plate, "gate": _gate, "sign": _sign, "bolts": _bolts}
)
SIDES: Final = frozenset({"seam"})


# ---------------------------------------------------------------- words

StateValue = int | str | bool

DOWN: Final = 4
FACE_OF_FACING: Final = (4, 5, 2, 3, 0, 1)
FACE_OF_DIRECTION: Final = (3, 0, 2, 1)
ACROSS: Final = frozenset({"piston", "sticky_piston", "pistonArmCollision", "stickyPistonArmCollision", "end_rod"})
"""Names at 486 of blocks whose horizontal directions are numbered the other way round (rule 3)."""
ENDS: Final = {"x": (0, 1), "z": (2, 3), "y": (4, 5)}
TURNED: Final = {"x": (2, 3, 4, 5), "z": (0, 1), "y": ()}
"""By axis, the sides of a pillar whose picture is turned by 90 degrees, so that bark runs along the trunk."""

_SHAPES: Final = re.compile(
    r"_(double_slab|slab|stairs|wall|fence_gate|fence|button|pressure_plate|standing_sign|wall_sign|trapdoor|block)$"
)
_COUNT: Final = re.compile(r"^(.*?)(\d+)$")
LONGEST_WORD: Final = 256
"""In characters; no name that we painted is longer."""
MOST_NUMBERED: Final = 256
"""Numbers at the end of our words are below it; the name of a server's block may end with any number."""


class FaceRecipe(msgspec.Struct, frozen=True):
    """What one face shows: a recipe, whether the picture is turned by 90 degrees, and the mark of its shape."""

    recipe: Recipe
    turned: bool = False
    mark: str = ""


class FaceSignature(NamedTuple):
    """Everything that the look of a block state depends on; states with equal signatures look alike."""

    word: str
    axis: str
    front: int
    mark: str = ""


def signature_of(rules: TextureRules, name: str, states: Mapping[str, StateValue]) -> FaceSignature:
    """The signature of a block state; a block that we did not paint looks like its predecessor at 486."""
    bare = name.removeprefix("minecraft:")
    old, states = renames.load().of(name, states)
    word = _word(rules, bare, states)
    if old != bare and _look_up(rules, word) is None:
        word = _word(rules, old, states)
    axis = states.get("pillar_axis", "y")
    shape = None if renames.is_foreign(old) else rules.marks.search(old)
    mark = (shape and shape.lastgroup) or ""
    return FaceSignature(word, axis if isinstance(axis, str) and axis in ENDS else "y", _front(old, states), mark)


def _word(rules: TextureRules, bare: str, states: Mapping[str, StateValue]) -> str:
    template = rules.names.get(bare)
    if template is None:  # a server's name is not a template, even with braces in it
        return bare
    try:
        return template.format_map({key: _plain(value) for key, value in states.items()})
    except KeyError:  # a block of this name lacks that property
        return bare


def faces_of(rules: TextureRules, signature: FaceSignature) -> tuple[FaceRecipe, ...]:
    """The six faces of all block states of a signature."""
    material = _look_up(rules, signature.word) or {"all": Recipe("unknown", (own_colour(signature.word),))}
    faces = []
    for face in range(6):
        if signature.front == face and "front" in material:
            recipe = material["front"]
        elif signature.front == face ^ 1 and "back" in material:
            recipe = material["back"]
        elif "end" in material and face in ENDS[signature.axis]:
            recipe = material["end"]
        else:
            recipe = _plain_face(material, face)
        mark = "" if signature.mark in SIDES and face >= DOWN else signature.mark
        faces.append(FaceRecipe(recipe, "end" in material and face in TURNED[signature.axis], mark))
    return tuple(faces)


def own_colour(name: str) -> str:
    """A stable colour for a name that we did not paint: the name gives hue and lightness (0.42 to 0.62)."""
    seed = seed_of(name)
    hue, light = (seed & 0xFFFF) / 0x10000, 0.42 + 0.2 * (seed >> 16 & 0xFF) / 256
    return "#" + "".join(f"{round(part * 255):02x}" for part in colorsys.hls_to_rgb(hue, light, 0.38))


def _plain(value: StateValue) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _look_up(rules: TextureRules, word: str) -> Faces | None:
    """Rules 2 and 3 of the file; a word with a number falls back to the nearest lower number that exists."""
    if renames.is_foreign(word) or len(word) > LONGEST_WORD:
        return None
    base = _SHAPES.sub("", word)
    for candidate in (word, base):
        for tried in (candidate, f"{candidate}s", f"{candidate}_planks", f"{candidate}_block"):
            named = rules.same.get(tried, tried)
            if named in rules.materials:
                return rules.materials[named]
    counted = _COUNT.match(word)
    if counted:
        for number in range(min(int(counted[2]), MOST_NUMBERED) - 1, -1, -1):
            if f"{counted[1]}{number}" in rules.materials:
                return rules.materials[f"{counted[1]}{number}"]
    if base != word:
        return _look_up(rules, base)
    return None


def _front(old: str, states: Mapping[str, StateValue]) -> int:
    """The front face; south (+z) where no property gives it."""
    facing, direction = states.get("facing_direction"), states.get("direction", 0)
    if isinstance(facing, int):
        face = FACE_OF_FACING[facing % 6]
        return face ^ 1 if old in ACROSS and face < DOWN else face
    return FACE_OF_DIRECTION[direction % 4 if isinstance(direction, int) else 0]


def _plain_face(material: Faces, face: int) -> Recipe:
    role = "bottom" if face == 4 else "top" if face == 5 else "side"
    for tried in (role, "side", "all", "top", "end"):
        if tried in material:
            return material[tried]
    raise ValueError(f"a material without a face: {material}")
