r"""Unconnected ping and pong: a server's description of itself (wire.md 5.1).

The pong's text is ``MCPE;motd;protocol;version;players;max;guid;level;mode;1;port4;port6;``. Servers omit fields at the
end and put arbitrary text into the middle, so each field that does not parse has its default. A ``\;`` in a name is a
semicolon; a name cannot end with a backslash, which would escape the separator.

Limits of pongs (``Pongs``): the address of a ping is unproven, and a pong is longer than its ping.
1. One address gets ``MOST_A_SECOND`` pongs in each second, whatever port it pings from: a victim of a forged address
   gets no more than that.
2. ``MOST_ADDRESSES`` addresses are answered in a second; further ones are a flood and are not answered until the next.
"""

import re
import struct
from typing import Final

import msgspec

from net.errors import DecodeError
from net.raknet.handshake import MAGIC

UNCONNECTED_PING: Final = 0x01
UNCONNECTED_PING_IF_FREE: Final = 0x02
UNCONNECTED_PONG: Final = 0x1C
LARGEST_TEXT_BYTES: Final = 1024
LARGEST_NAME_BYTES: Final = 256
"""Limit of either line of a name, so that the fields after it always fit."""

_MOST_DIGITS: Final = 20  # of 64 bits; Python refuses to parse a few thousand
_SEPARATOR: Final = re.compile(r"(?<!\\);")


class Pong(msgspec.Struct, frozen=True):
    """A server's answer."""

    motd: str  # its name
    protocol: int  # protocol number, 0 unknown; determines the codec before connecting
    version: str  # the game version it names
    players: int  # players online
    max_players: int  # most players
    guid: int = 0  # its RakNet id
    level_name: str = ""  # second line of the name
    game_mode: str = "Survival"  # as a word
    port_v4: int = 0  # port it listens on, 0 unknown
    port_v6: int = 0  # port for IPv6, 0 unknown
    sent_ms: int = 0  # the clock value of the ping this answers


def write_ping(sent_ms: int, guid: int) -> bytes:
    return struct.pack(">BQ", UNCONNECTED_PING, sent_ms) + MAGIC + struct.pack(">Q", guid)


def read_ping(datagram: bytes) -> int | None:
    """The asker's clock, None when the datagram is no ping."""
    is_ping = datagram[:1] in {b"\x01", b"\x02"} and datagram[9:25] == MAGIC
    return int.from_bytes(datagram[1:9], "big") if is_ping else None


def pong_text(pong: Pong) -> str:
    """The text of a pong.

    Unknown ports are left out: clients of gophertunnel join the port in the text, even 0.
    """
    known = 2 if pong.port_v6 else 1 if pong.port_v4 else 0
    fields = (
        "MCPE",
        _written_name(pong.motd),
        pong.protocol,
        pong.version,
        pong.players,
        pong.max_players,
        pong.guid,
        _written_name(pong.level_name),
        pong.game_mode,
        1,
        *(pong.port_v4, pong.port_v6)[:known],
    )
    return ";".join(map(str, fields)) + ";"


def _written_name(name: str) -> str:
    escaped = name.replace(";", "\\;").encode(errors="replace")
    return escaped[:LARGEST_NAME_BYTES].decode(errors="ignore").rstrip("\\")


def write_pong(sent_ms: int, guid: int, text: str) -> bytes:
    """The UDP payload of an answer to a ping that carried ``sent_ms``."""
    encoded = text.encode()[:LARGEST_TEXT_BYTES]
    return struct.pack(">BQQ", UNCONNECTED_PONG, sent_ms, guid) + MAGIC + struct.pack(">H", len(encoded)) + encoded


def read_pong(datagram: bytes) -> Pong | None:
    """The server's description; None if the datagram is not a pong.

    Raises DecodeError: it is one, but not of a Bedrock server.
    """
    if datagram[:1] != bytes((UNCONNECTED_PONG,)) or datagram[17:33] != MAGIC:
        return None
    sent_ms, guid = struct.unpack_from(">QQ", datagram, 1)
    size = int.from_bytes(datagram[33:35], "big")
    text = datagram[35 : 35 + size].decode(errors="replace")
    fields = [field.replace("\\;", ";") for field in _SEPARATOR.split(text)]
    if fields[0] not in {"MCPE", "MCEE"} or len(fields) < 4:
        raise DecodeError("UnconnectedPong", "text", 35, f"{text[:40]!r} is not the answer of a Bedrock server")
    return Pong(
        motd=fields[1],
        protocol=_number(fields, 2),
        version=fields[3],
        players=_number(fields, 4),
        max_players=_number(fields, 5),
        guid=guid,
        level_name=fields[7] if len(fields) > 7 else "",
        game_mode=fields[8] if len(fields) > 8 else "",
        port_v4=_number(fields, 10),
        port_v6=_number(fields, 11),
        sent_ms=sent_ms,
    )


def _number(fields: list[str], index: int) -> int:
    text = fields[index] if index < len(fields) else ""
    plausible = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if plausible else 0


MOST_A_SECOND: Final = 16
"""Server lists ping once or twice a second; several players may share an address."""
MOST_ADDRESSES: Final = 4096


class Pongs:
    """Counts the pongs of the present second."""

    def __init__(self) -> None:
        self._second = -1
        self._answered: dict[str, int] = {}

    def allow(self, host: str, now: float) -> bool:
        """Whether to answer a ping from this address; counts it as answered if so."""
        if int(now) != self._second:
            self._second = int(now)
            self._answered.clear()
        count = self._answered.get(host, 0)
        if count >= MOST_A_SECOND or (not count and len(self._answered) >= MOST_ADDRESSES):
            return False
        self._answered[host] = count + 1
        return True
