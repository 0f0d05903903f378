"""Several packs as one: the picture of a block face, or None where ours is shown.

Rules:
1. A later pack overrides earlier ones, table entry by table entry and file by file: a pack of two pictures changes two
   pictures, and needs no tables if a pack below has them.
2. Without an entry in a table a block's picture is searched by its name, ``textures/blocks/NAME_top`` and so on.
3. If a file cannot be read, the file of the pack below is used, or else our picture. Each such file is one trouble.
4. A grey picture is coloured where ours is: by the biome, or by ``fixed`` of assets/textures.toml. Others are not.
5. A texture may name another texture, which is used instead; a cycle of names counts as no texture.
6. Pictures are kept in their own size, up to ``MOST_PICTURE_BYTES`` in all; each is read once.
7. Packs use the block names of their own release, and old names for some blocks. Tried in this order: the state's own
   name, its name at 486, later names of that block. The variant is the index of the value among the values of the
   property that distinguished the kinds of a block at 486; with two such properties, first + second * (number of values
   of the first).
8. Ends of a horizontal pillar follow its axis; a front follows the block's direction. Devices that can also face up and
   down have front and back in blocks.json under the words in ``CARRIED``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from assets import renames
from assets import states as states_module
from assets.textures import Recipe, TextureRules
from net.arrays import U8
from render.materials.canvas import colour
from render.materials.face_recipes import ENDS, FaceSignature
from render.materials.packs.biomes import leaves_under, tints_under
from render.materials.packs.fogs import fogs_under
from render.materials.packs.images import Frames, Strip, frames_of
from render.materials.packs.pack import Pack, open_pack
from render.materials.packs.tables import BLOCKS, FACES, FLIPBOOKS, TERRAIN, Flipbook, Variant, plain_name
from render.materials.packs.troubles import MOST_PICTURE_BYTES, MOST_STEPS, FileTrouble, Trouble

# ---------------------------------------------------------------- naming

StateValue = int | str | bool
States = Mapping[str, StateValue]

_PROPERTY: Final = re.compile(r"\{(\w+)\}")


def names_of(name: str, values: States) -> tuple[str, ...]:
    """Plain names that packs may use for a block state, the likeliest first."""
    bare = name.removeprefix("minecraft:")
    old, old_values = renames.load().of(name, values)
    newer = [
        new for new, fixed in _newer().get(old, ()) if all(old_values.get(key) == value for key, value in fixed.items())
    ]
    return tuple(dict.fromkeys(plain_name(each) for each in (bare, old, *newer)))


def variant_of(rules: TextureRules, name: str, values: States) -> int:
    """The old variant number of a block state; 0 for blocks without kinds."""
    old, old_values = renames.load().of(name, values)
    number, step = 0, 1
    for key in _PROPERTY.findall(rules.names.get(old, "")):
        listed = _values_of(old).get(key, ())
        text = str(int(value)) if isinstance(value := old_values.get(key, 0), bool) else str(value)
        if text in listed:
            number += step * listed.index(text)
            step *= len(listed)
    return number


@cache
def _newer() -> Mapping[str, list[tuple[str, States]]]:
    """Old name -> later names, each with the states of the old block that it stands for."""
    found: dict[str, list[tuple[str, States]]] = {}
    for new, (old, fixed) in renames.load().blocks.items():
        found.setdefault(old, []).append((new, fixed))
    return found


@cache
def _values_of(old: str) -> Mapping[str, tuple[str, ...]]:
    """Property -> its values at 486 in their order."""
    line = states_module.blocks(states_module.FIRST_PROTOCOL).get(old, old)
    fields = (word.partition("=") for word in line.split()[1:])
    return {head.split(":")[0]: tuple(values.split(",")) for head, _, values in fields}


# ---------------------------------------------------------------- face words

Words = tuple[str, ...]

FRONT: Final = "south"
"""The word of blocks.json for a device's front."""
_UPRIGHT: Final = ("up", "down")
_NORTHWARD: Final = ("north", "south")
CARRIED: Final = {
    "piston": _UPRIGHT, "sticky_piston": _UPRIGHT, "pistonarmcollision": _UPRIGHT, "stickypistonarmcollision": _UPRIGHT,
    "barrel": _UPRIGHT, "observer": _NORTHWARD, "command_block": _NORTHWARD, "repeating_command_block": _NORTHWARD,
    "chain_command_block": _NORTHWARD, "dispenser": ("south", "north"), "dropper": ("south", "north"),
}  # fmt: skip
"""Devices that can also face up and down -> the words of blocks.json for their front and their back."""


