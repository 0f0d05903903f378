"""What one light step takes and gives, and what all of them counted: plain arrays, owned by one side at a time.

A step numbers the places it deals with from 0, its *seats*: first the region (columns that are relit), then the
columns around it (lit already; their light shines in, and grows where the region's light reaches them), last one
seat that stands for everything outside: opaque and dark. Kernels know seats only.
"""

import numpy as np
import numpy.typing as npt

from client.light.slots import DARK_SLOT
from client.light.tables import LightTables
from client.world.contract import Pools
from client.world.reserved import PoolBytes
from net.frozen import frozen
from net.space.layout import Places, Slots

Rows = npt.NDArray[np.int32]
"""[n] row numbers of the store; 0 is none."""
Entries = npt.NDArray[np.uint16]
"""[n, 16]: bit z of row x: daylight of 15 enters this sub-chunk's top cell from above."""


@frozen
class AsLit:
    """How some places looked when they were lit.

    Attributes:
        rows: rows that are lit as a whole.
        columns: int32[rows, 2] their positions.
        places: places that are lit, of those rows or (after single edits) of others.
        revisions: int64[places].
        obstructed: bool[places] placeholders.
        through: [places, 16] daylight at each top when air above it is looked through.
    """

    rows: Rows
    columns: npt.NDArray[np.int32]
    places: Places
    revisions: npt.NDArray[np.int64]
    obstructed: npt.NDArray[np.bool_]
    through: Entries


@frozen
class LightBatch:
    """One step's input, copied from the tables; the owner thread makes it, whoever runs it owns it.

    Block slots it names must stay as they are until it has run (the pools' epochs see to that).

    Attributes:
        pools: the block slots.
        tables: the block table's light side.
        generation: of the light map; a result of an older generation is dropped.
        places: [seats] places of the region and of the columns around it.
        region: how many of them, from the front, are relit from nothing.
        rows: [columns] the region's columns.
        sections: sub-chunks a column; seats of one column follow each other, lowest first.
        blocks: [seats + 1] block slot of each seat, the last one opaque.
        neighbours: int32[seats + 1, 6] seat beside each seat.
        entries: [seats, 16] where daylight enters from above; of the region, or of all seats where there are edits.
        shown: [seats + 1] light slot each seat shows now.
        spare: free light slots this step may write to.
        edits: uint32[n] ``seat << 12 | cell`` of changed blocks; where there are any, light is mended, nothing is
            relit.
        seen: how the places that this step makes right look now; remembered when the step is published.
        released: places, each with the slot it showed, of columns that went away; dark already.
    """

    generation: int
    pools: Pools
    tables: LightTables
    places: Places
    region: int
    rows: Rows
    sections: int
    blocks: Slots
    neighbours: npt.NDArray[np.int32]
    entries: Entries
    shown: Slots
    spare: Slots
    edits: npt.NDArray[np.uint32]
    seen: AsLit
    released: tuple[Places, Slots]


@frozen
class LightResult:
    """One step's output; goes back to the owner thread.

    Attributes:
        batch: what it was made from.
        shown: [seats] light slot each seat shows from now on.
        written: those of ``batch.spare`` that were written, shown or not.
        visited: cells the scalar floods visited, for statistics.
    """

    batch: LightBatch
    shown: Slots
    written: Slots
    visited: int


@frozen
class LightLog:
    """Places whose light changed, for whoever mirrors light maps.

    Attributes:
        places: [n] each place once.
        old_slots: [n] what they showed; free from now on (0 and 1 are shared and stay).
        new_slots: [n] what they show now.
    """

    places: Places
    old_slots: Slots
    new_slots: Slots

    def with_released(self, places: Places, slots: Slots) -> "LightLog":
        """This log and places of removed columns, with what they showed, as far as no other column has them already."""
        gone = ~np.isin(places, self.places)
        return LightLog(
            np.concatenate([self.places, places[gone]]),
            np.concatenate([self.old_slots, slots[gone]]),
            np.concatenate([self.new_slots, np.full(int(gone.sum()), DARK_SLOT, np.int32)]),
        )


@frozen
class LightStats:
    """What the light map did and holds.

    Attributes:
        steps: published steps.
        columns: columns relit from nothing, in all.
        edits: changed cells mended, in all.
        visited: cells that the scalar floods visited, in all.
        slots: light slots in use.
        slot_bytes: what they hold.
        memory: bytes of the slots and of the steps' working memory.
    """

    steps: int
    columns: int
    edits: int
    visited: int
    slots: int
    slot_bytes: int
    memory: tuple[PoolBytes, ...]
