"""A server that keeps its players starts who joins again where it left; and somebody new where everybody starts."""

import math
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.options import FRESH, OWN, Options
from client.player import Eye, View
from client.source import Remote
from tests.support.servers.process import Served, served

THERE = Eye(3.5, 83.0, -9.5)
"""A few blocks from where hills begin."""
NEAR_BLOCKS = 0.25


def join(server: Served, identity: str) -> Connection:
    """Somebody on it."""
    return open_connection(
        Remote("127.0.0.1", server.port), Options(radius=2, light=False, cache=False, identity=identity)
    )


def near(one: Eye, other: Eye) -> bool:
    return math.dist(one, other) < NEAR_BLOCKS


def fly(connection: Connection) -> None:
    """Until the player is there, and the server has heard of it."""
    connection.look(replace(connection.session.movement.view, eye=THERE, yaw_deg=33.0, pitch_deg=12.0))
    connection.wait_for(lambda _: None if near(connection.session.movement.eye, THERE) else "the player", 20.0)
    ticks = connection.session.movement.ticks
    connection.wait_for(lambda _: None if connection.session.movement.ticks > ticks + 3 else "ticks", 20.0)


def placed(view: View) -> tuple[bool, float, float]:
    return near(view.eye, THERE), round(view.yaw_deg), round(view.pitch_deg)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))


def test_who_joins_again_starts_where_it_left_also_after_the_server_was_started_anew(tmp_path: Path) -> None:
    with served("hills:1", "--save", str(tmp_path / "saved")) as server:
        with join(server, OWN) as first:
            start = first.session.movement.view.eye
            fly(first)
        with join(server, OWN) as again, join(server, OWN) as beside, join(server, FRESH) as new:
            assert placed(again.session.movement.view) == (True, 33, 12)
            assert near(beside.session.movement.view.eye, start), "two windows: the second is somebody new"
            assert near(new.session.movement.view.eye, start)
            assert again.statistics().session.warnings == new.statistics().session.warnings == ()
            assert beside.statistics().session.warnings == (
                "you join as a new player: the player 'own' is on this server in another window",
            )
        server.stop()
        server.start()
        with join(server, OWN) as later:
            assert placed(later.session.movement.view) == (True, 33, 12)


def test_a_player_whose_connection_is_lost_is_free_to_join_again_while_its_world_is_still_looked_at(
    tmp_path: Path,
) -> None:
    with served("flat:1", "--save", str(tmp_path / "saved")) as server, join(server, OWN) as lost:
        server.stop()
        with pytest.raises(Exception, match=f"127.0.0.1:{server.port}"):
            lost.wait_for(lambda _: "the end", 20.0)
        server.start()
        with join(server, OWN) as again:
            assert again.statistics().session.warnings == ()
