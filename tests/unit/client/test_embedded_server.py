"""The child process, mostly played by small Python programs."""

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from client import embedded_server
from client.embedded_server import EmbeddedServer, server_command, server_of, start_ahead
from client.errors import SourceError
from client.options import Options
from client.source import Embedded, Remote
from net.errors import NOTHING_LISTENS

PATIENT = 30.0
READY = "import sys; print('{\"port\": 4711}', flush=True); sys.stdin.read()"


def program(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_it_tells_its_port_and_ends_when_its_stdin_closes() -> None:
    server = EmbeddedServer(program(READY))
    told: list[str] = []
    server.wait_ready(PATIENT, lambda _share, what: told.append(what))
    assert told[-1] == "starting the embedded server"
    assert server.address == ("127.0.0.1", 4711)
    assert server.failure is None
    server.close()
    server.close()


def test_a_child_that_dies_is_quoted() -> None:
    with pytest.raises(SourceError, match="no such world"):
        EmbeddedServer(program("import sys; sys.exit('no such world')")).wait_ready(PATIENT)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("sys.exit('the world is full')", "ended with code 1: the world is full"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "was stopped by SIGTERM: it printed nothing."),
    ],
)
def test_why_a_child_died_is_told_even_where_its_port_went_first(how: str, said: str) -> None:
    dies = f"import os, signal, sys; print('{{\"port\": 4711}}', flush=True); sys.stdin.readline(); {how}"
    server = EmbeddedServer(program(dies))
    server.wait_ready(PATIENT)
    assert server.failure_of("the player was kicked") is None
    server.dismiss()  # it begins to end, and has not ended yet
    assert server.failure_of(f"{NOTHING_LISTENS} 127.0.0.1 port 4711 any more") == f"The embedded server {said}"
    server.close()


def test_a_child_that_says_something_else_is_no_server() -> None:
    with pytest.raises(SourceError):
        EmbeddedServer(program("print('hello')")).wait_ready(PATIENT)


def test_a_silent_child_is_given_up() -> None:
    with pytest.raises(SourceError, match=r"not ready within 0\.01 s"):
        EmbeddedServer(program("import sys; sys.stdin.read()")).wait_ready(0.01)


def test_a_world_that_cannot_be_kept_is_served_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(embedded_server, "cache_folder", lambda: tmp_path / "file")
    server = EmbeddedServer(server_command(Embedded("flat", 1), Options()))
    server.wait_ready(PATIENT)
    server.close()
    assert "cannot keep generated columns" in caplog.text


def test_the_options_of_the_cache_hold_for_our_worlds(tmp_path: Path) -> None:
    assert "--keep-generated" not in server_command(Embedded("flat", 1), Options(cache=False))
    command = server_command(Embedded("flat", 1), Options(cache_dir=tmp_path))
    assert command[command.index("--keep-generated") + 1] == str(tmp_path / embedded_server.WORLDS_FOLDER)


def test_columns_of_our_worlds_are_kept(own_cache_folder: Path) -> None:
    server = EmbeddedServer(server_command(Embedded("flat", 1), Options()))
    server.wait_ready(PATIENT)
    server.close()
    assert [*(own_cache_folder.parent / embedded_server.WORLDS_FOLDER).glob("generated-*.sqlite")]


def test_who_waits_may_give_up() -> None:
    def closed(_share: float, _what: str) -> None:
        raise KeyboardInterrupt

    server = EmbeddedServer(program("import sys; sys.stdin.read()"))
    with pytest.raises(KeyboardInterrupt):
        server.wait_ready(PATIENT, closed)
    server.close()


def test_the_command_names_world_mode_and_profile() -> None:
    command = server_command(Embedded("flat", 3), Options(mode="full", profile="documented", radius=4, time=18000))
    assert command[1:3] == ["-m", "net.server"]
    line = " ".join(command)
    for part in (
        "--world flat:3",
        "--port 0",
        "--mode full",
        "--profile documented",
        "--radius-max 65",
        "--time 18000",
    ):
        assert part in line


def test_a_child_that_was_started_ahead_is_for_who_joins_first() -> None:
    source, options = Embedded("flat", 1), Options(radius=2)
    with start_ahead(source, options), start_ahead(source, options):
        first, second = (server_of(source, replace(options, radius=4, light=False)) for _ in range(2))
        third = server_of(source, options)
    assert len({server._child.pid for server in (first, second, third)}) == 3
    for server in (first, second, third):
        server.wait_ready(PATIENT)  # they were not ended with the blocks
        server.close()


def test_a_child_that_was_started_ahead_ends_where_nobody_joins() -> None:
    source, options = Embedded("flat", 1), Options(radius=2)
    with start_ahead(source, options):
        (ahead,) = embedded_server._STARTED_AHEAD
        other = server_of(source, replace(options, time=6000))  # not what was started
        other.close()
        assert other is not ahead
    assert not embedded_server._STARTED_AHEAD
    assert ahead._child.returncode is not None


def test_nothing_is_started_ahead_for_another_source() -> None:
    with start_ahead(Remote("127.0.0.1", 9), Options()):
        assert not embedded_server._STARTED_AHEAD


def test_a_child_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_server, "EXIT_WAIT_S", 0.0)
    server = EmbeddedServer(program(READY + "\nimport threading; threading.Event().wait()"))
    server.wait_ready(PATIENT)
    server.close()
    assert server._child.returncode is not None


def test_a_child_that_cannot_be_ended_is_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Immortal:
        pid = 4711
        waited: ClassVar[list[float]] = []

        def kill(self) -> None:
            pass

        def wait(self, seconds: float) -> None:
            self.waited.append(seconds)
            raise subprocess.TimeoutExpired("", seconds)

    monkeypatch.setattr(embedded_server, "KILLED_WAIT_S", 2.0)
    embedded_server.end_child(Immortal(), "the embedded server", 0.5)  # type: ignore[arg-type] # a fake
    assert Immortal.waited == [0.5, embedded_server.KILLED_WAIT_S]
    assert caplog.messages == ["the embedded server (process 4711) was killed but is still running 2 s later"]
