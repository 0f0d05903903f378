"""A session as it was at the end of one turn, packed, from which any number of others begin.

Rules:
1. Taking it is the owner's, between two turns: tables are copied and slots of blocks pinned. Packing is any other
   thread's: rows of blocks are compressed, then the slots are let go.
2. Light is not in it: it follows from blocks, and whoever shows the world makes it.
3. Nobody follows a session that begins from it; whoever shows it attaches.

Measured at radius 3 and 8 on a shared 2-core machine: 5 and 10 ms of the owner to take, 50 and
130 ms of the other thread to pack, 60 to 150 ms to begin from; 5 and 7 MB each.
"""

import copy
from typing import Final

import cramjam
import numpy as np

from client.session.session import Session
from client.world.pools import ROWS, BlockPools

LEVEL: Final = 1
"""Of Zstandard: rows are mostly runs, and time counts more than the last tenth."""
TABLES_BYTES: Final = 11 << 19
"""Of all that is not packed: 4.6 MB at radius 3, 6.3 at radius 8 (measured)."""
ROWS_AT_ONCE: Final = 128
"""A megabyte of block ids: how long the thread keeps others from the interpreter."""

Packed = list[tuple[int, bytes]]
"""Rows in a chunk, and their bytes."""


class Keyframe:
    """One moment of one session."""

    def __init__(self, session: Session) -> None:
        """Owner thread, at the end of a turn."""
        self._pools: BlockPools | None = session.store.pools
        self._slots = {name: self._pools.rows(name)[0] for name in ROWS}
        self._pin = self._pools.pin()
        self._session = _copied(session)
        self._packed: dict[str, Packed] = {}
        self.size_bytes = TABLES_BYTES

    def __del__(self) -> None:
        self._pin.done = True  # nobody packs it any more

    def pack(self) -> None:
        """Compresses the blocks; once, on one thread, before anybody begins from it."""
        assert self._pools is not None, "packed already"
        for name in ROWS:
            slots, array = self._slots[name], self._pools.rows(name)[1]
            parts = (slots[at : at + ROWS_AT_ONCE] for at in range(0, len(slots), ROWS_AT_ONCE))
            self._packed[name] = [
                (len(part), bytes(cramjam.zstd.compress(array[part].tobytes(), LEVEL))) for part in parts
            ]
        self._pin.done = True
        self._pools = None
        self.size_bytes += sum(len(stored) for packed in self._packed.values() for _, stored in packed)

    def begin(self) -> Session:
        """Another session that is so far."""
        session = _copied(self._session)
        for name, packed in self._packed.items():
            array, at = session.store.pools.rows(name)[1], 0
            for count, stored in packed:
                rows = bytearray(count * array.itemsize * array.shape[1])
                cramjam.zstd.decompress_into(stored, rows)
                array[self._slots[name][at : at + count]] = np.frombuffer(rows, array.dtype).reshape(count, -1)
                at += count
        return session


def _copied(session: Session) -> Session:
    """Its own, but for the block table."""
    memo: dict[int, object] = {}
    copy.deepcopy(session.table, memo)  # so that whoever holds one of its arrays goes on holding it
    return copy.deepcopy(session, memo)
