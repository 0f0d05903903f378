"""Messages on UDP port 7551 of a LAN: requests, hosted worlds, and signals between two machines.

    datagram: HMAC-SHA256(key, plain), AES-256-ECB(key, PKCS#7(plain)); the key is public
    plain: u16le bytes with these two, u16le kind, u64le sender, 8 zeros, then by kind
        0 request   nothing
        1 response  u32le bytes, hexadecimal text of a ``HostedWorld``
        2 message   u64le recipient, u32le bytes, text: a ``Signal``
    signal: KIND CONNECTION DATA, split at the first two blanks

Rules:
1. The key hides and proves nothing: a sender's id is unverified.
2. Bytes of a message beyond its length are read, too: games write more text than they count.
3. A world is written in form 7 (releases from 1.26.50 on), and read in 4, 6 and 7. In an unknown form the first text is
   read as the name.
"""

import hmac
import struct
from enum import IntEnum, StrEnum
from hashlib import sha256
from typing import Final

import msgspec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from net.errors import DecodeError, LimitExceeded
from net.raknet.handshake import Address
from net.raknet.ping import Pong
from net.wire.cursor import Reader, Writer

PORT: Final = 7551
MOST_DATAGRAM_BYTES: Final = 16 << 10
"""Limit of a received datagram; an offer signed with a player's token has 10 KiB."""
MOST_WORLD_BYTES: Final = 574
"""Limit of a hosted world; its text is twice as long."""
LONGEST_NAME_BYTES: Final = 128
NO_SIGNALS: Final = ("", "Ping")
"""Texts that are not signals."""
FORMS: Final = (4, 6, 7)
_KEY: Final = sha256(struct.pack("<Q", 0xDEADBEEF)).digest()
_CIPHER: Final = Cipher(algorithms.AES(_KEY), modes.ECB())
_CHECKSUM_BYTES: Final = 32
_BLOCK_BYTES: Final = 16
_HEADER: Final = struct.Struct("<HHQ8x")
_MESSAGE: Final = struct.Struct("<QI")
_LENGTH: Final = struct.Struct("<I")
_GAME_TYPES: Final = ("Survival", "Creative", "Adventure")
_NETHERNET_LAN: Final = 4
"""Connection type of a world that is joined by signals of this port."""


class DiscoveryKind(IntEnum):
    """Kinds of packets."""

    REQUEST = 0
    RESPONSE = 1
    MESSAGE = 2


class DiscoveryPacket(msgspec.Struct, frozen=True):
    """One packet."""

    kind: DiscoveryKind
    sender: int  # the sender's network id
    body: bytes = b""  # of a response the hosted world, of a message the text
    recipient: int = 0  # of a message


def write_discovery(packet: DiscoveryPacket) -> bytes:
    body = b""
    if packet.kind is DiscoveryKind.RESPONSE:
        body = _LENGTH.pack(2 * len(packet.body)) + packet.body.hex().encode()
    elif packet.kind is DiscoveryKind.MESSAGE:
        body = _MESSAGE.pack(packet.recipient, len(packet.body)) + packet.body
    plain = _HEADER.pack(_HEADER.size + len(body), packet.kind, packet.sender) + body
    padding = _BLOCK_BYTES - len(plain) % _BLOCK_BYTES
    cipher = _CIPHER.encryptor()
    sealed = cipher.update(plain + bytes((padding,)) * padding) + cipher.finalize()
    return hmac.digest(_KEY, plain, "sha256") + sealed


def read_discovery(datagram: bytes) -> DiscoveryPacket:
    """Decodes one datagram.

    Raises DecodeError: it is not a packet of discovery, or its lengths are inconsistent.
    """
    plain = _opened(datagram)
    size, kind, sender = _HEADER.unpack_from(plain)
    if kind > max(DiscoveryKind):
        raise DecodeError("discovery", "kind", 2, f"{kind} is not a known packet")
    if size not in (len(plain), len(plain) - 2) and kind != DiscoveryKind.MESSAGE:
        raise DecodeError("discovery", "size", 0, f"{size} is not the {len(plain)} bytes that came")
    body = plain[_HEADER.size :]
    if kind == DiscoveryKind.REQUEST:
        return DiscoveryPacket(DiscoveryKind.REQUEST, sender)
    head = _MESSAGE if kind == DiscoveryKind.MESSAGE else _LENGTH
    if len(body) < head.size:
        raise DecodeError("discovery", "length", _HEADER.size, "is incomplete")
    *recipient, length = head.unpack_from(body)
    text = body[head.size :]
    if length > len(text):
        raise DecodeError("discovery", "length", _HEADER.size, f"{length} bytes are announced, {len(text)} came")
    if recipient:
        return DiscoveryPacket(DiscoveryKind.MESSAGE, sender, text, recipient[0])
    try:
        return DiscoveryPacket(DiscoveryKind.RESPONSE, sender, bytes.fromhex(text[:length].decode("ascii")))
    except ValueError:
        raise DecodeError("discovery", "world", _HEADER.size, "is not hexadecimal text") from None


