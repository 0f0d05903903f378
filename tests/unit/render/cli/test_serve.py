"""``serve`` as a process that is asked who it is, and told to end; ``ping`` beside it."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from render.cli import app, serve
from render.cli.failures import reported

COMMAND = [sys.executable, "-c", "from render.cli import main; main()", "serve", "embedded:flat", "--port", "0"]
PATIENT_S = 280


@pytest.mark.parametrize("reason", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_pings_until_it_is_told_to_end(reason: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*COMMAND, "--name", "over there", "--protocol", "2193", "--ids", "hash", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        ready = json.loads(server.stdout.readline())
        port = ready["port"]
        assert (ready["protocol"], ready["ids"]) == (2193, "hash")

        assert reported(app, ["ping", f"127.0.0.1:{port}", "--json"]) == 0
        pong = json.loads(capsys.readouterr().out)
        assert pong["motd"] == "over there"
        assert (pong["protocol"], pong["version"]) == (2193, "1.26.51")
        assert (pong["players"], pong["max_players"]) == (0, 64)
        assert pong["latency_ms"] >= 0
        assert reported(app, ["ping", f"localhost:{port}"]) == 0
        line = r"over there · 1\.26\.51 \(protocol 2193\) · 0/64 players · \d+ ms\n"
        assert re.fullmatch(line, capsys.readouterr().out)

        server.send_signal(reason)
        assert server.wait(PATIENT_S) == 0
        assert server.stderr.read() == ""


def test_a_taken_port_is_a_sentence() -> None:
    with subprocess.Popen([*COMMAND, "--json"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        port = json.loads(first.stdout.readline())["port"]
        second = subprocess.run(
            [*COMMAND[:-1], str(port)], capture_output=True, text=True, timeout=PATIENT_S, check=False
        )
        first.send_signal(signal.SIGINT)
    assert second.returncode == 3
    assert str(port) in second.stderr
    assert second.stderr.count("\n") == 1


def test_it_says_where_it_listens() -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.send_signal(signal.SIGINT)
    assert said.startswith("serving flat:1 at 127.0.0.1:")
    assert server.returncode == 0


def test_it_saves_once_more_when_it_is_told_to_end(tmp_path: Path) -> None:
    command = [*COMMAND, "--save", str(tmp_path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        saved = json.loads(server.stdout.readline())["saved"]
        assert server.wait(PATIENT_S) == 0
        assert server.stderr.read() == ""
    assert json.loads((tmp_path / "committed.json").read_text())["tick"] == saved


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--save-beside"], "--save-beside is for saved worlds; say --save FOLDER."),
        (["--save-beside", "--save", "x"], "Choose one of --save and --save-beside."),
    ],
)
def test_what_cannot_be_saved_is_a_sentence(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["serve", "embedded:flat", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_trouble_is_told_and_success_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    for line in ('{"saved": 12}', '{"warning": "It is late."}', '{"lost": "It is gone."}'):
        serve._tell_trouble(line, as_json=False)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "It is late.\nIt is gone.\n")


def test_an_ipv6_address_is_told_as_a_source_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    serve._announce('{"address": "::1", "port": 19132, "world": "flat:1", "protocols": [486, 975]}', as_json=False)
    assert capsys.readouterr().out.startswith("serving flat:1 at [::1]:19132 (protocols 486 to 975);")
