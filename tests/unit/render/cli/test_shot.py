"""``--channel`` is checked before anything starts."""

from pathlib import Path

import pytest

from client.errors import UsageError
from render.capture.channels import CHANNELS as DRAWN
from render.cli.shot import CHANNELS, expect_picture, parse_channels


def test_a_picture_is_colour_and_an_archive_is_everything() -> None:
    assert parse_channels(None, Path("a.png")) == ("colour",)
    assert parse_channels(None, Path("a.npz")) == CHANNELS == DRAWN
    assert parse_channels(None, Path("A.NPZ")) == CHANNELS
    assert parse_channels(["depth", "face"], Path("a.npz")) == ("depth", "face")


def test_a_channel_that_is_none_is_named() -> None:
    with pytest.raises(UsageError, match=r"There is no channel 'color'; there are colour, depth, block"):
        parse_channels(["color"], Path("a.png"))


@pytest.mark.parametrize("name", ["a.jpg", "a", "a.png.bak", ".png"])
def test_a_file_is_not_called_what_it_is_not(name: str) -> None:
    for fine in ("a.png", "A.PNG", "b.npz", "B.Npz"):
        expect_picture(Path(fine))
    with pytest.raises(UsageError, match=r"is neither a picture nor arrays: write FILE\.png or FILE\.npz"):
        expect_picture(Path(name))
