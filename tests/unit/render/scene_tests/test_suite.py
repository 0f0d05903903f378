"""No process is started here: what becomes of tasks is that of ``tests/unit/render/jobs/test_processes.py``."""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from client.source import Embedded
from render.capture.channels import Shot, ShotPalette
from render.jobs.processes import Outcome, Place, Processes
from render.scene_tests import suite as suites
from render.scene_tests import worker
from render.scene_tests.compare_data import PARTS, DataTruth, Digests
from render.scene_tests.report_html import cases_of
from render.scene_tests.scene import NOTHING_ACCEPTED, BadScene, SceneFile, SceneResult, SceneView
from render.scene_tests.suite import (
    THREADS,
    Acceptance,
    accept_suite,
    differences,
    exit_code,
    format_acceptance,
    format_missing,
    format_results,
    mixed,
    open_suite,
    ways,
)
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView, Renderer
from render.scene_tests.worker import GRACE_S, CaptureOrder, SuitePlan, run_scenes, warnings_kept
from tests.support.data.scene_suites import PASSED as PASSED_RUN
from tests.support.data.scene_suites import flat_scene, write_scene

# ---------------------------------------------------------------- suite

# ---------------------------------------------------------------- telling

VIEW = SceneView("front", (1.0, 2.5, 3.0), (0.0, 10.0))
PASSED = Verdict(
    (Layer("data", LayerOutcome.PASSED, "same", {}), Layer("colour", LayerOutcome.SKIPPED, "No picture.", {}))
)
FAILED = Verdict((Layer("data", LayerOutcome.FAILED, "light of 2 sub-chunks differs.", {}),))
BAD = BadScene("x.toml, line 1: unknown key 'a'")


def result(name: str, verdict: Verdict | None = PASSED, error: str = "", code: int = 0) -> SceneResult:
    return SceneResult(SceneFile(Path(f"{name}.toml"), name, Embedded(), (VIEW,)), VIEW, verdict, error, code)


@pytest.mark.parametrize(
    ("results", "bad", "code"),
    [
        ([result("a"), result("b")], [], 0),
        ([result("a"), result("b", FAILED)], [], 1),
        ([result("a", FAILED)], [], 1),
        ([result("a", None, NOTHING_ACCEPTED, 1)], [], 1),
        ([result("a", None, "absent", 3)], [], 3),
        ([result("a", None, "did not settle", 4)], [], 4),
        ([result("a", None, "did not settle", 4), result("b")], [], 4),
        ([result("a", None, "absent", 3), result("b", None, "absent", 3)], [], 3),
        ([result("a", None, "absent", 3), result("b", None, "did not settle", 4)], [], 1),
        ([], [BAD], 2),
        ([], [BAD, BAD], 2),
        ([result("a")], [BAD, BAD], 2),
        ([result("a", FAILED)], [BAD], 1),
        ([result("a", None, "absent", 3)], [BAD], 1),
    ],
)
def test_the_exit_code_is_the_one_that_all_failures_have_in_common(
    results: list[SceneResult], bad: list[BadScene], code: int
) -> None:
    assert exit_code([result for result in results if not result.passed], bad) == code


def test_every_failure_has_a_line_and_what_was_skipped_is_said_once() -> None:
    lines = format_results([result("a"), result("b"), result("c", FAILED)], [BAD])
    assert lines == [
        "FAILED c/front:",
        "  world: light of 2 sub-chunks differs.",
        "NO SCENE x.toml, line 1: unknown key 'a'",
        "colour skipped: No picture. (2 of 3 views)",
        "3 views of 3 scenes: 2 passed, 1 failed, 1 file cannot be read as a scene.",
    ]


def test_a_warning_is_told_once_unless_its_scene_expects_it() -> None:
    known = replace(result("a").scene, expected_warnings=("broken.png",))
    broken, lost = "small: broken.png, 'broken': it is not a readable PNG", "lost.png does not exist"
    results = [
        replace(result("a"), scene=known, warnings=(broken, lost)),
        replace(result("b"), warnings=(lost,)),
        replace(result("c", None, "did not settle", 4), warnings=(broken,)),
    ]
    told = [f"warning in a: {lost}", f"warning in c: {broken}"]
    assert [line for line in format_results(results, []) if line.startswith("warning")] == told
    assert [
        line for line in format_acceptance(Acceptance(tuple(results), {}), []) if line.startswith("warning")
    ] == told


def test_the_sum_of_accepting_counts_files_that_are_no_scene() -> None:
    refused = result("b", None, "The two runs differ, so the view is not accepted: light in 1 pixel.", 1)
    lines = format_acceptance(Acceptance((result("a"), refused), {"a/front": (Path("a/front.data.json"),)}), [BAD, BAD])
    assert lines[-1] == "1 view accepted, 0 unchanged, 1 refused, 2 files cannot be read as a scene."


