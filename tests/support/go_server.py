"""Servers in Go that nobody here wrote: gophertunnel's listener and dragonfly (tests/interop/<name>, one module each).

``./check`` builds them into ``.cache/go/bin``; the tests only run what is there.
"""

import json
import os
from pathlib import Path
from typing import Any

from tests.support.foreign_process import CACHE, ForeignProcess, missing_peer

BINARIES = Path(os.environ.get("CHUNKSCOPE_GO", CACHE / "go" / "bin"))


def built_in_go(name: str) -> Path:
    """The program of one of those folders; ends the test where it is not built."""
    program = BINARIES / name
    if not program.is_file():
        missing_peer(f"{name} is not built in {BINARIES} (./check builds it where Go is)")
    return program


class GoServer(ForeignProcess):
    """One of them, by the name of its folder."""

    def __init__(self, name: str, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``, which the server also runs in; it starts on entering."""
        path = folder / "settings.json"
        path.write_text(json.dumps(settings))
        super().__init__([str(built_in_go(name)), str(path)], folder)
