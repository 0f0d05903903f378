"""What packets tell of single blocks besides their ids, and what is known of them.

Rules:
1. A block entity for a place whose blocks may yet come waits for them; one that shows older blocks until then stands
   there at once as well. Of a place that waits for nothing and shows nothing it is ignored.
2. Cracks are kept in every announced column, whatever its places show: somebody digs there.
"""

import numpy as np
import numpy.typing as npt

from client.world.attachments import AttachmentStats
from client.world.height_maps import HeightVerdict
from client.world.holdings import Holdings
from client.world.lifecycle import AWAITED_STATES, PLACEHOLDER_STATES, table_of
from client.world.mining import Cracking
from client.world.reports import EntryFault
from client.world.small_values import Values
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.block_entities import Compound
from net.subchunk.storage import Tops


class Details:
    """Writes to what is attached to blocks, and reads it."""

    def __init__(self, holdings: Holdings) -> None:
        """Of these."""
        self._holdings = holdings
        self._awaited = table_of(AWAITED_STATES)
        self._shows = ~table_of(PLACEHOLDER_STATES)

    # ------------------------------------------------------------ told

    def put_entity(self, position: BlockPos, compound: Compound) -> tuple[EntryFault, ...]:
        """A packet brought the block entity of one block; gives what finds no room."""
        tables, entities = self._holdings.tables, self._holdings.attached.entities
        place, cell = tables.place_of(position.subchunk), position.in_subchunk
        faults: tuple[EntryFault, ...] = ()
        if place < tables.sections:
            return faults
        if self._awaited[tables.state[place]]:
            faults += entities.hold(place, cell, compound)
        if self._shows[tables.state[place]]:
            faults += entities.put(place, cell, compound)
        self._holdings.tally.faults += len(faults)
        return faults

    def crack(self, position: BlockPos, argument: int, now: float, *, again: bool = False) -> None:
        """A block begins to crack, or (``again``) goes on at another speed.

        Args:
            position: of the block; one in no announced column is ignored.
            argument: 65535 / ticks until it breaks.
            now: monotonic seconds.
            again: whether it cracks already.
        """
        tables, mining = self._holdings.tables, self._holdings.attached.mining
        place = tables.place_of(position.subchunk)
        if place >= tables.sections:
            (mining.update if again else mining.start)(place, position.in_subchunk, argument, now)

    def stop_cracking(self, position: BlockPos) -> None:
        """Nobody digs at a block any more."""
        place = self._holdings.tables.place_of(position.subchunk)
        self._holdings.attached.mining.stop(place, position.in_subchunk)

    # ------------------------------------------------------------ asked

    def block_entities(self, column: ColumnPos) -> list[Compound]:
        """Block entities of a column, lowest section first."""
        row = self._holdings.tables.row_of.get(column)
        places = np.empty(0, np.int32) if row is None else self._holdings.tables.places_of_row(row)
        return self._holdings.attached.entities.of(places)

    def block_entity(self, position: BlockPos) -> Compound | None:
        """The one that stands at a block."""
        place = self._holdings.tables.place_of(position.subchunk)
        return self._holdings.attached.entities.at(place, position.in_subchunk)

    def small_values_of(self, position: SubChunkPos) -> Values:
        """One byte a block: uint8[4096], not to be written; 0 where sub-chunks came in a form that has none."""
        return self._holdings.attached.small_values.of(self._holdings.tables.place_of(position))

    def cracking(self, position: BlockPos) -> Cracking | None:
        """How far somebody has broken a block."""
        place = self._holdings.tables.place_of(position.subchunk)
        return self._holdings.attached.mining.at(place, position.in_subchunk)

    def cracks(self, now: float) -> npt.NDArray[np.int32]:
        """Blocks that somebody breaks: int32[n, 4] x, y, z and how far in tenths, 0..9, by position."""
        tables = self._holdings.tables
        places, cells, shares = self._holdings.attached.mining.progress(now)
        corners = tables.positions_of(places) * 16
        inside = np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1)
        tenths = np.minimum(shares * 10, 9).astype(np.int32)
        cracks = np.column_stack([corners + inside, tenths]).astype(np.int32)
        return cracks[np.lexsort(cracks.T[::-1])]

    def height_map(self, column: ColumnPos) -> Tops:
        """The surface of a column: int16[256] by z << 4 | x, y one above the top block; UNKNOWN_TOP where unknown."""
        row = self._holdings.tables.row_of.get(column, 0)
        return self._holdings.attached.heights.column(row)

    def height_verdicts(self) -> npt.NDArray[np.uint8]:
        """uint8[places] a HeightVerdict each, of the last answer; places of no column are meaningless."""
        return self._holdings.attached.heights.verdict

    def height_kinds(self) -> npt.NDArray[np.uint8]:
        """uint8[places] a HeightKind each, of the last answer that was used; places of no column are meaningless."""
        return self._holdings.attached.heights.kind

    def height_verdict_of(self, position: SubChunkPos) -> HeightVerdict:
        """The same of one sub-chunk; NONE_SAID where there is none."""
        tables = self._holdings.tables
        place = tables.place_of(position)
        inside = place >= tables.sections
        return HeightVerdict(int(self._holdings.attached.heights.verdict[place])) if inside else HeightVerdict.NONE_SAID

    def attachment_stats(self) -> AttachmentStats:
        """Counts of what is attached to blocks."""
        return self._holdings.attached.stats()
