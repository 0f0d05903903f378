"""Draws the marks of overlays, and keeps them until an input changes.

Overlays without marks (X-ray, channels) are drawn by ``render.scene.frame.overlays``.

1. Marks are renewed when the store, its meshes, the anchor or another input of an overlay (eye, time) changed.
2. The first marks of an overlay are made at once and are current: a picture never shows older ones. A window renews the
   marks of one overlay a frame, the oldest first, and draws them from the next frame on, in which none are renewed:
   sorting and formatting new marks costs as much as making them. If nothing moves, marks that depend on time alone are
   renewed once a second.
3. Texts of all overlays are drawn last and share the available space: no text overlaps another.
4. When a window turns, the visible boxes of only a few overlays are determined in each frame: those of ``SHARED_BY``
   frames are due early, one after the other, so that not all are due at once.
"""

from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

import msgspec
from msgspec.structs import replace

from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.targets import Target
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import REGISTRY, LegendRow, MarkOverlay, OverlayMarks
from render.passes.overlay.boxes import BoxesPass
from render.passes.overlay.labels import LabelsPass
from render.passes.overlay.lines import LinesPass

for _module in iter_modules([str(Path(__file__).parent)]):
    import_module(f"{__package__}.{_module.name}")  # each registers its overlays

STILL_LASTS_S: Final = 1.0
"""How long unmoving marks that time alone changes stay in a window, for changes without a version."""

SHARED_BY: Final = 4
"""Number of frames over which overlays are divided that determine their visible boxes early."""
EARLY: Final = 0.5
"""Share of the data sent ahead from which they do."""


class _KeptMarks(msgspec.Struct):
    """Marks of one overlay, their inputs, and its own passes: unchanged data is not sent again."""

    boxes: BoxesPass
    lines: LinesPass
    key: Hashable = None
    made_s: float = 0.0
    marks: OverlayMarks | None = None
    coming: OverlayMarks | None = None
    hidden: frozenset[str] = frozenset()
    shown: tuple[OverlayMarks, frozenset[str], OverlayMarks] | None = None

    def arrive(self) -> bool:
        """Shows the marks made one frame ago; returns whether there were any. Unchanged labels keep their layout."""
        if self.coming is None:
            return False
        if self.marks is not None and self.coming.labels.same(self.marks.labels):
            self.coming = replace(self.coming, labels=self.marks.labels)
        self.marks, self.coming = self.coming, None
        return True

    def untrue(self, key: Hashable, lasts_s: float | None, seconds: float) -> bool:
        aged = lasts_s is not None and seconds // lasts_s != self.made_s // lasts_s
        return self.marks is None or self.key != key or aged

    def without_hidden(self) -> OverlayMarks | None:
        """Its marks without the boxes of hidden rows; the same object while both are unchanged."""
        if self.marks is None:
            return None
        if self.shown is None or self.shown[0] is not self.marks or self.shown[1] != self.hidden:
            self.shown = self.marks, self.hidden, self.marks.without(self.hidden)
        return self.shown[2]


class OverlayPainter:
    """Draws overlays; owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._kept: dict[str, _KeptMarks] = {}
        self._labels: LabelsPass | None = None
        self._frames = 0

    def make(
        self, names: AbstractSet[str], facts: OverlayFacts, seconds: float, most: int | None = None
    ) -> frozenset[str]:
        """Makes marks of overlays that have no current ones.

        ``seconds``: a growing time, for marks that expire. ``most``: how many overlays' marks are renewed, or shown the
        first time, in one call, besides those without any; None: all, exactly.

        Returns:
            Those that were postponed, and those whose new marks are shown by the next call.
        """
        there = {name: self._of(name) for name in REGISTRY if name in names}
        arrived = {name for name, kept in there.items() if kept.arrive()}
        put_off, made = set(), len(arrived)
        checked = [name for name in there if most is None or name not in arrived]
        for name in sorted(checked, key=lambda name: there[name].made_s):
            overlay, kept = REGISTRY[name], there[name]
            if kept.marks is not None and most is not None and made >= most:
                put_off.add(name)
                continue
            key = _key(overlay, facts)
            if kept.untrue(key, overlay.lasts_s if most is None else _lasts_s(overlay, kept.marks), seconds):
                marks, kept.key, kept.made_s = overlay.make(facts), key, seconds
                if kept.marks is None or most is None:
                    kept.marks = marks
                else:
                    kept.coming, made = marks, made + 1
                    put_off.add(name)
        return frozenset(put_off)

    def draw(
        self,
        names: Iterable[str],
        camera: Camera,
        target: Target,
        ahead: bool = False,
        hidden: AbstractSet[tuple[str, str]] = frozenset(),
    ) -> int:
        """Draws the marks; returns the number of visible boxes.

        ``ahead``: whether data for following frames may be sent. ``hidden``: ``FrameSettings.hidden_rows``.
        """
        on, boxes, texts = set(names), 0, []
        self._frames += 1
        for number, (name, overlay) in enumerate(REGISTRY.items()):
            kept = self._kept.get(name)
            if name not in on or kept is None:
                continue
            kept.hidden = frozenset(label for overlay_name, label in hidden if overlay_name == name)
            if (marks := kept.without_hidden()) is None:
                continue
            is_early = (self._frames + number) % SHARED_BY == 0
            most_used = (EARLY if is_early else 1.0) if ahead else 0.0
            if len(marks.boxes):
                boxes += kept.boxes.draw(target, camera, marks.boxes, overlay.from_within, most_used, overlay.hidden)
            if len(marks.lines):
                kept.lines.draw(target, camera, marks.lines, marks.hidden)
            if len(marks.labels):
                texts.append((marks.labels, marks.hidden))
        if texts:
            self._labels = self._labels or LabelsPass(self._gpu)
            self._labels.draw(target, camera, texts, ahead)
        return boxes

    def legend(self, name: str) -> tuple[LegendRow, ...]:
        """The legend of an overlay's last marks, with counts; empty before the first."""
        kept = self._kept.get(name)
        marks = kept.without_hidden() if kept is not None else None
        return marks.legend if marks is not None else ()

    def forget(self) -> None:
        """Drops all marks: they were of another store."""
        for kept in self._kept.values():
            kept.marks = kept.coming = kept.shown = None

    def release(self) -> None:
        for kept in self._kept.values():
            kept.boxes.release()
            kept.lines.release()
        self._kept.clear()
        if self._labels is not None:
            self._labels.release()
            self._labels = None

    def _of(self, name: str) -> _KeptMarks:
        if name not in self._kept:
            self._kept[name] = _KeptMarks(BoxesPass(self._gpu), LinesPass(self._gpu))
        return self._kept[name]


def _key(overlay: MarkOverlay, facts: OverlayFacts) -> Hashable:
    eye = tuple(int(axis // 16) for axis in facts.eye) if overlay.by_eye else None
    return facts.version, eye, facts.frame.version if overlay.by_frame else None


def _lasts_s(overlay: MarkOverlay, marks: OverlayMarks | None) -> float | None:
    """How long marks stay valid in a window without changes."""
    if overlay.lasts_s is None or marks is None or marks.moves:
        return overlay.lasts_s
    return max(overlay.lasts_s, STILL_LASTS_S)
