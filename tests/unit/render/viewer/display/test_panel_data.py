"""The last events of a session, newest first, whoever told them."""

import pytest

from client.session.session import Session
from client.world.history import KEPT
from client.world.lifecycle import StateEvent
from net.bedrock import LevelEvent, LevelEventNumber, Text
from net.peer.events import Received
from render.panels.event_log import searched
from render.viewer.display.panel_data import last_events
from tests.support.session.virtual import VirtualSession


@pytest.fixture(scope="module")
def session() -> Session:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    return connection.session


def test_the_newest_events_of_all_sub_chunks_come_first(session: Session) -> None:
    rows, total = last_events(session, most=50)
    assert len(rows) == 50
    assert total > 50
    times = [row.at_s for row in rows]
    assert times == sorted(times, reverse=True)
    every, _ = last_events(session, most=10**6)
    assert max(row.at_s for row in every) == times[0]
    assert {"announced", "asked"} <= {row.what.split()[0] for row in every}


def test_rows_are_what_the_history_says(session: Session) -> None:
    every, _ = last_events(session, most=10**6)
    store = session.dimension.store
    assert len(every) == sum(len(store.history.of(int(p))) for p in store.places_of_rows(store.announced_rows))
    row = next(row for row in every if row.what.startswith("answer_data"))
    event = store.history.of(store.place_of(row.block.subchunk))[-1]
    assert row.packet == event.packet
    assert row.state == "requested > data"
    assert row.text.startswith(f"{row.at_s:.3f} {row.packet} ")


def test_what_events_tell_of_blocks_is_among_them(session: Session) -> None:
    message = LevelEvent(event=int(LevelEventNumber.START_CRACKING), position=(1.0, 2.0, 3.0), argument=65535)
    session.dimension.events.note(message, 99, session.started_at + 1e6)
    rows, _ = last_events(session, most=5)
    assert (rows[0].what, rows[0].packet, tuple(rows[0].block)) == ("start_cracking", 99, (1, 2, 3))


def test_what_is_said_is_among_them() -> None:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    session = connection.session
    for number in (98, 99):
        session.handle(Received(Text("chat", "snake_case", source="Ada"), 0.0, number, 0), session.now + 1.0)
    rows, _ = last_events(session, most=5)
    (row,) = [row for row in rows if row.block is None]
    assert (row.what, row.packet, row.state) == ("chat x2", 99, "Ada: snake_case")
    assert "ada: snake case" in row.text


def test_what_is_looked_for_is_found_however_much_came_since(session: Session) -> None:
    newest, _ = last_events(session, most=5)
    first = min(last_events(session, most=10**6)[0], key=lambda row: row.at_s)
    assert first not in newest
    for wanted in (first.what.replace("_", " "), " ".join(map(str, first.block)), first.what.upper()):
        found, _ = last_events(session, wanted, most=5)
        assert any(first.what == row.what for row in found), wanted
        assert {*newest} <= {*found}, "the newest are looked through by the panel"


def test_of_every_kind_of_event_the_newest_is_found(session: Session) -> None:
    every = last_events(session, most=10**6)[0]
    kinds = {(row.what, row.state) for row in every}
    assert len(kinds) > 3
    for what, state in kinds:
        found, _ = last_events(session, searched(f"{what} {state}"), most=1)
        newest = max(row.at_s for row in every if (row.what, row.state) == (what, state))
        assert newest in {row.at_s for row in found if (row.what, row.state) == (what, state)}


def test_edits_can_be_left_out(session: Session) -> None:
    place = int(session.dimension.store.places_of_rows(session.dimension.store.announced_rows)[0])
    history = session.dimension.store.history
    at = (int(history.noted[place]) - 1) % KEPT
    was = int(history.causes[place, at])
    history.causes[place, at] = int(StateEvent.EDITED)
    try:
        assert any(row.what.startswith("edited") for row in last_events(session, most=10**6)[0])
        assert not any(row.what.startswith("edited") for row in last_events(session, edits=False, most=10**6)[0])
    finally:
        history.causes[place, at] = was


def test_nothing_happened_before_anything_came() -> None:
    session = VirtualSession("flat:1").session
    assert last_events(session) == ((), 0)
