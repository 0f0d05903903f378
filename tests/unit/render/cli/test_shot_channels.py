"""``--channel`` is checked before anything starts."""

from pathlib import Path

import pytest

from client.connect.errors import UsageError
from render.cli.shot import CHANNELS, parse_channels


def test_a_picture_is_colour_and_an_archive_is_everything() -> None:
    assert parse_channels(None, Path("a.png")) == ("colour",)
    assert parse_channels(None, Path("a.npz")) == CHANNELS
    assert parse_channels(["depth", "face"], Path("a.npz")) == ("depth", "face")


def test_a_channel_that_is_none_is_named() -> None:
    with pytest.raises(UsageError, match=r"There is no channel 'color'; there are colour, depth, block"):
        parse_channels(["color"], Path("a.png"))
