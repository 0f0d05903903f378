"""The manifest: a log of changes, at the end of which stands what is alive.

edit = fields, each u32 varint: 1 comparator, 2 log number, 3 next file, 4 last sequence, 5 compaction pointer,
       6 deleted file (level, number), 7 new file (level, number, size, smallest, largest key), 9 previous log
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from net.errors import FolderError
from net.saved_world.block import STAMP_BYTES, Tell, prefixed, read_records, varint

COMPARATOR: Final = b"leveldb.BytewiseComparator"


class TableFile(msgspec.Struct, frozen=True):
    """A table that is alive."""

    number: int  # of its file
    smallest: bytes | None = None  # no key of it is less; None where nobody knows
    largest: bytes | None = None  # no key of it is greater; likewise


class Manifest(msgspec.Struct):
    """What is alive."""

    tables: dict[int, TableFile] = {}  # by number
    log_number: int = 0  # logs from this one on hold what is in no table yet
    previous_log: int = 0  # one more of them, 0 for none
    edits: int = 0  # how many were read


def read_manifest(data: bytes, tell: Tell) -> Manifest:
    """What stands in a manifest; edits that are damaged are left out and told.

    Raises FolderError: keys are in another order than that of their bytes.
    """
    manifest = Manifest()
    for record in read_records(data, tell):
        try:
            for kind, values in _fields(record):
                _take(manifest, kind, values)
            manifest.edits += 1
        except _OtherOrder:
            raise
        except FolderError as error:
            tell(str(error))
    return manifest


class _OtherOrder(FolderError):
    """Keys compare in a way we do not know."""


def _take(manifest: Manifest, kind: int, values: tuple[int | bytes, ...]) -> None:
    match kind, values:
        case 1, (bytes() as name,) if name != COMPARATOR:
            raise _OtherOrder(f"keys are ordered by {name.decode(errors='replace')}, which is unknown")
        case 2, (int() as number,):
            manifest.log_number = number
        case 9, (int() as number,):
            manifest.previous_log = number
        case 6, (int(), int() as number):
            manifest.tables.pop(number, None)
        case 7, (int(), int() as number, int(), bytes() as smallest, bytes() as largest):
            manifest.tables[number] = TableFile(number, smallest[:-STAMP_BYTES], largest[:-STAMP_BYTES])
        case _:
            pass


FORMS: Final = {1: "b", 2: "n", 3: "n", 4: "n", 5: "nb", 6: "nn", 7: "nnnbb", 9: "n"}
"""Fields of an edit: n a number, b bytes."""


def _fields(record: bytes) -> Iterator[tuple[int, tuple[int | bytes, ...]]]:
    at = 0
    while at < len(record):
        kind, at = varint(record, at)
        if kind not in FORMS:
            raise FolderError(f"an edit of the manifest has the unknown field {kind}")
        values: list[int | bytes] = []
        for form in FORMS[kind]:
            value, at = varint(record, at) if form == "n" else prefixed(record, at)
            values.append(value)
        yield kind, tuple(values)
