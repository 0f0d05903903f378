"""The host's end of LAN discovery: a UDP socket beside the game's, driven by the server's loop."""

import contextlib
import selectors
from functools import partial
from typing import Final

from net.nethernet.discovery import MOST_DATAGRAM_BYTES
from net.nethernet.lan import LanHost
from net.raknet.handshake import Address
from net.transport.udp import DATAGRAMS_A_WAKE, address_of_socket, local_host, open_socket, socket_name

_ANY: Final = ("0.0.0.0", "::")
_MAPPED: Final = "::ffff:"


class LanServer:
    """Listens at once.

    Args:
        host: answers.
        port: to listen on, 0 for a free one.
        game: the address that sessions are bound to; the same interfaces are listened on.

    Raises:
        OSError: the port cannot be had.
    """

    def __init__(self, host: LanHost, port: int, game: Address) -> None:
        self._host = host
        self._game = game
        self._socket = open_socket(game)
        try:
            self._socket.bind(socket_name((game[0], port)))
        except OSError:
            self._socket.close()
            raise

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    def register(self, selector: selectors.BaseSelector) -> None:
        """Lets a loop wait for it, too."""
        selector.register(self._socket, selectors.EVENT_READ)

    def take(self, ready: object, now: float) -> bool:
        """Answers what has come, where a socket that is ready is this one; whether it is."""
        if ready is not self._socket:
            return False
        for _ in range(DATAGRAMS_A_WAKE):
            try:
                datagram, name = self._socket.recvfrom(MOST_DATAGRAM_BYTES + 1)
            except BlockingIOError:
                break
            except OSError:
                continue  # a client's machine says that it is gone
            address = address_of_socket(name)
            for answer in self._host.receive(address, datagram, partial(self._own, address), now):
                with contextlib.suppress(OSError):  # no buffer, no route, nobody there: lost
                    self._socket.sendto(answer, socket_name(address))
        return True

    def _own(self, towards: Address) -> tuple[Address, ...]:
        """Where sessions can be reached from an address."""
        host = self._game[0]
        if host in _ANY:
            found = local_host(towards)
            if found is None:
                return ()
            host = found.partition("%")[0].removeprefix(_MAPPED)
        return ((host, self._game[1]),)

    def close(self) -> None:
        """Gives the socket back."""
        self._socket.close()
