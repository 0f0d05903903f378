"""Joins a source, settles, and measures the path of ``legs`` at one radius."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import monotonic
from typing import Final

from client.connection.opening import open_connection
from client.kernel_cache import cache_directory
from client.options import Options
from client.session.session import Session
from client.source import Source
from net.frozen import frozen
from render.capture.frames.legs import LEGS, leg, overlay_legs
from render.capture.frames.progress import told
from render.capture.frames.report import FrameReport, LegReport
from render.gpu import Gpu, RenderError, Target
from render.jobs.runners import ThreadRunner
from render.scene import Scene, SceneConfig
from render.scene.attached import STEPS_TO_REST
from render.scene.block_looks import BlockLooks

SET_UP: Final = 0.4
"""Share of the bar that joining and loading take."""
Tell = Callable[[float, str], None]
"""(share done 0..1, what is done now)."""


def _silent(_share: float, _what: str) -> None:
    """Tells nobody."""


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
        legs: list[LegReport] = []
        paths = [(name, name, None) for name in LEGS] + overlay_legs(overlays, session)
        began_s = monotonic()
        for number, (path, name, look) in enumerate(paths):
            said = told(f"{name}, {frames} frames", number, len(paths), monotonic() - began_s)
            tell(SET_UP + (1 - SET_UP) * number / len(paths), f"radius {session.radius}: {said}")
            legs.append(leg(path, name, scene, stage.target, session.view, frames, look))
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
