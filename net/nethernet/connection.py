"""One connected pair of ends: datagrams in and out, packets in and out.

    datagrams -> ICE | DTLS -> SCTP -> data channels -> packets

    FINDING --an address answers--> ENCRYPTING --DTLS--> OPENING --both channels--> OPEN --close, silence--> closed

Rules:
1. Only ICE is sent before an address is authenticated and nominated.
2. ``closed`` is None or the reason, one sentence that names the step; after it nothing is sent.
3. Packets stay in the association, within its window, until they are taken.
"""

from collections.abc import Callable
from enum import Enum
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec

from net.errors import LocalProtocolError
from net.nethernet.channels import DataChannels
from net.nethernet.dtls import DATAGRAM_BYTES, DtlsCertificate, DtlsEnd, is_dtls
from net.nethernet.ice import IceAgent
from net.nethernet.sctp_association import SctpAssociation
from net.nethernet.sdp import DtlsRole, SessionDescription
from net.nethernet.stun import is_stun
from net.raknet.connection import LinkStats
from net.raknet.handshake import Address
from net.raknet.limits import UDP_OVERHEAD_BYTES, Limits

OPEN_S: Final = 20.0
"""Limit from the answer to both open channels."""


class NetherNetPhase(Enum):
    """The state of a connection; the value names what it waits for."""

    FINDING = "a reachable address of the other side (ICE)"
    ENCRYPTING = "the encryption (DTLS)"
    OPENING = "the data channels (SCTP)"
    OPEN = "nothing"


