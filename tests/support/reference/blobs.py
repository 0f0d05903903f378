"""Packets of the blob cache, a source that keeps all blobs, and a plain model of the cache (``BlobTwin``)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from net.bedrock import (
    Blob,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    LevelChunk,
    Message,
    SubChunk,
    SubChunkEntry,
    SubChunkResult,
    UpdateBlock,
)
from net.blobs import blob_id_of
from net.space import BlockPos, ColumnPos, SubChunkPos

# ---------------------------------------------------------------- blob messages

SUCCESS, AIR, NOT_FOUND = SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR, SubChunkResult.CHUNK_NOT_FOUND


class Remembered(dict[int, bytes]):
    """A ``BlobSource`` that keeps every blob."""

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        return {blob_id: self[blob_id] for blob_id in ids if blob_id in self}

    def put(self, blobs: Mapping[int, bytes]) -> None:
        self.update(blobs)


def skeleton(x: int, z: int, biomes: bytes = b"biomes") -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, None, 5, (blob_id_of(biomes),), b"\0")


def whole(x: int, z: int, *parts: bytes) -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, len(parts) - 1, None, tuple(map(blob_id_of, parts)), b"\0entities")


def answer(x: int, y: int, z: int, terrain: bytes | None, entities: bytes = b"") -> SubChunkEntry:
    """An entry of an answer around the origin; ``terrain`` None is air."""
    if terrain is None:
        return SubChunkEntry(x, y, z, AIR, b"", 0, None, 0)
    return SubChunkEntry(x, y, z, SUCCESS, entities, 0, None, blob_id_of(terrain))


def answers(*entries: SubChunkEntry, cached: bool = True) -> SubChunk:
    return SubChunk(cached, 0, SubChunkPos(0, 0, 0), entries)


def plain(*entries: tuple[int, int, int, bytes | None]) -> SubChunk:
    """The same answers sent without the blob cache."""
    return SubChunk(
        False,
        0,
        SubChunkPos(0, 0, 0),
        tuple(
            SubChunkEntry(x, y, z, AIR if payload is None else SUCCESS, payload or b"", 0, None, None)
            for x, y, z, payload in entries
        ),
    )


def change(x: int, y: int, z: int) -> UpdateBlock:
    return UpdateBlock(BlockPos(x, y, z), 1, 3, 0)


def response(*contents: bytes) -> ClientCacheMissResponse:
    return ClientCacheMissResponse(tuple(Blob(blob_id_of(content), content) for content in contents))


def status(misses: Collection[bytes] = (), hits: Collection[bytes] = ()) -> ClientCacheBlobStatus:
    return ClientCacheBlobStatus(tuple(map(blob_id_of, misses)), tuple(map(blob_id_of, hits)))


# ---------------------------------------------------------------- blob twin

Place = tuple[int, int | None, int]
"""(x, section, z); section None stands for the whole column."""


@dataclass
class Waiting:
    place: Place
    ids: tuple[int, ...]
    said: object
    found: dict[int, bytes] = field(default_factory=dict)


def conflict(one: Place, other: Place) -> bool:
    """Whether packets for two places must stay in order."""
    same_column = (one[0], one[2]) == (other[0], other[2])
    return same_column and (one[1] is None or other[1] is None or one[1] == other[1])


@dataclass
class BlobTwin:
    """A plain model of the blob cache: one list of pending packets, scanned from the front after each packet.

    ``receive`` returns what is complete: (column, payload), (place, payload) of an answer, the position of a change.
    """

    known: dict[int, bytes] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)

    def receive(self, message: Message) -> list[object]:
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
    """The content of a packet without blobs, in the form that ``BlobTwin`` returns."""
    match message:
        case LevelChunk(column=column, payload=payload):
            return [(column, payload)]
        case SubChunk(entries=entries):
            return [((entry.dx, entry.dy, entry.dz), entry.payload) for entry in entries]
        case UpdateBlock(position=position):
            return [position]
        case _:
            return [message]
