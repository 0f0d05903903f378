"""Checkpoints: a session as it was at the end of one turn, from which any number of others begin.

Rules:
1. Taking one is the owner's, between two turns: tables are copied and slots of blocks pinned. Packing is any other
   thread's: arrays of ``LEAST_BYTES`` and more, histories and rows of blocks are compressed, then the slots are let go;
   the rest is kept as objects. One that is needed for a moment only may stay as it is.
2. Light is not in it: it follows from blocks, and whoever shows the world makes it.
3. Nobody follows a session that begins from it; whoever shows it attaches.
4. Whoever makes a copy lets it go. A session is full of cycles, and nobody looks for those while a window is open
   (8 MB a checkpoint stayed, measured).

Theory: a deep copy puts what its memo names in the place of what it meets. With a memo of stand-ins a copy has
stand-ins where arrays were; with a memo of arrays a copy of that one has arrays again. Rows of blocks are in neither:
``BlockPools.__deepcopy__`` leaves them out.

Measured over the hills at radius 8, processor time, best of seven on a shared 2-core machine: 5 ms of the owner to
take, 35 of the other thread to pack, 22 to begin from and 10 where it is not packed; 2.3 MB each, 0.9 of them tables.

Replay checkpoints: where a replay may begin besides its recording's start.
1. It leaves one every ``APART_US`` of what was lived through, where none stands yet; a few more just before where a way
   back ends, for who goes back one step goes back another.
2. The owner takes them, a thread packs each.
3. They never take more than their room: of those that are packed, the one goes whose neighbours are nearest to each
   other. Where that is the one just left, the next is left as late as if it stood.
4. Those that somebody else made (``given``) take no room here and stay.
"""

import copy
import math
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final

import cramjam
import msgspec
import numpy as np
import numpy.typing as npt

from client.background_task import BackgroundTask
from client.session.session import Session
from client.world.block_pools import ROWS, BlockPools
from client.world.history import History
from net.space import Slots

LEVEL: Final = 1
"""Of Zstandard: tables are mostly runs, and time counts more than the last tenth."""
LEAST_BYTES: Final = 2048
"""Of an array that is worth packing."""
OBJECTS_BYTES: Final = 400_000
"""What is kept as objects, most of it a table of places by column: 0.36 MB at radius 8 (tracemalloc)."""

Array = npt.NDArray[Any]  # Any: packing asks for no dtype


class PackedArray:
    """The content of one array."""

    def __init__(self, array: Array) -> None:
        self._dtype, self._shape = array.dtype, array.shape
        self._stored = bytes(cramjam.zstd.compress(array.tobytes(), LEVEL))
        self.size_bytes = len(self._stored)  # what it takes

    def unpacked(self) -> Array:
        """An array of one's own."""
        return self.into(np.empty(self._shape, self._dtype))

    def into(self, array: Array) -> Array:
        """Fills an array of its shape and dtype, whose items lie beside each other; returns it."""
        cramjam.zstd.decompress_into(self._stored, array.reshape(-1).view(np.uint8).data)
        return array


class PackedHistory:
    """What happened to places."""

    def __init__(self, history: History) -> None:
        lived, rows, self._faults = history.lives()
        self._places = len(history.noted)
        self._parts = [PackedArray(each) for each in (lived, *rows)]
        # what it takes
        self.size_bytes = sum(part.size_bytes for part in self._parts) + sum(map(len, self._faults.values()))

    def unpacked(self) -> History:
        """A history of one's own."""
        lived, *rows = (part.unpacked() for part in self._parts)
        return History.of_lives(self._places, lived, rows, self._faults)


class SessionCopy:
    """A session's own copy, but for the block table and rows of blocks."""

    def __init__(self, session: Session, stand_ins: Mapping[int, object] | None = None) -> None:
        """Copies; ``stand_ins`` says what stands in the place of what, by id."""
        memo = dict(stand_ins or {})
        self.session = copied(session, memo)  # so far; nobody follows it, and it is not to be changed
        own = [part for original, part in memo.items() if original != id(part)]
        self.parts = [part for part in own if _may_be_packed(part)]  # arrays and histories of its own
        self._owned = [part for part in own if hasattr(part, "__dict__")]

    def let_go(self) -> None:
        """Ends it, and whatever is still in it."""
        for owned in self._owned:
            vars(owned).clear()
        self._owned, self.parts = [], []


