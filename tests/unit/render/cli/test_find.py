"""``chunkscope find`` on the command line: over our own server, over a recording, and where nobody is."""

import json

import pytest

from render.cli import app
from render.cli.console import reported
from tests.recordings import recording

RECORDING = str(recording("dragonfly-527"))


def test_what_is_found_is_code_0_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["find", "embedded:flat", "bedrock", "--box", "0,-64,0,32,-60,16", "--radius", "2", "--most", "3"]
    assert reported(app, arguments) == 0
    said = capsys.readouterr().out
    assert said.startswith("embedded:flat:1: 512 blocks of bedrock in 2 sub-chunks; 2 sub-chunks searched\n")
    assert said.endswith("blocks:\n  0 -64 0\n  0 -64 1\n  0 -64 2\n  and 509 more\n")
    assert reported(app, [*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["count"], len(report["blocks"]), report["more"], report["unknown"]) == (512, 3, 509, 0)


def test_nothing_found_is_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", "embedded:flat", "diamond_ore", "--radius", "2"]) == 1
    assert "no blocks of diamond_ore; " in capsys.readouterr().out


def test_a_recording_is_searched_as_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", RECORDING, "air", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert sum(each["count"] for each in report["subchunks"]) == report["count"] > 0


def test_nobody_there_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", "127.0.0.1:9", "stone", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1
