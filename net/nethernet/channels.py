"""The game's two data channels over an association (RFC 8832), and packets cut into messages.

    OPEN: 03, u8 type, u16be priority, u32be reliability, u16be label length, u16be protocol length, label; ACK: 02
    message: u8 how many follow, then a piece of the packet

Rules:
1. The end that made the offer opens both channels, in streams of its DTLS role; the other opens none and accepts no
   others.
2. A packet is cut into pieces of the size that the other end accepts; the count of following pieces decreases to 0,
   otherwise the session ends.
3. All packets are sent over the reliable channel; a message of the other channel is a packet of its own.
"""

import struct
from typing import Final

from net.errors import LocalProtocolError
from net.nethernet.sctp_association import PART_OVERHEAD_BYTES, SctpAssociation, SctpMessage

RELIABLE: Final = "ReliableDataChannel"
UNRELIABLE: Final = "UnreliableDataChannel"
_TYPES: Final = {RELIABLE: 0x00, UNRELIABLE: 0x81}
_CONTROL: Final = 50
_BINARY: Final = 53
_BINARY_KINDS: Final = (53, 52)
"""Complete, and the deprecated partial one."""
_EMPTY: Final = (56, 57)
_OPEN: Final = struct.Struct(">BBHIHH")
_OPEN_KIND: Final = 3
_ACK_KIND: Final = 2
MOST_PIECES: Final = 256


class DataChannels:
    """Both channels of one connection.

    ``opens``: whether this end made the offer. ``first_stream``: of the channels that this end opens.
    ``message_bytes``: the largest message that the other end accepts. ``partial_bytes``: limit of the pieces of one
    packet.
    """

    def __init__(
        self, association: SctpAssociation, opens: bool, first_stream: int, message_bytes: int, partial_bytes: int
    ) -> None:
        self.failed: str | None = None
        self.packet_at = 0.0  # when the last part of the packet taken last arrived
        self._association = association
        self._opens = opens
        self._first_stream = first_stream
        self._piece_bytes = message_bytes - 1
        self._partial_limit = partial_bytes
        self._streams: dict[str, int] = {}  # by label, of the requested channels
        self._open: set[str] = set()
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0
        self._left = 0  # pieces that still follow

    @property
    def are_open(self) -> bool:
        return len(self._open) == len(_TYPES)

    @property
    def held_bytes(self) -> int:
        """Bytes of the incomplete packet."""
        return self._pieces_bytes + PART_OVERHEAD_BYTES * len(self._pieces)

    def open(self) -> None:
        """Opens both once the association is up; called by the end that made the offer."""
        if self._opens and not self._streams:
            for at, (label, kind) in enumerate(_TYPES.items()):
                self._streams[label] = self._first_stream + 2 * at
                body = _OPEN.pack(_OPEN_KIND, kind, 0, 0, len(label), 0) + label.encode()
                self._association.send(self._streams[label], _CONTROL, body)

    def send(self, packet: bytes) -> None:
        """Queues one packet. Raises LocalProtocolError: it is empty, or too large."""
        count = -(-len(packet) // self._piece_bytes)
        if not 0 < count <= MOST_PIECES - 1:
            raise LocalProtocolError(f"a packet of {len(packet)} bytes cannot be sent")
        stream = self._streams[RELIABLE]
        for at in range(count):
            piece = packet[at * self._piece_bytes : (at + 1) * self._piece_bytes]
            self._association.send(stream, _BINARY, bytes((count - 1 - at,)) + piece)

    def open_by_messages(self) -> None:
        """Reads messages that come before the first packet."""
        while not self.are_open and self.failed is None and (message := self._association.next_message()) is not None:
            if message.protocol == _CONTROL:
                self._take_control(message)
            else:
                self.failed = "the other side sent a packet before both data channels were open"

    def _take_control(self, message: SctpMessage) -> None:
        kind = message.body[0]
        if kind == _ACK_KIND and self._opens:
            self._open |= {label for label, stream in self._streams.items() if stream == message.stream}
        elif kind == _OPEN_KIND and not self._opens:
            self._accept(message)
        else:
            self.failed = "the other side speaks another protocol on its data channels (DCEP)"

    def _accept(self, message: SctpMessage) -> None:
        label = ""
        if len(message.body) >= _OPEN.size:
            *_, size, _ = _OPEN.unpack_from(message.body)
            label = message.body[_OPEN.size : _OPEN.size + size].decode(errors="replace")
        if label not in _TYPES or label in self._streams:
            self.failed = "the other side opens a data channel that the game does not have"
            return
        self._streams[label] = message.stream
        self._open.add(label)
        self._association.send(message.stream, _CONTROL, bytes((_ACK_KIND,)))

    def next_packet(self) -> bytes | None:
        """The next packet, in order; takes as many messages as it needs."""
        while self.are_open and self.failed is None and (message := self._association.next_message()) is not None:
            if message.protocol in _EMPTY:
                continue
            if message.protocol not in _BINARY_KINDS:
                if message.protocol == _CONTROL and message.body[0] == _ACK_KIND:
                    continue  # repeated
                self.failed = "the other side sent data on a data channel that is not a packet"
            elif message.stream == self._streams[UNRELIABLE]:
                if message.body[0] == 0 and len(message.body) > 1:
                    self.packet_at = message.at
                    return message.body[1:]
            elif message.stream == self._streams[RELIABLE]:
                packet = self._append(message.body)
                if packet is not None:
                    self.packet_at = message.at
                    return packet
        return None

    def _append(self, body: bytes) -> bytes | None:
        left = body[0]
        if self._pieces and left != self._left - 1:
            self.failed = f"the other side skipped a piece of a packet ({left} follow, not {self._left - 1})"
            return None
        if len(body) == 1:
            self.failed = "the other side sent an empty piece of a packet"
            return None
        if not left and not self._pieces:
            return body[1:]
        self._left = left
        self._pieces.append(body[1:])
        self._pieces_bytes += len(body) - 1
        if self._pieces_bytes > self._partial_limit:
            self.failed = f"the other side exceeded a limit: a packet of over {self._partial_limit} bytes"
            return None
        if left:
            return None
        packet = b"".join(self._pieces)
        self._pieces, self._pieces_bytes = [], 0
        return packet
