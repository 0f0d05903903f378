"""Packets of the blob cache, and a source that remembers everything."""

from collections.abc import Collection, Mapping

from net.bedrock import (
    Blob,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    LevelChunk,
    SubChunk,
    SubChunkEntry,
    SubChunkResult,
    UpdateBlock,
)
from net.blobs import blob_id_of
from net.space.positions import BlockPos, ColumnPos, SubChunkPos

SUCCESS, AIR, NOT_FOUND = SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR, SubChunkResult.CHUNK_NOT_FOUND


class Remembered(dict[int, bytes]):
    """A ``BlobSource`` of everything it was told."""

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        return {blob_id: self[blob_id] for blob_id in ids if blob_id in self}

    def put(self, blobs: Mapping[int, bytes]) -> None:
        self.update(blobs)


def skeleton(x: int, z: int, biomes: bytes = b"biomes") -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, None, 5, (blob_id_of(biomes),), b"\0")


def whole(x: int, z: int, *parts: bytes) -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, len(parts) - 1, None, tuple(map(blob_id_of, parts)), b"\0entities")


def answer(x: int, y: int, z: int, terrain: bytes | None, entities: bytes = b"") -> SubChunkEntry:
    """An answer around the origin; None for air."""
    if terrain is None:
        return SubChunkEntry(x, y, z, AIR, b"", 0, None, 0)
    return SubChunkEntry(x, y, z, SUCCESS, entities, 0, None, blob_id_of(terrain))


def answers(*entries: SubChunkEntry, cached: bool = True) -> SubChunk:
    return SubChunk(cached, 0, SubChunkPos(0, 0, 0), entries)


def plain(*entries: tuple[int, int, int, bytes | None]) -> SubChunk:
    """The same without a cache."""
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
