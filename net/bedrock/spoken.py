"""Which protocols a server speaks, and how it tells whose a client is before any packet is read.

Rules:
1. A client's first batch holds one packet that begins with its protocol, four bytes, highest first: from 554 on
   RequestNetworkSettings, as it is; before it Login, deflated (wire.md 5.3). Both forms are told apart by their bytes.
2. Whoever is not served is told so in packets that it can read: those of its own protocol, or the nearest we know.
"""

import zlib
from typing import Final

from net.bedrock.releases import NEWEST, OLDEST, SETTINGS_FIRST, release_of
from net.errors import DecodeError, LocalProtocolError
from net.frozen import frozen
from net.wire.profile import Profile
from net.wire.reader import Reader

_MARK: Final = b"\xfe"
_LOGIN: Final = 1
_REQUEST_SETTINGS: Final = 193
_HEAD_BYTES: Final = 16
"""Length, header and protocol of the first packet take 14 at most."""


@frozen
class Spoken:
    """All protocols from one to another, in one profile.

    Attributes:
        lowest: protocol number.
        highest: protocol number; what pings are told where there are several.
        profile: which layout of the terrain packets.

    Raises:
        LocalProtocolError: a number that this package does not speak, or none between them.
    """

    lowest: int = OLDEST.protocol
    highest: int = NEWEST.protocol
    profile: Profile = Profile.BEDROCK

    def __post_init__(self) -> None:
        """Checks both ends."""
        release_of(self.lowest)
        release_of(self.highest)
        if self.lowest > self.highest:
            raise LocalProtocolError(f"no protocol is from {self.lowest} to {self.highest}")

    @classmethod
    def only(cls, protocol: int, profile: Profile = Profile.BEDROCK) -> "Spoken":
        """One protocol."""
        return cls(protocol, protocol, profile)

    def __contains__(self, protocol: int) -> bool:
        return self.lowest <= protocol <= self.highest

    def __str__(self) -> str:
        if self.lowest == self.highest:
            return f"protocol {self.lowest}"
        first, last = release_of(self.lowest), release_of(self.highest)
        return f"protocols {self.lowest} ({first.name}) to {self.highest} ({last.name})"


def readable_by(payload: bytes) -> int | None:
    """The protocol whose packets the sender of a first payload reads: the one that it says, or the nearest we know.

    None where it says none. One whose number does not go with its form is spoken to in the form.
    """
    if payload[:1] != _MARK:
        return None
    asked = _said(payload[1 : 1 + _HEAD_BYTES], _REQUEST_SETTINGS)
    if asked is not None:
        return min(max(asked, SETTINGS_FIRST), NEWEST.protocol)
    try:
        head = zlib.decompressobj(-zlib.MAX_WBITS).decompress(payload[1:], _HEAD_BYTES)
    except zlib.error:
        return None
    said = _said(head, _LOGIN)
    return None if said is None else min(max(said, OLDEST.protocol), SETTINGS_FIRST - 1)


def _said(head: bytes, number: int) -> int | None:
    """The protocol at the head of a batch whose first packet has that number; None for another packet."""
    reader = Reader(head, "batch")
    try:
        reader.uv32()
        return int.from_bytes(reader.take(4), "big", signed=True) if reader.uv32() == number else None
    except DecodeError:
        return None
