"""No process is started here: what becomes of tasks is that of ``tests/unit/render/jobs/test_processes.py``."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from render.jobs.processes import Outcome, Place, Processes
from render.scene_tests import worker
from render.scene_tests.scene import SceneResult
from render.scene_tests.worker import GRACE_S, CaptureOrder, SuitePlan, run_scenes
from tests.support.data.scene_suites import PASSED, flat_scene


def test_each_scene_gets_its_results_in_the_order_of_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = [flat_scene(tmp_path, name, "timeout = 20") for name in "dcba"]
    asked: list[CaptureOrder] = []

    def run_tasks(
        place: Place, _work: object, orders: Sequence[CaptureOrder], limit_s: Callable[[CaptureOrder], float]
    ) -> Iterator[Outcome]:
        assert isinstance(place, Processes)
        assert place.count == 3
        assert limit_s(orders[0]) == 20 + GRACE_S
        asked.extend(orders)
        passed = [tuple(SceneResult(scene, view, PASSED) for view in scene.views) for scene in scenes]
        yield Outcome(1, lost="ended by itself with code 7, in two tries")
        yield Outcome(3, passed[3], lost="ended by itself with code 8")
        yield Outcome(0, passed[0])
        yield Outcome(2, lost="did not end in time and was stopped", late=True)

    monkeypatch.setattr(worker, "run_tasks", run_tasks)
    told: list[tuple[int, int, str]] = []
    results = run_scenes(scenes, SuitePlan(3, keep_all=True, judge=False), lambda *words: told.append(words))
    assert told == [(1, 4, "c"), (2, 4, "a"), (3, 4, "d"), (4, 4, "b")]
    assert [(result.scene.name, result.passed, result.error, result.exit_code) for result in results] == [
        ("d", True, "", 0),
        ("c", False, "The process that drew it ended by itself with code 7, in two tries.", 1),
        ("b", False, "The process that drew it did not end in time and was stopped.", 4),
        ("a", True, "", 0),
    ]
    again = ("The process that drew it first ended by itself with code 8; another one drew it.",)
    assert [result.warnings for result in results] == [(), (), (), again]
    run_scenes(scenes, SuitePlan(3, keep_all=True, judge=False))
    assert [(order.scene, order.keep_all, order.judge) for order in asked] == [(s, True, False) for s in scenes] * 2
    assert len({order.run for order in asked[:4]}) == 1, "one run uses what its processes have made"
    assert len({order.run for order in asked}) == 2, "two runs share nothing"
