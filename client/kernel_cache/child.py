"""Starts the child process that compiles the kernels, and reads its progress.

The child prints one JSON line a module; a thread reads them into a queue, so ``poll`` never blocks. With two cores or
more a helper compiles the same modules in reverse order: Numba compiles under one lock a process. If it fails, the
child compiles all.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

import msgspec

from client.embedded_server import end_child
from client.errors import ConnectError
from client.kernel_cache.cache import PACKAGES, use_cache, use_compiled

SILENT_S: Final = 600.0  # longest time between two lines of the child: the largest module takes 3 s on a quiet machine
ENDED_WAIT_S: Final = 10.0
EXIT_WAIT_S: Final = 0.2


class WarmProgress(msgspec.Struct, frozen=True):
    """Progress of the compilation."""

    module: str  # the module that was just compiled, or loaded
    done: int  # modules done
    total: int  # all modules
    seconds: float  # time for this one


class WarmUp:
    """One running compilation."""

    def __init__(self, packages: Sequence[str] = PACKAGES) -> None:
        """Starts the child process, and its helper, for the kernels of some packages."""
        use_cache()
        self._packages = tuple(packages)
        command = [sys.executable, "-m", "client.kernel_cache.compile", "--with-stdin"]
        nothing, held = subprocess.DEVNULL, subprocess.PIPE
        self._helper: subprocess.Popen[str] | None = None
        if (os.cpu_count() or 1) > 1:
            helping = [*command, "--backwards", *packages]
            self._helper = subprocess.Popen(helping, stdin=held, stdout=nothing, stderr=nothing, text=True)
        self._child = subprocess.Popen(
            [*command, *packages], stdin=held, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._last_line = ""
        self._ended = False
        self._heard_s = time.monotonic()
        self._reader = threading.Thread(target=self._read, name="warm-up", daemon=True)
        self._reader.start()

    @property
    def helped(self) -> bool:
        """Whether two processes compile, so that each finds about half of the modules compiled."""
        return self._helper is not None

    @property
    def done(self) -> bool:
        """Whether every kernel is compiled. Only true after ``poll`` or ``wait`` has seen the end."""
        return self._ended

    def poll(self, wait_s: float = 0.0) -> list[WarmProgress]:
        """The progress since the last call, after at most ``wait_s`` without any.

        Raises ConnectError: the child failed, with its last line, or sends nothing.
        """
        news: list[WarmProgress] = []
        while not self._ended:
            try:
                self._take(self._lines.get(block=wait_s > 0.0 and not news, timeout=wait_s), news)
            except queue.Empty:
                if time.monotonic() - self._heard_s > SILENT_S:
                    self._give_up()
                break
        return news

    def wait(self, progress: Callable[[WarmProgress], None] | None = None) -> None:
        """Waits for the end; calls ``progress`` for each module. Raises as ``poll``."""
        while not self._ended:
            for one in self.poll(SILENT_S):
                if progress:
                    progress(one)

    def close(self) -> None:
        """Ends the child and closes its pipes; may be called again."""
        processes = [process for process in (self._child, self._helper) if process is not None]
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            end_child(process, "the kernel compiler", EXIT_WAIT_S)
            if process.stdin:
                process.stdin.close()
        self._reader.join(EXIT_WAIT_S)
        if self._child.stdout and not self._reader.is_alive():
            self._child.stdout.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _give_up(self) -> NoReturn:
        raise ConnectError(
            f"The kernels could not be compiled: the compiler (process {self._child.pid}) sent nothing for "
            f"{SILENT_S:g} s. Compiled kernels are kept; start chunkscope again to continue."
        )

    def _take(self, line: str | None, news: list[WarmProgress]) -> None:
        self._heard_s = time.monotonic()
        if line is None:
            self._ended = True
            end_child(self._child, "the kernel compiler", ENDED_WAIT_S)  # it has closed its stdout
            if self._child.returncode != 0:
                raise ConnectError(f"The kernels could not be compiled: {self._last_line or 'the compiler died'}.")
            use_compiled(self._packages)
        elif line.startswith("{"):
            news.append(WarmProgress(**json.loads(line)))
        elif line:
            self._last_line = line


def compile_missing(packages: Sequence[str] = PACKAGES, progress: Callable[[WarmProgress], None] | None = None) -> None:
    """Compiles kernels that are not compiled yet, and waits for it. Raises ConnectError: one does not compile."""
    use_cache()
    if use_compiled(packages):
        return
    warm_up = WarmUp(packages)
    try:
        warm_up.wait(progress)
    finally:
        warm_up.close()
