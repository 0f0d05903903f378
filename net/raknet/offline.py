"""Messages before a connection exists (wire.md 5.1). Integers are big endian; each carries the magic.

An offline message starts with a byte below 0x80, where the datagrams of a session have the valid flag.
"""

import struct
from typing import Final

from net.errors import DecodeError
from net.frozen import frozen
from net.raknet.address import Address, read_address, write_address
from net.raknet.limits import UDP_OVERHEAD_BYTES

MAGIC: Final = bytes.fromhex("00ffff00fefefefefdfdfdfd12345678")

OPEN_REQUEST_1: Final = 0x05
OPEN_REPLY_1: Final = 0x06
OPEN_REQUEST_2: Final = 0x07
OPEN_REPLY_2: Final = 0x08
INCOMPATIBLE_VERSION: Final = 0x19

ALREADY_CONNECTED: Final = 0x12
NO_FREE_CONNECTIONS: Final = 0x14
REFUSALS: Final = {
    ALREADY_CONNECTED: "the server still has a connection from this address",
    NO_FREE_CONNECTIONS: "the server is full",
    0x17: "the server bans this address",
    0x1A: "the server wants a pause between two connections from one address",
}
"""Answers that end the attempt: id to what they mean."""


@frozen
class OpenRequest1:
    """May I, in datagrams of this size? The message is padded to the size it asks for."""

    version: int
    mtu_bytes: int


@frozen
class OpenReply1:
    """You may. A cookie has to be repeated; it proves that the client receives at its address."""

    guid: int
    cookie: int | None
    mtu_bytes: int


@frozen
class OpenRequest2:
    """I do."""

    server: Address
    mtu_bytes: int
    guid: int
    cookie: int | None


@frozen
class OpenReply2:
    """There is a session."""

    guid: int
    client: Address
    mtu_bytes: int


@frozen
class IncompatibleVersion:
    """The server speaks another version."""

    version: int
    guid: int


@frozen
class Refusal:
    """The server will not; ``kind`` is a key of ``REFUSALS``."""

    kind: int
    guid: int


OfflineMessage = OpenRequest1 | OpenReply1 | OpenRequest2 | OpenReply2 | IncompatibleVersion | Refusal


_WITH_COOKIE: Final = frozenset({5 + 7 + 10, 5 + 29 + 10})
"""Bytes of an OpenRequest2 behind the mark: cookie, address of four or sixteen bytes, MTU and number."""


def write_offline(message: OfflineMessage) -> bytes:
    """The whole UDP payload."""
    match message:
        case OpenRequest1(version, mtu_bytes):
            return (bytes((OPEN_REQUEST_1,)) + MAGIC + bytes((version,))).ljust(mtu_bytes - UDP_OVERHEAD_BYTES, b"\0")
        case OpenReply1(guid, cookie, mtu_bytes):
            secured = b"\0" if cookie is None else b"\1" + cookie.to_bytes(4, "big")
            return bytes((OPEN_REPLY_1,)) + MAGIC + struct.pack(">Q", guid) + secured + struct.pack(">H", mtu_bytes)
        case OpenRequest2(server, mtu_bytes, guid, cookie):
            secured = b"" if cookie is None else cookie.to_bytes(4, "big") + b"\0"
            rest = write_address(server) + struct.pack(">HQ", mtu_bytes, guid)
            return bytes((OPEN_REQUEST_2,)) + MAGIC + secured + rest
        case OpenReply2(guid, client, mtu_bytes):
            rest = write_address(client) + struct.pack(">H?", mtu_bytes, False)
            return bytes((OPEN_REPLY_2,)) + MAGIC + struct.pack(">Q", guid) + rest
        case IncompatibleVersion(version, guid):
            return bytes((INCOMPATIBLE_VERSION, version)) + MAGIC + struct.pack(">Q", guid)
        case Refusal(kind, guid):
            return bytes((kind,)) + MAGIC + struct.pack(">Q", guid)


def read_offline(datagram: bytes, *, cookies: bool = False) -> OfflineMessage | None:
    """The message in a datagram, None when it is no offline message of a handshake.

    Args:
        datagram: a whole UDP payload.
        cookies: whether an OpenRequest2 has to carry a cookie; the message itself does not say.

    Raises:
        DecodeError: a message whose fields do not fit.
    """
    kind = datagram[0] if datagram else None
    at = 2 if kind == INCOMPATIBLE_VERSION else 1
    if kind is None or datagram[at : at + len(MAGIC)] != MAGIC:
        return None
    body = datagram[at + len(MAGIC) :]
    try:
        return _read(kind, datagram, body, cookies)
    except (struct.error, IndexError):
        raise DecodeError(f"offline message {kind:#04x}", "fields", at + len(MAGIC), "it is cut short") from None


def carries_cookie(datagram: bytes) -> bool:
    """Whether an OpenRequest2 carries a cookie, which makes it longer by that and by one byte; else nothing of note."""
    return len(datagram) - 1 - len(MAGIC) in _WITH_COOKIE


def _read(kind: int, datagram: bytes, body: bytes, cookies: bool) -> OfflineMessage | None:
    if kind == OPEN_REQUEST_1:
        return OpenRequest1(body[0], len(datagram) + UDP_OVERHEAD_BYTES)
    if kind == OPEN_REPLY_1:
        guid, secured = struct.unpack_from(">Q?", body)
        cookie = struct.unpack_from(">I", body, 9)[0] if secured else None
        return OpenReply1(guid, cookie, struct.unpack_from(">H", body, 13 if secured else 9)[0])
    if kind == OPEN_REQUEST_2:
        cookie = struct.unpack_from(">I", body)[0] if cookies else None
        server, at = read_address(body, 5 if cookies else 0, "OpenRequest2", "server")
        mtu_bytes, guid = struct.unpack_from(">HQ", body, at)
        return OpenRequest2(server, mtu_bytes, guid, cookie)
    if kind == OPEN_REPLY_2:
        client, at = read_address(body, 8, "OpenReply2", "client")
        return OpenReply2(struct.unpack_from(">Q", body)[0], client, struct.unpack_from(">H", body, at)[0])
    if kind == INCOMPATIBLE_VERSION:
        return IncompatibleVersion(datagram[1], struct.unpack_from(">Q", body)[0])
    return Refusal(kind, struct.unpack_from(">Q", body)[0]) if kind in REFUSALS else None
