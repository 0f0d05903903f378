"""The looks of a session's blocks: textures made in code, mesh tables, both following the block table as it grows.

Theory. Layers only join as long as dense ids mean the same states: the same table, or that of a new session with the
same blocks. A table with others (custom blocks) has other dense ids, so everything is made anew and ``generation`` says
so. Looks that an earlier start made are read from ``look_cache``; what paints is then only made when a block joins that
was not among them, and gives the same layers the same numbers, since it goes through the table in the same order.
Under resource packs nothing is kept or read there: their files may change at any time (``reload``).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from render.gpu.tiles import Texels
from render.materials.materials import Materials
from render.materials.moving import Moving, PaintedLoop
from render.materials.packs.stack import PackStack
from render.materials.packs.troubles import LOG, Trouble, tell_troubles
from render.materials.room import MOST_LAYERS, crowded_line
from render.materials.tints import TintColours, tint_colours
from render.mesh.build import MeshTables
from render.mesh.tables import ClassedTable, mesh_tables
from render.scene.look_cache import StoredLooks, look_file, read_looks, write_looks
from render.scene.world import World


class BlockLooks:
    """The ``LookSource`` of real sessions. Owner thread only.

    Attributes:
        tables: see ``LookSource``.
        generation: see ``LookSource``.
        moving: see ``LookSource``.
    """

    def __init__(self, table: ClassedTable, cache: Path | None = None, packs: PackStack | None = None) -> None:
        """Finds the looks of everything the table knows, or makes them: 0.36 s for protocol 486.

        Args:
            table: the session's block table.
            cache: folder where looks are kept from one start to the next; None: nowhere.
            packs: what lies over our own looks.
        """
        self.generation = 0
        self.moving: Mapping[int, Moving] = {}
        self._packs = packs
        self._most_layers = MOST_LAYERS
        self._told: frozenset[Trouble] = frozenset()
        self._cache = None if packs else cache
        self._table = table
        self._materials: Materials | None = None  # None while what is kept suffices
        self._known = len(table.states)
        self._take()

    def grow(self, world: World) -> None:
        """See ``LookSource``."""
        table = cast(ClassedTable, world.table)
        if table is not self._table and list(table.states) == list(self._table.states):
            self._table = table
        if table is not self._table:
            self.generation += 1
            self._table = table
            self._take()
        elif len(table.states) != self._known:
            materials = self._materials or self._built(self._packs)
            materials.grow(table)
            self._make(materials)

    def reload(self, packs: PackStack) -> bool:
        """Takes packs that were read anew; True when the world must be attached anew, too, and not only pictures."""
        before, tints = self.tables, self.tint_colours
        self._packs, self._cache = packs, None
        self.generation += 1
        self._make(self._built(packs))
        same = np.array_equal(before.looks, self.tables.looks) and np.array_equal(tints, self.tint_colours)
        return not (same and _same_models(before, self.tables))

    def fit(self, most_layers: int) -> None:
        """See ``LookSource``."""
        crowded = self._materials is not None and self._materials.crowded
        if self.layers > most_layers or (crowded and most_layers > self._most_layers):
            self._most_layers = most_layers
            self.generation += 1
            self._make(self._built(self._packs))
        self._most_layers = most_layers

    @property
    def tint_colours(self) -> TintColours:
        """See ``LookSource``."""
        return self._packs.tints if self._packs else tint_colours()

    @property
    def unpacked(self) -> Mapping[str, int]:
        """Names of blocks of which the packs lack a face, each with how many faces they have."""
        return self._materials.unpacked if self._materials else {}

    def levels(self, layers: range) -> Sequence[Texels]:
        """See ``LookSource``."""
        return [level[layers.start : layers.stop] for level in self._levels]

    @property
    def layers(self) -> int:
        """See ``LookSource``."""
        return len(self._levels[0])

    def _take(self) -> None:
        """Takes the table from its beginning."""
        path = look_file(self._cache, self._table.states) if self._cache else None
        stored = read_looks(path, len(self._table.states)) if path else None
        if stored is not None:
            self._known, self._materials = len(self._table.states), None
            self.tables: MeshTables = stored.tables
            self._levels: Sequence[Texels] = stored.levels
            self.moving = {layer: PaintedLoop(look) for layer, look in stored.moving.items()}
            return
        self._make(self._built(self._packs))
        if path:
            loops = {layer: loop.look for layer, loop in self.moving.items() if isinstance(loop, PaintedLoop)}
            write_looks(path, StoredLooks(self.tables, tuple(self._levels), loops))

    def _built(self, packs: PackStack | None) -> Materials:
        return Materials.build(self._table, packs, self._most_layers)

    def _make(self, materials: Materials) -> None:
        """Tables and pictures of all there is; few blocks ever join, so the pictures are made again with them."""
        self._known, self._materials = len(self._table.states), materials
        self.tables = mesh_tables(materials, self._table)
        self._levels = materials.levels()
        self.moving = materials.moving
        if self._packs is not None:
            troubles = self._packs.troubles
            tell_troubles([trouble for trouble in troubles if trouble not in self._told])
            self._told = frozenset(troubles)  # who works on a pack reads each thing once, until it is mended
        if materials.crowded:
            LOG.warning("%s", crowded_line(materials.crowded, self._most_layers))


def _same_models(before: MeshTables, after: MeshTables) -> bool:
    return np.array_equal(before.model_rows, after.model_rows) and np.array_equal(before.model_quads, after.model_quads)
