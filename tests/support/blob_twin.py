"""A plain model of the blob cache: all that waits in one list, looked through from the front after every packet."""

from dataclasses import dataclass, field

from net.bedrock import (
    ClientCacheMissResponse,
    LevelChunk,
    Message,
    SubChunk,
    SubChunkEntry,
    SubChunkResult,
    UpdateBlock,
)
from net.blobs import blob_id_of

Place = tuple[int, int | None, int]
"""x, section, z; section None for a whole column."""


@dataclass
class Waiting:
    place: Place
    ids: tuple[int, ...]
    said: object
    found: dict[int, bytes] = field(default_factory=dict)


def conflict(one: Place, other: Place) -> bool:
    """Whether two places must keep their order."""
    same_column = (one[0], one[2]) == (other[0], other[2])
    return same_column and (one[1] is None or other[1] is None or one[1] == other[1])


@dataclass
class BlobTwin:
    """``hear`` gives what leaves: columns as payloads, answers as (place, payload), changes as their positions."""

    known: dict[int, bytes] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)

    def hear(self, message: Message) -> list[object]:
        match message:
            case LevelChunk(column=column, blob_ids=ids, payload=payload):
                self._add(Waiting((column.x, None, column.z), ids or (), (column, payload)))
            case SubChunk(entries=entries):
                for entry in entries:
                    ids = (entry.blob_id or 0,) if entry.result == SubChunkResult.SUCCESS else ()
                    self._add(Waiting((entry.dx, entry.dy, entry.dz), ids, entry))
            case UpdateBlock(position=position):
                self._add(Waiting((position.column.x, None, position.column.z), (), position))
            case ClientCacheMissResponse(blobs=blobs):
                asked = {blob_id for each in self.waiting for blob_id in each.ids} - self.known.keys()
                for blob in blobs:
                    if blob.blob_id in asked and blob_id_of(blob.content) == blob.blob_id:
                        self.known[blob.blob_id] = blob.content
        return self._leaving()

    def _add(self, part: Waiting) -> None:
        self.waiting.append(part)

    def _leaving(self) -> list[object]:
        left: list[object] = []
        still: list[Waiting] = []
        for part in self.waiting:
            missing = any(blob_id not in self.known for blob_id in part.ids)
            if missing or any(conflict(part.place, other.place) for other in still):
                still.append(part)
            else:
                left.append(self._said(part))
        self.waiting = still
        return left

    def _said(self, part: Waiting) -> object:
        content = b"".join(self.known[blob_id] for blob_id in part.ids)
        match part.said:
            case SubChunkEntry(payload=payload):
                return part.place, content + payload
            case (column, bytes(payload)):
                return column, content + payload
            case said:
                return said


def flat(message: object) -> list[object]:
    """What a packet without blobs says, in the form of ``BlobTwin``."""
    match message:
        case LevelChunk(column=column, payload=payload):
            return [(column, payload)]
        case SubChunk(entries=entries):
            return [((entry.dx, entry.dy, entry.dz), entry.payload) for entry in entries]
        case UpdateBlock(position=position):
            return [position]
        case _:
            return [message]
