"""Servers nobody here wrote keep our player: who joins again starts where it left, and nobody is kept out."""

import math
import shutil
from pathlib import Path

import pytest

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.options import OWN, Options
from client.player import Eye, View
from client.source import Remote
from tests.support.servers.foreign import ForeignProcess, ForeignServer, GoServer, random_world, states_as_settings

pytestmark = pytest.mark.interop

ABOVE = Eye(12.0, 108.0, 6.0)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where players are kept; another one is another computer's."""
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    return tmp_path / "data"


def join(server: ForeignProcess) -> Connection:
    return open_connection(
        Remote("127.0.0.1", server.port), Options(radius=3, light=False, cache=False, identity=OWN, timeout_s=200.0)
    )


def test_dragonfly_starts_our_player_where_it_left(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = random_world(2, seed=9, protocol=2168)
    settings = {"world": world.as_settings(), "states": states_as_settings(2168), "players": str(tmp_path / "players")}
    with GoServer("dragonfly2168", tmp_path, **settings) as server:
        with join(server) as first:
            start = first.session.movement.view.eye
            first.look(View(ABOVE, 40.0, 10.0))
            first.wait_for(lambda _: None if math.dist(first.session.movement.eye, ABOVE) < 0.1 else "the player", 20.0)
            ticks = first.session.movement.ticks
            first.wait_for(lambda _: None if first.session.movement.ticks > ticks + 5 else "ticks", 20.0)
        server.wait_event("kept")
        with join(server) as again, join(server) as beside:
            assert math.dist(again.session.movement.view.eye, ABOVE) < 0.5
            assert math.dist(beside.session.movement.view.eye, start) < 0.5
            # The same player from elsewhere, which no lock tells of, as after a line that broke: it lets us in, and
            # says "Already logged in." a moment later.
            shutil.copytree(home, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("*.lock"))
            monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "elsewhere"))
            with join(server) as elsewhere:
                assert elsewhere.statistics().session.warnings == (
                    "you join as a new player: the server already has this player",
                )
                again.pump()


def test_a_server_that_throws_the_first_of_two_out_keeps_two_windows(tmp_path: Path) -> None:
    world = random_world(2, seed=9, protocol=527)
    with (
        GoServer("dragonfly527", tmp_path, world=world.as_settings(), states=states_as_settings(527)) as server,
        join(server) as first,
        join(server) as second,
    ):
        assert second.wait_settled(200.0)
        assert first.wait_settled(200.0)


def test_two_windows_are_on_a_server_that_keeps_nobody(tmp_path: Path) -> None:
    with (
        ForeignServer(random_world(2, seed=9), tmp_path) as server,
        join(server) as first,
        join(server) as second,
    ):
        assert second.wait_settled(200.0)
        assert first.wait_settled(200.0)
