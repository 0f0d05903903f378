"""Scenes in parallel processes: every scene gets its results, whatever becomes of its process.

Rules:
1. A process takes one scene at a time; the next one goes to whoever is free. Results come in any order and are given in
   the order of the scenes.
2. A scene that is not done ``GRACE_S`` after its time-out has failed. One whose process dies is drawn once more by
   another (``render.jobs.processes``): then its results have a warning, or it has failed.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from client.errors import CHECK_FAILED, INCOMPLETE
from render.jobs.processes import Outcome, Prepare, opened, run_tasks
from render.scene_tests.scene import SceneFile, SceneResult
from render.scene_tests.worker import CaptureOrder, capture, prepare_capture

GRACE_S: Final = 15.0
"""For what a scene's own time-out does not count: drawing, comparing, sending."""

Told = Callable[[int, int, str], None]
"""(scenes done, scenes in all, the name of the last one)."""


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
    told: Told | None = None,
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
            if told is not None:
                told(len(results), len(scenes), scene.name)
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
