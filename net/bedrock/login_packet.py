"""Login: the client's first packet, never encrypted (wire.md 2.9, 5.4)."""

from typing import Any

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import I32BE, Field, Kind, Values
from net.wire.limits import TOKEN_BYTES
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer


@frozen
class Login:
    """Who the client says it is.

    Attributes:
        protocol: the number it speaks.
        chain: JSON ``{"chain": [token, ...]}``.
        client_token: JWT about the client, its skin and its settings.
    """

    protocol: int
    chain: str
    client_token: str


def _read_text(reader: Reader, name: str) -> str:
    reader.field = name
    start = reader.offset
    length = reader.i32le()
    if not 0 <= length <= min(reader.left, TOKEN_BYTES):
        raise reader.fault(f"announces {length} bytes, {reader.left} are left", start)
    try:
        return reader.take(length).decode()
    except UnicodeDecodeError as error:
        raise reader.fault(f"is no UTF-8: {error.reason}", start) from None


def _read(reader: Reader) -> tuple[str, str]:
    inner = Reader(reader.byte_string(), reader.packet)
    return _read_text(inner, "chain"), _read_text(inner, "client_token")


def _write(writer: Writer, tokens: tuple[str, str]) -> None:
    inner = Writer(writer.packet)
    for token in tokens:
        inner.i32le(len(token.encode()))
        inner.raw(token.encode())
    writer.byte_string(inner.take())


def _build(values: Values, _dialect: Dialect) -> Login:
    return Login(values["protocol"], *values["tokens"])


def _split(message: Login, _dialect: Dialect) -> dict[str, Any]:
    return {"protocol": message.protocol, "tokens": (message.chain, message.client_token)}


PACKET = Packet(1, Login, (Field("protocol", I32BE), Field("tokens", Kind(_read, _write, 9))), _build, _split)
