"""Order: 32 channels, each handing payloads out as its sender put them in.

A channel counts ordered payloads. A sequenced payload carries the number of the *next* ordered one and a sequence
index that starts again with each ordered one: it is handed out between the two it was sent between, unless a newer
sequenced one already was. Late ones are dropped.
"""

from typing import Final

from net.errors import LimitExceeded
from net.raknet.fragments import PIECE_OVERHEAD_BYTES
from net.raknet.frames import ORDER_CHANNELS, Frame
from net.raknet.limits import Limits
from net.raknet.sequence import extend

_TABLE_BYTES: Final = 256
"""What the table of one order index's sequenced payloads may cost."""


class _Channel:
    """What is due next, and what has come before it was due; ``sequenced`` by order index, then sequence index."""

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
        """Payloads that are due now that this whole one has come, in order.

        Raises:
            LimitExceeded: too much is waiting for a payload that does not come.
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
