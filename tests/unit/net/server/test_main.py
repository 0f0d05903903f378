"""The server as a process of its own, over real UDP."""

import gc
import json
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from net.server import __main__ as server_process
from net.server.__main__ import main
from net.server.host_options import ClientQuota, Quota
from net.server.worlds import open_worlds
from net.transport.discovery import ping
from tests.support.worlds.saved import world as written_world
from tests.support.worlds.saved import write_folder

PATIENT_S = 200.0


@contextmanager
def server(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    command = [sys.executable, "-m", "net.server", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(PATIENT_S)
        process.stdout.close()
        process.stderr.close()


def test_all_dimensions_are_served_and_one_is_where_players_start() -> None:
    with server("--world", "hills:3") as (_, ready):
        assert ready["dimensions"] == [0, 1, 2]
    with server("--world", "hills:3", "--dimension", "1") as (_, ready):
        assert (ready["world"], ready["dimensions"]) == ("hills:3", [1, 0, 2])


def test_a_dimension_that_a_world_has_not_is_told() -> None:
    command = [sys.executable, "-m", "net.server", "--world", "flat", "--dimension", "2"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "flat:1 has no dimension end\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def generated(:", "cannot be loaded: SyntaxError: "),
        ("raise SystemExit(7)", "cannot be loaded: SystemExit: 7."),
        ("generate = edit = print", "defines neither generated(column) nor edited(edit)."),
        ("generated = 5", "defines neither generated(column) nor edited(edit)."),
    ],
)
def test_a_mod_that_cannot_be_used_is_named(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mod.py"
    path.write_text(text)
    assert main(["--world", "flat", "--mod", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"The mod {path} {said}")


def test_it_tells_its_port_answers_pings_and_ends_with_its_stdin() -> None:
    with server("--world", "flat:3", "--mode", "limitless", "--name", "a test") as (process, ready):
        assert ready["world"] == "flat:3"
        assert (ready["protocol"], ready["profile"], ready["mode"]) == (486, "bedrock", "limitless")
        pong = ping(("127.0.0.1", ready["port"]), PATIENT_S)
        assert pong is not None
        assert (pong.motd, pong.protocol, pong.players) == ("a test", 486, 0)
        assert process.stdin
        process.stdin.close()
        assert process.wait(PATIENT_S) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_it_speaks_the_protocol_and_the_ids_it_is_told() -> None:
    with server("--world", "flat:3", "--protocol", "2193", "--ids", "hash") as (_, ready):
        assert (ready["protocol"], ready["ids"]) == (2193, "hash")
        pong = ping(("127.0.0.1", ready["port"]), PATIENT_S)
        assert pong is not None
        assert (pong.protocol, pong.version) == (2193, "1.26.51")


def test_auto_speaks_all_that_can_say_the_ids_and_pings_are_told_the_newest() -> None:
    with server("--world", "flat:3", "--protocol", "auto", "--ids", "hash") as (_, ready):
        assert ready["protocols"] == [582, 2193]
        pong = ping(("127.0.0.1", ready["port"]), PATIENT_S)
        assert pong is not None
        assert (pong.protocol, pong.version) == (2193, "1.26.51")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--world", "nether"], "unknown world 'nether'; choose from hills, bench, flat"),
        (["--world", "hills:x"], "the seed of a world must be a whole number, not 'x'"),
        (["--ids", "hash"], "protocol 486 has no hashed block ids; they start with 582"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"{sentence}\n"


def test_a_fault_script_is_obeyed(tmp_path: Path) -> None:
    script = tmp_path / "faults.toml"
    script.write_text("[silence]\nafter_s = 0\n")
    with server("--world", "flat:3", "--faults", str(script)) as (_, ready):
        assert ping(("127.0.0.1", ready["port"]), 0.5) is None


def test_a_wrong_fault_script_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "faults.toml"
    script.write_text("[wire]\nlos = 0.1\n")
    assert main(["--faults", str(script)]) == 2
    assert capsys.readouterr().err == f"{script}, line 2: unknown key 'los' in [wire]; did you mean 'loss'?\n"
    assert main(["--faults", str(tmp_path / "none.toml")]) == 2
    assert "cannot be read: No such file or directory." in capsys.readouterr().err
    script.write_text("[crossing]\nevery_s = 1.0\n")
    assert main(["--world", "flat", "--faults", str(script)]) == 2
    sentence = "[crossing] sends players to another dimension, but flat:1 has only one.\n"
    assert capsys.readouterr().err == sentence


@pytest.mark.parametrize(
    "arguments", [["--port", "70000"], ["--mode", "half"], ["--time", "noon"], ["--radius-max", "0"]]
)
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_port_in_use_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert main(["--world", "flat", "--port", str(port)]) == 3
    message = capsys.readouterr().err
    assert message.startswith(f"cannot listen on 127.0.0.1 port {port}: ")
    assert message.count("\n") == 1


def test_an_address_that_is_none_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--world", "flat", "--bind", "not an address"]) == 3
    assert capsys.readouterr().err.startswith("cannot listen on not an address")


# ---------------------------------------------------------------- saving


def test_a_server_that_ends_saves_and_the_next_one_goes_on(tmp_path: Path) -> None:
    ticks = []
    for _ in range(2):
        with server("--world", "flat", "--save", str(tmp_path / "save")) as (process, _):
            assert process.stdin
            process.stdin.close()
            assert process.stdout
            ticks.append(json.loads(process.stdout.readline())["saved"])
            assert process.wait(PATIENT_S) == 0
    assert 0 < ticks[0] < ticks[1]
    assert json.loads((tmp_path / "save" / "committed.json").read_text())["tick"] == ticks[1]


def test_commands_on_the_standard_input_are_done_and_answered(tmp_path: Path) -> None:
    with server("--world", "flat", "--save", str(tmp_path)) as (process, _):
        assert process.stdin
        assert process.stdout
        process.stdin.write("/setblock 0 -60 0 glass\nnonsense\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline())["answer"] for _ in range(2)]
    assert answers[0] == "1 block becomes glass."
    assert answers[1].startswith("Unknown command 'nonsense'; there are /setblock, /fill, ")


def test_nobody_has_to_hear_that_a_world_was_saved(tmp_path: Path) -> None:
    with server("--world", "flat", "--save", str(tmp_path)) as (process, _):
        assert process.stdout
        assert process.stdin
        assert process.stderr
        process.stdout.close()
        process.stdin.close()
        assert process.wait(PATIENT_S) == 0
        assert process.stderr.read() == ""
    assert json.loads((tmp_path / "committed.json").read_text())["tick"] > 0


def test_two_servers_on_one_folder_end_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with server("--world", "flat", "--save", str(tmp_path)):
        assert main(["--world", "flat", "--save", str(tmp_path)]) == 3
        said = capsys.readouterr().err
        assert said == f"{tmp_path} is in use by another server; each server needs its own folder.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            ["--world", "flat:2", "--save", "{}"],
            2,
            "{} contains the changes of flat:1, not of flat:2: save to another folder",
        ),
        (["--save-beside"], 2, "--save-beside needs a saved world (--folder); otherwise write --save FOLDER"),
        (["--save", "{}/committed.json/x"], 6, "{}/committed.json/x cannot be saved to: Not a directory."),
        (["--save", "{}/new"], 6, "{}/new/committed.json has format 9, newer than 1, the newest known here."),
    ],
)
def test_what_cannot_be_saved_to_is_one_sentence(
    tmp_path: Path, arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "committed.json").write_text('{"format": 1, "world": "flat:1", "tick": 0}')
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "committed.json").write_text('{"format": 9}')
    assert main([word.format(tmp_path) for word in arguments]) == code
    assert capsys.readouterr().err == sentence.format(tmp_path) + "\n"


