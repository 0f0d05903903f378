"""``chunkscope diff`` on the command line: equal, different and unknown worlds, a recording, a picture."""

import json
from pathlib import Path

import pytest
from PIL import Image

from render.cli import app
from render.cli.console import reported
from tests.recordings import recording

RECORDING = str(recording("bedrock-protocol-486"))
BOX = ["--box", "0,-64,0,32,-48,16", "--radius", "2"]


def test_equal_worlds_are_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", "embedded:flat", "embedded:flat:7", *BOX, "--what", "blocks,states"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "verdict: equal"
    assert "blocks: no block differs; 2 sub-chunks equal, 0 unknown" in said
    assert "states: no sub-chunk differs; 2 sub-chunks equal, 0 unknown" in said


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
        assert image.size == (32, 16)
        colours = {colour[1] for colour in image.getcolors() or ()}
    assert len(colours) > 1


def test_moments_of_a_recording_may_be_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", RECORDING, RECORDING]) == 0
    assert reported(app, ["diff", RECORDING, RECORDING, "--moment-a", "#1"]) == 4
    assert "verdict: unknown\n" in capsys.readouterr().out


def test_nobody_there_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["diff", RECORDING, "127.0.0.1:9", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1
