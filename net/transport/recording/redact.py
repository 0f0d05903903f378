"""Takes keys and tokens out of packets, so that a recording can be given to anybody.

Two packets hold them (wire.md 5.3, 5.4): Login (chain and client token, for signed-in players an account's) and
ServerToClientHandshake (the server's key and the salt of the session's). What stays is the packet's number, and of a
Login the protocol. Works on bytes, so it knows no protocol's fields and holds for all of them.
"""

from typing import Final

from net.errors import DecodeError
from net.wire.reader import Reader
from net.wire.writer import Writer

LOGIN: Final = 1
SERVER_TO_CLIENT_HANDSHAKE: Final = 3
_NUMBER_MASK: Final = 0x3FF
_PROTOCOL_BYTES: Final = 4
_EMPTY_TOKENS: Final = bytes(8)


def redacted(packet: bytes) -> bytes:
    """The packet itself, or what may be shown of it."""
    reader = Reader(packet[:16], "packet")
    reader.field = "header"
    try:
        header = reader.uv32()
    except DecodeError:
        return packet  # no packet of any kind, so none of these
    number = header & _NUMBER_MASK
    if number not in (LOGIN, SERVER_TO_CLIENT_HANDSHAKE):
        return packet
    writer = Writer("packet")
    writer.uv32(header)
    if number == LOGIN:
        writer.raw(packet[reader.offset : reader.offset + _PROTOCOL_BYTES].ljust(_PROTOCOL_BYTES, b"\0"))
        writer.byte_string(_EMPTY_TOKENS)  # two texts of no bytes
    else:
        writer.byte_string(b"")
    return writer.take()
