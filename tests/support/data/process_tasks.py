"""Tasks for tests of ``render.jobs.processes``, in a module that takes no time to import."""

import os
import signal
import threading
from pathlib import Path


def named(word: str) -> tuple[str, int]:
    """Returns the word and this process's id.

    ``dies`` ends the process, ``hangs`` never returns, ``raises`` raises LookupError. If the word is a path and no file
    is there, it makes the file and ends the process.
    """
    if word == "dies":
        os._exit(7)
    if word == "hangs":
        threading.Event().wait()
    if word == "raises":
        raise LookupError(word)
    if os.sep in word and not Path(word).exists():
        Path(word).touch()
        os._exit(8)
    return word, os.getpid()


def ready() -> None:
    """Prepares nothing."""


def unable() -> None:
    """Fails to prepare, so that no task can run."""
    raise LookupError("there is no GL")


def stillborn() -> None:
    """Ends the process before it gets a task."""
    os._exit(9)


def deaf() -> None:
    """Ends the process unless SIGINT was blocked when it started."""
    if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        os._exit(9)
