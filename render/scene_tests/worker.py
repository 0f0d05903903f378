"""One process of a suite: takes scenes that it is told, one after the other, and compares them.

Rules:
1. It is spawned, never forked, and imports what draws only once it runs: kernels load from the cache whose place its
   parent put into the environment.
2. It says ``Ready`` first, or ``Broken`` and ends; then it answers each ``CaptureOrder`` with one ``Captured``,
   whatever happens in the scene. A connection that closes ends it.
3. Its GL context, programs and textures, and the child that makes embedded worlds, are made once and serve all scenes.
4. Warnings of ours are kept beside the result, not written to stderr: one that a scene brings on purpose would stand
   there in every run. Reports have all of them; people are told those that the scene does not expect.
"""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from render.scene_tests.scene import SceneFile, SceneResult, SceneView
from render.scene_tests.views import CapturedView, Renderer

if TYPE_CHECKING:
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


class Ready(msgspec.Struct, frozen=True):
    """It can take scenes; this is what draws."""

    renderer: Renderer


class Broken(msgspec.Struct, frozen=True):
    """It cannot; why, and the exit code of that."""

    words: str
    exit_code: int


class CaptureOrder(msgspec.Struct, frozen=True):
    """Take a scene."""

    scene: SceneFile  # which
    keep_all: bool = False  # send takes of views that passed, too
    judge: bool = True  # compare with what was accepted; else every take is sent and none has a verdict


class Captured(msgspec.Struct, frozen=True):
    """A result for each view of the scene, in their order."""

    results: tuple[SceneResult, ...]


def work(parent: Connection) -> None:
    """The life of the process."""
    from render.gpu import Gpu, UnsupportedGpu  # noqa: PLC0415 - as above
    from render.scene_tests.take import SceneCapture  # noqa: PLC0415 - kernels and GL, in the child alone

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's, which then closes the connection
    try:
        gpu = Gpu.standalone()
    except UnsupportedGpu as error:
        parent.send(Broken(str(error), 5))
        return
    darkroom = SceneCapture(gpu)
    try:
        parent.send(Ready(darkroom.renderer))
        while True:
            parent.send(Captured(_run(darkroom, parent.recv())))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nobody asks any more
    finally:
        darkroom.release()
        gpu.release()


def _run(darkroom: "SceneCapture", order: CaptureOrder) -> tuple[SceneResult, ...]:
    from render.scene_tests.take import take_all  # noqa: PLC0415 - as above

    scene, started = order.scene, time.perf_counter()
    with warnings_kept() as warnings:
        taken = take_all(darkroom, scene)
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
