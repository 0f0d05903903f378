"""Where each player was, under a hash of the id it logs in with.

Rules:
1. Anybody may say any id without a sign-in, so no more are kept than have a place: ``BUCKETS`` by the first bits of the
   hash, ``WAYS`` in each. Whoever finds its bucket full takes the place of the one that was seen there longest ago.
2. A place is a row; its key is bucket and way, and its value names the player. Rows of before the places (the whole
   hash as key) are read, and go no further.
3. What is not stored yet is bounded, too, by ``MOST_UNSAVED``: the oldest goes.

Limit: what is kept of a player is a place and a look.
"""

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from net.errors import FolderError
from net.server.save.transactions import Generation, Row, Storage

HASH_BYTES: Final = 16
KEY_BYTES: Final = 3
BUCKETS: Final = 1 << 12
WAYS: Final = 8
"""32,768 players, about 6 MB. Of 4,000 none is displaced with a probability of 99.5 %."""
HEAD: Final = struct.Struct(f"<{HASH_BYTES}sQ")
"""Whose row it is, and when it was seen, counted in its bucket; JSON follows."""
MOST_UNSAVED: Final = 1024
PLAYER_BYTES: Final = 256
"""What a player counts for, before it is written."""


class SavedPlayer(msgspec.Struct, frozen=True):
    """Where a player was."""

    dimension: int  # its number
    feet: tuple[float, float, float]  # x, y, z in blocks
    yaw: float  # degrees, 0 = +z, 90 = -x
    pitch: float  # degrees, positive looks down


class _SavedRow(msgspec.Struct, frozen=True):
    """A row."""

    hash: bytes
    seen: int
    value: bytes


class Players:
    """All players; a source of transactions.

    ``storage``: where they are kept. ``lost``: gets a sentence for each that cannot be read.
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
        name = _hash(uuid)
        try:
            mine = next((one.value for one in self._bucket(name).values() if one.hash == name), None)
            if mine is None:
                rows = self.storage.read(name, name)  # as it was kept before there were places
                mine = rows[0][1] if rows else None
            return None if mine is None else _read(mine)
        except FolderError as error:
            self._lost.append(f"Player {uuid} cannot be read: {error}.")
            return None

    def record(self, uuid: str, player: SavedPlayer) -> None:
        if self._newer.get(uuid) == player:
            return
        self._newer[uuid] = player
        self.changes += 1
        if len(self._newer) > MOST_UNSAVED:
            del self._newer[next(iter(self._newer))]

    @property
    def dirty_bytes(self) -> int:
        """Of what changed since the last generation."""
        return len(self._newer) * PLAYER_BYTES

    def take(self) -> Generation:
        """What changed, as it is now."""
        self._written, self._newer = self._newer, {}
        rows = tuple(self._rows(self._written))
        return lambda: rows

    def settle(self, *, stored: bool) -> None:
        """The generation taken last is stored for good, or not."""
        if not stored:
            self._newer = dict(list((self._written | self._newer).items())[-MOST_UNSAVED:])
        self._written = {}

    # ---------------------------------------------------------------- places

    def _rows(self, players: dict[str, SavedPlayer]) -> Iterator[Row]:
        buckets: dict[bytes, dict[bytes, _SavedRow]] = {}
        for uuid, player in players.items():
            name = _hash(uuid)
            bucket = _key(name, 0)
            if bucket not in buckets:
                try:
                    buckets[bucket] = self._bucket(name)
                except FolderError:  # whoever was there is told of when it comes back
                    buckets[bucket] = {}
            kept = buckets[bucket]
            key = _place(name, kept)
            seen = 1 + max((one.seen for one in kept.values()), default=0)
            kept[key] = _SavedRow(name, seen, _write(player))
            yield key, HEAD.pack(name, seen) + kept[key].value

    def _bucket(self, name: bytes) -> dict[bytes, _SavedRow]:
        """The rows of a hash's bucket by their keys."""
        rows = self.storage.read(_key(name, 0), _key(name, WAYS - 1))
        found = {}
        for key, value in rows:
            whose, seen = HEAD.unpack_from(value) if len(value) >= HEAD.size else (b"", 0)
            found[key] = _SavedRow(whose, seen, value[HEAD.size :])
        return {key: one for key, one in found.items() if len(key) == KEY_BYTES}


def _place(name: bytes, kept: Mapping[bytes, _SavedRow]) -> bytes:
    """The key under which a player belongs: its own, a free one, or that of who was seen longest ago."""
    mine = next((key for key, one in kept.items() if one.hash == name), None)
    free = (key for way in range(WAYS) if (key := _key(name, way)) not in kept)
    return mine or next(free, None) or min(kept, key=lambda key: kept[key].seen)


def _hash(uuid: str) -> bytes:
    return hashlib.blake2b(uuid.encode(errors="surrogatepass"), digest_size=HASH_BYTES).digest()


def _key(name: bytes, way: int) -> bytes:
    return (int.from_bytes(name[:2], "big") % BUCKETS).to_bytes(2, "big") + bytes((way,))


def _write(player: SavedPlayer) -> bytes:
    said = {"dimension": player.dimension, "feet": player.feet, "yaw": player.yaw, "pitch": player.pitch}
    return json.dumps(said).encode()


def _read(value: bytes) -> SavedPlayer:
    try:
        said: dict[str, Any] = json.loads(value)
        x, y, z, yaw, pitch = (float(part) for part in (*said["feet"], said["yaw"], said["pitch"]))
        if not all(map(math.isfinite, (x, y, z, yaw, pitch))):
            raise ValueError("a number is missing")
        return SavedPlayer(int(said["dimension"]), (x, y, z), yaw, pitch)
    except (ValueError, KeyError, TypeError) as error:
        raise FolderError(f"it cannot be decoded: {error!r}") from None


KEY: Final = b"world"


class WorldState:
    """The world's own numbers; a source of transactions that never is a reason for one.

    ``storage``: where they are kept. ``lost``: gets a sentence where they cannot be read.
    """

    def __init__(self, storage: Storage, lost: list[str]) -> None:
        self.storage = storage
        self.tick = 0  # of the world, the last that was over
        self.time: int | None = None  # of day in ticks, None where none was saved
        self.changes = 0
        self.dirty_bytes = 0
        try:
            for _, value in storage.read(KEY, KEY):
                self.tick, self.time = _read_world_state(value)
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


def _read_world_state(value: bytes) -> tuple[int, int]:
    try:
        said: dict[str, Any] = json.loads(value)
        return int(said["tick"]), int(said["time"])
    except (ValueError, KeyError, TypeError) as error:
        raise FolderError(f"it cannot be decoded: {error!r}") from None