def test_a_file_that_is_no_scene_costs_itself_alone(tmp_path: Path) -> None:
    for name in ("b", "deep/a"):
        write_scene(tmp_path, name)
    (tmp_path / "c.toml").write_text("radios = 3")
    suite = open_suite(tmp_path)
    assert [scene.name for scene in suite.scenes] == ["b", "deep/a"]
    assert [mistake.place for mistake in suite.bad] == [str(tmp_path / "c.toml")]
    assert [scene.name for scene in suite.only("deep/*").scenes] == ["deep/a"]
    assert [scene.name for scene in suite.only("deep/*", "b", "*").scenes] == ["b", "deep/a"]
    with pytest.raises(BadScene, match="has no scene 'z'"):
        suite.only("b", "z")


def test_leftovers_are_told_of_a_whole_and_sound_folder_alone(tmp_path: Path) -> None:
    write_scene(tmp_path, "a")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "front.truth.npz").write_bytes(b"")
    assert [path.name for path in open_suite(tmp_path).only("a").unused] == ["front.truth.npz"]
    assert open_suite(tmp_path / "a.toml").unused == ()
    (tmp_path / "c.toml").write_text("radios = 3")
    assert open_suite(tmp_path).unused == ()


def test_a_seed_is_an_order_and_without_one_scenes_come_by_name(tmp_path: Path) -> None:
    for name in "abcdefgh":
        write_scene(tmp_path, name)
    scenes = open_suite(tmp_path).scenes
    orders = [[scene.name for scene in mixed(scenes, seed)] for seed in (None, 1, 1, 2)]
    assert orders[0] == list("abcdefgh")
    assert orders[1] == orders[2] != orders[3]
    assert sorted(orders[3]) == orders[0]


def test_a_proof_goes_every_way() -> None:
    found = list(ways(12, 2, 5))
    assert {(way.jobs, way.threads) for way in found} == {(jobs, threads) for jobs in (1, 2) for threads in THREADS}
    assert len({way.seed for way in found}) == 12


def test_a_proof_parts_what_differs_from_what_could_not_be_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, other = (cast("CapturedView", object()) for _ in range(2))
    runs = iter([[None, first], [first, first], [other, first], [first, None]])

    def run(*_: object) -> list[SceneResult]:
        return [replace(result(name, error="late."), actual=take) for name, take in zip("ab", next(runs), strict=True)]

    monkeypatch.setattr(suites, "run_suite", run)
    monkeypatch.setattr(suites, "differences", lambda one, two: () if one is two else ("depth",))
    told: list[tuple[str, int]] = []
    write_scene(tmp_path, "a")
    found = suites.prove(
        open_suite(tmp_path), 4, 1, 0, lambda _way, so_far, news: told.append((str(so_far), len(news)))
    )
    assert not found.holds
    assert [one.split(",")[0] for one in found.apart] == ["a/front"]
    assert [one.rsplit(": ", 1)[1] for one in found.untaken] == ["late.", "late."]
    assert told == [
        ("0 of 0 pictures differ, 1 could not be taken", 1),
        ("0 of 1 pictures differ, 1 could not be taken", 0),
        ("1 of 3 pictures differ, 1 could not be taken", 1),
        ("1 of 4 pictures differ, 2 could not be taken", 1),
    ]


def test_a_case_says_how_to_do_it_again(tmp_path: Path) -> None:
    write_scene(tmp_path, "a scene")
    scene = open_suite(tmp_path).scenes[0]
    (case, bad) = cases_of([SceneResult(scene, VIEW, PASSED)], [BAD])
    assert case.name == "a scene/front"
    assert case.command == f"chunkscope test '{scene.path}'"
    assert case.view == "--at 1,2.5,3 --look 0,10 --fov 70 --size 426x240"
    assert "a scene.toml xxh3:" in case.source_hash
    assert bad.error == str(BAD)


def test_a_source_hash_is_of_what_the_file_holds_now(tmp_path: Path) -> None:
    path = write_scene(tmp_path, "a")
    result = SceneResult(open_suite(tmp_path).scenes[0], VIEW, PASSED)
    before = cases_of([result], [])[0].source_hash
    path.write_text(path.read_text() + "# more")
    assert cases_of([result], [])[0].source_hash != before


# ---------------------------------------------------------------- accepting

RENDERER = Renderer("llvmpipe-avx2", 25, "none")


def take(shade: int = 10, name: str = "minecraft:stone") -> CapturedView:
    colour = np.full((2, 3, 4), 255, np.uint8)
    colour[0, 0, 0] = shade
    palette = ShotPalette(np.array([name]), np.array(["{}"]), np.zeros(1, np.uint32), np.zeros(0, np.uint32))
    face = np.full((2, 3), 5, np.uint8)
    return CapturedView(Shot(View(Eye(0, 0, 0)), (3, 2), palette, colour, face=face), None, RENDERER)


