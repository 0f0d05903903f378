"""The change log of the store, for readers that mirror it: light, scene, planner.

Rules:
1. At most one batch a drain. It names each place once, with the highest kind of its changes.
2. ADDED and REMOVED are one entry a column, with the place of its lowest sub-chunk. The row of a removed column is not
   reused before the next drain, so a place means one thing in one batch.
3. Any number of readers; each gets all batches since it subscribed, in order.
4. Bounded: a reader that falls more than ``limit`` entries behind gets "everything" and must read the whole store
   again, and so must every reader when the dimension changes. "Everything" is not an error.

Single owner: the thread that owns the store.
"""

from collections import deque
from enum import IntEnum
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import Places, SubChunkPositions

EDITS_LIMIT: Final = 64  # an entry names its changed cells when there are at most this many, else only their box


class ChangeKind(IntEnum):
    """Kinds of changes; a higher kind includes the lower ones from DATA down."""

    STATE = 0  # only its SubChunkState changed; revision and blocks are as before
    EDIT = 1  # some of its blocks changed
    DATA = 2  # all of its blocks are replaced
    ADDED = 3  # its column was added
    REMOVED = 4  # its column was removed


class ChangeBatch(msgspec.Struct, frozen=True):
    """Changes in order: REMOVED, ADDED, then the rest by place."""

    everything: bool  # the whole store must be read again; then the arrays are empty
    places: Places  # int32[n]
    positions: SubChunkPositions  # int32[n, 3] their positions (for REMOVED: the former ones)
    kinds: npt.NDArray[np.uint8]  # uint8[n] a ChangeKind each
    revisions: npt.NDArray[np.int64]  # int64[n] revision of the blocks shown after the change
    # uint8[n, 6] changed cells x0, z0, y0, x1, z1, y1 within the sub-chunk, upper ends exclusive; zeros
    # for kinds without changed blocks
    boxes: npt.NDArray[np.uint8]
    # int32[n + 1]: the cells of entry i are ``edits[edit_starts[i]:edit_starts[i + 1]]``;
    # none where more than 64 changed
    edit_starts: npt.NDArray[np.int32]
    edits: npt.NDArray[np.uint16]  # uint16[m] cells, x << 8 | z << 4 | y

    def __len__(self) -> int:
        return len(self.places)

    @classmethod
    def nothing(cls, everything: bool = False) -> "ChangeBatch":
        none = np.empty(0, np.int32)
        return cls(
            everything, none, none.reshape(0, 3), none.astype(np.uint8), none.astype(np.int64),
            np.empty((0, 6), np.uint8), np.zeros(1, np.int32), none.astype(np.uint16),
        )  # fmt: skip

    @classmethod
    def joined(cls, batches: list["ChangeBatch"]) -> "ChangeBatch":
        """Several batches as one, in order."""
        if not batches:
            return cls.nothing()
        if len(batches) == 1:
            return batches[0]
        ends = np.cumsum([len(batch.edits) for batch in batches])
        starts = [batches[0].edit_starts]
        starts += [b.edit_starts[1:] + np.int32(end) for b, end in zip(batches[1:], ends[:-1], strict=True)]
        names = "places", "positions", "kinds", "revisions", "boxes", "edits"
        joined = {name: np.concatenate([getattr(batch, name) for batch in batches]) for name in names}
        return cls(everything=False, edit_starts=np.concatenate(starts), **joined)


class ChangeReader:
    """The position of one reader in the log. Made by ``ChangeLog.subscribe``."""

    def __init__(self, log: "ChangeLog", at: int) -> None:
        self._log = log
        self._at = at

    def drain(self) -> ChangeBatch:
        batch, self._at = self._log.since(self._at)
        return batch

    @property
    def news(self) -> bool:
        """Whether ``drain`` would return anything."""
        return self._at != self._log.end

    def close(self) -> None:
        """Unsubscribes, so that no batches are kept for it."""
        self._log.unsubscribe(self)


class ChangeLog:
    """The batches that some reader has not read, oldest first."""

    def __init__(self, limit: int = 1 << 18) -> None:
        """Keeps at most ``limit`` entries (rule 4)."""
        self._limit = limit
        self._batches: deque[ChangeBatch] = deque()
        self._first = 0  # number of the oldest batch kept
        self._entries = 0
        self._readers: list[ChangeReader] = []

    def subscribe(self) -> ChangeReader:
        """A reader of everything published from now on; the present content it must read by itself."""
        reader = ChangeReader(self, self._first + len(self._batches))
        self._readers.append(reader)
        return reader

    def forget_others(self, kept: ChangeReader) -> None:
        """Unsubscribes all readers but one."""
        self._readers = [kept]

    def unsubscribe(self, reader: ChangeReader) -> None:
        if reader in self._readers:
            self._readers.remove(reader)

    def publish(self, batch: ChangeBatch) -> None:
        """Appends a batch; the store calls it once a drain."""
        unread = min((reader._at for reader in self._readers), default=self.end)
        while self._first < unread:
            self._drop_oldest()
        if not self._readers or not (len(batch) or batch.everything):
            return
        self._batches.append(batch)
        self._entries += len(batch)
        while self._entries > self._limit:
            self._drop_oldest()

    @property
    def end(self) -> int:
        """Number of the next batch."""
        return self._first + len(self._batches)

    def since(self, at: int) -> tuple[ChangeBatch, int]:
        """The batches from number ``at`` on as one, and the number to continue with."""
        end = self.end
        if at < self._first:
            return ChangeBatch.nothing(everything=True), end
        unread = [self._batches[index - self._first] for index in range(at, end)]
        if any(batch.everything for batch in unread):
            return ChangeBatch.nothing(everything=True), end
        return ChangeBatch.joined(unread), end

    def _drop_oldest(self) -> None:
        self._entries -= len(self._batches.popleft())
        self._first += 1
