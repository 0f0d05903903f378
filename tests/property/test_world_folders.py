"""What a LevelDB was given is read back; what is damaged costs itself and nothing else, and is told.

Stored ends: Where a stored block ends is found by its checksum, wherever it lies and whatever stands behind it.
"""

import struct
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from net.errors import FolderError
from net.saved_world.block import TRAILER
from net.saved_world.checksum_kernels import end_of_stored, masked_crc
from net.saved_world.columns import Folder
from net.saved_world.leveldb import Database
from net.saved_world.table import read_index
from tests.support.reference import leveldb as twin
from tests.support.reference.leveldb import MemoryFiles

# ---------------------------------------------------------------- world folders

KEYS = st.binary(max_size=4) | st.sampled_from([b"", b"a", b"ab", b"abc", b"b", b"b\0", b"\xff", b"\xff\xff"])
VALUES = (
    st.none() | st.binary(max_size=40) | st.integers(0, 70000).map(lambda size: bytes(size % 251 for _ in range(size)))
)
COMPRESSIONS = st.sampled_from([0, 1, 2, 4])
WRITES = st.lists(st.tuples(KEYS, VALUES), max_size=60)


def newest(history: Sequence[tuple[bytes, bytes | None]]) -> dict[bytes, bytes]:
    """The map after some writes in order."""
    found: dict[bytes, bytes] = {}
    for key, value in history:
        if value is None:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def spread(
    history: Sequence[tuple[bytes, bytes | None]], tables: int, seed: int
) -> list[list[tuple[bytes, int, bytes | None]]]:
    """Writes numbered and dealt to tables, in no order."""
    dealt: list[list[tuple[bytes, int, bytes | None]]] = [[] for _ in range(tables)]
    for number, (key, value) in enumerate(history):
        dealt[(number * 7 + seed) % tables].append((key, number + 1, value))
    return dealt


@given(st.binary(max_size=300))
def test_checksums_equal_those_made_bit_by_bit(data: bytes) -> None:
    assert masked_crc(data) == twin.masked(data)


@given(WRITES, WRITES, st.integers(1, 4), st.integers(0, 3), COMPRESSIONS)
@settings(max_examples=60, deadline=None)
def test_the_newest_write_of_each_key_is_read(
    old: list[tuple[bytes, bytes | None]], new: list[tuple[bytes, bytes | None]], tables: int, seed: int, kind: int
) -> None:
    files = twin.database(spread(old, tables, seed), new, kind)
    wanted = newest([*old, *new])
    database = Database(files)
    assert sorted(database.all_keys()) == sorted(wanted)
    assert database.scan(b"", None) == wanted
    for key in {key for key, _ in (*old, *new)}:
        assert database.scan(key, key + b"\0").get(key) == wanted.get(key)
        stop = key + b"\x80"
        assert database.scan(key, stop) == {k: value for k, value in wanted.items() if key <= k < stop}
    assert database.lost == []


