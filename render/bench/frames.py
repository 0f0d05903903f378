"""Draws a scripted camera path over a settled scene (no packets arrive) and measures each frame.

``still``: the same view in each frame. ``turn``: a full turn at constant speed. ``walk``: forward, a fifth of a block a
frame. The first frame of each leg is not counted. Each frame is finished before the next begins, so frame rates are not
measured. Overlays are measured one by one, standing and turning; time advances by 1/60 s a frame, and marks are up to
``MARKS_EVERY_S`` old. Their pass is called "overlays".

Time is split three ways: *ours* is the owner thread's processor time outside of GL calls (processor time, because
llvmpipe's threads compete for the processors), *gl* the time inside of GL calls (``render.gpu.timers``), *gpu* the time
that the GPU's timers report.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import cos, radians, sin
from time import monotonic, thread_time
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.connection.opening import Progress, open_connection
from client.kernel_cache import cache_directory
from client.options import Options
from client.player import Eye, View
from client.session.session import Session
from client.source import Source
from render.camera import Camera
from render.gpu import Gpu, RenderError, Target
from render.gpu.timers import GlClock, PassTime
from render.jobs.workers import ThreadRunner
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.frame.frame import session_settings
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.world_view import STEPS_TO_REST

WORTH_S: Final = 20.0
"""What takes less is not foretold."""


def format_leg(leg: str, number: int, legs: int, elapsed_s: float) -> str:
    """What is said as a leg begins. ``number``: of it, from 0. ``elapsed_s``: since the first began."""
    left_s = elapsed_s / number * (legs - number) if number else 0.0
    left = f"{left_s:.0f} s" if left_s < 90 else f"{left_s / 60:.0f} min"
    return f"{leg}, leg {number + 1} of {legs}" + f", about {left} left" * (left_s >= WORTH_S)


# ---------------------------------------------------------------- report

HEAD: Final = f"{'':16}{'ours: min':>10}{'median':>9}{'p99':>9}{'GL calls':>10}{'p99':>9}{'GPU':>9}{'p99':>9}  ms"
ROWS_A_HEAD: Final = 40
"""After so many lines a table repeats its header before the next leg, as a terminal no longer shows it."""


class Spread(msgspec.Struct, frozen=True):
    """Of one figure over the frames of a leg, in milliseconds: least, median, 99th percentile."""

    least_ms: float  # the shortest frame
    median_ms: float  # half of the frames take no longer
    p99_ms: float  # 99 of 100 frames take no longer

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Spread":
        """Of at least one figure."""
        least, median, p99 = np.percentile(np.array(seconds) * 1e3, [0, 50, 99])
        return cls(float(least), float(median), float(p99))


class PassReport(msgspec.Struct, frozen=True):
    """One pass of one leg: our code, GL calls, the GPU."""

    ours: Spread  # chunkscope's own code
    gl: Spread  # GL calls, as the processor waits for them
    gpu: Spread | None  # the GPU's own time; None where the driver does not measure it


class LegReport(msgspec.Struct, frozen=True):
    """One leg."""

    name: str  # of its path, with the overlay that was on
    frames: int  # measured
    cells_drawn: int  # in its last frame
    quads_drawn: int  # in its last frame
    quad_bytes: int  # sent to the quad arena meanwhile
    passes: Mapping[str, PassReport]  # by name; the whole frame, step and draw, first, then the step alone


class FrameReport(msgspec.Struct, frozen=True):
    """One radius."""

    source: str  # where the world comes from
    radius: int  # visibility radius in columns
    size_px: tuple[int, int]  # of the picture
    renderer: str  # the renderer's name
    draws: str  # "indirect" or "plain"
    columns: int  # that were there when it was measured
    lacks: str  # what was still waited for then, in words; empty where the world was whole
    cells: int  # render cells with quads
    legs: tuple[LegReport, ...]  # in order

    def lines(self) -> Iterator[str]:
        size = f"{self.size_px[0]} x {self.size_px[1]}"
        world = f"{self.source}, radius {self.radius}, {self.columns} columns"
        yield f"{world}, {size}, {self.draws} draws, {self.renderer}"
        if self.lacks:
            yield f"not complete when measured: {self.lacks}; a longer --timeout waits longer"
        yield HEAD
        rows = 0
        for leg in self.legs:
            if rows >= ROWS_A_HEAD:
                yield HEAD
                rows = 0
            yield from (lines := self._leg_lines(leg))
            rows += len(lines)

    def _leg_lines(self, leg: LegReport) -> list[str]:
        """A line for the leg, and one for each pass."""
        drawn = f"{leg.cells_drawn} of {self.cells} render cells, {leg.quads_drawn} quads"
        lines = [f"{leg.name}: {leg.frames} frames, {drawn}; {leg.quad_bytes} bytes of quads sent"]
        for name, one in leg.passes.items():
            gpu = f"{one.gpu.median_ms:9.2f}{one.gpu.p99_ms:9.2f}" if one.gpu else ""
            ours = f"{one.ours.least_ms:10.3f}{one.ours.median_ms:9.3f}{one.ours.p99_ms:9.3f}"
            lines.append(f"  {name:14}{ours}{one.gl.median_ms:10.2f}{one.gl.p99_ms:9.2f}{gpu}")
        return lines


# ---------------------------------------------------------------- legs

LEGS: Final = ("still", "turn", "walk")
OVERLAY_LEGS: Final = ("still", "turn")
FRAME_S: Final = 1 / 60
MARKS_EVERY_S: Final = 0.1
"""As ``render.viewer.app`` has it."""
WALK_BLOCKS: Final = 0.2
"""A frame."""
WHOLE: Final = "whole frame"
STEP: Final = "step"


def overlay_legs(overlays: Sequence[str], session: Session) -> list[tuple[str, str, FrameSettings | None]]:
    """Path, name and look of the legs of overlays, seen as in a window."""
    look = replace(
        session_settings(session),
        anchor=session.movement.view.eye.column,
        anchor_radius_columns=session.radius,
        marks_every_s=MARKS_EVERY_S,
    )
    return [
        (path, f"{path}, overlay {overlay}", replace(look, overlays=frozenset({overlay})))
        for overlay in overlays
        for path in OVERLAY_LEGS
    ]


def leg(
    path: str, name: str, scene: Scene, target: Target, start: View, frames: int, look: FrameSettings | None = None
) -> LegReport:
    """Draws one leg. ``frames``: how many are measured, after one that is not. ``look``: the frame's settings."""
    taken = _Taken()
    with scene.clock.measuring() as gl:
        for number in range(-1, frames):
            view = _view(path, start, max(number, 0) / frames, max(number, 0))
            sent = scene.stats().arena.uploaded_bytes
            spent = _Spent(gl)
            scene.step(view.eye)
            step = spent.so_far()
            scene.draw(
                Camera.of(view, target.aspect), target, replace(look or FrameSettings(), seconds=number * FRAME_S)
            )
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
        return thread_time() - self._gl.processor_s - self._ours_s, self._gl.seconds - self._gl_s


