"""How the camera follows the server's word, and what one is told who asks to be taken into another dimension.

Placement: What one is told whom a server puts somewhere, or holds.
"""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import cast

import pytest

from client.connection.connection import Connection
from client.errors import UsageError
from client.options import Options
from client.player import Eye, View
from client.source import Embedded
from net.bedrock import (
    ChangeDimension,
    CommandMessage,
    CommandOrigin,
    CommandOutput,
    CommandRequest,
    Disconnect,
    Message,
    MoveMode,
    MovePlayer,
    Text,
)
from net.peer.packet_stream import Received
from net.server.worlds import open_worlds
from net.space import NETHER, OVERWORLD
from render.view_line import ViewLine
from render.viewer.control.server_moves import ANSWER_TIMEOUT_S, FORGOTTEN_S, ON_THE_WAY_S, Following, Placement
from tests.support.session.past import remembering
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- following

NOW = View(Eye(5.0, 80.0, 5.0), 30.0, 10.0, 50.0)
THERE = ViewLine(Eye(10.0, 71.62, 10.0), (90.0, 0.0), dimension=1)
worlds = cache(lambda: open_worlds("hills:1"))


def receive(connection: Connection, message: Message) -> None:
    session = connection.session
    session.handle(Received(message, session.now, 0, 0), session.now)


def joined(virtual: VirtualSession | None = None) -> Connection:
    return (virtual or VirtualSession("flat:1")).connection(Options(radius=2, light=False))


def pumped(connection: Connection, until: Callable[[], bool]) -> bool:
    return any(connection.pump() and until() for _ in range(20_000))


def test_our_server_takes_one_to_the_line_that_one_asked_for() -> None:
    overworld, *beside = worlds()
    with joined(VirtualSession(overworld, beside=beside)) as connection:
        following = Following(connection)
        assert following.ask(1, THERE) == "Requested dimension nether from embedded:hills:1."
        heard: list[str] = []

        def arrived() -> bool:
            heard.extend(filter(None, [following.news(0.0)]))
            return connection.session.dimension.store.dimension.number == 1

        assert pumped(connection, arrived)
        assert heard == ["You are going to the nether."]
        assert connection.session.movement.view.eye == pytest.approx(THERE.at)
        assert following.view(NOW, along=False) == THERE.view(NOW), "asked for, so the setting does not matter"
        assert not following.asks


def test_without_a_line_one_comes_to_where_the_server_says() -> None:
    with joined() as connection:
        following = Following(connection)
        following.ask(1, None)
        receive(connection, ChangeDimension(1, (7.0, 70.0, 7.0), respawn=False))
        assert following.view(NOW, along=False) == View(Eye(7.0, 70.0, 7.0), 30.0, 10.0, 50.0)


def test_a_server_that_says_no_is_quoted() -> None:
    with joined() as connection:
        following = Following(connection)
        following.ask(1, None)
        receive(connection, CommandOutput(CommandOrigin(), (CommandMessage(False, "commands.generic.unknown"),)))
        assert following.news(0.0) == "embedded:hills:1 does not have this command, or does not let you use it."
        assert following.news(1e9) is None, "that was the answer"


def test_a_server_that_says_nothing_is_told_of_once() -> None:
    with joined() as connection:
        following = Following(connection)
        assert following.news(0.0) is None
        following.ask(1, None)
        assert following.news(1.0) is None
        assert following.news(1.0 + ANSWER_TIMEOUT_S - 0.1) is None
        said = (
            f"embedded:hills:1 has not answered for {ANSWER_TIMEOUT_S:g} s; "
            "only the server can take you to dimension nether."
        )
        assert following.news(1.0 + ANSWER_TIMEOUT_S) == said
        assert following.news(2.0 + ANSWER_TIMEOUT_S) is None


def test_a_yes_that_nothing_comes_of_is_told_of() -> None:
    with joined() as connection:
        following = Following(connection)
        following.ask(1, None)
        receive(connection, CommandOutput(CommandOrigin(), (CommandMessage(True, "Yes."),)))
        assert following.news(0.0) == "Yes."
        assert following.news(ON_THE_WAY_S - 0.1) is None
        assert "agreed" in str(following.news(ON_THE_WAY_S))


def test_who_looks_back_while_asking_is_told_no_older_answer() -> None:
    with joined() as live, joined() as then:
        receive(live, CommandOutput(CommandOrigin(), (CommandMessage(False, "commands.generic.unknown"),)))
        shown = SimpleNamespace(session=live.session, replay=None, source=live.source, command=lambda _text: None)
        following = Following(cast(Connection, shown))
        following.ask(1, None)
        shown.session, shown.replay = then.session, object()
        assert following.news(0.0) is None
        shown.session, shown.replay = live.session, None
        assert following.news(1.0) is None


