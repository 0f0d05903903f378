"""What both ends of a login share: who joins, what to do next, and why not."""

from typing import Final

import msgspec

from net.bedrock.packets.login import Disconnect, NetworkSettings
from net.bedrock.packets.packet import Message


class Identity(msgspec.Struct, frozen=True):
    """Who joins."""

    display_name: str  # shown to other players
    uuid: str  # text form
    server_address: str = "127.0.0.1:19132"  # ``host:port`` as the user typed it; some servers look at it


class LoginStep(msgspec.Struct, frozen=True):
    """What to do after a message."""

    send: tuple[Message, ...] = ()  # answers, in order
    # for both directions, 32 bytes, or None. A client encrypts ``send`` with it already, a server what comes after.
    key: bytes | None = None
    joined: bool = False  # whether the login is over
    refused: str | None = None  # why it failed, or None
    # how batches are compressed in both directions, or None for no change. A client compresses ``send`` with it
    # already, a server what comes after.
    compress: NetworkSettings | None = None


NOTHING: Final = LoginStep()


def disconnect_reason(message: Disconnect) -> str:
    """A server's Disconnect as one sentence."""
    text = message.message
    if "notauthenticated" in text.lower():
        return "the server wants signed-in players, and this client joins without an account"
    if "serverfull" in text.lower():
        return "the server is full"
    return f"the server ended the session: {text or 'it gives no reason'}"
