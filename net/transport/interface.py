"""The plug points of the transport: what a session drives, and what drives a host.

Rules:
1. A ``Transport`` belongs to the thread that made it; only what it starts itself runs elsewhere.
2. Events come out in the order of the wire and exactly once. ``Closed`` is the last one.
3. A ``ServerTransport`` is sans-I/O: it is given datagrams and the time and asked for datagrams and its next timer.
"""

from typing import Protocol

from net.bedrock import Codec, Message
from net.peer import Event, PeerStats
from net.raknet.handshake import Address


class Transport(Protocol):
    """One session with a server, whatever carries it."""

    @property
    def codec(self) -> Codec:
        """Packets of the protocol that is spoken."""

    def send(self, message: Message) -> None:
        """Queues one message; it leaves with the next datagram. After the end it is dropped."""

    def events(self) -> list[Event]:
        """Everything that happened since the last call; never blocks."""

    def close(self, reason: str) -> None:
        """Says goodbye and gives everything back. May be called again."""

    def stats(self) -> PeerStats:
        """A snapshot of the counters."""


class ServerTransport(Protocol):
    """The server's side of one UDP socket."""

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """Takes one datagram. Must not raise for anything a stranger can send."""

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """What is to be sent now, in order. Timers that are due run in here."""

    def next_timer(self) -> float | None:
        """When ``datagrams`` has to be called again at the latest, None for never."""
