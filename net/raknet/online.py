"""Messages of a connected session that are RakNet's own (wire.md 5.1); they travel inside frames.

Ids below ``FIRST_USER_ID`` are RakNet's; everything else is a payload of the game (0xfe).
"""

import struct
from typing import Final

from net.errors import DecodeError
from net.frozen import frozen
from net.raknet.address import UNSPECIFIED, Address, read_address, write_address

CONNECTED_PING: Final = 0x00
CONNECTED_PONG: Final = 0x03
DETECT_LOST: Final = 0x04
CONNECTION_REQUEST: Final = 0x09
CONNECTION_ACCEPTED: Final = 0x10
NEW_INCOMING_CONNECTION: Final = 0x13
DISCONNECTED: Final = 0x15
FIRST_USER_ID: Final = 0x86

INTERNAL_ADDRESSES: Final = 20
"""How many of its own addresses an end tells; nobody reads them. Some ends tell 10."""
MOST_ADDRESSES: Final = 64
"""So many are read; one message may be megabytes long, and each costs microseconds."""
PING_BYTES: Final = 9
_TIMES_BYTES: Final = 16
_U64: Final = 0xFFFFFFFFFFFFFFFF


@frozen
class ConnectionRequest:
    """The client's first online message.

    Attributes:
        guid: the client's, as in its open request.
        sent_ms: the client's clock.
    """

    guid: int
    sent_ms: int


@frozen
class ConnectionAccepted:
    """The server's answer; also the shape of the client's last word, NewIncomingConnection.

    Attributes:
        address: the other end's address as its author sees it.
        first_ms: accepted: the time of the request. Last word: the time of the acceptance.
        second_ms: the author's clock.
    """

    address: Address
    first_ms: int
    second_ms: int


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
        raise DecodeError(packet, "times", at, f"{len(payload) - at} bytes are left instead of {_TIMES_BYTES}")
    return ConnectionAccepted(address, *struct.unpack_from(">QQ", payload, at))


def write_ping(sent_ms: int) -> bytes:
    """``00``, the asker's clock."""
    return struct.pack(">BQ", CONNECTED_PING, sent_ms & _U64)


def write_pong(ping: bytes, now_ms: int) -> bytes:
    """``03``, the asker's clock as it came, our clock; ``ping`` has at least ``PING_BYTES``."""
    return bytes((CONNECTED_PONG,)) + ping[1:PING_BYTES] + struct.pack(">Q", now_ms & _U64)
