"""The processes of a suite: each takes and compares the scenes that it receives, one after the other.

Rules of a process:
1. It imports the modules that draw after its start, when the environment names the kernel cache.
2. It answers each ``CaptureOrder`` with one result for each view, even if the scene fails.
3. It makes its GL context, programs, textures and the child for embedded worlds once for all scenes of a run. A worker
   of a cluster serves several runs.
4. Our own warnings are stored with the result instead of written to stderr, since a scene may cause them on purpose.
   Reports list all of them; the console lists those that the scene does not expect.

Rules of ``run_scenes``:
1. Every scene gets results, even if its process dies. A process takes one scene at a time, and a free process takes the
   next one. Results are returned in the order of the scenes.
2. A scene that is not done ``GRACE_S`` after its time-out has failed. A scene whose process dies is taken once more by
   another process (``render.jobs.processes``); its results then carry a warning.
"""

import atexit
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from client.connection.opening import Progress
from client.errors import CHECK_FAILED, INCOMPLETE, UNREADABLE_FILE
from render.jobs.processes import Outcome, Prepare, opened, run_tasks
from render.scene_tests.scene import SceneFile, SceneResult, SceneView
from render.scene_tests.views import CapturedView

if TYPE_CHECKING:
    from render.scene_tests.take import SceneCapture

LOG: Final = logging.getLogger("chunkscope")
"""The parent of all our loggers."""


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[record.getMessage()] = None


@contextmanager
def warnings_kept() -> Iterator[dict[str, None]]:
    """Collects the warnings logged inside the block, each once, in order, and keeps them from other handlers."""
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


_CAPTURES: Final[dict[str, "SceneCapture"]] = {}
"""By run, one at most: what serves all scenes of a run. Owner thread only."""


def _capture_of(run: str) -> "SceneCapture":
    """What was made ready serves the run that comes first. Raises UnsupportedGpu: there is no OpenGL 3.3."""
    from render.scene_tests.take import SceneCapture  # noqa: PLC0415 - kernels and GL, in the process that draws alone

    if run not in _CAPTURES:
        ready = _CAPTURES.pop("", None)
        _release()
        _CAPTURES[run] = ready or SceneCapture()
    return _CAPTURES[run]


def _release() -> None:
    while _CAPTURES:
        _CAPTURES.popitem()[1].release()


def prepare_capture() -> None:
    """Makes the context before there is a scene. Raises UnsupportedGpu: there is no OpenGL 3.3."""
    _capture_of("")
    atexit.register(_release)


def capture(order: CaptureOrder) -> tuple[SceneResult, ...]:
    """A result for each view of the scene, in their order. Raises UnsupportedGpu: there is no OpenGL 3.3."""
    from render.scene_tests.take import take_all  # noqa: PLC0415 - as above

    scene, started = order.scene, time.perf_counter()
    if not scene.path.exists():  # else it would seem that nothing was accepted
        words = f"{scene.path} does not exist on {socket.gethostname()}, which was to draw it."
        return tuple(SceneResult(scene, view, None, words, UNREADABLE_FILE) for view in scene.views)
    darkroom = _capture_of(order.run)
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
        return replace(result, expected=None, actual=None)  # the takes are not used, so they are not sent
    return result


# --------------------------------------------------------------------- runner

GRACE_S: Final = 15.0
"""For what a scene's own time-out does not count: drawing, comparing, sending."""


class SuitePlan(msgspec.Struct, frozen=True):
    """How scenes are run."""

    jobs: int = 2  # processes
    keep_all: bool = False  # keep takes of views that passed, too
    judge: bool = True  # compare with what was accepted; else takes only
    cluster: str = ""  # address of the Dask scheduler whose workers take them; empty: processes of this machine


def default_jobs() -> int:
    """A process for each core."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def run_scenes(
    scenes: Sequence[SceneFile],
    plan: SuitePlan,
    progress: Progress | None = None,
    work: Callable[[CaptureOrder], tuple[SceneResult, ...]] = capture,
    prepare: Prepare = prepare_capture,
) -> tuple[SceneResult, ...]:
    """Takes every scene; results in order, view by view.

    Raises:
        UnsupportedGpu: there is no OpenGL 3.3.
        ProcessesFailed: no process starts.
        UsageError, SourceError: there is no such cluster.
    """
    run, results = uuid4().hex, dict[int, tuple[SceneResult, ...]]()
    orders = [CaptureOrder(scene, run, plan.keep_all, plan.judge) for scene in scenes]
    with opened(plan.cluster, plan.jobs, prepare) as place, closing(run_tasks(place, work, orders, _limit_s)) as ended:
        for outcome in ended:
            scene = scenes[outcome.number]
            results[outcome.number] = _results(scene, outcome)
            if progress is not None:
                progress(len(results) / len(scenes), scene.name)
    return tuple(result for number in range(len(scenes)) for result in results[number])


def _limit_s(order: CaptureOrder) -> float:
    return order.scene.timeout_s * len(order.scene.views) + GRACE_S


def _results(scene: SceneFile, outcome: Outcome) -> tuple[SceneResult, ...]:
    if outcome.result is None:
        error = f"The process that drew it {outcome.lost}."
        code = INCOMPLETE if outcome.late else CHECK_FAILED
        return tuple(SceneResult(scene, view, None, error, code) for view in scene.views)
    taken: tuple[SceneResult, ...] = outcome.result
    if not outcome.lost:
        return taken
    warning = f"The process that drew it first {outcome.lost}; another one drew it."
    return tuple(replace(result, warnings=(*result.warnings, warning)) for result in taken)
