"""Signalling by LAN discovery: a host that describes its world and answers offers, and a client's link to one.

    client                            host, UDP port 7551
    request                        -> response: a hosted world
    CONNECTREQUEST N offer         -> CONNECTRESPONSE N answer, CANDIDATEADD N candidate ...
    CANDIDATEADD N candidate ...   ->
    then ICE, DTLS and SCTP between the candidates

Rules:
1. A host answers only machines of its own networks, each a limited number of times a second
   (``net.raknet.ping.Pongs``). Datagrams from public addresses get no answer, as a response is longer than its request.
2. A repeated offer gets the same answer: it costs one session however often it is repeated.
3. A client accepts signals only from the address and the id that it found, about its own connection; all others are
   counted.
4. A client whose unsigned offer is refused as unsigned (code 37) sends one more, signed. Such an offer is larger than a
   datagram of the game; libraries accept it.
"""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

from msgspec.structs import replace

from net.errors import ConnectionClosed, DecodeError, LocalProtocolError
from net.nethernet.connection import NetherNetConnection, NetherNetPhase
from net.nethernet.discovery import (
    DiscoveryKind,
    DiscoveryPacket,
    LanGame,
    Signal,
    SignalKind,
    read_discovery,
    read_signal,
    write_discovery,
    write_signal,
    write_world,
)
from net.nethernet.ice import FAILED_S, MOST_ADDRESSES
from net.nethernet.listener import OfferAnswerer, OfferRefused
from net.nethernet.offer import ClientOffer
from net.nethernet.sdp import NO_IDENTITY, RESPONSE_TIMEOUT, read_candidate, read_code, words_of, write_candidate
from net.raknet.connection import LinkStats
from net.raknet.handshake import Address
from net.raknet.limits import Limits
from net.raknet.ping import Pongs

ANSWER_S: Final = 10.0
"""Limit from an offer to its answer."""
ANSWER: Final = "the host's answer to the offer (LAN signalling)"
OFFER_AGAIN_S: Final = 3.0
CANDIDATES_AGAIN_S: Final = 1.0
MOST_ANSWERS: Final = 64
"""Answers stored for repeated offers."""
_CANDIDATE: Final = "a=candidate:"


class LanHost:
    """The host's end. ``network_id``: a unique 64-bit number. ``nonce``: sent with the world; logins must repeat it."""

    def __init__(self, answerer: OfferAnswerer, network_id: int, nonce: str = "") -> None:
        self.malformed = 0  # datagrams that are not discovery packets, and messages that are not signals
        self.unanswered = 0  # packets beyond the limit of rule 1
        self._answerer = answerer
        self._network_id = network_id
        self._nonce = nonce
        self._pongs = Pongs()
        self._answers: OrderedDict[tuple[str, int, int], tuple[float, list[bytes]]] = OrderedDict()

    def receive(
        self, address: Address, datagram: bytes, own: Callable[[], tuple[Address, ...]], now: float
    ) -> list[bytes]:
        """Handles one datagram from any address; returns the datagrams to send back.

        ``own``: returns our addresses as seen from the sender.
        """
        try:
            packet = read_discovery(datagram)
            if packet.sender == self._network_id or packet.kind is DiscoveryKind.RESPONSE:
                return []
            signal = None
            if packet.kind is DiscoveryKind.MESSAGE:
                signal = read_signal(packet.body) if packet.recipient == self._network_id else None
                if signal is None or signal.kind is not SignalKind.OFFER:
                    return []  # candidates are not needed: clients send the requests, see ``listener``
        except DecodeError:
            self.malformed += 1
            return []
        if not is_near(address[0]) or not self._pongs.allow(address[0], now):
            self.unanswered += 1
            return []
        if signal is None:
            world = replace(self._answerer.hosted_world(), nonce=self._nonce)
            return [write_discovery(DiscoveryPacket(DiscoveryKind.RESPONSE, self._network_id, write_world(world)))]
        return self._answer(address[0], packet.sender, signal, own, now)

    def _answer(
        self, host: str, sender: int, offer: Signal, own: Callable[[], tuple[Address, ...]], now: float
    ) -> list[bytes]:
        who = host, sender, offer.connection
        known = self._answers.get(who)
        if known is not None and now - known[0] < FAILED_S:
            return known[1]
        try:
            answer = self._answerer.answer(offer.data, host, own(), now, lan=True)
            signals = [Signal(SignalKind.ANSWER, offer.connection, answer)]
            signals += [
                Signal(SignalKind.CANDIDATE, offer.connection, line.removeprefix("a="))
                for line in answer.splitlines()
                if line.startswith(_CANDIDATE)
            ]
        except OfferRefused as refusal:
            signals = [Signal(SignalKind.ERROR, offer.connection, str(refusal.code))]
        packets = [_message(self._network_id, sender, signal) for signal in signals]
        self._answers[who] = now, packets
        self._answers.move_to_end(who)
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return packets


