"""Where a broadcast of this machine reaches a socket of this machine."""

import select
import socket

EVERYBODY = "255.255.255.255"
LOOPBACK = "127.255.255.255"


def broadcast_address() -> str:
    """The LAN's where an interface carries broadcasts, else the loopback's."""
    return EVERYBODY if _comes_back(EVERYBODY) else LOOPBACK


def _comes_back(address: str) -> bool:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hears,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as says,
    ):
        hears.bind(("0.0.0.0", 0))
        says.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            says.sendto(b"anybody", (address, hears.getsockname()[1]))
        except OSError:
            return False  # no interface that broadcasts, or a firewall
        return bool(select.select([hears], [], [], 1.0)[0])
