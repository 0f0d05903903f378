"""``--channel`` is checked before anything starts.

Film: ``chunkscope film`` with input that cannot be meant: one sentence, the right exit code, nothing written.
"""

from pathlib import Path

import pytest

from client.errors import UsageError
from render.capture.channels import CHANNELS as DRAWN
from render.cli import app
from render.cli.console import reported
from render.cli.film import parse_end
from render.cli.shot import CHANNELS, expect_picture, parse_channels

# ---------------------------------------------------------------- shot


def test_a_picture_is_colour_and_an_archive_is_everything() -> None:
    assert parse_channels(None, Path("a.png")) == ("colour",)
    assert parse_channels(None, Path("a.npz")) == CHANNELS == DRAWN
    assert parse_channels(None, Path("A.NPZ")) == CHANNELS
    assert parse_channels(["depth", "face"], Path("a.npz")) == ("depth", "face")


def test_a_channel_that_is_none_is_named() -> None:
    with pytest.raises(UsageError, match=r"Unknown channel 'color': choose from colour, depth, block"):
        parse_channels(["color"], Path("a.png"))


@pytest.mark.parametrize("name", ["a.jpg", "a", "a.png.bak", ".png"])
def test_a_file_is_not_called_what_it_is_not(name: str) -> None:
    for fine in ("a.png", "A.PNG", "b.npz", "B.Npz"):
        expect_picture(Path(fine))
    with pytest.raises(UsageError, match=r"use \.png or \.npz"):
        expect_picture(Path(name))


# ---------------------------------------------------------------- film

PATH = "[[key]]\ntime_s=0\nat=[0,90,0]\nlook=[0,0]\n[[key]]\ntime_s=1\nat=[9,90,0]\nlook=[0,0]\n"

BAD = {
    "no place to write": (["embedded"], 2, "--out"),
    "no frames a second": (["embedded", "--out", "film", "--fps", "0"], 2, "--fps"),
    "no path": (["embedded", "--out", "film"], 2, "needs a camera path"),
    "a path that is not there": (["embedded", "--out", "film", "--path", "gone.toml"], 6, "gone.toml"),
    "a path of one key": (["embedded", "--out", "film", "--path", "one.toml"], 2, "one.toml has one key"),
    "a path with a wrong key": (["embedded", "--out", "film", "--path", "wrong.toml"], 2, "did you mean 'time_s'?"),
    "another format": (["embedded", "--out", "film.avi", "--path", "good.toml"], 2, "film.avi': use FILE.mp4"),
    "a pattern without a number": (
        ["embedded", "--out", "%s.png", "--path", "good.toml"],
        2,
        "%s.png' is not a pattern",
    ),
    "an odd size": (
        ["embedded", "--out", "f.mp4", "--path", "good.toml", "--size", "641x360"],
        2,
        "for example 642x360",
    ),
    "a folder that is not there": (["embedded", "--out", "no/f.mp4", "--path", "good.toml"], 2, "The folder"),
    "an end at a packet": (["a.cscope", "--out", "film", "--to", "#5"], 2, "not at a packet like '#5'"),
    "an end in words": (["a.cscope", "--out", "film", "--to", "late"], 2, "'late' is not a moment of a recording"),
    "a speed of a living world": (
        ["embedded", "--out", "film", "--path", "good.toml", "--speed", "2"],
        2,
        "start, end and speed apply only to recordings",
    ),
}


@pytest.mark.parametrize("case", list(BAD))
def test_what_cannot_be_meant_is_one_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, code, said = BAD[case]
    monkeypatch.chdir(tmp_path)
    for module in ("console", "film"):
        monkeypatch.setattr(f"render.cli.{module}.compile_kernels", lambda **_: None)
    Path("good.toml").write_text(PATH)
    Path("wrong.toml").write_text(PATH.replace("time_s=1", "times=1"))
    Path("one.toml").write_text(PATH[: PATH.rindex("[[key]]")])
    before = sorted(tmp_path.iterdir())
    assert reported(app, ["film", *arguments]) == code
    heard = " ".join(capsys.readouterr().err.split())
    assert said in heard
    assert heard.startswith("chunkscope: ")
    assert "bug" not in heard
    assert sorted(tmp_path.iterdir()) == before


def test_an_end_is_a_time() -> None:
    assert (parse_end(None), parse_end("2:05"), parse_end("1.5")) == (None, 125.0, 1.5)
