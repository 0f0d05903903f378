"""Frozen reports of the store."""

import msgspec

from client.world.lifecycle import SubChunkState
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
    ignored: int  # entries for unannounced places, repeated successes, failures that may be repeated
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
