"""The command line, see the package."""

# ruff: noqa: T201 - a command line talks

import argparse
import json
import sys
import tempfile
from pathlib import Path

import pytest

from client.connect.options import Box, Options
from client.connect.record import record
from client.connect.source import Remote
from client.connect.warmup import compile_missing
from tests.recordings import HERE, MOST_BYTES, NAMES, PATIENT_S, Arrays, box_of, digests, dumped, recording
from tests.recordings.servers import server

RADIUS = 3


def main() -> int:
    """Does what was chosen; the exit code."""
    parser = argparse.ArgumentParser("python -m tests.recordings", description="Recordings of foreign servers.")
    parser.add_argument("what", choices=["make", "digest"])
    parser.add_argument("name", choices=[*NAMES, "all"])
    chosen = parser.parse_args()
    compile_missing()
    failed = False
    for name in NAMES if chosen.name == "all" else (chosen.name,):
        try:
            arrays, box = _make(name) if chosen.what == "make" else _again(name)
        except (pytest.skip.Exception, pytest.fail.Exception) as peer:
            print(f"{name}: {peer}")
            failed = True
            continue
        said = {"box": [*box.low, *box.high], "digests": digests(arrays)}
        (HERE / f"{name}.json").write_text(json.dumps(said, indent=1) + "\n")
        print(f"{name}: {recording(name).stat().st_size:,} bytes")
    return int(failed)


def _again(name: str) -> tuple[Arrays, Box]:
    box = box_of(name)
    return dumped(recording(name), box), box


def _make(name: str) -> tuple[Arrays, Box]:
    with tempfile.TemporaryDirectory() as folder:
        chosen = server(name, Path(folder))
        path = Path(folder) / "session.cscope"
        with chosen.server as process:
            where = Remote("127.0.0.1", process.port)
            options = Options(radius=RADIUS, timeout_s=PATIENT_S)
            report = record(where, path, options, "settled", box=chosen.box)
            assert report.complete, report
            arrays = dumped(path, chosen.box)
            chosen.check(arrays, process)
        size = path.stat().st_size
        assert size <= MOST_BYTES, f"{name} takes {size} bytes"
        recording(name).write_bytes(path.read_bytes())
    return arrays, chosen.box


if __name__ == "__main__":
    sys.exit(main())