def _opened(datagram: bytes) -> bytes:
    sealed = len(datagram) - _CHECKSUM_BYTES
    if len(datagram) > MOST_DATAGRAM_BYTES or sealed < 2 * _BLOCK_BYTES or sealed % _BLOCK_BYTES:
        raise DecodeError("discovery", "datagram", 0, f"{len(datagram)} bytes are not a discovery packet")
    cipher = _CIPHER.decryptor()
    padded = cipher.update(datagram[_CHECKSUM_BYTES:]) + cipher.finalize()
    padding = padded[-1]
    plain = padded[: len(padded) - padding]
    if not 0 < padding <= _BLOCK_BYTES or len(plain) < _HEADER.size or set(padded[len(plain) :]) != {padding}:
        raise DecodeError("discovery", "padding", len(datagram) - 1, "it was encrypted with another key")
    if not hmac.compare_digest(hmac.digest(_KEY, plain, "sha256"), datagram[:_CHECKSUM_BYTES]):
        raise DecodeError("discovery", "checksum", 0, "does not fit")
    return plain


# ---------------------------------------------------------------- signals


class SignalKind(StrEnum):
    """Kinds of signals; the value is the word on the wire."""

    OFFER = "CONNECTREQUEST"
    ANSWER = "CONNECTRESPONSE"
    CANDIDATE = "CANDIDATEADD"
    ERROR = "CONNECTERROR"


class Signal(msgspec.Struct, frozen=True):
    """A signal about a connection."""

    kind: SignalKind
    connection: int  # chosen by the end that offers, repeated by the other
    data: str  # a description, a candidate, or a number (``sdp.words_of``)


def write_signal(signal: Signal) -> bytes:
    return f"{signal.kind} {signal.connection} {signal.data}".encode()


def read_signal(text: bytes) -> Signal | None:
    """The signal of a text; None for other texts. Raises DecodeError: it is invalid."""
    plain = text.decode(errors="replace").rstrip("\0")
    if plain in NO_SIGNALS:
        return None
    kind, _, rest = plain.partition(" ")
    number, between, data = rest.partition(" ")
    if not between or not number.isascii() or not number.isdigit() or len(number) > 20 or int(number) >> 64:
        raise DecodeError("signal", "connection", len(kind), "is not a connection number")
    try:
        return Signal(SignalKind(kind), int(number), data)
    except ValueError:
        raise DecodeError("signal", "kind", 0, f"{kind[:20]!r} is not a known signal") from None


# ---------------------------------------------------------------- hosted worlds


class HostedWorld(msgspec.Struct, frozen=True):
    """A host's description of its world."""

    form: int = 7  # of the wire; see rule 3
    name: str = ""  # of the server, or of the hosting player
    protocol: int = 0  # 0 if the form lacks it
    version: str = ""  # empty if the form lacks it
    level: str = ""  # the world's name
    players: int = 0
    max_players: int = 0
    game_type: int = 0
    takes_self_signed: bool = True  # whether players without a sign-in may join
    nonce: str = ""  # a joining client repeats it in its login; empty if the form lacks it

    @property
    def pong(self) -> Pong:
        """The same as a ping's answer."""
        named = 0 <= self.game_type < len(_GAME_TYPES)
        return Pong(
            motd=self.name, protocol=self.protocol, version=self.version, level_name=self.level,
            players=self.players, max_players=self.max_players,
            game_mode=_GAME_TYPES[self.game_type] if named else "",
        )  # fmt: skip


class LanGame(msgspec.Struct, frozen=True):
    """A discovered host."""

    address: Address  # where it answers
    network_id: int
    world: HostedWorld  # its description


def write_world(world: HostedWorld) -> bytes:
    """The bytes of form 7; long names are cut."""
    out = Writer("HostedWorld")
    out.u8(7)
    out.string(_cut(world.name))
    out.zz32(world.protocol)
    out.string(_cut(world.version))
    out.string(_cut(world.level))
    for number in (world.players, world.max_players, world.game_type):
        out.zz32(number)
    for flag in (False, False, False, world.takes_self_signed):  # editor, hardcore, takes signed-in players alone
        out.boolean(flag)
    out.string(_cut(world.nonce))
    out.zz32(_NETHERNET_LAN)
    return out.take()


def _cut(name: str) -> str:
    return name.encode(errors="replace")[:LONGEST_NAME_BYTES].decode(errors="ignore")


def read_world(data: bytes) -> HostedWorld:
    """Decodes any form. Raises DecodeError: it is invalid."""
    source = Reader(data[:MOST_WORLD_BYTES], "HostedWorld")
    form = source.u8()
    try:
        if form == 4:
            return _read_oldest(source)
        if form == 6:
            return _read_older(source)
        if form == 7:
            return _read_newest(source)
        return HostedWorld(form, source.string())
    except LimitExceeded as error:
        raise DecodeError("HostedWorld", "text", 1, str(error)) from None


def _read_oldest(source: Reader) -> HostedWorld:
    name = source.take(source.u8()).decode(errors="replace")
    level = source.take(source.u8()).decode(errors="replace")
    game_type, players, most = source.u8() >> 1, source.i32le(), source.i32le()
    return HostedWorld(4, name, level=level, players=players, max_players=most, game_type=game_type)


def _read_older(source: Reader) -> HostedWorld:
    name, level = source.string(), source.string()
    game_type, players, most = source.zz32(), source.i32le(), source.i32le()
    source.skip(3)  # editor, hardcore, takes signed-in players
    self_signed, nonce = source.boolean(), source.string()
    return HostedWorld(
        6, name, level=level, players=players, max_players=most, game_type=game_type,
        takes_self_signed=self_signed, nonce=nonce,
    )  # fmt: skip


def _read_newest(source: Reader) -> HostedWorld:
    name, protocol, version, level = source.string(), source.zz32(), source.string(), source.string()
    players, most, game_type = source.zz32(), source.zz32(), source.zz32()
    source.skip(3)
    return HostedWorld(
        7, name, max(0, protocol), version, level, players, most, game_type, source.boolean(), source.string()
    )
