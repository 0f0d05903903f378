"""What the store says about what it was told, and about itself. Frozen."""

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable
from client.world.lifecycle import Cause, Knowledge
from net.errors import DecodeError, LimitExceeded
from net.space.layout import Places
from net.space.positions import SubChunkPos


class EntryFault(msgspec.Struct, frozen=True):
    """A part of a message that made no sense; the rest was used.

    Attributes:
        position: the sub-chunk; for biomes and border bytes the column's lowest one.
        error: names packet, field and offset, or the limit.
    """

    position: SubChunkPos
    error: DecodeError | LimitExceeded

    def __str__(self) -> str:
        return f"{tuple(self.position)}: {self.error}"


class AnswerReport(msgspec.Struct, frozen=True):
    """What became of the entries of one message.

    Attributes:
        accepted_places: places whose success was used, undecodable ones left out.
        refused: places of failures that close them (codes 3, 5 and unknown ones).
        refusal_codes: the code of each.
        ignored: entries nobody marked, repeated successes, failures that may be repeated.
        known_air_used: successes for known air, which are used.
        faults: entries that did not decode.
    """

    accepted_places: Places
    refused: Places
    refusal_codes: npt.NDArray[np.uint8]
    ignored: int
    known_air_used: int
    faults: tuple[EntryFault, ...]


class BlockView(msgspec.Struct, frozen=True):
    """One block as far as it is known.

    Attributes:
        name: with name space; the placeholder's where nothing is known.
        states: its state values.
        dense: the session's number of it.
        runtime_id: the wire's, 0xffffffff where it has none.
        layer1_name: the block of the second layer, ``minecraft:air`` mostly.
        layer1_states: its state values.
        layer1_dense: the session's number of it.
        knowledge: state of its sub-chunk.
    """

    name: str
    states: dict[str, int | str | bool]
    dense: int
    runtime_id: int
    layer1_name: str
    layer1_states: dict[str, int | str | bool]
    layer1_dense: int
    knowledge: Knowledge

    @classmethod
    def of(cls, table: BlockTable, dense: int, layer1_dense: int, knowledge: Knowledge) -> "BlockView":
        """The view of two dense ids."""
        state, second = table.states[dense], table.states[layer1_dense]
        return cls(
            state.name,
            dict(state.states),
            dense,
            table.runtime_id_of(dense),
            second.name,
            dict(second.states),
            layer1_dense,
            knowledge,
        )


class StoreStats(msgspec.Struct, frozen=True):
    """Counts of the store.

    Attributes:
        columns: columns announced now.
        states: sub-chunks of them by state, those of none left out.
        placeholders: sub-chunks of them that show the placeholder.
        transitions: state changes so far, by kind.
        causes: what happened to sub-chunks so far, where their state stayed included.
        ignored: answers that were not used.
        known_air_used: successes for known air.
        faults: entries that did not decode.
        edits: blocks changed.
        edits_ignored: changes to what was there, or of places that wait for no blocks.
        edits_outside: changes above or below the dimension, or in columns that are not announced.
        edits_other_layers: changes of layers that do not exist here.
        edits_kept: changes that waited for the blocks of their place, or do now.
        edits_dropped: those of them that found no room to wait.
        edits_waiting: those that wait now.
        excess_tails: skeletons with bytes after their border blocks.
        drains: batches of changes so far.
        revision: the highest so far.
        appended_ids: block ids that the palette does not know.
        overflowed_ids: how many of them share the last dense id.
    """

    columns: int
    states: dict[Knowledge, int]
    placeholders: int
    transitions: dict[tuple[Knowledge, Knowledge], int]
    causes: dict[Cause, int]
    ignored: int
    known_air_used: int
    faults: int
    edits: int
    edits_ignored: int
    edits_outside: int
    edits_other_layers: int
    edits_kept: int
    edits_dropped: int
    edits_waiting: int
    excess_tails: int
    drains: int
    revision: int
    appended_ids: int
    overflowed_ids: int
