"""Batches: what one payload of a link holds (wire.md 5.3).

    0xfe (not over NetherNet), then body or, once a key is set, AES-256-CTR(body + tag)
    body = [algorithm] compressed (uv32 length, packet) ...
    tag  = first 8 bytes of SHA-256(u64le counter + body + key)

Rules:
1. Below protocol 554 a body is deflated always. From there on nothing is compressed before NetworkSettings
   (``compress_with``), then all by the algorithm it names; from 649 on a byte in front names it batch by batch.
2. Below 649 one server sends small bodies as they are, with nothing saying so: what does not inflate is taken as
   packets.
3. One key stream runs on over all batches of a direction, and the counter with it. A batch whose tag is wrong ends the
   session: nothing after it can be read.
4. Inflation stops at a limit before the memory is spent, and so does the number of packets.
5. A batch is decoded whole or not at all: lengths that do not add up are a DecodeError and lose that batch only. They
   are looked at before the first packet is handed out; the packets themselves are cut one by one, so that a batch
   that is being read costs its inflated bytes and 16 for each packet.

Compression: What batches are compressed with, one body at a time.
1. A size is checked before memory of that size is asked for: inflation stops at the limit, and a snappy block that
   announces more than its bytes can hold is refused unread.
2. Level 0 is written here, not by zlib, which moves every byte through its window (535 us for 512 KiB, against 20).
3. ``inflate`` says None for what is no deflate stream, since below protocol 649 nothing else tells it from packets.
"""

import hmac
import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import cramjam
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.bedrock.releases import COMPRESSION_NAMED, SETTINGS_FIRST
from net.errors import ConnectionClosed, DecodeError
from net.wire.cursor import INFLATED_BATCH_BYTES, PACKETS_PER_BATCH, Buffer, Reader, Writer, check_limit

_RAW_DEFLATE: Final = -15  # zlib's way to say: no header, 32 KiB window
_STORED_BYTES: Final = 0xFFFF  # what a stored block's 16 bits of length can say
_STORED_HEAD: Final = struct.Struct("<BHH")
SNAPPY_EXPANSION: Final = 64
"""No element of a snappy block stands for more bytes than this, and each has at least one of its own."""


def deflate(body: bytes | bytearray, level: int) -> list[bytes | memoryview]:
    """The parts of a raw deflate stream, to be joined; ``level`` 0..9, 0 stores."""
    if level == 0:
        return _stored(memoryview(body))
    stream = zlib.compressobj(level, zlib.DEFLATED, _RAW_DEFLATE)
    return [stream.compress(body), stream.flush()]


def _stored(body: memoryview) -> list[bytes | memoryview]:
    """Stored blocks (RFC 1951, 3.2.4): whether it is the last, its size, the size's complement, then the bytes."""
    parts: list[bytes | memoryview] = []
    for at in range(0, len(body) or 1, _STORED_BYTES):
        block = body[at : at + _STORED_BYTES]
        last = at + _STORED_BYTES >= len(body)
        parts += (_STORED_HEAD.pack(last, len(block), len(block) ^ 0xFFFF), block)
    return parts


def inflate(body: Buffer, most_bytes: int) -> bytes | None:
    """The inflated body, or None if it is not deflated.

    Raises LimitExceeded: it inflates to more than ``most_bytes``.
    """
    stream = zlib.decompressobj(_RAW_DEFLATE)
    try:
        # One byte more than allowed tells "just fits" from "goes on".
        text = stream.decompress(body, most_bytes + 1)
    except zlib.error:
        return None
    check_limit("inflated batch bytes", len(text), most_bytes)
    # A stream that wants more input, or has some left, is packets that happened to begin like deflate.
    return text if stream.eof and not stream.unused_data else None


def snap(body: bytes | bytearray) -> bytes:
    """A raw snappy block."""
    return bytes(cramjam.snappy.compress_raw(bytes(body)))


def unsnap(body: Buffer, most_bytes: int) -> bytes:
    """The content of a raw snappy block.

    Raises DecodeError: it is none, or announces a size that it cannot hold; LimitExceeded: it announces more than
    ``most_bytes``.
    """
    reader = Reader(body, "batch")
    reader.field = "snappy"
    size = reader.uv32()
    check_limit("inflated batch bytes", size, most_bytes)
    if size > SNAPPY_EXPANSION * reader.left:
        raise reader.fault(f"announces {size} bytes, but {reader.left} are left", 0)
    try:
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise reader.fault(f"is not a snappy block: {error}", 0) from None


