"""One thing at a time, done on a thread of its own.

Rules:
1. ``start`` returns at once; while ``busy`` nothing else may be started.
2. Whatever a job raises becomes ``failure``, one sentence; the thread lives on.
3. The thread is a daemon: a process that has to end does not wait for a disk that hangs.
"""

import threading
from collections.abc import Callable

Job = Callable[[], None]


class Background:
    """A thread and its job. ``name`` is the thread's."""

    def __init__(self, name: str) -> None:
        self._wake = threading.Condition()
        self._job: Job | None = None  # guarded, with the two below, by the condition
        self._failure: str | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job is not over yet."""
        with self._wake:
            return self._job is not None

    @property
    def failure(self) -> str | None:
        """Why the last job failed, None where it did not."""
        with self._wake:
            return self._failure

    def start(self, job: Job) -> None:
        """Begins a job. Raises RuntimeError: another one is not over."""
        with self._wake:
            if self._job is not None:
                raise RuntimeError("one thing at a time")
            self._job, self._failure = job, None
            self._wake.notify_all()

    def wait(self, longest_s: float) -> bool:
        """Waits for the end of the job; whether it is over."""
        with self._wake:
            return self._wake.wait_for(lambda: self._job is None, longest_s)

    def close(self, longest_s: float) -> bool:
        """Ends the thread after its job; whether it ended in time. May be called again."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._thread.join(longest_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._job is not None or self._closing)
                job = self._job
            if job is None:
                return
            failure = _failure_of(job)
            with self._wake:
                self._job, self._failure = None, failure
                self._wake.notify_all()


def _failure_of(job: Job) -> str | None:
    try:
        job()
    except OSError as error:
        return error.strerror or str(error) or "the disk does not respond"
    except Exception as error:  # its own bug, too, must not end the saving of a game in silence
        return str(error) or repr(error)
    return None
