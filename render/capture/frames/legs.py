"""A scripted path, drawn and measured frame by frame, over a scene at rest (``scene.attached``): nothing comes.

The path. ``still``: the same view again and again. ``turn``: a whole turn, evenly. ``walk``: ahead along the look, a
fifth of a block a frame. Each begins after one frame that is not counted. Every frame is waited for, so that none pays
for another; how many frames a second there are is not measured.

Overlays are measured one by one, each standing still and turning, as in a window: time goes on by a sixtieth a frame,
and marks may be ``MARKS_EVERY_S`` old. Their pass is called "overlays".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import cos, radians, sin
from time import thread_time
from typing import Final

from client.player import Eye, View
from client.session.session import Session
from render.camera import Camera
from render.capture.frames.report import LegReport, PassReport, Spread
from render.gpu import Target
from render.gpu.gl_clock import GlClock
from render.gpu.pass_clock import PassTime
from render.scene import Look, Scene

LEGS: Final = ("still", "turn", "walk")
OVERLAY_LEGS: Final = ("still", "turn")
FRAME_S: Final = 1 / 60
MARKS_EVERY_S: Final = 0.1
"""As ``viewer.drawing`` has it."""
WALK_BLOCKS: Final = 0.2
"""A frame."""
WHOLE: Final = "whole frame"
STEP: Final = "step"


def overlay_legs(overlays: Sequence[str], session: Session) -> list[tuple[str, str, Look | None]]:
    """Path, name and look of the legs of overlays, seen as in a window."""
    names = [(path, overlay) for overlay in overlays for path in OVERLAY_LEGS]
    return [(path, f"{path}, overlay {overlay}", _look_of(overlay, session)) for path, overlay in names]


def _look_of(overlay: str, session: Session) -> Look:
    return Look(
        overlays=frozenset({overlay}),
        anchor=session.view.eye.column,
        anchor_radius_columns=session.radius,
        stale=session.stale,
        unsent=lambda: session.unsent,
        trail=session.trail,
        biome_names=session.biome_names,
        marks_every_s=MARKS_EVERY_S,
    )


def leg(
    path: str, name: str, scene: Scene, target: Target, start: View, frames: int, look: Look | None = None
) -> LegReport:
    """One leg.

    Args:
        path: of ``LEGS``.
        name: in the report.
        scene: at rest.
        target: what is drawn to.
        start: where it begins.
        frames: measured, after one that is not.
        look: of each frame, but for its time.
    """
    taken = _Taken()
    with scene.clock.measuring() as gl:
        for number in range(-1, frames):
            view = _view(path, start, max(number, 0) / frames, max(number, 0))
            sent = scene.stats().arena.uploaded_bytes
            spent = _Spent(gl)
            scene.step(view.eye)
            step = spent.so_far()
            scene.draw(Camera.of(view, target.aspect), target, replace(look or Look(), seconds=number * FRAME_S))
            whole, passes = spent.so_far(), scene.clock.take()
            if number >= 0:
                taken.add(whole, step, passes, scene.stats().arena.uploaded_bytes - sent)
    stats = scene.stats()
    return LegReport(name, frames, stats.cells_drawn, stats.quads_drawn, taken.quad_bytes, taken.passes())


class _Spent:
    """What passed since a moment: seconds of our code, and inside of GL calls."""

    def __init__(self, gl: GlClock) -> None:
        self._gl = gl
        self._ours_s, self._gl_s = thread_time() - gl.processor_s, gl.seconds

    def so_far(self) -> tuple[float, float]:
        """Ours, and GL's."""
        return thread_time() - self._gl.processor_s - self._ours_s, self._gl.seconds - self._gl_s


class _Taken:
    """Figures of a leg's frames.

    Attributes:
        quad_bytes: sent to the quad arena.
    """

    def __init__(self) -> None:
        self.quad_bytes = 0
        self._whole: list[tuple[float, float]] = []
        self._steps: list[tuple[float, float]] = []
        self._passes: dict[str, list[tuple[float, float, float]]] = {}

    def add(
        self,
        whole: tuple[float, float],
        step: tuple[float, float],
        passes: Mapping[str, PassTime],
        quad_bytes: int,
    ) -> None:
        """A frame's: all of it, its step, its passes."""
        self._whole.append((max(whole[0], 0.0), whole[1]))
        self._steps.append(step)
        self.quad_bytes += quad_bytes
        for name, time in passes.items():
            self._passes.setdefault(name, []).append((time.ours_s, time.gl_s, time.gpu_s))

    def passes(self) -> dict[str, PassReport]:
        """By name; the whole frame first, then the step, for which the GPU has no timer."""
        untimed = {
            name: PassReport(Spread.of([ours for ours, _ in figures]), Spread.of([gl for _, gl in figures]), None)
            for name, figures in ((WHOLE, self._whole), (STEP, self._steps))
        }
        timed = {
            name: PassReport(*map(Spread.of, zip(*figures, strict=True))) for name, figures in self._passes.items()
        }
        return untimed | timed


def _view(leg: str, start: View, share: float, number: int) -> View:
    """Where the eye is in one frame of a leg."""
    if leg == "turn":
        return replace(start, yaw_deg=start.yaw_deg + 360.0 * share)
    if leg == "walk":
        yaw, step = radians(start.yaw_deg), WALK_BLOCKS * number
        eye = start.eye
        return replace(start, eye=Eye(eye.x - sin(yaw) * step, eye.y, eye.z + cos(yaw) * step))
    return start
