"""What a session on each kind of source is told.

Blob cache: A world joined with a blob cache is the world without one, and a second visit transfers ids.
"""

import json
import math
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pytest

from client.connection import opening
from client.connection.opening import open_blob_cache, session_config
from client.errors import SourceError, UsageError
from client.options import Options, parse_box
from client.report.dump import collect, read_box
from client.source import Embedded, Remote, parse_source
from net.blobs import BlobSource, BlobStats, MemoryBlobs
from net.peer import PeerStats
from net.server.options import ColumnMode, HostOptions
from net.storage import BlobStore
from net.storage.blob_store import FILE_NAME
from net.transport.faulty import Wire, WireFaults
from net.wire.dialect import Profile
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- opening


@pytest.mark.parametrize(
    ("source", "quiet_s"),
    [
        ("embedded:hills", 15.0),
        ("embedded:flat:7", 15.0),
        ("embedded:bench", 0.5),
        ("127.0.0.1:19132", 0.5),
        ("a.zip", 0.5),
    ],
)
def test_our_worlds_without_end_alone_may_be_silent_for_long(source: str, quiet_s: float) -> None:
    assert session_config(parse_source(source), Options(), 486).quiet_s == quiet_s


def test_a_system_that_does_not_answer_is_told_of_and_given_up() -> None:
    gate, told = threading.Event(), []
    with pytest.raises(SourceError, match=r"looking up far\.example took too long"):
        opening._beside(gate.wait, lambda: told.append(1), 0.0, "looking up far.example")
    assert told, "a window is alive meanwhile"
    gate.set()


def test_who_waits_for_the_system_may_give_up() -> None:
    def closed() -> None:
        raise KeyboardInterrupt

    gate = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        opening._beside(gate.wait, closed, math.inf, "looking up far.example")
    gate.set()


# ---------------------------------------------------------------- blob cache

BOX = parse_box("-24,-64,-24,24,128,24")
BAD_WIRE = WireFaults(loss=0.1, repetition=0.1, delay_s=0.05, jitter_s=0.05, reordering=0.2)

Arrays = dict[str, npt.NDArray[Any]]


def visit(
    blobs: BlobSource | None,
    mode: ColumnMode = ColumnMode.LIMITED,
    profile: Profile = Profile.BEDROCK,
    protocol: int = 486,
    faults: WireFaults | None = None,
) -> tuple[Arrays, PeerStats]:
    """A dump of a box of hills, and what the peer counted."""
    wires = (Wire(faults, 1), Wire(faults, 2)) if faults else (None, None)
    session = VirtualSession("hills:1", HostOptions(mode=mode), None, profile, *wires, protocol=protocol, blobs=blobs)
    connection = session.connection(Options(radius=2, light=False))
    assert collect(connection, BOX, 120.0)
    stats = connection.statistics()
    assert stats.session.terrain.faults == 0
    assert stats.session.faulty_packets == 0
    arrays = read_box(connection, BOX)
    connection.close()
    return arrays, stats.peer


def blob_stats(stats: PeerStats) -> BlobStats:
    assert stats.blobs is not None
    return stats.blobs


def assert_same(one: Arrays, other: Arrays) -> None:
    for name in ("known", "biomes"):
        assert (one[name] == other[name]).all(), name
    for name in ("blocks", "layer1"):  # row numbers are given in the order of arrival
        assert (one["runtime_ids"][one[name]] == other["runtime_ids"][other[name]]).all(), name


@pytest.mark.parametrize("mode", list(ColumnMode))
@pytest.mark.parametrize("profile", list(Profile))
def test_cold_and_warm_dumps_are_those_without_a_cache(mode: ColumnMode, profile: Profile) -> None:
    plain, without = visit(None, mode, profile)
    assert without.blobs is None
    blobs = MemoryBlobs()
    cold, first = visit(blobs, mode, profile)
    warm, second = visit(blobs, mode, profile)
    assert_same(plain, cold)
    assert_same(plain, warm)
    assert blob_stats(first).misses > 100
    assert blob_stats(second).misses == 0
    assert blob_stats(second).hits >= blob_stats(first).misses
    assert second.bytes_in < 0.15 * without.bytes_in
    assert first.bytes_in < 1.15 * without.bytes_in


@pytest.mark.parametrize("protocol", [818, 1001, 2168, 2193])
def test_every_form_of_the_packets_carries_blobs(protocol: int) -> None:
    plain, _ = visit(None, protocol=protocol)
    blobs = MemoryBlobs()
    for misses in (True, False):
        cached, stats = visit(blobs, protocol=protocol)
        assert_same(plain, cached)
        assert bool(blob_stats(stats).misses) == misses


def test_a_bad_wire_changes_nothing() -> None:
    plain, _ = visit(None)
    blobs = MemoryBlobs()
    for _ in range(2):
        cached, stats = visit(blobs, faults=BAD_WIRE)
        assert_same(plain, cached)
        counts = blob_stats(stats)
        assert (counts.lying, counts.unasked, counts.timed_out, counts.overflowed) == (0, 0, 0, 0)


def test_the_disk_remembers_for_the_next_process(tmp_path: Path) -> None:
    stores = []
    dumps = []
    for _ in range(2):
        store = BlobStore(tmp_path / FILE_NAME)
        dumps.append(visit(MemoryBlobs(behind=store)))
        store.close()
        stores.append(store.failure)
    assert stores == [None, None]
    assert_same(dumps[0][0], dumps[1][0])
    assert blob_stats(dumps[1][1]).misses == 0


def test_a_small_memory_alone_still_gives_the_whole_world() -> None:
    """Blobs that are announced again after they were forgotten are asked again."""
    plain, _ = visit(None)
    blobs = MemoryBlobs(most_bytes=20_000)
    for _ in range(2):
        assert_same(plain, visit(blobs)[0])


def test_servers_get_a_cache_and_our_own_child_and_recordings_get_none(tmp_path: Path, own_cache_folder: Path) -> None:
    server, child = Remote("127.0.0.1"), Embedded()
    store = open_blob_cache(server, Options())
    assert store is not None
    assert store.path == own_cache_folder / FILE_NAME
    store.close()
    assert open_blob_cache(server, Options(cache=False)) is None
    assert open_blob_cache(child, Options()) is None
    assert open_blob_cache(server, Options(record=tmp_path / "x.cscope")) is None
    elsewhere = open_blob_cache(child, Options(cache=True, cache_dir=tmp_path / "there"))
    assert elsewhere is not None
    assert elsewhere.path.parent == tmp_path / "there"
    elsewhere.close()


def test_a_recording_with_a_cache_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="complete by itself"):
        Options(cache=True, record=tmp_path / "x.cscope")


def test_the_module_takes_the_option_and_a_second_visit_adds_nothing(tmp_path: Path) -> None:
    options = ["--radius", "2", "--cache", "--cache-dir", str(tmp_path)]
    kept = []
    for _ in range(2):
        told = subprocess.run(
            [sys.executable, "-m", "client", "embedded:flat", *options], check=True, capture_output=True, timeout=280
        )
        assert json.loads(told.stdout)["peer"]["blobs"]["lying"] == 0
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            kept.append(connection.execute("SELECT id FROM used ORDER BY id").fetchall())
    assert len(kept[0]) == 2  # the sub-chunk and the biomes that all columns share
    assert kept[1] == kept[0]
