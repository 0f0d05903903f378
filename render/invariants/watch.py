"""All invariants in turn, a little each frame, so that no frame pays for them."""

from collections.abc import Callable, Mapping
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


class Watch:
    """Of one scene, and the session that it shows. Owner thread only."""

    def __init__(self) -> None:
        """Has looked at nothing yet."""
        self._found: dict[str, Finding] = dict.fromkeys(NAMES, Finding(None, NOWHERE, "not looked at yet"))
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
        if self._bordered is None or now - self._bordered >= BORDERS_EVERY_S:
            self._bordered = now
            self._found["light seams"] = self._borders.step(scene, session.store.table)
        if self._looked_at is None or now - self._looked_at >= EVERY_S:
            self._looked_at = now
            checks = _checks(session, scene)
            name = list(checks)[self._turn % len(checks)]
            self._turn += 1
            self._found[name] = checks[name]()


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
