"""A host in another process, asked step by step over pipes: no socket, no clock, the same result every time.

Rules:
1. Whoever holds the near end says what time it is. The far end does nothing between two questions.
2. A question is a frame, its answer is one: a little-endian u32 of its length, a byte for its kind, its body.

       near end                                far end
       O  JSON, what to open                   O  opened · E  one sentence
       S  f64 now, datagrams to the host       S  datagrams to the client · E
       C  JSON, where its player goes          C  the host has noted it · E  one sentence

   Datagrams follow each other, each a u32 of its length and its bytes.
3. The far end is trusted, being our own child; a frame longer than ``MOST_BYTES`` is a bug, not an attack.
"""

import itertools
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, Final

from net.raknet.address import Address

HOST_SEED: Final = 1
CLIENT_SEED: Final = 2
UNIX_TIME: Final = 1_750_000_000.0
"""Of the virtual day on which every session begins."""

OPEN: Final = b"O"
STEP: Final = b"S"
CROSS: Final = b"C"
FAILED: Final = b"E"
MOST_BYTES: Final = 1 << 28

_LENGTH: Final = struct.Struct("<I")
_TIME: Final = struct.Struct("<d")


class FarEndFailed(Exception):
    """The far end could not do what it was asked, or is gone; the text says why."""


def write_frame(out: IO[bytes], kind: bytes, body: bytes = b"") -> None:
    """Writes one frame and flushes."""
    out.write(_LENGTH.pack(1 + len(body)) + kind + body)
    out.flush()


def read_frame(source: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame's kind and body; None at the end."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if not 1 <= length <= MOST_BYTES:
        raise FarEndFailed(f"a frame of {length} bytes came")
    frame = source.read(length)
    return (frame[:1], frame[1:]) if len(frame) == length else None


def pack_datagrams(datagrams: Iterable[bytes]) -> bytes:
    """Datagrams one after the other."""
    return b"".join(_LENGTH.pack(len(datagram)) + datagram for datagram in datagrams)


def unpack_datagrams(body: bytes) -> Iterator[bytes]:
    """What ``pack_datagrams`` wrote."""
    at = 0
    while at < len(body):
        (length,) = _LENGTH.unpack_from(body, at)
        at += _LENGTH.size
        yield body[at : at + length]
        at += length


def pack_step(now: float, datagrams: Iterable[bytes]) -> bytes:
    """The body of a question."""
    return _TIME.pack(now) + pack_datagrams(datagrams)


def unpack_step(body: bytes) -> tuple[float, Iterator[bytes]]:
    """What ``pack_step`` wrote: now, and datagrams."""
    return _TIME.unpack_from(body)[0], unpack_datagrams(body[_TIME.size :])


def even_entropy(seed: int) -> Callable[[int], bytes]:
    """Bytes that look random and are the same every run: what both ends take for entropy where nobody listens."""
    numbers = itertools.count(seed * 1_000_003 + 1)

    def bytes_of(size: int) -> bytes:
        words = (next(numbers) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF for _ in range(size // 8 + 1))
        return b"".join(word.to_bytes(8, "big") for word in words)[:size]

    return bytes_of


class FarHost:
    """The near end: a ``Host`` with one client. It answers nothing before ``open``.

    Args:
        questions: where they are written to.
        answers: where they come from.
    """

    def __init__(self, questions: IO[bytes], answers: IO[bytes]) -> None:
        self._questions = questions
        self._answers = answers
        self._arrived: list[bytes] = []
        self._client: Address = ("", 0)

    def open(self, what: Mapping[str, Any]) -> None:
        """Makes the far end a fresh host of something; what went before is gone.

        Raises:
            FarEndFailed: it cannot; the text is its own sentence.
        """
        self._arrived.clear()
        self._ask(OPEN, json.dumps(what).encode())

    def cross(self, dimension: int, feet: tuple[float, float, float] | None = None) -> None:
        """Sends the player into another dimension, as soon as it may go; see ``net.server.host``.

        Raises:
            FarEndFailed: nobody plays, or there is no such dimension.
        """
        self._ask(CROSS, json.dumps({"dimension": dimension, "feet": feet}).encode())

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """See ``Host``: it is carried over with the next ``datagrams``."""
        del now
        self._client = address
        self._arrived.append(datagram)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """See ``Host``.

        Raises:
            FarEndFailed: the far end is gone, or failed.
        """
        arrived, self._arrived = self._arrived, []
        return [(self._client, one) for one in unpack_datagrams(self._ask(STEP, pack_step(now, arrived)))]

    def next_timer(self) -> float | None:
        """See ``Host``: unknown here; whoever drives it steps through time in even frames."""
        return None

    def _ask(self, kind: bytes, body: bytes) -> bytes:
        try:
            write_frame(self._questions, kind, body)
            answer = read_frame(self._answers)
        except (OSError, ValueError) as error:
            raise FarEndFailed(f"the server process is gone: {error}") from None
        if answer is None:
            raise FarEndFailed("the server process is gone")
        if answer[0] == FAILED:
            raise FarEndFailed(answer[1].decode())
        return answer[1]
