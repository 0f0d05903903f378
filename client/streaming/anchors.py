"""Anchors: the rectangles of columns to keep loaded, and the columns that are loaded for them.

Rules:
1. Load at r, release at r + 2 (interfaces.md): a column is loaded from when the first anchor holds it until it lies in
   no anchor grown by its margin. So a player who crosses a border back and forth loads and releases nothing twice.
2. The owner of the columns calls ``drain`` once a step, which updates the loaded columns. So an anchor that is pinned
   and released between two steps has no effect, in whatever order that was done: a recording needs only the anchors at
   each tick.
3. No anchor holds columns outside the world.

Activity (memory, requests) and visibility (the GPU) have one set each. The second one ``follow``s the first, one column
smaller, so that the neighbours of drawn columns are in memory. Measured on a shared machine: a square of radius 8 that
moves over one column border takes 0.08 ms, one of radius 64 0.15 ms; beside 64 others of radius 32 it takes 1.2 ms.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import Eye
from net.arrays import ColumnPositions
from net.space import FARTHEST_COLUMN, BlockPos, ColumnPos


class Anchor(msgspec.Struct, frozen=True):
    """A rectangle of columns, both corners included; empty if a low corner is above a high one."""

    low: ColumnPos  # the corner with the smallest x and z
    high: ColumnPos  # the corner with the largest

    @classmethod
    def square(cls, centre: ColumnPos, radius: int) -> "Anchor":
        """All columns at most ``radius`` away, Chebyshev."""
        return cls.rectangle(centre, radius, radius)

    @classmethod
    def rectangle(cls, centre: ColumnPos, radius_x: int, radius_z: int) -> "Anchor":
        """All columns at most so far away along each axis."""
        return cls(
            ColumnPos(centre.x - radius_x, centre.z - radius_z), ColumnPos(centre.x + radius_x, centre.z + radius_z)
        )

    @classmethod
    def around_box(cls, low: BlockPos, high: BlockPos, margin: int = 0) -> "Anchor":
        """The columns of a box of blocks (upper corner exclusive), and ``margin`` columns more on each side."""
        first, last = low.column, BlockPos(high.x - 1, high.y - 1, high.z - 1).column
        return cls(ColumnPos(first.x - margin, first.z - margin), ColumnPos(last.x + margin, last.z + margin))

    @property
    def size(self) -> tuple[int, int]:
        """Columns along x and z, 0 if empty."""
        return max(self.high.x - self.low.x + 1, 0), max(self.high.z - self.low.z + 1, 0)

    @property
    def centre(self) -> ColumnPos:
        """The column in its middle, the higher of two."""
        return ColumnPos(self.low.x + self.high.x + 1 >> 1, self.low.z + self.high.z + 1 >> 1)

    @property
    def count(self) -> int:
        low, high = self.low, self.high
        return 0 if low.x > high.x or low.z > high.z else (high.x - low.x + 1) * (high.z - low.z + 1)

    def grown(self, columns: int) -> "Anchor":
        """The anchor enlarged on each side, or reduced where ``columns`` is negative."""
        low, high = self.low, self.high
        return Anchor(ColumnPos(low.x - columns, low.z - columns), ColumnPos(high.x + columns, high.z + columns))

    def common(self, other: "Anchor") -> "Anchor":
        low = ColumnPos(max(self.low.x, other.low.x), max(self.low.z, other.low.z))
        return Anchor(low, ColumnPos(min(self.high.x, other.high.x), min(self.high.z, other.high.z)))

    def without(self, other: "Anchor") -> tuple["Anchor", ...]:
        """The difference: at most four rectangles that do not overlap."""
        hole = self.common(other)
        if not hole.count:
            return (self,) if self.count else ()
        low, high = self.low, self.high
        parts = (
            Anchor(low, ColumnPos(hole.low.x - 1, high.z)),
            Anchor(ColumnPos(hole.low.x, low.z), ColumnPos(hole.high.x, hole.low.z - 1)),
            Anchor(ColumnPos(hole.low.x, hole.high.z + 1), ColumnPos(hole.high.x, high.z)),
            Anchor(ColumnPos(hole.high.x + 1, low.z), high),
        )
        return tuple(part for part in parts if part.count)

    def holds(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which of the columns lie inside: bool[n]."""
        x, z = columns[:, 0], columns[:, 1]
        inside: npt.NDArray[np.bool_] = (x >= self.low.x) & (x <= self.high.x) & (z >= self.low.z) & (z <= self.high.z)
        return inside

    def columns(self) -> ColumnPositions:
        """All columns, x first: int32[n, 2]."""
        xs = np.arange(self.low.x, self.high.x + 1, dtype=np.int32)
        zs = np.arange(self.low.z, self.high.z + 1, dtype=np.int32)
        columns = np.empty((len(xs), len(zs), 2), np.int32)
        columns[..., 0], columns[..., 1] = xs[:, np.newaxis], zs
        return columns.reshape(-1, 2)


