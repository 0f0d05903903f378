"""Batches: the content of one payload of a link (wire.md 5.3).

    0xfe (not over NetherNet), then body or, once a key is set, AES-256-CTR(body + tag)
    body = [algorithm] compressed (uv32 length, packet) ...
    tag  = first 8 bytes of SHA-256(u64le counter + body + key)

Rules:
1. Below protocol 554 a body is always deflated. From 554 on nothing is compressed before NetworkSettings
   (``compress_with``), then everything by the algorithm it names; from 649 on a leading byte names the algorithm of
   each batch.
2. Below 649 one server sends small bodies uncompressed without marking them: a body that does not inflate is read as
   packets.
3. One key stream, with its counter, runs over all batches of a direction. A batch with a wrong tag ends the session:
   nothing after it can be read.
4. Inflation stops at a limit before the memory is allocated; the number of packets is limited, too.
5. A batch is decoded whole or not at all: inconsistent lengths are a DecodeError and lose that batch only. They are
   checked before the first packet is returned; packets are cut one by one, so that reading a batch costs its inflated
   bytes and 16 for each packet.

Compression:
1. A size is checked before memory of that size is allocated: inflation stops at the limit, and a snappy block that
   announces more than its bytes can hold is rejected unread.
2. Level 0 is written here, not by zlib, which copies every byte through its window (535 us for 512 KiB, against 20).
3. ``inflate`` returns None for data that is not a deflate stream, since below protocol 649 nothing else distinguishes
   it from packets.
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
from net.errors import ConnectionClosed, DecodeError
from net.releases import COMPRESSION_NAMED, SETTINGS_FIRST
from net.wire.cursor import INFLATED_BATCH_BYTES, PACKETS_PER_BATCH, Buffer, Reader, Writer, check_limit

_RAW_DEFLATE: Final = -15  # zlib's code for: no header, 32 KiB window
_STORED_BYTES: Final = 0xFFFF  # largest length of a stored block, 16 bits
_STORED_HEAD: Final = struct.Struct("<BHH")
SNAPPY_EXPANSION: Final = 64
"""An element of a snappy block expands to at most this many bytes, and has at least one byte itself."""


def deflate(body: bytes | bytearray, level: int) -> list[bytes | memoryview]:
    """The parts of a raw deflate stream, to be joined; ``level`` 0..9, 0 stores."""
    if level == 0:
        return _stored(memoryview(body))
    stream = zlib.compressobj(level, zlib.DEFLATED, _RAW_DEFLATE)
    return [stream.compress(body), stream.flush()]


def _stored(body: memoryview) -> list[bytes | memoryview]:
    """Stored blocks (RFC 1951, 3.2.4): a flag for the last one, its size, the size's complement, then the bytes."""
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
        # One byte more than allowed distinguishes "just fits" from "continues".
        text = stream.decompress(body, most_bytes + 1)
    except zlib.error:
        return None
    check_limit("inflated batch bytes", len(text), most_bytes)
    # A stream that needs more input, or has some left, is packets that happen to begin like deflate.
    return text if stream.eof and not stream.unused_data else None


def snap(body: bytes | bytearray) -> bytes:
    """A raw snappy block."""
    return bytes(cramjam.snappy.compress_raw(bytes(body)))


def unsnap(body: Buffer, most_bytes: int) -> bytes:
    """The content of a raw snappy block.

    Raises DecodeError: it is not one, or announces a size that it cannot hold; LimitExceeded: it announces more than
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
"""First byte of a batch over RakNet."""
TAG_BYTES: Final = 8
_NAMES: Final = {0: Algorithm.DEFLATE, 1: Algorithm.SNAPPY, 0xFF: Algorithm.NONE}
"""Algorithm by the first byte of a batch, from protocol 649 on."""
_BYTES: Final = {algorithm: bytes((byte,)) for byte, algorithm in _NAMES.items()}


class _Seal:
    """Key stream and counter of one direction."""

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
        """Encrypts or decrypts the next bytes of the stream."""
        return self._cipher.update(text)


def _cipher(key: bytes) -> Cipher[CTR]:
    # AES-256-GCM without its tag: counter mode that begins after GCM's own first block.
    return Cipher(AES(key), CTR(key[:12] + b"\x00\x00\x00\x02"))


class _Scheme:
    """Compression of one direction of one session, from protocol and NetworkSettings."""

    def __init__(self, protocol: int) -> None:
        self.settled_by_protocol = protocol < SETTINGS_FIRST
        self.named = False
        self.algorithm = Algorithm.DEFLATE if self.settled_by_protocol else Algorithm.NONE
        self.threshold = 0
        self._names_it = protocol >= COMPRESSION_NAMED

    def take(self, settings: NetworkSettings) -> None:
        if self.settled_by_protocol:
            return  # there the packet only gives the size from which compression pays
        self.algorithm = Algorithm(settings.algorithm)
        self.threshold = settings.threshold
        self.named = self._names_it


class BatchWriter:
    """Packs packets of one direction of one session. ``level``: of deflate, 0..9; 0 stores."""

    def __init__(self, level: int = 6, protocol: int = 486, mark: bytes = RAKNET_MARK) -> None:
        self._level = level
        self._mark = mark
        self._scheme = _Scheme(protocol)
        self._seal: _Seal | None = None

    def compress_with(self, settings: NetworkSettings) -> None:
        """Uses the server's settings from the next batch on. Raises ValueError: an unknown algorithm."""
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
    """Iterates over the packets of one batch; each is cut out when it is requested.

    ``borders``: start and end of each packet in ``body``, the inflated batch.
    """

    __slots__ = ("_at", "_body", "_borders")

    def __init__(self, body: Buffer = b"", borders: "array[int] | None" = None) -> None:
        self._body = body
        self._borders = array("q") if borders is None else borders
        self._at = 0

    @property
    def held_bytes(self) -> int:
        """Memory that the batch uses, however many packets are cut; 0 after its end."""
        return len(self._body) + len(self._borders) * self._borders.itemsize

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        at = self._at
        if at == len(self._borders):
            self._body, self._borders, self._at = b"", array("q"), 0  # frees the batch
            raise StopIteration
        self._at = at + 2
        return bytes(self._body[self._borders[at] : self._borders[at + 1]])


class BatchReader:
    """Unpacks payloads of one direction of one session.

    ``inflated_bytes``: largest inflated size of a batch. ``packets``: most packets in a batch.
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
        """Expects the server's settings from the next batch on. Raises ValueError: an unknown algorithm."""
        self._scheme.take(settings)

    def encrypt_with(self, key: bytes) -> None:
        """Decrypts from the next batch on. ``key`` has 32 bytes."""
        self._seal = _Seal(key, _cipher(key).decryptor())

    def unpack(self, payload: bytes) -> list[bytes]:
        """The packets of one payload, see ``packets``."""
        return list(self.packets(payload))

    def packets(self, payload: bytes) -> "Packets":
        """The packets of one payload, each cut when it is requested; all lengths are checked when this returns.

        Raises DecodeError: it is not a batch, or its lengths are inconsistent; LimitExceeded: it is larger than
        allowed; ConnectionClosed: its tag is wrong.
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
        """Start and end of each packet."""
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
