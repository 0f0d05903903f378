"""A peer on a thread of its own, which owns socket and peer and queues events for the owner.

    owner thread                      transport thread
    send(message) -- encoded -->      queue -> peer -> socket
    events()      <-- inbox --        socket -> peer -> events

Rules:
1. At most 64 datagrams are read before the answers are sent, so acknowledgements do not wait for a burst's end.
2. The inbox has a limit of memory, which one event may exceed. Beyond it nothing more is decoded and the peer holds:
   the server keeps its data, keep-alive goes on. Reading continues at half the limit.
3. Over NetherNet the socket is not connected: the peer gives each datagram's destination, and gets the source of
   received ones.
4. A receive buffer of 4 MiB is requested (the default holds 92 datagrams); ``receive_buffer_bytes`` is what was
   granted.
5. Datagrams that the kernel does not accept are lost, as any datagram may be.
6. A bug on the transport thread is raised again by ``events``.
"""

import contextlib
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from net.bedrock import Message
from net.errors import NOTHING_LISTENS, ConnectionClosed
from net.nethernet.discovery import MOST_DATAGRAM_BYTES
from net.peer import ClientPeer, Closed, Event, Joined, PeerStats
from net.raknet.handshake import Address

DATAGRAMS_A_WAKE: Final = 64
RECEIVE_BUFFER_BYTES: Final = 4 << 20
INBOX_BYTES: Final = 64 << 20
LARGEST_DATAGRAM_BYTES: Final = 2048
GOODBYE_S: Final = 0.5
"""How long ``close`` waits for the acknowledgement of its last datagrams."""

_IDLE_WAKE_S: Final = 1.0
_STATS_S: Final = 0.05
REFUSED: Final = (ConnectionRefusedError, ConnectionResetError)
"""Errors of a socket if the port is not open; the second on Windows."""
_MOST_REFUSALS: Final = 3
_MAPPED: Final = "::ffff:"
"""Prefix of an IPv4 address in an IPv6 socket."""


