"""What a mutation check counts and tells."""

import json

import pytest

from render.capture.mutation import CheckReport, Defect, Sight, Trial, Wish, told_check
from render.capture.mutation.check import wishes_of


def trial(defect: Defect, sight: Sight, changed: int, caught: bool) -> Trial:
    seen = {Sight.VISIBLE: 90, Sight.SLIGHT: 2, Sight.HIDDEN: 0}[sight]
    return Trial(Wish(defect, True, 1), "caves/way_in", "block 1 2 3 swapped", sight, seen, changed, caught, True)


FOUND = trial(Defect.SWAP, Sight.VISIBLE, 95, True)
SILENT = trial(Defect.DROP, Sight.HIDDEN, 0, False)
MISSED = trial(Defect.SHIFT, Sight.VISIBLE, 3, False)
LOUD = trial(Defect.DARKEN, Sight.HIDDEN, 7, True)
SLIGHT = trial(Defect.HIDE, Sight.SLIGHT, 2, False)


def test_a_report_passes_when_every_visible_defect_was_told_and_no_hidden_one_showed() -> None:
    assert CheckReport(0, (FOUND, SILENT, SLIGHT), 0, ()).passed


@pytest.mark.parametrize("worse", [MISSED, LOUD])
def test_one_missed_or_one_loud_defect_fails_and_is_told(worse: Trial) -> None:
    report = CheckReport(0, (FOUND, SILENT, worse), 0, ())
    assert not report.passed
    assert sum("caves/way_in: block 1 2 3 swapped" in line for line in told_check(report)) == 1


def test_a_report_of_nothing_or_with_a_scene_that_failed_does_not_pass() -> None:
    assert not CheckReport(0, (), 5, ()).passed
    failed = CheckReport(0, (FOUND,), 0, ("caves: it did not settle",))
    assert not failed.passed
    assert "NOT TAKEN caves: it did not settle" in told_check(failed)


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
