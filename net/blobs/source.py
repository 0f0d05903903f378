"""What a store of blobs is, and what their ids are."""

from collections.abc import Collection, Mapping
from typing import Protocol

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
