"""Calls of strangers' code that may take only so long: a thread of its own, which is told to end where it does not.

Limits: what holds the interpreter's lock, or waits in C, is not ended; it keeps its thread, and nobody waits for it.
"""

import ctypes
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

Job = Callable[[], None]


class TookTooLong(Exception):
    """A call that was given up; nothing more may be called."""


class _Ended(BaseException):
    """Raised inside a call that is given up."""


class LimitedCaller:
    """One thread, which runs one call at a time. ``name`` is the thread's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._results: SimpleQueue[BaseException | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, job: Job, limit_s: float) -> None:
        """Runs something and waits for it. Raises TookTooLong; whatever it raises."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._jobs.put(job)
        try:
            raised = self._results.get(timeout=limit_s)
        except Empty:
            self._end()
            raise TookTooLong from None
        if raised is not None:
            raise raised

    def _end(self) -> None:
        assert self._thread is not None
        ident: Final = self._thread.ident
        assert ident is not None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_Ended))

    def _run(self) -> None:
        try:
            while True:
                job, raised = self._jobs.get(), None
                try:
                    job()
                except _Ended:
                    return
                except BaseException as error:  # whoever called is told
                    raised = error
                self._results.put(raised)
        except _Ended:
            return
