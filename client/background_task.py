"""One function on a thread of its own, so that a window lives on meanwhile: what came of it is asked, never waited for.

The thread is a daemon: a name that a resolver takes a minute to give up keeps no program from ending.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundTask(Generic[T]):
    """One running function."""

    def __init__(self, name: str, work: Callable[[], T]) -> None:
        """Starts it. ``work``: called once, there."""
        self._work = work
        self._outcome: T
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def wait(self, timeout_s: float) -> bool:
        """Whether it has ended, waiting so long at most."""
        self._thread.join(timeout_s)
        return self.over

    def outcome(self) -> T:
        """What it returned; only once it is over. Raises BaseException: what it raised."""
        if self._trouble is not None:
            raise self._trouble
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._work()
        except BaseException as trouble:  # told to whoever asks, whatever it is
            self._trouble = trouble
