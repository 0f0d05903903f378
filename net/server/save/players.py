"""Each player's position, under a hash of the id it logs in with.

Rules:
1. Without a sign-in a client may use any id, so the number of saved players is limited: ``BUCKETS`` by the first bits
   of the hash, with ``WAYS`` rows each. A player whose bucket is full replaces the one seen there longest ago.
2. The row's key is bucket and way; its value names the player. Rows of the older format (key: the whole hash) are still
   read, but not written.
3. Players not yet stored are limited, too, by ``MOST_UNSAVED``: the oldest is dropped.

Limit: only position and orientation of a player are saved.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from net.errors import FolderError
from net.server.save.transactions import Generation
from net.storage.server_save import Row, RowStorage

HASH_BYTES: Final = 16
KEY_BYTES: Final = 3
BUCKETS: Final = 1 << 12
WAYS: Final = 8
"""32,768 players, about 6 MB. Of 4,000 players none is displaced with a probability of 99.5 %."""
HEAD: Final = struct.Struct(f"<{HASH_BYTES}sQ")
"""The player's hash, and when it was seen, counted in its bucket; JSON follows."""
MOST_UNSAVED: Final = 1024
PLAYER_BYTES: Final = 256
"""Size that an unwritten player counts for."""


class SavedPlayer(msgspec.Struct, frozen=True):
    """Where a player was."""

    dimension: int  # its number
    feet: tuple[float, float, float]  # x, y, z in blocks
    yaw: float  # degrees, 0 = +z, 90 = -x
    pitch: float  # degrees, positive looks down


class _SavedRow(msgspec.Struct, frozen=True):
    hash: bytes
    seen: int
    value: bytes


class Players:
    """All saved players; a source of transactions. ``lost``: gets a sentence for each unreadable player."""

    def __init__(self, storage: RowStorage, lost: list[str]) -> None:
        self.storage = storage
        self._lost = lost
        self._newer: dict[str, SavedPlayer] = {}
        self._written: dict[str, SavedPlayer] = {}
        self.changes = 0

    def restore(self, uuid: str) -> SavedPlayer | None:
        """A player's last position; None for a new player."""
        newer = self._newer.get(uuid) or self._written.get(uuid)
        if newer is not None:
            return newer
        name = _hash(uuid)
        try:
            mine = next((one.value for one in self._bucket(name).values() if one.hash == name), None)
            if mine is None:
                rows = self.storage.read(name, name)  # older format, without buckets
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
        """Size of the changes since the last generation."""
        return len(self._newer) * PLAYER_BYTES

    def take(self) -> Generation:
        """The changes since the last call, as they are now."""
        self._written, self._newer = self._newer, {}
        rows = tuple(self._rows(self._written))
        return lambda: rows

    def settle(self, *, stored: bool) -> None:
        """Reports whether the generation taken last is stored."""
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
                except FolderError:  # reported when that player comes back
                    buckets[bucket] = {}
            kept = buckets[bucket]
            key = _place(name, kept)
            seen = 1 + max((one.seen for one in kept.values()), default=0)
            kept[key] = _SavedRow(name, seen, msgspec.json.encode(player))
            yield key, HEAD.pack(name, seen) + kept[key].value

    def _bucket(self, name: bytes) -> dict[bytes, _SavedRow]:
        """The rows of a hash's bucket by their keys."""
        found = {}
        for key, value in self.storage.read(_key(name, 0), _key(name, WAYS - 1)):
            if len(key) == KEY_BYTES:
                whose, seen = HEAD.unpack_from(value) if len(value) >= HEAD.size else (b"", 0)
                found[key] = _SavedRow(whose, seen, value[HEAD.size :])
        return found


def _place(name: bytes, kept: Mapping[bytes, _SavedRow]) -> bytes:
    """The key for a player: its own, a free one, or that of the player seen longest ago."""
    mine = next((key for key, one in kept.items() if one.hash == name), None)
    free = (key for way in range(WAYS) if (key := _key(name, way)) not in kept)
    return mine or next(free, None) or min(kept, key=lambda key: kept[key].seen)


def _hash(uuid: str) -> bytes:
    return hashlib.blake2b(uuid.encode(errors="surrogatepass"), digest_size=HASH_BYTES).digest()


def _key(name: bytes, way: int) -> bytes:
    return (int.from_bytes(name[:2], "big") % BUCKETS).to_bytes(2, "big") + bytes((way,))


def _read(value: bytes) -> SavedPlayer:
    try:
        return msgspec.json.decode(value, type=SavedPlayer)
    except msgspec.MsgspecError as error:
        raise FolderError(f"it cannot be decoded: {error}") from None


KEY: Final = b"world"


class _SavedClock(msgspec.Struct):
    tick: int
    time: int


class WorldState:
    """The world's tick and clock; a source of transactions that never triggers a snapshot.

    ``lost``: gets a sentence if they cannot be read.
    """

    changes = 0
    dirty_bytes = 0

    def __init__(self, storage: RowStorage, lost: list[str]) -> None:
        self.storage = storage
        self.tick = 0  # the last finished tick
        self.time: int | None = None  # of day in ticks, None if none was saved
        try:
            for _, value in storage.read(KEY, KEY):
                saved = msgspec.json.decode(value, type=_SavedClock)
                self.set(saved.tick, saved.time)
        except (FolderError, msgspec.MsgspecError) as error:
            lost.append(f"The clock of the world cannot be read: {error}.")

    def set(self, tick: int, time: int) -> None:
        self.tick, self.time = tick, time

    def take(self) -> Generation:
        rows = ((KEY, msgspec.json.encode({"tick": self.tick, "time": self.time})),)
        return lambda: rows

    def settle(self, *, stored: bool) -> None:
        """Does nothing: every snapshot has the row."""
