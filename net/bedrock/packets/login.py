"""Login: the client's first packet, never encrypted (wire.md 2.9, 5.4).

RequestNetworkSettings: the client's first packet from protocol 554 on (wire.md 2.9).
NetworkSettings: how batches are compressed (wire.md 2.9, 5.3).

From protocol 554 it is the server's first packet, and nothing is compressed before it. At 486 it may come late, and a
client has no use for it: every batch is deflated or raw, which inflating tells.

ServerToClientHandshake: the server's half of the key exchange, in the clear (wire.md 5.3).
ClientToServerHandshake: the first encrypted packet (wire.md 5.3).
PlayStatus: how the login goes, and when the player may stand in the world (wire.md 2.9).

Disconnect: the session ends, with a reason for the player (wire.md 2.9).
Transfer: go to another server.
SetLocalPlayerAsInitialized: the client stands in the world.

ServerboundLoadingScreen: the client shows, or leaves, its loading screen (wire.md 2.5).
"""

from enum import IntEnum
from typing import Any, Final, Self

from net.bedrock.packets.chunks import LOADING_SCREEN
from net.bedrock.packets.packet import Message, Sender, packet
from net.bedrock.packets.start_game import GATHERING_OR_NONE, Gathering
from net.bedrock.releases import SETTINGS_FIRST
from net.wire.cursor import TOKEN_BYTES, Reader, Writer
from net.wire.fields import BOOL, F32LE, I32BE, STRING, U8, U16LE, UV64, ZZ32, Dialect, Field, Kind, Values

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
    """Who the client says it is."""

    protocol: int  # the number it speaks
    chain: str  # JSON ``{"chain": [token, ...]}``
    client_token: str  # JWT about the client, its skin and its settings

    FIELDS = (
        Field("protocol", I32BE),
        Field("tokens", Kind(_read, _write, 9)),
    )

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        return cls(values["protocol"], *values["tokens"])

    def to_values(self, _dialect: Dialect) -> dict[str, Any]:
        """What goes onto the wire, by field."""
        return {"protocol": self.protocol, "tokens": (self.chain, self.client_token)}


@packet(193, Sender.CLIENT, since=SETTINGS_FIRST)
class RequestNetworkSettings(Message, frozen=True):
    """Answered with NetworkSettings, or with a PlayStatus when the versions do not fit."""

    protocol: int  # the number the client speaks

    FIELDS = (Field("protocol", I32BE),)


class Algorithm(IntEnum):
    """How the packets of a batch are compressed."""

    DEFLATE = 0  # without a header
    SNAPPY = 1  # the raw block format
    NONE = 0xFFFF


@packet(143, Sender.SERVER)
class NetworkSettings(Message, frozen=True):
    """What holds for both directions from the next batch on."""

    threshold: int  # in bytes; smaller batches need not be compressed
    algorithm: int = Algorithm.DEFLATE  # an Algorithm; this and what follows from protocol 554
    throttle: bool = False  # whether clients that are far from others get less
    throttle_threshold: int = 0  # of the vendor's
    throttle_scalar: float = 0.0  # of the vendor's

    FIELDS = (
        Field("threshold", U16LE),
        Field("algorithm", U16LE, since=554),
        Field("throttle", BOOL, since=554),
        Field("throttle_threshold", U8, since=554),
        Field("throttle_scalar", F32LE, since=554),
    )


@packet(3, Sender.SERVER)
class ServerToClientHandshake(Message, frozen=True):
    """The signed token that names the server's key and the salt."""

    token: str  # a JWT whose header holds the key (x5u) and whose body the salt

    FIELDS = (Field("token", STRING),)


@packet(4, Sender.CLIENT)
class ClientToServerHandshake(Message, frozen=True):
    """Says that the client encrypts from here on. Has no fields."""


class PlayStatusCode(IntEnum):
    """What servers say; other numbers are refusals unknown to us."""

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
    """A step of the login."""

    status: int  # a PlayStatusCode, or a number that is none

    FIELDS = (Field("status", I32BE),)


def _shown(values: Values) -> bool:
    return not values["hidden"]


@packet(5, Sender.SERVER)
class Disconnect(Message, frozen=True):
    """The last packet."""

    hidden: bool  # whether the screen that shows the message is skipped
    message: str = ""  # empty when hidden, often a key such as ``disconnectionScreen.notAuthenticated``
    reason: int = 0  # a number of the vendor's list, 0 = unknown; from protocol 622
    filtered: str = ""  # the message without bad words; from protocol 712, mostly empty

    FIELDS = (
        Field("reason", ZZ32, since=622),
        Field("hidden", BOOL),
        Field("message", STRING, when=_shown),
        Field("filtered", STRING, since=712, when=_shown),
    )


@packet(85, Sender.SERVER)
class Transfer(Message, frozen=True):
    """The session ends here and should go on there."""

    address: str  # host name or number
    port: int  # UDP port
    reload: bool = False  # whether the client should load its world again; from protocol 729
    gathering: Gathering | None = None  # the event to join there; from protocol 2168

    FIELDS = (
        Field("address", STRING),
        Field("port", U16LE),
        Field("reload", BOOL, since=729),
        Field("gathering", GATHERING_OR_NONE, since=2168),
    )


@packet(113, Sender.CLIENT)
class SetLocalPlayerAsInitialized(Message, frozen=True):
    """Answers PlayStatus 3 (spawn)."""

    runtime_id: int  # StartGame's runtime id

    FIELDS = (Field("runtime_id", UV64),)


FIRST_PROTOCOL: Final = 712
"""Nobody says it before."""


@packet(312, Sender.CLIENT, since=FIRST_PROTOCOL)
class ServerboundLoadingScreen(Message, frozen=True):
    """What a client says around a change of dimension, from protocol 712 on."""

    kind: int  # 1 the screen appears, 2 it is gone
    loading_screen_id: int | None = None  # as ChangeDimension gave it

    FIELDS = (
        Field("kind", ZZ32),
        Field("loading_screen_id", LOADING_SCREEN),
    )
