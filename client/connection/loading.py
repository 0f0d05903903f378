"""Imports modules on a thread of its own, so that a window opens and stays alive meanwhile.

Modules with kernels take a second or so of the interpreter, which a thread shares with the one that draws; what the
window's system does in C runs beside it. One loading a module: the import system's own locks keep two threads apart.
"""

import logging
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Final

LOG: Final = logging.getLogger("chunkscope.connect")

CLOSE_S: Final = 0.3
"""An import cannot be ended; its thread is a daemon."""
WHOLE_S: Final = 10.0
"""What an import may take on a busy machine, ten times over; longer where a disk hangs."""


class Loading:
    """One running import of several modules."""

    def __init__(self, modules: Sequence[str]) -> None:
        """Starts it; kernels must be compiled and ``client.kernel_cache.use_cache`` called before."""
        self._modules = tuple(modules)
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._load, name="loading", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Whether all are there, waiting so long at most.

        Raises:
            Exception: what importing raised.
        """
        self._thread.join(timeout_s)
        if self._trouble is not None:
            raise self._trouble
        return not self._thread.is_alive()

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Returns when the thread has ended, or so much later; may be called again. A failed import is not told.

        Args:
            timeout_s: ``WHOLE_S`` where Python is to end afterwards: a C++ module that is being imported then aborts.
        """
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            LOG.info(
                "%s is still importing after %g s and is no longer waited for", ", ".join(self._modules), timeout_s
            )

    def _load(self) -> None:
        try:
            for module in self._modules:
                import_module(module)
        except BaseException as trouble:  # told to whoever waits, whatever it is
            self._trouble = trouble
