"""What frames cost: a settled world, a scripted path, every pass by itself.

The path. ``still``: the same view again and again. ``turn``: a whole turn, evenly. ``walk``: ahead along the look, a
fifth of a block a frame. Each begins after one frame that is not counted. Time is split three ways: *ours* is the owner
thread's processor time outside of GL calls (a driver like llvmpipe takes the processor away at will), *gl* what passes
inside of them (``gpu.gl_clock``), *gpu* what the GPU's timers say. Every frame is waited for, so that none pays for
another; how many frames a second there are is not measured. The scene is at rest (``scene.attached``): nothing comes.

Overlays are measured one by one, each standing still and turning, as in a window: time goes on by a sixtieth a frame,
and marks may be ``MARKS_EVERY_S`` old. Their pass is called "overlays".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from math import cos, radians, sin
from time import thread_time
from typing import Any, Final

import numpy as np

from client.connect.opening import open_connection
from client.connect.options import Options
from client.connect.source import Source
from client.connect.warmup import cache_directory
from client.player import Eye, View
from client.session.session import Session
from net.frozen import frozen
from render.camera import Camera
from render.gpu import Gpu, RenderError, Target
from render.jobs.runners import ThreadRunner
from render.scene import Look, Scene, SceneConfig
from render.scene.attached import STEPS_TO_REST
from render.scene.block_looks import BlockLooks

LEGS: Final = ("still", "turn", "walk")
OVERLAY_LEGS: Final = ("still", "turn")
FRAME_S: Final = 1 / 60
MARKS_EVERY_S: Final = 0.1
"""As ``viewer.drawing`` has it."""
WALK_BLOCKS: Final = 0.2
"""A frame."""
WHOLE: Final = "whole frame"
STEP: Final = "step"
Tell = Callable[[float, str], None]
"""(share done 0..1, what is done now)."""


def _silent(_share: float, _what: str) -> None:
    """Tells nobody."""


@frozen
class Spread:
    """Of one figure over the frames of a leg, in milliseconds: least, median, 99th percentile."""

    least_ms: float
    median_ms: float
    p99_ms: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Spread":
        """Of at least one figure."""
        least, median, p99 = np.percentile(np.array(seconds) * 1e3, [0, 50, 99])
        return cls(float(least), float(median), float(p99))


@frozen
class PassReport:
    """One pass of one leg: our code, GL calls, the GPU."""

    ours: Spread
    gl: Spread
    gpu: Spread | None


@frozen
class LegReport:
    """One leg.

    Attributes:
        name: of ``LEGS``, with the overlay that was on.
        frames: measured.
        cells_drawn: in its last frame.
        quads_drawn: likewise.
        quad_bytes: sent to the quad arena meanwhile.
        passes: by name; the whole frame, step and draw, first, then the step alone.
    """

    name: str
    frames: int
    cells_drawn: int
    quads_drawn: int
    quad_bytes: int
    passes: Mapping[str, PassReport]


@frozen
class FrameReport:
    """One radius.

    Attributes:
        source: where the world comes from.
        radius: visibility radius in columns.
        size_px: of the picture.
        renderer: who drew.
        draws: "indirect" or "plain".
        columns: that were there when it was measured.
        lacks: what was still waited for then, in words; empty where the world was whole.
        cells: render cells with quads.
        legs: in order.
    """

    source: str
    radius: int
    size_px: tuple[int, int]
    renderer: str
    draws: str
    columns: int
    lacks: str
    cells: int
    legs: tuple[LegReport, ...]

    def as_json(self) -> dict[str, Any]:  # Any: what JSON holds
        """All of it, keys as named above."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """A table."""
        size = f"{self.size_px[0]} x {self.size_px[1]}"
        world = f"{self.source}, radius {self.radius}, {self.columns} columns"
        yield f"{world}, {size}, {self.draws} draws, {self.renderer}"
        if self.lacks:
            yield f"not whole when it was measured: {self.lacks}; a longer --timeout waits for more"
        yield f"{'':16}{'ours: min':>10}{'median':>9}{'p99':>9}{'GL calls':>10}{'p99':>9}{'GPU':>9}{'p99':>9}  ms"
        for leg in self.legs:
            drawn = f"{leg.cells_drawn} of {self.cells} cells, {leg.quads_drawn} quads"
            yield f"{leg.name}: {leg.frames} frames, {drawn}; {leg.quad_bytes} bytes of quads sent"
            for name, one in leg.passes.items():
                gpu = f"{one.gpu.median_ms:9.2f}{one.gpu.p99_ms:9.2f}" if one.gpu else ""
                ours = f"{one.ours.least_ms:10.3f}{one.ours.median_ms:9.3f}{one.ours.p99_ms:9.3f}"
                yield f"  {name:14}{ours}{one.gl.median_ms:10.2f}{one.gl.p99_ms:9.2f}{gpu}"


def measure_frames(
    source: Source,
    options: Options,
    size_px: tuple[int, int],
    frames: int = 120,
    indirect: bool | None = None,
    tell: Tell = _silent,
    overlays: Sequence[str] = (),
) -> FrameReport:
    """Joins a source, settles, draws the path.

    Args:
        source: where the world comes from.
        options: how to join; their radius is measured.
        size_px: of the picture.
        frames: of each leg.
        indirect: which way to draw, None for what the context can.
        tell: hears what is done, with the share that is.
        overlays: names of overlays that are measured, too.

    Raises:
        SourceError: the source cannot be joined, or ended the session.
        UnsupportedGpu: there is no OpenGL 3.3.
        RenderError: the scene did not settle, a bug of ours.
    """
    with ExitStack() as undo:
        stage = _set_up(undo, source, options, size_px, indirect, tell)
        scene, session = stage.scene, stage.session
        legs = []
        for number, name in enumerate(LEGS):
            tell(0.4 + 0.2 * number, f"radius {session.radius}: {name}, {frames} frames")
            legs.append(_leg(name, name, scene, stage.target, session.view, frames))
        for overlay in overlays:
            tell(0.99, f"radius {session.radius}: overlay {overlay}")
            legs += _overlay_legs(overlay, scene, stage.target, session, frames)
        return _report(str(source), size_px, stage, indirect, tuple(legs))


@frozen
class _Stage:
    """A settled scene, what it is drawn with, and what of its world was still waited for."""

    gpu: Gpu
    session: Session
    scene: Scene
    target: Target
    lacks: str


def _report(
    source: str, size_px: tuple[int, int], stage: _Stage, indirect: bool | None, legs: tuple[LegReport, ...]
) -> FrameReport:
    capabilities = stage.gpu.capabilities
    indirect = capabilities.draws_indirect if indirect is None else indirect
    return FrameReport(
        source=source,
        radius=stage.session.radius,
        size_px=size_px,
        renderer=capabilities.renderer,
        draws="indirect" if indirect and capabilities.draws_indirect else "plain",
        columns=len(stage.session.store.row_of),
        lacks=stage.lacks,
        cells=stage.scene.stats().cells_shown,
        legs=legs,
    )


def _set_up(
    undo: ExitStack, source: Source, options: Options, size_px: tuple[int, int], indirect: bool | None, tell: Tell
) -> _Stage:
    """Joins a source and settles; ``undo`` gives back all of it."""
    tell(0.0, f"radius {options.radius}: joining and loading")
    gpu = Gpu.standalone()
    undo.callback(gpu.release)
    connection = undo.enter_context(open_connection(source, replace(options, light=False)))
    settled = connection.wait_settled()
    session = connection.session
    runner = ThreadRunner()
    undo.callback(runner.close)
    config = SceneConfig(upload_bytes=None, radius_columns=session.radius, indirect=indirect)
    scene = Scene(gpu, BlockLooks(session.store.table, cache_directory()), runner, config)
    undo.callback(scene.release)
    target = Target(gpu, size_px)
    undo.callback(target.release)
    scene.attach(session.store, session.light, session.anchors)
    tell(0.25, f"radius {session.radius}: light and meshes of {len(session.store.row_of)} columns")
    if not scene.settle(session.view.eye):
        raise RenderError("the scene did not come to rest")
    for _ in range(STEPS_TO_REST):
        scene.step(session.view.eye)
    return _Stage(gpu, session, scene, target, settled.waiting_for)


def _overlay_legs(overlay: str, scene: Scene, target: Target, session: Session, frames: int) -> list[LegReport]:
    """The legs of one overlay, seen as in a window."""
    look = Look(
        overlays=frozenset({overlay}),
        anchor=session.view.eye.column,
        anchor_radius_columns=session.radius,
        stale=session.stale,
        unsent=lambda: session.unsent,
        trail=session.trail,
        biome_names=session.biome_names,
        marks_every_s=MARKS_EVERY_S,
    )
    names = [(name, f"{name}, overlay {overlay}") for name in OVERLAY_LEGS]
    return [_leg(path, name, scene, target, session.view, frames, look) for path, name in names]


def _leg(
    path: str, name: str, scene: Scene, target: Target, start: View, frames: int, look: Look | None = None
) -> LegReport:
    """One leg: a path of ``LEGS`` under a name, each frame with a look."""
    look = look or Look()
    ours: list[float] = []
    inside: list[float] = []
    steps: list[tuple[float, float]] = []
    passes: dict[str, list[tuple[float, float, float]]] = {}
    quad_bytes = 0
    with scene.clock.measuring() as gl:
        for number in range(-1, frames):
            view = _view(path, start, max(number, 0) / frames, max(number, 0))
            sent = scene.stats().arena.uploaded_bytes
            before, begun = gl.seconds, thread_time() - gl.processor_s
            scene.step(view.eye)
            stepped = thread_time() - gl.processor_s - begun, gl.seconds - before
            scene.draw(Camera.of(view, target.aspect), target, replace(look, seconds=number * FRAME_S))
            spent, calls = thread_time() - gl.processor_s - begun, gl.seconds - before
            times = scene.clock.take()
            if number < 0:
                continue
            ours.append(max(spent, 0.0))
            inside.append(calls)
            steps.append(stepped)
            quad_bytes += scene.stats().arena.uploaded_bytes - sent
            for each, time in times.items():
                passes.setdefault(each, []).append((time.ours_s, time.gl_s, time.gpu_s))
    whole = {WHOLE: PassReport(Spread.of(ours), Spread.of(inside), None)}
    whole[STEP] = PassReport(Spread.of([ours_s for ours_s, _ in steps]), Spread.of([gl_s for _, gl_s in steps]), None)
    parts = {
        each: PassReport(*(Spread.of(figures) for figures in zip(*taken, strict=True)))
        for each, taken in passes.items()
    }
    stats = scene.stats()
    return LegReport(name, frames, stats.cells_drawn, stats.quads_drawn, quad_bytes, whole | parts)


def _view(leg: str, start: View, share: float, number: int) -> View:
    """Where the eye is in one frame of a leg."""
    if leg == "turn":
        return replace(start, yaw_deg=start.yaw_deg + 360.0 * share)
    if leg == "walk":
        yaw, step = radians(start.yaw_deg), WALK_BLOCKS * number
        eye = start.eye
        return replace(start, eye=Eye(eye.x - sin(yaw) * step, eye.y, eye.z + cos(yaw) * step))
    return start
