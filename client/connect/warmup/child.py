"""The process that compiles, seen from the one that waits.

The child prints one JSON line a module; a thread reads them into a queue, so ``poll`` never blocks and a window stays
alive. The owner is whoever made the WarmUp; ``close`` ends a child that is not wanted any more.

Where there are two cores a helper compiles the same modules from the other end (``compile``). Numba compiles under one
lock a process, so only a second process is quicker. Nothing depends on it: should it fail, the child does all.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from client.connect.errors import ConnectError
from client.connect.warmup.cache import PACKAGES, cold_groups, use_cache, use_compiled
from net.frozen import frozen


@frozen
class WarmProgress:
    """How far the compilation is.

    Attributes:
        module: the module that was just compiled, or loaded.
        done: how many are.
        total: how many there are.
        seconds: what this one took.
    """

    module: str
    done: int
    total: int
    seconds: float


class WarmUp:
    """One running compilation."""

    def __init__(self, packages: Sequence[str] = PACKAGES) -> None:
        """Starts the child process, and its helper, for those groups of packages of which kernels are missing."""
        use_cache()
        self._packages = tuple(packages)
        cold = [name for group in cold_groups(packages) for name in group] or list(packages)
        command = [sys.executable, "-m", "client.connect.warmup.compile"]
        nothing = subprocess.DEVNULL
        self._helper: subprocess.Popen[str] | None = None
        if (os.cpu_count() or 1) > 1:
            helping = [*command, "--backwards", *cold]
            self._helper = subprocess.Popen(helping, stdin=nothing, stdout=nothing, stderr=nothing, text=True)
        self._child = subprocess.Popen(
            [*command, *cold],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._last_line = ""
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="warm-up", daemon=True)
        self._reader.start()

    @property
    def done(self) -> bool:
        """Whether every kernel is compiled. Only true after ``poll`` or ``wait`` saw the end."""
        return self._ended

    def poll(self) -> list[WarmProgress]:
        """What happened since the last call; never blocks.

        Raises:
            ConnectError: when the child failed, with its last line.
        """
        news: list[WarmProgress] = []
        while not self._ended:
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                break
            self._take(line, news)
        return news

    def wait(self, progress: Callable[[WarmProgress], None] | None = None) -> None:
        """Blocks until the end, telling ``progress`` about each module.

        Raises:
            ConnectError: when the child failed, with its last line.
        """
        while not self._ended:
            news: list[WarmProgress] = []
            self._take(self._lines.get(), news)
            for one in news:
                if progress:
                    progress(one)

    def close(self) -> None:
        """Ends the child and gives its pipe back; may be called again."""
        for process in filter(None, (self._child, self._helper)):
            if process.poll() is None:
                process.terminate()
            process.wait()
        self._reader.join()
        if self._child.stdout:
            self._child.stdout.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _take(self, line: str | None, news: list[WarmProgress]) -> None:
        if line is None:
            self._ended = True
            if self._child.wait() != 0:
                raise ConnectError(f"The kernels could not be compiled: {self._last_line or 'the compiler died'}.")
            use_compiled(self._packages)
        elif line.startswith("{"):
            news.append(WarmProgress(**json.loads(line)))
        elif line:
            self._last_line = line


def compile_missing(packages: Sequence[str] = PACKAGES, progress: Callable[[WarmProgress], None] | None = None) -> None:
    """Sees to it that every kernel of these packages can be loaded: returns at once when all can.

    Raises:
        ConnectError: when one does not compile.
    """
    use_cache()
    if use_compiled(packages):
        return
    warm_up = WarmUp(packages)
    try:
        warm_up.wait(progress)
    finally:
        warm_up.close()
