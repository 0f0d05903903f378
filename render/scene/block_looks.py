"""The looks of a session's blocks: textures made in code, mesh tables, both following the block table as it grows.

Theory. Layers only join as long as dense ids mean the same states: the same table, or that of a new session with the
same blocks. A table with others (custom blocks) has other dense ids, so everything is made anew and ``generation`` says
so.
"""

from collections.abc import Sequence
from typing import cast

from render.gpu.tiles import Texels
from render.materials.materials import Materials
from render.mesh.build import MeshTables
from render.mesh.tables import ClassedTable, mesh_tables
from render.scene.world import World


class BlockLooks:
    """The ``LookSource`` of real sessions. Owner thread only.

    Attributes:
        tables: see ``LookSource``.
        generation: see ``LookSource``.
    """

    def __init__(self, table: ClassedTable) -> None:
        """Paints everything the table knows, about 0.3 s for protocol 486."""
        self.generation = 0
        self._table = table
        self._materials = Materials.build(table)
        self.tables: MeshTables = mesh_tables(self._materials, table)

    def grow(self, world: World) -> None:
        """See ``LookSource``."""
        table = cast(ClassedTable, world.table)
        if table is not self._table and list(table.states) == list(self._table.states):
            self._table = table
        if table is not self._table:
            self.generation += 1
            self._table, self._materials = table, Materials.build(table)
        elif len(table.states) == len(self._materials):
            return
        else:
            self._materials.grow(table)
        self.tables = mesh_tables(self._materials, table)

    def levels(self, layers: range) -> Sequence[Texels]:
        """See ``LookSource``."""
        return self._materials.levels(layers)

    @property
    def layers(self) -> int:
        """See ``LookSource``."""
        return self._materials.layers
