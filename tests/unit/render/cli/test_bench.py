"""``chunkscope bench stream`` on the command line, over our own server."""

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from client.connection.opening import open_connection
from client.errors import SourceError
from client.options import Options
from client.source import Source
from render.bench import streaming
from render.cli import app
from render.cli.failures import reported

PATH = ["spawn", "walk", "turn", "fly", "dig down", "teleport"]


def test_the_whole_path_is_measured_and_told_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "stream.png"
    wanted = ["bench", "stream", "embedded:flat", "--radius", "2", "--no-baseline", "--json", "--plot", str(picture)]
    assert reported(app, wanted) == 0
    said = json.loads(capsys.readouterr().out)
    legs = said["by_sight"]["legs"]
    assert [leg["name"] for leg in legs] == PATH
    assert all(leg["settled"] and not leg["holes"] for leg in legs)
    assert legs[0]["asked"] > 0
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
    assert "There is no folder" in capsys.readouterr().err


def test_a_delay_below_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["bench", "stream", "embedded:flat", "--delay", "-1"]) == 2
    assert "--delay" in capsys.readouterr().err
