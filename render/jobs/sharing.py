"""One job's parts, done by its worker and by whoever else is free.

Rules:
1. The worker that shares does parts itself until none is left, then waits for those that others began; so a share ends
   even where nobody helps.
2. A part that raises ends the share: no further part is begun, and the first error is raised where it was shared.
"""

import threading
from collections.abc import Callable

Task = Callable[[int], None]
Each = Callable[[Task, int], None]
"""Runs ``task(0)`` .. ``task(count - 1)`` in any order or at the same time, and returns when all are done."""


def in_order(task: Task, count: int) -> None:
    """One after another on this thread."""
    for number in range(count):
        task(number)


class Share:
    """The parts of one job. Any thread may help."""

    def __init__(self, task: Task, count: int, expected_s: float) -> None:
        """Nothing is begun; ``expected_s`` is what the whole job takes one worker."""
        self.expected_s = expected_s
        self._task = task
        self._count = count
        self._next = 0
        self._running = 0
        self._error: Exception | None = None
        self._changed = threading.Condition()

    @property
    def open(self) -> bool:
        """Whether there is a part that nobody has begun."""
        return self._next < self._count

    def help(self) -> None:
        """Does parts until none is left to begin; never raises."""
        while (number := self._begin()) is not None:
            error: Exception | None = None
            try:
                self._task(number)
            except Exception as raised:
                error = raised
            self._end(error)

    def finish(self) -> None:
        """Waits for parts that others began; raises the first error of any part."""
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0)
        if self._error is not None:
            raise self._error

    def _begin(self) -> int | None:
        with self._changed:
            if self._next >= self._count:
                return None
            self._next, self._running = self._next + 1, self._running + 1
            return self._next - 1

    def _end(self, error: Exception | None) -> None:
        with self._changed:
            self._running -= 1
            if error is not None:
                self._error = self._error or error
                self._next = self._count
            if self._running == 0:
                self._changed.notify_all()
