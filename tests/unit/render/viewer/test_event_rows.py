"""The last events of a session, newest first, whoever told them."""

import pytest

from client.session.session import Session
from net.bedrock import LevelEvent, LevelEventNumber
from render.viewer.event_rows import last_events
from tests.support.virtual_session import VirtualSession


@pytest.fixture(scope="module")
def session() -> Session:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    return connection.session


def test_the_newest_events_of_all_sub_chunks_come_first(session: Session) -> None:
    rows, total = last_events(session, 50)
    assert len(rows) == 50
    assert total > 50
    times = [row.at_s for row in rows]
    assert times == sorted(times, reverse=True)
    every, _ = last_events(session, 10**6)
    assert max(row.at_s for row in every) == times[0]
    assert {"announced", "asked"} <= {row.what.split()[0] for row in every}


def test_rows_are_what_the_history_says(session: Session) -> None:
    every, _ = last_events(session, 10**6)
    store = session.store
    assert len(every) == sum(len(store.history.of(int(p))) for p in store.places_of_rows(store.announced_rows))
    row = next(row for row in every if row.what.startswith("answer_data"))
    event = store.history.of(store.place_of(row.block.subchunk))[-1]
    assert row.packet == event.packet
    assert row.state == "requested > data"
    assert row.text.startswith(f"{row.at_s:.3f} {row.packet} ")


def test_what_events_tell_of_blocks_is_among_them(session: Session) -> None:
    message = LevelEvent(event=int(LevelEventNumber.START_CRACKING), position=(1.0, 2.0, 3.0), argument=65535)
    session.events.note(message, 99, session.started_at + 1e6)
    rows, _ = last_events(session, 5)
    assert (rows[0].what, rows[0].packet, tuple(rows[0].block)) == ("start_cracking", 99, (1, 2, 3))


def test_nothing_happened_before_anything_came() -> None:
    session = VirtualSession("flat:1").session
    assert last_events(session) == ((), 0)
