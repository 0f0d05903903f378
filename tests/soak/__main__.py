"""The soak: a window that does everything again and again, beside windows that end at any moment.

    python -m tests.soak [--minutes N] [--seed S]

One window flies, teleports, crosses dimensions, looks back and loses its line, beside a server with faults
(``flight``); meanwhile others are ended in every way there is (``closing``). At the end a table says what the first
held in its warm-up and at last. Exit code 1, and a sentence each, where something did not return, or was left.
Linux only.
"""

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tests.soak.closing import Closing, Left, crashed_first
from tests.soak.figures import Held, table, troubles
from tests.support.servers.process import served
from tests.support.window.screen import screen

ROOT = Path(__file__).parents[2]
ALLOCATOR = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536"}
"""What is freed goes back to the system sooner. With the usual allocators what was free in glibc's heaps rose from 173
to 313 MiB in seven laps, and resident memory from 408 to 441; what was in use there varied between 76 and 89."""


def main(arguments: Sequence[str] | None = None) -> int:
    """All of it; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Everything, again and again.")
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (30), and three laps at least")
    parser.add_argument("--seed", type=int, default=1, help="of ways and moments (1)")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("LP_NUM_THREADS", "0")  # llvmpipe's threads write to freed memory on a busy machine
    signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; windows would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="chunkscope-soak-") as folder:
        return soak(Path(folder), asked.minutes * 60, asked.seed)


def soak(folder: Path, seconds: float, seed: int) -> int:
    """Flies and ends windows for so long; what did not return is told, and counted as a failure."""
    flight = Flying(folder / "flight", seconds, seed)
    found: list[str] = []
    try:
        with screen() as display, served("hills") as server:
            ends = Closing(folder / "closing", display, server.port, seed)
            while flight.goes_on():
                try:
                    say(f"window {ends.one()}")
                except Left as left:
                    found.append(str(left))
                    say(found[-1])
    finally:
        flight.close()
    found += flight.troubles()
    say(table(flight.held))
    say(f"laps: {len(flight.held)}; windows ended: {', '.join(f'{n} by {kind}' for kind, n in ends.ended.items())}")
    for sentence in found:
        say(f"FAILED: {sentence}")
    return 1 if found else 0


class Flying:
    """The process of the one window, and what it says."""

    def __init__(self, folder: Path, seconds: float, seed: int) -> None:
        self.held: list[Held] = []  # what it held, lap by lap
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._temporary = folder / "temporary"
        self._temporary.mkdir(parents=True)
        self._errors = (folder / "stderr.txt").open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "tests.soak.flight", str(folder), str(seconds), str(seed)]
        environment = os.environ | {"TMPDIR": str(self._temporary), "XDG_DATA_HOME": str(folder / "data")} | ALLOCATOR
        self._child = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        assert self._child.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._child.stdout,), daemon=True)
        self._reader.start()

    def goes_on(self) -> bool:
        """Whether it still flies; takes what it said."""
        while not self._said.empty():
            self.held.append(json.loads(self._said.get()))
            say("flight " + ", ".join(f"{name} {value:.10g}" for name, value in self.held[-1].items()))
        return self._child.poll() is None

    def troubles(self) -> list[str]:
        """What went wrong, in sentences, once it has ended."""
        self._errors.seek(0)
        words = self._errors.read().strip()
        if self._child.returncode:
            return [f"The flight ended with code {self._child.returncode}: {crashed_first(words)}"]
        left = [file.name for file in self._temporary.rglob("*")]
        return [
            *([f"The flight said: {words}"] if words else []),
            *([f"The flight left temporary files: {', '.join(left)}."] if left else []),
            *troubles(self.held),
        ]

    def close(self) -> None:
        """Ends it in any case, and takes the last that it said."""
        if self._child.poll() is None:
            self._child.terminate()
        self._child.wait()
        self._reader.join()
        self.goes_on()
        assert self._child.stdout is not None
        self._child.stdout.close()

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            self._said.put(line)


def end(*_signal: object) -> None:
    """Told to: nothing that was started is left running."""
    sys.exit(1)


def say(words: str) -> None:
    """A line, at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
