"""Offers of NetherNet by HTTP, client's end: a server's description, and one offer; finds the transports of an address.

    GET  BASE/v1/join         2xx, JSON about the server, or nothing
    POST BASE/v1/join/NUMBER  an offer; 2xx with the answer, or with a number that refuses

Rules:
1. One request each, no retry, redirects are not followed; a body is read up to its limit.
2. ``find_server`` queries all places of an address at once: HTTP, RakNet's ping and LAN discovery. It prefers the place
   where the address was joined before, then the given order, and waits for a preferred answer at most ``GRACE_S`` after
   another one.
3. An error is one sentence that names the step.
"""

import http.client
import io
import json
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from net.errors import ConnectionClosed, NoGameServer
from net.nethernet.discovery import LanGame
from net.nethernet.sdp import MOST_BYTES
from net.raknet.handshake import Address
from net.raknet.ping import Pong
from net.transport.discovery import Sighting, find_game, ping
from net.transport.udp import local_host, open_socket

LOOPBACK_TIMEOUT_S: Final = 1.0
TIMEOUT_S: Final = 3.0
GRACE_S: Final = 1.0
OFFER_TIMEOUT_S: Final = 15.0
STATUS_BYTES: Final = 64 << 10
"""Limit of a server's description."""
PATH: Final = "/v1/join"
_USER_AGENT: Final = "libhttpclient/1.0.0.0"
RAKNET: Final = "raknet"
LAN_DISCOVERY: Final = "lan"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_LONGEST_WORDS: Final = 100
_LOOPBACKS: Final = ("127.0.0.1", "::1")
_MOST_AT_ONCE: Final = 16
_ROUTE_PROBE: Final = ("192.0.2.1", 9)


class FoundServer(msgspec.Struct, frozen=True):
    """The transports of an address."""

    base: str | None  # where offers go by HTTP; None without HTTP
    pong: Pong | None  # its description; None if there is none
    raknet: Pong | None = None  # its description over RakNet, if that arrived in time
    round_trip_s: float = 0.0
    game: LanGame | None = None  # LAN game, if offers go by LAN discovery

    @property
    def transport(self) -> str:
        """The transport by which it is joined."""
        return RAKNET if self.place == RAKNET else "nethernet"

    @property
    def place(self) -> str:
        """Its place: the base URL for offers by HTTP, else ``LAN_DISCOVERY`` or ``RAKNET``."""
        return self.base or (RAKNET if self.game is None else LAN_DISCOVERY)


def get_status(base: str, timeout_s: float) -> Pong:
    """A server's description, in the form of a ping's answer.

    Raises ConnectionClosed: no answer; NoGameServer: it is not a server of the game. The reason names the step.
    """
    status, body = _request("GET", base, PATH, None, timeout_s, STATUS_BYTES)
    if 300 <= status < 400:
        raise NoGameServer(f"{base} redirects (HTTP status {status}), and redirects are not followed")
    if not 200 <= status < 300:
        raise NoGameServer(f"{base}{PATH} answers with HTTP status {status}{_quoted(body)}")
    return read_status(base, body)


def read_status(base: str, body: bytes) -> Pong:
    """The description in a body from ``base``, which may be empty or anything else; every field may be missing."""
    try:
        values = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise NoGameServer(f"the HTTP server at {base} is not a game server: its status is not a JSON object")
    return Pong(
        motd=_text(values.get("name")),
        protocol=_count(values.get("protocol")),
        version=_text(values.get("version")),
        level_name=_text(values.get("level")),
        players=_count(values.get("players")),
        max_players=_count(values.get("maxPlayers")),
    )


def _text(value: object) -> str:
    return value.encode(errors="replace").decode()[:_LONGEST_WORDS] if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else 0


def post_offer(base: str, network_id: int, offer: str) -> str:
    """The server's answer to an offer. Raises ConnectionClosed: there is none; the reason names the step."""
    path = f"{PATH}/{network_id}"
    status, body = _request("POST", base, path, offer.encode(), OFFER_TIMEOUT_S, MOST_BYTES)
    if 300 <= status < 400:
        raise ConnectionClosed(f"{base} redirects an offer (HTTP status {status}), and redirects are not followed")
    if not 200 <= status < 300:
        words = {503: ": the server is full", 502: ": it took too long"}.get(status, _quoted(body))
        raise ConnectionClosed(f"{base} does not accept the offer (HTTP status {status}{words})")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ConnectionClosed(f"the answer of {base} to the offer is not text") from None


