"""The known blocks of one dimension, by place: the tables, and all methods that change them.

Rules:
1. Arguments are plain: positions, bytes, numbers. The store knows no messages, clocks or GL; ``now`` is passed in.
2. Slots are immutable once ``finish_drain`` published them. Masks, kinds, revisions and the change log are ready after
   ``finish_drain``, not before.
3. A block entity for a place whose blocks may yet come waits for them; if the place shows older blocks until then, it
   is also shown there at once. It is ignored for a place that waits for nothing and shows nothing.

Longer operations are functions over the state, in ``answers`` and ``edits``. Owned by one thread. Arrays may be
replaced when the tables grow, so fetch them from the store at each step.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world import answers, edits
from client.world.answers import refuse
from client.world.block_data import Cracking, Values
from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.height_maps import HeightVerdict
from client.world.history import NO_PACKET
from client.world.lifecycle import StateEvent, SubChunkState
from client.world.places import NO_LIMIT
from client.world.reports import AnswerReport, BlockView, EntryFault
from client.world.slots import PoolBytes
from client.world.store_state import AWAITED, SHOWS, KeptEdits, StoreParts
from net.arrays import BlockIds, Places, RuntimeIds, Slots, SubChunkPositions
from net.space import UNLOADED_PLACE, BlockPos, ColumnPos, Dimension, SubChunkPos
from net.subchunk.biomes import SectionBiomes
from net.subchunk.block_entities import Compound
from net.subchunk.storage import Tops

CAUSES: Final = {
    SubChunkState.UNKNOWN: StateEvent.LEFT_PLAN,
    SubChunkState.WANTED: StateEvent.PLANNED,
    SubChunkState.REQUESTED: StateEvent.REQUESTED,
    SubChunkState.EVICTED: StateEvent.RELEASED,
}
"""The event that ``mark`` applies for each state."""

KEPT_EDIT_BYTES = 200  # a waiting change: an entry of a dictionary with its two numbers (``sys.getsizeof``: 190)


class Store(StoreParts):
    """The store: tables over places (see ``net.space`` for places), and the methods that change and read them."""

    # ------------------------------------------------------------ received columns

    def announce(self, column: ColumnPos, limit: int | None, biome_tail: bytes, now: float) -> tuple[EntryFault, ...]:
        """Applies a skeleton: its sub-chunks need requests, up to ``limit`` (``answers.announce``); returns faults."""
        return answers.announce(self, column, limit, biome_tail, now)

    def fill(self, column: ColumnPos, payload: bytes, inline_count: int, now: float) -> AnswerReport:
        return answers.fill(self, column, payload, inline_count, now)

    def forget(self, column: ColumnPos) -> None:
        """Drops a column and all its data; one that is not announced is ignored."""
        row = self.row_of.get(column)
        if row is None:
            return
        answers.drop_column(self, row)
        self.pending.remove(row, column, self.places_of_row(row))
        self.remove(column)

    def change_dimension(self, dimension: Dimension) -> None:
        """Drops everything; readers of the change log get "everything"."""
        for row in self.row_of.values():
            answers.drop_column(self, row)
        self.reset(dimension)
        self.pending.reset()
        self.shown.reset()
        self.kept_edits = KeptEdits()
        self.attached.reset()

    # ------------------------------------------------------------ received sub-chunks and blocks

    def answer(
        self,
        positions: SubChunkPositions,
        results: npt.NDArray[np.uint8],
        payloads: list[bytes],
        height_kinds: npt.NDArray[np.uint8],
        heights: list[bytes | None],
        now: float,
    ) -> AnswerReport:
        return answers.apply_answers(self, positions, results, payloads, height_kinds, heights, now)

    def update_block(self, position: BlockPos, layer: int, runtime_id: int) -> bool:
        ids = np.array([runtime_id], np.int64)
        return bool(self.update_blocks(np.array([position], np.int32), np.array([layer]), ids)[0])

    def update_blocks(
        self,
        positions: npt.NDArray[np.int32],
        layers: npt.NDArray[np.integer],
        runtime_ids: RuntimeIds,
        packets: npt.NDArray[np.int32] | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Changes single blocks, in order; returns which changes had a visible effect (``edits.apply_edits``)."""
        return edits.apply_edits(self, positions, layers, runtime_ids, packets)

    def put_entity(self, position: BlockPos, compound: Compound) -> tuple[EntryFault, ...]:
        """Sets the block entity of one block; returns the faults, if a limit is exceeded."""
        entities = self.attached.entities
        place, cell = self.place_of(position.subchunk), position.in_subchunk
        faults: tuple[EntryFault, ...] = ()
        if place < self.sections:
            return faults
        if AWAITED[self.state[place]]:
            faults += entities.hold(place, cell, compound)
        if SHOWS[self.state[place]]:
            faults += entities.put(place, cell, compound)
        return faults

    def crack(self, position: BlockPos, argument: int, now: float, *, again: bool = False) -> None:
        """Starts the cracks of a block, or (``again``) changes their speed; in any announced column, whatever it shows.

        ``argument``: 65535 / ticks until it breaks.
        """
        mining = self.attached.mining
        place = self.place_of(position.subchunk)
        if place >= self.sections:
            (mining.update if again else mining.start)(place, position.in_subchunk, argument, now)

    def stop_cracking(self, position: BlockPos) -> None:
        place = self.place_of(position.subchunk)
        self.attached.mining.stop(place, position.in_subchunk)

    # ------------------------------------------------------------ our own decisions

    def mark(self, places: Places, knowledge: SubChunkState, now: float) -> None:
        """Records our own action: UNKNOWN, WANTED, REQUESTED, or EVICTED, which drops the blocks.

        Raises WorldError: a state that only messages set, or a transition that ``lifecycle`` does not allow.
        """
        cause = CAUSES.get(knowledge)
        if cause is None:
            raise WorldError(f"{knowledge.name} is set by messages, not by marking")
        self.states.happen(places, cause, now)
        if cause is StateEvent.RELEASED:
            self.attached.drop(places)
            self.shown.show_one(places, PLACEHOLDER_SLOT)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """Marks places that are given up as REFUSED, with the last code, unless an answer refused them already."""
        fresh = self.state[places] != SubChunkState.REFUSED
        places, codes = places[fresh], codes[fresh]
        refuse(self, places, StateEvent.GIVEN_UP, codes, now)

    # ------------------------------------------------------------ reading

    def is_placeholder(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these show the placeholder: bool[n]."""
        shown: npt.NDArray[np.bool_] = self.slot[places] == PLACEHOLDER_SLOT
        return shown

    def state_of(self, position: SubChunkPos) -> SubChunkState:
        """Its state; UNKNOWN in a column that is not announced, OUTSIDE above and below the dimension."""
        if not self.dimension.holds_section(position.y):
            return SubChunkState.OUTSIDE
        place = self.place_of(position)
        return SubChunkState.UNKNOWN if place < self.sections else SubChunkState(int(self.state[place]))

    def blocks_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of one sub-chunk: uint16[4096], read only."""
        blocks: BlockIds = self.pools.blocks[self.slot[self.place_of(position)]]
        return blocks

    def layer1_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of its second layer: uint16[4096], read only."""
        blocks: BlockIds = self.pools.layer1[self.layer1_slot[self.place_of(position)]]
        return blocks

    def block(self, position: BlockPos) -> BlockView:
        place, cell = self.place_of(position.subchunk), position.in_subchunk
        dense = int(self.pools.blocks[self.slot[place], cell])
        other = int(self.pools.layer1[self.layer1_slot[place], cell])
        state, second = self.table.states[dense], self.table.states[other]
        return BlockView(
            state.name, dict(state.states), dense, self.table.runtime_id_of(dense), second.name, dict(second.states),
            other, self.state_of(position.subchunk),
        )  # fmt: skip

    def waiting_changes(self, position: SubChunkPos) -> list[tuple[int, int, int]]:
        """Block changes that wait for the blocks of one sub-chunk: layer, cell and dense id of each."""
        return self.kept_edits.of(self.place_of(position))

    def biomes_of(self, position: SubChunkPos) -> SectionBiomes:
        """Biome ids of one sub-chunk: uint16[4096], UNKNOWN_BIOME where unknown."""
        row = self.row_of.get(ColumnPos(position.x, position.z), 0)
        return self.biomes.of(row).section(position.y - self.dimension.floor_section)

    def biome_sources(self, places: Places) -> Places:
        """For each place the place, itself or one below, whose biomes it uses; UNLOADED_PLACE where unknown."""
        rows, row_of = np.unique(places // self.sections, return_inverse=True)
        by_section = np.full((len(rows), self.sections), UNLOADED_PLACE, np.int32)
        for index, row in enumerate(rows.tolist()):
            if row:
                sources = self.biomes.of(row).sources(self.sections)
                by_section[index] = np.where(sources < 0, UNLOADED_PLACE, row * self.sections + sources)
        return by_section[row_of.reshape(-1), places % self.sections]

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Biome at the surface of each block column: uint16[256] by x << 4 | z, UNKNOWN_BIOME where unknown."""
        row = self.row_of.get(column, 0)
        limit = int(self.limit[row])
        biomes = self.biomes.of(row)
        highest = min(len(biomes), self.sections) - 1  # up to protocol 486 one more is sent, above the roof
        return biomes.section(highest if limit == NO_LIMIT else min(limit, highest))[15::16]

    # ------------------------------------------------------------ data of blocks besides their ids

    def block_entities(self, column: ColumnPos) -> list[Compound]:
        """Block entities of a column, lowest section first."""
        row = self.row_of.get(column)
        places = np.empty(0, np.int32) if row is None else self.places_of_row(row)
        return self.attached.entities.of(places)

    def block_entity(self, position: BlockPos) -> Compound | None:
        place = self.place_of(position.subchunk)
        return self.attached.entities.at(place, position.in_subchunk)

    def further_layers_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of its third and later layers: uint16[n, 4096], read only."""
        return self.attached.further_layers.of(self.place_of(position))

    def small_values_of(self, position: SubChunkPos) -> Values:
        """One byte a block: uint8[4096], read only; 0 for sub-chunks of versions without small values."""
        return self.attached.small_values.of(self.place_of(position))

    def cracking(self, position: BlockPos) -> Cracking | None:
        place = self.place_of(position.subchunk)
        return self.attached.mining.at(place, position.in_subchunk)

    def cracks(self, now: float) -> npt.NDArray[np.int32]:
        """All cracking blocks: int32[n, 4] x, y, z and the broken share in tenths, 0..9, by position."""
        places, cells, shares = self.attached.mining.progress(now)
        corners = self.positions_of(places) * 16
        inside = np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1)
        tenths = np.minimum(shares * 10, 9).astype(np.int32)
        cracks = np.column_stack([corners + inside, tenths]).astype(np.int32)
        return cracks[np.lexsort(cracks.T[::-1])]

    def height_map(self, column: ColumnPos) -> Tops:
        """The surface of a column: int16[256] by z << 4 | x, y one above the top block; UNKNOWN_TOP where unknown."""
        row = self.row_of.get(column, 0)
        return self.attached.heights.column(row)

    def height_verdict_of(self, position: SubChunkPos) -> HeightVerdict:
        """How its last height map fits the blocks that came with it; NONE_SAID without one."""
        place = self.place_of(position)
        inside = place >= self.sections
        return HeightVerdict(int(self.attached.heights.verdict[place])) if inside else HeightVerdict.NONE_SAID

    # ------------------------------------------------------------ drains

    @property
    def between_drains(self) -> bool:
        """Whether nothing changed since the last ``finish_drain``."""
        return not self.pending.some

    @property
    def packet(self) -> int:
        """Number of the inbound packet that is being applied; NO_PACKET between packets."""
        return self.states.packet

    @property
    def now(self) -> float:
        """The latest time passed in, monotonic seconds."""
        return self.states.now

    def begin_packet(self, number: int, now: float) -> None:
        """Names the inbound packet that the history gives for all changes until ``finish_drain`` or the next one."""
        self.states.packet = number
        self.states.now = now

    def finish_drain(self) -> Slots:
        """Derives masks and kinds of all slots filled since the last call: int32[n]; publishes the changes."""
        fresh = self.shown.derive()
        self.last_revision = self.pending.number_content(self.revision, self.last_revision)
        self.changes.publish(self.pending.take(self))
        self.recycle()
        self.pools.next_epoch()
        self.states.packet = NO_PACKET
        return fresh

    # ------------------------------------------------------------ counts

    def memory(self) -> tuple[PoolBytes, ...]:
        waiting, peak = len(self.kept_edits) * KEPT_EDIT_BYTES, self.kept_edits.peak * KEPT_EDIT_BYTES
        return (
            *self.pools.stats().memory,
            self.tables_memory(),
            self.history.memory(self.touched_places),
            self.attached.heights.memory(),
            self.biomes.memory(),
            self.attached.entities.memory(),
            self.attached.small_values.memory(),
            self.attached.further_layers.memory(),
            PoolBytes("waiting changes", waiting, waiting, waiting, max(waiting, peak)),
        )