NOTHING: Final = Anchor(ColumnPos(0, 0), ColumnPos(-1, -1))
WORLD: Final = Anchor.square(ColumnPos(0, 0), FARTHEST_COLUMN - 1)

Keys = npt.NDArray[np.int64]  # [n] columns as single numbers, ``x << 32 | z + 2**31``: sorted by x, then z
NO_KEYS: Final[Keys] = np.empty(0, np.int64)


def columns_of(keys: Keys) -> ColumnPositions:
    """Keys as columns: int32[n, 2]."""
    columns = np.empty((len(keys), 2), np.int32)
    columns[:, 0], columns[:, 1] = keys >> 32, (keys & 0xFFFFFFFF) - (1 << 31)
    return columns


def _keys_of(columns: ColumnPositions) -> Keys:
    wide = columns.astype(np.int64)
    keys: Keys = (wide[:, 0] << 32) + (wide[:, 1] + (1 << 31))
    return keys


def _differences(pairs: Sequence[tuple[Anchor, Anchor]]) -> Keys:
    """The columns of each first rectangle without its second, sorted, each once."""
    parts = [_keys_of(part.columns()) for whole, hole in pairs for part in whole.without(hole)]
    return np.unique(np.concatenate([NO_KEYS, *parts]))


RELEASE_MARGIN_COLUMNS: Final = 2  # a loaded column is released this much further out
MOST_ANCHORS: Final = 128
MOST_ANCHOR_COLUMNS: Final = 255 * 255
"""Of one anchor: a square as wide as the offsets of one request reach."""


class AnchorClaim(msgspec.Struct, frozen=True):
    """A pinned anchor."""

    anchor: Anchor  # its columns
    # eye in blocks, from which the wanted places are seen. None: every announced place is wanted, seen or not (for the
    # player's own anchor nothing: ``client.session.requests``).
    eye: Eye | None = None


