"""A session's tables, copied and packed, from which any number of sessions are unpacked.

Rules:
1. Arrays of ``LEAST_BYTES`` and more are compressed, and histories by what lives in them; the rest is kept as objects.
2. A stash is made of a copy, on any thread.
3. Rows of blocks are not in it: ``BlockPools.__deepcopy__`` leaves them out, and ``keyframe`` packs them.
4. Whoever makes a copy lets it go. A session is full of cycles, and nobody looks for those while a window is open
   (8 MB a keyframe stayed, measured).

Theory: a deep copy puts what its memo names in the place of what it meets. With a memo of stand-ins a copy has
stand-ins where arrays were; with a memo of arrays a copy of that one has arrays again.

Measured over the hills at radius 8: tables of 8.5 MB take 0.6 MB.
"""

import copy
from collections.abc import Mapping
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


class Copy:
    """A session's own copy, but for the block table and rows of blocks.

    Attributes:
        session: so far; nobody follows it, and it is not to be changed.
        parts: arrays and histories of its own.
    """

    def __init__(self, session: Session, stand_ins: Mapping[int, object] | None = None) -> None:
        """Copies; ``stand_ins`` says what stands in the place of what, by id."""
        memo = dict(stand_ins or {})
        self.session = copied(session, memo)
        own = [part for original, part in memo.items() if original != id(part)]
        self.parts = [part for part in own if _may_be_packed(part)]
        self._rooms = [part for part in own if hasattr(part, "__dict__")]

    def let_go(self) -> None:
        """Ends it, and whatever is still in it."""
        for room in self._rooms:
            vars(room).clear()
        self._rooms, self.parts = [], []


class Stash:
    """One session's tables.

    Attributes:
        size_bytes: what they take.
    """

    def __init__(self, source: Copy) -> None:
        """Packs; the source is not changed."""
        stand_ins = {id(part): packed for part in source.parts if (packed := _packed(part))}
        self._packed = list(stand_ins.values())
        self._copy = Copy(source.session, stand_ins)
        self.size_bytes = OBJECTS_BYTES + sum(packed.size_bytes for packed in self._packed)

    def unpacked(self) -> Session:
        """A session of one's own, whose rows of blocks are still to be filled."""
        return copied(self._copy.session, {id(packed): packed.unpacked() for packed in self._packed})

    def let_go(self) -> None:
        """Ends it."""
        self._copy.let_go()


def copied(session: Session, memo: dict[int, object]) -> Session:
    """Its own copy, but for the block table; ``memo`` says what stands for what, and has all that was copied then."""
    copy.deepcopy(session.table, memo)  # so that whoever holds one of its arrays goes on holding it
    memo |= {id(column): column for column in session.store.row_of}  # hundreds of tuples
    return copy.deepcopy(session, memo)


def _may_be_packed(part: object) -> bool:
    """Whether it is a history, or an array that is no range of the pools."""
    return isinstance(part, History) or (isinstance(part, np.ndarray) and part.base is None)


def _packed(part: object) -> PackedArray | PackedHistory | None:
    """None where it is not worth it."""
    if isinstance(part, History):
        return PackedHistory(part)
    return PackedArray(part) if isinstance(part, np.ndarray) and part.nbytes >= LEAST_BYTES else None
