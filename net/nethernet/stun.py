"""STUN messages (RFC 8489), as far as ICE with host candidates needs them.

    u16be type, u16be length of attributes, u32be cookie, 12 bytes transaction id
    attributes: u16be type, u16be length, value, zeros to 4

MESSAGE-INTEGRITY is the HMAC of all bytes before it, as if the message ended with it; FINGERPRINT is a CRC-32 of all
before it.
"""

import hmac
import struct
import zlib
from collections.abc import Sequence
from enum import IntEnum
from hashlib import sha1
from ipaddress import ip_address
from typing import Final

import msgspec

from net.errors import DecodeError
from net.raknet.handshake import Address

COOKIE: Final = 0x2112A442
HEADER_BYTES: Final = 20
TRANSACTION_BYTES: Final = 12
MOST_ATTRIBUTES: Final = 32

USERNAME: Final = 0x0006
MESSAGE_INTEGRITY: Final = 0x0008
ERROR_CODE: Final = 0x0009
XOR_MAPPED_ADDRESS: Final = 0x0020
PRIORITY: Final = 0x0024
USE_CANDIDATE: Final = 0x0025
FINGERPRINT: Final = 0x8028
ICE_CONTROLLED: Final = 0x8029
ICE_CONTROLLING: Final = 0x802A

_HEADER: Final = struct.Struct(">HHI")
_ATTRIBUTE: Final = struct.Struct(">HH")
_FINGERPRINT_XOR: Final = 0x5354554E
_INTEGRITY_BYTES: Final = 24
_FINGERPRINT_BYTES: Final = 8


class StunKind(IntEnum):
    """Kinds of messages."""

    REQUEST = 0x0001
    SUCCESS = 0x0101
    ERROR = 0x0111


class StunMessage(msgspec.Struct, frozen=True):
    """One message; ``text`` is all of its bytes."""

    kind: StunKind
    transaction: bytes  # 12 bytes that the answer repeats
    attributes: dict[int, bytes]  # the first of each type
    integrity_at: int  # offset of MESSAGE-INTEGRITY, 0 without one
    text: bytes

    def is_signed_by(self, key: bytes) -> bool:
        if not self.integrity_at:
            return False
        length = self.integrity_at - HEADER_BYTES + _INTEGRITY_BYTES
        signed = self.text[:2] + length.to_bytes(2, "big") + self.text[4 : self.integrity_at]
        return hmac.compare_digest(self.attributes[MESSAGE_INTEGRITY], hmac.digest(key, signed, sha1))


def is_stun(datagram: bytes) -> bool:
    """Whether a datagram is STUN, by cookie and length: RakNet shares the range of its first byte."""
    return (
        len(datagram) >= HEADER_BYTES
        and datagram[0] < 4
        and datagram[4:8] == b"\x21\x12\xa4\x42"
        and int.from_bytes(datagram[2:4], "big") == len(datagram) - HEADER_BYTES
    )


def write_stun(kind: StunKind, transaction: bytes, attributes: Sequence[tuple[int, bytes]], key: bytes) -> bytes:
    """A message with integrity and fingerprint."""
    body = b"".join(_attribute(number, value) for number, value in attributes)
    signed = _HEADER.pack(kind, len(body) + _INTEGRITY_BYTES, COOKIE) + transaction + body
    body += _attribute(MESSAGE_INTEGRITY, hmac.digest(key, signed, sha1))
    text = _HEADER.pack(kind, len(body) + _FINGERPRINT_BYTES, COOKIE) + transaction + body
    return text + _attribute(FINGERPRINT, (zlib.crc32(text) ^ _FINGERPRINT_XOR).to_bytes(4, "big"))


def _attribute(number: int, value: bytes) -> bytes:
    return _ATTRIBUTE.pack(number, len(value)) + value + bytes(-len(value) % 4)


def read_stun(datagram: bytes) -> StunMessage:
    """Parses a message; checks a fingerprint if there is one, but not the integrity.

    Raises DecodeError: it is not a message.
    """
    if not is_stun(datagram):
        raise DecodeError("STUN", "header", 0, "is not a STUN header")
    kind = int.from_bytes(datagram[:2], "big")
    if kind not in set(StunKind):
        raise DecodeError("STUN", "type", 0, f"{kind:#06x} is neither a binding request nor its answer")
    attributes: dict[int, bytes] = {}
    integrity_at, at = 0, HEADER_BYTES
    while at < len(datagram):
        if at + 4 > len(datagram) or len(attributes) == MOST_ATTRIBUTES:
            raise DecodeError("STUN", "attributes", at, "are cut short, or too many")
        number, size = _ATTRIBUTE.unpack_from(datagram, at)
        value = datagram[at + 4 : at + 4 + size]
        if len(value) != size:
            raise DecodeError("STUN", "attributes", at, "are cut short")
        if number == FINGERPRINT:
            if value != (zlib.crc32(datagram[:at]) ^ _FINGERPRINT_XOR).to_bytes(4, "big"):
                raise DecodeError("STUN", "fingerprint", at, "is wrong")
        elif integrity_at:
            pass  # attributes after the integrity are not signed
        elif number == MESSAGE_INTEGRITY:
            if size != _INTEGRITY_BYTES - 4:
                raise DecodeError("STUN", "integrity", at, f"has {size} bytes")
            integrity_at = at
        if number == MESSAGE_INTEGRITY or not integrity_at:
            attributes.setdefault(number, value)
        at += 4 + size + (-size % 4)
    return StunMessage(StunKind(kind), datagram[8:HEADER_BYTES], attributes, integrity_at, datagram)


def xor_address(address: Address, transaction: bytes) -> bytes:
    """The value of XOR-MAPPED-ADDRESS."""
    host = ip_address(address[0].partition("%")[0])
    mask = COOKIE.to_bytes(4, "big") + transaction
    masked = bytes(byte ^ other for byte, other in zip(host.packed, mask, strict=False))
    return struct.pack(">BBH", 0, 1 if host.version == 4 else 2, address[1] ^ COOKIE >> 16) + masked
