"""Recordings that pass through several dimensions, and where they are opened for one of them."""

from pathlib import Path

import pytest

from client.connect.errors import SourceError
from client.connect.opening import open_connection
from client.connect.options import Moment, Options
from client.connect.source import WorldFile
from client.player import Eye
from net.bedrock import ChangeDimension, PlayStatus
from net.peer.events import Received
from tests.support.virtual_session import VirtualSession

BELOW = (5.5, 70.0, -8.5)
PLAYER_SPAWN = 3


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The overworld, then the Nether, then the overworld again."""
    path = tmp_path / "a.cscope"
    virtual = VirtualSession("flat:1")
    with virtual.connection(Options(radius=2, light=False, record=path)) as live:
        live.wait_settled()
        heard = virtual.link.events
        for number, place in ((1, BELOW), (0, (0.5, 80.0, 0.5))):
            said = [Received(ChangeDimension(number, place, False), virtual.now, 0, 0)]
            said.append(Received(PlayStatus(PLAYER_SPAWN), virtual.now, 0, 0))
            monkeypatch.setattr(virtual.link, "events", lambda said=said: [*heard(), *(said.pop(0) for _ in said[:])])
            for _ in range(50):
                live.pump()
    return path


def test_one_begins_where_the_dimension_is_shown_first(recording: Path) -> None:
    with open_connection(WorldFile(recording), Options(light=False, dimension=1)) as again:
        assert again.session.store.dimension.name == "nether"
        assert again.session.view.eye == Eye(*BELOW)
        assert again.replay
        assert again.replay.position.time_s < again.replay.duration_s


def test_one_that_never_shows_it_says_so_and_one_at_a_moment_what_it_shows(recording: Path) -> None:
    with pytest.raises(SourceError, match=r"a\.cscope never shows dimension end\.$"):
        open_connection(WorldFile(recording), Options(light=False, dimension=2))
    with open_connection(WorldFile(recording), Options(light=False)) as again:
        assert again.replay
        end = Moment(again.replay.duration_s)
    with pytest.raises(SourceError, match=r"a\.cscope shows dimension overworld at .*, not nether\.$"):
        open_connection(WorldFile(recording), Options(light=False, dimension=1, start=end))
