"""Timings and limits of a connection.

The defaults suit a viewer: it connects to a server that it chose, which may send megabytes at once. ``SERVER_LIMITS``
suit the server, to which strangers connect: the largest message of a client is its Login, about 18 fragments.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

VERSIONS: Final = (10, 11)
"""RakNet versions of Bedrock: 10 below protocol 554, 11 from there; the same bytes otherwise (ecosystem.md 2.2)."""

UDP_OVERHEAD_BYTES: Final = 28
"""IPv4 and UDP headers, which RakNet's MTU includes."""


class Limits(msgspec.Struct, frozen=True):
    """Timings, and limits of the data that one end holds."""

    mtus: tuple[int, ...] = (1492, 1200, 576)  # sizes probed, largest first
    tries_per_mtu: int = 4  # requests sent with each of them
    retry_s: float = 0.5  # pause between two requests of the offline handshake
    smallest_mtu: int = 400  # a smaller agreed MTU is refused
    silence_s: float = 10.0  # after this time without a datagram the other end is considered gone
    handshake_s: float = 10.0  # from the first online message to the last
    ping_s: float = 2.5  # pause between two connected pings
    ack_delay_s: float = 0.010  # how long an acknowledgement may wait for others
    ack_count: int = 16  # so many waiting acknowledgements are sent at once
    # longest time that a gap waits for a datagram that was only overtaken before it is reported
    longest_gap_wait_s: float = 0.25
    linger_s: float = 1.0  # how long a closed end waits for the acknowledgement of its last datagrams
    datagram_jump: int = 1 << 17  # a sequence number this far ahead is invalid
    hole_ranges: int = 1024  # gaps in datagram numbers that are stored; older ones count as received
    reliable_ahead: int = 1 << 16  # frames accepted beyond one that is missing
    order_bytes: int = 32 << 20  # payloads held until an earlier one comes, including overhead
    fragments: int = 1 << 14  # pieces one payload may have
    partial_payloads: int = 256  # payloads incomplete at the same time
    # bytes of all incomplete payloads, including ``receive_window.PIECE_OVERHEAD_BYTES`` for each piece
    partial_bytes: int = 32 << 20
    inbox_bytes: int = 64 << 20  # complete payloads not taken yet
    outbox_bytes: int = 256 << 20  # bytes queued for sending and not acknowledged
    first_window_bytes: int = 48 << 10  # congestion window at the start
    largest_window_bytes: int = 2 << 20  # largest congestion window; above the 4 MiB receive buffer nothing is gained


SERVER_LIMITS: Final = replace(
    Limits(),
    order_bytes=4 << 20,
    fragments=1024,
    partial_payloads=32,
    partial_bytes=4 << 20,
    inbox_bytes=8 << 20,
    outbox_bytes=32 << 20,
)
