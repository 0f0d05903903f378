"""``scan`` and ``ping``: name, version, players and latency of who is there, for people and for programs."""

import json
import re
import threading
import time
from collections.abc import Iterator

import pytest
from rich.console import Console

from net.raknet.ping import Pong
from net.transport.discovery import Sighting
from net.transport.udp_server import UdpHost
from render.cli import app, scan
from render.cli.failures import reported
from tests.support.servers.process import LONG_S, end_when_heard
from tests.support.session.wires import GreetingHost


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"], ids=["this machine", "the LAN"])
def port(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server that listens there; once it has answered, a scan ends."""
    end_when_heard(monkeypatch)
    host = UdpHost(GreetingHost(time.monotonic()), (request.param, 0))
    thread = threading.Thread(target=host.run)
    thread.start()
    try:
        yield host.address[1]
    finally:
        host.stop()
        thread.join(LONG_S)


def test_scan_lists_who_answers(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", str(port), "--timeout", str(LONG_S)]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["source", "name", "version", "players", "latency"]
    source, *_, latency, unit = row.split()
    assert source.endswith(f":{port}")
    assert re.search(r"\(protocol 486\) +\d+/\d+ +\d+ ms$", row.rstrip())
    assert latency.isdigit()
    assert unit == "ms"


def test_in_a_terminal_the_table_lives(
    port: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert reported(app, ["scan", "--port", str(port), "--timeout", str(LONG_S)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("latency") >= 2  # drawn when it was empty, and again
    assert "\x1b[" in shown
    last = shown[shown.rindex("latency") :]
    assert f":{port}" in last
    assert "(protocol 486)" in last


def test_scan_as_json_says_the_same(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", str(port), "--timeout", str(LONG_S), "--json"]) == 0
    (seen,) = json.loads(capsys.readouterr().out)
    assert seen["source"].endswith(f":{port}")
    assert seen["pong"]["protocol"] == 486
    assert {"motd", "version", "players", "max_players"} <= set(seen["pong"])
    assert 0.0 <= seen["latency_s"] < LONG_S


def test_a_lan_that_is_empty_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", "9", "--timeout", "0.1"]) == 0
    assert "No server answered within 0.1 s." in capsys.readouterr().out
    assert reported(app, ["scan", "--port", "9", "--timeout", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_ping_shows_one_server(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", f"127.0.0.1:{port}", "--timeout", str(LONG_S)]) == 0
    assert re.fullmatch(r".+ · .+ \(protocol 486\) · \d+/\d+ players · \d+ ms\n", capsys.readouterr().out)
    assert reported(app, ["ping", f"127.0.0.1:{port}", "--json", "--timeout", str(LONG_S)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"motd", "version", "protocol", "players", "max_players", "latency_ms"} <= set(told)
    assert "sent_ms" not in told


def test_a_name_that_would_steer_a_terminal_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    pong = Pong("\x1b[2J[/]one\ntwo", 486, "1.18\x1b]0;x\x07", 1, 10, 5)
    table = scan._table((Sighting(("10.0.0.1", 19132), pong, 0.001),))
    Console().print(table)
    _, row = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == ["10.0.0.1:19132", "[2J[/]one", "two", "1.18"]
    assert row.isprintable()


def test_an_address_that_cannot_be_reached_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", "255.255.255.255", "--timeout", "1"]) == 3
    told = capsys.readouterr().err
    assert told.startswith("chunkscope: 255.255.255.255:19132: 255.255.255.255 cannot be reached from here: ")
