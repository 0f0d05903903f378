"""What the player and the pinned anchors see, for the planner: their walks, and what is expected open to them.

Walks are kept (``client.visibility``): ``record`` takes the columns in which something changed, ``look`` walks for
those whom that concerns. What is expected open is worked out anew at each ``look``, and counts as changed where it did.
Of more than ``MOST_COLUMNS`` noted between two looks any may have changed.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import Eye
from client.streaming.anchors import NOTHING, Anchor, AnchorClaim
from client.streaming.expected_ground import ExpectedGround, GroundEstimator, expect
from client.visibility import KeptWalk, Walk
from client.world.changes import ChangeKind
from client.world.lifecycle import SubChunkState
from client.world.slots import PoolBytes
from client.world.store import Store
from net.arrays import Bytes, ColumnPositions, Places
from net.space import ColumnPos, SubChunkPos
from net.subchunk.storage import IS_PLACEHOLDER
from net.visibility.priority import PriorityWeights, ViewPrediction


class PinnedAnchors:
    """The cached walks of all pinned anchors, by name; owned by the session's requests.

    An anchor with an eye requests the places that its own walk sees within its own columns; one without an eye requests
    all of its columns (``planner``). Requests end at the granted radius around the player: an anchor beyond it keeps
    its columns and requests nothing. With 64 anchors of radius 4 a ``look`` takes 3.5 ms when all walk and 0.8 ms when
    nothing changed within their reach; with radius 8, 8.8 ms and 0.8 ms (measured on a shared machine).
    """

    def __init__(self, walk: Walk) -> None:
        """No anchors yet; all walks share the scratch arrays of ``walk``."""
        self._walk = walk
        self._kept: dict[str, _PinnedAnchor] = {}
        self._ended = 0  # walks of anchors that were released

    @property
    def walks(self) -> int:
        return self._ended + sum(look_out.kept.walks for look_out in self._kept.values())

    def reach(self, columns: ColumnPositions) -> bool:
        """Whether an anchor's last walk depends on one of these columns."""
        return any(look_out.kept.reaches(columns) for look_out in self._kept.values())

    def look(
        self,
        pins: Mapping[str, AnchorClaim],
        store: Store,
        granted: Anchor,
        expected_open: Bytes | None = None,
        changed: ColumnPositions | None = None,
    ) -> list[Places]:
        """Places that the anchors see, one array an anchor; arrays may overlap.

        ``granted``: the columns for which the server allows requests. ``expected_open``: uint8[places] 1 where a walk
        may pass whatever the place shows; None: nowhere. ``changed``: columns that changed since the last call, see
        ``KeptWalk.look``.
        """
        near = {name: pin for name, pin in pins.items() if pin.anchor.common(granted).count}
        looking = {name: (pin.eye, pin.anchor) for name, pin in near.items() if pin.eye is not None}
        for name in self._kept.keys() - looking.keys():
            self._ended += self._kept.pop(name).kept.walks
        return [
            self._kept.setdefault(name, _PinnedAnchor(self._walk)).look(
                eye, anchor, store, granted, expected_open, changed
            )
            for name, (eye, anchor) in looking.items()
        ]


