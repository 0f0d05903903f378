"""``scan`` and ``ping``: name, version, players and latency of who is there, for people and for programs."""

import json
import re
import threading
import time
from collections.abc import Iterator

import pytest

from net.transport.udp_host import UdpHost
from render.cli import app
from render.cli.failures import reported
from tests.support.peer_pair import GreetingHost


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"], ids=["this machine", "the LAN"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """Of a server that listens there."""
    host = UdpHost(GreetingHost(time.monotonic()), (request.param, 0))
    thread = threading.Thread(target=host.run)
    thread.start()
    try:
        yield host.address[1]
    finally:
        host.stop()
        thread.join(20.0)


def test_scan_lists_who_answers(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", str(port), "--timeout", "0.4"]) == 0
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
    assert reported(app, ["scan", "--port", str(port), "--timeout", "0.4"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("latency") >= 2  # drawn when it was empty, and again
    assert "\x1b[" in shown
    last = shown[shown.rindex("latency") :]
    assert f":{port}" in last
    assert "(protocol 486)" in last


def test_scan_as_json_says_the_same(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", str(port), "--timeout", "0.4", "--json"]) == 0
    (seen,) = json.loads(capsys.readouterr().out)
    assert seen["source"].endswith(f":{port}")
    assert seen["pong"]["protocol"] == 486
    assert {"motd", "version", "players", "max_players"} <= set(seen["pong"])
    assert 0.0 <= seen["latency_s"] < 0.4


def test_a_lan_that_is_empty_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", "9", "--timeout", "0.1"]) == 0
    assert "No server answered within 0.1 s." in capsys.readouterr().out
    assert reported(app, ["scan", "--port", "9", "--timeout", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_ping_shows_one_server(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", f"127.0.0.1:{port}"]) == 0
    assert re.fullmatch(r".+ · .+ \(protocol 486\) · \d+/\d+ players · \d+ ms\n", capsys.readouterr().out)
    assert reported(app, ["ping", f"127.0.0.1:{port}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"motd", "version", "protocol", "players", "max_players", "latency_ms"} <= set(told)
    assert "sent_ms" not in told
