"""Login, settings and keys of the connection, PlayStatus, Disconnect, Transfer (wire.md 2.9, 5.3, 5.4).

Login: the client's first packet before protocol 554; never encrypted.
RequestNetworkSettings: the client's first packet from protocol 554 on.
NetworkSettings: the compression of batches. From protocol 554 on it is the server's first packet, and nothing is
compressed before it. At 486 it may come late, and a client does not need it: every batch is deflated or raw, which
inflating shows.

ServerToClientHandshake: the server's half of the key exchange, unencrypted (wire.md 5.3).
ClientToServerHandshake: the first encrypted packet (wire.md 5.3).
PlayStatus: progress of the login, and when the player may spawn.

Disconnect: the end of the session, with a reason for the player.
Transfer: the client is to go to another server.
SetLocalPlayerAsInitialized: the client is in the world.

ServerboundLoadingScreen: the client shows, or leaves, its loading screen (wire.md 2.5).
"""

from enum import IntEnum
from typing import Annotated, Any, Final, Self

from net.bedrock.packets.chunks import LOADING_SCREEN
from net.bedrock.packets.packet import Message, Sender, packet
from net.bedrock.packets.start_game import GATHERING_OR_NONE, Gathering
from net.errors import ENDED_BY_SERVER
from net.releases import SETTINGS_FIRST
from net.wire.cursor import TOKEN_BYTES, Reader, Writer
from net.wire.fields import BOOL, F32LE, I32BE, STRING, U8, U16LE, UV64, ZZ32, Dialect, Field, Kind, Values, wire

__all__ = [
    "Algorithm",
    "ClientToServerHandshake",
    "Disconnect",
    "Login",
    "NetworkSettings",
    "PlayStatus",
    "PlayStatusCode",
    "RequestNetworkSettings",
    "ServerToClientHandshake",
    "ServerboundLoadingScreen",
    "SetLocalPlayerAsInitialized",
    "Transfer",
]


def _read_text(reader: Reader, name: str) -> str:
    reader.field = name
    start = reader.offset
    length = reader.i32le()
    if not 0 <= length <= min(reader.left, TOKEN_BYTES):
        raise reader.fault(f"announces {length} bytes, but {reader.left} are left", start)
    try:
        return reader.take(length).decode()
    except UnicodeDecodeError as error:
        raise reader.fault(f"is not UTF-8: {error.reason}", start) from None


def _read(reader: Reader) -> tuple[str, str]:
    inner = Reader(reader.byte_string(), reader.packet)
    return _read_text(inner, "chain"), _read_text(inner, "client_token")


def _write(writer: Writer, tokens: tuple[str, str]) -> None:
    inner = Writer(writer.packet)
    for token in tokens:
        inner.i32le(len(token.encode()))
        inner.raw(token.encode())
    writer.byte_string(inner.take())


@packet(1, Sender.CLIENT)
class Login(Message, frozen=True):
    """The client's identity."""

    protocol: int  # the client's
    chain: str  # JSON ``{"chain": [token, ...]}``
    client_token: str  # JWT about the client, its skin and its settings

    FIELDS = (Field("protocol", I32BE), Field("tokens", Kind(_read, _write, 9)))

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        return cls(values["protocol"], *values["tokens"])

    def to_values(self, _dialect: Dialect) -> dict[str, Any]:
        return {"protocol": self.protocol, "tokens": (self.chain, self.client_token)}


@packet(193, Sender.CLIENT, since=SETTINGS_FIRST)
class RequestNetworkSettings(Message, frozen=True):
    """Answered with NetworkSettings, or with a PlayStatus if the server does not support the version."""

    protocol: Annotated[int, I32BE]  # the client's


class Algorithm(IntEnum):
    """Compression of the packets in a batch."""

    DEFLATE = 0  # without a header
    SNAPPY = 1  # the raw block format
    NONE = 0xFFFF


