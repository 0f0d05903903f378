"""Shared slots: one for each block of which some sub-chunk consists altogether.

Kernels need no special case for such a sub-chunk, and it costs no memory. A shared slot is made when first asked for,
is never written again and never retired.
"""

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from net.space.layout import BlockIds, ColumnMasks, Slots
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER

NOT_MADE: Final = -1

SEE_THROUGH: Final = 0x3F3F3F3F3F3F
"""Connectivity of a sub-chunk through which every face sees every face (client.visibility.connectivity)."""


class UniformTraits(Protocol):
    """What pools ask of a block table to make the shared slot of a block."""

    @property
    def air(self) -> int:
        """Dense id of air."""
        ...

    @property
    def placeholder(self) -> int:
        """Dense id of the placeholder."""
        ...

    @property
    def flags(self) -> npt.NDArray[np.uint32]:
        """Light flags by dense id."""
        ...

    def kinds_of(self, dense: int) -> int:
        """Kinds of a sub-chunk that is all this block."""
        ...


class Rows(Protocol):
    """The arrays by slot that are written, as ``BlockPools`` has them, and where a slot comes from."""

    blocks: BlockIds
    opaque: ColumnMasks
    liquid: ColumnMasks
    other: ColumnMasks
    kinds: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint32]
    connectivity: npt.NDArray[np.uint64]
    shared: npt.NDArray[np.bool_]

    def take(self) -> int:
        """A private slot; OutOfSlots where the pool is full."""
        ...


class UniformSlots:
    """Those of one pool, which is given and not kept: pools that refer to themselves stay until garbage is looked for.

    Attributes:
        made: how many there are.
    """

    def __init__(self, table: UniformTraits) -> None:
        """None is made yet."""
        self._table = table
        self._slots: Slots = np.full(1 << 16, NOT_MADE, np.int32)
        self.made = 0

    def slot(self, rows: Rows, dense: int) -> int:
        """That of one block, written to the pool's rows if it is new.

        Raises:
            OutOfSlots: the pool is full.
        """
        slot = int(self._slots[dense])
        return self._make(rows, dense) if slot == NOT_MADE else slot

    def slots(self, rows: Rows, dense: BlockIds) -> Slots:
        """Those of several blocks: int32[n]; new ones are written to the pool's rows.

        Raises:
            OutOfSlots: the pool is full.
        """
        slots = self._slots[dense]
        if (slots == NOT_MADE).any():
            for missing in np.unique(dense[slots == NOT_MADE]).tolist():
                self._make(rows, missing)
            slots = self._slots[dense]
        return slots

    def _make(self, rows: Rows, dense: int) -> int:
        slot = rows.take()
        kinds = self._table.kinds_of(dense)
        full = 0xFFFF
        rows.blocks[slot] = dense
        rows.opaque[slot] = full if kinds & HAS_OPAQUE else 0
        rows.liquid[slot] = full if kinds & HAS_LIQUID else 0
        rows.other[slot] = full if kinds & HAS_OTHER else 0
        rows.kinds[slot] = kinds
        rows.flags[slot] = self._table.flags[dense]
        rows.connectivity[slot] = 0 if kinds & ALL_OPAQUE else SEE_THROUGH
        self._slots[dense] = slot
        self.made += 1
        rows.shared[slot] = True
        return slot