def words_and_role(names: Sequence[str], signature: FaceSignature, face: int) -> tuple[Words, str]:
    """Words of blocks.json for a face, the most exact first, and the ending of its file's name.

    ``names``: of the block, the surest first.
    """
    carried = next((CARRIED[name] for name in names if name in CARRIED), None)
    words = _carried_words(signature, face, carried) if carried else _words(signature, face)
    return words, _role(words, signature, face, bool(carried))


def _carried_words(signature: FaceSignature, face: int, carried: tuple[str, str]) -> Words:
    """Words for a face of a device of ``CARRIED``: its front, its back, or a side."""
    front, back = carried
    if face == signature.front:
        return (front, "all") if front in _UPRIGHT else (front, "side", "all")
    if face == signature.front ^ 1:
        return (back, "all") if back in _UPRIGHT else (back, "side", "all")
    if carried != _UPRIGHT and signature.front < 4 and face >= 4:
        return (FACES[face], "all")
    return ("side", "east", "west", "all")


def _role(words: Words, signature: FaceSignature, face: int, carried: bool) -> str:
    """The ending of a file's name for a face."""
    if carried and face == signature.front:
        return "top" if "up" in words else "front"
    if carried and face == signature.front ^ 1:
        return "bottom" if "down" in words else "back"
    return "top" if "up" in words else "bottom" if "down" in words else "front" if words[0] == FRONT else "side"


def _words(signature: FaceSignature, face: int) -> Words:
    """Words of blocks.json for a face, the most exact first; ends of a horizontal pillar follow its axis."""
    ends = ENDS[signature.axis]
    if signature.axis != "y":
        word = ("down", "up")[ends.index(face)] if face in ends else "side"
        return (word, *(("north", "all") if word == "side" else ("all",)))
    word = FACES[face]
    if face >= 4:
        return (word, "all")
    if signature.front == face:
        return (FRONT, "side", "all")
    # The sides of a turned block use the words of faces that are not the front.
    others = ("side", "north", "west", "east") if signature.front != 3 else (word, "side")
    return (*others, "all")


# ---------------------------------------------------------------- stack

FOLDER: Final = "textures/blocks/"
GREY: Final = 10.0
"""A picture is grey if the mean difference between a texel's strongest and weakest channel, of 255, is at most this."""


class PackFace(msgspec.Struct, frozen=True):
    """The picture of a face."""

    key: tuple[str, ...]  # faces with equal keys show the same
    strip: Strip  # its pictures; one, unless it is animated
    tinted: bool  # whether it takes the biome's colour
    masked: bool  # alpha is the strength of that colour