@packet(143, Sender.SERVER)
class NetworkSettings(Message, frozen=True):
    """Settings of both directions from the next batch on."""

    threshold: Annotated[int, U16LE]  # in bytes; smaller batches need not be compressed
    # an Algorithm; this and the following fields from protocol 554
    algorithm: Annotated[int, wire(U16LE, since=554)] = Algorithm.DEFLATE
    throttle: Annotated[bool, wire(BOOL, since=554)] = False  # whether clients that are far from others get less data
    throttle_threshold: Annotated[int, wire(U8, since=554)] = 0  # meaning known to the vendor only
    throttle_scalar: Annotated[float, wire(F32LE, since=554)] = 0.0  # meaning known to the vendor only


@packet(3, Sender.SERVER)
class ServerToClientHandshake(Message, frozen=True):
    """A signed token with the server's key and the salt."""

    token: Annotated[str, STRING]  # a JWT with the key in its header (x5u) and the salt in its body


@packet(4, Sender.CLIENT)
class ClientToServerHandshake(Message, frozen=True):
    """The client encrypts from this packet on. Has no fields."""


class PlayStatusCode(IntEnum):
    """Known codes; other numbers are refusals of unknown meaning."""

    LOGIN_SUCCESS = 0
    CLIENT_TOO_OLD = 1
    SERVER_TOO_OLD = 2
    PLAYER_SPAWN = 3
    INVALID_TENANT = 4
    VANILLA_TO_EDUCATION = 5
    EDUCATION_TO_VANILLA = 6
    SERVER_FULL = 7
    EDITOR_TO_VANILLA = 8
    VANILLA_TO_EDITOR = 9


@packet(2, Sender.SERVER)
class PlayStatus(Message, frozen=True):
    """A step of the login, or a refusal."""

    status: Annotated[int, I32BE]  # a PlayStatusCode, or another number


def _shown(values: Values) -> bool:
    return not values["hidden"]


@packet(5, Sender.SERVER, order=("reason", "hidden", "message", "filtered"))
class Disconnect(Message, frozen=True):
    """The last packet."""

    hidden: Annotated[bool, BOOL]  # whether the screen that shows the message is skipped
    # empty when hidden, often a key such as ``disconnectionScreen.notAuthenticated``
    message: Annotated[str, wire(STRING, when=_shown)] = ""
    reason: Annotated[int, wire(ZZ32, since=622)] = 0  # a number of the vendor's list, 0 = unknown
    filtered: Annotated[str, wire(STRING, since=712, when=_shown)] = ""  # without swear words, mostly empty

    def sentence(self) -> str:
        """Why the server ended the session."""
        if "notauthenticated" in self.message.lower():
            return "the server requires signed-in players, and chunkscope joins without an account"
        if "serverfull" in self.message.lower():
            return "the server is full"
        return f"{ENDED_BY_SERVER}{self.message or 'it gives no reason'}"


@packet(85, Sender.SERVER)
class Transfer(Message, frozen=True):
    """The session ends, and the client is to continue at another server."""

    address: Annotated[str, STRING]  # host name or number
    port: Annotated[int, U16LE]  # UDP port
    reload: Annotated[bool, wire(BOOL, since=729)] = False  # whether the client should load its world again
    gathering: Annotated[Gathering | None, wire(GATHERING_OR_NONE, since=2168)] = None  # event to join there


@packet(113, Sender.CLIENT)
class SetLocalPlayerAsInitialized(Message, frozen=True):
    """Answers PlayStatus 3 (spawn)."""

    runtime_id: Annotated[int, UV64]  # StartGame's runtime id


FIRST_PROTOCOL: Final = 712
"""The first protocol that has it."""


@packet(312, Sender.CLIENT, since=FIRST_PROTOCOL)
class ServerboundLoadingScreen(Message, frozen=True):
    """Sent by a client around a change of dimension, from protocol 712 on."""

    kind: Annotated[int, ZZ32]  # 1 the screen appears, 2 it is gone
    loading_screen_id: Annotated[int | None, LOADING_SCREEN] = None  # from ChangeDimension
