"""Received data: each datagram once and acknowledged, each reliable frame once, in order.

Rules:
1. A sender never uses a datagram number twice, so a gap is reported once (NACK) and then only stored, to distinguish a
   late datagram from a repeated one. Reliable indices stay with their frame through every resend, so a gap there must
   be stored until it is filled.
2. Each acknowledgement repeats the previous one: either may be lost. Datagrams that came in order make one range of
   both, so on a good path this costs nothing.
3. A gap is reported after ``gap_wait_s``. That is 0 until a datagram arrives after its gap was reported: then the path
   reorders, and the wait is set to slightly more than that datagram's delay, at most ``longest_gap_wait_s``. It shrinks
   by a hundredth with each report, so that it recovers when a path stops reordering.

Order (``OrderedChannels``): 32 channels, each of which returns payloads in the order of sending. A channel counts
ordered payloads. A sequenced payload carries the number of the *next* ordered one and a sequence index that restarts
with each ordered one: it is returned between the two ordered ones around it, unless a newer sequenced one already was.
Late ones are dropped.

Fragments (``Fragments``): payloads larger than one datagram are reassembled. Every piece of a payload is a reliable
frame of its own, carries the same order index, and may come in any order. Until the pieces arrive, nothing is allocated
for the claimed ``count``.
"""

from bisect import bisect_right
from typing import Final

import msgspec

from net.errors import DecodeError, LimitExceeded
from net.raknet.datagram import MASK, ORDER_CHANNELS, Fragment, Frame, RangeSet, extend, union
from net.raknet.limits import Limits

_GAPS: Final = 256
"""Gaps whose age is stored."""
_GAP_WAIT_MARGIN: Final = 1.25
_GAP_WAIT_DECAY: Final = 0.99
_SHORTEST_GAP_WAIT_S: Final = 0.001


