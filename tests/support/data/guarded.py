"""Runs a command that must keep printing; if it prints nothing for too long, prints its stacks and ends it.

    python -m tests.support.data.guarded SECONDS COMMAND...

The exit code is the command's, or 1 if it was ended. Python processes that the command started print the stacks of all
their threads on the signal that ends them; processes that still run are killed.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import BinaryIO

GIVEN_UP = 1
LAST_WORDS_S = 20.0
"""How long processes that were told to end may still print, for example their stacks."""
Ready = Callable[[int, float], bool]
"""``(file, seconds)``: waits until the file can be read or has ended; False if the time is over."""


def ready(file: int, within_s: float) -> bool:
    """Waits with ``select``."""
    return bool(select.select([file], [], [], within_s)[0])


def run(command: Sequence[str], silent_s: float, out: BinaryIO, ready: Ready = ready) -> int:
    """Runs the command and passes its output on; returns its exit code, or ``GIVEN_UP``."""
    environment = os.environ | {"PYTHONFAULTHANDLER": "1"}
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0
    )
    assert child.stdout is not None
    file = child.stdout.fileno()
    try:
        if _pass_on(file, out, silent_s, ready):
            return child.wait()
        out.write(f"\nNothing was printed for {silent_s:g} s: {' '.join(command)} is ended. Its stacks:\n".encode())
        _signal(child.pid, signal.SIGABRT)
        _pass_on(file, out, LAST_WORDS_S, ready)
        return GIVEN_UP
    finally:
        if child.poll() is None:  # this process was told to end: the command gets time to clean up
            _signal(child.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(LAST_WORDS_S)
        _signal(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()


def _pass_on(file: int, out: BinaryIO, silent_s: float, ready: Ready) -> bool:
    """Passes output on until the command's output ends (True), or nothing was printed for ``silent_s`` (False)."""
    while ready(file, silent_s):
        words = os.read(file, 1 << 16)
        if not words:
            return True
        out.write(words)
        out.flush()
    return False


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has ended already
        os.killpg(group, number)


def _end(number: int, _frame: object) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, _end)
    sys.exit(run(sys.argv[2:], float(sys.argv[1]), sys.stdout.buffer))
