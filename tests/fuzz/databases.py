"""A world's database as a whole: several tables and logs behind checksums and a manifest that are right, then damaged.

The input is a program: each step puts or deletes a key, begins another table or log, or changes a byte of what was
written, checksum of a table's block included or not. Without a change every key has the value that was put last; with
one, what is left is told in sentences and nothing else is raised.
"""

import struct
from collections.abc import Iterator
from typing import Final

from net.errors import FolderError
from net.saved_world.checksum_kernels import masked_crc
from net.saved_world.columns import Folder
from net.saved_world.leveldb import ColumnKey, Database, Tag
from net.space import ColumnPos
from tests.fuzz.checks import check
from tests.support.reference import leveldb as twin
from tests.support.reference.leveldb import MemoryFiles
from tests.support.worlds.saved import level

STEP_BYTES: Final = 4
MOST_STEPS: Final = 64
KINDS: Final = 8
PUTS: Final = 3
"""Steps below it put a key; then come a deletion, another table, a log from here on, and two kinds of damage."""


def steps(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Four bytes a step."""
    for at in range(1, min(len(data), 1 + STEP_BYTES * MOST_STEPS) - STEP_BYTES + 1, STEP_BYTES):
        yield data[at], data[at + 1], data[at + 2], data[at + 3]


def key_of(number: int) -> bytes:
    """One of 64 keys: of sub-chunks, of other values of columns, and of no column."""
    column = ColumnPos(number & 3, number >> 2 & 1)
    if number & 0x20:
        return b"key-" + bytes((number & 0x1F,))
    tag = (Tag.SUBCHUNK, Tag.VERSION, Tag.BLOCK_ENTITIES, Tag.BIOMES_3D)[number >> 3 & 3]
    return ColumnKey(0, column, tag, number % 5 if tag is Tag.SUBCHUNK else None).write()


def value_of(size: int, fill: int) -> bytes:
    """A value of 0 to 4,000 bytes that hardly repeats."""
    return bytes((fill + at * at) & 0xFF for at in range(size * size >> 4))


def built(data: bytes) -> tuple[MemoryFiles, dict[bytes, bytes], list[tuple[int, int, int]]]:
    """The files, what they hold, and the damages that are to come: (which, where, what)."""
    tables: list[list[tuple[bytes, int, bytes | None]]] = [[]]
    writes: list[tuple[bytes, bytes | None]] = []
    model: dict[bytes, bytes] = {}
    damages: list[tuple[int, int, int]] = []
    in_log = False
    for number, (kind, first, second, third) in enumerate(steps(data)):
        what = kind % KINDS
        key = key_of(first & 0x3F)
        if what <= PUTS:
            value = None if what == PUTS else value_of(second, third)
            if in_log:
                writes.append((key, value))
            else:
                tables[-1].append((key, number + 1, value))
            if value is None:
                model.pop(key, None)
            else:
                model[key] = value
        elif what == PUTS + 1 and not in_log:
            tables.append([])
        elif what == PUTS + 2:
            in_log = True
        else:
            damages.append((kind, first | second << 8, third))
    files = twin.database(tables, writes, (0, 1, 2, 4)[data[0] & 3 if data else 0])
    files.contents["level.dat"] = level()
    return files, model, damages


def damaged(files: MemoryFiles, damages: list[tuple[int, int, int]]) -> None:
    """Changes bytes; after the first kind of damage the checksum of the first block of a table is right again."""
    names = sorted(name for name in files.contents if name.startswith("db/"))
    for kind, where, what in damages:
        name = names[where % len(names)]
        content = bytearray(files.contents[name])
        if not content:
            continue
        at = where * 31 % len(content)
        content[at] = what
        if kind % KINDS == KINDS - 2 and name.endswith(".ldb"):
            end = (content.index(b"\xff\xff") if b"\xff\xff" in content else at) % max(len(content) - 4, 1)
            content[end : end + 4] = struct.pack("<I", masked_crc(bytes(content[:end])))
        if kind & 0x80:
            del content[at:]
        files.contents[name] = bytes(content)


def databases(data: bytes) -> None:
    """One program."""
    files, model, damages = built(data)
    damaged(files, damages)
    try:
        database = Database(files)
    except FolderError:
        check(bool(damages), "a sound database is refused")
        return
    found = database.scan(b"", None)
    check(sorted(found) == sorted(database.all_keys()), "a key is listed and not there, or the other way round")
    if not damages:
        check(found == model, "a sound database does not hold what was written")
        check(not database.lost, "a sound database has lost something")
    for key in list(found)[:4]:
        check(database.scan(key, key + b"\0").get(key) == found[key], "a key has two values")
    check(all("\n" not in sentence for sentence in database.lost), "a sentence has several lines")
    folder = Folder(files)
    for position in folder.columns()[:4]:
        folder.column(0, position)


def seeds() -> list[bytes]:
    """Tables alone, tables and a log, a deletion in each, and each damage."""
    puts = b"".join(bytes((0, key, 40 + key, key)) for key in range(12))
    newer = b"".join(bytes((0, key, 60, key)) for key in range(4)) + bytes((PUTS, 5, 0, 0))
    table, log = bytes((PUTS + 1, 0, 0, 0)), bytes((PUTS + 2, 0, 0, 0))
    damage = [bytes((kind, where, 1, 0x55)) for kind in (KINDS - 2, KINDS - 1, KINDS - 1 | 0x80) for where in range(4)]
    sound = [puts, puts + table + newer, puts + log + newer, puts + table + newer + log + newer]
    return [
        *(bytes((compression,)) + steps for compression in range(4) for steps in sound),
        *(b"\3" + sound[3] + each for each in damage),
    ]
