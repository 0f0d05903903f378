"""One process of a suite: takes scenes that it is told, one after the other, and compares them.

Rules:
1. It imports what draws only once it runs: kernels load from the cache whose place is in the environment.
2. It answers each ``CaptureOrder`` with a result for each view, whatever happens in the scene.
3. Its GL context, programs and textures, and the child that makes embedded worlds, are made once a run and serve all
   scenes of it; a worker of a cluster sees several runs.
4. Warnings of ours are kept beside the result, not written to stderr: one that a scene brings on purpose would stand
   there in every run. Reports have all of them; people are told those that the scene does not expect.
"""

import atexit
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from client.errors import UNREADABLE_FILE
from render.scene_tests.scene import SceneFile, SceneResult, SceneView
from render.scene_tests.views import CapturedView

if TYPE_CHECKING:
    from render.gpu import Gpu
    from render.scene_tests.take import SceneCapture


LOG: Final = logging.getLogger("chunkscope")
"""Above all of ours."""


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[record.getMessage()] = None


@contextmanager
def warnings_kept() -> Iterator[dict[str, None]]:
    """Warnings that are logged meanwhile, each once, in their order; nobody else hears them."""
    keeper, passed_on = _Keeper(), LOG.propagate
    LOG.addHandler(keeper)
    LOG.propagate = False
    try:
        yield keeper.lines
    finally:
        LOG.propagate = passed_on
        LOG.removeHandler(keeper)


# ---------------------------------------------------------------- worker


class CaptureOrder(msgspec.Struct, frozen=True):
    """Take a scene."""

    scene: SceneFile  # which
    run: str = ""  # what is kept of another run is not used
    keep_all: bool = False  # send takes of views that passed, too
    judge: bool = True  # compare with what was accepted; else every take is sent and none has a verdict


class _RunResources(msgspec.Struct):
    """What serves all scenes of a run. Owner thread only."""

    run: str = ""  # empty: it serves whichever comes first
    gpu: "Gpu | None" = None
    capture: "SceneCapture | None" = None

    def of(self, run: str) -> "SceneCapture":
        from render.gpu import Gpu  # noqa: PLC0415 - kernels and GL, in the process that draws alone
        from render.scene_tests.take import SceneCapture  # noqa: PLC0415 - as above

        if self.run and self.run != run:
            self.release()
        self.run = run
        if self.gpu is None:
            self.gpu = Gpu.standalone()
        if self.capture is None:
            self.capture = SceneCapture(self.gpu)
        return self.capture

    def release(self) -> None:
        for each in (self.capture, self.gpu):
            if each is not None:
                each.release()
        self.capture = self.gpu = None


_RESOURCES: Final = _RunResources()


def prepare_capture() -> None:
    """Makes the context before there is a scene. Raises UnsupportedGpu: there is no OpenGL 3.3."""
    _RESOURCES.of("")
    atexit.register(_RESOURCES.release)


def capture(order: CaptureOrder) -> tuple[SceneResult, ...]:
    """A result for each view of the scene, in their order. Raises UnsupportedGpu: there is no OpenGL 3.3."""
    from render.scene_tests.take import take_all  # noqa: PLC0415 - as above

    scene, started = order.scene, time.perf_counter()
    if not scene.path.exists():  # else it would seem that nothing was accepted
        words = f"{scene.path} does not exist on {socket.gethostname()}, which was to draw it."
        return tuple(SceneResult(scene, view, None, words, UNREADABLE_FILE) for view in scene.views)
    resources = _RESOURCES.of(order.run)
    with warnings_kept() as warnings:
        taken = take_all(resources, scene)
    seconds = (time.perf_counter() - started) / len(scene.views)
    results = (
        _result(order, view, one, seconds) if isinstance(one, CapturedView) else replace(one, seconds=seconds)
        for view, one in zip(scene.views, taken, strict=True)
    )
    return tuple(replace(result, warnings=tuple(warnings)) for result in results)


def _result(order: CaptureOrder, view: SceneView, take: CapturedView, seconds: float) -> SceneResult:
    from render.scene_tests.suite import judged  # noqa: PLC0415 - as above

    if not order.judge:
        return SceneResult(order.scene, view, None, "", 0, None, take, seconds)
    result = judged(order.scene, view, take, seconds)
    if result.passed and not order.keep_all:
        return replace(result, expected=None, actual=None)  # nobody looks at them, so they are not sent
    return result
