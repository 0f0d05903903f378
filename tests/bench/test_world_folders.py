"""How long it takes to list a world folder of 20 MB of values, and to read one column of it; ecosystem.md 5 has 17 MB.

CPU time beside that of inflating the same blocks, which no reader can do without: keys lie between the values.
"""

import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from net.saved_world.checksum_kernels import masked_crc
from net.saved_world.columns import Folder
from net.saved_world.leveldb import ColumnKey
from net.saved_world.table import read_index
from net.space import ColumnPos
from net.storage.world_files import open_world_files
from tests.support.bench.gates import gate, gated
from tests.support.reference import leveldb as twin
from tests.support.worlds.saved import level, named, storage, subchunk, write_folder

pytestmark = pytest.mark.bench

COLUMNS = [ColumnPos(x, z) for x in range(-16, 15) for z in range(-16, 15)]
SMALL = ((44, 1), (43, 700), (54, 4), (59, 90), (49, 150))
"""Tags and bytes of what a column has besides its nine sub-chunks."""
EACH = 1500
"""Entries a table."""
LIST_OVER_INFLATE = 4.0
LIST_S = 0.2
"""Issue 10; on one core that nobody else uses."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(1)
    palette = [named(f"block{n}") for n in range(10)]
    sections = [subchunk(9, [storage(palette, np.repeat(rng.integers(0, 10, 1024), 4))]) for _ in range(200)]
    entries = []
    for position in COLUMNS:
        values = [(tag, None, rng.bytes(size)) for tag, size in SMALL]
        values += [(47, section, sections[rng.integers(200)]) for section in range(-4, 5)]
        entries += [
            (ColumnKey(0, position, tag, section).write(), len(entries) + at + 1, value)
            for at, (tag, section, value) in enumerate(values)
        ]
    entries.sort()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twin, "masked", masked_crc)  # bit by bit it takes a minute
        files = twin.database([entries[at : at + EACH] for at in range(0, len(entries), EACH)])
    files.contents["level.dat"] = level()
    return write_folder(files, tmp_path_factory.mktemp("world") / "folder")


def best(work: Callable[[], object], rounds: int = 5) -> float:
    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return min(once() for _ in range(rounds))


@gated
def test_a_folder_of_20_mb_is_listed(folder: Path) -> None:
    files = open_world_files(folder)
    bodies = []
    for name in files.names:
        if name.endswith(".ldb"):
            read = partial(files.read, name)
            bodies += [read(*handle) for handle in read_index(read, files.size(name)).handles]
    inflate_s = best(lambda: [zlib.decompress(body, -15) for body in bodies])
    size = sum(len(zlib.decompress(body, -15)) for body in bodies)
    assert size > 20_000_000
    list_s = best(lambda: Folder(open_world_files(folder)).columns())
    opened = Folder(open_world_files(folder))
    assert len(opened.columns()) == len(COLUMNS)
    open_s = best(lambda: Folder(open_world_files(folder)))
    column_s = best(lambda: Folder(open_world_files(folder)).column(0, COLUMNS[77])) - open_s
    print(
        f"\n{size / 1e6:.1f} MB in {len(bodies)} blocks: open {open_s * 1e3:.1f} ms, list {list_s * 1e3:.0f} ms "
        f"(inflating alone {inflate_s * 1e3:.0f}), a first column {column_s * 1e3:.1f} ms"
    )
    gate("s of listing beside inflating alone", list_s, LIST_OVER_INFLATE * inflate_s)
    gate("s of listing", list_s, LIST_S)
