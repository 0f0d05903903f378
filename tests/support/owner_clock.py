"""Where the owner thread's processor time goes, part by part, with GL calls apart.

Theory. A call that is watched belongs to its part, but for what watched calls inside it take; so the parts add up. What
``GL`` takes is the driver's, as ``render.gpu.timers`` has it, which takes off what measuring costs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import thread_time
from typing import Any

import pytest

from render.gpu.timers import GlClock

GL = "GL"


class OwnerClock:
    """Seconds by part, of the thread that asks, while ``gl`` measures."""

    def __init__(self, patch: pytest.MonkeyPatch, gl: GlClock) -> None:
        """Watches nothing but GL yet; ``patch`` undoes what it does."""
        self.spent: dict[str, float] = defaultdict(float)  # since somebody cleared it
        self._patch = patch
        self._gl = gl
        self._open: list[str] = []
        self._since = self._gl_since = 0.0

    def watch(self, owner: Any, names: Iterable[str], part: str) -> None:
        """Counts methods of a class or an object as a part."""
        for name in names:
            self._patch.setattr(owner, name, self._watched(getattr(owner, name), part))

    def _watched(self, method: Callable[..., Any], part: str) -> Callable[..., Any]:
        @wraps(method)
        def counted(*args: Any, **kwargs: Any) -> Any:
            with self.part(part):
                return method(*args, **kwargs)

        return counted

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What happens inside belongs to a part."""
        self._turn()
        self._open.append(name)
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def _turn(self) -> None:
        now, gl = thread_time(), self._gl.processor_s
        if self._open:
            self.spent[self._open[-1]] += now - self._since - (gl - self._gl_since)
            self.spent[GL] += gl - self._gl_since
        self._since, self._gl_since = now, gl
