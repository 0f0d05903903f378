"""The look of every block state of a session: which texture layer, tint and marks each face has.

Rules:
1. A layer is one picture, painted once however many states show it; layer numbers never change while the session lasts.
2. ``grow`` is called by the owner whenever the block table may have grown, before meshes are asked for; it replaces the
   arrays, never writes into them, so that jobs may go on with the old ones.
3. The same names give the same layers with the same texels on every machine (``grain``).

4. What packs show lies over what is painted, face by face; where they show nothing, ours stays.

Limits: some 960 layers for the 7,946 states of protocol 486 (GL 3.3 promises 256 layers, every driver tried 2,048),
about 0.3 s to paint them all.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from assets.textures import Recipe, TextureRules, load
from render.materials.looks import GLOWS, TINT_MASK, Tint
from render.materials.mips import Textures, mip_levels
from render.materials.moving import Moving, PaintedLoop, StripLoop
from render.materials.packs.stack import PackFace, PackStack
from render.materials.painters import TICKS
from render.materials.painting import paint
from render.materials.words import FaceRecipe, Signature, StateValue, faces_of, signature_of

FaceTable = npt.NDArray[np.uint8]
"""[n, 6] by dense id and face."""

Row = tuple[list[int], list[int], list[int]]
"""Layers, tints and flags of six faces."""

WHITE: Final = 0
MOST_LAYERS: Final = 2048
"""Of an array texture, on every driver tried; packs of so many pictures leave the last blocks white."""
PackLooks = tuple[tuple[str, ...], int]
"""Names and variant under which packs are asked for a state (``PackStack.looks_of``)."""

_TINTS = {"": Tint.NONE, "grass": Tint.GRASS, "foliage": Tint.FOLIAGE, "water": Tint.WATER}


class BlockStateLike(Protocol):
    """A block state as ``net.palette`` has it."""

    @property
    def name(self) -> str:
        """With its ``minecraft:`` prefix."""

    @property
    def states(self) -> tuple[tuple[str, StateValue], ...]:
        """Names and values."""


class StateTable(Protocol):
    """A block table as ``client.world`` has it."""

    @property
    def states(self) -> Sequence[BlockStateLike]:
        """By dense id; grows at its end."""


class Materials:
    """Looks of the block states met so far.

    Attributes:
        tiles: uint16[n, 6] texture layer by dense id and face.
        tints: uint8[n, 6] a ``Tint`` each.
        flags: uint8[n, 6] ``TINT_MASK`` and ``GLOWS``.
        textures: uint8[layers, 16, 16, 4], layer 0 white.
        coverage: bool[layers] alpha is coverage.
        moving: layer -> what it shows over time, of those that move.
        unpacked: names of blocks of which packs lack a face, each with how many faces they have.
    """

    def __init__(self, rules: TextureRules, packs: PackStack | None = None) -> None:
        self._rules = rules
        self._packs = packs
        self._row_of: dict[tuple[Signature, PackLooks | None], Row] = {}
        self._layer_of: dict[tuple[object, ...], int] = {}
        self.moving: dict[int, Moving] = {}
        self.unpacked: dict[str, int] = {}
        self.tiles: npt.NDArray[np.uint16] = np.zeros((0, 6), np.uint16)
        self.tints: FaceTable = np.zeros((0, 6), np.uint8)
        self.flags: FaceTable = np.zeros((0, 6), np.uint8)
        self.textures: Textures = np.full((1, 16, 16, 4), 255, np.uint8)
        self.coverage: npt.NDArray[np.bool_] = np.ones(1, bool)

    @classmethod
    def build(cls, table: StateTable, packs: PackStack | None = None) -> "Materials":
        """The looks of a whole table, under packs."""
        materials = cls(load(), packs)
        materials.grow(table)
        return materials

    def __len__(self) -> int:
        """Dense ids that have a look."""
        return len(self.tiles)

    @property
    def layers(self) -> int:
        """Texture layers so far."""
        return len(self.textures)

    def grow(self, table: StateTable) -> range:
        """Adds the states appended since the last call; returns the layers that are new and must be uploaded."""
        first_state, first_layer = len(self.tiles), self.layers
        fresh = table.states[first_state:]
        if not fresh:
            return range(first_layer, first_layer)
        painted: list[Textures] = []
        rows = np.array([self._row(state, painted) for state in fresh], np.uint16).reshape(-1, 3, 6)
        self.tiles = np.concatenate([self.tiles, rows[:, 0]])
        self.tints = np.concatenate([self.tints, rows[:, 1].astype(np.uint8)])
        self.flags = np.concatenate([self.flags, rows[:, 2].astype(np.uint8)])
        if painted:
            self.textures = np.concatenate([self.textures, np.stack(painted)])
        return range(first_layer, self.layers)

    def _row(self, state: BlockStateLike, painted: list[Textures]) -> Row:
        """Layers, tints and flags of a state's faces; paints what no state before it showed."""
        states = dict(state.states)
        signature = signature_of(self._rules, state.name, states)
        looks = self._packs.looks_of(state.name, states) if self._packs else None
        row = self._row_of.get((signature, looks))
        if row is None:
            faces = faces_of(self._rules, signature)
            over = [self._over(looks, signature, face, look) for face, look in enumerate(faces)]
            if self._packs and not all(over):
                self.unpacked[state.name] = min(
                    self.unpacked.get(state.name, 6), sum(face is not None for face in over)
                )
            layers, tints, flags = zip(
                *(self._shown(look, face, painted) for look, face in zip(faces, over, strict=True)), strict=True
            )
            row = self._row_of[signature, looks] = (list(layers), list(tints), list(flags))
        return row

    def _over(self, looks: PackLooks | None, signature: Signature, face: int, look: FaceRecipe) -> PackFace | None:
        """What packs show of a face."""
        if self._packs is None or looks is None:
            return None
        return self._packs.face(looks, signature, face, look.recipe)

    def _shown(self, look: FaceRecipe, over: PackFace | None, painted: list[Textures]) -> tuple[int, int, int]:
        """Layer, tint and flags of one face."""
        glows, tint = GLOWS * look.recipe.glows, int(_TINTS[look.recipe.tint])
        if over is None:
            return self._layer(look, painted), tint, TINT_MASK * look.recipe.masked | glows
        layer = self._packed_layer(over, look.turned, painted)
        return layer, tint * over.tinted, TINT_MASK * over.masked | glows

    def _layer(self, look: FaceRecipe, painted: list[Textures]) -> int:
        recipe = look.recipe
        key = (recipe.painter, recipe.colours, look.turned, look.mark)
        layer = self._layer_of.get(key)
        if layer is None:
            layer = self._new_layer(key, paint(look), recipe.masked, painted)
            if recipe.painter in TICKS and layer != WHITE:
                plain = Recipe(recipe.painter, recipe.colours)  # what a picture depends on, no more
                self.moving[layer] = PaintedLoop(FaceRecipe(plain, look.turned, look.mark))
        return layer

    def _packed_layer(self, over: PackFace, turned: bool, painted: list[Textures]) -> int:
        key = ("pack", over.key, over.masked, turned)
        layer = self._layer_of.get(key)
        if layer is None:
            strip = over.strip.turned() if turned else over.strip
            layer = self._new_layer(key, strip.picture(0), over.masked, painted)
            if strip.moves and layer != WHITE:
                self.moving[layer] = StripLoop(strip, over.masked)
        return layer

    def _new_layer(self, key: tuple[object, ...], picture: Textures, masked: bool, painted: list[Textures]) -> int:
        layer = len(self.textures) + len(painted)
        if layer >= MOST_LAYERS:
            return WHITE
        self._layer_of[key] = layer
        painted.append(picture)
        self.coverage = np.append(self.coverage, not masked)
        return layer

    def levels(self, layers: range | None = None) -> tuple[Textures, ...]:
        """Mip levels 16, 8, 4, 2, 1 of some layers, of all unless named."""
        chosen = range(self.layers) if layers is None else layers
        part = slice(chosen.start, chosen.stop)
        return mip_levels(self.textures[part], self.coverage[part])
