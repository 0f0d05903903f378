"""All invariants in turn, a little each frame, so that no frame pays for them.

Rules:
1. While nothing can be told of one, the places that were found last stay: the picture settles each time somebody was
   taken to one of them, and the way to the next must not be gone under the mouse.
2. Another dimension is looked at anew.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from client.session.session import Session
from render.invariants.asking import answered_unasked, asked_twice
from render.invariants.drawing import leaked_pages, stored_undrawn
from render.invariants.finding import NOWHERE, Finding
from render.invariants.heights import height_contradictions
from render.invariants.light import LightBorders
from render.scene.scene import Scene

EVERY_S: Final = 0.2
"""From one of the checks that look at everything to the next."""
BORDERS_EVERY_S: Final = 0.05
"""From some columns whose light is looked at to the next: radius 12 takes eight seconds."""
NAMES: Final = (
    "stored undrawn", "asked twice", "answered unasked", "light seams", "leaked pages", "height contradictions",
)  # fmt: skip

UNSEEN: Final = Finding(None, NOWHERE, "not looked at yet")


class Watch:
    """Of one scene, and the session that it shows. Owner thread only."""

    def __init__(self) -> None:
        """Has looked at nothing yet."""
        self._found = dict.fromkeys(NAMES, UNSEEN)
        self._dimension: int | None = None
        self._borders = LightBorders()
        self._turn = 0
        self._looked_at: float | None = None
        self._bordered: float | None = None

    @property
    def found(self) -> Mapping[str, Finding]:
        """What was found last, by name."""
        return self._found

    def step(self, session: Session, scene: Scene, now: float) -> None:
        """Looks a little further; time is in monotonic seconds."""
        if (dimension := session.store.dimension.number) != self._dimension:
            self._dimension, self._found = dimension, dict.fromkeys(NAMES, UNSEEN)
        if self._bordered is None or now - self._bordered >= BORDERS_EVERY_S:
            self._bordered = now
            self._note("light seams", self._borders.step(scene, session.store.table))
        if self._looked_at is None or now - self._looked_at >= EVERY_S:
            self._looked_at = now
            checks = _checks(session, scene)
            name = list(checks)[self._turn % len(checks)]
            self._turn += 1
            self._note(name, checks[name]())

    def _note(self, name: str, finding: Finding) -> None:
        unknown = finding.count is None
        self._found[name] = replace(finding, places=self._found[name].places) if unknown else finding


def everything(session: Session, scene: Scene) -> dict[str, Finding]:
    """All of them at once, all columns: for who can wait."""
    found = {name: check() for name, check in _checks(session, scene).items()}
    found["light seams"] = LightBorders().step(scene, session.store.table, len(session.store.row_of) or 1)
    return {name: found[name] for name in NAMES}


def _checks(session: Session, scene: Scene) -> dict[str, Callable[[], Finding]]:
    return {
        "stored undrawn": lambda: stored_undrawn(scene),
        "asked twice": lambda: asked_twice(session),
        "answered unasked": lambda: answered_unasked(session),
        "leaked pages": lambda: leaked_pages(scene),
        "height contradictions": lambda: height_contradictions(session),
    }