@given(WRITES, WRITES, st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_damage_anywhere_raises_nothing_else_and_makes_nothing_up(
    old: list[tuple[bytes, bytes | None]], new: list[tuple[bytes, bytes | None]], tables: int, data: st.DataObject
) -> None:
    files = twin.database(spread(old, tables, 0), new)
    name = data.draw(st.sampled_from(sorted(files.contents)))
    content = bytearray(files.contents[name])
    harm = data.draw(st.sampled_from(["cut", "flip", "drop", "noise"]))
    at = data.draw(st.integers(0, max(len(content) - 1, 0)))
    if harm == "drop":
        del files.contents[name]
    elif content:
        if harm == "cut":
            del content[at:]
        elif harm == "flip":
            content[at] ^= 1 << data.draw(st.integers(0, 7))
        else:
            content[at : at + 8] = data.draw(st.binary(min_size=1, max_size=8))
        files.contents[name] = bytes(content)
    written = {(key, value) for key, value in (*old, *new) if value is not None}
    try:
        found = Database(files).scan(b"", None)
    except FolderError:
        assert not any(other != name for other in files.contents if other.endswith((".ldb", ".log")))
        return
    assert set(found.items()) <= written, "a value that nobody wrote"


@given(st.lists(st.binary(min_size=1, max_size=9), min_size=30, max_size=90, unique=True), st.data())
@settings(max_examples=40, deadline=None)
def test_a_flipped_bit_in_a_block_loses_that_block_alone(keys: list[bytes], data: st.DataObject) -> None:
    entries = [(key, 1 + at, key * 3) for at, key in enumerate(keys)]
    files = twin.database([entries])
    content = bytearray(files.contents["db/000005.ldb"])
    handles = read_index(lambda start, length: bytes(content[start : start + length]), len(content)).handles
    hit = data.draw(st.integers(0, len(handles) - 1))
    start, size = handles[hit]
    content[start + data.draw(st.integers(0, size + TRAILER.size - 1))] ^= 1 << data.draw(st.integers(0, 7))
    files.contents["db/000005.ldb"] = bytes(content)
    database = Database(files)
    ordered = sorted(keys)
    kept = ordered[: 7 * hit] + ordered[7 * hit + 7 :]
    assert database.scan(b"", None) == {key: key * 3 for key in kept}
    assert len(database.lost) == 1
    assert database.lost[0].startswith(f"db/000005.ldb: {size} bytes at {start}: ")


@given(
    st.dictionaries(
        st.sampled_from(["db/CURRENT", "db/MANIFEST-000001", "db/000001.log", "db/000002.ldb", "level.dat"]),
        st.binary(max_size=200),
    )
)
@settings(max_examples=100, deadline=None)
def test_a_folder_of_nonsense_is_a_folder_error_or_empty(contents: dict[str, bytes]) -> None:
    try:
        folder = Folder(MemoryFiles(contents))
    except FolderError:
        return
    assert folder.columns() == []
    assert all("\n" not in sentence for sentence in folder.lost)


@given(st.lists(st.binary(max_size=70000), max_size=6), st.integers(0, 200000))
@settings(max_examples=40, deadline=None)
def test_a_log_that_was_cut_while_it_was_written_gives_what_is_whole(values: list[bytes], cut: int) -> None:
    files = twin.database([], [(struct.pack(">I", at), value) for at, value in enumerate(values)])
    files.contents["db/000090.log"] = files.contents["db/000090.log"][:cut]
    database = Database(files)
    found = database.scan(b"", None)
    assert found == {struct.pack(">I", at): value for at, value in enumerate(values[: len(found)])}
    batches = [twin.batch([(struct.pack(">I", at), value)], 1000 + at) for at, value in enumerate(values)]
    ends = [len(twin.log(batches[:count])) for count in range(len(values) + 1)]
    whole = max(end for end in ends if end <= cut)
    if cut in ends or cut > ends[-1]:
        assert database.lost == []
    elif cut - whole >= 6 + 7:  # else there may be no more than zeros that fill a block, and a part of a header
        assert database.lost == ["db/000090.log: it ends in the middle of a record, which is ignored."]
    assert len(database.lost) <= 1


# ---------------------------------------------------------------- stored ends

BYTES = st.binary(max_size=200)
FEW_VALUES = st.lists(st.sampled_from([0, 1, 2, 255]), max_size=200).map(bytes)


def plain_end(data: bytes, last_kind: int) -> int | None:
    for at in range(len(data) - 4):
        behind = int.from_bytes(data[at + 1 : at + 5], "little")
        if data[at] <= last_kind and twin.masked(data[: at + 1]) == behind:
            return at
    return None


@given(st.one_of(BYTES, FEW_VALUES), st.sampled_from([0, 1]), BYTES)
def test_the_end_of_a_block_is_found(content: bytes, kind: int, behind: bytes) -> None:
    stored = content + bytes((kind,))
    stored += twin.masked(stored).to_bytes(4, "little")
    assert end_of_stored(stored + behind, 1) == plain_end(stored, 1) == len(content)
    assert end_of_stored(stored[:-1], 1) is None


@given(FEW_VALUES, st.sampled_from([0, 1, 4]))
def test_bytes_without_a_checksum_end_nowhere(data: bytes, last_kind: int) -> None:
    assert end_of_stored(data, last_kind) == plain_end(data, last_kind)
