"""IP addresses as RakNet writes them (wire.md 5.1).

IPv4: ``04``, four bytes each complemented, u16be port. IPv6: ``06``, u16le family (23), u16be port, u32 flow,
16 bytes, u32 scope. An address that is no IP literal is a caller's fault: names are resolved by the transport.
"""

import struct
from ipaddress import IPv6Address, ip_address
from typing import Final

from net.errors import DecodeError, LocalProtocolError

Address = tuple[str, int]
"""IP literal and UDP port, as sockets give them (the first two members for IPv6)."""

UNSPECIFIED: Final = ("255.255.255.255", 19132)
"""What fills the lists of internal addresses."""

_IPV4_BYTES: Final = 7
_IPV6_BYTES: Final = 29
_FAMILY_IPV6: Final = 23


def write_address(address: Address) -> bytes:
    """One address on the wire.

    Raises:
        LocalProtocolError: the host is no IP literal.
    """
    try:
        host = ip_address(address[0].partition("%")[0])
    except ValueError:
        raise LocalProtocolError(f"{address[0]!r} is no IP address") from None
    if isinstance(host, IPv6Address):
        return (
            struct.pack(">B", 6)
            + struct.pack("<H", _FAMILY_IPV6)
            + struct.pack(">HI", address[1], 0)
            + host.packed
            + bytes(4)
        )
    return b"\x04" + bytes(byte ^ 0xFF for byte in host.packed) + struct.pack(">H", address[1])


def read_address(message: bytes, offset: int, packet: str, field: str = "address") -> tuple[Address, int]:
    """Reads one address at ``offset``; gives it and the offset after it.

    Raises:
        DecodeError: cut short or of an unknown kind; names ``packet`` and ``field``.
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