def resolve(host: str, port: int) -> Address:
    """An address of a name for datagrams; a link-local one includes the link's number.

    An IPv4 address that the system has a route to, else the first: many systems list ``::1`` first for ``localhost``,
    and most servers, ours as well, only listen to IPv4. Raises ConnectionClosed: the name has none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConnectionClosed(f"{host!r} has no address: {reason}") from None
    addresses = [address_of_socket(name) for *_, name in found]
    routed = (each for each in addresses if ":" not in each[0] and local_host(each) is not None)
    return next(routed, addresses[0])


def address_of_socket(name: tuple[object, ...]) -> Address:
    """The address in a socket's name.

    A link-local IPv6 one keeps its link, without which it is unreachable. An IPv4 one that an IPv6 socket writes as
    ``::ffff:1.2.3.4`` is IPv4 again.
    """
    host, port, *more = name
    link = more[1] if len(more) == 2 else 0
    text = str(host).removeprefix(_MAPPED) if "." in str(host) else str(host)
    return (f"{text}%{link}" if link else text), int(str(port))


def socket_name(address: Address, sock: socket.socket) -> tuple[str, int] | tuple[str, int, int, int]:
    """An address as this socket needs it: undoes ``address_of_socket``."""
    host, _, link = address[0].partition("%")
    if link:
        return host, address[1], 0, int(link)
    return (f"{_MAPPED}{host}", address[1]) if sock.family == socket.AF_INET6 and ":" not in host else address


def open_socket(address: Address) -> socket.socket:
    """A non-blocking UDP socket of the family of ``address``, its receive buffer as large as the system grants."""
    sock = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, socket.SOCK_DGRAM)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, RECEIVE_BUFFER_BYTES)
    return sock


def connected_socket(server: Address) -> socket.socket:
    """A socket connected to one address. Raises ConnectionClosed: the system has no route."""
    sock = None
    try:
        sock = open_socket(server)
        sock.connect(socket_name(server, sock))
    except OSError as error:
        if sock is not None:
            sock.close()
        raise ConnectionClosed(f"{server[0]} cannot be reached from here: {error.strerror or error}") from None
    return sock


def local_host(towards: Address) -> str | None:
    """Our own address on the route to another; None without a route."""
    try:
        with open_socket(towards) as sock:
            sock.connect(socket_name(towards, sock))
            return str(sock.getsockname()[0])
    except OSError:
        return None


class Closable(Protocol):
    """Something to close; ``close`` may be called again."""

    def close(self) -> None:
        """Gives it back."""


class UdpTransport:
    """A ``Transport`` over UDP. Starts its thread at once.

    ``peer``: made with ``time.monotonic()`` as its time; belongs to the thread from now on. ``server``: an IP literal
    and port, see ``resolve``. ``inbox_bytes``: memory limit of waiting events. ``files``: closed after its thread has
    ended; the peer reads and writes them. ``claim``: closed on its thread as soon as the session is over, however it
    ended. ``sock``: bound and not connected, for a peer that gives destinations; belongs to the transport from now on.
    Raises ConnectionClosed: the system has no route to the server.
    """

    def __init__(
        self,
        peer: ClientPeer,
        server: Address,
        inbox_bytes: int = INBOX_BYTES,
        files: Sequence[Closable] = (),
        claim: Closable | None = None,
        sock: socket.socket | None = None,
    ) -> None:
        self._peer = peer
        self._files = files
        self._claim = claim
        self.codec = peer.codec
        self._inbox_limit = inbox_bytes
        self._news = threading.Event()  # set while the inbox has events, and after the end
        self._lock = threading.Lock()  # guards the next five attributes, shared by both threads
        self._outbox: list[bytes] = []
        self._inbox: deque[Event] = deque()
        self._inbox_bytes = 0
        self._close_reason: str | None = None
        self._failure: BaseException | None = None
        self._stats = peer.stats()
        self._stats_at = 0.0
        self._refusals = 0
        self._is_connected = sock is None
        self._largest_bytes = LARGEST_DATAGRAM_BYTES if sock is None else MOST_DATAGRAM_BYTES
        self._server = server
        self._socket = connected_socket(server) if sock is None else sock
        self.receive_buffer_bytes = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="chunkscope-transport", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- owner thread

    def send(self, message: Message) -> None:
        """Queues one message; after the end it is dropped.

        Raises LocalProtocolError: it has no wire form in this protocol.
        """
        packet = self.codec.encode(message)
        with self._lock:
            self._outbox.append(packet)
        self._wake()

    def events(self) -> list[Event]:
        """Everything that happened since the last call; never blocks.

        Raises BaseException: the error of the transport thread, if it failed.
        """
        with self._lock:
            events = list(self._inbox)
            self._inbox.clear()
            if not self.over:
                self._news.clear()
            was_full = self._inbox_bytes > self._inbox_limit
            self._inbox_bytes = 0
            failure, self._failure = self._failure, None
        if was_full:
            self._wake()
        if failure is not None:
            raise failure
        return events

    def wait(self, timeout_s: float) -> None:
        """Waits until there are events, or until the time-out."""
        self._news.wait(timeout_s)

    def close(self, reason: str) -> None:
        """Disconnects, waits shortly for the acknowledgement, and frees thread and sockets."""
        with self._lock:
            self._close_reason = self._close_reason or reason
        self._wake()
        self._thread.join(GOODBYE_S * 4)
        for file in self._files:
            file.close()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen; the last events may still be waiting."""
        return not self._thread.is_alive()

    def stats(self) -> PeerStats:
        """A snapshot of the counters, at most 50 ms old while the session lives."""
        return self._stats

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: the thread will wake anyway; closed: the thread has ended
            self._wake_in.send(b"\0")

    # ---------------------------------------------------------------- transport thread

    def _run(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                selector.register(self._wake_out, selectors.EVENT_READ)
                self._loop(selector)
        except BaseException as error:
            with self._lock:
                self._failure = error
        finally:
            self._news.set()
            self._stats = self._peer.stats()
            for each in (self._socket, self._wake_in, self._wake_out, self._claim):
                if each is not None:
                    each.close()

    def _loop(self, selector: selectors.BaseSelector) -> None:
        give_up_at: float | None = None
        while True:
            now = time.monotonic()
            if self._take_outbox() and give_up_at is None:
                self._peer.close(self._close_reason or "closed", now)
                give_up_at = now + GOODBYE_S
            self._collect(now)  # first, since decoded packets may need an answer
            self._send(self._peer.outgoing(now))
            timer = self._peer.next_timer()
            if (self._peer.finished and self._collect(now)) or (give_up_at is not None and now >= give_up_at):
                return
            wait_s = _IDLE_WAKE_S if timer is None else min(_IDLE_WAKE_S, timer - now)
            for key, _ in selector.select(max(0.0, wait_s)):
                if key.fileobj is self._wake_out:
                    self._wake_out.recv(4096)
                else:
                    self._receive()

    def _take_outbox(self) -> bool:
        """Passes the owner's messages to the peer; returns whether the owner closes it."""
        with self._lock:
            outbox, self._outbox = self._outbox, []
            closing = self._close_reason is not None
        for packet in outbox:
            self._peer.send_packet(packet)
        return closing

    def _send(self, datagrams: list[tuple[Address, bytes]]) -> None:
        for address, datagram in datagrams:
            try:
                if self._is_connected:
                    self._socket.send(datagram)
                else:
                    self._socket.sendto(datagram, socket_name(address, self._socket))
            except REFUSED:
                self._refused()
            except OSError:
                pass  # no buffer, no route, too large for the path: lost

    def _receive(self) -> None:
        now = time.monotonic()
        for _ in range(DATAGRAMS_A_WAKE):
            try:
                datagram, name = self._socket.recvfrom(self._largest_bytes)
            except BlockingIOError:
                break
            except REFUSED:
                self._refused()
                break
            except OSError:
                break
            self._refusals = 0
            self._peer.receive(datagram, now, None if self._is_connected else address_of_socket(name))

    def _refused(self) -> None:
        """The server's machine reports a closed port; tolerated once, since the server may be starting."""
        self._refusals += 1
        if self._refusals == _MOST_REFUSALS:
            host, port = self._server[0].partition("%")[0], self._server[1]
            any_more = " any more" if self._peer.joined else ""
            self._peer.close(f"{NOTHING_LISTENS} {host} port {port}{any_more}", time.monotonic())

    def _collect(self, now: float) -> bool:
        """Takes events up to the limit; returns whether those were all."""
        with self._lock:
            space = self._inbox_limit - self._inbox_bytes
        events: list[Event] = []
        cost = 0
        drained = False
        while cost <= space and not drained:
            event = self._peer.next_event()
            if event is None:
                drained = True
            else:
                events.append(event)
                cost += event.held_bytes
        with self._lock:
            self._inbox.extend(events)
            self._inbox_bytes += cost
            held = self._inbox_bytes
            if events:
                self._news.set()
        if held > self._inbox_limit:
            self._peer.set_hold(True)
        elif held <= self._inbox_limit // 2:
            self._peer.set_hold(False)
        if now - self._stats_at >= _STATS_S or any(isinstance(each, Closed | Joined) for each in events):
            self._stats = self._peer.stats()
            self._stats_at = now
        return drained
