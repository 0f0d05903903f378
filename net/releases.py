"""All supported releases: protocol number, name, RakNet version (wire.md 7).

Rules:
1. Any number from the oldest to the newest release is supported. One between two releases (a preview, a hot fix) uses
   the packets of the nearest lower release, and its own number in Login.
2. Fields are gated by number where they are declared (``net.wire.fields``); this module has the first protocols of
   changes that affect a whole session.

Protocol detection (``ProtocolRange``, ``readable_by``): a server finds a client's protocol before it reads any packet.
1. A client's first batch holds one packet that begins with its protocol, four bytes, highest first: from 554 on
   RequestNetworkSettings, uncompressed; before it Login, deflated (wire.md 5.3). The bytes show which of the two it is.
2. A client of an unsupported protocol is refused in packets that it can read: those of its own protocol, or of the
   nearest one that we know.
"""

import zlib
from bisect import bisect_right
from typing import Final

import msgspec

from net.errors import DecodeError, LocalProtocolError
from net.wire.cursor import Reader
from net.wire.fields import Profile

SETTINGS_FIRST: Final = 554
"""From here on a session begins with RequestNetworkSettings, uses RakNet 11, and compresses nothing before."""
COMPRESSION_NAMED: Final = 649
"""From here on the first byte of each compressed batch names its algorithm."""

DIMENSION_DATA: Final = 503
"""From here on a server can send the heights of its dimensions."""
DIMENSIONS_NUMBERED: Final = 975
"""From here on it can send their numbers, too, and so can have more than three."""
HASHED_IDS: Final = 582
"""From here on StartGame may declare that block ids are hashes (wire.md 6.2)."""


class Release(msgspec.Struct, frozen=True):
    """One protocol number."""

    protocol: int  # the number
    # of the first game with the protocol in its present form; client tokens call it the game's version. (2168 changed
    # with 1.26.44 and kept its number; gophertunnel accepts no older client.)
    name: str

    @property
    def raknet_version(self) -> int:
        """Version byte of the RakNet handshake."""
        return 11 if self.protocol >= SETTINGS_FIRST else 10


RELEASES: Final = tuple(
    Release(protocol, name)
    for protocol, name in (
        (486, "1.18.10"),
        (503, "1.18.30"),
        (527, "1.19.0"),
        (534, "1.19.10"),
        (544, "1.19.20"),
        (545, "1.19.21"),
        (554, "1.19.30"),
        (557, "1.19.40"),
        (560, "1.19.50"),
        (567, "1.19.60"),
        (568, "1.19.63"),
        (575, "1.19.70"),
        (582, "1.19.80"),
        (589, "1.20.0"),
        (594, "1.20.10"),
        (618, "1.20.30"),
        (622, "1.20.40"),
        (630, "1.20.50"),
        (649, "1.20.60"),
        (662, "1.20.70"),
        (671, "1.20.80"),
        (685, "1.21.0"),
        (686, "1.21.2"),
        (712, "1.21.20"),
        (729, "1.21.30"),
        (748, "1.21.40"),
        (766, "1.21.50"),
        (776, "1.21.60"),
        (786, "1.21.70"),
        (800, "1.21.80"),
        (818, "1.21.90"),
        (819, "1.21.93"),
        (827, "1.21.100"),
        (844, "1.21.111"),
        (859, "1.21.120"),
        (860, "1.21.124"),
        (898, "1.21.130"),
        (924, "1.26.0"),
        (944, "1.26.10"),
        (975, "1.26.20"),
        (1001, "1.26.30"),
        (2168, "1.26.44"),
        (2169, "1.26.45"),
        (2193, "1.26.51"),
    )
)
OLDEST: Final = RELEASES[0]
NEWEST: Final = RELEASES[-1]
SUPPORTED_RANGE: Final = f"{OLDEST.protocol} ({OLDEST.name}) to {NEWEST.protocol} ({NEWEST.name})"
"""For error messages about unsupported numbers."""


def is_supported(protocol: int) -> bool:
    """Whether servers of that number are supported."""
    return OLDEST.protocol <= protocol <= NEWEST.protocol


def release_of(protocol: int) -> Release:
    """The release whose packets a protocol number uses: itself or the nearest lower one.

    Raises LocalProtocolError: the number is outside the supported range, which the message names.
    """
    if not is_supported(protocol):
        raise LocalProtocolError(f"protocol {protocol} is not supported; supported are {SUPPORTED_RANGE}")
    return RELEASES[bisect_right(RELEASES, protocol, key=lambda release: release.protocol) - 1]


_LOGIN: Final = 1
_REQUEST_SETTINGS: Final = 193
_HEAD_BYTES: Final = 16
"""Length, header and protocol of the first packet take 14 at most."""


class ProtocolRange(msgspec.Struct, frozen=True):
    """All protocols from one to another, in one profile.

    Raises LocalProtocolError: an end is not supported, or the range is empty.
    """

    lowest: int = OLDEST.protocol  # protocol number
    highest: int = NEWEST.protocol  # protocol number; pings report it
    profile: Profile = Profile.BEDROCK  # layout of the terrain packets

    def __post_init__(self) -> None:
        """Checks both ends."""
        release_of(self.lowest)
        release_of(self.highest)
        if self.lowest > self.highest:
            raise LocalProtocolError(f"no supported protocol is from {self.lowest} to {self.highest}")

    @classmethod
    def only(cls, protocol: int, profile: Profile = Profile.BEDROCK) -> "ProtocolRange":
        return cls(protocol, protocol, profile)

    def __contains__(self, protocol: int) -> bool:
        return self.lowest <= protocol <= self.highest

    def __str__(self) -> str:
        if self.lowest == self.highest:
            return f"protocol {self.lowest}"
        first, last = release_of(self.lowest), release_of(self.highest)
        return f"protocols {self.lowest} ({first.name}) to {self.highest} ({last.name})"


def readable_by(payload: bytes, mark: bytes = b"\xfe") -> int | None:
    """The protocol whose packets the sender of a first payload can read: its own, or the nearest one that we know.

    None if the payload names none. A number that contradicts the payload's form is limited to the protocols with that
    form. ``mark``: first bytes of the link's batches.
    """
    if not payload.startswith(mark):
        return None
    batch = payload[len(mark) :]
    asked = _protocol_in(batch[:_HEAD_BYTES], _REQUEST_SETTINGS)
    if asked is not None:
        return min(max(asked, SETTINGS_FIRST), NEWEST.protocol)
    try:
        head = zlib.decompressobj(-zlib.MAX_WBITS).decompress(batch, _HEAD_BYTES)
    except zlib.error:
        return None
    named = _protocol_in(head, _LOGIN)
    return None if named is None else min(max(named, OLDEST.protocol), SETTINGS_FIRST - 1)


def _protocol_in(head: bytes, number: int) -> int | None:
    """The protocol at the head of a batch whose first packet has this number; None for another packet."""
    reader = Reader(head, "batch")
    try:
        reader.uv32()
        return int.from_bytes(reader.take(4), "big", signed=True) if reader.uv32() == number else None
    except DecodeError:
        return None