class _Taken:
    """Figures of a leg's frames."""

    def __init__(self) -> None:
        self.quad_bytes = 0  # sent to the quad arena
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
    if leg == "turn":
        return replace(start, yaw_deg=start.yaw_deg + 360.0 * share)
    if leg == "walk":
        yaw, step = radians(start.yaw_deg), WALK_BLOCKS * number
        eye = start.eye
        return replace(start, eye=Eye(eye.x - sin(yaw) * step, eye.y, eye.z + cos(yaw) * step))
    return start


# ---------------------------------------------------------------- measuring

SET_UP: Final = 0.4
"""Share of the bar that joining and loading take."""


def measure_frames(
    source: Source,
    options: Options,
    size_px: tuple[int, int],
    frames: int,
    indirect: bool | None,
    tell: Progress,
    overlays: Sequence[str],
) -> FrameReport:
    """Joins a source, waits until it is settled, and draws the path.

    ``options``: how to join, with the radius. ``indirect``: whether to draw indirectly; None: if the context can.
    ``tell``: called with the share done and what is done.

    Raises:
        SourceError: the source cannot be joined, or ended the session.
        UnsupportedGpu: there is no OpenGL 3.3.
        RenderError: the scene did not settle, a bug of ours.
    """
    tell(0.0, f"radius {options.radius}: joining and loading")
    with ExitStack() as undo:
        gpu = Gpu.standalone()
        undo.callback(gpu.release)
        connection = undo.enter_context(open_connection(source, replace(options, light=False)))
        settled = connection.wait_settled()
        session = connection.session
        store, view = session.dimension.store, session.movement.view
        runner = ThreadRunner()
        undo.callback(runner.close)
        config = SceneConfig(upload_bytes=None, radius_columns=session.radius, indirect=indirect)
        scene = Scene(gpu, BlockAppearance(store.table, cache_directory()), runner, config)
        undo.callback(scene.release)
        target = Target(gpu, size_px)
        undo.callback(target.release)
        scene.attach(store, session.dimension.light, session.anchors)
        tell(0.25, f"radius {session.radius}: light and meshes of {len(store.row_of)} columns")
        if not scene.settle(view.eye):
            raise RenderError("the scene did not settle")
        for _ in range(STEPS_TO_REST):
            scene.step(view.eye)
        legs: list[LegReport] = []
        paths = [(name, name, None) for name in LEGS] + overlay_legs(overlays, session)
        began_s = monotonic()
        for number, (path, name, look) in enumerate(paths):
            said = format_leg(f"{name}, {frames} frames", number, len(paths), monotonic() - began_s)
            tell(SET_UP + (1 - SET_UP) * number / len(paths), f"radius {session.radius}: {said}")
            legs.append(leg(path, name, scene, target, view, frames, look))
        return FrameReport(
            source=str(source),
            radius=session.radius,
            size_px=size_px,
            renderer=gpu.capabilities.renderer,
            draws="indirect" if gpu.capabilities.draws_indirect and indirect is not False else "plain",
            columns=len(store.row_of),
            lacks=settled.waiting_for,
            cells=scene.stats().cells_shown,
            legs=tuple(legs),
        )