class PackStack:
    """Packs in their order. Its methods read files; owner thread only."""

    def __init__(self, packs: Sequence[Pack], rules: TextureRules) -> None:
        self.packs = tuple(packs)  # the lowest first
        self._rules = rules
        self._blocks = {name: (faces, pack) for pack in packs for name, faces in pack.blocks.items()}
        self._turns = {name: words for pack in packs for name, words in pack.turns.items()}
        self._terrain = {name: (variants, pack) for pack in packs for name, variants in pack.terrain.items()}
        self._flipbooks: dict[str, list[tuple[Flipbook, Pack]]] = {}
        for pack in packs:
            for book in pack.flipbooks:
                self._flipbooks.setdefault(book.texture, []).insert(0, (book, pack))
        self._read: dict[tuple[str, bool], Frames | None] = {}
        self._kept_bytes = 0
        self._faces: dict[tuple[str, ...], PackFace | None] = {}
        self._fixed = {**rules.fixed, **leaves_under(self.packs)}
        self.tints = tints_under(self.packs)  # the colours of biomes, uint8[256, 3, 3] as ``materials.tints`` has them
        self.fogs = fogs_under(self.packs)  # what they say of fogs and skies

    @classmethod
    def open(cls, paths: Sequence[Path], rules: TextureRules) -> "PackStack":
        """Opens folders and archives, the lowest first. Raises PackError: one is not a pack, or cannot be opened."""
        return cls([open_pack(path) for path in paths], rules)

    @property
    def troubles(self) -> list[Trouble]:
        return [trouble for pack in self.packs for trouble in pack.troubles]

    def looks_of(self, name: str, states: States) -> tuple[tuple[str, ...], int]:
        """Names and variant of a block state: what faces depend on besides their signature."""
        return names_of(name, states), variant_of(self._rules, name, states)

    def face(
        self, looks: tuple[tuple[str, ...], int], signature: FaceSignature, face: int, recipe: Recipe
    ) -> PackFace | None:
        """The packs' picture of a face for which ours is ``recipe``; None if no pack has one."""
        names, variant = looks
        found = (self._face(name, variant, signature, recipe) for name in self._textures(names, signature, face))
        return next((made for made in found if made is not None), None)

    def turns(self, looks: tuple[tuple[str, ...], int], signature: FaceSignature, face: int) -> bool | None:
        """Whether the uppermost ``blocks.json`` with the block turns a face by position; None: no file has it."""
        names, _ = looks
        said = next((self._turns[name] for name in names if name in self._turns), None)
        return None if said is None else not said.isdisjoint(words_and_role(names, signature, face)[0])

    # ------------------------------------------------------------ which texture

    def _textures(self, names: Sequence[str], signature: FaceSignature, face: int) -> Iterator[str]:
        """Candidate textures of a face, the surest first."""
        words, role = words_and_role(names, signature, face)
        for name in names:
            if name in self._blocks:
                faces, pack = self._blocks[name]
                chosen = next((faces[word] for word in words if word in faces), None)
                if chosen is not None:
                    if not self._is_known(chosen):
                        pack.tell(BLOCKS, name, f"texture {chosen!r} does not exist")
                    yield chosen
        for name in names:
            if name not in self._blocks:
                yield from (f"{FOLDER}{name}_{role}", f"{FOLDER}{name}")

    def _face(self, texture: str, variant: int, signature: FaceSignature, recipe: Recipe) -> PackFace | None:
        fixed = self._fixed.get(signature.word, "")
        key = (texture, str(variant), recipe.tint, str(recipe.masked), fixed)
        if key not in self._faces:
            self._faces[key] = self._made(key, texture, variant, recipe, fixed)
        return self._faces[key]

    def _made(self, key: tuple[str, ...], texture: str, variant: int, recipe: Recipe, fixed: str) -> PackFace | None:
        book = self._flipbook(texture, variant)
        chosen = Variant(book.path) if book else self._variant(texture, variant)
        if chosen is None:
            return None
        frames = self._frames(chosen.path, recipe.masked or bool(chosen.overlay), texture)
        if frames is None:
            return None
        masked = recipe.masked and len(np.unique(frames[..., 3])) > 1
        frames = _coloured(frames, replace(chosen, overlay="") if masked else chosen)
        grey = _is_grey(frames, masked)
        if fixed and grey:
            frames = _times(frames, fixed)
        if book is None:
            frames = frames[:1]
        strip = Strip(frames, _order(book, len(frames)), book.ticks if book else 1, bool(book and book.blended))
        tinted = bool(recipe.tint) and grey and (masked or not recipe.masked)
        return PackFace(key, strip, tinted, masked and tinted)

    def _variant(self, texture: str, number: int) -> Variant | None:
        """The file of a texture; follows textures that name other textures."""
        seen = [texture]
        while True:
            entry = self._terrain.get(texture)
            if entry is None:
                path = texture if texture.startswith(FOLDER) else f"{FOLDER}{texture}"
                return Variant(path) if path is texture or self._has(path) else None
            variants, pack = entry
            chosen = variants[number if number < len(variants) else 0]
            if chosen.path not in self._terrain or self._has(chosen.path):
                return chosen
            texture = chosen.path
            if texture in seen or len(seen) >= MOST_STEPS:
                pack.tell(TERRAIN, seen[0], f"its texture names form a cycle: {' -> '.join([*seen, texture])}")
                return None
            seen.append(texture)

    def _flipbook(self, texture: str, number: int) -> Flipbook | None:
        books = (book for book, _pack in self._flipbooks.get(texture, ()))
        return next((book for book in books if book.variant in (None, number)), None)

    def _is_known(self, texture: str) -> bool:
        """Whether a table or a file has a texture of this name, or its trouble is already recorded."""
        path = texture if texture.startswith(FOLDER) else f"{FOLDER}{texture}"
        return (
            texture in self._terrain
            or texture in self._flipbooks
            or self._has(path)
            or any(pack.troubles.tell_of(TERRAIN, texture) for pack in self.packs)
        )

    # ------------------------------------------------------------ which picture

    def _has(self, path: str) -> bool:
        return any(pack.image(path) for pack in self.packs)

    def _frames(self, path: str, masked: bool, texture: str) -> Frames | None:
        """The pictures of a file, from the uppermost pack with a readable one."""
        if (path, masked) not in self._read:
            self._read[path, masked] = self._first_readable(path, masked, texture)
        return self._read[path, masked]

    def _first_readable(self, path: str, masked: bool, texture: str) -> Frames | None:
        there = False
        for pack in reversed(self.packs):
            name = pack.image(path)
            if name is None:
                continue
            there = True
            try:
                frames = frames_of(pack.files.read(name), name, masked)
                if self._kept_bytes + frames.nbytes > MOST_PICTURE_BYTES:
                    raise FileTrouble(f"pictures of more than {MOST_PICTURE_BYTES >> 20} MiB do not fit into memory")
                self._kept_bytes += frames.nbytes
                return frames
            except FileTrouble as error:
                pack.tell(name, "" if texture.startswith(FOLDER) else texture, str(error))
        if not there and texture in self._terrain:
            self._terrain[texture][1].tell(TERRAIN, texture, f"image {path} does not exist")
        elif not there and (books := self._flipbooks.get(texture)):
            books[0][1].tell(FLIPBOOKS, texture, f"image {path} does not exist")
        return None


