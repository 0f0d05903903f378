"""Frames: what a data datagram holds (wire.md 5.2).

Datagram: flags, u24le sequence number, frames until the end. Frame: ``reliability << 5 | 0x10 if a fragment``,
u16be length in bits, then by reliability the u24le reliable, sequence and order indices with a channel, then for a
fragment u32be count, u16be id, u32be index, then the bytes.

The reliabilities 5, 6 and 7 of the wire are 0, 2 and 3 with a receipt for the sender's application: nothing on the
wire differs, so they are read as those.
"""

import struct
from enum import IntEnum
from typing import Final, NamedTuple

from net.errors import DecodeError

DATA_FLAGS: Final = 0x84
"""Valid, with the bit every Bedrock end sets (RakNet: "needs B and AS", unused since)."""
DATAGRAM_HEADER_BYTES: Final = 4
ORDER_CHANNELS: Final = 32
LARGEST_FRAME_BYTES: Final = 8191
"""What a length in 16 bits' worth of bits can say."""
FRAGMENT_HEADER_BYTES: Final = 10

_FRAGMENT_FLAG: Final = 0x10
_FRAGMENT: Final = struct.Struct(">IHI")
_tuple: Final = tuple.__new__
"""Makes a named tuple of a tuple in half the time its own constructor takes (0.2 us of 7 a datagram, each)."""
_ORDERED: Final = struct.Struct("<BBII")
"""Head of a reliable ordered frame: flags, high byte of the length, low byte | reliable index << 8, order index |
channel << 24. The mixed byte orders of the wire fall on these borders."""


class Reliability(IntEnum):
    """How a payload travels."""

    UNRELIABLE = 0  # once, perhaps never, in any order
    UNRELIABLE_SEQUENCED = 1  # perhaps never; what comes late is dropped
    RELIABLE = 2  # surely, in any order
    RELIABLE_ORDERED = 3  # surely and in order: all of the game
    RELIABLE_SEQUENCED = 4  # sent until it arrives; what comes late is dropped

    @property
    def reliable(self) -> bool:
        """Whether it is sent again when lost, and so carries a reliable index."""
        return self >= Reliability.RELIABLE

    @property
    def sequenced(self) -> bool:
        """Whether it carries a sequence index."""
        return self in {Reliability.UNRELIABLE_SEQUENCED, Reliability.RELIABLE_SEQUENCED}

    @property
    def ordered(self) -> bool:
        """Whether it carries an order index and a channel."""
        return self.sequenced or self is Reliability.RELIABLE_ORDERED

    @property
    def header_bytes(self) -> int:
        """Of a frame that is no fragment."""
        return 3 + 3 * self.reliable + 3 * self.sequenced + 4 * self.ordered


_BY_NUMBER: Final = (*Reliability, Reliability.UNRELIABLE, Reliability.RELIABLE, Reliability.RELIABLE_ORDERED)
_KINDS: Final = tuple((kind, kind.reliable, kind.sequenced, kind.ordered, kind.header_bytes) for kind in _BY_NUMBER)


class Fragment(NamedTuple):
    """Which piece of which payload a frame is."""

    pieces: int
    payload_id: int
    piece: int


class Frame(NamedTuple):
    """One frame; an index its reliability does not carry is 0. Indices are short, see ``ack``."""

    payload: bytes
    reliability: Reliability
    reliable_index: int = 0
    sequence_index: int = 0
    order_index: int = 0
    channel: int = 0
    fragment: Fragment | None = None


def write_frame(frame: Frame) -> bytes:
    """One frame on the wire; indices are cut to 24 bits."""
    payload, kind, reliable_index, sequence_index, order_index, channel, fragment = frame
    head = write_head(kind, len(payload), reliable_index, sequence_index, order_index, channel, fragment)
    return head + payload


