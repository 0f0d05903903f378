"""One function on a thread of its own, so that a window lives on meanwhile: what came of it is asked, never waited for.

The thread is a daemon: a name that a resolver takes a minute to give up keeps no program from ending.
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
        """Starts it. ``work``: called once, there."""
        self._work = work
        self._outcome: T
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
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


LOG: Final = logging.getLogger("chunkscope.connect")

CLOSE_S: Final = 0.3
"""An import cannot be ended; its thread is a daemon."""
WHOLE_S: Final = 10.0
"""What an import may take on a busy machine, ten times over; longer where a disk hangs."""


class Loading:
    """Running imports, so that a window opens and stays alive meanwhile; the import system's locks keep threads apart.

    Modules with kernels take a second or so of the interpreter, which a thread shares with the one that draws. Kernels
    must be compiled and ``client.kernel_cache.use_cache`` called before.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self._task = BackgroundTask("loading", lambda: [import_module(module) for module in modules])

    def wait(self, timeout_s: float) -> bool:
        """Whether all are there, waiting so long at most. Raises Exception: what importing raised."""
        if over := self._task.wait(timeout_s):
            self._task.outcome()
        return over

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Returns when the thread has ended, or so much later; may be called again. A failed import is not told.

        ``timeout_s``: ``WHOLE_S`` where Python is to end afterwards: a C++ module that is being imported then aborts.
        """
        if not self._task.wait(timeout_s):
            LOG.info(
                "%s is still importing after %g s and is no longer waited for", ", ".join(self._modules), timeout_s
            )
