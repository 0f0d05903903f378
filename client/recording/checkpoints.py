"""Checkpoints: copies of a session at the end of a turn, from which other sessions begin.

The owner thread takes one between two turns: it copies tables and pins slots of blocks. Another thread packs it: it
compresses arrays, histories and rows of blocks, then releases the slots. Light is not included, as it follows from
blocks, and no readers of the change log. The owner of a copy must call ``let_go``: a session is full of reference
cycles, which are not collected while a window is open (8 MB a checkpoint stayed, measured).

A deep copy puts the values of its memo in the place of the objects it meets. With a memo of packed parts the copy has
these in place of arrays; with a memo of arrays a copy of that copy has arrays again. Measured over the hills at radius
8, processor time: 5 ms of the owner to take, 35 of the other thread to pack, 22 to begin from a packed one; 2.3 MB
each.
"""

import copy
import math
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, TypeGuard

import cramjam
import msgspec
import numpy as np
import numpy.typing as npt

from client.background_task import BackgroundTask
from client.session.session import Session
from client.world.block_pools import ROWS, BlockPools
from client.world.history import History
from net.arrays import Slots

LEVEL: Final = 1  # of Zstandard: tables are mostly runs, and speed matters more than the last tenth
LEAST_BYTES: Final = 2048  # smallest array that is packed
OBJECTS_BYTES: Final = 400_000
"""Size of the parts kept as objects, mostly a table of places by column: 0.36 MB at radius 8 (tracemalloc)."""

Array = npt.NDArray[Any]  # Any: packing works with every dtype


class PackedArray:
    """The compressed content of one array."""

    def __init__(self, array: Array) -> None:
        self._dtype, self._shape = array.dtype, array.shape
        self._stored = bytes(cramjam.zstd.compress(array.tobytes(), LEVEL))
        self.size_bytes = len(self._stored)  # compressed size

    def unpacked(self) -> Array:
        return self.into(np.empty(self._shape, self._dtype))

    def into(self, array: Array) -> Array:
        """Fills a contiguous array of its shape and dtype; returns it."""
        cramjam.zstd.decompress_into(self._stored, array.reshape(-1).view(np.uint8).data)
        return array


class PackedHistory:
    """A compressed history."""

    def __init__(self, history: History) -> None:
        lived, rows, self._faults = history.lives()
        self._places = len(history.noted)
        self._parts = [PackedArray(each) for each in (lived, *rows)]
        # compressed size
        self.size_bytes = sum(part.size_bytes for part in self._parts) + sum(map(len, self._faults.values()))

    def unpacked(self) -> History:
        lived, *rows = (part.unpacked() for part in self._parts)
        return History.of_lives(self._places, lived, rows, self._faults)


class SessionCopy:
    """A copy of a session, without the block table and the rows of blocks."""

    def __init__(self, session: Session, stand_ins: Mapping[int, object] | None = None) -> None:
        """Copies; ``stand_ins`` has the replacement of objects, by id."""
        memo = dict(stand_ins or {})
        self.session = copied(session, memo)  # has no readers, and must not be changed
        own = [part for original, part in memo.items() if original != id(part)]
        self.parts: list[Array | History] = [part for part in own if _may_be_packed(part)]  # of its own
        self._owned = [part for part in own if hasattr(part, "__dict__")]

    def let_go(self) -> None:
        for owned in self._owned:
            vars(owned).clear()
        self._owned, self.parts = [], []


def copied(session: Session, memo: dict[int, object]) -> Session:
    """A copy without the block table; ``memo`` has replacements, and afterwards all copied objects."""
    copy.deepcopy(session.dimension.table, memo)  # so that arrays of the table stay shared
    memo |= {id(column): column for column in session.dimension.store.row_of}  # hundreds of tuples
    return copy.deepcopy(session, memo)


def _may_be_packed(part: object) -> TypeGuard[Array | History]:
    """Whether it is a history, or a large array outside of the pools."""
    return isinstance(part, History) or (
        isinstance(part, np.ndarray) and part.base is None and part.nbytes >= LEAST_BYTES
    )


ROWS_AT_ONCE: Final = 128  # a megabyte of block ids: limits how long the thread holds the interpreter

Chunks = list[tuple[Slots, PackedArray]]


