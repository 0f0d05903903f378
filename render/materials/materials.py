"""The look of every block state of a session: the texture layer, tint and flags of each face.

Rules:
1. A layer is one picture, painted once for all states that show it; layer numbers do not change during a session.
   The same names give the same layers with the same texels on every machine (``canvas``).
2. The owner calls ``grow`` whenever the block table may have grown, before it requests meshes. ``grow`` replaces the
   arrays and never writes into them, so running jobs may continue to use the old ones.
3. Pictures of packs replace painted ones, face by face, while layers are left (``fitting``).
4. A block shows pictures of packs on all faces that packs have; if these do not fit, on none.
5. Blocks get layers in the order of the table. Layers for our own pictures of later blocks are reserved, so no block
   turns white because another shows pictures of packs.
6. All pictures have one size: the largest that a face shows, halved until all of them fit ``MOST_TILE_BYTES``. The
   size is chosen with the first states and then stays.

Limits: some 960 layers for the 7,946 states of protocol 486, about 0.3 s to paint them all. Where the context has
fewer layers than our own pictures need, the last blocks are white.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import Final, Protocol

import msgspec
import numpy as np

from assets.textures import Recipe, TextureRules, load
from client.world.block_table import BlockTable
from net.arrays import U8, U16, Bools
from render.materials.biome_tints import GLOWS, ROTATES, TINT_MASK, Tint
from render.materials.canvas import SIDE, Textures, mip_levels
from render.materials.face_recipes import FaceRecipe, FaceSignature, StateValue, faces_of, signature_of
from render.materials.packs.stack import PackFace, PackStack
from render.materials.painters import TICKS, Moving, PaintedLoop, StripLoop, paint

MOST_LAYERS: Final = 2048
"""Layers of an array texture on every driver tried (GL 3.3 guarantees 256); ``Materials`` gets the context's limit."""
MOST_TILE_BYTES: Final = 128 << 20
"""GPU memory of all pictures with their mip levels: 1,536 of 128 x 128, or 6,144 of 64 x 64."""

MOST_NAMED: Final = 10

Keys = Collection[Hashable]


class TextureRequest(msgspec.Struct, frozen=True):
    """The pictures of one look."""

    shown: frozenset[Hashable]  # keys of its pictures with packs
    ours: frozenset[Hashable]  # keys of its pictures without packs


def fitting(requests: Sequence[TextureRequest], taken: Keys, most: int) -> list[bool]:
    """For each look, in order, whether its ``shown`` pictures fit beside those ``taken``; if not, it shows ``ours``."""
    used = set(taken)
    if len(used.union(*(request.shown for request in requests))) <= most:
        return [True] * len(requests)
    last = {key: number for number, request in enumerate(requests) for key in request.ours}
    waiting = last.keys() - used  # our pictures that looks from here on may need
    served = []
    for number, request in enumerate(requests):
        later = {key for key in request.ours if last[key] > number}
        after = len(waiting) - len(waiting & ((request.ours - later) | request.shown))
        fits = len(used) + len(request.shown - used) + after <= most
        used |= request.shown if fits else request.ours
        waiting -= (request.shown if fits else request.ours) | (request.ours - later)
        served.append(fits)
    return served


def crowded_line(names: Keys, most: int) -> str:
    """One line that names the first blocks for which packs' pictures do not fit; ``doctor --pack`` lists all."""
    first = sorted(str(name).removeprefix("minecraft:") for name in names)
    shown = " ".join(first[:MOST_NAMED]) + (" ..." if len(first) > MOST_NAMED else "")
    return (
        f"no texture layers are left for {len(first)} blocks ({most:,} layers in all); they keep their "
        f"built-in look: {shown}"
    )


def side_of(largest: int, layers: int) -> int:
    """Texels a side of all pictures. ``largest``: the side of the largest picture, a power of two, at least 16."""
    side = largest
    while side > SIDE and layers * side * side * 4 * 4 // 3 > MOST_TILE_BYTES:
        side //= 2
    return side


FaceTable = U8
"""[n, 6] by dense id and face."""

Row = tuple[tuple[int, ...], ...]
"""Layers, tints and flags of six faces."""

