"""Log of the edits since the last snapshot, one line for each turn of the host; a killed process loses no sent edit.

A line is a CRC-32 of the rest in 8 hexadecimal digits, a space, and JSON: ``{"tick": 12, "states": [[NAME, {PROPERTY:
VALUE}]], "edits": [[dimension, x, y, z, layer, index in states], ...]}``.

Rules:
1. A line is written before any client gets its edits, and is then in the operating system's hands: killing the process
   loses no edit that clients have seen. A power failure may lose edits since the last snapshot.
2. Edits up to the committed snapshot's tick are in the snapshot; later ones are repeated when the folder is opened.
3. An invalid line is skipped and reported in ``lost``, except for the last line, which may be incomplete.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from net.palette import BlockState
from net.space import BlockPos
from net.storage.server_save import LogFiles

CRC_DIGITS: Final = 8


class LoggedEdit(NamedTuple):
    """One edit."""

    tick: int
    dimension: int
    position: BlockPos
    layer: int
    state: BlockState


class EditLog:
    """The edit log of one world.

    ``committed``: tick of the committed snapshot. ``lost``: gets a sentence for each unreadable line. ``warn``: called
    with a sentence for a failed write.
    """

    def __init__(self, storage: LogFiles, committed: int, lost: list[str], warn: Callable[[str], None]) -> None:
        self._storage = storage
        self._warn = warn
        self._failing = False
        self._waiting: list[LoggedEdit] = []
        self.earlier = list(_read(storage.read(), committed, lost))  # edits of earlier runs that are in no snapshot
        self.tick = max((edit.tick for edit in self.earlier), default=0)  # tick of the last of them

    def record(self, edit: LoggedEdit) -> None:
        self._waiting.append(edit)

    def flush(self) -> None:
        """Writes the recorded edits; call it before clients get them."""
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
        """The snapshot of a tick is committed."""
        try:
            self._storage.complete(tick)
        except OSError as error:
            self._warn(f"The log of edits cannot be cut ({error.strerror or error}).")

    def close(self) -> None:
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
    """The edits of a line. Raises ValueError, KeyError, TypeError, IndexError: the line is invalid."""
    crc, said = line[:CRC_DIGITS], line[CRC_DIGITS + 1 :]
    if int(crc, 16) != zlib.crc32(said):
        raise ValueError("its checksum differs")
    content = json.loads(said)
    states = [BlockState(str(name), tuple(sorted(values.items()))) for name, values in content["states"]]
    return [
        LoggedEdit(int(content["tick"]), int(dimension), BlockPos(int(x), int(y), int(z)), int(layer), states[place])
        for dimension, x, y, z, layer, place in content["edits"]
    ]
