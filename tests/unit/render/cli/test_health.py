"""``chunkscope health`` on the command line: over recordings, over our own server, and where nobody is."""

import json

import pytest

from client.connection.opening import open_connection
from client.options import Options
from client.source import parse_source
from render.cli import app
from render.cli.console import reported
from render.scene import jobs
from render.scene.diagnosis import unmeshed
from tests.recordings import recording

RECORDING = str(recording("dragonfly-527"))


def test_a_world_that_is_whole_is_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", "embedded:flat", "--radius", "2"]) == 0
    assert capsys.readouterr().out.startswith("embedded:flat:1: no problems found\n")


def test_a_problem_is_code_1_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", RECORDING, "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["kind"], problem["count"], len(problem["places"])) == ("height map", 10, 10)
    assert reported(app, ["health", RECORDING]) == 1
    assert problem["sentence"] in capsys.readouterr().out


def test_nobody_there_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", "127.0.0.1:9", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_meshes_that_cannot_be_made_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_connection(parse_source("embedded:flat"), Options(radius=2)) as connection:
        assert connection.wait_settled()
        assert not len(unmeshed(connection.session).unmeshed)

        def fail(batch: jobs.MeshBatch, _scratch: object) -> None:
            if (batch.cells == (0, -2, 0)).all(axis=1).any():
                raise ValueError("an impossible block")

        monkeypatch.setattr(jobs.mesher, "run", fail)
        assert unmeshed(connection.session).unmeshed.tolist() == [[0, -4, 0], [0, -3, 0]]
