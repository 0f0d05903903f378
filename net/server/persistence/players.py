"""Where each player was, under a hash of the id it logs in with.

Limit: without a sign-in anybody may say any id; what is kept of a player is a place and a look.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from net.errors import FolderError
from net.server.persistence.storage import Generation, Row, Storage

KEY_BYTES: Final = 16
PLAYER_BYTES: Final = 256
"""What a player counts for, before it is written."""


@dataclass(frozen=True, slots=True)
class SavedPlayer:
    """Where a player was.

    Attributes:
        dimension: its number.
        feet: x, y, z in blocks.
        yaw: degrees, 0 = +z, 90 = -x.
        pitch: degrees, positive looks down.
    """

    dimension: int
    feet: tuple[float, float, float]
    yaw: float
    pitch: float


class Players:
    """All players; a source of transactions.

    Args:
        storage: where they are kept.
        lost: gets a sentence for each that cannot be read.
    """

    def __init__(self, storage: Storage, lost: list[str]) -> None:
        self.storage = storage
        self._lost = lost
        self._newer: dict[str, SavedPlayer] = {}
        self._written: dict[str, SavedPlayer] = {}
        self.changes = 0

    def restore(self, uuid: str) -> SavedPlayer | None:
        """Where a player was last, None for a new one."""
        newer = self._newer.get(uuid) or self._written.get(uuid)
        if newer is not None:
            return newer
        key = _key(uuid)
        try:
            rows = self.storage.read(key, key)
            return _read(rows[0][1]) if rows else None
        except FolderError as error:
            self._lost.append(f"Player {uuid} cannot be read: {error}.")
            return None

    def note(self, uuid: str, player: SavedPlayer) -> None:
        """A player is somewhere."""
        if self._newer.get(uuid) != player:
            self._newer[uuid] = player
            self.changes += 1

    @property
    def dirty_bytes(self) -> int:
        """Of what changed since the last generation."""
        return len(self._newer) * PLAYER_BYTES

    def take(self) -> Generation:
        """What changed, as it is now."""
        self._written, self._newer = self._newer, {}
        players = tuple(self._written.items())

        def rows() -> Iterator[Row]:
            for uuid, player in players:
                yield _key(uuid), _write(player)

        return rows

    def settle(self, *, stored: bool) -> None:
        """The generation taken last is stored for good, or not."""
        if not stored:
            self._newer = self._written | self._newer
        self._written = {}


def _key(uuid: str) -> bytes:
    return hashlib.blake2b(uuid.encode(errors="surrogatepass"), digest_size=KEY_BYTES).digest()


def _write(player: SavedPlayer) -> bytes:
    said = {"dimension": player.dimension, "feet": player.feet, "yaw": player.yaw, "pitch": player.pitch}
    return json.dumps(said).encode()


def _read(value: bytes) -> SavedPlayer:
    try:
        said: dict[str, Any] = json.loads(value)
        x, y, z, yaw, pitch = (float(part) for part in (*said["feet"], said["yaw"], said["pitch"]))
        if not all(map(math.isfinite, (x, y, z, yaw, pitch))):
            raise ValueError("a number is none")
        return SavedPlayer(int(said["dimension"]), (x, y, z), yaw, pitch)
    except (ValueError, KeyError, TypeError) as error:
        raise FolderError(f"it makes no sense: {error!r}") from None
