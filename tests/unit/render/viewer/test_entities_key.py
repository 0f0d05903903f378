"""The key of entities: a window draws them until it is pressed, and again when it is pressed again."""

from types import SimpleNamespace
from typing import Any

from client.player import Eye, View
from client.session.config import SessionConfig
from render.settings import Action
from render.viewer.app import look_of
from render.viewer.commands import run_action
from render.viewer.window_options import WindowOptions
from tests.support.session.virtual import SWIFT, VirtualSession


def test_it_switches_them_off_and_on() -> None:
    told: list[object] = []
    state: Any = SimpleNamespace(
        shows_entities=True,
        captions=SimpleNamespace(used=lambda *_: None, renew=lambda: None),
        events=SimpleNamespace(tell_when_shown=lambda name, **facts: told.append((name, facts))),
    )
    session: Any = None
    for shown in (False, True):
        run_action(state, session, Action.ENTITIES)
        assert state.shows_entities is shown
    assert told == [("entities", {"on": False}), ("entities", {"on": True})]


def test_a_frame_has_them_as_of_the_session_s_clock() -> None:
    virtual = VirtualSession("flat:1", config=SessionConfig(radius=2, player=SWIFT))
    with virtual.connection() as connection:
        connection.wait_settled()
        view, options = View(Eye(0.5, -57.0, 0.5)), WindowOptions()
        shown = look_of(connection, options, set(), view, 2)
        assert shown.entities is not None
        assert shown.now_us == round(connection.now * 1e6)
        assert look_of(connection, options, set(), view, 2, entities=False).entities is None