def copied(session: Session, memo: dict[int, object]) -> Session:
    """Its own copy, but for the block table; ``memo`` says what stands for what, and has all that was copied then."""
    copy.deepcopy(session.dimension.table, memo)  # so that whoever holds one of its arrays goes on holding it
    memo |= {id(column): column for column in session.dimension.store.row_of}  # hundreds of tuples
    return copy.deepcopy(session, memo)


def _may_be_packed(part: object) -> bool:
    """Whether it is a history, or an array that is no range of the pools."""
    return isinstance(part, History) or (isinstance(part, np.ndarray) and part.base is None)


def _packed_part(part: object) -> PackedArray | PackedHistory | None:
    """None where it is not worth it."""
    if isinstance(part, History):
        return PackedHistory(part)
    return PackedArray(part) if isinstance(part, np.ndarray) and part.nbytes >= LEAST_BYTES else None


ROWS_AT_ONCE: Final = 128
"""A megabyte of block ids: how long the thread keeps others from the interpreter."""

Chunks = list[tuple[Slots, PackedArray]]


class Checkpoint:
    """One moment of one session."""

    def __init__(self, session: Session) -> None:
        """Owner thread, at the end of a turn."""
        self._pools: BlockPools | None = session.dimension.store.pools  # that hold the rows; None once they are packed
        self._pin = self._pools.pin()
        self._slots = {name: self._pools.rows(name)[0] for name in ROWS}
        self._rows: dict[str, Chunks] = {}
        self._copy = SessionCopy(session)
        self._packed: list[PackedArray | PackedHistory] = []  # what stands in the copy for what was packed
        self._lock = threading.Lock()  # guards the content: the owner may begin from it while it is packed
        self.size_bytes = 0  # what it takes, once it is packed; 0 before

    def __del__(self) -> None:
        self._pin.done = True  # nobody packs it any more
        self._copy.let_go()

    def pack(self) -> None:
        """Makes it small; once, on one thread, while the owner may begin from it."""
        assert self._pools is not None, "packed already"
        source, pools = self._copy, self._pools
        rows = {name: _packed_rows(slots, pools.rows(name)[1]) for name, slots in self._slots.items()}
        stand_ins = {id(part): packed for part in source.parts if (packed := _packed_part(part))}
        small = SessionCopy(source.session, stand_ins)
        size = OBJECTS_BYTES + sum(packed.size_bytes for packed in stand_ins.values())
        size += sum(slots.nbytes + packed.size_bytes for chunks in rows.values() for slots, packed in chunks)
        with self._lock:
            self._copy, self._packed, self._rows, self.size_bytes = small, list(stand_ins.values()), rows, size
            self._pools, self._slots, self._pin.done = None, {}, True
            source.let_go()

    def begin(self) -> Session:
        """Another session that is so far; owner thread."""
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
    """Where to go: the first place at which one of these holds."""

    time_us: float = math.inf  # the next turn begins later than that
    packets: float = math.inf  # so many packets of the server have come
    ticks: float = math.inf  # so many ticks are over
    # none holds before the next turn begins later than that; the default is before the first turn, which may begin at 0
    not_before_us: float = -1


class Traffic(msgspec.Struct):
    """What a way met so far, as statistics tell it."""

    sent: int = 0  # packets of the session
    bytes_in: int = 0  # of the server's packets
    bytes_out: int = 0  # of the session's
    faulty: int = 0  # packets that do not decode
    unknown: Counter[int] = msgspec.field(default_factory=Counter)  # how many packets nobody knows, by their number
    round_trip_s: float | None = None  # as the last tick was told