class NetherNetConnection:
    """One session as ``net.peer`` uses it: a link whose batches have no mark and are not encrypted again.

    ``offered``: whether our description ``own`` is the offer. ``certificate``: of our description. ``other_key``: the
    key of the other end's identity; its login must be signed by it. None: any. Raises ConnectionClosed: the extra is
    not installed.
    """

    batch_header = b""
    encrypts = False

    def __init__(
        self,
        own: SessionDescription,
        other: SessionDescription,
        offered: bool,
        certificate: DtlsCertificate,
        entropy: Callable[[int], bytes],
        now: float,
        limits: Limits | None = None,
        other_key: ec.EllipticCurvePublicKey | None = None,
    ) -> None:
        limits = limits or Limits()
        is_server = (other if offered else own).role is (DtlsRole.CLIENT if offered else DtlsRole.SERVER)
        self.closed: str | None = None
        self.phase = NetherNetPhase.FINDING
        self.ice = IceAgent(own, other, offered, entropy, now)
        self.login_key = other_key
        self._dtls = DtlsEnd(certificate, is_server, other.fingerprints)
        self.backlog = self._association = SctpAssociation(entropy, limits, now)
        self._channels = DataChannels(
            self._association, offered, int(is_server), other.message_bytes, limits.partial_bytes
        )
        self._linger_s = limits.linger_s
        self._deadline = now + OPEN_S
        self._closing: tuple[str, float] | None = None
        self._queued: list[bytes] = []  # datagrams that are sent in any state
        self._datagrams_in = self._datagrams_out = self._bytes_in = self._bytes_out = self._malformed = 0

    @property
    def connected(self) -> bool:
        return self.phase is NetherNetPhase.OPEN

    @property
    def address(self) -> Address:
        """The nominated address of the other end; only after that."""
        assert self.ice.pair is not None
        return self.ice.pair

    def set_hold(self, hold: bool) -> None:
        """Sets whether received data is neither stored nor acknowledged for now."""
        self._association.set_hold(hold)

    # ---------------------------------------------------------------- in

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Handles one datagram; ``sender`` may be omitted if the other end has one address."""
        self._datagrams_in += 1
        self._bytes_in += len(datagram)
        if self.closed is not None:
            return
        if is_stun(datagram):
            self.ice.receive(datagram, now, sender)
        elif is_dtls(datagram) and self.ice.is_valid(sender):
            for packet in self._dtls.receive(datagram):
                self._association.receive(packet, now)
        else:
            self._malformed += 1
        if self.phase is not NetherNetPhase.OPEN:
            self._go_on(now)
        if self._dtls.failed is not None or self._association.ended is not None:
            self._end_by_parts()

    def _go_on(self, now: float) -> None:
        if self.phase is NetherNetPhase.FINDING and self.ice.pair is not None:
            self.phase = NetherNetPhase.ENCRYPTING
        if self.phase is NetherNetPhase.ENCRYPTING and self._dtls.is_open:
            self.phase = NetherNetPhase.OPENING
            self._association.start(now)
        if self.phase is NetherNetPhase.OPENING and self._association.is_up:
            self._channels.open()
            self._channels.open_by_messages()
            if self._channels.are_open:
                self.phase = NetherNetPhase.OPEN

    def _end_by_parts(self) -> None:
        """Takes over the reason of a part that has ended."""
        reasons = (self.ice.failed, self._dtls.failed, self._association.ended, self._channels.failed)
        reason = next((each for each in reasons if each is not None), None)
        if reason is not None:
            self._end(self._closing[0] if self._closing else reason)

    def _end(self, reason: str) -> None:
        if self.closed is None:
            self.closed = reason
            if self._dtls.is_open and self._dtls.failed is None and self.ice.pair is not None:
                if self._association.is_up:
                    self._queued.append(self._dtls.send(self._association.abort()))
                self._queued += self._dtls.close()

    def next_payload(self) -> bytes | None:
        """The next packet of the other end, in order; also those that came before the end."""
        packet = self._channels.next_packet()
        if packet is None and self._channels.failed is not None:
            self._end_by_parts()
        return packet

    @property
    def payload_at(self) -> float:
        """When the last datagram of the packet taken last arrived."""
        return self._channels.packet_at

    # ---------------------------------------------------------------- out

    def send(self, payload: bytes) -> None:
        """Queues one packet; after the end it is dropped.

        Raises LocalProtocolError: it is not open yet, or the packet has no wire form.
        """
        if self.closed is not None or self._closing is not None:
            return
        if self.phase is not NetherNetPhase.OPEN:
            raise LocalProtocolError("nothing can be sent before the connection is open")
        self._channels.send(payload)

    def close(self, reason: str, now: float) -> None:
        """Ends it from our side, after everything that is queued or after ``linger_s``."""
        if self.closed is None and self._closing is None:
            self._closing = reason, now + (self._linger_s if self.phase is NetherNetPhase.OPEN else 0.0)

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""
        out: list[tuple[Address, bytes]] = []
        if self.closed is None:
            self._run_timers(now)
            out += self.ice.datagrams(now)
            self._go_on(now)
            if self.ice.pair is not None:
                for datagram in self._dtls.handshake_datagrams(now):
                    out.append((self.ice.pair, datagram))
                self._go_on(now)
                if self._dtls.is_open:
                    for packet in self._association.packets(now):
                        out.append((self.ice.pair, self._dtls.send(packet)))
            self._end_by_parts()
        if self._queued and self.ice.pair is not None:
            out += [(self.ice.pair, datagram) for datagram in self._queued]
        self._queued.clear()
        self._datagrams_out += len(out)
        self._bytes_out += sum(len(datagram) for _, datagram in out)
        return out

    def _run_timers(self, now: float) -> None:
        if self._closing is not None and (self._association.is_idle or now >= self._closing[1]):
            self._end(self._closing[0])
        elif self.phase is not NetherNetPhase.OPEN and now >= self._deadline:
            self._end(f"the connection was not open after {OPEN_S:g} s: it was waiting for {self.phase.value}")

    def next_timer(self) -> float | None:
        """When ``outgoing`` must be called again at the latest; None once all is over."""
        if self._queued:
            return 0.0
        if self.closed is not None:
            return None
        timers = [self.ice.next_timer()]
        if self.ice.pair is not None:
            timers += [self._dtls.next_timer(), self._association.next_timer() if self._dtls.is_open else None]
        if self.phase is not NetherNetPhase.OPEN:
            timers.append(self._deadline)
        if self._closing is not None:
            timers.append(0.0 if self._association.is_idle else self._closing[1])
        return min((timer for timer in timers if timer is not None), default=None)

    def stats(self) -> LinkStats:
        """A snapshot of the counters."""
        association = self._association
        return LinkStats(
            datagrams_in=self._datagrams_in,
            datagrams_out=self._datagrams_out,
            bytes_in=self._bytes_in,
            bytes_out=self._bytes_out,
            datagrams_malformed=self._malformed + self.ice.malformed + association.malformed,
            datagrams_repeated=association.repeated,
            resends=association.resends,
            rtt_s=association.rtt_s if association.rtt_s is not None else self.ice.rtt_s,
            mtu_bytes=DATAGRAM_BYTES + UDP_OVERHEAD_BYTES if self.connected else 0,
            queued_bytes=association.queued_bytes,
            held_bytes=association.held_bytes + self._channels.held_bytes,
            waits_for="" if self.connected else self.phase.value,
            window_bytes=association.window_bytes,
            unheard_since=association.unheard_since,
        )
