"""``serve`` as a process that is asked who it is, and told to end; ``ping`` beside it.

Finding: ``scan`` and ``ping``: name, version, players and latency of who is there, for people and for programs.
"""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import fields
from rich.console import Console

from net.peer import Transports
from net.raknet.ping import Pong
from net.serve_arguments import SERVE_OPTIONS
from net.server.__main__ import command_line
from net.server.host_options import ClientQuota, HostOptions
from net.server.save.transactions import SaveTriggers
from net.server.worlds import open_worlds
from net.transport.discovery import Sighting, Sightings
from net.transport.udp_server import UdpHost
from render.cli import app, scan, serve
from render.cli.arguments import ServeArguments
from render.cli.console import reported
from tests.support.servers.process import LONG_S, announced_server, end_when_heard, running, threaded_server
from tests.support.session.wires import GreetingHost

# ---------------------------------------------------------------- serve

COMMAND = [sys.executable, "-c", "from render.cli import main; main()", "serve", "embedded:flat", "--port", "0"]
NO_GAMES = ("--discovery-port", "0")
PATIENT_S = 280


@pytest.mark.parametrize("reason", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_pings_until_it_is_told_to_end(reason: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*COMMAND, "--name", "over there", "--protocol", "2193", "--ids", "hash", "--json"]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
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
        line = r"over there · 1\.26\.51 \(protocol 2193\) · 0/64 players · \d+ ms · raknet\n"
        assert re.fullmatch(line, capsys.readouterr().out)

        server.send_signal(reason)
        assert server.wait(PATIENT_S) == 0
        assert server.stderr.read() == ""


def test_a_taken_port_is_a_sentence() -> None:
    with running([*COMMAND, "--json"], stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        port = json.loads(first.stdout.readline())["port"]
        second = subprocess.run(
            [*COMMAND[:-1], str(port)], capture_output=True, text=True, timeout=PATIENT_S, check=False
        )
        first.send_signal(signal.SIGINT)
    assert second.returncode == 3
    assert str(port) in second.stderr
    assert second.stderr.count("\n") == 1


def test_a_built_in_world_without_its_scheme_is_told_how_to_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["serve", "flat"]) == 2
    assert "'flat' is neither: write embedded:flat." in capsys.readouterr().err


def test_it_says_where_it_listens() -> None:
    with running(COMMAND, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.send_signal(signal.SIGINT)
    assert said.startswith("serving flat:1 at 127.0.0.1:")
    assert server.returncode == 0


def test_it_saves_once_more_when_it_is_told_to_end(tmp_path: Path) -> None:
    command = [*COMMAND, "--save", str(tmp_path), "--json"]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
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
        (["--save-beside"], "--save-beside needs a saved world; otherwise write --save FOLDER."),
        (["--save-beside", "--save", "x"], "Choose either --save or --save-beside."),
        (["--mode", "half"], "Unknown --mode 'half': choose from limited, limitless, full."),
    ],
)
def test_what_cannot_be_saved_is_a_sentence(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["serve", "embedded:flat", *options]) == 2
    assert sentence in capsys.readouterr().err


NUMBERS: Final = [option.flag for option in SERVE_OPTIONS if option.kind is float]