class Checkpoint:
    """One moment of one session."""

    def __init__(self, session: Session) -> None:
        """To be called on the owner thread, at the end of a turn."""
        self._pools: BlockPools | None = session.dimension.store.pools  # hold the rows; None once packed
        self._pin = self._pools.pin()
        self._slots = {name: self._pools.rows(name)[0] for name in ROWS}
        self._rows: dict[str, Chunks] = {}
        self._copy = SessionCopy(session)
        self._packed: list[PackedArray | PackedHistory] = []  # the packed parts, which the copy contains
        self._lock = threading.Lock()  # guards the content: the owner may begin from it while it is packed
        self.size_bytes = 0  # its size once packed; 0 before

    def __del__(self) -> None:
        self._pin.done = True  # it will not be packed any more
        self._copy.let_go()

    def pack(self) -> None:
        """Compresses it; once, on one thread, while the owner may begin from it."""
        assert self._pools is not None, "packed already"
        source, pools = self._copy, self._pools
        rows = {name: _packed_rows(slots, pools.rows(name)[1]) for name, slots in self._slots.items()}
        stand_ins: dict[int, PackedArray | PackedHistory] = {
            id(part): PackedHistory(part) if isinstance(part, History) else PackedArray(part) for part in source.parts
        }
        small = SessionCopy(source.session, stand_ins)
        size = OBJECTS_BYTES + sum(packed.size_bytes for packed in stand_ins.values())
        size += sum(slots.nbytes + packed.size_bytes for chunks in rows.values() for slots, packed in chunks)
        with self._lock:
            self._copy, self._packed, self._rows, self.size_bytes = small, list(stand_ins.values()), rows, size
            self._pools, self._slots, self._pin.done = None, {}, True
            source.let_go()

    def begin(self) -> Session:
        """A new session in the same state; owner thread."""
        with self._lock:
            session = copied(self._copy.session, {id(packed): packed.unpacked() for packed in self._packed})
            into = session.dimension.store.pools
            if self._pools is not None:
                for name, slots in self._slots.items():
                    into.rows(name)[1][slots] = self._pools.rows(name)[1][slots]
            for name, chunks in self._rows.items():
                _unpack_rows(chunks, into.rows(name)[1])
            return session


def _packed_rows(slots: Slots, array: npt.NDArray[np.uint16]) -> Chunks:
    parts = (slots[at : at + ROWS_AT_ONCE] for at in range(0, len(slots), ROWS_AT_ONCE))
    return [(part, PackedArray(array[part])) for part in parts]


def _unpack_rows(chunks: Chunks, array: npt.NDArray[np.uint16]) -> None:
    for slots, rows in chunks:
        first, end = int(slots[0]), int(slots[-1]) + 1
        if end - first == len(slots):
            rows.into(array[first:end])
        else:
            array[slots] = rows.unpacked()


class SeekTarget(msgspec.Struct, frozen=True):
    """The target of a seek: the first place at which one of these holds."""

    time_us: float = math.inf  # the next turn begins after this time
    packets: float = math.inf  # the server has sent so many packets
    ticks: float = math.inf  # so many ticks are over
    # none holds before the next turn begins after this time; the default is before the first turn, which may begin at 0
    not_before_us: float = -1


class Traffic(msgspec.Struct):
    """Counts of the traffic up to a place, for statistics."""

    sent: int = 0  # packets of the client
    bytes_in: int = 0  # of the server's packets
    bytes_out: int = 0  # of the client's packets
    faulty: int = 0  # packets that do not decode
    unknown: Counter[int] = msgspec.field(default_factory=Counter)  # counts of unknown packets by id
    round_trip_s: float | None = None  # as of the last tick


class SeekPlace(msgspec.Struct, frozen=True):
    """A place between two turns of a recording."""

    block: int = 0  # of the recording, the first unfinished one
    records: int = 0  # finished records of that block
    time_us: int = 0  # of the last turn before it, as are packets of the server, and ticks
    packets: int = 0
    ticks: int = 0