def test_changes_of_a_saved_world_lie_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = write_folder(written_world({(0, 0, 0): {}}), tmp_path / "world")
    before = sorted((path, path.stat().st_mtime_ns) for path in world.rglob("*"))
    assert main(["--folder", str(world), "--save", str(world / "db")]) == 2
    assert capsys.readouterr().err.endswith("which is never modified\n")
    with server("--folder", str(world), "--save-beside") as (process, _):
        assert process.stdin
        process.stdin.close()
        assert process.wait(PATIENT_S) == 0
    assert (tmp_path / "world.edits" / "committed.json").exists()
    assert sorted((path, path.stat().st_mtime_ns) for path in world.rglob("*")) == before


@pytest.mark.parametrize("arguments", [["--save-every", "0"], ["--save-idle", "nan"], ["--save-mib", "x"]])
def test_triggers_are_numbers_above_0(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def quota_of(*arguments: str) -> ClientQuota:
    chosen = server_process.command_line().parse_args(["--world", "flat", *arguments])
    return server_process._options(chosen, open_worlds("flat:1")[0], None).quota


def test_a_lower_rate_also_lowers_what_a_player_may_have_at_once() -> None:
    assert quota_of() == ClientQuota()
    rates = ("--entries-a-second", "50", "--columns-a-second", "0.5", "--builds-a-second", "0.5")
    found = quota_of(*rates, "--commands-a-second", "0.5")
    quota = Quota(found, 0.0)
    assert [each.held(0.0) for each in (quota.entries, quota.columns, quota.builds)] == [200, 32, 1]
    assert quota.commands.take(1, 0.0)


@pytest.mark.parametrize(("saves", "ended"), [(False, ["stop", 0]), (True, ["stop"])])
def test_a_server_in_a_turn_that_does_not_return_ends_with_its_stdin_unless_it_saves(
    saves: bool, ended: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []
    monkeypatch.setattr(server_process, "END_S", 0.0)
    monkeypatch.setattr("os._exit", done.append)
    stuck = SimpleNamespace(stop=lambda: done.append("stop"))
    with open(os.devnull) as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        server_process._stop_with_stdin(stuck, saves, deque())  # type: ignore[arg-type] # a fake
    assert done == ended


def test_a_bug_is_one_sentence_on_the_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("net.server.__main__.open_worlds", broken)
    assert main(["--world", "flat"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("this is a bug in the server: RuntimeError: two lines (test_main.py line ")
    assert said.count("\n") == 1
    assert gc.isenabled()
