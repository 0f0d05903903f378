"""What a peer tells its owner, in the order in which it happened.

``number`` counts the packets of one session from 0, faulty and unknown ones included, so that a recording and a
report can name one of them. ``held_bytes`` is what an event costs while it waits to be taken; whoever keeps events
bounds their sum.
"""

from collections import deque
from dataclasses import field
from typing import Final

from net.bedrock import Message
from net.errors import DecodeError
from net.frozen import frozen

EVENT_BYTES: Final = 256
"""What an event costs beside its packet."""


@frozen
class Received:
    """One packet, decoded.

    Attributes:
        message: what it says.
        at: when its last datagram arrived, monotonic seconds.
        number: its place in the session.
        size_bytes: its decompressed size.
        packet: its bytes, for a recording; not part of what it says.
        objects_bytes: counted for what its lists hold, see ``net.wire.limits``.
    """

    message: Message
    at: float
    number: int
    size_bytes: int
    packet: bytes = field(default=b"", repr=False, compare=False)
    objects_bytes: int = field(default=0, repr=False, compare=False)

    @property
    def held_bytes(self) -> int:
        """The packet once as it came and once as the message's fields."""
        return EVENT_BYTES + 2 * self.size_bytes + self.objects_bytes


@frozen
class Sent:
    """A packet the peer sent by itself: a step of the login. What the owner sends, the owner knows.

    Attributes:
        packet: its bytes; a Login holds keys and tokens.
        at: monotonic seconds.
    """

    packet: bytes = field(repr=False)
    at: float

    @property
    def held_bytes(self) -> int:
        """The packet and this."""
        return EVENT_BYTES + len(self.packet)


@frozen
class Joined:
    """The login is over: both sides may talk about the game. Comes right after the message that ended it."""

    at: float

    @property
    def held_bytes(self) -> int:
        """Only this."""
        return EVENT_BYTES


@frozen
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

    @property
    def held_bytes(self) -> int:
        """The packet and this."""
        return EVENT_BYTES + len(self.packet)


@frozen
class Closed:
    """The session is over; nothing follows.

    Attributes:
        reason: one sentence a user can act on.
    """

    reason: str

    @property
    def held_bytes(self) -> int:
        """Only this."""
        return EVENT_BYTES


Event = Received | Sent | Joined | Faulty | Closed


class EventQueue:
    """Events in order, and what they cost.

    Attributes:
        held_bytes: of those that wait.
    """

    __slots__ = ("_events", "held_bytes")

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.held_bytes = 0

    def push(self, event: Event) -> None:
        """Puts the newest in."""
        self._events.append(event)
        self.held_bytes += event.held_bytes

    def pop(self) -> Event | None:
        """Takes the oldest out; None if there is none."""
        if not self._events:
            return None
        event = self._events.popleft()
        self.held_bytes -= event.held_bytes
        return event
