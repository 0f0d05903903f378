"""One connected pair of ends: datagrams in and out, payloads out and in.

    receive   ACK, NACK -> sender          data -> arrivals -> frames -> fragments -> order -> inbox
    datagrams acknowledgements, then what the sender may send

Rules:
1. A datagram is parsed completely before any of it is used; one that does not parse is counted and ignored.
2. While ``hold`` is set, datagrams with reliable frames are neither stored nor acknowledged, so the other end's window
   stops it; acknowledgements and keep-alive go on.
3. ``ended`` is set once, with the reason. The last datagrams of a closed end are resent until acknowledged or until
   ``linger_s``.
4. Every valid datagram resets the timer ``silence_s``, which ends the session.
"""

from collections import deque
from typing import Final

import msgspec
from msgspec.structs import replace

from net.errors import CLOSED_BY_PEER, DecodeError, LimitExceeded, RemoteProtocolError
from net.raknet import handshake
from net.raknet.datagram import ACK, KIND_MASK, NACK, VALID, Frame, Reliability, read_acks, read_frames, write_acks
from net.raknet.limits import UDP_OVERHEAD_BYTES, Limits
from net.raknet.receive_window import Arrivals, Fragments, OrderedChannels, ReliableIndices
from net.raknet.send_queue import SendQueue

PAYLOAD_OVERHEAD_BYTES: Final = 160
"""Memory of a waiting payload besides its bytes; counted, or one-byte payloads would be free."""


