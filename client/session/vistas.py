"""What the player and the look-outs see, for the planner: their walks, and what is presumed open to them.

Walks are kept (``client.visibility.kept_walk``): ``note`` takes the columns in which something changed, ``look`` walks
for those whom that concerns. What is presumed open is worked out anew at each ``look``, and counts as changed where it
did.

Limit: MOST_COLUMNS noted between two looks; from then on anything may have changed.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from client.player import Eye
from client.streaming.anchor import Anchor
from client.streaming.anchors import Pin
from client.streaming.look_outs import LookOuts
from client.streaming.presumed import Expected, Guesser, expect
from client.visibility.kept_walk import KeptWalk
from client.visibility.walk import Walk
from client.world.store import Store
from net.space.layout import Bytes, ColumnPositions, Places

MOST_COLUMNS: Final = 1 << 14


class Vistas:
    """Owned by the session's requests.

    Attributes:
        expected: of the ground, at the last look; None before the first.
    """

    def __init__(self, store: Store, walk: Walk) -> None:
        """Nobody has looked; all walk with the scratch of ``walk``."""
        self.expected: Expected | None = None
        self._store = store
        self._player = KeptWalk(walk)
        self._look_outs = LookOuts(walk)
        self._changed: list[ColumnPositions] | None = None  # since the last look; None: anywhere
        self._noted = 0

    @property
    def walks(self) -> int:
        """Walks so far."""
        return self._player.walks + self._look_outs.walks

    @property
    def open(self) -> Bytes | None:
        """uint8[places] 1 where the last walks could pass whatever is shown; None: nowhere."""
        return self.expected.open if self.expected else None

    def note(self, columns: ColumnPositions | None) -> bool:
        """Something changed there, None: anywhere; says whether anybody looked there."""
        if columns is None:
            self.forget()
            return True
        if not len(columns):
            return False
        self._noted += len(columns)
        if self._changed is not None:
            self._changed.append(columns)
        if self._noted > MOST_COLUMNS:
            self._changed = None
        return self._player.reaches(columns) or self._look_outs.reach(columns)

    def forget(self) -> None:
        """Another dimension: anything changed, and no place means what it did."""
        self.expected = None
        self._changed = None

    def look(self, eye: Eye, radius_columns: int, pins: Mapping[str, Pin], guesser: Guesser | None = None) -> Places:
        """Places that the player and the look-outs reach now, repetitions included.

        Args:
            eye: the player's.
            radius_columns: what the server granted.
            pins: all that is pinned.
            guesser: whose looks are guessed at (``presumed``); None guesses nowhere.
        """
        store, before = self._store, self.open
        self.expected = expect(store, eye.column, guesser)
        changed = self._take(self._presumed_elsewhere(before, self.open))
        granted = Anchor.square(eye.column, radius_columns)
        reached = self._player.look(store, eye, radius_columns, self.open, changed)
        return np.concatenate([reached, *self._look_outs.look(pins, store, granted, self.open, changed)])

    def _take(self, more: ColumnPositions) -> ColumnPositions | None:
        """All that changed since the last look."""
        noted, self._changed, self._noted = self._changed, [], 0
        return None if noted is None else np.concatenate([*noted, more])

    def _presumed_elsewhere(self, before: Bytes | None, after: Bytes | None) -> ColumnPositions:
        """Columns of which something else is presumed than before."""
        size = len(self._store.state)
        differ = _padded(before, size) != _padded(after, size)
        rows = np.flatnonzero(differ.reshape(-1, self._store.dimension.sections).any(axis=1))
        columns: ColumnPositions = self._store.columns[rows]
        return columns


def _padded(presumed: Bytes | None, size: int) -> Bytes:
    """For all places of tables that may have grown."""
    if presumed is not None and len(presumed) == size:
        return presumed
    padded = np.zeros(size, np.uint8)
    if presumed is not None:
        padded[: len(presumed)] = presumed
    return padded