RAKNET_MARK: Final = b"\xfe"
"""What stands in front of a batch over RakNet."""
TAG_BYTES: Final = 8
_NAMES: Final = {0: Algorithm.DEFLATE, 1: Algorithm.SNAPPY, 0xFF: Algorithm.NONE}
"""The byte in front of a batch from protocol 649 on."""
_BYTES: Final = {algorithm: bytes((byte,)) for byte, algorithm in _NAMES.items()}


class _Seal:
    """One direction's key stream and counter."""

    def __init__(self, key: bytes, cipher: CipherContext) -> None:
        self._key = key
        self._cipher = cipher
        self._counter = 0

    def next_tag(self, *body: Buffer) -> bytes:
        """The tag of the next batch, whose body may come in parts."""
        digest = sha256(self._counter.to_bytes(8, "little"))
        for part in body:
            digest.update(part)
        digest.update(self._key)
        self._counter += 1
        return digest.digest()[:TAG_BYTES]

    def run(self, text: Buffer) -> bytes:
        """The next bytes through the key stream."""
        return self._cipher.update(text)


def _cipher(key: bytes) -> Cipher[CTR]:
    # AES-256-GCM without its tag: counter mode that begins behind GCM's own first block.
    return Cipher(AES(key), CTR(key[:12] + b"\x00\x00\x00\x02"))


class _Scheme:
    """How one direction of one session is compressed, as protocol and NetworkSettings say."""

    def __init__(self, protocol: int) -> None:
        self.settled_by_protocol = protocol < SETTINGS_FIRST
        self.named = False
        self.algorithm = Algorithm.DEFLATE if self.settled_by_protocol else Algorithm.NONE
        self.threshold = 0
        self._names_it = protocol >= COMPRESSION_NAMED

    def take(self, settings: NetworkSettings) -> None:
        if self.settled_by_protocol:
            return  # there the packet says only from which size on it is worth while
        self.algorithm = Algorithm(settings.algorithm)
        self.threshold = settings.threshold
        self.named = self._names_it


class BatchWriter:
    """Packs packets of one direction of one session.

    ``level``: of deflate, 0..9; 0 stores. ``protocol``: whose batches these are. ``mark``: what stands
    in front of each.
    """

    def __init__(self, level: int = 6, protocol: int = 486, mark: bytes = RAKNET_MARK) -> None:
        self._level = level
        self._mark = mark
        self._scheme = _Scheme(protocol)
        self._seal: _Seal | None = None

    def compress_with(self, settings: NetworkSettings) -> None:
        """Compresses from the next batch on as the server said.

        Raises ValueError: by an algorithm that is no ``Algorithm``.
        """
        self._scheme.take(settings)

    def encrypt_with(self, key: bytes) -> None:
        """Encrypts from the next batch on. ``key`` has 32 bytes."""
        self._seal = _Seal(key, _cipher(key).encryptor())

    def pack(self, packets: Iterable[bytes]) -> bytes:
        """One payload for the link."""
        writer = Writer("batch")
        for packet in packets:
            writer.byte_string(packet)
        body = self._compress(writer.buffer)
        if self._seal is None:
            return b"".join((self._mark, *body))
        return self._mark + self._seal.run(b"".join((*body, self._seal.next_tag(*body))))

    def _compress(self, text: bytearray) -> list[Buffer]:
        scheme = self._scheme
        algorithm = scheme.algorithm
        if scheme.named and len(text) < scheme.threshold:
            algorithm = Algorithm.NONE
        name: list[Buffer] = [_BYTES[algorithm]] if scheme.named else []
        match algorithm:
            case Algorithm.DEFLATE:
                return name + deflate(text, self._level)
            case Algorithm.SNAPPY:
                return [*name, snap(text)]
            case _:
                return [*name, memoryview(text)]


