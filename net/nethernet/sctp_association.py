"""One SCTP association: handshake, acknowledgement, resending, messages whole and in order.

Rules:
1. Both ends begin at once (RFC 8841): an end that has sent INIT answers the other's with its own tag and number.
2. Messages of all streams are returned in the order in which they were begun: an unordered one may wait, none is early.
3. Incomplete, untaken and early data together fit into ``WINDOW_BYTES``; what does not fit is dropped and not
   acknowledged. The next part always has room, however much is early, so the ends never wait for each other. The
   announced window is the remaining room, so a reader that stops stops the other end.
4. Loss is detected by time, not by counting: a part is lost when a later one has arrived and a round trip and a half
   has passed, or when nothing came for ``timeout``. Reordering alone causes no resending.
5. Window and pacing are those of RakNet's connections (``net.raknet.congestion``).
"""

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from net.errors import CLOSED_BY_PEER, DecodeError, LocalProtocolError
from net.nethernet import sctp
from net.nethernet.sctp import DataChunk, InitChunk, SackChunk, extend
from net.nethernet.sdp import MESSAGE_BYTES
from net.raknet.congestion import CongestionWindow, DatagramPacer, RoundTrip
from net.raknet.limits import Limits

WINDOW_BYTES: Final = 1 << 20
PART_OVERHEAD_BYTES: Final = 160
"""Memory of a waiting part or message besides its bytes."""
PAYLOAD_BYTES: Final = 1135
"""Payload of one DATA chunk in a datagram of 1,200 bytes: less 37 of DTLS, 12 of the packet, 16 of the chunk."""
PACKET_BYTES: Final = 1163
LEAST_TIMEOUT_S: Final = 0.4
"""Longer than any known end delays an acknowledgement (200 ms)."""
ACK_DELAY_S: Final = 0.02
HANDSHAKE_RETRY_S: Final = 0.5
LARGEST_RETRY_S: Final = 3.0
HANDSHAKE_TRIES: Final = 8
COOKIE_BYTES: Final = 16


class SctpMessage(NamedTuple):
    """One message."""

    stream: int
    protocol: int  # what it is, as both ends agree
    body: bytes
    at: float  # when its last part came


class _Waiting(msgspec.Struct):
    """A message that is being cut into parts."""

    stream: int
    protocol: int
    body: bytes
    sequence: int
    at: int = 0  # bytes already sent


class _SentPart(msgspec.Struct):
    """A part in flight."""

    chunk: bytes
    at: float  # last time of sending
    times: int = 1  # how often it was sent
    is_acked: bool = False  # only by a gap report: the other end may still drop it
    is_lost: bool = False  # waits to be resent


