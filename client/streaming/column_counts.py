"""How many anchors hold each column, and which columns are loaded for that.

Rules:
1. A column is *held* by an anchor that has it, and *kept* by one that has it or would, grown by the margin, so what is
   held is kept. It is loaded from when it is first held until nobody keeps it (``client.streaming.anchors`` rule 1).
2. A moved anchor costs the columns that differ, nothing else.
3. What lies outside any world is neither held nor kept.

Theory: columns that anybody keeps are one sorted array of numbers, with an array of counts beside it each: no object a
column.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.anchor import NOTHING, WORLD, Anchor
from net.space.layout import ColumnPositions

Keys = npt.NDArray[np.int64]
"""[n] columns as single numbers, ``x << 32 | z + 2**31``: sorted by x, then z."""
NO_KEYS: Final[Keys] = np.empty(0, np.int64)


class ColumnCounts:
    """Counts by column."""

    def __init__(self, margin_columns: int) -> None:
        """Counts nothing; what was loaded is released ``margin_columns`` further out."""
        self._margin = margin_columns
        self._keys: Keys = NO_KEYS  # of all that is kept
        self._held = np.empty(0, np.int32)  # how many anchors hold it
        self._kept = np.empty(0, np.int32)  # the same, margins included
        self._loaded = np.empty(0, np.bool_)

    # ------------------------------------------------------------ questions

    def held(self, columns: ColumnPositions) -> npt.NDArray[np.int32]:
        """How many anchors hold each column: int32[n]."""
        return self._count(columns, self._held)

    def kept(self, columns: ColumnPositions) -> npt.NDArray[np.int32]:
        """How many anchors keep each column, margins included: int32[n]."""
        return self._count(columns, self._kept)

    def loaded(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns are loaded: bool[n]."""
        at, there = self._find(_keys_of(columns))
        there[there] = self._loaded[at[there]]
        return there

    def loaded_columns(self) -> ColumnPositions:
        """All columns that are loaded, by x and z: int32[n, 2]."""
        return columns_of(self._keys[self._loaded])

    def grown(self, anchor: Anchor) -> Anchor:
        """What an anchor keeps."""
        return anchor.grown(self._margin) if anchor.count else NOTHING

    # ------------------------------------------------------------ changes

    def come(self, before: Anchor, after: Anchor) -> Keys:
        """Counts the columns that an anchor takes on as it moves; those that are loaded by that."""
        fresh = _difference(self.grown(after), self.grown(before))
        at, there = self._find(fresh)
        self._kept[at[there]] += 1
        self._insert(fresh[~there])
        taken = _difference(after, before)
        at, _ = self._find(taken)  # all are there: what is held is kept
        self._held[at] += 1
        gained = taken[~self._loaded[at]]
        self._loaded[at] = True
        return gained

    def go(self, before: Anchor, after: Anchor) -> Keys:
        """Counts the columns that an anchor leaves as it moves; those that are released by that."""
        self._held[self._find(_difference(before, after))[0]] -= 1
        at, _ = self._find(_difference(self.grown(before), self.grown(after)))
        self._kept[at] -= 1
        gone = at[self._kept[at] == 0]
        lost: Keys = self._keys[gone[self._loaded[gone]]]
        self._keys, self._kept = np.delete(self._keys, gone), np.delete(self._kept, gone)
        self._held, self._loaded = np.delete(self._held, gone), np.delete(self._loaded, gone)
        return lost

    # ------------------------------------------------------------ arrays

    def _find(self, keys: Keys) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """Where keys are among those that count, and which are."""
        at = np.searchsorted(self._keys, keys)
        there = at < len(self._keys)
        there[there] = self._keys[at[there]] == keys[there]
        return at, there

    def _count(self, columns: ColumnPositions, of: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        at, there = self._find(_keys_of(columns))
        counts = np.zeros(len(columns), np.int32)
        counts[there] = of[at[there]]
        return counts

    def _insert(self, keys: Keys) -> None:
        into = np.searchsorted(self._keys, keys)
        self._keys, self._kept = np.insert(self._keys, into, keys), np.insert(self._kept, into, 1)
        self._held, self._loaded = np.insert(self._held, into, 0), np.insert(self._loaded, into, False)


def columns_of(keys: Keys) -> ColumnPositions:
    """Keys as columns: int32[n, 2]."""
    columns: ColumnPositions = np.stack([keys >> 32, (keys & 0xFFFFFFFF) - (1 << 31)], axis=1).astype(np.int32)
    return columns


def _keys_of(columns: ColumnPositions) -> Keys:
    wide = columns.astype(np.int64)
    keys: Keys = (wide[:, 0] << 32) + (wide[:, 1] + (1 << 31))
    return keys


def _difference(whole: Anchor, hole: Anchor) -> Keys:
    """Columns in the world that one rectangle holds and another does not, sorted."""
    parts = [_keys_of(part.columns()) for part in whole.common(WORLD).without(hole)]
    return np.sort(np.concatenate([NO_KEYS, *parts]))
