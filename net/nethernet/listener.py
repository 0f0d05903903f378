"""The server's end: answers offers, and finds the session of a datagram.

Rules:
1. An offer uses a session until it is open or until ``ice.FAILED_S``; their number is limited, in all and for each
   host.
2. A datagram belongs to the session whose user name it carries, or whose authenticated address sent it; others get no
   answer.
3. One certificate and one key serve all sessions; the signed identity is renewed every half minute.
4. An offer without an identity is accepted, as there are no accounts here; one with an invalid identity is refused.
5. Nothing is sent to the candidates of an offer before they send a request signed with our password.
"""

from collections import Counter, deque
from collections.abc import Callable
from typing import Final, Protocol

from net.bedrock.login.tokens import new_key
from net.errors import DecodeError
from net.nethernet import stun
from net.nethernet.connection import NetherNetConnection, NetherNetPhase
from net.nethernet.discovery import HostedWorld
from net.nethernet.dtls import DtlsCertificate, is_dtls
from net.nethernet.identity import SERVER_LIFE_S, check_identity, write_identity
from net.nethernet.sdp import (
    INCOMING_IGNORED,
    NO_IDENTITY,
    REMOTE_DESCRIPTION,
    DtlsRole,
    SessionDescription,
    read_description,
    write_description,
)
from net.nethernet.stun import is_stun, read_stun
from net.raknet.handshake import Address
from net.raknet.limits import SERVER_LIMITS, Limits

MOST_UNOPENED: Final = 64
MOST_UNOPENED_A_HOST: Final = 8
_UFRAG_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class OfferRefused(Exception):
    """An offer is refused: HTTP status, message, and the error number for LAN signalling."""

    def __init__(self, status: int, reason: str, code: int) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code


class OfferAnswerer(Protocol):
    """A server: answers offers, and describes itself."""

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool = False) -> str:
        """The answer to an offer, see ``NetherNetListener.answer``."""

    def hosted_world(self) -> HostedWorld:
        """Its description for LAN discovery."""

    def status(self) -> bytes:
        """Its description as JSON."""


def ice_text(entropy: Callable[[int], bytes], size: int) -> str:
    """A random text of ICE's characters."""
    return "".join(_UFRAG_CHARACTERS[byte & 63] for byte in entropy(size))


class NetherNetListener:
    """All sessions of one UDP address.

    ``unix_time``: seconds since 1970 at ``now``. ``most_connections``: beyond it offers are refused.
    """

    def __init__(
        self,
        entropy: Callable[[int], bytes],
        unix_time: float,
        now: float,
        most_connections: int = 64,
        limits: Limits = SERVER_LIMITS,
    ) -> None:
        self.strangers_malformed = 0
        self._entropy = entropy
        self._unix_offset = unix_time - now
        self._certificate = DtlsCertificate(unix_time)
        self._key = new_key(entropy)
        self._identity = ("", -1e9)  # the text, and the time of signing
        self._most_connections = most_connections
        self._limits = limits
        self._by_name: dict[bytes, NetherNetConnection] = {}  # by our user name
        self._hosts: dict[bytes, str] = {}  # the host of each offer
        self._by_address: dict[Address, bytes] = {}
        self._accepted: deque[NetherNetConnection] = deque()

    @property
    def connections(self) -> int:
        """Number of connections, unfinished ones included."""
        return len(self._by_name)

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool = False) -> str:
        """The answer to an offer from ``host``.

        ``own``: our addresses. ``lan``: whether it goes by LAN discovery, where a signed answer is sent only for signed
        offers. Raises OfferRefused: with the status of HTTP.
        """
        unopened = [name for name, each in self._by_name.items() if each.phase is not NetherNetPhase.OPEN]
        of_host = Counter(self._hosts[name] for name in unopened)[host]
        full = len(self._by_name) >= self._most_connections
        if full or len(unopened) >= MOST_UNOPENED or of_host >= MOST_UNOPENED_A_HOST:
            raise OfferRefused(503, "the server is full", INCOMING_IGNORED)
        unix_time = self._unix_offset + now
        try:
            other = read_description(offer)
            key = None
            if other.identity is not None:
                key = check_identity(other.identity, other.fingerprints, unix_time).key
        except DecodeError as error:
            if error.packet == "SDP":
                raise OfferRefused(400, str(error), REMOTE_DESCRIPTION) from None
            raise OfferRefused(200, str(NO_IDENTITY), NO_IDENTITY) from None
        ours = SessionDescription(
            ufrag=ice_text(self._entropy, 8),
            password=ice_text(self._entropy, 24),
            fingerprints=(self._certificate.fingerprint,),
            role=DtlsRole.SERVER if other.role is DtlsRole.CLIENT else DtlsRole.CLIENT,
            candidates=own,
            identity=None if lan and other.identity is None else self._signed(unix_time),
        )
        connection = NetherNetConnection(ours, other, False, self._certificate, self._entropy, now, self._limits, key)
        name = f"{ours.ufrag}:{other.ufrag}".encode()
        self._by_name[name] = connection
        self._hosts[name] = host
        return write_description(ours, int.from_bytes(self._entropy(8), "big"))

    def _signed(self, unix_time: float) -> str:
        text, at = self._identity
        if not at <= unix_time < at + SERVER_LIFE_S / 2:
            text = write_identity(self._key, (self._certificate.fingerprint,), unix_time, life_s=SERVER_LIFE_S)
            self._identity = text, unix_time
        return text

    def takes(self, address: Address, datagram: bytes) -> bool:
        """Whether a datagram is NetherNet's and not RakNet's."""
        return is_stun(datagram) or (is_dtls(datagram) and address in self._by_address)

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        name = self._by_address.get(address)
        if is_stun(datagram):
            name = self._name_of(datagram) or name
        connection = None if name is None else self._by_name.get(name)
        if name is None or connection is None:
            self.strangers_malformed += 1
            return
        was_open = connection.connected
        connection.receive(datagram, now, address)
        if connection.ice.is_valid(address):
            self._by_address[address] = name
        if connection.connected and not was_open:
            self._accepted.append(connection)

    def _name_of(self, datagram: bytes) -> bytes | None:
        try:
            name = read_stun(datagram).attributes.get(stun.USERNAME)
        except DecodeError:
            return None
        return name if name in self._by_name else None

    def accept(self) -> NetherNetConnection | None:
        """The next client whose channels are open."""
        return self._accepted.popleft() if self._accepted else None

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""
        out: list[tuple[Address, bytes]] = []
        for name, connection in list(self._by_name.items()):
            was_open = connection.connected
            out += connection.outgoing(now)
            if connection.connected and not was_open:
                self._accepted.append(connection)
            if connection.closed is not None:
                del self._by_name[name], self._hosts[name]
                self._by_address = {address: each for address, each in self._by_address.items() if each != name}
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest, None for never."""
        timers = (connection.next_timer() for connection in self._by_name.values())
        return min((timer for timer in timers if timer is not None), default=None)
