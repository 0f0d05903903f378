"""``chunkscope bench frame`` on the command line, over our own server."""

import json

import pytest

from client.connection.connection import Connection
from client.connection.stats import Settled
from render.cli import app
from render.cli.bench import parse_radii
from render.cli.failures import reported

FRAME = ["bench", "frame", "embedded:hills", "--radius", "1", "--frames", "3", "--size", "64x48"]


@pytest.mark.parametrize("draw", ["indirect", "plain"])
def test_each_pass_of_each_leg_is_measured_and_told_as_json(capsys: pytest.CaptureFixture[str], draw: str) -> None:
    assert reported(app, [*FRAME, "--draw", draw, "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["radius"], report["draws"], report["size_px"]) == (1, draw, [64, 48])
    assert (report["columns"], report["lacks"]) == (25, ""), "radius 1, and one around what is drawn"
    assert [leg["name"] for leg in report["legs"]] == ["still", "turn", "walk"]
    for leg in report["legs"]:
        assert leg["quad_bytes"] == 0, "nothing is meshed anew on the way"
        assert {"whole frame", "step", "prepare", "solid", "sky", "translucent"} <= leg["passes"].keys()
        for one in leg["passes"].values():
            for spread in (one["ours"], one["gl"], one["gpu"] or one["gl"]):
                assert 0 <= spread["least_ms"] <= spread["median_ms"] <= spread["p99_ms"]


def test_a_table_is_printed_for_each_radius(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [*FRAME, "--radii", "1,2"]) == 0
    said, progress = capsys.readouterr()
    for radius in (1, 2):
        legs = (f"{name}, 3 frames, leg {number} of 3" for number, name in enumerate(("still", "turn", "walk"), 1))
        for step in ("joining and loading", *legs):
            assert f"measuring embedded:hills:1: radius {radius}: {step}\n" in progress
        assert f"radius {radius}: light and meshes of" in progress
    assert "embedded:hills:1, radius 1, 25 columns, 64 x 48" in said
    assert "embedded:hills:1, radius 2, 49 columns, 64 x 48" in said
    assert "not whole" not in said
    assert said.count("still: 3 frames") == 2


def test_a_world_that_was_not_whole_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Settled(False, "7 columns may still come", 60.0)
    monkeypatch.setattr(Connection, "wait_settled", lambda connection: late)
    assert reported(app, FRAME) == 0
    assert "not whole when it was measured: 7 columns may still come; a longer --timeout" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", ["8,", "0", "65", "a", "8;16"])
def test_radii_that_are_none_are_wrong_usage(capsys: pytest.CaptureFixture[str], wrong: str) -> None:
    assert reported(app, [*FRAME, "--radii", wrong]) == 2
    assert "--radii" in capsys.readouterr().err


def test_a_way_to_draw_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [*FRAME, "--draw", "slowly"]) == 2
    assert "there are auto, indirect, plain" in capsys.readouterr().err
    assert parse_radii(None) == ()
