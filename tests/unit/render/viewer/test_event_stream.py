"""The log of events: whole lines at once, and nothing said of a frame before it is shown."""

import json
from pathlib import Path

import pytest

from render.viewer.event_stream import EventStream


def told(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_are_there_at_once(tmp_path: Path) -> None:
    log = EventStream(tmp_path / "events")
    log.tell("phase", what="window")
    (event,) = told(tmp_path / "events")
    assert event["event"] == "phase"
    assert event["what"] == "window"
    assert isinstance(event["at_s"], float)
    log.close()
    log.close()


def test_what_a_frame_shows_is_told_after_the_flip(tmp_path: Path) -> None:
    log = EventStream(tmp_path / "events")
    log.tell_when_shown("hud", on=False)
    assert told(tmp_path / "events") == []
    log.shown()
    log.shown()
    assert [event["event"] for event in told(tmp_path / "events")] == ["hud"]
    log.close()


def test_without_a_file_it_is_silent() -> None:
    log = EventStream(None)
    log.tell("view")
    log.tell_when_shown("view")
    log.shown()
    log.close()


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="events"):
        EventStream(tmp_path / "not there" / "events")