WHITE: Final = 0
PackLooks = tuple[tuple[str, ...], int]
"""Names and variant of a state in packs (``PackStack.looks_of``)."""

LookKey = tuple[FaceSignature, PackLooks | None]
"""Everything that the look of a state depends on."""

_TINTS = {"": Tint.NONE, "grass": Tint.GRASS, "foliage": Tint.FOLIAGE, "water": Tint.WATER}


class Face(msgspec.Struct, frozen=True):
    """What one face shows: our picture, or the one of a pack."""

    look: FaceRecipe
    over: PackFace | None = None
    turns: bool = False  # the picture is turned by the block's position, as the game does with some blocks

    @property
    def ours(self) -> Hashable:
        """Equal for faces that would show the same picture without packs."""
        return (self.look.recipe.painter, self.look.recipe.colours, self.look.turned, self.look.mark)

    @property
    def key(self) -> Hashable:
        """Equal for faces that show the same picture."""
        return ("pack", self.over.key, self.over.masked, self.look.turned) if self.over else self.ours


class BlockStateLike(Protocol):
    """A block state as in ``net.palette``, which is not for drawing to import."""

    @property
    def name(self) -> str:
        """With its ``minecraft:`` prefix."""

    @property
    def states(self) -> tuple[tuple[str, StateValue], ...]:
        """Names and values."""


