"""Asking an address what it is: one blocking unconnected ping with a deadline."""

import contextlib
import select
import time
from typing import Final

from net.errors import DecodeError
from net.raknet.address import Address
from net.raknet.ping import Pong, read_pong, write_ping
from net.transport.udp import LARGEST_DATAGRAM_BYTES, connected_socket

_REPEAT_S: Final = 0.3


def ping(server: Address, timeout_s: float = 2.0) -> Pong | None:
    """What the server says about itself, None when it says nothing in time.

    Args:
        server: an IP literal and port, see ``udp.resolve``.
        timeout_s: the deadline; until then the question is repeated every 0.3 s.

    Raises:
        ConnectionClosed: the system knows no way there.
    """
    deadline = time.monotonic() + timeout_s
    with connected_socket(server) as sock:
        while (now := time.monotonic()) < deadline:
            with contextlib.suppress(OSError):  # told that nobody listens: a server may be starting
                sock.send(write_ping(int(now * 1000), 0))
            repeat_at = min(deadline, now + _REPEAT_S)
            while (left_s := repeat_at - time.monotonic()) > 0:
                if not select.select([sock], [], [], left_s)[0]:
                    break
                try:
                    pong = read_pong(sock.recv(LARGEST_DATAGRAM_BYTES))
                except (OSError, DecodeError):
                    pong = None
                if pong is not None:
                    return pong
    return None