class RaknetSession:
    """See the module."""

    def __init__(self, limits: Limits, mtu_bytes: int, now: float) -> None:
        self.mtu_bytes = mtu_bytes  # agreed size of an IP packet
        self.sender = SendQueue(limits, mtu_bytes, now)
        self.ended: str | None = None
        self.hold = False  # see rule 2
        self.malformed = 0
        self.held_back = 0
        self._limits = limits
        self.arrivals = Arrivals(limits)
        self._reliable = ReliableIndices(limits)
        self._fragments = Fragments(limits)
        self._order = OrderedChannels(limits)
        self._inbox: deque[tuple[bytes, float]] = deque()
        self.payload_at = now  # when the last datagram of the payload taken last arrived
        self._inbox_bytes = 0
        self._heard_at = now
        self._ping_at = now + limits.ping_s
        self._closing: tuple[str, float] | None = None

    def set_hold(self, hold: bool) -> None:
        self.hold = hold

    def end(self, reason: str) -> None:
        """Ends it at once. Only the first reason counts."""
        self.ended = self.ended or reason

    @property
    def held_bytes(self) -> int:
        """Memory of payloads that are incomplete, early or not taken yet."""
        return self._fragments.held_bytes + self._order.held_bytes + self._inbox_bytes

    # ---------------------------------------------------------------- in

    def receive(self, datagram: bytes, now: float) -> None:
        if self.ended is not None:
            return
        kind = datagram[0] & KIND_MASK if datagram else 0
        try:
            if kind == VALID:
                frames = read_frames(datagram)
                self._take_data(frames, int.from_bytes(datagram[1:4], "little"), now)
            elif kind == ACK:
                self.sender.acknowledged(read_acks(datagram), now)
            elif kind == NACK:
                self.sender.missing(read_acks(datagram))
            else:
                raise DecodeError("Datagram", "flags", 0, "it does not belong to a session")
        except DecodeError:
            self.malformed += 1
        else:
            self._heard_at = now

    def _take_data(self, frames: list[Frame], number: int, now: float) -> None:
        if self.hold and any(frame.reliability.reliable for frame in frames):
            self.held_back += 1
            return
        if not self.arrivals.accept(number, now):
            return
        try:
            for frame in frames:
                self._take_frame(frame, now)
        except RemoteProtocolError as error:
            self.end(f"the other side exceeded a limit: {error}")

    def _take_frame(self, frame: Frame, now: float) -> None:
        payload: bytes | None
        payload, kind, reliable_index, _, _, _, fragment = frame
        if kind >= Reliability.RELIABLE and not self._reliable.accept(reliable_index):
            return
        if fragment is not None:
            payload = self._fragments.accept(fragment, payload)
            if payload is None:
                return
        if kind.ordered:
            for due in self._order.accept(frame, payload):
                self._deliver(due, now)
        else:
            self._deliver(payload, now)

    def _deliver(self, payload: bytes, now: float) -> None:
        kind = payload[0]
        if kind == handshake.CONNECTED_PING:
            if len(payload) >= handshake.PING_BYTES:  # a shorter one would get an answer of five times its size
                self.sender.put_urgent(handshake.write_pong(payload, int(now * 1000)))
        elif kind == handshake.DISCONNECTED:
            self.ended = self._closing[0] if self._closing else CLOSED_BY_PEER
        elif kind not in {handshake.CONNECTED_PONG, handshake.DETECT_LOST} and self.ended is None and not self._closing:
            self._inbox.append((payload, now))
            self._inbox_bytes += len(payload) + PAYLOAD_OVERHEAD_BYTES
            if self._inbox_bytes > self._limits.inbox_bytes:
                raise LimitExceeded(
                    "bytes of payloads that were not collected", self._inbox_bytes, self._limits.inbox_bytes
                )

    def next_payload(self) -> bytes | None:
        """The next payload that is not RakNet's keep-alive; includes handshake messages."""
        if not self._inbox:
            return None
        payload, self.payload_at = self._inbox.popleft()
        self._inbox_bytes -= len(payload) + PAYLOAD_OVERHEAD_BYTES
        return payload

    # ---------------------------------------------------------------- out

    def send(self, payload: bytes, reliability: Reliability = Reliability.RELIABLE_ORDERED, channel: int = 0) -> None:
        """Queues one payload; after the end it is dropped."""
        if self.ended is None and self._closing is None:
            self.sender.put(payload, reliability, channel)

    def close(self, reason: str, now: float) -> None:
        """Closes it after everything that is queued; ``ended`` is set when the other end has it."""
        if self.ended is None and self._closing is None:
            self.sender.put(bytes((handshake.DISCONNECTED,)), Reliability.RELIABLE_ORDERED, 0)
            self._closing = (reason, now + self._limits.linger_s)

    def datagrams(self, now: float) -> list[bytes]:
        """All datagrams that may be sent now; also runs the timers."""
        self._run_timers(now)
        out = self._acknowledgements(now)
        if self.ended is None:
            out += self.sender.datagrams(now)
        return out

    def _run_timers(self, now: float) -> None:
        if self.ended is not None:
            return
        if now - self._heard_at >= self._limits.silence_s:
            self.ended = f"the other side has been silent for {self._limits.silence_s:g} s"
        elif self._closing and (self.sender.idle or now >= self._closing[1]):
            self.ended = self._closing[0]
        elif now >= self._ping_at:
            self._ping_at = now + self._limits.ping_s
            self.sender.put_urgent(handshake.write_ping(int(now * 1000)))

    def _acknowledgements(self, now: float) -> list[bytes]:
        due = self.arrivals.due()
        if due is None or (due > now and self.ended is None):
            return []
        acks, nacks = self.arrivals.drain(now)
        space = self.mtu_bytes - UDP_OVERHEAD_BYTES
        return write_acks(ACK, acks, space) + write_acks(NACK, nacks, space)

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once all is over."""
        due = self.arrivals.due()
        if self.ended is not None:
            return due
        timers = [self._heard_at + self._limits.silence_s, self._ping_at]
        timers += [timer for timer in (due, self.sender.next_timer()) if timer is not None]
        if self._closing:
            timers.append(0.0 if self.sender.idle else self._closing[1])
        return min(timers)


class LinkStats(msgspec.Struct, frozen=True):
    """A snapshot of the counters; sizes are those of UDP payloads."""

    datagrams_in: int = 0  # received, all kinds
    datagrams_out: int = 0  # sent
    bytes_in: int = 0  # their bytes
    bytes_out: int = 0  # their bytes
    datagrams_malformed: int = 0  # received ones that are not RakNet; ignored
    datagrams_repeated: int = 0  # received for the second time; acknowledged again and ignored
    resends: int = 0  # frames sent again
    held_back: int = 0  # data datagrams neither stored nor acknowledged because of ``hold``
    rtt_s: float | None = None  # smoothed round trip, None before the first acknowledgement
    mtu_bytes: int = 0  # agreed size of an IP packet, 0 before that
    queued_bytes: int = 0  # bytes queued and not acknowledged
    held_bytes: int = 0  # memory of payloads that are incomplete, early, or not taken yet
    window_bytes: int = 0  # bytes that may be in flight, 0 before there is a session
    unheard_since: float | None = None  # first sending of the oldest unacknowledged data; None: none
    waits_for: str = ""  # the step that NetherNet waits for before packets may be sent, in words; empty: none


def link_stats(session: RaknetSession | None, counted: LinkStats) -> LinkStats:
    """The counters of a connection, completed from its session."""
    if session is None:
        return counted
    sender = session.sender
    return replace(
        counted,
        datagrams_malformed=counted.datagrams_malformed + session.malformed,
        datagrams_repeated=session.arrivals.repeated,
        resends=sender.resends,
        unheard_since=sender.unheard_since,
        held_back=session.held_back,
        rtt_s=sender.round_trip.smoothed_s,
        mtu_bytes=session.mtu_bytes,
        queued_bytes=sender.queued_bytes,
        held_bytes=session.held_bytes,
        window_bytes=int(sender.window.window_bytes),
    )
