"""``chunkscope doctor --mirror``: what it says, and its exit codes."""

import json

import numpy as np
import pytest

from render.bench import mirror
from render.cli import app
from render.cli.failures import reported
from render.scene.gpu_copy.verify import CopyDifference, MirrorCheck
from tests.recordings import recording

pytestmark = pytest.mark.gpu

FLAT = ["doctor", "--mirror", "embedded:flat", "--radius", "2"]


def test_a_world_is_compared_before_during_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [*FLAT, "--edits", "300", "--moves", "6", "--seed", "2", "--json"]) == 0
    stages = json.loads(capsys.readouterr().out)
    assert [stage["when"] for stage in stages][0::5] == ["as it came", "after the context was lost"]
    assert stages[-2]["when"] == "after 300 edits and 6 moves"
    assert all(stage["ok"] and stage["cells"] > 0 and not stage["differences"] for stage in stages)


def test_what_differs_is_told_and_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = CopyDifference(
        "light", (1, 4, -2), "the GPU holds 3, the CPU 4", np.array([(17, 70, -30), (17, 70, -29)], np.int32)
    )
    check = MirrorCheck(subchunks=10, bricks=4, left_out=1, cells=40960, differences=(wrong,))
    monkeypatch.setattr(mirror, "examine_mirror", lambda *_: [mirror.MirrorComparison("as it came", check)])
    assert reported(app, FLAT) == 1
    out = capsys.readouterr().out
    assert "no  as it came: 10 sub-chunks, 4 bricks, 1 without room, 40,960 values compared, 1 sub-chunks differ" in out
    assert "light of sub-chunk 1,4,-2, block 17,70,-30: the GPU holds 3, the CPU 4 (2 blocks differ)" in out


def test_options_of_the_comparison_alone_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["doctor", "--edits", "5"]) == 2
    assert "--edits, --moves and --gpu-budget need --mirror SOURCE." in capsys.readouterr().err


def test_a_source_that_lacks_something_is_compared_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(recording("bedrock-protocol-486"))
    assert reported(app, ["doctor", "--mirror", path, "--json"]) == 4
    said = capsys.readouterr()
    assert all(stage["ok"] for stage in json.loads(said.out))
    assert said.err.endswith("did not give all that was asked for: what came was compared.\n")