def test_takes_differ_by_a_single_pixel_or_a_name() -> None:
    assert differences(take(), take()) == ()
    assert differences(take(), take(11)) == ("colour in 1 pixel",)
    assert differences(take(), take(name="minecraft:dirt")) == ("block names",)
    without = replace(take(), shot=replace(take().shot, face=None))
    assert differences(take(), without) == ("face has another shape",)


def test_takes_differ_by_a_digest_that_no_pixel_shows() -> None:
    def digests(light: int) -> DataTruth:
        parts = [Digests.of(np.array([[0, 4, 0], [1, 4, 0]]), np.array([7, of], np.uint64)) for of in (1, light, 1, 1)]
        return DataTruth(*parts)

    same, other = (replace(take(), data=digests(light)) for light in (1, 2))
    assert differences(same, replace(take(), data=digests(1))) == ()
    assert differences(same, other) == ("light in 1 place",)


def test_an_unstable_view_is_named_and_refused_and_the_others_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("even", "odd", "gone"):
        write_scene(tmp_path, name)
    orders: list[list[str]] = []

    def run(scenes: Sequence[SceneFile], plan: SuitePlan, told: object) -> tuple[SceneResult, ...]:
        del told
        assert not plan.judge
        orders.append([scene.name for scene in scenes])
        shade = {"even": 10, "odd": 10 + len(orders)}
        return tuple(
            SceneResult(scene, scene.views[0], None, "absent", 3)
            if scene.name == "gone"
            else SceneResult(scene, scene.views[0], None, actual=take(shade[scene.name]))
            for scene in scenes
        )

    monkeypatch.setattr(suites, "run_scenes", run)
    accepted = accept_suite(open_suite(tmp_path), SuitePlan())
    assert orders[1] == orders[0][::-1]
    assert {result.scene.name: result.error for result in accepted.refused} == {
        "gone": "absent",
        "odd": "The two runs differ, so the view is not accepted: colour in 1 pixel.",
    }
    (odd,) = (result for result in accepted.refused if result.scene.name == "odd")
    assert odd.expected is not None, "the other run, to look at"
    assert list(accepted.changed) == ["even/front"]
    assert sorted(path.name for path in tmp_path.rglob("*.npz")) == ["front.truth.npz"]
    assert accept_suite(open_suite(tmp_path), SuitePlan()).changed["even/front"] == ()


def test_what_is_accepted_with_missing_sub_chunks_says_so_in_one_sentence() -> None:
    def data(*states: int) -> DataTruth:
        at = np.array([[x, 4, 0] for x in range(len(states))])
        return DataTruth(*(Digests.of(at, np.array(states, np.uint64)) for _ in PARTS))

    missing = replace(take(), data=data(4, 6 | 2 << 8, 6 | 3 << 8, 3, 7))
    assert format_missing(missing) == (
        "accepted with 4 sub-chunks missing: 2 refused by the server, 1 undecodable, 1 requested, no answer yet.",
    )
    assert format_missing(replace(take(), data=data(4, 1, 5))) == format_missing(take()) == ()


def test_what_cannot_be_written_is_refused_and_the_others_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        write_scene(tmp_path, name)
    (tmp_path / "b").write_text("a file where the folder should be")
    monkeypatch.setattr(
        suites,
        "run_scenes",
        lambda scenes, *_: tuple(SceneResult(scene, scene.views[0], None, actual=take()) for scene in scenes),
    )
    accepted = accept_suite(open_suite(tmp_path), SuitePlan())
    assert [result.error for result in accepted.refused] == [f"{tmp_path / 'b'} cannot be written: File exists."]
    assert list(accepted.changed) == ["a/front", "c/front"]


# ---------------------------------------------------------------- worker

LOG = logging.getLogger("chunkscope.packs")


def test_warnings_are_kept_once_and_written_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings_kept() as kept:
        for words in ("a.png is broken", "b.png is broken", "a.png is broken"):
            LOG.warning("%s", words)
        LOG.info("read")
    assert list(kept) == ["a.png is broken", "b.png is broken"]
    assert capfd.readouterr() == ("", "")


def test_those_before_and_behind_are_everybodys(caplog: pytest.LogCaptureFixture) -> None:
    with warnings_kept() as kept:
        pass
    LOG.warning("late")
    assert not kept
    assert caplog.messages == ["late"]


# --------------------------------------------------------------------- test runner


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
        passed = [tuple(SceneResult(scene, view, PASSED_RUN) for view in scene.views) for scene in scenes]
        yield Outcome(1, lost="ended by itself with code 7, in two tries")
        yield Outcome(3, passed[3], lost="ended by itself with code 8")
        yield Outcome(0, passed[0])
        yield Outcome(2, lost="did not end in time and was stopped", late=True)

    monkeypatch.setattr(worker, "run_tasks", run_tasks)
    told: list[tuple[float, str]] = []
    results = run_scenes(scenes, SuitePlan(3, keep_all=True, judge=False), lambda *words: told.append(words))
    assert told == [(0.25, "c"), (0.5, "a"), (0.75, "d"), (1.0, "b")]
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