class ReplayCheckpoint(msgspec.Struct, frozen=True):
    """A checkpoint with its place in the recording."""

    place: SeekPlace  # where it was taken
    checkpoint: Checkpoint  # the session there
    traffic: Traffic  # up to there, as far as known

    @property
    def time_us(self) -> int:
        return self.place.time_us

    def is_past(self, goal: SeekTarget) -> bool:
        """Whether a target lies before it; packets come before the tick that ends their turn."""
        at = self.place
        later = at.time_us > goal.time_us or at.packets >= goal.packets or at.ticks > goal.ticks
        return later and at.time_us > goal.not_before_us


APART_US: Final = 30_000_000  # distance of checkpoints: 0.2 to 0.6 s of a processor at radius 8, flying (measured)
BEFORE_GOAL_US: Final = (8_000_000, 2_000_000, 300_000)
"""Times before the target of a seek back at which checkpoints are left, for further steps back: from the last of them
a tick takes some ms."""
NEAR: Final = 2 * len(BEFORE_GOAL_US)  # number of these that are kept


class ReplayCheckpoints:
    """The checkpoints of one recording; owner thread.

    A replay leaves one every ``APART_US`` of the played part, and a few more just before the target of a seek back,
    since another step back often follows. They never take more than ``space_bytes``: of the packed ones, the one with
    the nearest neighbours is dropped. Checkpoints from elsewhere (``given``, in order) do not count and stay.
    """

    def __init__(self, given: Sequence[ReplayCheckpoint], space_bytes: int) -> None:
        self._given = tuple(given)
        self._space_bytes = space_bytes
        self._far: list[ReplayCheckpoint] = []
        self._near: list[ReplayCheckpoint] = []
        self._tried_us = 0  # time of the last one of ``_far``, which may have been dropped

    @property
    def has_space(self) -> bool:
        return self._space_bytes > 0

    @property
    def size_bytes(self) -> int:
        return sum(one.checkpoint.size_bytes for one in (*self._far, *self._near))

    def before(self, goal: SeekTarget) -> ReplayCheckpoint | None:
        """The last checkpoint before a target, or None."""
        return next((one for one in reversed(self._all()) if not one.is_past(goal)), None)

    def next_stop(self, passed_us: float, goal_us: float | None) -> tuple[float, bool]:
        """The time of the next checkpoint to leave, inf: never; and whether it is one for steps back from the target.

        ``passed_us``: after this time. ``goal_us``: the target of a seek; None: the replay plays on.
        """
        if not self.has_space:
            return math.inf, False
        before_us = () if goal_us is None else (goal_us - before for before in BEFORE_GOAL_US)
        near_us = min((at for at in before_us if at > passed_us), default=math.inf)
        far_us = self._next_far(passed_us)
        return min(near_us, far_us), near_us < far_us

    def leave(self, checkpoint: ReplayCheckpoint, near: bool) -> None:
        BackgroundTask("checkpoint", checkpoint.checkpoint.pack)
        if near:
            self._near = [*self._near[1 - NEAR :], checkpoint]
        else:
            self._far = sorted([*self._far, checkpoint], key=attrgetter("time_us"))
            self._tried_us = checkpoint.time_us
        while self.size_bytes > self._space_bytes and (
            packed := [one for one in self._far if one.checkpoint.size_bytes]
        ):
            self._far.remove(packed[_least_missed(packed)])

    def _all(self) -> list[ReplayCheckpoint]:
        return sorted([*self._given, *self._far, *self._near], key=attrgetter("time_us"))

    def _next_far(self, passed_us: float) -> float:
        """The first later time at which the distance to the checkpoints around is large enough."""
        times_us = sorted([0, self._tried_us, *(one.time_us for one in (*self._given, *self._far))])
        at = bisect_right(times_us, passed_us)
        for before_us, after_us in pairwise([*times_us[max(at - 1, 0) :], math.inf]):
            due_us = max(before_us + APART_US, passed_us + 1)
            if due_us + APART_US / 2 < after_us:
                return due_us
        return math.inf


def _least_missed(checkpoints: Sequence[ReplayCheckpoint]) -> int:
    """The index of the checkpoint with the nearest neighbours; the first one's is the start."""
    times_us = [0, *(one.time_us for one in checkpoints)]
    gaps = [after - before for before, after in zip(times_us, times_us[2:], strict=False)]
    return gaps.index(min(gaps)) if gaps else 0