def _quoted(body: bytes) -> str:
    """What a refusal says, unless it is a web page."""
    if body.lstrip().startswith(b"<"):
        return ""
    plain = "".join(
        letter if letter.isprintable() else " " for letter in body[:_LONGEST_WORDS].decode(errors="replace")
    )
    words = " ".join(plain.split())
    return f": {words}" if words else ""


def _request(
    method: str, base: str, path: str, body: bytes | None, timeout_s: float, most_bytes: int
) -> tuple[int, bytes]:
    """One request with a deadline for the whole of it; returns status and body."""
    parts = urlsplit(base)
    host, port = parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]
    kind: type[http.client.HTTPConnection] = http.client.HTTPConnection
    more: dict[str, Any] = {}
    opened: type[socket.socket] = socket.socket  # an https connection has none before its handshake
    if parts.scheme == "https":
        kind, more, opened = http.client.HTTPSConnection, {"context": ssl.create_default_context()}, ssl.SSLSocket
    deadline = time.monotonic() + timeout_s
    connection = kind(host, port, timeout=timeout_s, **more)
    headers = {"User-Agent": _USER_AGENT, "Connection": "close"}
    if body is not None:
        headers["Content-Type"] = "application/sdp"
    try:
        connection.request(method, f"{parts.path.rstrip('/')}{path}", body, headers)
        assert connection.sock is not None, "a request opens it"
        received = _Until(connection.sock, deadline)
        response = http.client.HTTPResponse(received, method=method)  # type: ignore[arg-type] # it asks for a file only
        response.begin()
        read = bytearray()
        while piece := response.read1(4096):
            read += piece
            if len(read) > most_bytes:
                raise NoGameServer(f"{base} sent more than {most_bytes} bytes over HTTP")
        return response.status, bytes(read)
    except ssl.SSLError as error:
        words = f"the encryption of {base} fails (TLS: {error.reason or error})"
        if isinstance(error, ssl.SSLCertVerificationError):
            raise NoGameServer(words) from None
        raise ConnectionClosed(words) from None  # it does not speak TLS: plain HTTP says what it is
    except TimeoutError:
        kind_of_error = NoGameServer if isinstance(connection.sock, opened) else ConnectionClosed
        raise kind_of_error(f"{base} did not answer over HTTP within {timeout_s:g} s") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        if isinstance(connection.sock, opened):
            raise NoGameServer(f"the program listening at {base} is not an HTTP server: {why}") from None
        raise ConnectionClosed(f"{base} cannot be reached over HTTP: {why}") from None
    finally:
        connection.close()


