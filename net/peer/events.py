"""What a peer tells its owner, in the order in which it happened.

``number`` counts the packets of one session from 0, faulty and unknown ones included, so that a recording and a
report can name one of them.
"""

from dataclasses import dataclass, field

from net.bedrock import Message
from net.errors import DecodeError


@dataclass(frozen=True, slots=True)
class Received:
    """One packet, decoded.

    Attributes:
        message: what it says.
        at: when its last datagram arrived, monotonic seconds.
        number: its place in the session.
        size_bytes: its decompressed size.
        packet: its bytes, for a recording; not part of what it says.
    """

    message: Message
    at: float
    number: int
    size_bytes: int
    packet: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """A packet the peer sent by itself: a step of the login. What the owner sends, the owner knows.

    Attributes:
        packet: its bytes; a Login holds keys and tokens.
        at: monotonic seconds.
    """

    packet: bytes = field(repr=False)
    at: float


@dataclass(frozen=True, slots=True)
class Joined:
    """The login is over: both sides may talk about the game. Comes right after the message that ended it."""

    at: float


@dataclass(frozen=True, slots=True)
class Faulty:
    """One packet that does not decode; it is skipped and the session goes on.

    Attributes:
        error: names packet, field and offset.
        number: its place in the session.
        packet: its bytes; empty where not even packets could be told apart.
    """

    error: DecodeError
    number: int
    packet: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is over; nothing follows.

    Attributes:
        reason: one sentence a user can act on.
    """

    reason: str


Event = Received | Sent | Joined | Faulty | Closed
