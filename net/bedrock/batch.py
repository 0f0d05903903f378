"""Batches: what one RakNet payload holds (wire.md 5.3).

    0xfe, then body or, once a key is set, AES-256-CTR(body + tag)
    body = raw deflate of (uv32 length, packet) ...
    tag  = first 8 bytes of SHA-256(u64le counter + body + key)

Rules:
1. Below protocol 554 a body is deflated always, yet one server sends small ones as they are, with nothing saying so:
   what does not inflate is taken as packets.
2. One key stream runs on over all batches of a direction, and the counter with it. A batch whose tag is wrong ends the
   session: nothing after it can be read.
3. Inflation stops at a limit before the memory is spent, and so does the number of packets.
4. A batch is decoded whole or not at all: lengths that do not add up are a DecodeError and lose that batch only.
"""

import hmac
import zlib
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from net.errors import ConnectionClosed, DecodeError
from net.wire.cursor import Reader, Writer
from net.wire.limits import INFLATED_BATCH_BYTES, PACKETS_PER_BATCH, check_limit

MARK: Final = 0xFE
TAG_BYTES: Final = 8
_RAW_DEFLATE: Final = -15  # zlib's way to say: no header, 32 KiB window


class _Seal:
    """One direction's key stream and counter."""

    def __init__(self, key: bytes, cipher: CipherContext) -> None:
        self._key = key
        self._cipher = cipher
        self._counter = 0

    def next_tag(self, body: bytes) -> bytes:
        """The tag of the next batch."""
        tag = sha256(self._counter.to_bytes(8, "little") + body + self._key).digest()[:TAG_BYTES]
        self._counter += 1
        return tag

    def run(self, text: bytes) -> bytes:
        """The next bytes through the key stream."""
        return self._cipher.update(text)


def _cipher(key: bytes) -> Cipher[CTR]:
    # AES-256-GCM without its tag: counter mode that begins behind GCM's own first block.
    return Cipher(AES(key), CTR(key[:12] + b"\x00\x00\x00\x02"))


class BatchWriter:
    """Packs packets of one direction of one session.

    Args:
        level: of deflate, 0..9; 0 stores.
    """

    def __init__(self, level: int = 6) -> None:
        self._level = level
        self._seal: _Seal | None = None

    def encrypt_with(self, key: bytes) -> None:
        """Encrypts from the next batch on. ``key`` has 32 bytes."""
        self._seal = _Seal(key, _cipher(key).encryptor())

    def pack(self, packets: Iterable[bytes]) -> bytes:
        """One payload for RakNet."""
        writer = Writer("batch")
        for packet in packets:
            writer.byte_string(packet)
        deflate = zlib.compressobj(self._level, zlib.DEFLATED, _RAW_DEFLATE)
        body = deflate.compress(writer.buffer) + deflate.flush()
        if self._seal is not None:
            body = self._seal.run(body + self._seal.next_tag(body))
        return bytes((MARK,)) + body


class BatchReader:
    """Unpacks payloads of one direction of one session.

    Args:
        inflated_bytes: the most a batch may inflate to.
        packets: the most packets it may hold.
    """

    def __init__(self, inflated_bytes: int = INFLATED_BATCH_BYTES, packets: int = PACKETS_PER_BATCH) -> None:
        self._inflated_bytes = inflated_bytes
        self._packets = packets
        self._seal: _Seal | None = None

    def encrypt_with(self, key: bytes) -> None:
        """Decrypts from the next batch on. ``key`` has 32 bytes."""
        self._seal = _Seal(key, _cipher(key).decryptor())

    def unpack(self, payload: bytes) -> list[bytes]:
        """The packets of one RakNet payload.

        Raises:
            DecodeError: it is no batch, or its lengths do not add up.
            LimitExceeded: it is larger than allowed.
            ConnectionClosed: its tag is wrong.
        """
        if not payload or payload[0] != MARK:
            raise DecodeError("batch", "mark", 0, f"is {payload[:1].hex() or 'missing'}, not {MARK:02x}")
        body = bytes(payload[1:])
        if self._seal is not None:
            body = self._open(self._seal, body)
        inflated = self._inflate(body)
        if inflated is None:
            return self._cut(body)
        return self._cut(inflated)

    @staticmethod
    def _open(seal: _Seal, sealed: bytes) -> bytes:
        text = seal.run(sealed)
        body, tag = text[:-TAG_BYTES], text[-TAG_BYTES:]
        if len(text) < TAG_BYTES or not hmac.compare_digest(tag, seal.next_tag(body)):
            raise ConnectionClosed("the encrypted stream is broken: a batch from the other side has a wrong checksum")
        return body

    def _inflate(self, body: bytes) -> bytes | None:
        """The inflated body, or None if it is not deflated."""
        inflate = zlib.decompressobj(_RAW_DEFLATE)
        try:
            # One byte more than allowed tells "just fits" from "goes on".
            text = inflate.decompress(body, self._inflated_bytes + 1)
        except zlib.error:
            return None
        check_limit("inflated batch bytes", len(text), self._inflated_bytes)
        # A stream that wants more input, or has some left, is packets that happened to begin like deflate.
        return text if inflate.eof and not inflate.unused_data else None

    def _cut(self, body: bytes) -> list[bytes]:
        reader = Reader(body, "batch")
        packets: list[bytes] = []
        while reader.left:
            check_limit("packets in a batch", len(packets) + 1, self._packets)
            reader.field = "packets"
            packets.append(reader.byte_string())
        return packets