class _PinnedAnchor:
    """One anchor's walk, and the places it saw within both its own columns and the granted ones."""

    def __init__(self, walk: Walk) -> None:
        self.kept = KeptWalk(walk)
        self._wanted = NOTHING
        self._reached: Places | None = None
        self._places: Places = np.empty(0, np.int32)

    def look(
        self,
        eye: Eye,
        anchor: Anchor,
        store: Store,
        granted: Anchor,
        expected_open: Bytes | None,
        changed: ColumnPositions | None,
    ) -> Places:
        wanted = anchor.common(granted)
        reach = max(eye.column.chebyshev(anchor.low), eye.column.chebyshev(anchor.high))
        reached = self.kept.look(store, eye, reach, expected_open, changed)
        if reached is not self._reached or wanted != self._wanted:
            self._reached, self._wanted = reached, wanted
            self._places = reached[wanted.holds(store.columns[reached // store.dimension.sections])]
        return self._places


MOST_COLUMNS: Final = 1 << 14


class RequestVisibility:
    """The walks of the player and of the anchors; owned by the session's requests."""

    def __init__(self, store: Store, walk: Walk) -> None:
        """All walks share the scratch arrays of ``walk``."""
        self.expected: ExpectedGround | None = None  # at the last look; None before the first
        self._store = store
        self._player = KeptWalk(walk)
        self._look_outs = PinnedAnchors(walk)
        self._changed: list[ColumnPositions] | None = None  # since the last look; None: any column
        self._noted = 0

    @property
    def walks(self) -> int:
        return self._player.walks + self._look_outs.walks

    @property
    def open(self) -> Bytes | None:
        """uint8[places] 1 where the last walks could pass whatever the place shows; None: nowhere."""
        return self.expected.open if self.expected else None

    def record(self, columns: ColumnPositions | None) -> bool:
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
        """Forgets all, for another dimension, in which place numbers mean other places."""
        self.expected = None
        self._changed = None

    def look(
        self, eye: Eye, radius_columns: int, pins: Mapping[str, AnchorClaim], guesser: GroundEstimator | None = None
    ) -> Places:
        """Places that the player and the anchors see now, repetitions included.

        ``radius_columns``: the granted one. ``guesser``: estimates the ground where its views look; None: no place is
        expected open.
        """
        store, before = self._store, self.open
        self.expected = expect(store, eye.column, guesser)
        changed = self._take(self._changed_expectation(before, self.open))
        granted = Anchor.square(eye.column, radius_columns)
        reached = self._player.look(store, eye, radius_columns, self.open, changed)
        return np.concatenate([reached, *self._look_outs.look(pins, store, granted, self.open, changed)])

    def _take(self, more: ColumnPositions) -> ColumnPositions | None:
        """All columns that changed since the last look; None: any."""
        noted, self._changed, self._noted = self._changed, [], 0
        return None if noted is None else np.concatenate([*noted, more])

    def _changed_expectation(self, before: Bytes | None, after: Bytes | None) -> ColumnPositions:
        """Columns whose expected open places differ."""
        size = len(self._store.state)
        differ = _padded(before, size) != _padded(after, size)
        rows = np.flatnonzero(differ.reshape(-1, self._store.dimension.sections).any(axis=1))
        columns: ColumnPositions = self._store.columns[rows]
        return columns


def _padded(expected: Bytes | None, size: int) -> Bytes:
    """Extended with zeros to the present number of places."""
    if expected is not None and len(expected) == size:
        return expected
    padded = np.zeros(size, np.uint8)
    if expected is not None:
        padded[: len(expected)] = expected
    return padded


NOWHERE: Final[tuple[SubChunkPos, ...]] = ()


class MovementPrediction:
    """Predicts what the player will see soon: a walk from each place where it is likely to be.

    A result is used again while its inputs stay the same and ``forget`` was not called: the view changes little within
    one sub-chunk, and the walk from the present eye finds what is needed now. Owned by the session's requests.
    """

    def __init__(self, weights: PriorityWeights, walk: Walk) -> None:
        """All walks share the scratch arrays of ``walk``."""
        self.attention = ViewPrediction(weights)  # extrapolates the player's movement
        self.walks = 0  # number of walks so far
        self._walk = walk
        self._last = NOWHERE  # the likely sub-chunks at the last plan
        self._known: tuple[tuple[SubChunkPos, ...], ColumnPos, int] | None = None  # the inputs of ``_found``
        self._expected_open: Bytes | None = None
        self._found: Places | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the likely sub-chunks are others than at the last plan."""
        return self.attention.subchunks() not in (NOWHERE, self._last)

    def forget(self) -> None:
        """Drops the result, since blocks or columns changed."""
        self._known = self._found = None

    def look_nowhere(self) -> None:
        """Records that a plan was made without prediction."""
        self._last = NOWHERE

    def look_ahead(self, world: Store, column: ColumnPos, radius: int, expected: Bytes | None) -> Places | None:
        """Places seen from the likely positions, repetitions included; None without likely positions.

        ``column``: the player's. ``radius``: of the walks. ``expected``: uint8[places] 1 where walks may pass.
        """
        self._last = likely = self.attention.subchunks()
        if not likely:
            return None
        if self._known != (likely, column, radius) or not _same(expected, self._expected_open):
            eyes = self.attention.eyes()
            self.walks += len(eyes)
            walked = [self._walk.run(world, (16 * x, 16 * y, 16 * z), radius, expected) for x, y, z in eyes]
            self._known, self._expected_open = (likely, column, radius), expected
            self._found = np.concatenate(walked)
        return self._found


def _same(one: Bytes | None, other: Bytes | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


PLACEHOLDER: Final = np.uint64(1 << 62)
GROUND: Final = np.uint64(1 << 63)
"""The bits above the 46 bits of connectivity."""
NO_COLUMNS: Final = np.empty((0, 2), np.int32)


class DrainChanges(msgspec.Struct, frozen=True):
    """What one drain changed for walks and plans."""

    # int32[n, 2] columns where walks may take other ways than before, repetitions included; None: any
    columns: ColumnPositions | None
    ground: bool  # whether places began or ceased to show blocks


UNCHANGED: Final = DrainChanges(NO_COLUMNS, ground=False)


class VisibilityChanges:
    """Finds the columns that look different to walks and plans after a drain; follows one store.

    Walks depend on which columns exist and, for each place, on the connectivity of what it shows and on whether that is
    a placeholder. Plans also depend on answers, anchors and the radius (``Requests.invalidate``), and on ground: places
    that begin or cease to show blocks, since the expected ground of the neighbours follows from it. One number a place,
    of what it showed at the last drain, is compared with what it shows now, for the places that the change log names:
    so no caller has to declare what an edit, an answer or a dropped column means for visibility. Owned by the session's
    dimension.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = store.changes.subscribe()
        self._marks: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)

    def alone(self) -> None:
        """Removes all other readers of the store's change log, after a copy: they followed the original store."""
        self._store.changes.forget_others(self._reader)

    def look(self) -> DrainChanges:
        """The changes since the last call; the connectivity of all slots must be derived already."""
        batch = self._reader.drain()
        self._resize()
        if batch.everything:
            self._marks = self._marks_of(np.arange(len(self._store.slot), dtype=np.int32))
            return DrainChanges(None, True)
        if not (batch.kinds != ChangeKind.STATE).any():
            return UNCHANGED
        kinds = batch.kinds
        shown = (kinds == ChangeKind.EDIT) | (kinds == ChangeKind.DATA)
        column_came = kinds == ChangeKind.ADDED
        of_columns = np.add.outer(batch.places[column_came], np.arange(self._store.dimension.sections, dtype=np.int32))
        places: Places = np.concatenate([batch.places[shown], of_columns.ravel()])
        now = self._marks_of(places)
        turned = now ^ self._marks[places]
        self._marks[places] = now
        seen = self._store.columns[places[(turned & ~GROUND) != 0] // self._store.dimension.sections]
        columns = batch.positions[column_came | (kinds == ChangeKind.REMOVED)][:, [0, 2]]
        return DrainChanges(np.concatenate([columns, seen]), bool((turned & GROUND).any()))

    def memory(self) -> PoolBytes:
        """Memory of the marks, 8 bytes a place; within a dimension the table only grows."""
        size = self._marks.nbytes
        return PoolBytes(
            "sight", size, size, 8 * len(self._store.announced_rows) * self._store.dimension.sections, size
        )

    def _resize(self) -> None:
        more = len(self._store.slot) - len(self._marks)
        if more > 0:
            self._marks = np.append(self._marks, np.zeros(more, np.uint64))

    def _marks_of(self, places: Places) -> npt.NDArray[np.uint64]:
        store = self._store
        slots, states = store.slot[places], store.state[places]
        marks = store.pools.connectivity[slots]
        marks |= np.where(store.pools.kinds[slots] & IS_PLACEHOLDER, PLACEHOLDER, np.uint64(0))
        shows_blocks = (states == SubChunkState.DATA) | (states == SubChunkState.RESET)
        marks |= np.where(shows_blocks, GROUND, np.uint64(0))
        return marks
