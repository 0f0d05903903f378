"""What a peer tells its owner, in the order in which it happened.

``number`` counts the packets of one session from 0, faulty and unknown ones included, so that a recording and a
report can name one of them. ``held_bytes`` is what an event costs while it waits to be taken; whoever keeps events
bounds their sum.
"""

from collections import deque
from collections.abc import Mapping
from typing import Final

import msgspec

from net.bedrock import Message
from net.blobs import BlobStats
from net.errors import DecodeError
from net.raknet.congestion import GRACE_S

EVENT_BYTES: Final = 256
"""What an event costs beside its packet."""


class Received(msgspec.Struct, frozen=True):
    """One packet, decoded."""

    message: Message  # what it says
    at: float  # when its last datagram arrived, monotonic seconds
    number: int  # its place in the session
    size_bytes: int  # its decompressed size
    packet: bytes = b""  # its bytes, for a recording; not part of what it says
    objects_bytes: int = 0  # counted for what its lists hold, see ``net.wire.cursor``

    @property
    def held_bytes(self) -> int:
        """The packet once as it came and once as the message's fields."""
        return EVENT_BYTES + 2 * self.size_bytes + self.objects_bytes


class Sent(msgspec.Struct, frozen=True):
    """A packet the peer sent by itself: a step of the login. What the owner sends, the owner knows."""

    packet: bytes  # its bytes; a Login holds keys and tokens
    at: float  # monotonic seconds

    def __repr__(self) -> str:
        return f"Sent(at={self.at})"  # keys and tokens stand in no log

    @property
    def held_bytes(self) -> int:
        """The packet and this."""
        return EVENT_BYTES + len(self.packet)


class Joined(msgspec.Struct, frozen=True):
    """The login is over: both sides may talk about the game. Comes right after the message that ended it."""

    at: float

    @property
    def held_bytes(self) -> int:
        """Only this."""
        return EVENT_BYTES


class Faulty(msgspec.Struct, frozen=True):
    """One packet that does not decode; it is skipped and the session goes on."""

    error: DecodeError  # names packet, field and offset
    number: int  # its place in the session
    packet: bytes = b""  # its bytes; empty where not even packets could be told apart

    @property
    def held_bytes(self) -> int:
        """The packet and this."""
        return EVENT_BYTES + len(self.packet)


class Closed(msgspec.Struct, frozen=True):
    """The session is over; nothing follows."""

    reason: str  # one sentence a user can act on

    @property
    def held_bytes(self) -> int:
        """Only this."""
        return EVENT_BYTES


Event = Received | Sent | Joined | Faulty | Closed


class EventQueue:
    """Events in order, and what they cost."""

    __slots__ = ("_events", "held_bytes")

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.held_bytes = 0  # of those that wait

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


class PeerStats(msgspec.Struct, frozen=True):
    """A frozen snapshot of one session; read alike by panels, tests and benchmarks."""

    datagrams_in: int = 0  # UDP payloads received, all kinds
    datagrams_out: int = 0  # UDP payloads handed out for sending
    bytes_in: int = 0  # their bytes
    bytes_out: int = 0  # their bytes
    datagrams_malformed: int = 0  # received ones that were no RakNet and were ignored
    datagrams_repeated: int = 0  # received ones that had been received before
    resends: int = 0  # frames put into another datagram because the first was lost
    packets_in: int = 0  # packets in received batches, faulty and unknown ones included
    packets_out: int = 0  # packets sent
    packet_bytes_in: int = 0  # their decompressed bytes
    packet_bytes_out: int = 0  # their bytes before compression
    decode_errors: int = 0  # packets that did not decode
    # how many packets of each id were skipped because this protocol's table does not name it
    unknown: Mapping[int, int] = {}
    rtt_s: float | None = None  # smoothed round trip in seconds, None before the first answer
    mtu_bytes: int = 0  # size of an IP packet both sides agreed on, 0 before that
    queued_bytes: int = 0  # bytes handed in for sending and not yet acknowledged
    held_bytes: int = 0  # received and not taken yet: by RakNet, of the batch being read, and of events
    unheard_since: float | None = None  # when the oldest that is not acknowledged left for the first time; None: all is
    blobs: BlobStats | None = None  # of the client's blob cache; None at a server, and where there is none

    def under_way(self, now: float) -> bool:
        """Whether something is known not to have come through: to us, whole, or to the other end in a round trip."""
        in_time_s = (self.rtt_s or 0.0) + GRACE_S
        return self.held_bytes > 0 or (self.unheard_since is not None and now - self.unheard_since > in_time_s)
