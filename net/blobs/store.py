"""What a store of blobs is, and what their ids are."""

from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Final, Protocol

import xxhash


def blob_id_of(content: bytes) -> int:
    """The id of a blob: xxHash64 of its bytes, seed 0 (wire.md 4)."""
    return int(xxhash.xxh64_intdigest(content))


class BlobSource(Protocol):
    """Blobs by id. One that fails has nothing and keeps nothing: it never raises."""

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """Those of these blobs that are there; each matches its id."""

    def put(self, blobs: Mapping[int, bytes]) -> None:
        """Keeps blobs, if it can. The caller has checked that each matches its id."""


AT_HAND_BYTES: Final = 16 << 20
"""Holds the blobs of a radius-16 view of natural terrain, so that flying back and forth does not reach the disk."""
_ENTRY_BYTES: Final = 128  # of a table's entry and the objects in it


class MemoryBlobs:
    """A ``BlobSource`` bounded in bytes; what was used longest ago goes first.

    ``most_bytes``: held at most, contents and table. ``behind``: asked for what is not here, and told of everything
    new.
    """

    def __init__(self, most_bytes: int = AT_HAND_BYTES, behind: BlobSource | None = None) -> None:
        self._most = most_bytes
        self._behind = behind
        self._blobs: OrderedDict[int, bytes] = OrderedDict()
        self.held_bytes = 0

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """Those of these blobs that are here or behind."""
        found: dict[int, bytes] = {}
        absent: list[int] = []
        for blob_id in ids:
            content = self._blobs.get(blob_id)
            if content is None:
                absent.append(blob_id)
            else:
                found[blob_id] = content
                self._blobs.move_to_end(blob_id)
        if absent and self._behind is not None:
            fetched = self._behind.get(absent)
            self._keep(fetched)
            found.update(fetched)
        return found

    def put(self, blobs: Mapping[int, bytes]) -> None:
        """Keeps them, here and behind."""
        self._keep(blobs)
        if self._behind is not None:
            self._behind.put(blobs)

    def _keep(self, blobs: Mapping[int, bytes]) -> None:
        for blob_id, content in blobs.items():
            if blob_id not in self._blobs:
                self.held_bytes += len(content) + _ENTRY_BYTES
            self._blobs[blob_id] = content
            self._blobs.move_to_end(blob_id)
        while self.held_bytes > self._most:
            _, content = self._blobs.popitem(last=False)
            self.held_bytes -= len(content) + _ENTRY_BYTES
