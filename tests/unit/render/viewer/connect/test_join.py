"""Joining beside the thread that draws: progress, cancelling, and who owns what comes of it.

Loading: Importing beside the thread that draws.
"""

import sys
import threading
from pathlib import Path

import pytest

from client.background_task import Loading
from client.connection.connection import Connection
from client.connection.opening import Awaited, Progress, open_connection
from client.errors import SourceError
from client.options import Moment, Options
from client.session.spawn import SpawnPhase
from client.source import Embedded, Remote, Source, WorldFile
from render.panels.connect import Underway
from render.viewer.connect.join import CANCELLED, ConnectionAttempt, Failed, play
from tests.recordings import recording
from tests.support.session.virtual import VirtualSession, VirtualTransport

# ---------------------------------------------------------------- joining

PATIENCE_S = 200.0
HERE = Remote("here.test")


class Gate:
    """An opening that waits until it is let through."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.told = threading.Event()
        self.closed: list[Connection] = []

    def __call__(self, source: Source, options: Options, progress: Progress) -> Connection:
        progress(0.25, "waiting at the gate")
        self.told.set()
        assert self.open.wait(PATIENCE_S)
        connection = VirtualSession("flat:1").connection(options)
        close = connection.close
        connection.close = lambda: (self.closed.append(connection), close())[1]
        return connection


def test_what_was_joined_belongs_to_whoever_polls_it() -> None:
    gate = Gate()
    joining = ConnectionAttempt(HERE, Options(radius=2, light=False), gate)
    assert gate.told.wait(PATIENCE_S)
    assert joining.poll() is None
    assert joining.underway(2.5) == Underway(str(HERE), "waiting at the gate", 0.25, 2.5)
    gate.open.set()
    assert joining.wait(PATIENCE_S)
    connection = joining.poll()
    assert connection is not None
    with connection:
        connection.wait_settled()
        assert connection.states()


def test_a_join_that_is_cancelled_closes_what_it_gets() -> None:
    gate = Gate()
    joining = ConnectionAttempt(HERE, Options(radius=2, light=False), gate)
    assert gate.told.wait(PATIENCE_S)
    joining.cancel()
    joining.cancel()
    gate.open.set()
    assert joining.wait(PATIENCE_S)
    assert len(gate.closed) == 1
    with pytest.raises(Failed, match=CANCELLED):
        joining.poll()


def test_a_join_that_is_cancelled_after_it_joined_is_closed_all_the_same() -> None:
    gate = Gate()
    gate.open.set()
    joining = ConnectionAttempt(HERE, Options(radius=2, light=False), gate)
    assert joining.wait(PATIENCE_S)
    parting = joining.cancel()
    assert parting is not None
    assert parting.wait(PATIENCE_S)
    assert len(gate.closed) == 1
    with pytest.raises(Failed, match=CANCELLED):
        joining.poll()


def test_progress_after_a_cancel_ends_the_attempt() -> None:
    reached: list[bool] = []
    joined = threading.Event()

    def opened(source: Source, options: Options, progress: Progress) -> Connection:
        joined.wait(PATIENCE_S)
        progress(0.5, "going on")
        reached.append(True)
        raise AssertionError("nobody wants it any more")

    joining = ConnectionAttempt(HERE, Options(), opened)
    joining.cancel()
    joined.set()
    assert joining.wait(PATIENCE_S)
    assert not reached
    with pytest.raises(Failed, match=CANCELLED):
        joining.poll()


def test_a_failure_is_raised_where_it_is_polled() -> None:
    def opened(source: Source, options: Options, progress: Progress) -> Connection:
        raise SourceError(f"{source} did not answer within 2 s.")

    joining = ConnectionAttempt(HERE, Options(), opened)
    assert joining.wait(PATIENCE_S)
    with pytest.raises(Failed, match=r"here\.test:19132 did not answer"):
        joining.poll()


@pytest.mark.parametrize(
    ("options", "paused", "speed"),
    [
        (Options(), False, 1.0),
        (Options(start=Moment(0.5)), True, 1.0),
        (Options(start=Moment(0.5), speed=2.0), False, 2.0),
    ],
)
def test_a_chosen_moment_is_shown_until_somebody_plays_on(options: Options, paused: bool, speed: float) -> None:
    with open_connection(WorldFile(recording("bedrock-protocol-486")), options) as connection:
        play(connection)
        assert connection.replay is not None
        assert (connection.replay.paused, connection.replay.speed) == (paused, speed)


def test_what_is_waited_for_is_named_with_its_own_seconds_and_what_was_heard() -> None:
    virtual = VirtualSession("flat:1")
    transport = VirtualTransport(virtual.link)
    options = Options(radius=2, light=False)
    with Connection(Embedded(), options, virtual.session, transport, clock=lambda: virtual.link.now) as connection:
        awaited = Awaited(connection, 100.0)
        assert awaited.told(101.5)[1] == "waiting for an answer, 0.0 s; no reply to 0 datagrams"
        assert awaited.told(103.0)[1] == "waiting for an answer, 1.5 s; no reply to 0 datagrams"
        shares, words = [], []
        while connection.session.spawn.phase is not SpawnPhase.PLAYING:
            connection.pump()
            share, said = awaited.told(110.0)
            shares.append(share)
            words.append(said)
    assert shares == sorted(shares)
    assert any("; the server has sent " in said for said in words)
    assert words[-1].startswith("waiting for the spawn status, 0.0 s; the server has sent ")


# ---------------------------------------------------------------- loading


def test_modules_are_there_when_it_is_done() -> None:
    loading = Loading(["json", "colorsys"])
    assert loading.wait(200.0)
    assert "colorsys" in sys.modules
    loading.close()
    loading.close()


def test_a_failed_import_is_raised_where_it_is_waited_for() -> None:
    loading = Loading(["client.connection.nothing_of_that_name"])
    with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
        loading.wait(200.0)
    loading.close()


def test_an_import_that_does_not_end_is_left_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "endless_import.py").write_text("import sys\nsys.endless_import_gate.wait()\n")
    gate = threading.Event()
    monkeypatch.setattr(sys, "endless_import_gate", gate, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    begun = Loading(["endless_import"])
    begun.close(0.0)
    assert not begun.wait(0.0)
    gate.set()
    assert begun.wait(60.0)
