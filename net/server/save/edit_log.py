"""Edits since the last snapshot, a line each turn of the host: what was broadcast outlives a kill of the process.

A line is a CRC-32 of the rest in 8 hexadecimal digits, a space, and JSON: ``{"tick": 12, "states": [[NAME, {PROPERTY:
VALUE}]], "edits": [[dimension, x, y, z, layer, place in states], ...]}``.

Rules:
1. A line is written before anybody is told of its edits, and is with the system then: a kill of the process loses
   nothing that was told. A machine that loses its power may lose what the last snapshot did not have.
2. Edits of ticks until the snapshot that counts are in it; the others are done again when the folder is opened.
3. A line that makes no sense is left out and told in ``lost``; but for the last one, which may be half a line.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from net.palette import BlockState
from net.space import BlockPos

CRC_DIGITS: Final = 8


class LogStorage(Protocol):
    """Lines on a disk, in segments."""

    def append(self, line: bytes, tick: int) -> None:
        """Adds a line of a tick. Raises OSError: it cannot."""

    def complete(self, tick: int) -> None:
        """Everything until that tick is elsewhere for good: segments that hold nothing later may go."""

    def read(self) -> Sequence[bytes]:
        """All lines of earlier lives."""

    def close(self) -> None:
        """Gives the file back."""


class LoggedEdit(NamedTuple):
    """One block became another."""

    tick: int
    dimension: int
    position: BlockPos
    layer: int
    state: BlockState


class EditLog:
    """See the module.

    ``storage``: where lines are kept. ``committed``: the tick of the snapshot that counts. ``lost``: gets a sentence
    for what cannot be read. ``warn``: for what cannot be written.
    """

    def __init__(self, storage: LogStorage, committed: int, lost: list[str], warn: Callable[[str], None]) -> None:
        self._storage = storage
        self._warn = warn
        self._failing = False
        self._waiting: list[LoggedEdit] = []
        self.earlier = list(_read(storage.read(), committed, lost))  # edits of earlier lives that no snapshot has
        self.tick = max((edit.tick for edit in self.earlier), default=0)  # the last of them

    def record(self, edit: LoggedEdit) -> None:
        self._waiting.append(edit)

    def flush(self) -> None:
        """Writes what was noted; before anybody is told of it."""
        if not self._waiting:
            return
        edits, self._waiting = self._waiting, []
        try:
            self._storage.append(line_of(edits), edits[-1].tick)
            self._failing = False
        except OSError as error:
            if not self._failing:
                self._failing = True
                why = error.strerror or error
                self._warn(f"The log of edits cannot be written ({why}); a kill loses edits since the last snapshot.")

    def complete(self, tick: int) -> None:
        """The snapshot of a tick counts."""
        try:
            self._storage.complete(tick)
        except OSError as error:
            self._warn(f"The log of edits cannot be cut ({error.strerror or error}).")

    def close(self) -> None:
        """Gives the storage back."""
        self.flush()
        self._storage.close()


def line_of(edits: Sequence[LoggedEdit]) -> bytes:
    places: dict[BlockState, int] = {}
    rows = [[edit.dimension, *edit.position, edit.layer, places.setdefault(edit.state, len(places))] for edit in edits]
    states = [[state.name, dict(state.states)] for state in places]
    said = json.dumps({"tick": edits[-1].tick, "states": states, "edits": rows}, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(said), said)


def _read(lines: Sequence[bytes], committed: int, lost: list[str]) -> Iterator[LoggedEdit]:
    for number, line in enumerate(lines):
        try:
            edits = edits_in(line)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            if number < len(lines) - 1:
                lost.append(f"Line {number + 1} of the log of edits cannot be read: {error}.")
            continue
        yield from (edit for edit in edits if edit.tick > committed)


def edits_in(line: bytes) -> list[LoggedEdit]:
    """The edits of a line. Raises ValueError, KeyError, TypeError, IndexError: it makes no sense."""
    crc, said = line[:CRC_DIGITS], line[CRC_DIGITS + 1 :]
    if int(crc, 16) != zlib.crc32(said):
        raise ValueError("its checksum differs")
    content = json.loads(said)
    states = [BlockState(str(name), tuple(sorted(values.items()))) for name, values in content["states"]]
    return [
        LoggedEdit(int(content["tick"]), int(dimension), BlockPos(int(x), int(y), int(z)), int(layer), states[place])
        for dimension, x, y, z, layer, place in content["edits"]
    ]