@pytest.mark.parametrize("flag", NUMBERS)
def test_what_is_no_number_is_a_sentence_that_names_its_option(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("nan", "inf", "-inf"):
        assert reported(app, ["serve", "embedded:flat", flag, text]) == 2
        said = capsys.readouterr().err
        assert flag in said
        assert said.count("\n") == 1


def test_the_command_has_all_options_of_the_process_and_both_mean_the_same_without_them() -> None:
    listed = {action.option_strings[0]: action for action in command_line()._actions}
    chosen = {option.name: option.default for option in fields(ServeArguments)}
    assert set(listed) - {"-h", "--world", "--folder", "--dimension"} == {option.flag for option in SERVE_OPTIONS}
    assert set(chosen) == {option.command_name for option in SERVE_OPTIONS}
    with_another = {option.flag for option in SERVE_OPTIONS if option.command_default is not None}
    assert with_another == {"--port", "--protocol", "--discovery-port"}
    usual = command_line().parse_args([])
    options, quota, triggers = HostOptions(), ClientQuota(), SaveTriggers()
    assert (usual.fov, usual.aspect, usual.radius_max) == (options.fov_degrees, options.aspect, options.radius_max)
    assert (usual.speed_max, usual.entries_a_second) == (quota.speed_blocks_s, quota.entries_a_second)
    assert (usual.columns_a_second, usual.builds_a_second) == (quota.columns_a_second, quota.builds_a_second)
    assert usual.commands_a_second == quota.commands_a_second
    assert (usual.save_every, usual.save_idle) == (triggers.interval_s, triggers.idle_s)
    assert (usual.save_timeout, usual.save_mib) == (triggers.timeout_s, triggers.dirty_bytes / (1 << 20))


def test_what_is_chosen_reaches_the_process() -> None:
    values = {"occlusion": True, "save_every": 5.0, "mod": ["a.py", "b.py"], "protocol": "auto", "level": None}
    chosen = [option for option in SERVE_OPTIONS if option.name in values]
    words = [word for option in chosen for word in serve._words(option, values[option.name])]
    said = command_line().parse_args(words)
    assert {name: getattr(said, name) for name in values} == values


def test_commands_on_its_input_are_answered(tmp_path: Path) -> None:
    command = [*COMMAND, "--keep-generated", str(tmp_path)]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.readline()
        server.stdin.write("/time set 1000\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        server.stdin.close()
        server.send_signal(signal.SIGINT)
    assert "1000" in answer
    assert server.returncode == 0
    assert [*tmp_path.glob("generated-*.sqlite")]


def test_trouble_is_told_and_success_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    for line in ('{"saved": 12}', '{"answer": "Done."}', '{"warning": "It is late."}', '{"lost": "It is gone."}'):
        serve._tell(line, as_json=False)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("Done.\n", "chunkscope: It is late.\nchunkscope: It is gone.\n")


def test_an_ipv6_address_is_told_as_a_source_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    facts = {"address": "::1", "port": 19132, "world": "flat:1", "protocols": [486, 975], "discovery_port": 0}
    serve._announce(json.dumps(facts), as_json=False)
    assert capsys.readouterr().out.startswith("serving flat:1 at [::1]:19132 (protocols 486 to 975);")


# ---------------------------------------------------------------- finding


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
    assert reported(app, ["scan", "--port", str(port), *NO_GAMES, "--timeout", str(LONG_S)]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["source", "name", "version", "players", "latency", "transport"]
    source, *_, latency, unit, transport = row.split()
    assert source.endswith(f":{port}")
    assert re.search(r"\(protocol 486\) +\d+/\d+ +\d+ ms +raknet$", row.rstrip())
    assert latency.isdigit()
    assert (unit, transport) == ("ms", "raknet")


def test_scan_lists_lan_games_beside_and_says_what_made_no_sense(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    end_when_heard(monkeypatch)
    options = HostOptions(transports=Transports.NETHERNET, name="A game")
    with announced_server(open_worlds("flat:1")[0], 2193, options) as game:
        assert reported(app, ["scan", "--port", "9", "--discovery-port", str(game), "--timeout", str(LONG_S)]) == 0
        row, *_ = capsys.readouterr().out.splitlines()[1:]
        assert row.split()[:3] == [f"lan://127.0.0.1:{game}", "A", "game"]
        assert row.split()[-1] == "nethernet"
        assert reported(app, ["ping", f"lan://127.0.0.1:{game}", "--timeout", str(LONG_S)]) == 0
        assert re.fullmatch(r"A game · .+ \(protocol 2193\) · 0/64 players · .+ nethernet\n", capsys.readouterr().out)
    said = Sightings()
    said.malformed, said.left_out = 3, 2
    scan._remark(said, 1024)
    assert capsys.readouterr().out.splitlines() == [
        "3 datagrams were not server answers.",
        "2 answers are not listed: at most 1024 servers are.",
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::"])
def test_scan_lists_who_takes_offers_by_http_on_this_machine(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = HostOptions(transports=Transports.NETHERNET, name="By HTTP")
    with threaded_server(open_worlds("flat:1")[0], 2193, options, at=host) as http:
        source = f"http://[::1]:{http}" if host == "::1" else f"http://127.0.0.1:{http}"
        command = ["scan", "--port", str(http), *NO_GAMES, "--timeout", "1"]
        assert reported(app, command) == 0
        row, *_ = capsys.readouterr().out.splitlines()[1:]
        assert row.split()[0] == source
        assert row.split()[-1] == "nethernet"
        assert reported(app, [*command, "--json"]) == 0
        (seen,) = json.loads(capsys.readouterr().out)
        assert (seen["source"], seen["transport"]) == (source, "nethernet")


def test_ping_over_ipv6(capsys: pytest.CaptureFixture[str]) -> None:
    options = HostOptions(transports=Transports.BOTH, name="Six")
    with threaded_server(open_worlds("flat:1")[0], 2193, options, at="::1") as port:
        for source in (f"[::1]:{port}", f"http://[::1]:{port}"):
            assert reported(app, ["ping", source, "--timeout", str(LONG_S)]) == 0
            assert re.fullmatch(r"Six · .+ \(protocol 2193\) · 0/64 players · .+ nethernet\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[foo]:5", "'foo' in '[foo]:5' is not an IPv6 address: brackets are for those alone, as in [::1]:19132."),
        ("[::g]", "'::g' in '[::g]' is not an IPv6 address: brackets are for those alone, as in [::1]:19132."),
        ("::1:5", "Put the IPv6 address of '::1:5' in brackets, as in [::1]:19132."),
        ("[::1", "'[::1' is not an address: write [IPV6]:PORT."),
        ("[::1]5", "'[::1]5' is not an address: write [IPV6]:PORT."),
        ("[::1]:0", "The port '0' of '[::1]:0' must be a number from 1 to 65535."),
    ],
)
def test_ping_says_what_is_wrong_with_an_ipv6_address(
    text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["ping", text]) == 2
    assert capsys.readouterr().err == f"chunkscope: {sentence}\n"


def test_ping_of_a_url_says_what_is_wrong_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", "http://127.0.0.1:1"]) == 3
    assert (
        capsys.readouterr().err == "chunkscope: http://127.0.0.1:1 cannot be reached over HTTP: Connection refused.\n"
    )


def test_in_a_terminal_the_table_lives(
    port: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert reported(app, ["scan", "--port", str(port), *NO_GAMES, "--timeout", str(LONG_S)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("latency") >= 2  # drawn when it was empty, and again
    assert "\x1b[" in shown
    last = shown[shown.rindex("latency") :]
    assert f":{port}" in last
    assert "(protocol 486)" in last


def test_scan_as_json_says_the_same(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", str(port), *NO_GAMES, "--timeout", str(LONG_S), "--json"]) == 0
    (seen,) = json.loads(capsys.readouterr().out)
    assert seen["source"].endswith(f":{port}")
    assert seen["pong"]["protocol"] == 486
    assert {"motd", "version", "players", "max_players"} <= set(seen["pong"])
    assert 0.0 <= seen["latency_s"] < LONG_S


def test_a_server_of_a_lan_game_says_so_where_it_starts(capsys: pytest.CaptureFixture[str]) -> None:
    facts = {"address": "127.0.0.1", "port": 19132, "world": "flat:1", "protocols": [486, 975], "discovery_port": 7551}
    serve._announce(json.dumps(facts), as_json=False)
    assert "(protocols 486 to 975; LAN game on UDP port 7551);" in capsys.readouterr().out


def test_a_lan_that_is_empty_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["scan", "--port", "9", *NO_GAMES, "--timeout", "0.1"]) == 0
    assert "\nNo server answered within 0.1 s." in capsys.readouterr().out
    assert reported(app, ["scan", "--port", "9", *NO_GAMES, "--timeout", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_ping_shows_one_server(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", f"127.0.0.1:{port}", "--timeout", str(LONG_S)]) == 0
    assert re.fullmatch(r".+ · .+ \(protocol 486\) · \d+/\d+ players · \d+ ms · raknet\n", capsys.readouterr().out)
    assert reported(app, ["ping", f"127.0.0.1:{port}", "--json", "--timeout", str(LONG_S)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"motd", "version", "protocol", "players", "max_players", "latency_ms"} <= set(told)
    assert "sent_ms" not in told


def test_a_name_that_would_steer_a_terminal_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    pong = Pong("\x1b[2J[/]one\ntwo", 486, "1.18\x1b]0;x\x07", 1, 10, 5)
    table = scan._table((Sighting(("10.0.0.1", 19132), pong, 0.001),))
    Console(width=120).print(table)
    _, row = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == ["10.0.0.1:19132", "[2J[/]one", "two", "1.18"]
    assert row.isprintable()


def test_an_address_that_cannot_be_reached_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["ping", "255.255.255.255", "--timeout", "1"]) == 3
    told = capsys.readouterr().err
    assert told.startswith("chunkscope: 255.255.255.255:19132: 255.255.255.255 cannot be reached from here: ")