def write_head(
    kind: Reliability,
    size_bytes: int,
    reliable_index: int,
    sequence_index: int,
    order_index: int,
    channel: int,
    fragment: tuple[int, int, int] | None = None,
) -> bytes:
    """What stands before a payload of ``size_bytes``; plain arguments, since a sender calls it for every datagram."""
    bits = size_bytes * 8
    flags = kind << 5 | (0 if fragment is None else _FRAGMENT_FLAG)
    tail = b"" if fragment is None else _FRAGMENT.pack(*fragment)
    if kind is Reliability.RELIABLE_ORDERED:
        low = (bits & 0xFF) | (reliable_index & 0xFFFFFF) << 8
        return _ORDERED.pack(flags, bits >> 8, low, (order_index & 0xFFFFFF) | channel << 24) + tail
    parts = [bytes((flags,)), bits.to_bytes(2, "big")]
    if kind.reliable:
        parts.append((reliable_index & 0xFFFFFF).to_bytes(3, "little"))
    if kind.sequenced:
        parts.append((sequence_index & 0xFFFFFF).to_bytes(3, "little"))
    if kind.ordered:
        parts.append((order_index & 0xFFFFFF).to_bytes(3, "little"))
        parts.append(bytes((channel,)))
    return b"".join((*parts, tail))


def read_frames(datagram: bytes) -> list[Frame]:
    """All frames of a data datagram.

    Raises:
        DecodeError: cut short, empty, a fragment that is not reliable or lies outside its payload, an unknown channel.
    """
    frames = []
    at = DATAGRAM_HEADER_BYTES
    end = len(datagram)
    if end <= at:
        raise DecodeError("Datagram", "frames", at, "it is empty")
    while at < end:  # one frame, nearly always
        frame, at = _read_frame(datagram, at, end)
        frames.append(frame)
    return frames


def _read_frame(datagram: bytes, at: int, end: int) -> tuple[Frame, int]:
    flags = datagram[at]
    kind, reliable, sequenced, ordered, header_bytes = _KINDS[flags >> 5]
    split = flags & _FRAGMENT_FLAG
    body = at + header_bytes + (FRAGMENT_HEADER_BYTES if split else 0)
    if body > end:
        raise DecodeError("Datagram", "frame.header", at, "the datagram is cut short")
    reliable_index = sequence_index = order_index = channel = 0
    if kind is Reliability.RELIABLE_ORDERED:
        _, high, low, order_index = _ORDERED.unpack_from(datagram, at)
        size = ((high << 8 | (low & 0xFF)) + 7) >> 3
        reliable_index = low >> 8
        channel = order_index >> 24
        order_index &= 0xFFFFFF
    else:
        size = ((datagram[at + 1] << 8 | datagram[at + 2]) + 7) >> 3
        field = at + 3
        if reliable:
            reliable_index = int.from_bytes(datagram[field : field + 3], "little")
            field += 3
        if sequenced:
            sequence_index = int.from_bytes(datagram[field : field + 3], "little")
            field += 3
        if ordered:
            order_index = int.from_bytes(datagram[field : field + 3], "little")
            channel = datagram[field + 3]
    stop = body + size
    if not size or stop > end:
        raise DecodeError("Datagram", "frame.length", at + 1, f"{size} bytes are announced, but {end - body} are left")
    if channel >= ORDER_CHANNELS:
        raise DecodeError("Datagram", "frame.channel", body - 1, f"{channel} is not below {ORDER_CHANNELS}")
    fragment = _read_fragment(datagram, body - FRAGMENT_HEADER_BYTES, reliable) if split else None
    fields = (datagram[body:stop], kind, reliable_index, sequence_index, order_index, channel, fragment)
    return _tuple(Frame, fields), stop


def _read_fragment(datagram: bytes, at: int, reliable: bool) -> Fragment:
    fragment = _tuple(Fragment, _FRAGMENT.unpack_from(datagram, at))
    if not reliable:  # RakNet's own sender makes any payload it splits reliable; the rest would never complete
        raise DecodeError("Datagram", "frame.fragment", at, "a fragment that is not reliable")
    if fragment.piece >= fragment.pieces:
        raise DecodeError(
            "Datagram", "frame.fragment.index", at + 6, f"{fragment.piece} is not below {fragment.pieces}"
        )
    return fragment
