"""Offers of NetherNet by HTTP, server's end: TCP on the game's port, driven by the server's loop.

Rules:
1. One request a connection; one that is too large, too slow or invalid is closed. The number of connections is limited;
   further ones wait in the system's queue.
2. Parsing is pure (``read_request``); ``OfferServer`` owns the sockets, none of which ever blocks.
"""

import contextlib
import selectors
import socket
from typing import Final

import msgspec

from net.errors import DecodeError
from net.nethernet.listener import OfferAnswerer, OfferRefused
from net.nethernet.sdp import MOST_BYTES
from net.raknet.handshake import Address
from net.transport.udp import address_of_socket

PATH: Final = "/v1/join"
MOST_CONNECTIONS: Final = 32
DEADLINE_S: Final = 10.0
_HEAD_BYTES: Final = 8 << 10
_READ_BYTES: Final = 16 << 10
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    413: "Content Too Large",
    503: "Service Unavailable",
}


class HttpRequest(msgspec.Struct, frozen=True):
    """One request."""

    method: str
    path: str
    body: bytes


def read_request(text: bytes) -> HttpRequest | None:
    """A parsed request; None if it is incomplete.

    Raises DecodeError: it is invalid, or larger than allowed; ``field`` is ``size`` then.
    """
    head, end, rest = text.partition(b"\r\n\r\n")
    if not end:
        if len(text) > _HEAD_BYTES:
            raise DecodeError("HTTP", "size", _HEAD_BYTES, "the head is too large")
        if text and not text[:1].isalpha():
            raise DecodeError("HTTP", "method", 0, "is not a word")
        return None
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(head) > _HEAD_BYTES or len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise DecodeError("HTTP", "request", 0, "is not an HTTP 1 request")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or "transfer-encoding" in headers:
        raise DecodeError("HTTP", "content-length", 0, "is not a number of bytes")
    if len(length) > 9 or int(length) > MOST_BYTES:
        raise DecodeError("HTTP", "size", MOST_BYTES, "the body is too large")
    return HttpRequest(words[0], words[1], rest[: int(length)]) if len(rest) >= int(length) else None


def write_response(status: int, body: bytes, kind: str) -> bytes:
    """A response, after which the connection is closed."""
    head = f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


class _Visitor:
    """One TCP connection."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self.sock = sock
        self.until = until
        self.read = bytearray()
        self.unsent = b""


class OfferServer:
    """Listens from its construction on.

    ``address``: an IP literal and port. ``answerer``: answers offers. ``udp_port``: port of the sessions.
    """

    def __init__(self, address: Address, answerer: OfferAnswerer, udp_port: int) -> None:
        self._answerer = answerer
        self._udp_port = udp_port
        self._visitors: dict[socket.socket, _Visitor] = {}
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(address)
            self._listener.listen(MOST_CONNECTIONS)
        except OSError:
            self._listener.close()
            raise
        self._listener.setblocking(False)

    def register(self, selector: selectors.BaseSelector) -> None:
        """Registers its socket in a loop's selector."""
        selector.register(self._listener, selectors.EVENT_READ)

    def take(self, ready: object, selector: selectors.BaseSelector, now: float) -> bool:
        """Handles a ready socket; returns whether it was one of these."""
        if ready is self._listener:
            self._accept(selector, now)
            return True
        visitor = self._visitors.get(ready) if isinstance(ready, socket.socket) else None
        if visitor is None:
            return False
        try:
            is_over = self._send(visitor) if visitor.unsent else self._receive(visitor, selector, now)
        except BlockingIOError:
            is_over = False
        except OSError:
            is_over = True
        if is_over:
            self._part(visitor, selector)
        return True

    def expire(self, selector: selectors.BaseSelector, now: float) -> None:
        """Closes connections that are too slow."""
        for visitor in [each for each in self._visitors.values() if now >= each.until]:
            self._part(visitor, selector)

    def next_timer(self) -> float | None:
        """When ``expire`` must be called at the latest."""
        return min((visitor.until for visitor in self._visitors.values()), default=None)

    def close(self) -> None:
        """Closes all sockets."""
        for sock in (*self._visitors, self._listener):
            sock.close()
        self._visitors.clear()

    def _accept(self, selector: selectors.BaseSelector, now: float) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self._listener.accept()
            if len(self._visitors) >= MOST_CONNECTIONS:
                sock.close()
                return
            sock.setblocking(False)
            self._visitors[sock] = _Visitor(sock, now + DEADLINE_S)
            selector.register(sock, selectors.EVENT_READ)

    def _part(self, visitor: _Visitor, selector: selectors.BaseSelector) -> None:
        with contextlib.suppress(KeyError, ValueError):
            selector.unregister(visitor.sock)
        self._visitors.pop(visitor.sock, None)
        visitor.sock.close()

    def _receive(self, visitor: _Visitor, selector: selectors.BaseSelector, now: float) -> bool:
        piece = visitor.sock.recv(_READ_BYTES)
        if not piece:
            return True
        visitor.read += piece
        try:
            request = read_request(bytes(visitor.read))
        except DecodeError as error:
            status = 413 if error.field == "size" else 400
            visitor.unsent = write_response(status, str(error).encode(), "text/plain")
        else:
            if request is None:
                return False
            visitor.unsent = self._response(request, visitor.sock, now)
        if self._send(visitor):
            return True
        selector.modify(visitor.sock, selectors.EVENT_WRITE)
        return False

    @staticmethod
    def _send(visitor: _Visitor) -> bool:
        try:
            visitor.unsent = visitor.unsent[visitor.sock.send(visitor.unsent) :]
        except BlockingIOError:
            return False
        return not visitor.unsent

    def _response(self, request: HttpRequest, sock: socket.socket, now: float) -> bytes:
        if request.method == "GET" and request.path == PATH:
            return write_response(200, self._answerer.status(), "application/json")
        number = request.path.removeprefix(f"{PATH}/")
        if request.method != "POST" or number == request.path or not number.isascii() or not number.isdigit():
            return write_response(404, b"there is nothing here", "text/plain")
        host = address_of_socket(sock.getpeername())[0]
        own = address_of_socket(sock.getsockname())[0].partition("%")[0], self._udp_port
        try:
            answer = self._answerer.answer(request.body.decode(errors="replace"), host, (own,), now)
        except OfferRefused as refusal:
            return write_response(refusal.status, str(refusal).encode(), "text/plain")
        return write_response(200, answer.encode(), "application/sdp")
