"""What a packet touches, which blobs it names, and what it looks like without a cache (wire.md 2.1, 2.3, 4).

| packet | blobs | without a cache |
|---|---|---|
| skeleton | the biomes | biomes + its payload (border blocks) |
| whole column | sub-chunks from the bottom, then the biomes | these in order + its payload (borders, block entities) |
| answer of result 1 | the sub-chunk's terrain | terrain + its payload (block entities) |

Under the documented profile a blob holds terrain and block entities in the vendor text's form, and the payload is
empty: the same sum, turned as ``net.bedrock.documented`` turns a payload.
"""

from collections.abc import Mapping

from net.bedrock import (
    BlockActorData,
    LevelChunk,
    Message,
    SubChunkEntry,
    SubChunkResult,
    UpdateBlock,
    UpdateBlockSynced,
    UpdateSubChunkBlocks,
)
from net.bedrock.documented import to_zigzag
from net.errors import DecodeError
from net.space.positions import ColumnPos
from net.wire.profile import Profile


def column_ids(message: LevelChunk) -> tuple[int, ...]:
    """The blobs of a column, in the order of its content.

    Raises:
        DecodeError: there are not as many as the column has parts.
    """
    ids = message.blob_ids or ()
    expected = 1 if message.inline_count is None else message.inline_count + 1
    if len(ids) != expected:
        told = f"names {len(ids)} blobs for {expected} parts of column {tuple(message.column)}"
        raise DecodeError("LevelChunk", "blob_ids", 0, told)
    return ids


def entry_id(entry: SubChunkEntry) -> int | None:
    """The blob of one answer. Failures and air have none, whatever stands in its place: it is 0, or left out."""
    return (entry.blob_id or None) if entry.result == SubChunkResult.SUCCESS else None


def whole_column(message: LevelChunk, blobs: Mapping[int, bytes], profile: Profile) -> LevelChunk:
    """A column as it is without a cache."""
    payload = b"".join(blobs[blob_id] for blob_id in message.blob_ids or ()) + message.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, message.inline_count or 0, biomes=True)
    return LevelChunk(
        message.column, message.dimension, message.inline_count, message.limit, blob_ids=None, payload=payload
    )


def whole_entry(entry: SubChunkEntry, terrain: bytes | None, profile: Profile) -> SubChunkEntry:
    """An answer as it is without a cache; ``terrain`` is its blob, None where it has none."""
    if terrain is None:
        return entry._replace(blob_id=None)
    payload = terrain + entry.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, 1, biomes=False)
    return entry._replace(payload=payload, blob_id=None)


def changed_columns(message: Message) -> tuple[ColumnPos, ...]:
    """The columns whose blocks a message changes; none for a message that is about something else."""
    match message:
        case UpdateBlock() | UpdateBlockSynced() | BlockActorData():
            return (message.position.column,)
        case UpdateSubChunkBlocks():
            changes = (*message.layer0, *message.layer1)
            return tuple(dict.fromkeys(change.position.column for change in changes))
        case _:
            return ()
