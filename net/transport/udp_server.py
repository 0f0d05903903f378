"""The loop of a server process: one UDP socket, one host, one thread; with NetherNet offers on TCP and LAN discovery.

Rules:
1. At most ``DATAGRAMS_A_TURN`` datagrams are read before what answers them is sent: more than fifty clients send while
   a long turn takes, or what they say would wait in the socket behind what was said before.
2. The host is asked for datagrams whenever something arrived or its timer is due; a host with a tick of its own has
   it in its timer.
3. ``stop`` may be called from any thread; the loop then gives the host ``goodbye_s`` to say its last words.
"""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from net.nethernet.discovery import MOST_DATAGRAM_BYTES
from net.raknet.handshake import Address
from net.transport.interface import ServerTransport
from net.transport.udp import (
    DATAGRAMS_A_WAKE,
    LARGEST_DATAGRAM_BYTES,
    address_of_socket,
    local_host,
    open_socket,
    socket_name,
)

if TYPE_CHECKING:
    from net.nethernet.lan import LanHost
    from net.nethernet.listener import OfferAnswerer
    from net.transport.http_server import OfferServer

_ANY: Final = ("0.0.0.0", "::")
DATAGRAMS_A_TURN: Final = 128
"""From all clients: 5 ms (measured: 40 us each)."""


class LanServer:
    """Listens from its construction on.

    ``host``: answers. ``port``: to listen on, 0 for a free one. ``game``: the address that sessions are bound to; it
    listens on the same interfaces. Raises OSError: the port is not available.
    """

    def __init__(self, host: "LanHost", port: int, game: Address) -> None:
        self._host = host
        self._game = game
        self._socket = open_socket(game)
        try:
            self._socket.bind(socket_name((game[0], port), self._socket))
        except OSError:
            self._socket.close()
            raise

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def register(self, selector: selectors.BaseSelector) -> None:
        """Registers its socket in a loop's selector."""
        selector.register(self._socket, selectors.EVENT_READ)

    def take(self, ready: object, now: float) -> bool:
        """Handles datagrams if the ready socket is this one; returns whether it is."""
        if ready is not self._socket:
            return False
        for _ in range(DATAGRAMS_A_WAKE):
            try:
                datagram, name = self._socket.recvfrom(MOST_DATAGRAM_BYTES + 1)
            except BlockingIOError:
                break
            except OSError:
                continue  # a client's machine reports a closed port
            address = address_of_socket(name)
            for answer in self._host.receive(address, datagram, partial(self._own, address), now):
                with contextlib.suppress(OSError):  # no buffer, no route, port closed: lost
                    self._socket.sendto(answer, socket_name(address, self._socket))
        return True

    def _own(self, towards: Address) -> tuple[Address, ...]:
        """Our own addresses as seen from another address."""
        host = self._game[0]
        if host in _ANY:
            found = local_host(towards)
            if found is None:
                return ()
            host = found.partition("%")[0]
        return ((host, self._game[1]),)

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()


GOODBYE_S: Final = 0.25
_IDLE_WAKE_S: Final = 1.0
_FREE_PORT_TRIES: Final = 8
"""Tries to find a port that is free for both UDP and TCP."""


class UdpHost:
    """Binds at once, so that ``address`` is known before ``run``.

    ``host``: driven with ``time.monotonic()``. ``bind``: an IP literal and port; port 0 takes a free one. ``answerer``:
    answers NetherNet's offers; None without NetherNet.
    """

    def __init__(
        self, host: ServerTransport, bind: Address = ("127.0.0.1", 0), answerer: "OfferAnswerer | None" = None
    ) -> None:
        self._host = host
        self._offers: OfferServer | None = None
        for tries_left in reversed(range(1 if bind[1] or answerer is None else _FREE_PORT_TRIES)):
            self._socket = open_socket(bind)
            try:
                self._socket.bind(bind)
                if answerer is not None:
                    # importing NetherNet takes a fortieth of a second, for which a viewer with an embedded server would
                    # wait
                    from net.transport import http_server  # noqa: PLC0415 - as above

                    port = self._socket.getsockname()[1]
                    self._offers = http_server.OfferServer((bind[0], port), answerer, port)
                break
            except OSError:
                self._socket.close()
                if not tries_left:
                    raise
        self._lan: LanServer | None = None
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_out.setblocking(False)
        self._stopping = False

    @property
    def address(self) -> Address:
        host, port = self._socket.getsockname()[:2]
        return str(host), int(port)

    def announce(self, host: "LanHost", port: int) -> int:
        """Answers LAN discovery, too, from ``run`` on; returns the port.

        ``host``: answers. ``port``: the game's is ``net.nethernet.discovery.PORT``; 0 takes a free one. Raises OSError:
        the port is not available.
        """
        self._lan = LanServer(host, port, self.address)
        return self._lan.port

    def stop(self) -> None:
        """Ends ``run`` soon. May be called from any thread, repeatedly."""
        self._stopping = True
        with contextlib.suppress(OSError):  # it has ended already
            self._wake_in.send(b"\0")

    def run(self, goodbye: Callable[[float], None] | None = None, goodbye_s: float = GOODBYE_S) -> None:
        """Serves until ``stop``; then closes its sockets.

        ``goodbye``: called with the time when it stops, so that a host can close its sessions. ``goodbye_s``: how long
        sending the last datagrams may take; it ends earlier if no client is left.
        """
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                selector.register(self._wake_out, selectors.EVENT_READ)
                for beside in (self._offers, self._lan):
                    if beside is not None:
                        beside.register(selector)
                while not self._stopping:
                    self._turn(selector, _IDLE_WAKE_S)
                selector.unregister(self._wake_out)
                if goodbye is not None:
                    goodbye(time.monotonic())
                    end = time.monotonic() + goodbye_s
                    self._turn(selector, 0.0)
                    while self._host.next_timer() is not None and (left_s := end - time.monotonic()) > 0:
                        self._turn(selector, left_s)
        finally:
            for each in (self._socket, self._wake_in, self._wake_out, self._offers, self._lan):
                if each is not None:
                    each.close()

    def _turn(self, selector: selectors.BaseSelector, longest_s: float) -> None:
        now = time.monotonic()
        for address, datagram in self._host.datagrams(now):
            with contextlib.suppress(OSError):  # no buffer, no route, port closed: lost
                self._socket.sendto(datagram, socket_name(address, self._socket))
        timer = self._host.next_timer()
        wait_s = longest_s if timer is None else min(longest_s, timer - time.monotonic())
        for key, _ in selector.select(max(0.0, wait_s)):
            if key.fileobj is self._wake_out:
                self._wake_out.recv(4096)
            elif key.fileobj is self._socket:
                self._receive()
            elif self._lan is None or not self._lan.take(key.fileobj, time.monotonic()):
                assert self._offers is not None
                self._offers.take(key.fileobj, selector, time.monotonic())
        if self._offers is not None:
            self._offers.expire(selector, time.monotonic())

    def _receive(self) -> None:
        now = time.monotonic()
        for _ in range(DATAGRAMS_A_TURN):
            try:
                datagram, address = self._socket.recvfrom(LARGEST_DATAGRAM_BYTES)
            except BlockingIOError:
                return
            except OSError:
                continue  # a client's machine reports a closed port
            self._host.receive(address_of_socket(address), datagram, now)
