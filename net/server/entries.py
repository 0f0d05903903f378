"""What an answer says of one sub-chunk.

| the sub-chunk | result |
|---|---|
| in a dimension that the player is not in | 3 wrong dimension |
| above the roof or below the floor | 5 y out of bounds |
| in a column that this client has not been sent (any more) | 2 chunk not found |
| without any block | 6 success, all air |
| else | 1 success |

Rules:
1. Height maps come with results 1 and 6 alone.
2. A fault script may spoil answers: codes, entries left out, height maps, bytes (see ``faults``).
3. For a client with a blob cache terrain is named by its id alone, unless too much is open (``open_blobs``); a packet
   is in one form or the other. Block entities stand behind the terrain, or where it would.
"""

from typing import Final, NamedTuple

from net.bedrock import HeightKind, SubChunkEntry, SubChunkResult
from net.server.faults import Faults, Spoiler
from net.server.open_blobs import OpenBlobs
from net.server.provider import Provider
from net.server.snapshots import ColumnSnapshot
from net.server.tracking import Tracking
from net.server.wire_forms import WireForm
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos, SubChunkPos

_NAMED_BYTES: Final = 14
"""Of an entry whose terrain is named by its id."""
_SUCCESS: Final = SubChunkResult.SUCCESS  # asking an enumeration each time costs more than the rest (CPython 3.11)
_ALL_AIR: Final = SubChunkResult.SUCCESS_ALL_AIR
Offset = list[int]
"""dx, dy, dz from a request's centre."""
Answer = tuple[SubChunkEntry, bytes]
"""An entry with its terrain, and the block entities of its sub-chunk."""


class Place(NamedTuple):
    """A column that is asked about.

    Attributes:
        column: where it is.
        result: what all answers about it are, unless there is no such height; SUCCESS where it can be had.
        snapshot: with SUCCESS.
    """

    column: ColumnPos
    result: SubChunkResult
    snapshot: ColumnSnapshot | None


class Entries:
    """Answers to one client.

    Args:
        provider: of its world.
        dimension: of that world.
        form: how the client reads blocks.
        faults: how answers are spoilt.
        spoiler: that decides.
    """

    def __init__(
        self, provider: Provider, dimension: Dimension, form: WireForm, faults: Faults, spoiler: Spoiler
    ) -> None:
        self._provider = provider
        self._dimension = dimension
        self.form = form
        self._spoiler = spoiler
        self._spoils = faults.spoil_entries

    def place(self, dimension: int, column: ColumnPos, tracking: Tracking) -> Place | None:
        """A column as it is asked about; None where it is not at hand and has to be made first."""
        if dimension != self._dimension.number:
            return Place(column, SubChunkResult.WRONG_DIMENSION, None)
        if not tracking.has(column):
            return Place(column, SubChunkResult.CHUNK_NOT_FOUND, None)
        snapshot = self._provider.at_hand(column)
        return None if snapshot is None else Place(column, _SUCCESS, snapshot)

    def answer(self, place: Place, y: int, offset: Offset, tracking: Tracking) -> Answer | None:
        """What the client is told of the sub-chunk at a height; None for nothing at all."""
        if self._spoils:
            return self._spoilt(place, y, offset, tracking)
        return self._honest(place, y, offset, tracking)

    def _honest(self, place: Place, y: int, offset: Offset, tracking: Tracking | None) -> Answer:
        """What is owed; ``tracking`` where the client is about to have it."""
        dx, dy, dz = offset
        snapshot, index = place.snapshot, y - self._dimension.floor_section
        if snapshot is not None and 0 <= index < self._dimension.sections:
            if tracking is not None:
                tracking.send(place.column, index, snapshot.version(index).number)
            kind, heights = snapshot.heights(index)
            if snapshot.is_air(index):
                return SubChunkEntry(dx, dy, dz, _ALL_AIR, b"", kind, heights), b""
            terrain = snapshot.subchunk(index, self.form)
            entry = SubChunkEntry(dx, dy, dz, _SUCCESS, terrain, kind, heights)
            return entry, snapshot.entities(index)
        wrong = place.result is SubChunkResult.WRONG_DIMENSION or 0 <= index < self._dimension.sections
        return SubChunkEntry(dx, dy, dz, place.result if wrong else SubChunkResult.Y_OUT_OF_BOUNDS), b""

    def _spoilt(self, place: Place, y: int, offset: Offset, tracking: Tracking) -> Answer | None:
        """An answer as the fault script wants it; None for one that is left out."""
        position = SubChunkPos(place.column.x, y, place.column.z)
        if self._spoiler.leave_out(position):
            return None
        entry, entities = self._honest(place, y, offset, None)
        if entry.result not in (_SUCCESS, _ALL_AIR):
            return entry, b""
        code = self._spoiler.refusal(position)
        if code is not None:
            dx, dy, dz = offset
            return SubChunkEntry(dx, dy, dz, code), b""
        entry, entities = self._honest(place, y, offset, tracking)
        entry = entry._replace(payload=self._spoiler.corrupt(position, entry.payload))
        if self._spoiler.contradict(position):
            below = entry.height_kind == HeightKind.ALL_TOO_LOW
            opposite = HeightKind.ALL_TOO_HIGH if below else HeightKind.ALL_TOO_LOW
            entry = entry._replace(height_kind=opposite, heights=None)
        return entry, entities


def in_full(answers: list[Answer]) -> tuple[SubChunkEntry, ...]:
    """The entries of a packet without a cache."""
    return tuple(entry._replace(payload=entry.payload + entities) if entities else entry for entry, entities in answers)


def by_id(answers: list[Answer], blobs: OpenBlobs) -> tuple[tuple[SubChunkEntry, ...], int] | None:
    """The entries with ids in the place of terrain, and their bytes; None where nothing can be named."""
    full = [answer for answer in answers if answer[0].result == _SUCCESS]
    beside = not blobs.holds_entities
    ids = blobs.announce([entry.payload if beside else entry.payload + more for entry, more in full]) if full else None
    if ids is None:
        return None
    left = iter(ids)
    named = tuple(
        entry._replace(payload=more if beside else b"", blob_id=next(left)) if entry.result == _SUCCESS else entry
        for entry, more in answers
    )
    return named, sum(_NAMED_BYTES + len(entry.payload) + len(entry.heights or b"") for entry in named)
