"""Runs a function or imports on a thread of its own, so that the window stays responsive.

The thread is a daemon, so that a name lookup that takes a minute does not delay the end of the program.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class BackgroundTask(Generic[T]):
    """One running function."""

    def __init__(self, name: str, work: Callable[[], T]) -> None:
        self._work = work
        self._outcome: T
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, timeout_s: float) -> bool:
        """Waits for the end, at most so long; returns whether it has ended."""
        self._thread.join(timeout_s)
        return self.over

    def outcome(self) -> T:
        """The function's result; only after its end. Raises BaseException: what the function raised."""
        if self._trouble is not None:
            raise self._trouble
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._work()
        except BaseException as trouble:  # ``outcome`` raises it again
            self._trouble = trouble


LOG: Final = logging.getLogger("chunkscope.connect")

CLOSE_S: Final = 0.3  # wait for an import that cannot be cancelled; its thread is a daemon
WHOLE_S: Final = 10.0  # ten times what an import takes on a busy machine; a disk that hangs may take longer


class Loading:
    """Runs imports on a thread, so that a window opens and stays responsive meanwhile.

    The import system's locks keep threads apart. Kernels must be compiled and ``client.kernel_cache.use_cache`` called
    before.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self._task = BackgroundTask("loading", lambda: [import_module(module) for module in modules])

    def wait(self, timeout_s: float) -> bool:
        """Waits for the imports, at most so long; returns whether all are done. Raises what an import raised."""
        if over := self._task.wait(timeout_s):
            self._task.outcome()
        return over

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Waits for the thread to end, at most so long; does not report a failed import.

        ``timeout_s``: ``WHOLE_S`` if Python is to end afterwards: a C++ module that is being imported then aborts.
        """
        if not self._task.wait(timeout_s):
            LOG.info(
                "%s is still importing after %g s and is no longer waited for", ", ".join(self._modules), timeout_s
            )
