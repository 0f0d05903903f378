"""One process of a suite: takes scenes that it is told, one after the other, and compares them.

Rules:
1. It is spawned, never forked, and imports what draws only once it runs: kernels load from the cache whose place its
   parent put into the environment.
2. It says ``Ready`` first, or ``Broken`` and ends; then it answers each ``Order`` with one ``Taken``, whatever happens
   in the scene. A connection that closes ends it.
3. Its GL context, programs and textures, and the child that makes embedded worlds, are made once and serve all scenes.
"""

import signal
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from net.frozen import frozen
from render.capture.scenarios.kept_warnings import warnings_kept
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.scene import Scene, SceneView
from render.capture.truth import Renderer, Take

if TYPE_CHECKING:
    from render.capture.scenarios.taking import Darkroom


@frozen
class Ready:
    """It can take scenes; this is what draws."""

    renderer: Renderer


@frozen
class Broken:
    """It cannot; why, and the exit code of that."""

    words: str
    exit_code: int


@frozen
class Order:
    """Take a scene.

    Attributes:
        scene: which.
        keep_all: send takes of views that passed, too.
        judge: compare with what was accepted; else every take is sent and none has a verdict.
    """

    scene: Scene
    keep_all: bool = False
    judge: bool = True


@frozen
class Taken:
    """A result for each view of the scene, in their order."""

    results: tuple[SceneResult, ...]


def work(parent: Connection) -> None:
    """The life of the process."""
    from render.capture.scenarios.taking import Darkroom  # noqa: PLC0415 - kernels and GL, in the child alone
    from render.gpu import Gpu, UnsupportedGpu  # noqa: PLC0415 - as above

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's, which then closes the connection
    try:
        gpu = Gpu.standalone()
    except UnsupportedGpu as error:
        parent.send(Broken(str(error), 5))
        return
    darkroom = Darkroom(gpu)
    try:
        parent.send(Ready(darkroom.renderer))
        while True:
            parent.send(Taken(_run(darkroom, parent.recv())))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nobody asks any more
    finally:
        darkroom.release()
        gpu.release()


def _run(darkroom: "Darkroom", order: Order) -> tuple[SceneResult, ...]:
    from render.capture.scenarios.taken import take_all  # noqa: PLC0415 - as above

    scene, started = order.scene, time.perf_counter()
    with warnings_kept() as warnings:
        taken = take_all(darkroom, scene)
    seconds = (time.perf_counter() - started) / len(scene.views)
    results = (
        _result(order, view, one, seconds) if isinstance(one, Take) else replace(one, seconds=seconds)
        for view, one in zip(scene.views, taken, strict=True)
    )
    return tuple(replace(result, warnings=tuple(warnings)) for result in results)


def _result(order: Order, view: SceneView, take: Take, seconds: float) -> SceneResult:
    from render.capture.scenarios.judging import judged  # noqa: PLC0415 - as above

    if not order.judge:
        return SceneResult(order.scene, view, None, "", 0, None, take, seconds)
    result = judged(order.scene, view, take, seconds)
    if result.passed and not order.keep_all:
        return replace(result, expected=None, actual=None)  # nobody looks at them, so they are not sent
    return result
