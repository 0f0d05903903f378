"""A report says what came of a picture, to people and to programs."""

import json
from pathlib import Path

import pytest

from net.space.positions import SubChunkPos
from render.capture.report import LISTED_MISSING, PictureReport
from tests.support.hostile_server import Besieged

PATH = Path("hills.png")


def incomplete(missing: int) -> PictureReport:
    places = tuple((SubChunkPos(x, 4, -1), "requested") for x in range(missing))
    return PictureReport(PATH, False, f"{missing} sub-chunks are asked and not answered yet", places, 2.5)


def test_a_complete_picture_is_one_line_and_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert PictureReport(PATH, True, "", (), 1.25).tell() == 0
    assert capsys.readouterr().out == "hills.png (1.2 s)\n"


def test_an_incomplete_picture_lists_what_is_missing_and_is_code_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert incomplete(2).tell() == 4
    said = capsys.readouterr().out
    assert "incomplete: 2 sub-chunks are asked and not answered yet; 2 sub-chunks are missing:" in said
    assert "  0 4 -1 requested\n  1 4 -1 requested\n" in said


def test_a_long_list_is_cut_for_people_and_whole_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    report = incomplete(LISTED_MISSING + 3)
    assert report.text().endswith("  and 3 more")
    assert report.tell(as_json=True) == 4
    said = json.loads(capsys.readouterr().out)
    assert len(said["missing"]) == LISTED_MISSING + 3
    assert said["missing"][0] == [[0, 4, -1], "requested"]
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
