"""Our own server as a child process: ``embedded[:WORLD[:SEED]]``, and worlds that games saved.

Rules:
1. The child is spawned, never forked; it ends when its stdin closes, so it cannot outlive us, whatever ends us.
2. It prints one JSON line with its port when it is ready; a thread waits for that line, ``wait_ready`` for a deadline,
   telling its caller meanwhile, so that a window stays alive. Starting and waiting are apart: a caller with much to do
   of its own starts the child first.
3. Whatever goes wrong is one sentence with the child's own last words.

Why a process: one interpreter lock for both doubles the frame's p95 (architecture.md 2, measured).
"""

import contextlib
import json
import logging
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any, Final, NoReturn, TypeGuard

from client.errors import UNREADABLE_FILE, SourceError, UnreadableFile
from client.options import PROTOCOL, SAVED_PROTOCOL, Options, cache_folder
from client.source import Embedded, Source, WorldFile, is_saved_world
from net.errors import NOTHING_LISTENS

LOG: Final = logging.getLogger("chunkscope.connect")

HOST: Final = "127.0.0.1"
EXIT_WAIT_S: Final = 0.3
"""For the end of a child that was dismissed; it never saves, so whoever ends it loses nothing."""
KILLED_WAIT_S: Final = 2.0
"""For the system to take a killed one away: one that is in a call to a disk that hangs goes later."""
LAST_WORDS_S: Final = 2.0
TELL_EVERY_S: Final = 0.02
LONGEST_WORDS: Final = 4096
WORLDS_FOLDER: Final = "worlds"
WORLD_MIB: Final = 64
"""Of one world: some thousand columns."""
WARNING_LINE: Final = '{"warning": '
"""How lines begin that tell of trouble, which may come before the one with the port."""
LOST_LINE: Final = '{"lost": '
"""How lines begin that tell what of a saved world is lost (``net.server.host``)."""


def is_served(source: Source) -> TypeGuard[Embedded | WorldFile]:
    """Whether our own server provides a source: one of its worlds, or a saved one that is there."""
    return isinstance(source, Embedded) or is_saved_world(source)


def server_command(source: Embedded | WorldFile, options: Options) -> list[str]:
    """The command line of the child."""
    command = [sys.executable, "-m", "net.server", *world_words(source, options.dimension)]
    command += ["--bind", HOST, "--port", "0", "--mode", options.mode, "--profile", options.profile]
    command += ["--radius-max", str(options.radius + 1)]
    command += ["--protocol", str(served_protocol(source, options))]
    if isinstance(source, Embedded) and options.cache is not False:  # columns are read in an eighth of the time
        folder = (options.cache_dir or cache_folder()) / WORLDS_FOLDER
        command += ["--keep-generated", str(folder), "--keep-mib", str(WORLD_MIB)]
    if options.time is not None:
        command += ["--time", str(options.time)]
    if options.bots:
        command += ["--bots", str(options.bots)]
    return command


def world_words(source: Embedded | WorldFile, dimension: int | None) -> list[str]:
    """The part of the command line that says which world."""
    of = (
        ["--world", f"{source.world}:{source.seed}"] if isinstance(source, Embedded) else ["--folder", str(source.path)]
    )
    return of if dimension is None else [*of, "--dimension", str(dimension)]


def served_protocol(source: Source, options: Options) -> int:
    """What our server speaks unless another was asked for: with saved worlds the release that knows most blocks."""
    if options.protocol != "auto":
        return options.protocol
    return PROTOCOL if isinstance(source, Embedded) else SAVED_PROTOCOL


def lost_of(line: str) -> str:
    """The sentence of a line that tells what of a saved world is lost."""
    return str(json.loads(line)["lost"])


def end_child(child: "subprocess.Popen[Any]", what: str, timeout_s: float) -> None:
    """Waits for the end of a child that was told to end, and ends it when it does not come; may be called again.

    ``what``: that is, for the log. ``timeout_s``: until it is killed.
    """
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout_s)
        return
    child.kill()
    try:
        child.wait(KILLED_WAIT_S)
    except subprocess.TimeoutExpired:
        LOG.warning("%s (process %d) was killed but is still running %g s later", what, child.pid, KILLED_WAIT_S)


