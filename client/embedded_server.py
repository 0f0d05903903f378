"""Our own server as a child process: ``embedded[:WORLD[:SEED]]``, and worlds that games saved.

Rules:
1. The child is spawned, never forked; it ends when its stdin closes, so it cannot outlive us, whatever ends us.
2. It prints one JSON line with its port when it is ready; a thread waits for that line, ``wait_ready`` for a deadline,
   telling its caller meanwhile, so that a window stays alive. Starting and waiting are apart: a program that has much
   to load starts the child before that (``start_ahead``), and whoever joins the source finds it (``server_of``).
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
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, NoReturn, TypeGuard

from client.errors import UNREADABLE_FILE, SourceError, UnreadableFile
from client.options import MOST_RADIUS, PROTOCOL, SAVED_PROTOCOL, Options, cache_folder
from client.source import Embedded, Source, WorldFile, is_saved_world
from net.errors import NOTHING_LISTENS

LOG: Final = logging.getLogger("chunkscope.connect")

HOST: Final = "127.0.0.1"
EXIT_WAIT_S: Final = 0.3
"""Wait for the end of a dismissed child; it saves nothing, so a kill loses nothing."""
KILLED_WAIT_S: Final = 2.0
"""Wait for the system to remove a killed child, which takes longer during a call to a disk that hangs."""
LAST_WORDS_S: Final = 2.0
TELL_EVERY_S: Final = 0.02
LONGEST_WORDS: Final = 4096
WORLDS_FOLDER: Final = "worlds"
WORLD_MIB: Final = 64
"""Of one world: some thousand columns."""
WARNING_LINE: Final = '{"warning": '  # start of the lines with warnings, which may come before the one with the port
LOST_LINE: Final = '{"lost": '  # start of the lines that name lost parts of a saved world (``net.server.host``)


def is_served(source: Source) -> TypeGuard[Embedded | WorldFile]:
    """Whether our own server provides a source: an embedded world, or a saved one that exists."""
    return isinstance(source, Embedded) or is_saved_world(source)


def server_command(source: Embedded | WorldFile, options: Options) -> list[str]:
    command = [sys.executable, "-m", "net.server", *world_words(source, options.dimension)]
    command += ["--bind", HOST, "--port", "0", "--mode", options.mode, "--profile", options.profile]
    command += ["--radius-max", str(MOST_RADIUS + 1)]  # whoever joins asks for what it shows
    command += ["--protocol", str(served_protocol(source, options))]
    if isinstance(source, Embedded) and options.cache is not False:  # reading columns takes an eighth of the time
        folder = (options.cache_dir or cache_folder()) / WORLDS_FOLDER
        command += ["--keep-generated", str(folder), "--keep-mib", str(WORLD_MIB)]
    if options.time is not None:
        command += ["--time", str(options.time)]
    if options.bots:
        command += ["--bots", str(options.bots)]
    return command


def world_words(source: Embedded | WorldFile, dimension: int | None) -> list[str]:
    of = (
        ["--world", f"{source.world}:{source.seed}"] if isinstance(source, Embedded) else ["--folder", str(source.path)]
    )
    return of if dimension is None else [*of, "--dimension", str(dimension)]


def served_protocol(source: Source, options: Options) -> int:
    """Our server's protocol if the options name none: for saved worlds the release that knows most blocks."""
    if options.protocol != "auto":
        return options.protocol
    return PROTOCOL if isinstance(source, Embedded) else SAVED_PROTOCOL


def end_child(child: "subprocess.Popen[Any]", what: str, timeout_s: float) -> None:
    """Waits for a dismissed child (``what`` in the log) to end, and kills it after the time-out."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout_s)
        return
    child.kill()
    try:
        child.wait(KILLED_WAIT_S)
    except subprocess.TimeoutExpired:
        LOG.warning("%s (process %d) was killed but is still running %g s later", what, child.pid, KILLED_WAIT_S)


class EmbeddedServer:
    """One running child process; belongs to the connection that started it."""

    def __init__(self, command: list[str]) -> None:
        """Starts the child; it takes a second until it can be joined."""
        self.command = command
        self.port = 0  # of its UDP socket; 0 until it is ready
        self._lost: list[str] = []  # appended to by the reader thread
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close(); an unread pipe would block
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True, encoding="utf-8"
        )
        self._ready: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._ready_said = False
        self._reader = threading.Thread(target=self._read, name="embedded-server", daemon=True)
        self._reader.start()

    def wait_ready(self, within_s: float, progress: Callable[[float, str], None] | None = None) -> None:
        """Waits until the child can be joined, and calls ``progress`` meanwhile; an exception from it ends the wait.

        Raises SourceError: the child ends, or is not ready in time, with its last line; it is closed then;
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
        return HOST, self.port

    @property
    def lost(self) -> tuple[str, ...]:
        """Damaged parts of a saved world, and parts unknown to the protocol, found so far: one sentence each."""
        return tuple(self._lost)

    @property
    def failure(self) -> str | None:
        """One sentence if the child has ended by itself, else None."""
        code = self._child.poll()
        if code is None:
            return None
        how = f"ended with code {code}" if code >= 0 else f"was stopped by {_signal_name(-code)}"
        return f"The embedded server {how}: {self._last_words()}"

    def failure_of(self, reason: str) -> str | None:
        """Like ``failure``, after a session with it ended for a reason.

        A process frees its port before it has ended, and prints its reason last: so this waits for the end where
        nothing listens any more.
        """
        if reason.startswith(NOTHING_LISTENS):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(LAST_WORDS_S)
        return self.failure

    def dismiss(self) -> None:
        """Closes its stdin, so that it ends; ``close`` waits for that. May be called again."""
        if self._child.stdin and not self._child.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # it ended already
                self._child.stdin.close()

    def close(self) -> None:
        """Dismisses the child, waits for its end, and kills it if necessary; may be called again."""
        self.dismiss()
        end_child(self._child, "the embedded server", EXIT_WAIT_S)
        self._reader.join(KILLED_WAIT_S)
        if self._child.stdout and not self._reader.is_alive():  # else another process holds the pipe's other end
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
                self._lost.append(str(json.loads(line)["lost"]))
        self._ready.put("")

    def _announced(self, line: str) -> int:
        try:
            announcement: dict[str, Any] = json.loads(line)
            return int(announcement["port"])
        except (ValueError, KeyError, TypeError):  # another line, or none
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


_STARTED_AHEAD: Final[list[EmbeddedServer]] = []
"""Children that ``start_ahead`` started, and that ``server_of`` gave to nobody so far."""


@contextlib.contextmanager
def start_ahead(source: Source, options: Options) -> Iterator[None]:
    """Starts the child of a source that has one, for whoever joins it inside the block; ends it where nobody did."""
    if not is_served(source):
        yield
        return
    child = EmbeddedServer(server_command(source, options))
    _STARTED_AHEAD.append(child)
    try:
        yield
    finally:
        if child in _STARTED_AHEAD:
            _STARTED_AHEAD.remove(child)
            child.close()


def server_of(source: Embedded | WorldFile, options: Options) -> EmbeddedServer:
    """The child that was started ahead with the same command line, else a new one; belongs to the caller."""
    command = server_command(source, options)
    child = next((child for child in _STARTED_AHEAD if child.command == command), None)
    if child is None:
        return EmbeddedServer(command)
    _STARTED_AHEAD.remove(child)
    return child


def _signal_name(number: int) -> str:
    """A signal's name, or its number if this system has no name for it."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