class SctpAssociation:
    """One association; see the module. ``limits``: of waiting data, and the window."""

    def __init__(self, entropy: Callable[[int], bytes], limits: Limits, now: float) -> None:
        self.is_up = False
        self.ended: str | None = None  # None, or the reason of the end
        self.malformed = 0
        self.repeated = 0
        self.resends = 0
        self._hold = False
        self._tag = int.from_bytes(entropy(4), "big") or 1
        self._cookie = entropy(COOKIE_BYTES)
        self._outbox_limit = limits.outbox_bytes
        # in
        self._peer_tag = 0  # 0 until the other end has sent it
        self._cumulative: int | None = None  # all parts up to here have arrived
        self._early: dict[int, DataChunk] = {}
        self._partial: list[bytes] = []
        self._inbox: deque[SctpMessage] = deque()
        self.held_bytes = 0  # of the three above, with overhead: messages that are early, incomplete or not taken
        self._early_bytes = 0  # of early parts
        self._partial_bytes = 0
        self._unacknowledged = 0  # packets with parts since the last acknowledgement
        self._ack_at: float | None = None
        # out
        self._control: list[bytes] = []  # chunks sent first, one packet each
        self._first_tsn = int.from_bytes(entropy(4), "big")
        self._next_tsn = self._first_tsn
        self._queue: deque[_Waiting] = deque()
        self._sequences: dict[int, int] = {}
        self._flight: dict[int, _SentPart] = {}  # by number, ascending
        self._lost: deque[int] = deque()
        self._in_flight_bytes = 0
        self._waiting_bytes = 0
        self._peer_window = 0
        self._round_trip = RoundTrip()
        self._window = CongestionWindow(limits.first_window_bytes, limits.largest_window_bytes, PACKET_BYTES)
        self._pacer = DatagramPacer(PACKET_BYTES, now)
        # handshake
        self._handshake_chunk = b""  # INIT or COOKIE ECHO, until answered
        self._handshake_at = now  # when it is sent again
        self._handshake_sent_at = now
        self._handshake_tries = 0
        self._returned_cookie = b""

    # ---------------------------------------------------------------- what others look at

    @property
    def queued_bytes(self) -> int:
        """Bytes sent and not acknowledged."""
        return self._waiting_bytes + self._in_flight_bytes

    @property
    def space_bytes(self) -> int:
        """As that of RakNet's ``SendQueue``."""
        return int(2 * self._pacer.at_once_bytes) - self._waiting_bytes

    @property
    def window_bytes(self) -> int:
        return int(min(self._window.window_bytes, self._peer_window))

    @property
    def rtt_s(self) -> float | None:
        """Smoothed round trip; None before the first acknowledgement."""
        return self._round_trip.smoothed_s

    @property
    def unheard_since(self) -> float | None:
        """Last sending of the oldest unacknowledged part; None if all are acknowledged."""
        return next((part.at for part in self._flight.values() if not part.is_acked), None)

    def set_hold(self, hold: bool) -> None:
        """Sets whether received parts are neither stored nor acknowledged for now."""
        if self._hold and not hold and self._cumulative is not None:
            self._ack_at = 0.0  # the other end has stopped
        self._hold = hold

    @property
    def is_idle(self) -> bool:
        """Whether everything handed in has been acknowledged."""
        return not (self._queue or self._flight)

    # ---------------------------------------------------------------- handshake

    def start(self, now: float) -> None:
        """Sends INIT; the other end may have sent its own already."""
        if not self._peer_tag and not self._handshake_chunk:
            self._handshake_chunk = self._init(sctp.INIT, b"")
            self._handshake_at = now

    def _init(self, kind: int, more: bytes) -> bytes:
        parameters = sctp.write_parameter(sctp.FORWARD_TSN_SUPPORTED) + sctp.write_parameter(
            sctp.SUPPORTED_CHUNKS, bytes((sctp.RE_CONFIG, sctp.FORWARD_TSN))
        )
        return sctp.write_init(kind, self._tag, WINDOW_BYTES, self._first_tsn, parameters + more)

    def _take_init(self, chunk: InitChunk) -> None:
        """Handles the other end's INIT, first or repeated; see rule 1."""
        if self.is_up and chunk.tag != self._peer_tag:
            self.malformed += 1  # the other end restarted, which is not supported
            return
        self._meet(chunk)
        self._control.append(self._init(sctp.INIT_ACK, sctp.write_parameter(sctp.STATE_COOKIE, self._cookie)))

    def _meet(self, chunk: InitChunk) -> None:
        if self._cumulative is None or (not self.is_up and chunk.tag != self._peer_tag):
            self._peer_tag = chunk.tag
            self._cumulative = chunk.tsn - 1
            self._peer_window = chunk.window
            self._drop_partial()
            self._early.clear()  # numbered after the INIT that this one replaces
            self._inbox.clear()
            self.held_bytes = self._early_bytes = 0

    def _take_init_ack(self, chunk: InitChunk, now: float) -> None:
        if self.is_up or self._returned_cookie or not chunk.cookie:
            return
        self._time_handshake(now)
        self._meet(chunk)
        self._returned_cookie = chunk.cookie
        self._handshake_chunk = sctp.write_chunk(sctp.COOKIE_ECHO, 0, chunk.cookie)
        self._handshake_at, self._handshake_tries = now, 0

    # ---------------------------------------------------------------- in

    def receive(self, packet: bytes, now: float) -> None:
        """Handles one packet; complete messages come out of ``next_message``."""
        if self.ended is not None:
            return
        try:
            tag = sctp.read_header(packet)
            parts = 0
            for kind, flags, value in sctp.chunks(packet):
                if tag != (0 if kind == sctp.INIT else self._tag):
                    self.malformed += 1
                    return
                if kind == sctp.DATA:
                    parts += 1
                    self._take_data(sctp.read_data(flags, value), now)
                else:
                    self._take_control(kind, value, now)
        except DecodeError:
            self.malformed += 1
            return
        if parts:
            self._unacknowledged += 1
            self._acknowledge_by(now if self._early or self._unacknowledged > 1 else now + ACK_DELAY_S)

    def _take_control(self, kind: int, value: bytes, now: float) -> None:
        if kind == sctp.SACK:
            self._take_sack(sctp.read_sack(value), now)
        elif kind == sctp.INIT:
            self._take_init(sctp.read_init(value))
        elif kind == sctp.INIT_ACK:
            self._take_init_ack(sctp.read_init(value), now)
        elif kind == sctp.COOKIE_ECHO and value[:COOKIE_BYTES] == self._cookie and self._peer_tag:
            self._control.append(sctp.write_chunk(sctp.COOKIE_ACK))
            self._come_up()
        elif kind == sctp.COOKIE_ACK and self._returned_cookie:
            self._time_handshake(now)
            self._come_up()
        elif kind == sctp.HEARTBEAT and len(value) <= sctp.MOST_GAPS:
            self._control.append(sctp.write_chunk(sctp.HEARTBEAT_ACK, 0, value))
        elif kind == sctp.FORWARD_TSN and self._cumulative is not None:
            self._skip_to(extend(sctp.read_forward(value), self._cumulative), now)
        elif kind == sctp.RE_CONFIG:
            self._take_resets(value)
        elif kind == sctp.SHUTDOWN:
            self._control.append(sctp.write_chunk(sctp.SHUTDOWN_ACK))
            self.ended = CLOSED_BY_PEER
        elif kind in (sctp.ABORT, sctp.SHUTDOWN_ACK):
            self.ended = CLOSED_BY_PEER
        self._control = self._control[-sctp.MOST_GAPS :]  # limit for a peer that asks and never listens

    def _time_handshake(self, now: float) -> None:
        """The handshake's chunk was answered: its round trip paces the first parts (RFC 9260, 6.3.1)."""
        if self._handshake_chunk and self._handshake_tries == 1:  # else it is unknown which one was answered
            self._round_trip.sample(now - self._handshake_sent_at)

    def _come_up(self) -> None:
        self.is_up = True
        self._handshake_chunk = b""

    def _take_resets(self, value: bytes) -> None:
        for request in sctp.read_resets(value):
            answer = request.to_bytes(4, "big") + (1).to_bytes(4, "big")
            self._control.append(sctp.write_chunk(sctp.RE_CONFIG, 0, sctp.write_parameter(sctp.RESET_RESPONSE, answer)))
            self.ended = "the other side closed the data channel"

    def _take_data(self, chunk: DataChunk, now: float) -> None:
        if self._cumulative is None:
            raise DecodeError("SCTP", "DATA", 0, "arrived before INIT")
        tsn = extend(chunk.tsn, self._cumulative)
        if tsn <= self._cumulative or tsn in self._early:
            self.repeated += 1
            self._acknowledge_by(now)
            return
        cost = len(chunk.body) + PART_OVERHEAD_BYTES
        is_next = tsn == self._cumulative + 1
        held_bytes = self.held_bytes - self._early_bytes if is_next else self.held_bytes
        if self._hold or held_bytes + cost > WINDOW_BYTES or tsn > self._cumulative + WINDOW_BYTES:
            self._acknowledge_by(now)
            return
        self.held_bytes += cost
        if not is_next:
            self._early[tsn] = chunk
            self._early_bytes += cost
            self._acknowledge_by(now)
            return
        self._cumulative = tsn
        self._assemble(chunk, now)
        if self._early:
            self._take_early(now)
        if chunk.flags & sctp.SACK_NOW:
            self._acknowledge_by(now)

    def _take_early(self, now: float) -> None:
        assert self._cumulative is not None
        while (chunk := self._early.pop(self._cumulative + 1, None)) is not None:
            self._cumulative += 1
            self._early_bytes -= len(chunk.body) + PART_OVERHEAD_BYTES
            self._assemble(chunk, now)

    def _assemble(self, chunk: DataChunk, now: float) -> None:
        """The next part in order of numbers: starts, continues or ends the message being read."""
        if chunk.flags & sctp.BEGIN:
            self._drop_partial()  # its end was abandoned
        elif not self._partial:
            self.held_bytes -= len(chunk.body) + PART_OVERHEAD_BYTES  # its beginning was abandoned
            return
        self._partial.append(chunk.body)
        self._partial_bytes += len(chunk.body)
        if self._partial_bytes > MESSAGE_BYTES:
            self.ended = f"the other side sent a message of over {MESSAGE_BYTES} bytes"
        elif chunk.flags & sctp.END:
            body = self._partial[0] if len(self._partial) == 1 else b"".join(self._partial)
            self.held_bytes -= (len(self._partial) - 1) * PART_OVERHEAD_BYTES
            self._partial, self._partial_bytes = [], 0
            self._inbox.append(SctpMessage(chunk.stream, chunk.protocol, body, now))

    def _drop_partial(self) -> None:
        self.held_bytes -= self._partial_bytes + len(self._partial) * PART_OVERHEAD_BYTES
        self._partial, self._partial_bytes = [], 0

    def _skip_to(self, cumulative: int, now: float) -> None:
        """The other end abandons what is missing up to there."""
        assert self._cumulative is not None
        if not self._cumulative < cumulative <= self._cumulative + WINDOW_BYTES:
            return
        for tsn in sorted(tsn for tsn in self._early if tsn <= cumulative):
            if tsn != self._cumulative + 1:
                self._drop_partial()
            self._cumulative = tsn
            chunk = self._early.pop(tsn)
            self._early_bytes -= len(chunk.body) + PART_OVERHEAD_BYTES
            self._assemble(chunk, now)
        if self._cumulative != cumulative:
            self._drop_partial()
            self._cumulative = cumulative
        self._take_early(now)
        self._acknowledge_by(now)

    def next_message(self) -> SctpMessage | None:
        """Removes and returns the oldest complete message."""
        if not self._inbox:
            return None
        was_full = self._free_bytes() < WINDOW_BYTES // 4
        message = self._inbox.popleft()
        self.held_bytes -= len(message.body) + PART_OVERHEAD_BYTES
        if was_full and self._free_bytes() >= WINDOW_BYTES // 4:
            self._acknowledge_by(message.at)  # the other end may have stopped
        return message

    def _free_bytes(self) -> int:
        """The announced window: a part counts an eighth more than its bytes."""
        return 0 if self._hold else max(0, WINDOW_BYTES - self.held_bytes) * 7 // 8

    def _acknowledge_by(self, at: float) -> None:
        self._ack_at = at if self._ack_at is None else min(self._ack_at, at)

    # ---------------------------------------------------------------- acknowledgements

    def _take_sack(self, sack: SackChunk, now: float) -> None:
        lowest = next(iter(self._flight), self._next_tsn)
        cumulative = extend(sack.cumulative, lowest)
        if not lowest - 1 <= cumulative < self._next_tsn:
            self.repeated += 1  # an old one, or numbers that were never sent
            return
        before = self._in_flight_bytes
        newest, newest_at = -1, 0.0
        while self._flight and (tsn := next(iter(self._flight))) <= cumulative:
            part = self._flight.pop(tsn)
            if self._acknowledge(part):
                newest, newest_at = (tsn, part.at) if part.times == 1 else (max(newest, tsn), newest_at)
        for first, last in sack.gaps:
            for tsn in range(cumulative + first, min(cumulative + last, self._next_tsn - 1) + 1):
                gap_part = self._flight.get(tsn)
                if gap_part is not None and self._acknowledge(gap_part):
                    newest, newest_at = (tsn, gap_part.at) if gap_part.times == 1 else (max(newest, tsn), newest_at)
        self._peer_window = sack.window
        if newest >= 0:
            if newest_at:
                self._round_trip.sample(now - newest_at)
                self._window.timed(self._round_trip)
            self._window.acknowledged(before - self._in_flight_bytes, before)
            self._give_up_overtaken(newest, now)

    def _acknowledge(self, part: _SentPart) -> bool:
        """Marks a part as acknowledged; returns whether it was not before."""
        if part.is_acked:
            return False
        part.is_acked = True
        if part.is_lost:
            part.is_lost = False
            self._waiting_bytes -= len(part.chunk)
        else:
            self._in_flight_bytes -= len(part.chunk)
        return True

    def _give_up_overtaken(self, newest: int, now: float) -> None:
        latest = now - self._round_trip.overtaken_s
        for tsn, part in self._flight.items():
            if tsn >= newest:
                return
            if not (part.is_acked or part.is_lost) and part.at <= latest:
                self._give_up(tsn, part)
                self._window.lost(tsn, self._next_tsn)

    def _give_up(self, tsn: int, part: _SentPart) -> None:
        part.is_lost = True
        self._in_flight_bytes -= len(part.chunk)
        self._waiting_bytes += len(part.chunk)
        self._lost.append(tsn)

    def _timeout_s(self) -> float:
        return max(LEAST_TIMEOUT_S, self._round_trip.timeout_s)

    def _expires_at(self) -> float | None:
        """When the oldest part in flight times out."""
        sent = (part.at for part in self._flight.values() if not (part.is_acked or part.is_lost))
        oldest = next(sent, None)
        return None if oldest is None else oldest + self._timeout_s()

    def _expire(self, now: float) -> None:
        timer = self._expires_at()
        if timer is None or now < timer:
            return
        first = True
        for tsn, part in self._flight.items():
            if part.is_acked:  # the other end may drop parts it had reported
                part.is_acked = False
                self._in_flight_bytes += len(part.chunk)
            if not part.is_lost:
                self._give_up(tsn, part)
                if first:
                    self._window.timed_out(tsn, self._next_tsn)
                    first = False
        self._lost = deque(tsn for tsn, part in self._flight.items() if part.is_lost)
        self._round_trip.timed_out()

    # ---------------------------------------------------------------- out

    def send(self, stream: int, protocol: int, body: bytes) -> None:
        """Queues one ordered message; after the end it is dropped.

        Raises LocalProtocolError: it is empty, or too much waits already.
        """
        if self.ended is not None:
            return
        if not body or self.queued_bytes + len(body) > self._outbox_limit:
            raise LocalProtocolError(f"a message of {len(body)} bytes cannot be queued after {self.queued_bytes} bytes")
        sequence = self._sequences.get(stream, 0)
        self._sequences[stream] = sequence + 1 & 0xFFFF
        self._queue.append(_Waiting(stream, protocol, body, sequence))
        self._waiting_bytes += len(body)

    def abort(self) -> bytes:
        """Ends it; returns the ABORT packet."""
        self.ended = self.ended or "closed"
        return sctp.write_packet(self._peer_tag, sctp.write_chunk(sctp.ABORT, 0, b"\x00\x0c\x00\x04"))

    def packets(self, now: float) -> list[bytes]:
        """All packets that may be sent now; also runs the timers."""
        out = [self._packet(chunk) for chunk in self._control]
        self._control = []
        if self.ended is not None:
            return out
        if self._handshake_chunk and now >= self._handshake_at:
            out += self._handshake(now)
        sack = b""
        if self._ack_at is not None and now >= self._ack_at:
            sack = self._acknowledgement()
        if self.is_up and (self._queue or self._flight):
            self._expire(now)
            parts = self._parts(now)
            if parts and sack and len(parts[0]) + len(sack) <= PACKET_BYTES - sctp.PACKET_HEADER_BYTES:
                parts[0] = sack + parts[0]
                sack = b""
            if sack:
                out.append(self._packet(sack))
            out += map(self._packet, parts)
        elif sack:
            out.append(self._packet(sack))
        return out

    def _packet(self, chunks: bytes) -> bytes:
        return sctp.write_packet(0 if chunks[0] == sctp.INIT else self._peer_tag, chunks)

    def _handshake(self, now: float) -> list[bytes]:
        if self._handshake_tries == HANDSHAKE_TRIES:
            self.ended = "the other side does not start an SCTP association"
            return []
        self._handshake_at = now + min(HANDSHAKE_RETRY_S * 2**self._handshake_tries, LARGEST_RETRY_S)
        self._handshake_tries += 1
        self._handshake_sent_at = now
        return [self._packet(self._handshake_chunk)]

    def _acknowledgement(self) -> bytes:
        assert self._cumulative is not None
        self._ack_at = None
        self._unacknowledged = 0
        gaps: list[tuple[int, int]] = []
        if self._early:
            for tsn in sorted(self._early):
                ahead = tsn - self._cumulative
                if ahead > 0xFFFF:
                    break
                if gaps and gaps[-1][1] + 1 == ahead:
                    gaps[-1] = gaps[-1][0], ahead
                elif len(gaps) == sctp.MOST_GAPS:
                    break
                else:
                    gaps.append((ahead, ahead))
        return sctp.write_sack(self._cumulative, self._free_bytes(), gaps)

    def _parts(self, now: float) -> list[bytes]:
        """The chunks of each packet that may be sent."""
        pacer = self._pacer
        pacer.refill(self._window, self._round_trip.smoothed_s, now)
        out: list[bytes] = []
        most_bytes = PACKET_BYTES - sctp.PACKET_HEADER_BYTES
        while pacer.tokens > 0 and self._may_send():
            packet = b""
            while (self._queue or self._lost) and (not packet or self._next_bytes() + len(packet) <= most_bytes):
                chunk = self._next_chunk(now)
                if chunk is None:
                    break
                packet += chunk
            if not packet:
                break
            pacer.tokens -= len(packet)
            out.append(packet)
        return out

    def _may_send(self) -> bool:
        if not self._queue and not self._lost:
            return False
        if not self._in_flight_bytes:
            return True  # a probe while the other end has no room: otherwise a reopened window could go unnoticed
        is_free = self._in_flight_bytes + PACKET_BYTES <= self._peer_window
        return is_free and self._in_flight_bytes < self._window.window_bytes

    def _next_bytes(self) -> int:
        """The size of the next chunk, padded."""
        if self._lost:
            return PAYLOAD_BYTES + sctp.DATA_HEADER_BYTES
        waiting = self._queue[0]
        return min(len(waiting.body) - waiting.at, PAYLOAD_BYTES) + sctp.DATA_HEADER_BYTES + 3

    def _next_chunk(self, now: float) -> bytes | None:
        while self._lost:
            part = self._flight.get(self._lost.popleft())
            if part is not None and part.is_lost:
                part.is_lost = False
                part.at = now
                part.times += 1
                self.resends += 1
                self._waiting_bytes -= len(part.chunk)
                self._in_flight_bytes += len(part.chunk)
                return part.chunk
        if not self._queue:
            return None
        waiting = self._queue[0]
        body = waiting.body[waiting.at : waiting.at + PAYLOAD_BYTES]
        flags = 0 if waiting.at else sctp.BEGIN
        waiting.at += len(body)
        if waiting.at == len(waiting.body):
            flags |= sctp.END
            self._queue.popleft()
            if not self._queue:
                flags |= sctp.SACK_NOW
        chunk = sctp.write_data(flags, self._next_tsn, waiting.stream, waiting.sequence, waiting.protocol, body)
        self._flight[self._next_tsn] = _SentPart(chunk, now)
        self._next_tsn += 1
        self._waiting_bytes -= len(body)
        self._in_flight_bytes += len(chunk)
        return chunk

    def next_timer(self) -> float | None:
        """When ``packets`` must be called again at the latest; None once all is over."""
        if self._control:
            return 0.0
        if self.ended is not None:
            return None
        timers = [] if self._ack_at is None else [self._ack_at]
        if self._handshake_chunk:
            timers.append(self._handshake_at)
        if self.is_up:
            if self._may_send():
                timers.append(self._pacer.opens_at())
            expires_at = self._expires_at()
            if expires_at is not None:
                timers.append(expires_at)
        return min(timers, default=None)
