"""What blocks have besides their ids, kept where the blocks are: block entities, small values, cracks, the surface.

    drop      the blocks of places go, or others come: all of theirs goes
    changing  blocks are about to change: what may not outlive them ends
    changed   they are written: the surface follows
    close     nothing is going to come for places: what waited for their blocks goes

The rooms of the store call these where they write blocks; ``details`` is told by packets and asked by others.
"""

import numpy as np
import numpy.typing as npt

from client.world.block_entities import BlockEntities
from client.world.block_table import BlockTable
from client.world.height_maps import HeightMaps, HeightVerdict
from client.world.mining import Mining
from client.world.places import PlaceTables
from client.world.pools import BlockPools
from client.world.small_values import SmallValues
from net.frozen import frozen
from net.space.layout import BlockIds, Places

Cells = npt.NDArray[np.int64]


@frozen
class AttachmentStats:
    """Counts of what is attached to blocks.

    Attributes:
        block_entities: that stand now.
        block_entities_waiting: that wait for blocks.
        block_entities_ended: that ended with their block so far.
        block_entity_bytes: of all that stand or wait.
        small_values: sub-chunks that have any.
        cracking: blocks being broken now.
        cracking_dropped: those that found no room so far.
        height_verdicts: answers by what their height maps say of their blocks.
    """

    block_entities: int
    block_entities_waiting: int
    block_entities_ended: int
    block_entity_bytes: int
    small_values: int
    cracking: int
    cracking_dropped: int
    height_verdicts: dict[HeightVerdict, int]


@frozen
class Attachments:
    """The parts of one store; each says what it keeps, and how long."""

    table: BlockTable
    heights: HeightMaps
    entities: BlockEntities
    small_values: SmallValues
    mining: Mining

    @classmethod
    def empty(cls, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> "Attachments":
        """Nothing is attached to any block."""
        return cls(table, HeightMaps(table, pools, tables), BlockEntities(tables), SmallValues(), Mining())

    def move(self, tables: PlaceTables) -> None:
        """Another dimension."""
        self.heights.move(tables)
        self.entities.move(tables)
        self.small_values.clear()
        self.mining.clear()

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
        self.entities.drop(places)
        self.small_values.drop(places)
        self.mining.drop(places)

    def close(self, places: Places) -> None:
        """Nothing is going to come for some places, or what comes is newer than all that waits."""
        self.entities.drop_waiting(places)

    def changing(self, places: Places, cells: Cells, before: BlockIds, dense: BlockIds) -> None:
        """Blocks of the first layer are about to change: [n] place, cell, dense id that is there, and to come."""
        standing = np.flatnonzero(self.entities.stands_at(places, cells))
        if len(standing):
            states = self.table.states
            differ = [
                states[old].name != states[new].name for old, new in zip(before[standing], dense[standing], strict=True)
            ]
            self.entities.ending(places[standing], cells[standing], np.array(differ, np.bool_))
        self.small_values.changed(places, cells)
        self.mining.ending(places, cells)

    def changed(self, places: Places, cells: Cells) -> None:
        """Blocks of either layer are written."""
        self.heights.edit(places, cells)

    def stats(self) -> AttachmentStats:
        """A frozen snapshot."""
        counted = self.heights.counted.tolist()
        return AttachmentStats(
            len(self.entities),
            self.entities.waiting,
            self.entities.ended,
            self.entities.used_bytes,
            len(self.small_values),
            len(self.mining),
            self.mining.dropped,
            {verdict: counted[verdict] for verdict in HeightVerdict if counted[verdict]},
        )