def is_near(host: str) -> bool:
    """Whether an address is private, link-local or of this machine."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return not address.is_global


def _message(sender: int, recipient: int, signal: Signal) -> bytes:
    return write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, sender, write_signal(signal), recipient))


class LanLink:
    """A client's link to a host: sends the offer, and then is the connection that the answer makes.

    ``offer``: unsigned. ``unix_time``: seconds since 1970 at ``now``.
    """

    batch_header = b""
    encrypts = False

    def __init__(
        self,
        game: LanGame,
        offer: ClientOffer,
        entropy: Callable[[int], bytes],
        unix_time: float,
        now: float,
        limits: Limits | None = None,
    ) -> None:
        self.connection: NetherNetConnection | None = None  # set once the offer is answered
        self._game = game
        self._offer = offer
        self._entropy = entropy
        self._unix_offset = unix_time - now
        self._limits = limits
        self._closed: str | None = None
        self._hold = False
        self._early: list[Address] = []  # candidates received before the answer
        self._queued: list[bytes] = []  # datagrams for the host's address
        self._malformed = self._datagrams_in = self._datagrams_out = self._bytes_in = self._bytes_out = 0
        self._begin(now)

    def _begin(self, now: float) -> None:
        self._number = int.from_bytes(self._entropy(8), "big")  # id of the connection
        self._give_up_at = now + ANSWER_S
        self._signal_at = now

    # ---------------------------------------------------------------- the contract of a link

    @property
    def connected(self) -> bool:
        return self.connection is not None and self.connection.connected

    @property
    def closed(self) -> str | None:
        """Why it is over, one sentence that names the step."""
        return self._closed if self.connection is None or self._closed is not None else self.connection.closed

    def set_hold(self, hold: bool) -> None:
        """Sets whether received data is neither stored nor acknowledged for now."""
        self._hold = hold
        if self.connection is not None:
            self.connection.set_hold(hold)

    def next_payload(self) -> bytes | None:
        """The next packet of the host, in order."""
        return None if self.connection is None else self.connection.next_payload()

    @property
    def payload_at(self) -> float:
        """When the last datagram of the packet taken last arrived."""
        return 0.0 if self.connection is None else self.connection.payload_at

    def send(self, payload: bytes) -> None:
        """Queues one packet; after the end it is dropped.

        Raises LocalProtocolError: it is not open yet, or the packet has no wire form.
        """
        if self.connection is not None:
            self.connection.send(payload)
        elif self._closed is None:
            raise LocalProtocolError("nothing can be sent before the connection is there")

    def close(self, reason: str, now: float) -> None:
        """Ends it from our side."""
        if self.connection is not None:
            self.connection.close(reason, now)
        elif self._closed is None:
            self._closed = reason

    def stats(self) -> LinkStats:
        stats = LinkStats(waits_for=ANSWER) if self.connection is None else self.connection.stats()
        return replace(
            stats,
            datagrams_in=stats.datagrams_in + self._datagrams_in,
            datagrams_out=stats.datagrams_out + self._datagrams_out,
            bytes_in=stats.bytes_in + self._bytes_in,
            bytes_out=stats.bytes_out + self._bytes_out,
            datagrams_malformed=stats.datagrams_malformed + self._malformed,
        )

    # ---------------------------------------------------------------- in

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        packet = None
        if sender is None or sender == self._game.address:
            try:
                packet = read_discovery(datagram)
            except DecodeError:
                packet = None
        if packet is None and self.connection is not None:
            self.connection.receive(datagram, now, sender)
            return
        self._datagrams_in += 1
        self._bytes_in += len(datagram)
        if self.closed is None and (packet is None or not self._take(packet, now)):
            self._malformed += 1

    def _take(self, packet: DiscoveryPacket, now: float) -> bool:
        """Handles a packet; returns whether it is the host's and valid."""
        if packet.kind is DiscoveryKind.RESPONSE and packet.sender == self._game.network_id:
            return True  # repeated, as questions are
        if (packet.sender, packet.recipient) != (self._game.network_id, self._offer.network_id):
            return False
        try:
            signal = read_signal(packet.body)
        except DecodeError:
            return False
        if signal is None:
            return True
        if signal.connection != self._number:
            return False
        if signal.kind is SignalKind.ANSWER and self.connection is None:
            self._open(signal.data, now)
        elif signal.kind is SignalKind.CANDIDATE:
            address = read_candidate(signal.data)
            if address is not None and self.connection is not None:
                self.connection.ice.add_candidate(address)
            elif address is not None and len(self._early) < MOST_ADDRESSES and address not in self._early:
                self._early.append(address)
        elif signal.kind is SignalKind.ERROR and not self.connected:
            self._refused(read_code(signal.data), now)
        return True

    def _open(self, answer: str, now: float) -> None:
        try:
            unix_time = self._unix_offset + now
            connection, _ = self._offer.answered(answer, unix_time, now, self._limits, signed=False)
        except ConnectionClosed as error:
            self._closed = error.reason
            return
        connection.set_hold(self._hold)
        for address in self._early:
            connection.ice.add_candidate(address)
        self.connection = connection
        self._signal_at = now

    def _refused(self, code: int | None, now: float) -> None:
        if code == NO_IDENTITY and self._offer.description.identity is None and self.connection is None:
            self._offer.sign(self._unix_offset + now)
            self._begin(now)
            return
        words = "the error code is not a number" if code is None else f"{words_of(code)} (code {code})"
        self._closed = f"the host refuses the offer: {words}"

    # ---------------------------------------------------------------- out

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""
        if self._closed is None:
            self._signal(now)
        queued, self._queued = self._queued, []
        self._datagrams_out += len(queued)
        self._bytes_out += sum(map(len, queued))
        out = [(self._game.address, datagram) for datagram in queued]
        if self.connection is not None and self._closed is None:
            out += self.connection.outgoing(now)
        return out

    def _signal(self, now: float) -> None:
        if self.connection is None:
            if now >= self._give_up_at:
                self._queue(SignalKind.ERROR, str(RESPONSE_TIMEOUT))
                self._closed = f"the host did not answer the offer within {ANSWER_S:g} s (LAN signalling)"
            elif now >= self._signal_at:
                self._queue(SignalKind.OFFER, self._offer.text)
                self._signal_at = now + OFFER_AGAIN_S
        elif self.connection.phase is NetherNetPhase.FINDING and now >= self._signal_at:
            description = self._offer.description
            for index, address in enumerate(description.candidates):
                self._queue(SignalKind.CANDIDATE, write_candidate(address, index, description.ufrag))
            self._signal_at = now + CANDIDATES_AGAIN_S

    def _queue(self, kind: SignalKind, data: str) -> None:
        signal = Signal(kind, self._number, data)
        self._queued.append(_message(self._offer.network_id, self._game.network_id, signal))

    def next_timer(self) -> float | None:
        """When ``outgoing`` must be called again at the latest; None once all is over."""
        if self._queued:
            return 0.0
        if self._closed is not None:
            return None
        if self.connection is None:
            return min(self._signal_at, self._give_up_at)
        timer = self.connection.next_timer()
        if timer is None or self.connection.phase is not NetherNetPhase.FINDING:
            return timer
        return min(timer, self._signal_at)
