"""Messages before a connection exists, and addresses (wire.md 5.1). Integers are big endian.

Offline messages: each carries the magic and starts with a byte below 0x80, where the datagrams of a session have the
valid flag.

Online messages: RakNet's own messages of a connected session; they travel inside frames. Ids below ``FIRST_USER_ID``
are RakNet's; everything else is a payload of the game (0xfe).

Addresses. IPv4: ``04``, four bytes each complemented, u16be port. IPv6: ``06``, u16le family (23), u16be port, u32
flow, 16 bytes, u32 scope. Passing a host that is not an IP literal is a caller's error: the transport resolves names.
"""

import struct
from ipaddress import IPv6Address, ip_address
from typing import Final

import msgspec

from net.errors import DecodeError, LocalProtocolError
from net.raknet.limits import UDP_OVERHEAD_BYTES

Address = tuple[str, int]
"""IP literal and UDP port, as sockets give them (the first two members for IPv6)."""

UNSPECIFIED: Final = ("255.255.255.255", 19132)
"""Filler of the lists of internal addresses."""

_IPV4_BYTES: Final = 7
_IPV6_BYTES: Final = 29
_FAMILY_IPV6: Final = 23


def write_address(address: Address) -> bytes:
    """One address on the wire. Raises LocalProtocolError: the host is not an IP literal."""
    try:
        host = ip_address(address[0].partition("%")[0])
    except ValueError:
        raise LocalProtocolError(f"{address[0]!r} is not an IP address") from None
    if isinstance(host, IPv6Address):
        family = struct.pack(">B", 6) + struct.pack("<H", _FAMILY_IPV6)
        return family + struct.pack(">HI", address[1], 0) + host.packed + bytes(4)
    return b"\x04" + bytes(byte ^ 0xFF for byte in host.packed) + struct.pack(">H", address[1])


def read_address(message: bytes, offset: int, packet: str, field: str = "address") -> tuple[Address, int]:
    """Reads one address at ``offset``; returns it and the offset after it.

    Raises DecodeError: cut short or of an unknown kind; names ``packet`` and ``field``.
    """
    kind = message[offset] if offset < len(message) else None
    if kind == 4 and offset + _IPV4_BYTES <= len(message):
        host = ".".join(str(byte ^ 0xFF) for byte in message[offset + 1 : offset + 5])
        return (host, int.from_bytes(message[offset + 5 : offset + 7], "big")), offset + _IPV4_BYTES
    if kind == 6 and offset + _IPV6_BYTES <= len(message):
        port = int.from_bytes(message[offset + 3 : offset + 5], "big")
        return (str(IPv6Address(message[offset + 9 : offset + 25])), port), offset + _IPV6_BYTES
    reason = "it is cut short" if kind in {4, 6, None} else f"kind {kind} is neither 4 nor 6"
    raise DecodeError(packet, field, offset, reason)


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
    0x1A: "the server requires a pause between two connections from one address",
}
"""Answers that end the attempt: meaning by id."""


class OpenRequest1(msgspec.Struct, frozen=True):
    """Asks to connect with datagrams of this size. The message is padded to that size."""

    version: int
    mtu_bytes: int


class OpenReply1(msgspec.Struct, frozen=True):
    """Accepts the size. The client must repeat a cookie, which proves that it receives at its address."""

    guid: int
    cookie: int | None
    mtu_bytes: int


class OpenRequest2(msgspec.Struct, frozen=True):
    """Confirms the size and opens the session."""

    server: Address
    mtu_bytes: int
    guid: int
    cookie: int | None


class OpenReply2(msgspec.Struct, frozen=True):
    """The session is open."""

    guid: int
    client: Address
    mtu_bytes: int


class IncompatibleVersion(msgspec.Struct, frozen=True):
    """The server has another version."""

    version: int
    guid: int


class HandshakeRefusal(msgspec.Struct, frozen=True):
    """The server refuses; ``kind`` is a key of ``REFUSALS``."""

    kind: int
    guid: int


OfflineMessage = OpenRequest1 | OpenReply1 | OpenRequest2 | OpenReply2 | IncompatibleVersion | HandshakeRefusal


_WITH_COOKIE: Final = frozenset({5 + 7 + 10, 5 + 29 + 10})
"""Bytes of an OpenRequest2 after the magic: cookie, address of four or sixteen bytes, MTU and number."""


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
        case HandshakeRefusal(kind, guid):
            return bytes((kind,)) + MAGIC + struct.pack(">Q", guid)