class Packets:
    """The packets of one batch, each cut out of it when it is asked for.

    ``body``: the inflated batch. ``borders``: where each packet begins and ends in it.
    """

    __slots__ = ("_at", "_body", "_borders")

    def __init__(self, body: Buffer = b"", borders: "array[int] | None" = None) -> None:
        self._body = body
        self._borders = array("q") if borders is None else borders
        self._at = 0

    @property
    def held_bytes(self) -> int:
        """What the batch costs, whatever of it has been cut; 0 after its end."""
        return len(self._body) + len(self._borders) * self._borders.itemsize

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        at = self._at
        if at == len(self._borders):
            self._body, self._borders, self._at = b"", array("q"), 0  # nobody needs the batch any more
            raise StopIteration
        self._at = at + 2
        return bytes(self._body[self._borders[at] : self._borders[at + 1]])


class BatchReader:
    """Unpacks payloads of one direction of one session.

    ``inflated_bytes``: the most a batch may inflate to. ``packets``: the most packets it may hold. ``protocol``: whose
    batches these are. ``mark``: what stands in front of each.
    """

    def __init__(
        self,
        inflated_bytes: int = INFLATED_BATCH_BYTES,
        packets: int = PACKETS_PER_BATCH,
        protocol: int = 486,
        mark: bytes = RAKNET_MARK,
    ) -> None:
        self._mark = mark
        self._inflated_bytes = inflated_bytes
        self._packets = packets
        self._scheme = _Scheme(protocol)
        self._seal: _Seal | None = None

    def compress_with(self, settings: NetworkSettings) -> None:
        """Expects compression from the next batch on as the server said.

        Raises ValueError: by an algorithm that is no ``Algorithm``.
        """
        self._scheme.take(settings)

    def encrypt_with(self, key: bytes) -> None:
        """Decrypts from the next batch on. ``key`` has 32 bytes."""
        self._seal = _Seal(key, _cipher(key).decryptor())

    def unpack(self, payload: bytes) -> list[bytes]:
        """The packets of one payload, see ``packets``."""
        return list(self.packets(payload))

    def packets(self, payload: bytes) -> "Packets":
        """The packets of one payload, each cut when it is asked for; the batch is sound when this returns.

        Raises DecodeError: it is no batch, or its lengths do not add up; LimitExceeded: it is larger than allowed;
        ConnectionClosed: its tag is wrong.
        """
        if not payload or not payload.startswith(self._mark):
            raise DecodeError("batch", "mark", 0, f"is {payload[:1].hex() or 'missing'}, not {self._mark.hex()}")
        body = memoryview(payload)[len(self._mark) :]
        if self._seal is not None:
            body = self._open(self._seal, body)
        text = self._expand(body)
        return Packets(text, self._borders(text))

    @staticmethod
    def _open(seal: _Seal, sealed: memoryview) -> memoryview:
        text = memoryview(seal.run(sealed))
        body, tag = text[:-TAG_BYTES], text[-TAG_BYTES:]
        if len(text) < TAG_BYTES or not hmac.compare_digest(tag, seal.next_tag(body)):
            raise ConnectionClosed("the encrypted stream is broken: the checksum of a received batch is wrong")
        return body

    def _expand(self, body: memoryview) -> Buffer:
        if self._scheme.named:
            return self._expand_named(body)
        if self._scheme.algorithm is Algorithm.DEFLATE:
            text = inflate(body, self._inflated_bytes)
            return body if text is None else text
        if self._scheme.algorithm is Algorithm.SNAPPY:
            try:
                return unsnap(body, self._inflated_bytes)
            except DecodeError:
                return body
        return body

    def _expand_named(self, body: memoryview) -> Buffer:
        if not body:
            return body
        algorithm = _NAMES.get(body[0])
        if algorithm is Algorithm.NONE:
            return body[1:]
        if algorithm is Algorithm.SNAPPY:
            return unsnap(body[1:], self._inflated_bytes)
        if algorithm is None:
            raise DecodeError("batch", "algorithm", 1, f"is {body[0]}, which is unknown")
        text = inflate(body[1:], self._inflated_bytes)
        if text is None:
            raise DecodeError("batch", "algorithm", 1, "announces deflate but cannot be inflated")
        return text

    def _borders(self, body: Buffer) -> "array[int]":
        """Where each packet begins and ends."""
        reader = Reader(body, "batch")
        reader.field = "packets"
        borders = array("q")
        while reader.left:
            check_limit("packets in a batch", len(borders) // 2 + 1, self._packets)
            size_bytes = reader.uv32()
            borders.append(reader.offset)
            reader.skip(size_bytes)
            borders.append(reader.offset)
        return borders
