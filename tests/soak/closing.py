"""Windows that end at any moment, however they end: they leave no process, no temporary file and no damaged cache.

A window on our own server and one on a server that is kept, with its cache, take turns; each ends by another hand: one
closed by its user, SIGINT, Ctrl-C (which the whole group hears), SIGTERM, SIGKILL. Linux only: what is left is looked
for in /proc.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count, cycle
from pathlib import Path

from tests.support.window.screen import Screen

PATIENCE_S = 600.0
POLL_S = 0.02
OPTIONS = ("--size", "320x200", "--radius", "3", "--cache")
MARK = "CHUNKSCOPE_SOAK"
"""In the environment of all that a window starts, however indirectly."""
KINDS = ("closed window", "SIGINT", "Ctrl-C", "SIGTERM", "SIGKILL")
CODES = {"closed window": (0,), "SIGINT": (130,), "Ctrl-C": (130,), "SIGTERM": (-15, 0, 130, 143), "SIGKILL": (-9,)}


TOO_EARLY = "init_import_site"
"""What Python says, with a traceback and code 1, of an interrupt before it has begun with any program."""


class Left(Exception):
    """What a window left behind, in a sentence."""


class Closing:
    """One after the other."""

    def __init__(self, folder: Path, display: Screen, port: int, seed: int) -> None:
        """Nothing is started.

        Args:
            folder: of all that the windows keep.
            display: where they are shown.
            port: of a server that outlives them.
            seed: of the moments.
        """
        self._folder, self._display = folder, display
        self._dice = random.Random(seed)
        self._turns = zip(cycle(KINDS), cycle(("embedded:hills", f"127.0.0.1:{port}")), count(), strict=False)
        self._whole_start_s = 0.0
        self.ended = dict.fromkeys(KINDS, 0)  # how many windows of each kind ended well
        for name in ("cache", "config", "data", "temporary"):
            (folder / name).mkdir(parents=True)

    def one(self) -> str:
        """The next; what was done, in words.

        Raises:
            Left: naming what it left.
        """
        kind, source, number = next(self._turns)
        # The first one is let start whole, so that the moments of the others are spread over a start and some more.
        moment_s = self._dice.uniform(0.0, 1.3 * self._whole_start_s) if self._whole_start_s else None
        said, events = self._folder / "stderr.txt", self._folder / "events.jsonl"
        events.unlink(missing_ok=True)
        mark = uuid.uuid4().hex
        command = [sys.executable, "-c", "from render import main; main()", "view", source, *OPTIONS]
        command += ["--events", str(events), "--pictures", str(self._folder / "shots")]
        started = time.monotonic()
        with said.open("wb") as errors:
            child = subprocess.Popen(
                command, env=self._environment(mark), stdout=errors, stderr=errors, start_new_session=True
            )
        try:
            if moment_s is None:
                self._until(lambda: child.poll() is not None or '"settled"' in _text(events), "a settled world")
                self._whole_start_s = time.monotonic() - started
            else:
                self._until(lambda: child.poll() is not None or time.monotonic() - started >= moment_s, "the moment")
            words = f"{kind} of {source} after {time.monotonic() - started:.2f} s"
            self._end(child, kind, events)
            self._until(lambda: child.poll() is not None, f"{words}: it ends")
            self._look(child.returncode, kind, words, mark, said)
        finally:
            for process in processes(mark):
                os.kill(process, signal.SIGKILL)
            child.wait()
        self.ended[kind] += 1
        return f"{number + 1}: {words}, code {child.returncode}"

    def _end(self, child: subprocess.Popen[bytes], kind: str, events: Path) -> None:
        match kind:
            case "closed window":
                self._until(lambda: child.poll() is not None or '"window"' in _text(events), "a window")
                if child.poll() is None:
                    self._display.ask_to_close(self._display.window("chunkscope"))
            case "SIGINT" | "SIGTERM" | "SIGKILL":
                child.send_signal(signal.Signals[kind])
            case _:
                os.killpg(child.pid, signal.SIGINT)

    def _look(self, code: int, kind: str, words: str, mark: str, said: Path) -> None:
        """Finds what is left of it."""
        try:
            self._until(lambda: not processes(mark), "its end")
        except Left:
            running = [Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ") for process in processes(mark)]
            raise Left(f"{words} left processes: {running}") from None
        too_early = code == 1 and kind in ("SIGINT", "Ctrl-C") and TOO_EARLY in _text(said)
        if code not in CODES[kind] and not too_early:
            raise Left(f"{words} ended with code {code}: {crashed_first(_text(said))}")
        if "Traceback" in _text(said) and not too_early:
            raise Left(f"{words} said: {_text(said)}")
        if files := [*(self._folder / "temporary").rglob("*"), *self._folder.rglob("*.part")]:
            raise Left(f"{words} left {', '.join(str(file.relative_to(self._folder)) for file in files)}")
        for cache in self._folder.rglob("blobs.*"):
            if trouble := damage(cache):
                raise Left(f"{words} left {cache.relative_to(self._folder)} damaged: {trouble}")

    def _environment(self, mark: str) -> dict[str, str]:
        folder = self._folder
        own = {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "TMPDIR": "temporary"}
        paths = {name: str(folder / below) for name, below in own.items()}
        return self._display.environment | paths | {MARK: mark, "CHUNKSCOPE_CONFIG": str(folder / "config/config.toml")}

    def _until(self, done: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() >= end:
                raise Left(f"{what}: not within {PATIENCE_S:g} s")
            time.sleep(POLL_S)


def crashed_first(report: str) -> str:
    """What a process said, and the stack of the thread that crashed before those of the others: logs keep the start."""
    said, *stacks = report.strip().split("\n\n")
    return "\n\n".join([said, *sorted(stacks, key=lambda part: "Current thread" not in part)])


def damage(cache: Path) -> str:
    """What is wrong with a cache's file; nothing where it can be used."""
    if cache.name.endswith(("-wal", "-shm")):
        return ""  # belong to the file beside them, which reads them
    if cache.suffix != ".sqlite":
        return "it was moved aside as broken"
    try:
        with closing(sqlite3.connect(cache)) as opened:
            words = str(opened.execute("PRAGMA integrity_check").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if words == "ok" else words


def processes(mark: str) -> list[int]:
    """Numbers of running processes that have the mark in their environment."""
    return list(_marked(f"{MARK}={mark}".encode()))


def _marked(word: bytes) -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if word in (process / "environ").read_bytes() and ") Z " not in (process / "stat").read_text():
                yield int(process.name)
        except OSError:  # it has ended, or is somebody else's
            continue


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""