class SeekPlace(msgspec.Struct, frozen=True):
    """A place between two turns of a recording."""

    block: int = 0  # of the recording, the first one that is not over
    records: int = 0  # of that block that are over
    time_us: int = 0  # of the last turn before it; likewise packets of the server, and ticks
    packets: int = 0
    ticks: int = 0


class ReplayCheckpoint(msgspec.Struct, frozen=True):
    """One checkpoint in its recording."""

    place: SeekPlace  # where it stands
    checkpoint: Checkpoint  # what the session was
    traffic: Traffic  # until then, as far as it is known

    @property
    def time_us(self) -> int:
        """Of the last turn before it."""
        return self.place.time_us

    def is_past(self, goal: SeekTarget) -> bool:
        """Whether a goal lies behind it: so many packets have come before the tick that ended their turn."""
        at = self.place
        later = at.time_us > goal.time_us or at.packets >= goal.packets or at.ticks > goal.ticks
        return later and at.time_us > goal.not_before_us


def traffic_of(traffic: Traffic) -> Traffic:
    """A copy."""
    t = traffic
    return Traffic(t.sent, t.bytes_in, t.bytes_out, t.faulty, t.unknown.copy(), t.round_trip_s)


APART_US: Final = 30_000_000
"""0.2 to 0.6 s of a processor at radius 8, flying (measured)."""
BEFORE_GOAL_US: Final = (8_000_000, 2_000_000, 300_000)
"""Where a way back may be followed by others a little shorter: from the last of these a tick is a matter of some ms."""
NEAR: Final = 2 * len(BEFORE_GOAL_US)
"""How many of those stay."""


class ReplayCheckpoints:
    """Of one recording; owner thread."""

    def __init__(self, given: Sequence[ReplayCheckpoint], space_bytes: int) -> None:
        """None yet; without room there never will be.

        ``given``: checkpoints made before, in order. ``space_bytes``: for all that are made here.
        """
        self._given = tuple(given)
        self._space_bytes = space_bytes
        self._far: list[ReplayCheckpoint] = []
        self._near: list[ReplayCheckpoint] = []
        self._tried_us = 0  # when the last far one was left, which may have found no room

    @property
    def has_space(self) -> bool:
        return self._space_bytes > 0

    @property
    def size_bytes(self) -> int:
        """What those take that were made here."""
        return sum(one.checkpoint.size_bytes for one in (*self._far, *self._near))

    def before(self, goal: SeekTarget) -> ReplayCheckpoint | None:
        """The last one from which a goal lies ahead."""
        return next((one for one in reversed(self._all()) if not one.is_past(goal)), None)

    def next_stop(self, passed_us: float, goal_us: float | None) -> tuple[float, bool]:
        """When a way should leave the next one, inf: never; and whether that is for steps back from its goal.

        ``passed_us``: later than that. ``goal_us``: where a way ends that one may step back from; None: it goes on.
        """
        if not self.has_space:
            return math.inf, False
        before_us = () if goal_us is None else (goal_us - before for before in BEFORE_GOAL_US)
        near_us = min((at for at in before_us if at > passed_us), default=math.inf)
        far_us = self._next_far(passed_us)
        return min(near_us, far_us), near_us < far_us

    def leave(self, checkpoint: ReplayCheckpoint, near: bool) -> None:
        """Keeps one, and has it packed."""
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
        """The first time later than that from which on no checkpoint comes for long, as none came for some time."""
        times_us = sorted([0, self._tried_us, *(one.time_us for one in (*self._given, *self._far))])
        at = bisect_right(times_us, passed_us)
        for before_us, after_us in pairwise([*times_us[max(at - 1, 0) :], math.inf]):
            due_us = max(before_us + APART_US, passed_us + 1)
            if due_us + APART_US / 2 < after_us:
                return due_us
        return math.inf


def _least_missed(checkpoints: Sequence[ReplayCheckpoint]) -> int:
    """Which one's neighbours are nearest to each other; the first one's is the start."""
    times_us = [0, *(one.time_us for one in checkpoints)]
    gaps = [after - before for before, after in zip(times_us, times_us[2:], strict=False)]
    return gaps.index(min(gaps)) if gaps else 0
