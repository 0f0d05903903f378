"""The errors of the wire, one tree.

    NetError
    ├── ProtocolError            somebody broke the protocol
    │   ├── LocalProtocolError       we did: a bug of ours, or a value of the caller's that has no wire form
    │   └── RemoteProtocolError      the peer did
    │       ├── DecodeError              bytes that do not say what they should
    │       └── LimitExceeded            bytes that say more than we are willing to hold
    ├── FolderError              a world folder, or a part of one, cannot be read
    └── ConnectionClosed         the session is over, with the reason in one sentence

Rules:
1. An error is raised where the offending value is in hand and says what, where and why.
2. It is caught only where somebody can act: per entry, per packet, per session.
3. Refused sub-chunks, time-outs and ignored duplicates are states or events, never errors.
"""

from typing import Final

NOTHING_LISTENS: Final = "nothing listens at"
"""How the reason begins where the machine says that nobody has the port."""
CLOSED_BY_PEER: Final = "the other side closed the connection"
"""Why a session is over that the other side has ended, and not said why."""


class NetError(Exception):
    """Root of everything this package raises on purpose."""


class ProtocolError(NetError):
    """One side broke the protocol."""


class LocalProtocolError(ProtocolError):
    """Our side asked for something the protocol cannot say."""


class RemoteProtocolError(ProtocolError):
    """The peer sent something the protocol does not allow."""


class DecodeError(RemoteProtocolError):
    """Bytes that do not decode."""

    def __init__(self, packet: str, field: str, offset: int, reason: str) -> None:
        super().__init__(f"{packet}.{field} at byte {offset}: {reason}")
        self.packet = packet  # name of the packet or structure being read, for example ``"SubChunk"``
        self.field = field  # name of the field, for example ``"entries[3].payload"``
        self.offset = offset  # byte offset of the field in that packet
        self.reason = reason  # what is wrong with it, in words


class LimitExceeded(RemoteProtocolError):
    """The peer announced or sent more than a stated limit."""

    def __init__(self, what: str, value: int, limit: int) -> None:
        super().__init__(f"{what}: {value} is over the limit of {limit}")
        self.what = what  # the bounded thing, for example ``"inflated batch bytes"``
        self.value = value  # what was announced or reached
        self.limit = limit  # the bound


class FolderError(NetError):
    """A world folder, or the part of one that is being read, makes no sense; the text says why, its catcher where."""


class ConnectionClosed(NetError):
    """The session ended."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason  # one sentence a user can act on
