"""A report says what came of a picture, to people and to programs."""

import json
from pathlib import Path

import pytest

from client.connection.stats import LISTED_BOXES, Lack, MissingPlace
from render.capture.picture import PictureReport
from tests.support.hostile_server import Besieged

PATH = Path("hills.png")


def lack(missing: int) -> Lack:
    places = tuple(MissingPlace((2 * x, 4, -1), 1.5, 2, 0, 1) for x in range(missing))
    return Lack("outstanding", "sub-chunks", missing, places, "asked 1.5 s ago, 2 times")


def incomplete(missing: int) -> PictureReport:
    return PictureReport(PATH, False, f"{missing} sub-chunks are asked and not answered yet", (lack(missing),), 2.5)


def test_a_complete_picture_is_one_line_and_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert PictureReport(PATH, True, "", (), 1.25).tell() == 0
    assert capsys.readouterr().out == "hills.png (1.2 s)\n"


def test_the_legend_of_overlays_stands_after_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    report = PictureReport(PATH, True, "", (), 1.25, legend=("states: of all", "  received: 3 (outline)"))
    report.tell()
    assert capsys.readouterr().out == "hills.png (1.2 s)\nstates: of all\n  received: 3 (outline)\n"
    report.tell(as_json=True)
    assert json.loads(capsys.readouterr().out)["legend"] == ["states: of all", "  received: 3 (outline)"]


def test_an_incomplete_picture_lists_what_is_missing_and_is_code_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert incomplete(2).tell() == 4
    assert capsys.readouterr().out.splitlines()[1:] == [
        "incomplete: 2 sub-chunks are asked and not answered yet",
        "  outstanding: 2 sub-chunks, asked 1.5 s ago, 2 times",
        "    x 0, y 4, z -1",
        "    x 2, y 4, z -1",
    ]


def test_what_one_moment_had_not_heard_is_told_and_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    report = PictureReport(PATH, True, "2 sub-chunks are asked", (lack(2),), 2.5, moment="packet 350 at 12.300 s")
    assert report.tell() == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "as of packet 350 at 12.300 s: 2 sub-chunks are asked"
    assert told[2].startswith("  outstanding: 2 sub-chunks")


def test_a_long_list_is_cut_for_people_and_whole_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    report = incomplete(LISTED_BOXES + 3)
    assert report.text().endswith("    and 3 more boxes")
    assert report.tell(as_json=True) == 4
    said = json.loads(capsys.readouterr().out)
    (missing,) = said["missing"]
    assert (missing["kind"], missing["count"], len(missing["places"])) == ("outstanding", 11, 11)
    assert missing["places"][0] == {"at": [0, 4, -1], "age_s": 1.5, "asked": 2, "refused": 0, "silences": 1}
    assert (said["path"], said["complete"], said["seconds"]) == ("hills.png", False, 2.5)


def test_what_the_server_does_wrong_stands_last() -> None:
    world = Besieged(b"\x0a")  # a SetTime without its time
    with world.connection() as connection:
        world.rest()
        counted = connection.statistics()
    report = PictureReport(PATH, True, "", (), 1.25, counted)
    told, warning = report.text().splitlines()
    assert told == "hills.png (1.2 s)"
    assert warning.startswith("the server: 1 packet made no sense; the last one: SetTime.time at byte 1")