class Arrivals:
    """Datagram numbers: which are new, which to acknowledge, which to report missing."""

    __slots__ = (
        "_ack_due",
        "_ack_numbers",
        "_acked",
        "_acks",
        "_gap_firsts",
        "_gap_times",
        "_gaps_reported",
        "_holes",
        "_limits",
        "_next",
        "gap_wait_s",
        "repeated",
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._next = 0
        self._holes = RangeSet()
        self._acks = RangeSet()
        self._acked: list[tuple[int, int]] = []  # ranges of the previous acknowledgement
        self._ack_numbers = 0
        self._ack_due: float | None = None
        self._gap_firsts: list[int] = []  # ascending; a gap ends at the next number that had arrived
        self._gap_times: list[float] = []
        self._gaps_reported = 0
        self.gap_wait_s = 0.0
        self.repeated = 0

    def accept(self, short: int, now: float) -> bool:
        """Records one datagram; returns False if its frames must be ignored."""
        number = self._next if short == self._next & MASK else extend(short, self._next)
        if number - self._next > self._limits.datagram_jump:
            return False
        if self._ack_due is None:
            self._ack_due = now + self._limits.ack_delay_s
        if number >= self._next:
            if number > self._next:
                self._open_gap(number, now)
            self._next = number + 1
        elif self._holes.discard(number):
            self._came_late(number, now)
        else:
            self.repeated += 1
            if number >= 0:
                self._acks.add(number)  # our first acknowledgement may have been lost
            return False
        self._acks.add(number)
        self._ack_numbers += 1
        return True

    def _open_gap(self, number: int, now: float) -> None:
        self._holes.append_range(self._next, number - 1)
        self._holes.keep_newest(self._limits.hole_ranges)
        self._gap_firsts.append(self._next)
        self._gap_times.append(now)
        if len(self._gap_firsts) > _GAPS:
            del self._gap_firsts[0], self._gap_times[0]
            self._gaps_reported = max(0, self._gaps_reported - 1)

    def _came_late(self, number: int, now: float) -> None:
        gap = bisect_right(self._gap_firsts, number) - 1
        if 0 <= gap < self._gaps_reported:
            late_s = (now - self._gap_times[gap]) * _GAP_WAIT_MARGIN
            self.gap_wait_s = min(max(self.gap_wait_s, late_s), self._limits.longest_gap_wait_s)

    def due(self) -> float | None:
        """When acknowledgements are due; 0.0 for at once, None if there are none."""
        if self._ack_numbers >= self._limits.ack_count:
            return 0.0
        if self._gaps_reported == len(self._gap_firsts):
            return self._ack_due
        gap_due = self._gap_times[self._gaps_reported] + self.gap_wait_s
        return gap_due if self._ack_due is None else min(self._ack_due, gap_due)

    def drain(self, now: float) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Removes and returns the ranges to acknowledge and those to report missing."""
        self._ack_due = None
        self._ack_numbers = 0
        fresh = self._acks.drain()
        acks = union(self._acked, fresh) if fresh else []
        self._acked = fresh or self._acked
        return acks, self._drain_gaps(now)

    def _drain_gaps(self, now: float) -> list[tuple[int, int]]:
        missing: list[tuple[int, int]] = []
        while self._gaps_reported < len(self._gap_firsts):
            at = self._gaps_reported
            if self._gap_times[at] + self.gap_wait_s > now:
                break
            last = self._gap_firsts[at + 1] - 1 if at + 1 < len(self._gap_firsts) else self._next - 1
            missing += self._holes.within(self._gap_firsts[at], last)
            self._gaps_reported += 1
        if missing:
            self.gap_wait_s = self.gap_wait_s * _GAP_WAIT_DECAY if self.gap_wait_s > _SHORTEST_GAP_WAIT_S else 0.0
        return missing


class ReliableIndices:
    """Records which reliable frames have arrived."""

    __slots__ = ("_holes", "_limit", "_next")

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.reliable_ahead
        self._next = 0
        self._holes = RangeSet()

    def accept(self, short: int) -> bool:
        """Whether the frame is new. Raises LimitExceeded: it is too far beyond a missing one."""
        number = extend(short, self._next)
        if number < self._next:
            return self._holes.discard(number)
        lowest = self._holes.lowest()
        ahead = number - (self._next if lowest is None else lowest)
        if ahead > self._limit:
            raise LimitExceeded("reliable frames ahead of a missing one", ahead, self._limit)
        if number > self._next:
            self._holes.append_range(self._next, number - 1)
        self._next = number + 1
        return True


PIECE_OVERHEAD_BYTES: Final = 224
"""Memory of one piece besides its bytes (object, key, dictionary entry); counted, or one-byte pieces would be free.
Measured: 120 to 210."""


class _Partial(msgspec.Struct):
    count: int
    pieces: dict[int, bytes] = {}
    held_bytes: int = 0


class Fragments:
    """All incomplete payloads."""

    __slots__ = ("_limits", "_partials", "held_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._partials: dict[int, _Partial] = {}
        self.held_bytes = 0

    def accept(self, fragment: Fragment, piece: bytes) -> bytes | None:
        """The whole payload if this was its last missing piece.

        Raises DecodeError: two pieces of one payload have different counts; LimitExceeded: too many pieces, payloads or
        bytes.
        """
        partial = self._partials.get(fragment.payload_id) or self._begin(fragment)
        if partial.count != fragment.pieces:
            reason = f"{fragment.pieces} pieces, but an earlier fragment announced {partial.count}"
            raise DecodeError("Datagram", "frame.fragment.count", 0, reason)
        if fragment.piece in partial.pieces:
            return None
        partial.pieces[fragment.piece] = piece
        size_bytes = len(piece) + PIECE_OVERHEAD_BYTES
        partial.held_bytes += size_bytes
        self.held_bytes += size_bytes
        if len(partial.pieces) == partial.count:
            self.held_bytes -= partial.held_bytes
            del self._partials[fragment.payload_id]
            return b"".join(map(partial.pieces.__getitem__, range(partial.count)))
        if self.held_bytes > self._limits.partial_bytes:
            raise LimitExceeded("bytes of incomplete payloads", self.held_bytes, self._limits.partial_bytes)
        return None

    def _begin(self, fragment: Fragment) -> _Partial:
        if fragment.pieces > self._limits.fragments:
            raise LimitExceeded("pieces of one payload", fragment.pieces, self._limits.fragments)
        if len(self._partials) >= self._limits.partial_payloads:
            raise LimitExceeded("incomplete payloads", len(self._partials) + 1, self._limits.partial_payloads)
        partial = self._partials[fragment.payload_id] = _Partial(fragment.pieces)
        return partial


_TABLE_BYTES: Final = 256
"""Memory counted for the dictionary of one order index's sequenced payloads."""


class _Channel:
    """The next due index, and payloads that came early; ``sequenced`` by order index, then sequence index."""

    __slots__ = ("next_order", "next_sequence", "ordered", "sequenced")

    def __init__(self) -> None:
        self.next_order = 0
        self.next_sequence = 0
        self.ordered: dict[int, bytes] = {}
        self.sequenced: dict[int, dict[int, bytes]] = {}


class OrderedChannels:
    """Puts ordered and sequenced payloads back into order, within ``order_bytes`` for all channels together."""

    __slots__ = ("_ahead", "_channels", "_limit", "held_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.order_bytes
        self._ahead = limits.reliable_ahead
        self._channels: list[_Channel | None] = [None] * ORDER_CHANNELS
        self.held_bytes = 0

    def accept(self, frame: Frame, payload: bytes) -> list[bytes]:
        """The payloads, in order, that are due after this one has arrived.

        Raises LimitExceeded: too much waits for a missing payload.
        """
        channel = self._channels[frame.channel]
        if channel is None:
            channel = self._channels[frame.channel] = _Channel()
        order = extend(frame.order_index, channel.next_order)
        if order < channel.next_order:
            return []
        if order == channel.next_order and not (frame.reliability.sequenced or channel.ordered or channel.sequenced):
            channel.next_order += 1
            channel.next_sequence = 0
            return [payload]
        if order - channel.next_order > self._ahead:
            raise LimitExceeded("ordered payloads ahead of a missing one", order - channel.next_order, self._ahead)
        self._hold(channel, order, frame, payload)
        return self._release(channel)

    def _hold(self, channel: _Channel, order: int, frame: Frame, payload: bytes) -> None:
        overhead = PIECE_OVERHEAD_BYTES
        if frame.reliability.sequenced:
            waiting, key = channel.sequenced.setdefault(order, {}), frame.sequence_index
            overhead += _TABLE_BYTES
        else:
            waiting, key = channel.ordered, order
        if key in waiting:
            return
        waiting[key] = payload
        self.held_bytes += len(payload) + overhead
        if self.held_bytes > self._limit:
            raise LimitExceeded("bytes waiting for an earlier payload", self.held_bytes, self._limit)

    def _release(self, channel: _Channel) -> list[bytes]:
        due = []
        while True:
            sequenced = channel.sequenced.pop(channel.next_order, {})
            for sequence in sorted(sequenced):
                payload = sequenced[sequence]
                self.held_bytes -= len(payload) + PIECE_OVERHEAD_BYTES + _TABLE_BYTES
                if sequence >= channel.next_sequence:
                    channel.next_sequence = sequence + 1
                    due.append(payload)
            ordered = channel.ordered.pop(channel.next_order, None)
            if ordered is None:
                return due
            self.held_bytes -= len(ordered) + PIECE_OVERHEAD_BYTES
            due.append(ordered)
            channel.next_order += 1
            channel.next_sequence = 0