class EmbeddedServer:
    """One running child; belongs to the connection that started it."""

    def __init__(self, command: list[str]) -> None:
        """Starts the child; it needs a second before it can be joined."""
        self.port = 0  # where it listens; 0 until it is ready
        self._lost: list[str] = []  # appended to by the thread that reads
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close(); an unread pipe would block
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True, encoding="utf-8"
        )
        self._ready: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._ready_said = False
        self._reader = threading.Thread(target=self._read, name="embedded-server", daemon=True)
        self._reader.start()

    def wait_ready(self, within_s: float, progress: Callable[[float, str], None] | None = None) -> None:
        """Waits until the child can be joined.

        ``progress``: told (share done 0..1, what is waited for) fifty times a second; what it raises ends the wait.
        Raises SourceError: it does not come up in time, or at all, with its last words; it is closed then;
        UnreadableFile: the saved world cannot be read, likewise.
        """
        deadline = time.monotonic() + within_s
        while not self.port:
            try:
                line = self._ready.get(timeout=max(0.0, min(TELL_EVERY_S, deadline - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= deadline:
                    self._child.kill()
                    self._fail(f"The embedded server was not ready within {within_s:.3g} s.")
            else:
                self.port = self._announced(line)
            if progress:
                progress(0.0, "starting the embedded server")

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        return HOST, self.port

    @property
    def lost(self) -> tuple[str, ...]:
        """What of a saved world was found damaged, or unknown to the protocol, so far: one sentence each."""
        return tuple(self._lost)

    @property
    def failure(self) -> str | None:
        """One sentence when the child has ended by itself."""
        code = self._child.poll()
        if code is None:
            return None
        how = f"ended with code {code}" if code >= 0 else f"was stopped by {_signal_name(-code)}"
        return f"The embedded server {how}: {self._last_words()}"

    def failure_of(self, reason: str) -> str | None:
        """As ``failure``, once a session with it is over for a reason.

        A process gives its port back before it has ended, and what it says why comes last; so where nobody listens any
        more its end is waited for, ``LAST_WORDS_S`` at most.
        """
        if reason.startswith(NOTHING_LISTENS):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(LAST_WORDS_S)
        return self.failure

    def dismiss(self) -> None:
        """Closes its stdin, so that it begins to end; ``close`` waits for that. May be called again."""
        if self._child.stdin and not self._child.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # it ended first
                self._child.stdin.close()

    def close(self) -> None:
        """Dismisses it, waits for its end, and ends it when it does not come; may be called again."""
        self.dismiss()
        end_child(self._child, "the embedded server", EXIT_WAIT_S)
        self._reader.join(KILLED_WAIT_S)
        if self._child.stdout and not self._reader.is_alive():  # else somebody holds the pipe's other end
            self._child.stdout.close()
        self._words.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.startswith(WARNING_LINE):
                LOG.warning("the embedded server: %s", json.loads(line)["warning"])
            elif not self._ready_said:
                self._ready_said = True
                self._ready.put(line)
            elif line.startswith(LOST_LINE):
                self._lost.append(lost_of(line))
        self._ready.put("")

    def _announced(self, line: str) -> int:
        try:
            announcement: dict[str, Any] = json.loads(line)
            return int(announcement["port"])
        except (ValueError, KeyError, TypeError):  # it said something else, or ended
            return self._fail(f"The embedded server did not start: {self._last_words()}")

    def _fail(self, sentence: str) -> NoReturn:
        words = self._last_words()
        self.close()
        if self._child.returncode == UNREADABLE_FILE:
            raise UnreadableFile(words)
        raise SourceError(sentence)

    def _last_words(self) -> str:
        size = self._words.seek(0, 2)
        self._words.seek(max(size - LONGEST_WORDS, 0))
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else "it printed nothing."


def _signal_name(number: int) -> str:
    """A signal's name, its number where this system has none for it."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
