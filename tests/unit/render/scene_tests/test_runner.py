"""No test here draws: the processes are those of ``tests.support.data.scene_suites``."""

import signal
from pathlib import Path

import pytest

from render.scene_tests import runner
from render.scene_tests.runner import SuiteBroken, SuitePlan, run_scenes
from tests.support.data import scene_suites
from tests.support.data.scene_suites import flat_scene


@pytest.fixture(autouse=True)
def processes_may_start_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine twenty times overloaded three of them took longer than two minutes."""
    monkeypatch.setattr(runner, "START_S", 1e6)


def test_results_come_in_the_order_of_scenes_whichever_process_took_them(tmp_path: Path) -> None:
    scenes = [flat_scene(tmp_path, name) for name in "dcbae"]
    told: list[int] = []
    results = run_scenes(scenes, SuitePlan(jobs=2), lambda done, _all, _name: told.append(done), scene_suites.sound)
    assert [result.scene.name for result in results] == list("dcbae")
    assert all(result.passed for result in results)
    assert told == [1, 2, 3, 4, 5]


def test_a_process_that_dies_costs_its_scene_alone(tmp_path: Path) -> None:
    scenes = [flat_scene(tmp_path, name) for name in ("a", "dies", "b", "c")]
    results = run_scenes(scenes, SuitePlan(jobs=1), life=scene_suites.sound)
    assert [result.passed for result in results] == [True, False, True, True]
    assert results[1].error == "The process that drew it ended by itself with code 7."
    assert results[1].exit_code == 1


def test_a_scene_that_does_not_end_is_ended_and_the_rest_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "GRACE_S", 0.0)
    scenes = [flat_scene(tmp_path, "hangs", "timeout = 0.3"), flat_scene(tmp_path, "a", "timeout = 250")]
    results = run_scenes(scenes, SuitePlan(jobs=1), life=scene_suites.sound)
    assert [result.passed for result in results] == [False, True]
    assert results[0].error == "The process that drew it did not end in time and was stopped."
    assert results[0].exit_code == 4


def test_without_opengl_nothing_runs_and_the_reason_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuiteBroken, match=r"OpenGL 3\.3 is needed") as caught:
        run_scenes([flat_scene(tmp_path, "a")], SuitePlan(jobs=2), life=scene_suites.without_gl)
    assert caught.value.exit_code == 5


def test_processes_that_never_start_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(SuiteBroken, match="do not start: the last one ended by itself with code 9"):
        run_scenes([flat_scene(tmp_path, "a")], SuitePlan(jobs=1), life=scene_suites.stillborn)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are those of POSIX")
def test_processes_never_hear_an_interrupt_and_this_one_does(tmp_path: Path) -> None:
    (result,) = run_scenes([flat_scene(tmp_path, "a")], SuitePlan(jobs=1), life=scene_suites.deaf)
    assert result.passed
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