class Anchors:
    """A set of named anchors.

    A column is *held* by an anchor that contains it, and *kept* by one that contains it when grown by the margin.
    """

    def __init__(self, margin_columns: int = RELEASE_MARGIN_COLUMNS) -> None:
        self.revision = 0  # grows with every change
        self._pins: dict[str, AnchorClaim] = {}
        self._counted: dict[str, Anchor] = {}
        self._counted_at = 0
        self._margin = margin_columns
        self._loaded: Keys = NO_KEYS
        self._followed: tuple[Anchors, int] | None = None

    def __len__(self) -> int:
        return len(self._pins)

    # ------------------------------------------------------------ changes

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Adds an anchor, or moves the one of that name. Raises ValueError: too many columns, or too many anchors."""
        pin, before = AnchorClaim(anchor, eye), self._pins.get(name)
        if pin == before:
            return
        if anchor.count > MOST_ANCHOR_COLUMNS:
            wide, long = anchor.size
            raise ValueError(f"anchor {name!r} has {wide} x {long} columns: the maximum is {MOST_ANCHOR_COLUMNS}")
        if before is None and len(self._pins) >= MOST_ANCHORS:
            raise ValueError(f"anchor {name!r}: {MOST_ANCHORS} are already pinned")
        self._pins[name] = pin
        self.revision += 1

    def release(self, name: str) -> None:
        """Removes an anchor; an unknown name is ignored."""
        if self._pins.pop(name, None) is not None:
            self.revision += 1

    def follow(self, others: "Anchors", grown_columns: int) -> None:
        """Copies all anchors of another set, each grown by so many columns; nothing while that set is unchanged."""
        at = others, others.revision
        if at == self._followed:
            return
        self._followed = at
        wanted = {name: anchor.grown(grown_columns) for name, anchor in others.items()}
        for name in [name for name in self._pins if not wanted.get(name, NOTHING).count]:
            self.release(name)
        for name, anchor in wanted.items():
            if anchor.count:
                self.pin(name, anchor)

    def drain(self) -> bool:
        """Updates the loaded columns; returns whether they are others than after the last call."""
        moves = self._moves()
        self._counted_at, self._counted = self.revision, dict(self.items())
        if not moves:
            return False
        gained = _differences([(after.common(WORLD), before) for before, after in moves])
        left = _differences([(self._kept(before), self._kept(after)) for before, after in moves])
        fresh, left = gained[~self._are_loaded(gained)], left[self._are_loaded(left)]
        gone = left[self.released(columns_of(left))]  # no other columns: what did not move keeps what it kept
        staying = np.delete(self._loaded, np.searchsorted(self._loaded, gone))
        self._loaded = np.insert(staying, np.searchsorted(staying, fresh), fresh)
        return bool(len(fresh) or len(gone))

    # ------------------------------------------------------------ reading

    def get(self, name: str) -> Anchor | None:
        pin = self._pins.get(name)
        return None if pin is None else pin.anchor

    def items(self) -> Iterable[tuple[str, Anchor]]:
        return [(name, pin.anchor) for name, pin in self._pins.items()]

    @property
    def pins(self) -> Mapping[str, AnchorClaim]:
        """All anchors with their eyes, by name; a live view, not to be stored."""
        return MappingProxyType(self._pins)

    def counts(self, columns: ColumnPositions) -> npt.NDArray[np.int32]:
        """The number of anchors that hold each column now, drained or not: int32[n]."""
        counts = np.zeros(len(columns), np.int32)
        for pin in self._pins.values():
            counts += pin.anchor.common(WORLD).holds(columns)
        return counts

    def released(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns no anchor keeps now, drained or not, loaded before or not: bool[n]."""
        released = np.ones(len(columns), np.bool_)
        for pin in self._pins.values():
            released &= ~self._kept(pin.anchor).holds(columns)
        return released

    def loaded(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns are loaded: bool[n]."""
        return self._are_loaded(_keys_of(columns))

    def loaded_columns(self) -> ColumnPositions:
        """All loaded columns, by x and z: int32[n, 2]."""
        return columns_of(self._loaded)

    def _kept(self, anchor: Anchor) -> Anchor:
        """The columns that an anchor keeps; an empty one keeps none."""
        return anchor.grown(self._margin).common(WORLD) if anchor.count else NOTHING

    def _are_loaded(self, keys: Keys) -> npt.NDArray[np.bool_]:
        if not len(self._loaded):
            return np.zeros(len(keys), np.bool_)
        return np.asarray(self._loaded[np.searchsorted(self._loaded[:-1], keys)] == keys)

    def _moves(self) -> list[tuple[Anchor, Anchor]]:
        """The old and the new rectangle of each anchor that changed since the last drain."""
        if self._counted_at == self.revision:
            return []
        names = sorted(self._counted.keys() | self._pins.keys())
        moves = ((self._counted.get(name, NOTHING), self.get(name) or NOTHING) for name in names)
        return [(before, after) for before, after in moves if before != after]
