"""Where the owner thread's processor time goes, part by part, with GL calls apart.

Theory. A call that is watched belongs to its part, but for what watched calls inside it take; so the parts add up. What
``GL`` takes is the driver's: moderngl's calls and our own entry points.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import thread_time
from typing import Any

import moderngl
import pytest

from render.gpu import Gpu
from render.gpu.rawgl import RawGl

GL = "GL"
MODERNGL = {
    moderngl.Buffer: ("write",),
    moderngl.Context: ("buffer", "copy_buffer", "enable_only", "texture3d"),
    moderngl.Framebuffer: ("use", "clear"),
    moderngl.Texture: ("write", "use"),
    moderngl.Texture3D: ("write", "use"),
    moderngl.VertexArray: ("render", "render_indirect"),
}


class OwnerClock:
    """Seconds by part, of the thread that asks.

    Attributes:
        spent: since somebody cleared it.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        """Watches GL; ``patch`` undoes it."""
        self.spent: dict[str, float] = defaultdict(float)
        self._patch = patch
        self._open: list[str] = []
        self._since = 0.0
        for kind, names in MODERNGL.items():
            self.watch(kind, names, GL)
        self.watch(RawGl, [name for name in vars(RawGl) if callable(getattr(RawGl, name)) and name[0] != "_"], GL)
        self.watch(Gpu, ["check"], GL)

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
        now = thread_time()
        if self._open:
            self.spent[self._open[-1]] += now - self._since
        self._since = now
