"""Records in blocks of 32 KiB: write-ahead logs and manifests.

    record = u32 masked CRC of type and content | u16 length | u8 type (1 whole, 2 first, 3 middle, 4 last) | content

Rules:
1. A record that does not match its checksum costs the rest of its block, since its length may be wrong, and the record
   that it is a part of; reading goes on with the next block.
2. Zeros fill a block up, which is no damage. A game that was killed, or is writing, leaves a record half written at the
   end, as a file that was cut does: that is told, too, since nobody can tell the two apart.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Final

from net.folder.checksum import masked_crc

BLOCK_BYTES: Final = 32768
HEADER: Final = struct.Struct("<IHB")
CUT: Final = "it ends in the middle of a record, which is left out"
ZERO, WHOLE, FIRST, MIDDLE, LAST = range(5)

Tell = Callable[[str], None]
"""Told what is lost, in words."""


def read_records(data: bytes, tell: Tell) -> Iterator[bytes]:
    """The records of a file in order, without those that are damaged."""
    parts: list[bytes] | None = None
    for kind, content in _fragments(data, tell):
        if kind == WHOLE:
            parts = None
            yield content
        elif kind == FIRST:
            parts = [content]
        elif kind in (MIDDLE, LAST) and parts is not None:
            parts.append(content)
            if kind == LAST:
                yield b"".join(parts)
                parts = None
        else:
            parts = None  # the beginning is lost, and was told
    if parts is not None:
        tell(CUT)


def _fragments(data: bytes, tell: Tell) -> Iterator[tuple[int, bytes]]:
    """(type, content) of each fragment; type -1 stands for damage."""
    for block in range(0, len(data), BLOCK_BYTES):
        at, end = block, min(block + BLOCK_BYTES, len(data))
        while at + HEADER.size <= end:
            crc, length, kind = HEADER.unpack_from(data, at)
            content = data[at + HEADER.size : at + HEADER.size + length]
            if kind == ZERO and length == 0 and crc == 0:
                break  # what is not written yet
            if at + HEADER.size + length > end:
                tell(CUT if end == len(data) else f"{end - at} bytes at {at}: a record runs over its block")
                yield -1, b""
                break
            if masked_crc(data[at + 6 : at + HEADER.size + length]) != crc or not WHOLE <= kind <= LAST:
                tell(f"{end - at} bytes at {at}: a record does not match its checksum")
                yield -1, b""
                break
            yield kind, content
            at += HEADER.size + length
        else:
            if end == len(data) and any(data[at:end]):
                tell(CUT)
                yield -1, b""