class Materials:
    """Looks of the block states met so far."""

    def __init__(self, rules: TextureRules, packs: PackStack | None = None, most_layers: int = MOST_LAYERS) -> None:
        self._rules = rules
        self._packs = packs
        self._most_layers = most_layers
        self._row_of: dict[LookKey, Row] = {}
        self._layer_of: dict[Hashable, int] = {}
        self.side = SIDE  # texels a side of every picture; a power of two from 16 to 128
        self.largest = SIDE  # side of the largest picture before all were scaled to one size
        # names of blocks that show our pictures, or white, because no layers were left
        self.crowded: dict[str, None] = {}
        self.moving: dict[int, Moving] = {}  # layer -> its animation, for animated layers only
        # names of blocks for which packs lack a face, each with the number of faces they have
        self.unpacked: dict[str, int] = {}
        self.tiles: U16 = np.zeros((0, 6), np.uint16)  # uint16[n, 6] texture layer by dense id and face
        self.tints: FaceTable = np.zeros((0, 6), np.uint8)  # uint8[n, 6] a ``Tint`` each
        self.flags: FaceTable = np.zeros((0, 6), np.uint8)  # uint8[n, 6] ``TINT_MASK``, ``GLOWS`` and ``ROTATES``
        # uint8[layers, side, side, 4], layer 0 white
        self.textures: Textures = np.full((1, SIDE, SIDE, 4), 255, np.uint8)
        self.coverage: Bools = np.ones(1, bool)  # bool[layers] alpha is coverage

    @classmethod
    def build(cls, table: BlockTable, packs: PackStack | None = None, most_layers: int = MOST_LAYERS) -> "Materials":
        """The looks of a whole table, with packs, for an array texture of at most ``most_layers``."""
        materials = cls(load(), packs, most_layers)
        materials.grow(table)
        return materials

    def __len__(self) -> int:
        """Dense ids that have a look."""
        return len(self.tiles)

    @property
    def layers(self) -> int:
        return len(self.textures)

    def grow(self, table: BlockTable) -> None:
        """Adds the states appended since the last call."""
        fresh = table.states[len(self) :]
        if not fresh:
            return
        keys = [self._key(state) for state in fresh]
        self._look_at(keys, fresh)
        rows = np.array([self._row_of[key] for key in keys], np.uint16).reshape(-1, 3, 6)
        self.tiles = np.concatenate([self.tiles, rows[:, 0]])
        self.tints = np.concatenate([self.tints, rows[:, 1].astype(np.uint8)])
        self.flags = np.concatenate([self.flags, rows[:, 2].astype(np.uint8)])

    def _key(self, state: BlockStateLike) -> LookKey:
        states = dict(state.states)
        looks = self._packs.looks_of(state.name, states) if self._packs else None
        return signature_of(self._rules, state.name, states), looks

    def _look_at(self, keys: Sequence[LookKey], states: Sequence[BlockStateLike]) -> None:
        """Adds the rows of keys that have none yet, and paints the pictures that these rows need."""
        names = {key: state.name for key, state in zip(reversed(keys), reversed(states), strict=True)}
        faces = {key: self._faces(key) for key in dict.fromkeys(keys) if key not in self._row_of}
        for key, shown in faces.items():
            packed = sum(face.over is not None for face in shown)
            if self._packs and packed < 6:
                self.unpacked[names[key]] = min(self.unpacked.get(names[key], 6), packed)
        requests = [
            TextureRequest(frozenset(f.key for f in shown), frozenset(f.ours for f in shown))
            for shown in faces.values()
        ]
        served = fitting(requests, [*self._layer_of, "white"], self._most_layers)
        over = {
            key: shown if fits else tuple(Face(face.look, turns=face.look.recipe.rotates) for face in shown)
            for (key, shown), fits in zip(faces.items(), served, strict=True)
        }
        self.crowded |= dict.fromkeys(names[key] for key, shown in faces.items() if shown != over[key])
        self._size([face for shown in over.values() for face in shown])
        painted: list[Textures] = []
        for key, shown in over.items():
            self._row_of[key] = tuple(zip(*(self._shown(face, painted, names[key]) for face in shown), strict=True))
        if painted:
            self.textures = np.concatenate([self.textures, np.stack(painted)])

    def _faces(self, key: LookKey) -> tuple[Face, ...]:
        signature, looks = key
        faces = faces_of(self._rules, signature)
        if self._packs is None or looks is None:
            return tuple(Face(look, turns=look.recipe.rotates) for look in faces)
        shown = []
        for face, look in enumerate(faces):
            over = self._packs.face(looks, signature, face, look.recipe)
            said = self._packs.turns(looks, signature, face) if over else None
            shown.append(Face(look, over, look.recipe.rotates if said is None else said))
        return tuple(shown)

    def _size(self, faces: Sequence[Face]) -> None:
        """Chooses the size of all pictures, if no picture exists yet."""
        if self._layer_of:
            return
        self.largest = max((face.over.strip.side for face in faces if face.over), default=SIDE)
        self.side = side_of(self.largest, 1 + len({face.key for face in faces}))
        self.textures = np.full((1, self.side, self.side, 4), 255, np.uint8)

    def _shown(self, face: Face, painted: list[Textures], name: str) -> tuple[int, int, int]:
        """Layer, tint and flags of one face."""
        recipe, over = face.look.recipe, face.over
        bits = GLOWS * recipe.glows | ROTATES * (face.turns and not face.look.mark and not face.look.turned)
        tint = int(_TINTS[recipe.tint])
        layer = self._layer_of.get(face.key)
        if layer is None:
            layer = len(self.textures) + len(painted)
            if layer >= self._most_layers:
                self.crowded[name] = None
                layer = WHITE
            else:
                self._layer_of[face.key] = layer
                painted.append(self._packed(over, face, layer) if over else self._painted(face.look, layer))
        if over is None:
            return layer, tint, TINT_MASK * recipe.masked | bits
        return layer, tint * over.tinted, TINT_MASK * over.masked | bits

    def _painted(self, look: FaceRecipe, layer: int) -> Textures:
        recipe, times = look.recipe, self.side // SIDE
        self.coverage = np.append(self.coverage, not recipe.masked)
        if recipe.painter in TICKS:
            plain = Recipe(recipe.painter, recipe.colours)  # only what a picture depends on
            self.moving[layer] = PaintedLoop(FaceRecipe(plain, look.turned, look.mark), times)
        return paint(look).repeat(times, 0).repeat(times, 1)

    def _packed(self, over: PackFace, face: Face, layer: int) -> Textures:
        strip = over.strip.at_side(self.side, over.masked)
        strip = strip.turned() if face.look.turned else strip
        self.coverage = np.append(self.coverage, not over.masked)
        if strip.moves:
            self.moving[layer] = StripLoop(strip, over.masked)
        return strip.picture(0)

    def levels(self) -> tuple[Textures, ...]:
        """Mip levels of all layers, the largest first, down to 1 x 1."""
        return mip_levels(self.textures, self.coverage)
