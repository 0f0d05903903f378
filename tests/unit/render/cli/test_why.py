"""``chunkscope why`` on the command line: over recordings of foreign servers, and over our own.

``chunkscope diff`` on the command line: equal, different and unknown worlds, a recording, a picture.
"""

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from client.report.diff import MAP_LEGEND
from client.report.why_text import LABEL_WIDTH
from render.cli import app
from render.cli.console import reported
from tests.recordings import recording

RECORDING = str(recording("bedrock-protocol-486"))


def test_the_sentence_comes_first_and_the_life_below(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["why", RECORDING, "--at", "8,-60,8"]) == 0
    first, empty, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("Received: ")
    assert empty == ""
    labels = [line[:LABEL_WIDTH].rstrip() for line in rest]
    wanted = [
        "place",
        "state",
        "picture",
        "chunk column",
        "biome",
        "surface",
        "request",
        "player",
        "block",
        "sub-chunk",
        "light",
        "history:",
    ]
    assert [label for label in labels if label in wanted] == wanted
    assert rest[-1].endswith("(SubChunk)")


def test_json_is_one_object_with_the_same_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["why", RECORDING, "--at=-2000,64,8", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["sentence"].startswith("Never sent: ")
    assert said["facts"]["column"] is None
    assert said["facts"]["outlook"][0] is False


def test_a_moment_of_a_recording_may_be_too_early_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["why", RECORDING, "--at", "8,-60,8", "--json"]) == 0
    history = json.loads(capsys.readouterr().out)["facts"]["history"]
    (asked_s,) = [event["at_s"] for event in history if event["cause"] == "requested"]
    assert reported(app, ["why", RECORDING, "--at", "8,-60,8", "--moment", str(asked_s)]) == 4
    assert capsys.readouterr().out.startswith("Requested once, 0.0 s ago, no answer yet.\nnot final: ")


def test_a_recording_that_cannot_be_read_is_a_sentence_and_code_6(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.cscope"
    shutil.copy(RECORDING, cut)
    cut.write_bytes(cut.read_bytes()[:30])
    assert reported(app, ["why", str(cut), "--at", "0,0,0"]) == 6
    assert f"{cut} at byte 30" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("at", "more", "named"),
    [
        ("8,1000,8", [], "lies outside the overworld: y must be -64 to 319"),
        ("8,8,8", ["--ask"], "A recording cannot send requests: leave out --ask"),
    ],
    ids=["above the world", "asking the past"],
)
def test_what_cannot_be_meant_is_named(
    at: str, more: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["why", RECORDING, "--at", at, *more]) == 2
    assert named in capsys.readouterr().err


def test_our_own_server_is_asked_live(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["why", "embedded:flat", "--at", "3,-61,5", "--radius", "2"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Received: grass (its sub-chunk has 4 block states)")
    assert "block          grass" in said


# --------------------------------------------------------------------- test diff

BOX = ["--box", "0,-64,0,32,-48,16", "--radius", "2"]


def test_equal_worlds_are_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", "embedded:flat", "embedded:flat:7", *BOX, "--what", "blocks,states"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "verdict: equal"
    assert "blocks: no difference; 2 sub-chunks equal, 0 unknown" in said
    assert "states: no difference; 2 sub-chunks equal, 0 unknown" in said


def test_different_worlds_are_code_1_in_text_json_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "diff.png"
    arguments = ["diff", "embedded:hills", "embedded:hills:2", *BOX, "--what", "blocks", "--json"]
    assert reported(app, [*arguments, "--picture", str(picture)]) == 1
    said = json.loads(capsys.readouterr().out)
    (blocks,) = said["arrays"]
    assert said["verdict"] == "different"
    assert sum(each["count"] for each in blocks["different"]) == blocks["count"] > 0
    with Image.open(picture) as image:
        mapped = {colour for _, colour in image.crop((0, 0, 32, 16)).getcolors() or ()}
        below = {colour for _, colour in image.crop((0, 16, *image.size)).getcolors() or ()}
    assert len(mapped) > 1
    assert {colour for colour, _ in MAP_LEGEND} <= below, "the legend below the map shows each colour"


def test_moments_of_a_recording_may_be_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", RECORDING, RECORDING]) == 0
    assert reported(app, ["diff", RECORDING, RECORDING, "--moment-a", "#1"]) == 4
    assert "verdict: unknown\n" in capsys.readouterr().out


def test_nobody_there_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", RECORDING, "127.0.0.1:9", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1
