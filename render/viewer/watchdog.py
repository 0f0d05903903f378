"""What is done where a window's thread stands still, or does not come to its end.

Rules:
1. A step is what the owner does between two looks at its window. One that takes longer than ``STEP_S`` has the stacks
   of all threads written to a file, and goes on; once it is over, one sentence says so.
2. Who asks for the end, by a signal or by closing the window, gets it: everything is given back, and the process ends
   with its exit code. What has not been given back after ``END_S`` is left, with the stacks of all threads in the file.
   Children end with their stdin; those that do not are ended, too, where the system tells which they are.
3. ``faulthandler`` writes from a thread that needs no interpreter: neither a kernel nor a call that keeps the
   interpreter lock hides from it. Its time stands still while the computer sleeps.
4. Signals are heard by a thread of ours as well: the owner hears none while it is in a call that does not return.
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
"""To arm takes 0.05 to 0.2 ms, so it is not done each frame: stacks may be written this much before ``STEP_S``."""
END_S: Final = 1.0
"""Half of what is promised (two seconds): a busy machine takes its time for the rest."""
LAST_S: Final = 1.4
"""From when on the end waits for no interpreter lock either."""
MOST_BYTES: Final = 1 << 20
"""Of the file, from when on it is begun anew."""
SIGNALS: Final = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""What ends a window, and what the system does with it otherwise."""


def stacks_file() -> Path:
    return Path(platformdirs.user_log_dir("chunkscope", appauthor=False)) / "stacks.txt"


class Watchdog:
    """Of one process with one window; ``step`` and ``close`` are the owner's, who is the main thread."""

    def __init__(
        self,
        path: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        arm: Callable[..., None] = faulthandler.dump_traceback_later,
        disarm: Callable[[], None] = faulthandler.cancel_dump_traceback_later,
        leave: Callable[[int], None] = os._exit,
    ) -> None:
        """Watches nothing yet.

        ``path``: of the file for stacks; None: nothing is watched, nor is there any end to see to. ``arm``: as
        ``faulthandler.dump_traceback_later``. ``leave``: ends the process with a code.
        """
        self._path = path
        self._clock, self._arm, self._disarm, self._leave = clock, arm, disarm, leave
        self._file = None if path is None else _opened(path)
        self._began_s: float | None = None  # the step that is under way
        self._armed_s = 0.0
        self._lock = threading.Lock()  # whoever asks first for the end
        self._code: int | None = None
        self._over = threading.Event()
        self._interrupted = False
        self._waking: socket.socket | None = None
        self._before: dict[signal.Signals, Any] = {}  # Any: a handler, or one of the system's numbers

    # ------------------------------------------------------------ steps

    def step(self) -> float | None:
        """A step begins, which ends the one before; how many seconds that took where it was too long."""
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
        """The step is over and none follows: what comes may take as long as it likes."""
        self._began_s = None
        if self._code is None and self._file is not None:
            self._disarm()

    # ------------------------------------------------------------ the end

    def listen(self) -> None:
        """Signals ask for the end from now on, but those that this process is to ignore."""
        hearing, self._waking = socket.socketpair()
        self._waking.setblocking(False)
        threading.Thread(target=self._receive, args=(hearing,), name="signals", daemon=True).start()
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        for number, usual in SIGNALS.items():
            if signal.getsignal(number) is usual:
                self._before[number] = signal.signal(number, self._interrupt)

    def end(self, code: int) -> None:
        """The end was asked for, which has this exit code; any thread, and any number of times."""
        with self._lock:
            if self._code is not None or self._file is None:
                return
            self._code = code
        self._arm(LAST_S, file=self._file, exit=True)
        threading.Thread(target=self._see_to_it, args=(code,), name="ending", daemon=True).start()

    def close(self) -> None:
        """All is given back; may be called again.

        Where the end was asked for, this is it: an interpreter that takes itself apart, while its threads import and
        compute, takes a second on a busy machine, and frees what the system frees at once.
        """
        if self._code is not None:
            atexit._run_exitfuncs()  # a folder for kernels where there is no other
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
        """The owner hears a signal: once, for what it does then is give everything back."""
        self.end(INTERRUPTED)
        if self._code == INTERRUPTED and not self._interrupted:
            self._interrupted = True
            raise KeyboardInterrupt

    def _receive(self, hearing: socket.socket) -> None:
        """Ends with its socket's other end."""
        with hearing:
            while heard := hearing.recv(64):
                if any(number in self._before for number in heard):
                    self.end(INTERRUPTED)

    def _see_to_it(self, code: int) -> None:
        if self._over.wait(END_S):
            return
        for child in children():  # first: where the file is slow, the process ends ``LAST_S`` after it was told to
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        if self._file is not None:
            faulthandler.dump_traceback(self._file)
            self._record(
                f"Process {os.getpid()} was asked to end; {END_S:g} s later it was still at the above and was ended."
            )
        self._say_goodbye(code)

    def _say_goodbye(self, code: int) -> None:
        if code == INTERRUPTED:
            sys.stderr.write("chunkscope: Interrupted.\n")
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        self._leave(code)

    def _record(self, sentence: str) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sentence}\n\n")
                self._file.flush()


def children() -> list[int]:
    """Processes that this one has started and that have not ended; none where the system does not tell (not Linux)."""
    found = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += [int(pid) for pid in task.read_text().split()]
    return found


def _opened(path: Path) -> IO[str]:
    """The file for stacks; nowhere where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = "w" if path.exists() and path.stat().st_size > MOST_BYTES else "a"
        return path.open(mode, encoding="utf-8")
    except OSError:
        return Path(os.devnull).open("w", encoding="utf-8")
