"""Applies events to places by ``lifecycle.LIFE``, and collects the changes of a drain."""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world.changes import EDITS_LIMIT, ChangeBatch, ChangeKind
from client.world.history import NO_CODE, NO_PACKET
from client.world.lifecycle import AFTER, NEEDS_REQUEST, StateEvent, SubChunkState, table_of
from client.world.places import PlaceTables
from client.world.slots import longer
from client.world.store_kernels import BEYOND, happen, list_changes, number, record
from net.arrays import Places
from net.space import ColumnPos, coordinates

NOTHING: Final = -1
STATE, EDIT, DATA = int(ChangeKind.STATE), int(ChangeKind.EDIT), int(ChangeKind.DATA)
"""Plain numbers, since an enum's member costs Numba 25 us a call (measured)."""
FIRST_PLACES: Final = 4096
Cells = npt.NDArray[np.integer]
"""[n] x << 8 | z << 4 | y within a sub-chunk."""


class Pending:
    """The changes of one drain, which become one ``ChangeBatch`` (``client.world.changes``).

    Kinds are kept by place in an array that grows to the highest place, with a list of the places that have one.
    """

    def __init__(self) -> None:
        self.reset()
        self.everything = False

    def reset(self) -> None:
        """For another dimension: readers will get "everything"."""
        self.everything = True
        self._kind: npt.NDArray[np.int8] = np.full(FIRST_PLACES, NOTHING, np.int8)
        self._noted: Places = np.zeros(FIRST_PLACES, np.int32)
        self._count = 0
        self._edits: list[tuple[Places, Cells]] = []
        self._added: dict[int, ColumnPos] = {}
        self._removed: dict[int, ColumnPos] = {}

    @property
    def some(self) -> bool:
        return bool(self._count or self._added or self._removed or self.everything)

    def add(self, row: int, column: ColumnPos) -> None:
        self._added[row] = column

    def remove(self, row: int, column: ColumnPos, places: Places) -> None:
        """Records a removed column; drops the other changes of its places in this drain."""
        self._resize(places)
        if (self._kind[places] != NOTHING).any():
            self._kind[places] = NOTHING
            noted = self._noted[: self._count]
            left = noted[self._kind[noted] != NOTHING]
            self._count = len(left)
            self._noted[: self._count] = left
        if self._added.pop(row, None) is None:
            self._removed[row] = column

    def record(self, places: Places, kind: int) -> None:
        """Something befell these places: int32[n] and a ChangeKind, as a plain number where it is often."""
        count = record(places, int(kind), self._kind, self._noted, self._count)
        if count == BEYOND:
            self._resize(places)
            count = record(places, int(kind), self._kind, self._noted, self._count)
        self._count = count

    def edit(self, places: Places, cells: Cells) -> None:
        """Records changes of single blocks: [n] place and cell of each."""
        self.record(places, EDIT)
        if len(places):
            self._edits.append((places, cells))

    def number_content(self, revisions: npt.NDArray[np.int64], last: int) -> int:
        """Gives places with other blocks than at the last drain revisions above ``last``; returns the last one."""
        given: int = number(self._places(), self._kind, STATE, revisions, last)
        return given

    def take(self, tables: PlaceTables) -> ChangeBatch:
        everything, self.everything = self.everything, False
        changed = self._places()
        if everything:
            batch = ChangeBatch.nothing(True)
            self._kind[changed] = NOTHING
        else:
            batch = self._batch(tables, changed)
        self._count = 0
        self._edits.clear()
        self._added.clear()
        self._removed.clear()
        return batch

    def _resize(self, places: Places) -> None:
        least = int(places.max()) + 1 if len(places) else 0
        if least > len(self._kind):
            length = max(least, 2 * len(self._kind))
            self._kind, self._noted = longer(self._kind, length, NOTHING), longer(self._noted, length)

    def _places(self) -> Places:
        """All places with changes, each once, in order; a view, not to be stored."""
        noted = self._noted[: self._count]
        noted.sort()
        return noted

    def _batch(self, tables: PlaceTables, changed: Places) -> ChangeBatch:
        """The batch of these places; removes their changes."""
        columns = {**self._removed, **self._added}
        first, count = len(columns), len(columns) + len(changed)
        if not count:
            return ChangeBatch.nothing()
        places, positions = np.empty(count, np.int32), np.empty((count, 3), np.int32)
        kinds, revisions = np.empty(count, np.uint8), np.empty(count, np.int64)
        boxes = np.empty((count, 6), np.uint8)
        if columns:
            places[:first] = np.fromiter(columns, np.int32, first) * np.int32(tables.sections)
            positions[:first] = tables.positions_of(places[:first])
            positions[:first, ::2] = list(columns.values())
            kinds[: len(self._removed)] = int(ChangeKind.REMOVED)
            kinds[len(self._removed) : first] = int(ChangeKind.ADDED)
            revisions[:first] = tables.revision[places[:first]]
            boxes[:first] = 0
        sections, floor = tables.sections, tables.dimension.floor_section
        entries = places, positions, kinds, revisions, boxes
        edited = self._cells() if self._edits else None
        list_changes(changed, self._kind, tables.columns, sections, floor, tables.revision, first, DATA, *entries)
        starts, edits = np.zeros(count + 1, np.int32), np.empty(0, np.uint16)
        if edited is not None:
            starts, edits = _edited(*edited, kinds, boxes)
        return ChangeBatch(False, places, positions, kinds, revisions, boxes, starts, edits)

    def _cells(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Changed cells of places with kind EDIT, each once, in order: [n] place and cell."""
        where = np.concatenate([part[0] for part in self._edits]).astype(np.int64)
        cell = np.concatenate([part[1] for part in self._edits]).astype(np.int64)
        mine = self._kind[where] == EDIT
        keys = np.unique(where[mine] << 12 | cell[mine])
        return keys >> 12, keys & 4095


def _edited(
    of: npt.NDArray[np.int64], cells: npt.NDArray[np.int64], kinds: npt.NDArray[np.uint8], boxes: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
    """Fills the boxes of edited entries; returns ``edit_starts`` and ``edits``."""
    first = np.flatnonzero(np.diff(of, prepend=-1))
    edited = np.flatnonzero(kinds == EDIT)
    for axis, values in enumerate((cells >> 8, cells >> 4 & 15, cells & 15)):
        if len(first):
            boxes[edited, axis] = np.minimum.reduceat(values, first)
            boxes[edited, axis + 3] = np.maximum.reduceat(values, first) + 1
    each = np.diff(first, append=len(of))
    few = each <= EDITS_LIMIT
    counts = np.zeros(len(kinds), np.int32)
    counts[edited[few]] = each[few]
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts, cells[np.repeat(few, each)].astype(np.uint16)


Codes = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int32]
_NO_CODES: Final = np.array([NO_CODE], np.int16)


class States:
    """Applies events: writes ``state``, ``since`` and the history; owned by the store."""

    def __init__(self, tables: PlaceTables, pending: Pending) -> None:
        self.packet = NO_PACKET  # number of the inbound packet that is being applied; NO_PACKET between packets
        self.now = 0.0  # the latest time passed in, monotonic seconds
        self._tables = tables
        self._pending = pending
        self._after = AFTER.copy()  # kernels take no read-only array
        self._number = np.empty(1, np.int32)
        self._needs_request = table_of(NEEDS_REQUEST)

    def need_request(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these places can use an answer: bool[n]."""
        return self._needs_request[self._tables.state[places]]

    def happen(
        self, places: Places, cause: StateEvent, now: float, codes: Codes = _NO_CODES, packets: Numbers | None = None
    ) -> None:
        """Applies one event to places.

        ``places``: int32[n], without those of row 0; one that occurs twice gets the event twice. ``codes``: int16[n]
        result codes of answers. ``packets``: int32[n] packet numbers; None: ``packet`` for all. Raises WorldError: the
        event is not possible for one of them; nothing was changed.
        """
        self.now = now
        if not len(places):
            return
        tables, history, after = self._tables, self._tables.history, self._after[cause]
        moved = np.empty(len(places), np.int32)
        self._number[0] = self.packet
        count = happen(
            places, codes, after, int(cause), now, self._number if packets is None else packets, tables.state,
            tables.since, history.noted, history.times_s, history.packets, history.codes,
            history.causes, history.befores, history.afters, history.repeats, moved,
        )  # fmt: skip
        if count < 0:
            raise self._impossible(int(places[-1 - count]), cause)
        if count:
            history.drop_faults(moved[:count])
            self._pending.record(moved[:count], STATE)

    def _impossible(self, place: int, cause: StateEvent) -> WorldError:
        where = coordinates(self._tables.position_of(place))
        was = SubChunkState(int(self._tables.state[place])).name
        return WorldError(f"sub-chunk {where} is {was}: {cause.name} is not possible in that state")
