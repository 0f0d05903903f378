"""One payload on its way out: cut into frames as they are sent, so that what waits is one object a payload.

Rules:
1. The head is encoded once a payload; of each piece's only the reliable index, the piece's index and, for the last,
   the length differ (``frames``).
2. Reliable indices are given when the payload is handed in: pieces leave in that order, and so count up.
"""

from typing import Final

from net.raknet.frames import FRAGMENT_HEADER_BYTES, Reliability, write_head
from net.raknet.sequence import MASK

_LENGTH: Final = slice(1, 3)
_RELIABLE_INDEX: Final = slice(3, 6)
_PIECE_INDEX: Final = slice(-4, None)


class Outgoing:
    """A payload, and how much of it has left.

    Args:
        payload: not empty.
        kind: how it travels; reliable if it is more than one piece.
        order: order index, 0 where the kind has none.
        sequence: sequence index, likewise.
        channel: order channel, likewise.
        reliable_index: of its first frame; -1 for one that is not sent again.
        payload_id: of its fragments.
        frame_bytes: the largest frame.

    Attributes:
        frames: how many are left.
        frame_bytes: size of the next one.
        all_bytes: of those that are left, with heads.
    """

    __slots__ = (
        "_at",
        "_head",
        "_head_bytes",
        "_payload",
        "_reliable_index",
        "_room",
        "all_bytes",
        "frame_bytes",
        "frames",
    )

    def __init__(
        self,
        payload: bytes,
        kind: Reliability,
        order: int,
        sequence: int,
        channel: int,
        reliable_index: int,
        payload_id: int,
        frame_bytes: int,
    ) -> None:
        self._payload = payload
        self._at = 0
        self._reliable_index = reliable_index
        self._head_bytes = kind.header_bytes
        self._room = len(payload)
        self.frames = 1
        fragment = None
        if self._head_bytes + self._room > frame_bytes:
            self._head_bytes += FRAGMENT_HEADER_BYTES
            self._room = frame_bytes - self._head_bytes
            self.frames = -(-len(payload) // self._room)
            fragment = (self.frames, payload_id, 0)
        head = write_head(kind, self._room, max(reliable_index, 0), sequence, order, channel, fragment)
        self._head = bytearray(head)
        self.frame_bytes = self._head_bytes + self._room
        self.all_bytes = len(payload) + self.frames * self._head_bytes

    def take(self) -> tuple[bytearray, bytes, int]:
        """The next frame: its head, valid until the next call, its body, and its reliable index."""
        at = self._at
        body = self._payload[at : at + self._room]
        index, head = self._reliable_index, self._head
        if at:
            head[_RELIABLE_INDEX] = (index & MASK).to_bytes(3, "little")
            head[_PIECE_INDEX] = (at // self._room).to_bytes(4, "big")
            if self.frames == 1:
                head[_LENGTH] = (len(body) * 8).to_bytes(2, "big")
        self._at = at + self._room
        self._reliable_index = index + 1
        self.all_bytes -= self.frame_bytes
        self.frames -= 1
        if self.frames == 1:
            self.frame_bytes = self.all_bytes
        return head, body, index
