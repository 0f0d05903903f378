"""Timings and bounds of a connection, in one frozen place.

The defaults suit a viewer: it talks to a server it chose, which may send megabytes at once. ``SERVER_LIMITS`` suit
the other end, which strangers talk to: the largest thing a client has to say is its Login, about 18 fragments.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

VERSIONS: Final = (10, 11)
"""RakNet versions of Bedrock: 10 below protocol 554, 11 from there; the same bytes otherwise (ecosystem.md 2.2)."""

UDP_OVERHEAD_BYTES: Final = 28
"""IPv4 and UDP headers, which RakNet's MTU includes."""


class Limits(msgspec.Struct, frozen=True):
    """What one end does and how much it is willing to hold."""

    mtus: tuple[int, ...] = (1492, 1200, 576)  # sizes probed, largest first
    tries_per_mtu: int = 4  # requests sent with each of them
    retry_s: float = 0.5  # pause between two requests of the offline handshake
    smallest_mtu: int = 400  # an agreement below it is refused
    silence_s: float = 10.0  # without a datagram for so long, the other end is gone
    handshake_s: float = 10.0  # from the first online message to the last
    ping_s: float = 2.5  # pause between two connected pings
    ack_delay_s: float = 0.010  # how long an acknowledgement may wait for company
    ack_count: int = 16  # so many waiting ones go at once
    # the longest a gap may wait for a datagram that was only overtaken before it is reported
    longest_gap_wait_s: float = 0.25
    linger_s: float = 1.0  # how long a closed end waits for its last words to be acknowledged
    datagram_jump: int = 1 << 17  # a sequence number so far ahead is no sequence number
    hole_ranges: int = 1024  # gaps in datagram numbers remembered; older ones count as received
    reliable_ahead: int = 1 << 16  # frames accepted beyond one that is missing
    order_bytes: int = 32 << 20  # payloads held until an earlier one comes, with the same overhead for each
    fragments: int = 1 << 14  # pieces one payload may have
    partial_payloads: int = 256  # payloads incomplete at the same time
    # bytes of all incomplete payloads, with ``receive_window.PIECE_OVERHEAD_BYTES`` for each piece
    partial_bytes: int = 32 << 20
    inbox_bytes: int = 64 << 20  # complete payloads nobody has taken yet
    outbox_bytes: int = 256 << 20  # bytes handed in for sending and not acknowledged
    first_window_bytes: int = 48 << 10  # congestion window at the start
    largest_window_bytes: int = 2 << 20  # and at most; above the 4 MiB receive buffer nothing is gained


SERVER_LIMITS: Final = replace(
    Limits(),
    order_bytes=4 << 20,
    fragments=1024,
    partial_payloads=32,
    partial_bytes=4 << 20,
    inbox_bytes=8 << 20,
    outbox_bytes=32 << 20,
)
