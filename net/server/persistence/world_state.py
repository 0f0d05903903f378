"""The tick and the clock: one row, written with every snapshot."""

import json
from collections.abc import Iterator
from typing import Any, Final

from net.errors import FolderError
from net.server.persistence.storage import Generation, Row, Storage

KEY: Final = b"world"


class WorldState:
    """The world's own numbers; a source of transactions that never is a reason for one.

    Args:
        storage: where they are kept.
        lost: gets a sentence where they cannot be read.

    Attributes:
        tick: of the world, the last that was over.
        time: of day in ticks, None where none was saved.
    """

    def __init__(self, storage: Storage, lost: list[str]) -> None:
        self.storage = storage
        self.tick = 0
        self.time: int | None = None
        self.changes = 0
        self.dirty_bytes = 0
        try:
            for _, value in storage.read(KEY, KEY):
                self.tick, self.time = _read(value)
        except FolderError as error:
            lost.append(f"The clock of the world cannot be read: {error}.")

    def take(self) -> Generation:
        """The row, as it is now."""
        value = json.dumps({"tick": self.tick, "time": self.time}).encode()

        def rows() -> Iterator[Row]:
            yield KEY, value

        return rows

    def settle(self, *, stored: bool) -> None:
        """Nothing hangs on it: the next snapshot has the row again."""


def _read(value: bytes) -> tuple[int, int]:
    try:
        said: dict[str, Any] = json.loads(value)
        return int(said["tick"]), int(said["time"])
    except (ValueError, KeyError, TypeError) as error:
        raise FolderError(f"it makes no sense: {error!r}") from None
