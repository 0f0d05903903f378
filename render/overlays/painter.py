"""Draws overlays made of marks, and keeps their marks while they are true.

Rules:
1. Marks are made anew when the store, its picture, the anchor or what an overlay depends on (eye, time) changed; a
   frame of a still world draws what is there.
2. The first marks of an overlay are made at once and of that very moment: a picture never shows older ones.
3. What is drawn is told with its legend, so that window and panels count nothing again.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.target import Target
from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.overlays.registry import REGISTRY, Overlay
from render.passes.boxes import BoxesPass
from render.passes.labels import LabelsPass
from render.passes.lines import LinesPass


@dataclass(slots=True)
class _Kept:
    """Marks of one overlay and what they were made of, with what draws them.

    Passes are each overlay's own, so that what stays the same is not sent again.
    """

    boxes: BoxesPass
    lines: LinesPass
    labels: LabelsPass
    key: Hashable = None
    marks: Marks | None = None

    def release(self) -> None:
        """Frees its GL objects."""
        for each in (self.boxes, self.lines, self.labels):
            each.release()


class Painter:
    """Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Nothing is compiled before an overlay is shown."""
        self._gpu = gpu
        self._kept: dict[str, _Kept] = {}

    def make(self, names: Iterable[str], facts: Facts, seconds: float) -> None:
        """Makes marks of those that have none of this moment.

        Args:
            names: of overlays that are on; those that are not made of marks are passed over.
            facts: of this moment.
            seconds: grows with time; when time alone makes marks untrue.
        """
        on = set(names)
        for name in [name for name in REGISTRY if name in on]:
            overlay, kept = REGISTRY[name], self._of(name)
            key = _key(overlay, facts, seconds)
            if kept.marks is None or kept.key != key:
                kept.marks, kept.key = overlay.make(facts), key

    def draw(self, names: Iterable[str], camera: Camera, target: Target) -> int:
        """Draws what was made over the target in use; gives how many boxes there are in sight."""
        on, boxes = set(names), 0
        for name, overlay in REGISTRY.items():
            kept = self._kept.get(name)
            if name not in on or kept is None or kept.marks is None:
                continue
            marks = kept.marks
            boxes += kept.boxes.draw(target, camera, marks.boxes, overlay.from_within)
            kept.lines.draw(target, camera, marks.lines, marks.hidden)
            kept.labels.draw(target, camera, marks.labels, marks.hidden)
        return boxes

    def legend(self, name: str) -> tuple[LegendRow, ...]:
        """What the marks made last of an overlay mean, and how many there are of each; nothing before the first."""
        kept = self._kept.get(name)
        return kept.marks.legend if kept is not None and kept.marks is not None else ()

    def forget(self) -> None:
        """Lets go all marks: they were of another store."""
        for kept in self._kept.values():
            kept.marks = None

    def release(self) -> None:
        """Frees every GL object."""
        for kept in self._kept.values():
            kept.release()
        self._kept.clear()

    def _of(self, name: str) -> _Kept:
        if name not in self._kept:
            self._kept[name] = _Kept(BoxesPass(self._gpu), LinesPass(self._gpu), LabelsPass(self._gpu))
        return self._kept[name]


def _key(overlay: Overlay, facts: Facts, seconds: float) -> Hashable:
    eye = tuple(int(axis // 16) for axis in facts.eye) if overlay.by_eye else None
    frame = facts.frame.version if overlay.by_frame else None
    return facts.version, eye, frame, None if overlay.lasts_s is None else seconds // overlay.lasts_s
