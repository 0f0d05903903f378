"""The interfaces ``Transport`` (a session's connection) and ``ServerTransport`` (a host).

Rules:
1. A ``Transport`` belongs to the thread that made it; only threads that it starts itself run elsewhere.
2. Each event is returned once, in the order of the wire. ``Closed`` is the last one.
3. A ``ServerTransport`` is sans-I/O: datagrams and time are passed in; datagrams and the next timer are read from it.
"""

from typing import Protocol

from net.bedrock import Codec, Message
from net.peer import Event, PeerStats
from net.raknet.handshake import Address


class Transport(Protocol):
    """One session with a server, over any transport."""

    @property
    def codec(self) -> Codec:
        """The codec of the session's protocol."""

    def send(self, message: Message) -> None:
        """Queues one message; it leaves with the next datagram. Dropped after the end."""

    def events(self) -> list[Event]:
        """Everything that happened since the last call; never blocks."""

    def close(self, reason: str) -> None:
        """Disconnects and frees all resources. May be called again."""

    def stats(self) -> PeerStats:
        """A snapshot of the counters."""


class ServerTransport(Protocol):
    """The server's side of one UDP socket."""

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """Handles one datagram. Must not raise, whatever a stranger sends."""

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """The datagrams to send now, in order. Also runs due timers."""

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest, None for never."""