def _order(book: Flipbook | None, count: int) -> tuple[int, ...]:
    """Numbers of frames in the order in which they are shown; invalid numbers are left out."""
    named = tuple(frame for frame in book.order if frame < count) if book else (0,)
    return named or tuple(range(count))


def _coloured(frames: Frames, variant: Variant) -> Frames:
    """Pictures with a table's overlay and tint applied; an overlay is applied by alpha, and alpha is then 255."""
    if variant.overlay:
        share = frames[..., 3:].astype(np.float64) / 255
        over = 1 + (colour(variant.overlay) / 255 - 1) * share
        frames = frames.copy()
        frames[..., :3] = np.rint(frames[..., :3] * over)
        frames[..., 3] = 255
    return _times(frames, variant.tint) if variant.tint else frames


def _times(frames: Frames, tint: str) -> Frames:
    frames = frames.copy()
    frames[..., :3] = np.rint(frames[..., :3] * (colour(tint) / 255))
    return frames


def _is_grey(frames: Frames, masked: bool) -> bool:
    """Whether the tinted part of pictures (if ``masked``), or all that is visible of them, is grey."""
    shown: U8 = frames[frames[..., 3] > (127 if masked else 0)][:, :3]
    if not len(shown):
        return False
    return float((shown.max(1).astype(np.int64) - shown.min(1)).mean()) <= GREY
