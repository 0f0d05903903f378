"""``chunkscope bench stream`` on the command line, over our own server.

Bench frame: ``chunkscope bench frame`` on the command line, over our own server.
"""

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.connection.stats import Settled
from client.errors import SourceError
from client.options import Options
from client.source import Source
from render.bench import streaming
from render.cli import app
from render.cli.bench import parse_radii
from render.cli.console import reported

# ---------------------------------------------------------------- bench

PATH = ["spawn", "walk", "turn", "fly", "dig down", "teleport"]


@pytest.mark.nightly
def test_the_whole_path_is_measured_and_told_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "stream.png"
    wanted = ["bench", "stream", "embedded:flat", "--radius", "2", "--no-baseline", "--json", "--plot", str(picture)]
    assert reported(app, wanted) == 0
    said = json.loads(capsys.readouterr().out)
    legs = said["by_sight"]["legs"]
    assert [leg["name"] for leg in legs] == PATH
    assert all(leg["settled"] and not leg["holes"] for leg in legs)
    assert legs[0]["requested"] > 0
    assert said["baseline"] is None
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("said", "attention"), [([], True), (["--no-attention"], False)])
def test_attention_reaches_the_session_that_is_measured(
    said: list[str], attention: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is made and looked at, then nothing is measured."""
    weights = []

    def opened(source: Source, options: Options, *_: Any) -> NoReturn:
        with open_connection(source, options) as connection:
            weights.append(connection.session.config.weights)
        raise SourceError("enough")

    monkeypatch.setattr(streaming, "prove", opened)
    assert (
        reported(app, ["bench", "stream", "embedded:flat", "--radius", "2", "--json", *said]) == SourceError.exit_code
    )
    assert [weight.attention for weight in weights] == [attention]


def test_a_plot_that_cannot_be_written_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["bench", "stream", "embedded:flat", "--plot", str(tmp_path / "no" / "plot.png")]) == 2
    assert "The folder" in capsys.readouterr().err


def test_a_delay_below_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["bench", "stream", "embedded:flat", "--delay", "-1"]) == 2
    assert "--delay" in capsys.readouterr().err


# ---------------------------------------------------------------- bench frame

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
    assert "not complete" not in said
    assert said.count("still: 3 frames") == 2


def test_a_world_that_was_not_whole_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Settled(False, "7 more columns may come", 60.0)
    monkeypatch.setattr(Connection, "wait_settled", lambda connection: late)
    assert reported(app, FRAME) == 0
    assert "not complete when measured: 7 more columns may come; a longer --timeout" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", ["8,", "0", "65", "a", "8;16"])
def test_radii_that_are_none_are_wrong_usage(capsys: pytest.CaptureFixture[str], wrong: str) -> None:
    assert reported(app, [*FRAME, "--radii", wrong]) == 2
    assert "--radii" in capsys.readouterr().err


def test_a_way_to_draw_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [*FRAME, "--draw", "slowly"]) == 2
    assert "choose from auto, indirect, plain" in capsys.readouterr().err
    assert parse_radii(None) == ()
