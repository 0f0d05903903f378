"""The command line, see the package."""

# ruff: noqa: T201 - a command line talks

import argparse
import json
import sys
import tempfile
from pathlib import Path

import pytest

from client.kernel_cache import compile_missing
from client.options import Box
from tests.recordings import ENTITIES, HERE, MOST_BYTES, NAMES, Arrays, box_of, digests, dumped, recording
from tests.recordings.servers import made


def main() -> int:
    """Does what was chosen; the exit code."""
    parser = argparse.ArgumentParser("python -m tests.recordings", description="Recordings of foreign servers.")
    parser.add_argument("what", choices=["make", "digest"])
    parser.add_argument("name", choices=[*NAMES, *ENTITIES, "all"])
    chosen = parser.parse_args()
    compile_missing()
    failed = False
    known = NAMES if chosen.what == "digest" else (*NAMES, *ENTITIES)
    for name in known if chosen.name == "all" else (chosen.name,):
        try:
            arrays, box = _make(name) if chosen.what == "make" else _again(name)
        except (pytest.skip.Exception, pytest.fail.Exception) as peer:
            print(f"{name}: {peer}")
            failed = True
            continue
        print(f"{name}: {recording(name).stat().st_size:,} bytes")
        if name in ENTITIES:
            continue
        said = {"box": [*box.low, *box.high], "digests": digests(arrays)}
        (HERE / f"{name}.json").write_text(json.dumps(said, indent=1) + "\n")
    return int(failed)


def _again(name: str) -> tuple[Arrays, Box]:
    box = box_of(name)
    return dumped(recording(name), box), box


def _make(name: str) -> tuple[Arrays, Box]:
    with tempfile.TemporaryDirectory() as folder:
        path, arrays, box = made(name, Path(folder))
        size = path.stat().st_size
        assert size <= MOST_BYTES, f"{name} takes {size} bytes"
        recording(name).write_bytes(path.read_bytes())
    return arrays, box


if __name__ == "__main__":
    sys.exit(main())
