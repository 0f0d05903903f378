"""Handles a window thread that hangs, or does not end.

Rules:
1. A step is the owner's work between two polls of its window. If it takes longer than ``STEP_S``, the stacks of all
   threads are written to a file; the program continues, and one sentence reports it afterwards.
2. An end requested by a signal or by closing the window is enforced: resources are freed, and the process ends with its
   exit code. After ``END_S`` the rest is abandoned, with the stacks of all threads in the file. Children end with their
   stdin; others are killed, if the system lists them.
3. ``faulthandler`` writes from a thread that needs no interpreter, so it also works during a kernel or a call that
   holds the interpreter lock. It can end a process with code 1 only. Its clock stops while the computer sleeps.
4. A thread of ours receives signals, too, since the owner gets none during a call that does not return.
"""

import atexit
import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final

import platformdirs

from client.errors import INTERRUPTED

LOG: Final = logging.getLogger("chunkscope.window")

STEP_S: Final = 5.0
REARM_S: Final = 1.0
"""Arming takes 0.05 to 0.2 ms, so it is not done each frame: stacks may be written this much before ``STEP_S``."""
END_S: Final = 1.0
"""Half of the promised two seconds: a busy machine needs the rest."""
LAST_S: Final = 1.4
"""From here on the end does not wait for the interpreter lock either; the exit code is then 1."""
MOST_BYTES: Final = 1 << 20
"""Size at which the file is restarted."""
SIGNALS: Final = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that end a window, and their default handlers."""


def stacks_file() -> Path:
    return Path(platformdirs.user_log_dir("chunkscope", appauthor=False)) / "stacks.txt"


class Watchdog:
    """The watchdog of one process with one window; the owner, the main thread, calls ``step`` and ``close``."""

    def __init__(
        self,
        path: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        arm: Callable[..., None] = faulthandler.dump_traceback_later,
        disarm: Callable[[], None] = faulthandler.cancel_dump_traceback_later,
        leave: Callable[[int], None] = os._exit,
    ) -> None:
        """Watches nothing yet.

        ``path``: the file for stacks; None: nothing is watched, and no end is enforced. ``arm``: as
        ``faulthandler.dump_traceback_later``. ``leave``: ends the process with a code.
        """
        self._path = path
        self._clock, self._arm, self._disarm, self._leave = clock, arm, disarm, leave
        self._file = None if path is None else _opened(path)
        self._began_s: float | None = None  # the running step
        self._armed_s = 0.0
        # Orders requests to end, and ``close``. A signal's handler may interrupt its owner's own request.
        self._lock = threading.RLock()
        self._code: int | None = None
        self._over = threading.Event()
        self._interrupted = False
        self._waking: socket.socket | None = None
        self._before: dict[signal.Signals, Any] = {}  # Any: a handler, or one of the system's numbers

    # ------------------------------------------------------------ steps

    def step(self) -> float | None:
        """Starts a step and ends the previous one; returns its seconds if it took too long."""
        now = self._clock()
        began_s, self._began_s = self._began_s, now
        if self._code is not None or self._file is None:
            return None
        if began_s is None or now - self._armed_s >= REARM_S:
            self._armed_s = now
            self._arm(STEP_S, file=self._file)
        if began_s is None or now - began_s <= STEP_S:
            return None
        taken_s = now - began_s
        self._record(f"The step above, in process {os.getpid()}, took {taken_s:.1f} s.")
        LOG.warning("The window was blocked for %.1f s; %s shows where each thread was", taken_s, self._path)
        return taken_s

    def rest(self) -> None:
        """Ends the step without starting another; the following work is not watched."""
        self._began_s = None
        if self._code is None and self._file is not None:
            self._disarm()

    # ------------------------------------------------------------ the end

    def listen(self) -> None:
        """Handles signals from now on, except those that this process ignores."""
        hearing, self._waking = socket.socketpair()
        self._waking.setblocking(False)
        threading.Thread(target=self._receive, args=(hearing,), name="signals", daemon=True).start()
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        for number, usual in SIGNALS.items():
            if signal.getsignal(number) is usual:
                self._before[number] = signal.signal(number, self._interrupt)

    def end(self, code: int) -> None:
        """Requests the end with an exit code; from any thread, repeatedly."""
        with self._lock:
            if self._code is not None or self._file is None:
                return
            self._code = code
            self._arm(LAST_S, file=self._file, exit=True)
        if code == INTERRUPTED:
            with suppress(OSError):  # by the system alone: the owner may have been interrupted while it printed
                os.write(2, b"chunkscope: Interrupted.\n")
        hurry_threads()
        threading.Thread(target=self._see_to_it, args=(code,), name="ending", daemon=True).start()

    def close(self) -> None:
        """All resources are freed; may be called again.

        If the end was requested, this ends the process: a regular interpreter shutdown with busy threads takes a second
        on a busy machine, and frees only what the system frees at once.
        """
        if self._code is not None:
            atexit._run_exitfuncs()  # removes a temporary folder of kernels
        with self._lock:
            self._over.set()
            code, self._code = self._code, None
            if self._waking is not None:
                signal.set_wakeup_fd(-1)
                for number, before in self._before.items():
                    signal.signal(number, before)
                self._waking.close()
                self._waking = None
            if self._file is not None:
                self._disarm()
                self._file.close()
                self._file = None
        if code is not None:
            self._say_goodbye(code)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """The owner's signal handler: acts once, since its effect is that everything is freed."""
        self.end(INTERRUPTED)
        if self._code == INTERRUPTED and not self._interrupted:
            self._interrupted = True
            raise KeyboardInterrupt

    def _receive(self, hearing: socket.socket) -> None:
        """Ends when the other end of its socket is closed."""
        with hearing:
            while heard := hearing.recv(64):
                if any(number in self._before for number in heard):
                    self.end(INTERRUPTED)

    def _see_to_it(self, code: int) -> None:
        if self._over.wait(END_S):
            return
        for child in children():  # first: if the file is slow, the process ends ``LAST_S`` after the request
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        with self._lock:
            if self._file is not None:
                faulthandler.dump_traceback(self._file)
                self._record(
                    f"Process {os.getpid()} was asked to end; {END_S:g} s later it was still at the above: ended."
                )
        self._say_goodbye(code)

    def _say_goodbye(self, code: int) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        self._leave(code)

    def _record(self, sentence: str) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sentence}\n\n")
                self._file.flush()


def hurry_threads() -> None:
    """Takes threads of this process out of the lowest priority, where the system allows it (Linux, with CAP_SYS_NICE).

    A process is over once each of its threads has run to its end. Mesa's thread for cached shaders has the lowest
    priority: on a machine with fifteen tasks a processor it came to that 7 to 15 s later (measured).
    """
    for task in Path("/proc/self/task").glob("*"):
        with suppress(OSError):
            if os.getpriority(os.PRIO_PROCESS, int(task.name)) > 0:
                os.setpriority(os.PRIO_PROCESS, int(task.name), 0)


def children() -> list[int]:
    """Running child processes; empty if the system does not list them (not Linux)."""
    found = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += [int(pid) for pid in task.read_text().split()]
    return found


def _opened(path: Path) -> IO[str]:
    """The file for stacks; the null device if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = "w" if path.exists() and path.stat().st_size > MOST_BYTES else "a"
        return path.open(mode, encoding="utf-8")
    except OSError:
        return Path(os.devnull).open("w", encoding="utf-8")
