"""The look of every block state of a session: which texture layer, tint and marks each face has.

Rules:
1. A layer is one picture, painted once however many states show it; layer numbers never change while the session lasts.
2. ``grow`` is called by the owner whenever the block table may have grown, before meshes are asked for; it replaces the
   arrays, never writes into them, so that jobs may go on with the old ones.
3. The same names give the same layers with the same texels on every machine (``grain``).

Limits: some 750 layers for the 7,946 states of protocol 486 (GL 3.3 promises 256 layers, every driver tried 2,048),
about 0.3 s to paint them all.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from assets.textures import TextureRules, load
from render.materials.canvas import Picture, colour
from render.materials.grain import Grain
from render.materials.looks import GLOWS, TINT_MASK, Tint
from render.materials.marks import MARKS
from render.materials.mips import Textures, mip_levels
from render.materials.painters import PAINTERS
from render.materials.words import FaceRecipe, Signature, StateValue, faces_of, signature_of

FaceTable = npt.NDArray[np.uint8]
"""[n, 6] by dense id and face."""

Row = tuple[list[int], list[int], list[int]]
"""Layers, tints and flags of six faces."""

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
    """

    def __init__(self, rules: TextureRules) -> None:
        self._rules = rules
        self._row_of: dict[Signature, Row] = {}
        self._layer_of: dict[tuple[str, tuple[str, ...], bool, str], int] = {}
        self.tiles: npt.NDArray[np.uint16] = np.zeros((0, 6), np.uint16)
        self.tints: FaceTable = np.zeros((0, 6), np.uint8)
        self.flags: FaceTable = np.zeros((0, 6), np.uint8)
        self.textures: Textures = np.full((1, 16, 16, 4), 255, np.uint8)
        self.coverage: npt.NDArray[np.bool_] = np.ones(1, bool)

    @classmethod
    def build(cls, table: StateTable) -> "Materials":
        """The looks of a whole table."""
        materials = cls(load())
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
        signature = signature_of(self._rules, state.name, dict(state.states))
        row = self._row_of.get(signature)
        if row is None:
            faces = faces_of(self._rules, signature)
            layers = [self._layer(look, painted) for look in faces]
            tints = [int(_TINTS[look.recipe.tint]) for look in faces]
            flags = [TINT_MASK * look.recipe.masked | GLOWS * look.recipe.glows for look in faces]
            row = self._row_of[signature] = (layers, tints, flags)
        return row

    def _layer(self, look: FaceRecipe, painted: list[Textures]) -> int:
        key = (look.recipe.painter, look.recipe.colours, look.turned, look.mark)
        layer = self._layer_of.get(key)
        if layer is None:
            layer = self._layer_of[key] = len(self.textures) + len(painted)
            painted.append(paint(look))
            self.coverage = np.append(self.coverage, not look.recipe.masked)
        return layer

    def levels(self, layers: range | None = None) -> tuple[Textures, ...]:
        """Mip levels 16, 8, 4, 2, 1 of some layers, of all unless named."""
        chosen = range(self.layers) if layers is None else layers
        part = slice(chosen.start, chosen.stop)
        return mip_levels(self.textures[part], self.coverage[part])


def paint(look: FaceRecipe, frame: int = 0) -> Textures:
    """One picture, uint8[16, 16, 4]; of one that moves, that number in its loop.

    Raises:
        KeyError: no such painter.
        TypeError: the painter wants another number of colours.
    """
    recipe = look.recipe
    painter = PAINTERS[recipe.painter]
    moved = {"frame": frame} if frame else {}
    grain = Grain(" ".join((recipe.painter, *recipe.colours)))
    picture: Picture = painter(grain, *map(colour, recipe.colours), **moved)
    if look.mark:
        picture = MARKS[look.mark](picture)
    if look.turned:
        picture = np.rot90(picture)
    return np.rint(np.minimum(np.maximum(picture, 0), 255)).astype(np.uint8)