class _Until(io.RawIOBase):
    """Data from a socket until a deadline: the socket's own time-out restarts with each byte, and heads have many."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a writable buffer, which Python 3.11 has no name for
        left_s = self._deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)
        return self._sock.recv_into(buffer)


def timeout_towards(host: str) -> float:
    """How long an answer may take."""
    return LOOPBACK_TIMEOUT_S if host in ("localhost", "::1") or host.startswith("127.") else TIMEOUT_S


def find_server(
    address: Address,
    bases: tuple[str, ...],
    timeout_s: float,
    *,
    with_raknet: bool = True,
    lan_port: int | None = None,
    before: str = "",
) -> FoundServer | None:
    """The transports of an address; None without an answer.

    If only one place is asked, by HTTP, its error is raised.

    ``address``: an IP literal and port, for RakNet. ``bases``: base URLs for offers; the preferred first.
    ``timeout_s``: the deadline of each question. ``with_raknet``: whether to accept RakNet. ``lan_port``: port for
    querying a LAN game; None: no query. ``before``: the ``FoundServer.place`` where it was joined before, which is
    preferred; empty: none. Raises ConnectionClosed: no answer, since the system has no route; or the error of the only
    place. Raises NoGameServer: no answer, and something else listens there over TCP.
    """
    if len(bases) == 1 and lan_port is None and not with_raknet:
        start = time.monotonic()
        return FoundServer(bases[0], get_status(bases[0], timeout_s), round_trip_s=time.monotonic() - start)
    failed: dict[str, ConnectionClosed] = {}
    found: queue.SimpleQueue[tuple[int, FoundServer | None]] = queue.SimpleQueue()

    def ask(rank: int, place: str) -> None:
        start = time.monotonic()
        try:
            answer = questions[place]()
        except ConnectionClosed as error:
            failed[place] = error
            answer = None
        if answer is not None:
            answer = msgspec.structs.replace(answer, round_trip_s=time.monotonic() - start)
        found.put((rank, answer))

    def by_http(base: str) -> FoundServer:
        return FoundServer(base, get_status(base, timeout_s))

    def by_raknet() -> FoundServer | None:
        pong = ping(address, timeout_s)
        return None if pong is None else FoundServer(None, pong, pong)

    def by_discovery(port: int) -> FoundServer | None:
        game = find_game((address[0], port), timeout_s)
        return None if game is None else FoundServer(None, game.world.pong, game=game)

    questions: dict[str, Callable[[], FoundServer | None]] = {base: partial(by_http, base) for base in bases}
    if with_raknet:
        questions[RAKNET] = by_raknet
    if lan_port is not None:
        questions[LAN_DISCOVERY] = partial(by_discovery, lan_port)
    preferred = sorted(questions, key=lambda place: place != before)
    for rank, place in enumerate(preferred):
        threading.Thread(target=ask, args=(rank, place), name="chunkscope-probe", daemon=True).start()
    server = _preferred(found, len(questions), time.monotonic() + timeout_s + GRACE_S)
    if server is None and RAKNET in failed:
        raise failed[RAKNET]
    errors = [failed[place] for place in questions if place in failed]
    others = [error.reason for error in errors if isinstance(error, NoGameServer)]
    if server is None and others:
        raise NoGameServer("; ".join(others))
    return server


def scan_by_http(ports: Iterable[int], timeout_s: float) -> tuple[Sighting, ...]:
    """Who takes offers by HTTP on this machine, by port; all are asked at once, and nobody elsewhere is.

    A server that says the same over IPv4 and IPv6 is listed once, at its IPv4 address. ``timeout_s``: the deadline of
    each question; 0: nobody is asked.
    """

    def ask(address: Address) -> Sighting | None:
        host, port = address
        base = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        try:
            found = find_server(address, (base,), timeout_s, with_raknet=False)
        except ConnectionClosed:
            return None
        pong = None if found is None else found.pong
        if found is None or pong is None:
            return None
        return Sighting(address, pong, found.round_trip_s, transport=found.transport, scheme="http")

    asked = [(host, port) for port in sorted(set(ports)) for host in _LOOPBACKS] if timeout_s > 0 else []
    if not asked:
        return ()
    with ThreadPoolExecutor(min(len(asked), _MOST_AT_ONCE), "chunkscope-scan") as pool:
        found = [each for each in pool.map(ask, asked) if each is not None]
    return tuple({(each.address[1], each.pong): each for each in reversed(found)}.values())[::-1]


def _preferred(
    found: "queue.SimpleQueue[tuple[int, FoundServer | None]]", count: int, deadline: float
) -> FoundServer | None:
    answers: dict[int, FoundServer | None] = {}
    while len(answers) < count:
        first = next((rank for rank in range(count) if rank not in answers), count)
        if any(answers.get(rank) is not None for rank in range(first)):
            break
        try:
            rank, answer = found.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        answers[rank] = answer
        if answer is not None:
            deadline = min(deadline, time.monotonic() + GRACE_S)
    best = next((answers[rank] for rank in sorted(answers) if answers[rank] is not None), None)
    raknet = next((each.raknet for each in answers.values() if each is not None and each.raknet is not None), None)
    return None if best is None else msgspec.structs.replace(best, raknet=raknet)


# ---------------------------------------------------------------- sockets of a client


def bound_socket(server: Address) -> tuple[socket.socket, tuple[Address, ...]]:
    """A socket for all addresses that the server may offer, and our own addresses as seen from there.

    For a server at an IPv6 address it sends to IPv4 as well, since the server may offer nothing else. Raises
    ConnectionClosed: the system has no route.
    """
    is_v6 = ":" in server[0]
    try:
        sock = open_socket(server)
    except OSError as error:
        raise ConnectionClosed(f"{server[0]} cannot be reached from here: {error.strerror or error}") from None
    try:
        if is_v6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(("::" if is_v6 else "0.0.0.0", 0))
        port = sock.getsockname()[1]
        hosts = [local_host(server), local_host(_ROUTE_PROBE)]
    except OSError as error:
        sock.close()
        raise ConnectionClosed(f"{server[0]} cannot be reached from here: {error.strerror or error}") from None
    return sock, tuple((host, port) for host in dict.fromkeys(hosts) if host is not None)
