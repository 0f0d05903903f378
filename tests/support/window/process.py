"""The viewer as a user starts it: a process, observed through its events (``view --events``)."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.window.screen import PATIENCE_S, Screen

Event = dict[str, Any]
POLL_S = 0.01


class Viewer:
    """One running viewer."""

    def __init__(self, screen: Screen, folder: Path, options: Sequence[str], **environment: str) -> None:
        self.folder = folder
        self._file = folder / "events.jsonl"
        command = [sys.executable, "-c", "from render import main; main()", "view", *options]
        command += ["--events", str(self._file), "--pictures", str(folder / "shots")]
        self._errors = (folder / "stderr.txt").open("wb")
        # Identity and log of the test are not the user's.
        own = screen.environment | {"XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state")}
        self.started_s = time.monotonic()  # monotonic seconds, just before the start
        self._process = subprocess.Popen(command, env=own | environment, stderr=self._errors)
        self.pid = self._process.pid
        self._read = 0
        self.events: list[Event] = []  # all events read so far

    def wait_for(self, wanted: Callable[[Event], bool], after: int = 0, patience_s: float = PATIENCE_S) -> Event:
        """Waits for the first event from number ``after`` on that is wanted; fails if it does not come."""
        deadline = time.monotonic() + patience_s
        while True:
            running = self._process.poll() is None
            self._follow()
            for event in self.events[after:]:
                if wanted(event):
                    return event
            assert running, f"the viewer ended with {self._process.returncode}: {self.said}"
            assert time.monotonic() < deadline, f"never told; last: {self.events[-3:]}; {self.said}"
            threading.Event().wait(POLL_S)

    def wait(self, kind: str, after: int = 0, **facts: object) -> Event:
        """Waits for the first event of that name with these facts."""
        return self.wait_for(lambda event: event["event"] == kind and facts.items() <= event.items(), after)

    @property
    def count(self) -> int:
        """The number of events read so far, for ``after``."""
        self._follow()
        return len(self.events)

    @property
    def said(self) -> str:
        """Its standard error, without warnings of slow frames, which a busy machine causes."""
        lines = (self.folder / "stderr.txt").read_text(errors="replace").splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("The window was blocked"))

    def end(self) -> int:
        """Waits until it has ended by itself; returns the exit code."""
        code = self._process.wait(PATIENCE_S)
        self._follow()
        return code

    def close(self) -> None:
        """Kills it if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def user_s(self) -> float:
        """Processor seconds of the viewer so far, without child processes; Linux only."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _follow(self) -> None:
        if not self._file.exists():
            return
        with self._file.open("rb") as file:
            file.seek(self._read)
            whole, newline, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + len(newline)
        self.events += [json.loads(line) for line in whole.splitlines()]


@contextmanager
def viewer(screen: Screen, folder: Path, *options: str, **environment: str) -> Iterator[Viewer]:
    """A viewer that is closed at the end of the context."""
    running = Viewer(screen, folder, options, **environment)
    try:
        yield running
    finally:
        running.close()
