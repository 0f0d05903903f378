"""A session's tables, packed, from which any number of copies are unpacked.

Rules:
1. Arrays of ``LEAST_BYTES`` and more are compressed, and histories by what lives in them; the rest is kept as objects.
2. It is made of a copy that nobody else holds, on any thread.
3. Rows of blocks are not in it: ``BlockPools.__deepcopy__`` leaves them out, and ``keyframe`` packs them.

Theory: a deep copy puts what its memo names in the place of what it meets. With a memo of stand-ins a copy has
stand-ins where arrays were; with a memo of arrays a copy of that one has arrays again.

Measured over the hills at radius 8: tables of 8.5 MB take 0.6 MB.
"""

import copy
from collections.abc import Sequence
from typing import Any, Final

import cramjam
import numpy as np
import numpy.typing as npt

from client.session.session import Session
from client.world.history import History

LEVEL: Final = 1
"""Of Zstandard: tables are mostly runs, and time counts more than the last tenth."""
LEAST_BYTES: Final = 2048
"""Of an array that is worth packing."""
OBJECTS_BYTES: Final = 400_000
"""What is kept as objects, most of it a table of places by column: 0.36 MB at radius 8 (tracemalloc)."""

Array = npt.NDArray[Any]  # Any: packing asks for no dtype


class PackedArray:
    """The content of one array.

    Attributes:
        size_bytes: what it takes.
    """

    def __init__(self, array: Array) -> None:
        """Packs."""
        self._dtype, self._shape = array.dtype, array.shape
        self._stored = bytes(cramjam.zstd.compress(array.tobytes(), LEVEL))
        self.size_bytes = len(self._stored)

    def unpacked(self) -> Array:
        """An array of one's own."""
        return self.into(np.empty(self._shape, self._dtype))

    def into(self, array: Array) -> Array:
        """Fills an array of its shape and dtype, whose items lie beside each other; returns it."""
        cramjam.zstd.decompress_into(self._stored, array.reshape(-1).view(np.uint8).data)
        return array


class PackedHistory:
    """What happened to places.

    Attributes:
        size_bytes: what it takes.
    """

    def __init__(self, history: History) -> None:
        """Packs."""
        lived, rows, self._faults = history.lives()
        self._places = len(history.noted)
        self._parts = [PackedArray(each) for each in (lived, *rows)]
        self.size_bytes = sum(part.size_bytes for part in self._parts) + sum(map(len, self._faults.values()))

    def unpacked(self) -> History:
        """A history of one's own."""
        lived, *rows = (part.unpacked() for part in self._parts)
        return History.of_lives(self._places, lived, rows, self._faults)


class Stash:
    """One session's tables.

    Attributes:
        size_bytes: what they take.
    """

    def __init__(self, session: Session, parts: Sequence[object]) -> None:
        """Packs.

        Args:
            session: a copy, from now on the stash's.
            parts: arrays and histories of its own.
        """
        stand_ins = {id(part): packed for part in parts if (packed := _packed(part))}
        self._packed = list(stand_ins.values())
        self._session = copied(session, dict[int, object](stand_ins))
        self.size_bytes = OBJECTS_BYTES + sum(packed.size_bytes for packed in self._packed)

    def unpacked(self) -> Session:
        """A session of one's own, whose rows of blocks are still to be filled."""
        return copied(self._session, {id(packed): packed.unpacked() for packed in self._packed})


def copied(session: Session, memo: dict[int, object]) -> Session:
    """Its own copy, but for the block table; ``memo`` says what stands for what, and has all that was copied then."""
    copy.deepcopy(session.table, memo)  # so that whoever holds one of its arrays goes on holding it
    memo |= {id(column): column for column in session.store.row_of}  # hundreds of tuples
    return copy.deepcopy(session, memo)


def _packed(part: object) -> PackedArray | PackedHistory | None:
    """None where it is not worth it."""
    if isinstance(part, History):
        return PackedHistory(part)
    return PackedArray(part) if isinstance(part, np.ndarray) and part.nbytes >= LEAST_BYTES else None
