"""The log of events: whole lines at once, and nothing said of a frame before it is shown.

Server messages: What the server and its players say is told once, as it comes.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from client.connection.connection import Connection
from net.bedrock import Message, Text
from net.peer.packet_stream import Received
from render.viewer.display.captions import SAID_S
from render.viewer.event_stream import EventStream
from render.viewer.world_session import ServerMessages
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- event stream


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


# ---------------------------------------------------------------- server messages


def test_each_line_is_told_once_and_what_passes_by_is_not() -> None:
    with VirtualSession("flat:1").connection() as connection:
        hearing, packets = ServerMessages(connection), iter(range(1000, 2000))

        def receive(*messages: Message) -> list[str]:
            for message in messages:
                connection.session.handle(Received(message, 0.0, next(packets), 0), connection.session.now)
            return hearing.news()

        assert hearing.news() == []
        assert receive(Text("chat", "hi", source="Ada"), Text("tip", "10 coins"), Text("raw", "Welcome")) == [
            "Ada: hi",
            "server: Welcome",
        ]
        assert hearing.news() == []
        assert receive(Text("tip", "11 coins")) == []
        assert receive(Text("raw", "Welcome"), Text("raw", "")) == ["server: Welcome"]


def test_what_was_said_long_ago_is_no_news() -> None:
    with VirtualSession("flat:1").connection() as connection:
        session = connection.session
        hearing = ServerMessages(connection)
        session.handle(Received(Text("raw", "old"), 0.0, 1000, 0), session.now)
        session.handle(Received(Text("raw", "new"), 0.0, 1001, 0), session.now + SAID_S + 1.0)
        assert hearing.news() == ["server: new"]


def test_in_a_past_in_which_nothing_was_said_yet_there_is_no_news() -> None:
    with VirtualSession("flat:1").connection() as now, VirtualSession("flat:1").connection() as then:
        shown = SimpleNamespace(session=now.session)
        hearing = ServerMessages(cast(Connection, shown))
        now.session.handle(Received(Text("raw", "one"), 0.0, 1000, 0), now.session.now)
        assert hearing.news() == ["server: one"]
        shown.session = then.session
        assert hearing.news() == []
        shown.session = now.session
        now.session.handle(Received(Text("raw", "two"), 0.0, 1001, 0), now.session.now + SAID_S + 1.0)
        assert hearing.news() == ["server: two"]
