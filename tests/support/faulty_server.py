"""A real server process that a fault script spoils, for those who join it over UDP."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def faulty_server(folder: Path, script: str) -> Iterator[int]:
    """Serves the flat world as the script says; gives its port.

    Args:
        folder: where the script is written.
        script: TOML (docs/reference/fault-scripts.md).
    """
    (folder / "faults.script").write_text(script)
    command = [sys.executable, "-m", "net.server", "--world", "flat:1", "--faults", str(folder / "faults.script")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield int(json.loads(process.stdout.readline())["port"])
        finally:
            process.stdin.close()
