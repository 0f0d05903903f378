"""The soak fails where something does not return, and sees what it looks for."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.soak.closing import MARK, crashed_first, damage, processes
from tests.soak.figures import ALLOCATED, MEMORY_LAPS, MOST_MEMORY, RESIDENT, Held, table, troubles

ROOT = Path(__file__).parents[2]
START: Held = {"lap": 2, "at_s": 20.0, RESIDENT: 100.0, "threads": 7, "GL buffers": 30}


def laps(**last: float) -> list[Held]:
    """Two of warm-up, the first of which held less, and as many more as are needed to judge memory."""
    less = {name: value / 2 for name, value in START.items()}
    return [less, START, *(MEMORY_LAPS - 2) * [{**START, "lap": 4, **last}]]


def test_each_run_draws_without_llvmpipes_threads_which_write_to_freed_memory() -> None:
    """The soak's own windows too, by hand; ``check`` alone leaves others to choose."""
    check = (ROOT / "check").read_text(encoding="utf-8")
    assert sorted(re.findall(r"(\w*) ?LP_NUM_THREADS=?(\S*)", check)) == [
        ("export", '"${LP_NUM_THREADS:-0}"'),
        ("unset", ""),
    ]
    assert 'setdefault("LP_NUM_THREADS", "0")' in (ROOT / "tests/soak/__main__.py").read_text(encoding="utf-8")


def test_a_crash_is_told_with_the_thread_that_crashed_first() -> None:
    report = (
        "corrupted double-linked list\nFatal Python error: Aborted\n\nThread 1:\n  a\n\nCurrent thread 2:\n  b\n\nlast"
    )
    assert crashed_first(report) == (
        "corrupted double-linked list\nFatal Python error: Aborted\n\nCurrent thread 2:\n  b\n\nThread 1:\n  a\n\nlast"
    )
    assert crashed_first("killed\n") == "killed"


def test_what_returns_is_no_trouble_and_less_neither() -> None:
    assert troubles(laps()) == []
    assert troubles(laps(**{RESIDENT: 100.0 * MOST_MEMORY, "threads": 5})) == []


def test_each_quantity_that_does_not_return_is_one_sentence() -> None:
    found = troubles(laps(**{RESIDENT: 103.0, "threads": 8}))
    assert found == [
        "resident MiB did not return: at most 100 in the warm-up, at least 103 at last.",
        "threads did not return: at most 7 in the warm-up, at least 8 at last.",
    ]


def test_one_lap_that_held_more_is_no_leak_and_what_each_lap_adds_is() -> None:
    varying = [405.0, 380.0, 406.0, 405.0] * 2 + [406.0, 380.0, 440.0, 411.0]
    leaking = [held + 30.0 * lap for lap, held in enumerate(varying)]
    assert troubles([{**START, RESIDENT: held} for held in varying]) == []
    for name in (RESIDENT, ALLOCATED):
        assert len(troubles([{**START, name: held} for held in leaking])) == 1
    assert troubles([{**START, RESIDENT: held} for held in leaking[:5]]) == [], "too few laps to tell"


def test_a_flight_that_is_too_short_proves_nothing() -> None:
    assert troubles(laps()[:2]) == ["2 laps were flown to their end: 2 of warm-up and one after it are compared."]
    assert troubles(laps()[:3]) == []
    assert table([]) == "no lap was flown to its end"


def test_the_table_has_a_row_a_quantity() -> None:
    rows = table(laps(**{RESIDENT: 101.0})).splitlines()
    assert [row.split()[:2] for row in rows[1:]] == [["resident", "MiB"], ["threads", "7"], ["GL", "buffers"]]
    assert rows[1].split()[2:] == ["100", "101", "1.010"]


def test_a_cache_that_is_damaged_or_was_moved_aside_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "blobs.sqlite"
    with sqlite3.connect(file) as whole:
        whole.execute("CREATE TABLE blob (content BLOB)")
        whole.executemany("INSERT INTO blob VALUES (?)", [(bytes(1000),)] * 100)
    whole.close()
    assert damage(file) == ""
    with file.open("r+b") as opened:
        opened.seek(3 * 4096)
        opened.write(b"\xff" * 4096)
    assert damage(file)
    assert damage(file.rename(tmp_path / "blobs.broken")) == "it was moved aside as broken"


def test_a_process_is_found_by_the_environment_it_was_started_with() -> None:
    own = os.environ | {MARK: f"test-{os.getpid()}"}
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=own) as child:
        assert child.stdin is not None
        child.stdin.write(b"\n")  # it reads nothing before it runs
        assert processes(own[MARK]) == [child.pid]
        child.communicate()
    assert processes(own[MARK]) == []
