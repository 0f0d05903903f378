"""Order: 32 channels, each handing payloads out as its sender put them in.

A channel counts ordered payloads. A sequenced payload carries the number of the *next* ordered one and a sequence
index that starts again with each ordered one: it is handed out between the two it was sent between, unless a newer
sequenced one already was. Late ones are dropped.
"""

from net.errors import LimitExceeded
from net.raknet.fragments import PIECE_OVERHEAD_BYTES
from net.raknet.frames import ORDER_CHANNELS, Frame
from net.raknet.limits import Limits
from net.raknet.sequence import extend


class _Waiting:
    """What has come for one order index that is not yet due."""

    __slots__ = ("ordered", "sequenced")

    def __init__(self) -> None:
        self.ordered: bytes | None = None
        self.sequenced: dict[int, bytes] = {}


class _Channel:
    __slots__ = ("next_order", "next_sequence", "waiting")

    def __init__(self) -> None:
        self.next_order = 0
        self.next_sequence = 0
        self.waiting: dict[int, _Waiting] = {}


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
        if order == channel.next_order and not channel.waiting:
            due = self._at_once(channel, frame, payload)
            if due is not None:
                return due
        if order - channel.next_order > self._ahead:
            raise LimitExceeded("ordered payloads ahead of a missing one", order - channel.next_order, self._ahead)
        self._hold(channel, order, frame, payload)
        return self._release(channel)

    @staticmethod
    def _at_once(channel: _Channel, frame: Frame, payload: bytes) -> list[bytes] | None:
        if frame.reliability.sequenced:
            return None
        channel.next_order += 1
        channel.next_sequence = 0
        return [payload]

    def _hold(self, channel: _Channel, order: int, frame: Frame, payload: bytes) -> None:
        waiting = channel.waiting.setdefault(order, _Waiting())
        if frame.reliability.sequenced:
            if frame.sequence_index in waiting.sequenced:
                return
            waiting.sequenced[frame.sequence_index] = payload
        elif waiting.ordered is None:
            waiting.ordered = payload
        else:
            return
        self.held_bytes += len(payload) + PIECE_OVERHEAD_BYTES
        if self.held_bytes > self._limit:
            raise LimitExceeded("bytes waiting for an earlier payload", self.held_bytes, self._limit)

    def _release(self, channel: _Channel) -> list[bytes]:
        due = []
        while waiting := channel.waiting.pop(channel.next_order, None):
            for sequence in sorted(waiting.sequenced):
                payload = waiting.sequenced[sequence]
                self.held_bytes -= len(payload) + PIECE_OVERHEAD_BYTES
                if sequence >= channel.next_sequence:
                    channel.next_sequence = sequence + 1
                    due.append(payload)
            if waiting.ordered is None:
                break
            self.held_bytes -= len(waiting.ordered) + PIECE_OVERHEAD_BYTES
            due.append(waiting.ordered)
            channel.next_order += 1
            channel.next_sequence = 0
        return due
