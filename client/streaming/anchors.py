"""Anchors: which columns are wanted near, and for how many reasons.

An anchor holds the columns of a rectangle. The player's is a square around it; others are pinned: on a box that is
dumped, or as look-outs. A column is held while at least one anchor holds it, so two anchors that overlap do not drop
each other's ground.

Rules:
1. Load at r, release at r + 2 (interfaces.md): a column is loaded from when the first anchor holds it until no anchor
   holds it any more, grown by its margin. So walking to and fro over a border loads and releases nothing twice.
2. A move or another size changes the counts of the columns that differ, nothing else.
3. Who owns the ground drains once a step: counts follow then, and lists say what is to be loaded and to be released
   since the last time, a column once and in one of both lists at most. So what is pinned and released between two steps
   counts as one change, in whatever order it was made: a recording need only know where anchors stand at a tick.
4. What lies outside any world is held by nobody.

Theory: seed 002's ``ChunkAnchor_Rectangle`` and AnotherCraft's managers (algorithms.md 1.2), which count anchors by
column; here in sorted arrays (``column_counts``). Activity (memory, requests) and visibility (the GPU) have one set
each, the second ``follow``ing the first one column smaller, so that the neighbours of what is drawn are in memory.

Limits: MOST_ANCHORS of MOST_ANCHOR_COLUMNS each. Measured on a shared machine: one step of a square of radius 8 over a
column border takes 0.18 ms, of radius 64 0.24 ms.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from client.player import Eye
from client.streaming.anchor import NOTHING, Anchor
from client.streaming.column_counts import NO_KEYS, ColumnCounts, columns_of
from net.frozen import frozen
from net.space.layout import ColumnPositions

RELEASE_MARGIN_COLUMNS: Final = 2
"""A column that an anchor loaded is released this much further out."""
MOST_ANCHORS: Final = 128
MOST_ANCHOR_COLUMNS: Final = 255 * 255
"""Of one anchor: a square as wide as one request's offsets reach."""


@frozen
class Pin:
    """What one name holds, and what is wanted of it.

    Attributes:
        anchor: its columns.
        eye: of a look-out, in blocks: what can be seen from there is wanted. None wants every announced place,
            whether or not it can be seen (the player's own anchor wants nothing: ``client.session.requests``).
    """

    anchor: Anchor
    eye: Eye | None = None


@frozen
class Turnover:
    """What a drain gives.

    Attributes:
        to_load: int32[n, 2] columns that are held and were not kept before.
        to_release: int32[n, 2] columns that are kept no longer.
    """

    to_load: ColumnPositions
    to_release: ColumnPositions

    def __bool__(self) -> bool:
        return bool(len(self.to_load) or len(self.to_release))


class Anchors:
    """One set of anchors, by a name each, and the counts of their columns.

    Attributes:
        revision: grows with every change.
    """

    def __init__(self, margin_columns: int = RELEASE_MARGIN_COLUMNS) -> None:
        """Holds nothing; what was loaded is released ``margin_columns`` further out."""
        self.revision = 0
        self._pins: dict[str, Pin] = {}
        self._counted: dict[str, Anchor] = {}
        self._counted_at = 0
        self._columns = ColumnCounts(margin_columns)
        self._followed: tuple[Anchors, int] | None = None

    def __len__(self) -> int:
        return len(self._pins)

    # ------------------------------------------------------------ changes

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Adds an anchor, or moves and resizes the one of that name.

        Args:
            name: one holds one rectangle.
            anchor: its columns; those outside any world do not count.
            eye: see ``Pin``.

        Raises:
            ValueError: it has more than MOST_ANCHOR_COLUMNS, or it is one more than MOST_ANCHORS.
        """
        pin, before = Pin(anchor, eye), self._pins.get(name)
        if pin == before:
            return
        if anchor.count > MOST_ANCHOR_COLUMNS:
            wide, long = anchor.size
            raise ValueError(f"anchor {name!r} of {wide} x {long} columns: one holds at most {MOST_ANCHOR_COLUMNS}")
        if before is None and len(self._pins) >= MOST_ANCHORS:
            raise ValueError(f"anchor {name!r}: {MOST_ANCHORS} are pinned already")
        self._pins[name] = pin
        self.revision += 1

    def release(self, name: str) -> None:
        """Takes an anchor away; an unknown name is ignored."""
        if self._pins.pop(name, None) is not None:
            self.revision += 1

    def follow(self, others: "Anchors", grown_columns: int) -> None:
        """Takes over all anchors of another set, each larger by so much; nothing where that has not changed."""
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

    def drain(self) -> Turnover:
        """Counts what was changed since the last call; what is to be loaded and to be released for that."""
        moves = self._moves()
        self._counted_at = self.revision
        self._counted = dict(self.items())
        # All that comes before all that goes: what one anchor takes over from another is not let go in between.
        gained = [self._columns.come(before, after) for before, after in moves]
        lost = [self._columns.go(before, after) for before, after in moves]
        return Turnover(*(columns_of(np.sort(np.concatenate([NO_KEYS, *keys]))) for keys in (gained, lost)))

    # ------------------------------------------------------------ questions

    def get(self, name: str) -> Anchor | None:
        """The anchor of a name."""
        pin = self._pins.get(name)
        return None if pin is None else pin.anchor

    def items(self) -> Iterable[tuple[str, Anchor]]:
        """All of them with their names."""
        return [(name, pin.anchor) for name, pin in self._pins.items()]

    @property
    def pins(self) -> Mapping[str, Pin]:
        """All of them with what is wanted of them; not to be kept."""
        return MappingProxyType(self._pins)

    def counts(self, columns: ColumnPositions) -> npt.NDArray[np.int32]:
        """How many anchors hold each column now, drained or not: int32[n]."""
        counts = self._columns.held(columns)
        for before, after in self._moves():
            counts += after.holds(columns)
            counts -= before.holds(columns)
        return counts

    def released(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns no anchor keeps now, margins included, drained or not, loaded before or not: bool[n]."""
        counts = self._columns.kept(columns)
        for before, after in self._moves():
            counts += self._columns.grown(after).holds(columns)
            counts -= self._columns.grown(before).holds(columns)
        released: npt.NDArray[np.bool_] = counts == 0
        return released

    def loaded(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns were loaded and not released since, by the drains so far: bool[n]."""
        return self._columns.loaded(columns)

    def loaded_columns(self) -> ColumnPositions:
        """All columns that are loaded, by x and z: int32[n, 2]."""
        return self._columns.loaded_columns()

    def _moves(self) -> list[tuple[Anchor, Anchor]]:
        """Where each anchor that changed since the last drain stood then, and where it stands."""
        if self._counted_at == self.revision:
            return []
        names = sorted(self._counted.keys() | self._pins.keys())
        moves = ((self._counted.get(name, NOTHING), self.get(name) or NOTHING) for name in names)
        return [(before, after) for before, after in moves if before != after]
