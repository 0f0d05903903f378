"""The errors of the wire, one tree.

    NetError
    ├── ProtocolError            one side broke the protocol
    │   ├── LocalProtocolError       our side: a bug of ours, or a caller's value that has no wire form
    │   └── RemoteProtocolError      the peer
    │       ├── DecodeError              invalid bytes
    │       └── LimitExceeded            data beyond a limit of ours
    ├── FolderError              a world folder, or a part of one, cannot be read
    └── ConnectionClosed         the session is over, with the reason in one sentence
        └── NoGameServer             what listens at an address does not speak as a server of the game

Rules:
1. An error is raised where the offending value is known, and says what, where and why.
2. It is caught only where the program can react: per entry, per packet, per session.
3. Refused sub-chunks, time-outs and ignored duplicates are states or events, never errors.
"""

import shlex
import sys
from typing import Final

NOTHING_LISTENS: Final = "nothing listens at"
"""Start of the reason if the system reports a closed port."""
ENDED_BY_SERVER: Final = "the server ended the session: "
CLOSED_BY_PEER: Final = "the other side closed the connection"
"""The reason of a session that the other side ended without giving one."""


class NetError(Exception):
    """Root of everything this package raises on purpose."""


class ProtocolError(NetError):
    """One side broke the protocol."""


class LocalProtocolError(ProtocolError):
    """Our side tried to send something that has no wire form."""


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
    """A world folder, or a part of it, is invalid; the message says why, the code that catches it says where."""


class ConnectionClosed(NetError):
    """The session ended."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason  # one sentence a user can act on


class NoGameServer(ConnectionClosed):
    """A program listens at an address over TCP, and does not answer as a server of the game."""


def install_line(package: str) -> str:
    """The command that installs an optional package, e.g. ``/home/me/.venv/bin/python -m pip install matplotlib``.

    It names the package, since an extra of ours is on no index, and the interpreter, since a shell's ``pip`` may be
    another environment's.
    """
    return f"{shlex.quote(sys.executable)} -m pip install {package}"
