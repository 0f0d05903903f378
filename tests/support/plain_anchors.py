"""Anchors with sets of columns, counted anew at each drain: the plain twin of ``client.streaming.anchors``."""

from client.streaming.anchors import Anchor

Column = tuple[int, int]


class PlainAnchors:
    """One set of anchors; ``loaded`` is what was loaded and not released since."""

    def __init__(self, margin: int) -> None:
        self._margin = margin
        self._anchors: dict[str, set[Column]] = {}
        self._grown: dict[str, set[Column]] = {}
        self.loaded: set[Column] = set()

    def pin(self, name: str, anchor: Anchor) -> None:
        self._anchors[name] = columns(anchor)
        self._grown[name] = columns(anchor.grown(self._margin)) if self._anchors[name] else set()

    def release(self, name: str) -> None:
        self._anchors.pop(name, None)
        self._grown.pop(name, None)

    def count(self, column: Column) -> int:
        return sum(column in held for held in self._anchors.values())

    def keeps(self, column: Column) -> bool:
        return any(column in kept for kept in self._grown.values())

    def drain(self) -> tuple[set[Column], set[Column]]:
        before = self.loaded
        held = set().union(*self._anchors.values())
        self.loaded = {column for column in before | held if self.keeps(column)}
        return self.loaded - before, before - self.loaded


def columns(anchor: Anchor) -> set[Column]:
    xs, zs = range(anchor.low.x, anchor.high.x + 1), range(anchor.low.z, anchor.high.z + 1)
    return {(x, z) for x in xs for z in zs}
