"""The server's side of one client's blob cache: blobs announced by id and not yet acknowledged (wire.md 4).

Rules:
1. An announced blob is kept until the client reports a hit or a miss. A missing blob is sent in a
   ClientCacheMissResponse. One report is enough however often the id was announced before it: all announcements have
   the same content.
2. Beyond ``MOST_OPEN_BYTES`` or ``MOST_OPEN`` nothing more is announced: further data is sent in full, which needs no
   acknowledgement. So a client that never acknowledges uses bounded memory and still gets all data.
3. Reports on ids that are not open are ignored: a client cannot request blobs that were not announced to it.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from net.bedrock import Blob, ClientCacheBlobStatus, ClientCacheMissResponse
from net.bedrock.documented_profile import to_unsigned
from net.blobs import blob_id_of
from net.wire.fields import Profile

MOST_OPEN: Final = 4096
"""As many as a real server keeps (wire.md 4)."""
MOST_OPEN_BYTES: Final = 16 << 20
"""In open blobs and in blobs waiting to be sent."""
RESPONSE_BYTES: Final = 1 << 18
"""A response is closed when its contents reach this size."""
_BLOB_BYTES: Final = 13  # of id and length on the wire


class OpenBlobs:
    """The announced blobs of one client; see the module."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._open: dict[int, bytes] = {}
        self._owed: deque[Blob] = deque()
        self.held_bytes = 0  # in open blobs and in blobs waiting to be sent

    @property
    def holds_entities(self) -> bool:
        """Whether the blob of a sub-chunk also holds its block entities (``net.blobs.pending``)."""
        return self._profile is Profile.DOCUMENTED

    @property
    def owed(self) -> bool:
        return bool(self._owed)

    def announce(self, terrain: Sequence[bytes], biomes: bytes | None = None) -> tuple[int, ...] | None:
        """Announces blobs together; returns their ids, or None if the data must be sent in full.

        ``terrain``: payloads of sub-chunks. ``biomes``: all biome storages of a column; its id comes last.
        """
        contents = self._contents(terrain, biomes)
        ids = tuple(map(blob_id_of, contents))
        new = {blob_id: content for blob_id, content in zip(ids, contents, strict=True) if blob_id not in self._open}
        size = sum(map(len, new.values()))
        if len(self._open) + len(new) > MOST_OPEN or self.held_bytes + size > MOST_OPEN_BYTES:
            return None
        self._open.update(new)
        self.held_bytes += size
        return ids

    def _contents(self, terrain: Sequence[bytes], biomes: bytes | None) -> list[bytes]:
        """The contents of the blobs, encoded as the profile's payloads."""
        last = [] if biomes is None else [biomes]
        if self._profile is Profile.BEDROCK:
            return [*terrain, *last]
        turned = [to_unsigned(payload, 1, biomes=False) for payload in terrain]
        return turned + [to_unsigned(payload, 0, biomes=True) for payload in last]

    def acknowledge(self, status: ClientCacheBlobStatus) -> None:
        for blob_id in status.hits:
            content = self._open.pop(blob_id, None)
            if content is not None:
                self.held_bytes -= len(content)
        for blob_id in status.misses:
            content = self._open.pop(blob_id, None)
            if content is not None:
                self._owed.append(Blob(blob_id, content))

    def forget(self) -> None:
        """Drops all blobs: the client changed dimension, and dropped the packets that wait for blobs."""
        self._open.clear()
        self._owed.clear()
        self.held_bytes = 0

    def next_response(self) -> tuple[ClientCacheMissResponse, int] | None:
        """The next packet of missing blobs and the bytes in it; None if no blob waits."""
        blobs: list[Blob] = []
        size = 0
        while self._owed and size < RESPONSE_BYTES:
            blob = self._owed.popleft()
            self.held_bytes -= len(blob.content)
            size += len(blob.content) + _BLOB_BYTES
            blobs.append(blob)
        return (ClientCacheMissResponse(tuple(blobs)), size) if blobs else None
