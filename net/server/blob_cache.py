"""The server's end of the blob cache for one client: what was announced by its id and is not acknowledged (wire.md 4).

Rules:
1. An announced blob is kept until the client says whether it has it; one it has not goes out in a
   ClientCacheMissResponse. Saying so once is enough, however often it was announced in between: all of it is the same.
2. Beyond ``MOST_OPEN_BYTES`` or ``MOST_OPEN`` nothing more is announced: what follows goes out in full, which needs no
   acknowledgement. So a client that never answers costs a bound and sees everything.
3. An id that is not open is ignored: a client cannot ask for what it was not told of.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec

from net.bedrock import Blob, ClientCacheBlobStatus, ClientCacheMissResponse
from net.bedrock.documented_profile import to_unsigned
from net.blobs import blob_id_of
from net.wire.fields import Profile

MOST_OPEN: Final = 4096
"""As many as a real server keeps (wire.md 4)."""
MOST_OPEN_BYTES: Final = 16 << 20
RESPONSE_BYTES: Final = 1 << 18
"""A response is closed when its contents reach this."""
_BLOB_BYTES: Final = 13  # of id and length on the wire


class OpenBlobStats(msgspec.Struct, frozen=True):
    """A snapshot."""

    announced: int  # blobs sent by their id alone
    hits: int  # of these, how many the client had; each saying counts
    sent: int  # of these, how many went out after all
    refused: int  # blobs sent in full because too many were open
    open: int  # announced and not acknowledged
    open_bytes: int  # what they and those to be sent hold


class OpenBlobs:
    """One client's; see the module.

    ``profile``: what the content of blobs looks like. ``most``: blobs open at a time. ``most_bytes``: of these and of
    those to be sent.
    """

    def __init__(self, profile: Profile, most: int = MOST_OPEN, most_bytes: int = MOST_OPEN_BYTES) -> None:
        self._profile = profile
        self._most = most
        self._most_bytes = most_bytes
        self._open: dict[int, bytes] = {}
        self._owed: deque[Blob] = deque()
        self._bytes = 0
        self._announced = self._hits = self._sent = self._refused = 0

    @property
    def holds_entities(self) -> bool:
        """Whether the blob of a sub-chunk holds its block entities, too (``net.blobs.pending``)."""
        return self._profile is Profile.DOCUMENTED

    @property
    def owed(self) -> bool:
        return bool(self._owed)

    def announce(self, terrain: Sequence[bytes], biomes: bytes | None = None) -> tuple[int, ...] | None:
        """The ids of what is announced together, None where it must go out in full.

        ``terrain``: payloads of sub-chunks. ``biomes``: all storages of a column; its id comes last.
        """
        contents = self._contents(terrain, biomes)
        ids = tuple(map(blob_id_of, contents))
        new = {blob_id: content for blob_id, content in zip(ids, contents, strict=True) if blob_id not in self._open}
        size = sum(map(len, new.values()))
        if len(self._open) + len(new) > self._most or self._bytes + size > self._most_bytes:
            self._refused += len(contents)
            return None
        self._open.update(new)
        self._bytes += size
        self._announced += len(contents)
        return ids

    def _contents(self, terrain: Sequence[bytes], biomes: bytes | None) -> list[bytes]:
        """Blobs hold what the profile's payloads would."""
        last = [] if biomes is None else [biomes]
        if self._profile is Profile.BEDROCK:
            return [*terrain, *last]
        turned = [to_unsigned(payload, 1, biomes=False) for payload in terrain]
        return turned + [to_unsigned(payload, 0, biomes=True) for payload in last]

    def acknowledge(self, status: ClientCacheBlobStatus) -> None:
        """The client has some and has not others."""
        for blob_id in status.hits:
            content = self._open.pop(blob_id, None)
            if content is not None:
                self._bytes -= len(content)
                self._hits += 1
        for blob_id in status.misses:
            content = self._open.pop(blob_id, None)
            if content is not None:
                self._owed.append(Blob(blob_id, content))

    def forget(self) -> None:
        """The client has dropped what waits for blobs, and hears nothing more of them: it went to another dimension."""
        self._open.clear()
        self._owed.clear()
        self._bytes = 0

    def next_response(self) -> tuple[ClientCacheMissResponse, int] | None:
        """The next packet of missing blobs and the bytes in it, None when none is owed."""
        blobs: list[Blob] = []
        size = 0
        while self._owed and size < RESPONSE_BYTES:
            blob = self._owed.popleft()
            self._bytes -= len(blob.content)
            size += len(blob.content) + _BLOB_BYTES
            blobs.append(blob)
        self._sent += len(blobs)
        return (ClientCacheMissResponse(tuple(blobs)), size) if blobs else None

    def stats(self) -> OpenBlobStats:
        """A snapshot of the counters."""
        return OpenBlobStats(self._announced, self._hits, self._sent, self._refused, len(self._open), self._bytes)
