"""Tasks for ``render.jobs.processes``, in a module that a process imports at once."""

import os
import signal
import threading
from pathlib import Path


def named(word: str) -> tuple[str, int]:
    """Who did it, unless the word says something else.

    ``dies``: never; ``hangs``: neither; ``raises``: so; a path: dies where it is no file yet, and makes it one.
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
    """Nothing is to be made ready."""


def unable() -> None:
    """No task can be done."""
    raise LookupError("there is no GL")


def stillborn() -> None:
    """Dies before there is a task."""
    os._exit(9)


def deaf() -> None:
    """Dies unless interrupts were held back from its first moment on."""
    if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        os._exit(9)
