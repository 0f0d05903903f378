"""Frozen reports and counts of the store."""

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable
from client.world.lifecycle import StateEvent, SubChunkState
from net.arrays import Places
from net.errors import DecodeError, LimitExceeded
from net.space import SubChunkPos, coordinates


class EntryFault(msgspec.Struct, frozen=True):
    """A part of a message that did not decode; the rest was used."""

    position: SubChunkPos  # the sub-chunk; for biomes and border bytes the column's lowest one
    error: DecodeError | LimitExceeded  # names packet, field and offset, or the limit

    def __str__(self) -> str:
        return f"sub-chunk {coordinates(self.position)}: {self.error}"


class AnswerReport(msgspec.Struct, frozen=True):
    """The results of the entries of one message."""

    accepted_places: Places  # places whose success was used, without undecodable ones
    refused: Places  # places of failures that close them (codes 3, 5 and unknown ones)
    refusal_codes: npt.NDArray[np.uint8]  # the code of each
    ignored: int  # entries for unannounced places, repeated successes, failures that may be repeated
    known_air_used: int  # successes for known air, which are used
    faults: tuple[EntryFault, ...]  # entries that did not decode


class BlockView(msgspec.Struct, frozen=True):
    """One block."""

    name: str  # with namespace; the placeholder's if it is unknown
    states: dict[str, int | str | bool]  # its state values
    dense: int  # the session's number of it
    runtime_id: int  # the wire's, or 0xffffffff
    layer1_name: str  # the block of the second layer, mostly ``minecraft:air``
    layer1_states: dict[str, int | str | bool]  # its state values
    layer1_dense: int  # the session's number of it
    knowledge: SubChunkState  # state of its sub-chunk

    @classmethod
    def of(cls, table: BlockTable, dense: int, layer1_dense: int, knowledge: SubChunkState) -> "BlockView":
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
    """Counts of the store."""

    columns: int  # columns announced now
    states: dict[SubChunkState, int]  # their sub-chunks by state, without empty states
    placeholders: int  # sub-chunks of them that show the placeholder
    transitions: dict[tuple[SubChunkState, SubChunkState], int]  # state changes so far, by kind
    causes: dict[StateEvent, int]  # events of sub-chunks so far, those without a change of state included
    ignored: int  # answers that were not used
    known_air_used: int  # successes for known air
    faults: int  # entries that did not decode
    edits: int  # blocks changed
    edits_ignored: int  # changes to the same block, or of places that wait for no blocks
    edits_outside: int  # changes above or below the dimension, or in columns that are not announced
    edits_other_layers: int  # changes of layers that do not exist here
    edits_kept: int  # changes that waited for the blocks of their place, or do now
    edits_dropped: int  # changes dropped at the limit of waiting ones
    edits_waiting: int  # changes that wait now
    excess_tails: int  # skeletons with bytes after their border blocks
    drains: int  # batches of changes so far
    revision: int  # the highest so far
    appended_ids: int  # block ids that the palette does not know
    overflowed_ids: int  # appended ids that share the last dense id