def read_offline(datagram: bytes, *, cookies: bool = False) -> OfflineMessage | None:
    """The message in a datagram; None if it is not an offline message of a handshake.

    ``cookies``: whether an OpenRequest2 has to carry a cookie; the message itself does not say. Raises DecodeError: a
    message whose fields are invalid.
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
    """Whether an OpenRequest2 carries a cookie: it is then longer by that and one byte."""
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
    return HandshakeRefusal(kind, struct.unpack_from(">Q", body)[0]) if kind in REFUSALS else None


CONNECTED_PING: Final = 0x00
CONNECTED_PONG: Final = 0x03
DETECT_LOST: Final = 0x04
CONNECTION_REQUEST: Final = 0x09
CONNECTION_ACCEPTED: Final = 0x10
NEW_INCOMING_CONNECTION: Final = 0x13
DISCONNECTED: Final = 0x15
FIRST_USER_ID: Final = 0x86

INTERNAL_ADDRESSES: Final = 20
"""Number of its own addresses that an end sends; no end reads them. Some send 10."""
MOST_ADDRESSES: Final = 64
"""Addresses that are read; one message may be megabytes long, and each costs microseconds."""
PING_BYTES: Final = 9
_TIMES_BYTES: Final = 16
_U64: Final = 0xFFFFFFFFFFFFFFFF


class ConnectionRequest(msgspec.Struct, frozen=True):
    """The client's first online message."""

    guid: int  # the client's, as in its open request
    sent_ms: int  # the client's clock


class ConnectionAccepted(msgspec.Struct, frozen=True):
    """The server's answer; also the form of the client's last message, NewIncomingConnection."""

    address: Address  # the receiver's address as the sender sees it
    first_ms: int  # accepted: time of the request. NewIncomingConnection: time of the acceptance.
    second_ms: int  # the sender's clock


def write_connection_request(message: ConnectionRequest) -> bytes:
    """``09``, guid, time, no security."""
    return struct.pack(">BQQ?", CONNECTION_REQUEST, message.guid, message.sent_ms, False)


def read_connection_request(payload: bytes) -> ConnectionRequest:
    """Mirror of ``write_connection_request``."""
    if len(payload) < 17:
        raise DecodeError("ConnectionRequest", "sent_ms", len(payload), "it is cut short")
    return ConnectionRequest(*struct.unpack_from(">QQ", payload, 1))


def write_accepted(message: ConnectionAccepted) -> bytes:
    """``10``, the client's address, its index (0), 20 own addresses, both times."""
    return _write(CONNECTION_ACCEPTED, bytes(2), message)


def write_new_incoming(message: ConnectionAccepted) -> bytes:
    """``13``, the server's address, 20 own addresses, both times."""
    return _write(NEW_INCOMING_CONNECTION, b"", message)


def _write(kind: int, index: bytes, message: ConnectionAccepted) -> bytes:
    own = write_address(UNSPECIFIED) * INTERNAL_ADDRESSES
    times = struct.pack(">QQ", message.first_ms & _U64, message.second_ms & _U64)
    return bytes((kind,)) + write_address(message.address) + index + own + times


def read_accepted(payload: bytes) -> ConnectionAccepted:
    """Mirror of ``write_accepted``, whatever the number of own addresses."""
    packet = "ConnectionAccepted"
    address, at = read_address(payload, 1, packet)
    at += 2
    for _ in range(MOST_ADDRESSES):
        if len(payload) - at <= _TIMES_BYTES:
            break
        _, at = read_address(payload, at, packet, "own_addresses")
    if len(payload) - at != _TIMES_BYTES:
        raise DecodeError(packet, "times", at, f"{len(payload) - at} bytes are left, not {_TIMES_BYTES}")
    return ConnectionAccepted(address, *struct.unpack_from(">QQ", payload, at))


def write_ping(sent_ms: int) -> bytes:
    """``00``, the sender's clock."""
    return struct.pack(">BQ", CONNECTED_PING, sent_ms & _U64)


def write_pong(ping: bytes, now_ms: int) -> bytes:
    """``03``, the ping's clock value, our clock; ``ping`` has at least ``PING_BYTES``."""
    return bytes((CONNECTED_PONG,)) + ping[1:PING_BYTES] + struct.pack(">Q", now_ms & _U64)
