"""Payloads that did not fit one datagram, put together again.

Every piece of a payload is a reliable frame of its own, carries the same order index, and may come in any order.
Only ``count`` is believed before the pieces are there: nothing is allocated for it.
"""

from dataclasses import dataclass, field
from typing import Final

from net.errors import DecodeError, LimitExceeded
from net.raknet.frames import Fragment
from net.raknet.limits import Limits

PIECE_OVERHEAD_BYTES: Final = 224
"""What holding one piece costs beside its bytes (object, key, place in a table); counted, or one-byte pieces would be
free. Measured: 120 to 210."""


@dataclass(slots=True)
class _Partial:
    count: int
    pieces: dict[int, bytes] = field(default_factory=dict)
    held_bytes: int = 0


class Fragments:
    """All payloads that are not complete yet."""

    __slots__ = ("_limits", "_partials", "held_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._partials: dict[int, _Partial] = {}
        self.held_bytes = 0

    def accept(self, fragment: Fragment, piece: bytes) -> bytes | None:
        """The whole payload when this was its last missing piece.

        Raises:
            DecodeError: two pieces of one payload tell different counts.
            LimitExceeded: too many pieces, payloads or bytes.
        """
        partial = self._partials.get(fragment.payload_id) or self._begin(fragment)
        if partial.count != fragment.pieces:
            reason = f"{fragment.pieces} pieces, where an earlier one said {partial.count}"
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
