"""A small, simple LevelDB writer for tests of the reader in ``net.saved_world``."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cramjam

from net.errors import FolderError
from tests.support.reference.wire import sized, uv

Entries = Sequence[tuple[bytes, int, bytes | None]]
"""(key, sequence, value) of each entry; the value is None for a deletion."""
LOG_BLOCK = 32768


def crc32c(data: bytes) -> int:
    """CRC-32C, computed bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    value = crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def internal(key: bytes, sequence: int, value: bytes | None) -> bytes:
    return key + struct.pack("<Q", sequence << 8 | (value is not None))


def block(entries: Iterable[tuple[bytes, bytes]], restart_every: int = 16) -> bytes:
    out, restarts, before = bytearray(), [], b""
    for count, (key, value) in enumerate(entries):
        shared = 0
        if count % restart_every == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        out += uv(shared) + uv(len(key) - shared) + uv(len(value)) + key[shared:] + value
        before = key
    restarts = restarts or [0]
    return bytes(out) + struct.pack(f"<{len(restarts)}I", *restarts) + struct.pack("<I", len(restarts))


def compressed(content: bytes, kind: int) -> bytes:
    if kind == 1:
        return bytes(cramjam.snappy.compress_raw(content))
    if kind in (2, 4):
        deflater = zlib.compressobj(wbits=15 if kind == 2 else -15)
        return deflater.compress(content) + deflater.flush()
    return content


def table(entries: Entries, compression: int = 4, block_entries: int = 7) -> bytes:
    """A table file; entries are sorted by key, then newest first."""
    ordered = sorted(entries, key=lambda entry: (entry[0], -entry[1]))
    out, index = bytearray(), []

    def put(content: bytes) -> bytes:
        body = compressed(content, compression) + bytes((compression,))
        handle = uv(len(out)) + uv(len(body) - 1)
        out.extend(body + struct.pack("<I", masked(body)))
        return handle

    for at in range(0, len(ordered), block_entries):
        part = [(internal(*entry), entry[2] or b"") for entry in ordered[at : at + block_entries]]
        index.append((part[-1][0], put(block(part))))
    filters = put(block([]))
    footer = filters + put(block(index, 1))
    return bytes(out) + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def log(records: Iterable[bytes]) -> bytes:
    """A log file: records in blocks, split into fragments where they do not fit."""
    out = bytearray()
    for record in records:
        rest, first = record, True
        while first or rest:
            room = LOG_BLOCK - len(out) % LOG_BLOCK
            if room < 7:
                out += bytes(room)
                continue
            part, rest = rest[: room - 7], rest[room - 7 :]
            kind = (1 if not rest else 2) if first else (4 if not rest else 3)
            out += struct.pack("<IHB", masked(bytes((kind,)) + part), len(part), kind) + part
            first = False
    return bytes(out)


def batch(writes: Sequence[tuple[bytes, bytes | None]], sequence: int) -> bytes:
    out = struct.pack("<QI", sequence, len(writes))
    for key, value in writes:
        out += bytes((value is not None,)) + sized(key) + (b"" if value is None else sized(value))
    return out


def manifest(tables: dict[int, Entries], log_number: int, comparator: bytes = b"leveldb.BytewiseComparator") -> bytes:
    edits = [uv(1) + sized(comparator) + uv(2) + uv(log_number) + uv(3) + uv(99)]
    for number, entries in tables.items():
        keys = sorted(internal(*entry) for entry in entries)
        named = [uv(value) for value in (7, 0, number, 1)]
        smallest, largest = min(keys, key=lambda key: key[:-8]), max(keys, key=lambda key: key[:-8])
        edits.append(b"".join(named) + sized(smallest) + sized(largest))
    edits.append(uv(7) + uv(1) + uv(77) + uv(1) + sized(bytes(9)) + sized(bytes(9)))
    edits.append(uv(6) + uv(1) + uv(77))
    return log(edits)


@dataclass
class MemoryFiles:
    """A world's files in memory."""

    contents: dict[str, bytes] = field(default_factory=dict)
    place: str = "memory"

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.contents)

    def size(self, name: str) -> int:
        return len(self.read(name))

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        if name not in self.contents:
            raise FolderError(f"{name}: it is gone")
        return self.contents[name][start:] if length is None else self.contents[name][start : start + length]


def database(
    tables: Sequence[Entries],
    writes: Sequence[tuple[bytes, bytes | None]] = (),
    compression: int = 4,
    first: int = 1000,
) -> MemoryFiles:
    """A whole database: tables numbered from 5, and a log with one batch per write, with sequences from ``first``."""
    numbered = {5 + at: entries for at, entries in enumerate(tables) if entries}
    files = {f"db/{number:06d}.ldb": table(entries, compression) for number, entries in numbered.items()}
    files["db/000090.log"] = log(batch([write], first + at) for at, write in enumerate(writes))
    files["db/MANIFEST-000003"] = manifest(numbered, 90)
    files["db/CURRENT"] = b"MANIFEST-000003\n"
    return MemoryFiles(files)