def test_a_server_that_answers_in_the_chat_is_quoted_and_may_still_take_one_there() -> None:
    with joined() as connection:
        following = Following(connection)
        following.ask(1, THERE)
        receive(connection, Text("raw", "\N{SECTION SIGN}aTeleporting you."))
        assert following.news(0.0) == "embedded:hills:1 replies: Teleporting you."
        assert following.news(ON_THE_WAY_S - 0.1) is None
        receive(connection, ChangeDimension(1, (7.0, 70.0, 7.0), respawn=False))
        assert following.view(NOW, along=False) == THERE.view(NOW)


def test_what_a_server_said_in_the_chat_is_all_that_is_told_where_nothing_comes_of_it() -> None:
    with joined() as connection:
        following = Following(connection)
        following.ask(1, None)
        receive(connection, Text("translation", "%commands.generic.unknown", ("dimension",)))
        assert following.news(0.0) == "embedded:hills:1 does not have this command, or does not let you use it."
        assert following.asks
        assert following.news(ON_THE_WAY_S) is None
        assert not following.asks


def test_who_looks_back_is_asked_to_come_back_first() -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        connection.wait_settled()
        assert connection.past
        following = Following(connection)
        connection.past.look_back(0.1)
        with pytest.raises(UsageError, match="return to the live session first"):
            following.ask(1, None)
        assert following.view(NOW, along=True) is None


@pytest.mark.parametrize("along", [True, False])
def test_a_teleport_takes_the_camera_along_where_that_is_wanted(along: bool) -> None:
    with joined() as connection:
        connection.wait_settled()
        following = Following(connection)
        now = connection.session.movement.view
        receive(
            connection,
            MovePlayer(connection.session.movement._runtime_id, (40.0, 90.0, 0.5), 0.0, 0.0, 0.0, MoveMode.TELEPORT),
        )
        expected = View(Eye(40.0, 90.0, 0.5), now.yaw_deg, now.pitch_deg, now.fov_deg) if along else None
        assert following.view(now, along=along) == expected
        assert following.view(now, along=True) is None, "once"


@pytest.mark.parametrize(
    ("obeyed", "lost", "source", "asked"),
    [
        (True, True, "flat", ["/dimension nether 5.000 78.380 5.000"]),
        (False, True, "flat", []),
        (True, False, "flat", []),
        (True, True, "hills", []),
    ],
)
def test_a_lost_server_that_took_one_somewhere_is_asked_to_do_so_again(
    obeyed: bool, lost: bool, source: str, asked: list[str]
) -> None:
    with joined() as old, joined() as new:
        old.source, new.source = Embedded("flat"), Embedded(source)
        before, after = Following(old), Following(new)
        if obeyed:
            before.ask(1, None)
        receive(old, ChangeDimension(1, (7.0, 70.0, 7.0), respawn=False))
        before.view(NOW, along=True)
        if lost:
            receive(old, Disconnect(False, "The server is closed."))
        new.session.outbox.take()
        way_back = before.way_back(NOW)
        said = after.go_on(way_back) if way_back else None
        assert (said is not None) == bool(asked)
        assert [one.command for one in new.session.outbox.take() if isinstance(one, CommandRequest)] == asked


# ---------------------------------------------------------------- placement

EYE = Eye(40.5, 91.62, -20.5)


def test_where_the_server_took_one_is_told_with_the_dimension_where_it_is_another() -> None:
    placement = Placement(OVERWORLD)
    assert placement.took(EYE, OVERWORLD) == "The server teleported you to 40,92,-20."
    assert placement.took(EYE, NETHER) == "The server teleported you to 40,92,-20, dimension nether."
    assert placement.took(EYE, NETHER) == "The server teleported you to 40,92,-20."


def test_being_held_is_told_once_until_one_was_free_for_a_while() -> None:
    placement = Placement(OVERWORLD)
    said = "The server holds you at 40,92,-20 and sends the terrain there; the camera moves on alone (H: back)."
    assert placement.held(None, "H", 0.0) is None
    assert placement.held(EYE, "H", 1.0) == said
    assert placement.held(EYE, "H", 1.1) is None
    assert placement.held(None, "H", 1.2) is None
    assert placement.held(EYE, "H", 1.0 + FORGOTTEN_S) is None, "the camera flew, and was held again"
    assert placement.held(None, "H", 7.0) is None
    assert placement.held(EYE, "H", 6.0 + 2 * FORGOTTEN_S) == said
