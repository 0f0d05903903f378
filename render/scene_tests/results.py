"""What became of one view of one scene: what reports read."""

from typing import Final

import msgspec

from render.scene_tests.scene import SceneFile, SceneView
from render.scene_tests.verdict import Verdict
from render.scene_tests.views import CapturedView

NOTHING_ACCEPTED: Final = "Nothing is accepted of this view yet: run with --accept and look at it."


class SceneResult(msgspec.Struct, frozen=True):
    """One view's verdict, or why there is none."""

    scene: SceneFile  # what was run
    view: SceneView  # of it
    verdict: Verdict | None  # of the comparison; None where there was none
    error: str = ""  # one sentence that says why there was none; empty otherwise
    exit_code: int = 0  # that the error would have alone (interfaces.md); 0 without one
    # what was accepted, or what the other of two runs took; None for nothing, or where it was not kept
    expected: CapturedView | None = None
    actual: CapturedView | None = None  # what was taken; None for nothing, or where it was not kept
    seconds: float = 0.0  # that the scene took for this view
    warnings: tuple[str, ...] = ()  # of ours while the scene was taken, each once

    @property
    def passed(self) -> bool:
        """Whether it was compared and is the same."""
        return self.verdict is not None and self.verdict.passed

    @property
    def unexpected(self) -> tuple[str, ...]:
        """Warnings that the scene does not expect."""
        known = self.scene.expected_warnings
        return tuple(line for line in self.warnings if not any(text in line for text in known))

    @property
    def name(self) -> str:
        """Scene and view, as reports and files call it."""
        return f"{self.scene.name}/{self.view.name}"

    @property
    def words(self) -> str:
        """One line for people."""
        return self.error if self.verdict is None else self.verdict.words
