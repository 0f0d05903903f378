"""What a mutation check counts and tells, and which views of scenes defects are planted in."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from render.scene_tests.suite import open_suite
from render.scene_tests.take import picture_of
from tests.mutation.check import CheckReport, Done, Work, check_suite, told_check, why_left_out, wishes_of
from tests.mutation.defects import Defect, Sight, Trial, Wish
from tests.support.data.scene_suites import flat_scene


def trial(defect: Defect, sight: Sight, changed: int, caught: bool) -> Trial:
    seen = {Sight.VISIBLE: 90, Sight.SLIGHT: 2, Sight.HIDDEN: 0}[sight]
    return Trial(Wish(defect, True, 1), "caves/way_in", "block 1 2 3 swapped", sight, seen, changed, caught, True)


FOUND = trial(Defect.SWAP, Sight.VISIBLE, 95, True)
SILENT = trial(Defect.DROP, Sight.HIDDEN, 0, False)
MISSED = trial(Defect.SHIFT, Sight.VISIBLE, 3, False)
LOUD = trial(Defect.DARKEN, Sight.HIDDEN, 7, True)
HUMMING = trial(Defect.DARKEN, Sight.HIDDEN, 1, False)  # a pixel changed within what the gate allows
SLIGHT = trial(Defect.HIDE, Sight.SLIGHT, 2, False)


def test_a_report_passes_when_every_visible_defect_was_told_and_no_hidden_one_showed() -> None:
    report = CheckReport(0, (FOUND, SILENT, SLIGHT), 0, ())
    assert report.passed
    assert told_check(report)[-1] == "Seed 0: every visible defect was caught, every hidden one silent."


@pytest.mark.parametrize("worse", [MISSED, LOUD, HUMMING])
def test_one_missed_or_one_loud_defect_fails_and_is_told(worse: Trial) -> None:
    report = CheckReport(0, (FOUND, SILENT, worse), 0, ())
    assert not report.passed
    told = told_check(report)
    assert sum("caves/way_in: block 1 2 3 swapped" in line for line in told) == 1
    assert told[-1] == f"Seed 0: 1 {'missed' if worse is MISSED else 'hidden, yet shown'}."


def test_a_report_of_nothing_or_with_a_scene_that_failed_does_not_pass() -> None:
    assert not CheckReport(0, (), 5, ()).passed
    assert told_check(CheckReport(0, (), 5, ()))[-1] == "Seed 0: nothing was planted, so nothing is proven."
    failed = CheckReport(0, (FOUND,), 0, ("caves: it did not settle",))
    assert not failed.passed
    assert "NOT TAKEN caves: it did not settle" in told_check(failed)


def test_a_view_that_is_left_out_is_told_and_fails_nothing() -> None:
    report = CheckReport(0, (FOUND,), 0, (), ("caves/in_rock: its eye is in an opaque block",))
    assert report.passed
    assert "LEFT OUT caves/in_rock: its eye is in an opaque block" in told_check(report)
    assert report.as_json()["left_out"] == ["caves/in_rock: its eye is in an opaque block"]


def test_the_table_has_a_row_for_each_class_and_their_sum() -> None:
    report = CheckReport(3, (FOUND, FOUND, SILENT, MISSED, LOUD, SLIGHT), 0, ())
    counts = report.counts()
    assert counts[Defect.SWAP] == {
        "planted": 2,
        "visible": 2,
        "caught": 2,
        "hidden": 0,
        "silent": 0,
        "slight": 0,
        "named": 2,
    }
    assert (counts[Defect.SHIFT]["visible"], counts[Defect.SHIFT]["caught"]) == (1, 0)
    assert (counts[Defect.DARKEN]["hidden"], counts[Defect.DARKEN]["silent"]) == (1, 0)
    lines = told_check(report)
    assert [line.split("  ")[0] for line in lines[1:7]] == [*(defect.value for defect in Defect), "all"]
    assert lines[6].split()[1:] == ["6", "3", "2", "2", "1", "1", "6"]
    said = json.loads(json.dumps(report.as_json()))
    assert (said["seed"], said["passed"], len(said["trials"])) == (3, False, 6)


def test_wishes_are_an_equal_share_of_each_class_half_of_them_in_view() -> None:
    wishes = wishes_of(7, 200)
    for defect in Defect:
        of_class = [wish for wish in wishes if wish.defect is defect]
        assert (len(of_class), sum(wish.seen for wish in of_class)) == (40, 20)
    assert len({wish.seed for wish in wishes}) == 200
    assert wishes == wishes_of(7, 200)
    assert not {wish.seed for wish in wishes} & {wish.seed for wish in wishes_of(8, 200)}


class Hands:
    """A crew that plants everything, but for classes a scene has no place for; ``dull`` scenes show no HIDE."""

    def __init__(self, unable: Mapping[str, set[Defect]], broken: str = "", dull: str = "") -> None:
        self.unable, self.broken, self.dull = unable, broken, dull
        self.opened: list[str] = []

    def do(self, works: Sequence[Work]) -> Iterator[Done]:
        for work in works:
            name = work.scene.name
            self.opened.append(name)
            if name == self.broken:
                yield Done.failed(work, "it did not settle")
                continue
            unable = self.unable.get(name, set())
            able = [defect for defect in Defect if defect not in unable]
            planted = [wish if wish.defect in able else replace(wish, defect=able[0]) for wish in work.wishes if able]
            left = () if able else work.wishes
            trials = tuple(self._trial(wish, name) for wish in planted)
            yield Done(trials, left, frozenset(unable))

    def _trial(self, wish: Wish, name: str) -> Trial:
        shows = wish.seen and not (wish.defect is Defect.HIDE and name in self.dull)
        return Trial(wish, name, "", Sight.VISIBLE if shows else Sight.HIDDEN, 0, 0, shows, True)


def check(hands: Hands, tmp_path: Path) -> CheckReport:
    scenes = [flat_scene(tmp_path, name) for name in "abcd"]
    return check_suite(scenes, hands, seed=3, mutations=40)


def test_every_scene_is_opened_once_where_others_can_stand_in_for_a_class(tmp_path: Path) -> None:
    hands = Hands({"a": {Defect.HIDE}, "b": {Defect.HIDE}})
    report = check(hands, tmp_path)
    assert sorted(hands.opened) == ["a", "b", "c", "d"]
    assert (len(report.trials), report.unplanted, report.passed) == (40, 0, True)


def test_a_class_that_few_scenes_have_places_for_still_comes_to_half_its_share(tmp_path: Path) -> None:
    hands = Hands({name: {Defect.HIDE} for name in "abc"})
    counts = check(hands, tmp_path).counts()
    assert counts[Defect.HIDE]["planted"] == 4
    assert hands.opened.count("d") == 2


def test_a_class_that_shows_seldom_is_planted_again_where_it_shows(tmp_path: Path) -> None:
    report = check(Hands({}, dull="abc"), tmp_path)
    assert report.counts()[Defect.HIDE]["visible"] >= 4
    again = [trial for trial in report.trials if not trial.wish.instead]
    assert {trial.wish.defect for trial in again} == {Defect.HIDE}
    assert any(trial.scene == "d" for trial in again)


def test_a_class_that_shows_nowhere_ends_the_check_all_the_same(tmp_path: Path) -> None:
    report = check(Hands({}, dull="abcd"), tmp_path)
    assert report.counts()[Defect.HIDE]["visible"] == 0
    assert 40 <= len(report.trials) <= 48
    assert report.unplanted == 0


def test_what_a_scene_that_failed_was_to_plant_others_plant(tmp_path: Path) -> None:
    report = check(Hands({}, broken="b"), tmp_path)
    assert len(report.trials) == 40
    assert report.troubles == ("b: it did not settle",)


def test_a_class_without_any_place_is_told(tmp_path: Path) -> None:
    report = check(Hands({name: set(Defect) for name in "abcd"}), tmp_path)
    assert not report.trials
    assert report.unplanted == 40
    assert "40 wishes found no place in any scene." in told_check(report)


SCENES = Path(__file__).parents[2] / "golden" / "scenes"


def why(tmp_path: Path, in_scene: str = "", in_view: str = "") -> str | None:
    scene = flat_scene(tmp_path, "small", in_scene)
    path = tmp_path / "small.toml"
    path.write_text(path.read_text() + in_view)
    (suite,) = open_suite(tmp_path).scenes
    assert suite.name == scene.name
    (view,) = suite.views
    return why_left_out(view, picture_of(suite, view))


@pytest.mark.parametrize("in_scene", ["", 'overlays = ["age", "states"]'])
def test_a_view_in_perspective_is_used(tmp_path: Path, in_scene: str) -> None:
    assert why(tmp_path, in_scene) is None


@pytest.mark.parametrize(
    ("in_scene", "in_view", "words"),
    [
        ("", "ortho = 40\n", "it is orthographic"),
        ("", "freeze_at = [0.5, -40.0, 0.5]\n", "its culling camera is frozen"),
        ('overlays = ["age", "cells"]', "", "its overlay cells says how often a cell was meshed"),
        ("", 'overlays = ["cells"]\n', "its overlay cells says how often a cell was meshed"),
    ],
)
def test_what_rays_cannot_judge_or_nothing_takes_back_is_left_out_in_words(
    tmp_path: Path, in_scene: str, in_view: str, words: str
) -> None:
    told = why(tmp_path, in_scene, in_view)
    assert told is not None
    assert told.startswith(words)


def test_the_scene_of_cells_is_left_out_and_that_of_ages_is_not() -> None:
    scenes = {scene.name: scene for scene in open_suite(SCENES).scenes}
    used = {
        name: [why_left_out(view, picture_of(scenes[name], view)) is None for view in scenes[name].views]
        for name in ("overlay_cells", "overlay_age")
    }
    assert not any(used["overlay_cells"])
    assert used["overlay_age"][0]
