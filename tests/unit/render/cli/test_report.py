"""``chunkscope health`` on the command line: over recordings, over our own server, and where nobody is.

``chunkscope packets`` on the command line: text, JSON, a waterfall, and wrong usage.

``chunkscope find`` on the command line: over our own server, over a recording, and where nobody is.

All commands that join: our own server starts before what they need is loaded.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from client.connection.opening import open_connection
from client.embedded_server import EmbeddedServer
from client.errors import SourceError
from client.options import Options
from client.source import parse_source
from render.cli import app
from render.cli.console import reported
from render.materials.materials import Materials
from render.scene import diagnosis, jobs
from render.scene.diagnosis import unmeshed
from tests.recordings import recording

RECORDING = str(recording("dragonfly-527"))


def test_a_world_that_is_whole_is_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", "embedded:flat", "--radius", "2"]) == 0
    assert capsys.readouterr().out.startswith("embedded:flat:1: no problems found\n")


def test_a_problem_is_code_1_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", RECORDING, "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["kind"], problem["count"], len(problem["places"])) == ("height map", 10, 10)
    assert reported(app, ["health", RECORDING]) == 1
    assert problem["sentence"] in capsys.readouterr().out


def test_nobody_there_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["health", "127.0.0.1:9", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", [["health"], ["join"], ["find", "--most", "1"]])
def test_the_player_of_a_recording_cannot_be_moved(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    name, *options = command
    arguments = [name, RECORDING, *(["stone"] if name == "find" else []), *options, "--at", "8,70,8"]
    assert reported(app, arguments) == 2
    assert "its player cannot be moved, so leave out --at." in capsys.readouterr().err


def test_health_and_find_look_from_the_place_that_they_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--radius", "2", "--at", "808,70,8"]
    assert reported(app, ["health", "embedded:flat", *place]) == 0
    assert "no problems found" in capsys.readouterr().out
    assert reported(app, ["find", "embedded:flat", "grass", "--most", "1", *place]) == 0
    assert "blocks:\n  752,-61,-48\n" in capsys.readouterr().out  # the west corner: column 50 - 2 - 1
    assert reported(app, ["find", "embedded:flat", "grass", "--json", *place]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {(x, z) for x, _, z in (each["at"] for each in report["subchunks"])} == {
        (x, z) for x in range(47, 54) for z in range(-3, 4)
    }
    assert (report["looked_at"], report["unknown"]) == (49 * 24, 0)
    assert reported(app, ["find", "embedded:flat", "grass", "--box", "0,0,0,16,16,16", "--at", "8,70,8"]) == 2


def test_meshes_that_cannot_be_made_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_connection(parse_source("embedded:flat"), Options(radius=2)) as connection:
        assert connection.wait_settled()
        assert not len(unmeshed(connection.session).unmeshed)

        def fail(batch: jobs.MeshBatch, _scratch: object) -> None:
            if (batch.cells == (0, -2, 0)).all(axis=1).any():
                raise ValueError("an impossible block")

        monkeypatch.setattr(jobs.mesher, "run", fail)
        assert unmeshed(connection.session).unmeshed.tolist() == [[0, -4, 0], [0, -3, 0]]


def test_what_meshes_are_made_with_is_found_where_it_was_made_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "cache_directory", lambda: tmp_path)
    with open_connection(parse_source("embedded:flat"), Options(radius=2)) as connection:
        assert connection.wait_settled()
        found = unmeshed(connection.session)
        monkeypatch.setattr(Materials, "build", lambda *_: pytest.fail("it is made again"))
        assert unmeshed(connection.session).unmeshed.tolist() == found.unmeshed.tolist()


JOINING = {
    "health": ("client.report.health", ["embedded:flat"]),
    "join": ("client.report.join", ["embedded:flat"]),
    "why": ("client.report.why", ["embedded:flat", "--at", "0,0,0"]),
    "find": ("client.report.find", ["embedded:flat", "stone"]),
    "diff": ("client.report.diff", ["embedded:flat", "embedded:bench"]),
    "dump": ("client.report.dump", ["embedded:flat", "--out", "a.npz", "--box", "0,0,0,16,16,16"]),
    "record": ("client.report.record", ["embedded:flat", "--out", "a.cscope"]),
    "shot": ("render.capture", ["embedded:flat", "--out", "a.png"]),
    "doctor": ("client.connection.opening", ["--mirror", "embedded:flat"]),
}


@pytest.mark.parametrize("name", list(JOINING))
def test_our_server_is_started_before_the_client_is_loaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(_server: object, command: list[str]) -> None:
        raise SourceError(f"started {command[command.index('--world') + 1]}")

    module, arguments = JOINING[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)  # an import of it fails
    monkeypatch.setattr(EmbeddedServer, "__init__", start)
    assert reported(app, [name, *arguments]) == 3
    assert "started flat:1" in capsys.readouterr().err


# --------------------------------------------------------------------- test packets


def test_packets_of_a_place_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["packets", RECORDING, "--at", "8,64,8"]) == 0
    *rows, summary = capsys.readouterr().out.splitlines()
    assert [row.split("  ")[-1].strip() for row in rows] == [
        "column 0,0, limit 24, payload 16702 bytes", "24 sub-chunks around 0,6,0", "around 0,6,0: 18 all air, 6 data",
    ]  # fmt: skip
    assert summary == f"{RECORDING}: 3 of 117 packets shown; 0 packets have invalid bytes"
    assert reported(app, ["packets", RECORDING, "--at", "8,64,8", "--json", "--bytes"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in told["packets"]] == ["LevelChunk", "SubChunkRequest", "SubChunk"]
    assert sum(len(field["hex"]) // 2 for field in told["packets"][2]["fields"]) == told["packets"][2]["bytes"] == 16570
    assert told["summary"]["shown"] == 3


def test_a_waterfall_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["packets", RECORDING, "--waterfall", "--from", "0.05"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("    time s requested")
    assert lines[-1] == f"{RECORDING}: 10 requests"
    assert lines[-2].endswith("around 0,6,0: 24 without an answer")
    assert reported(app, ["packets", RECORDING, "--waterfall", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["requests"]) == 10


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([RECORDING, "--type", "SetTime", "--sender", "client"], 1, ""),
        ([RECORDING, "--type", "subchnk"], 2, "has no packet 'subchnk' (near names: SubChunk"),
        ([RECORDING, "--waterfall", "--type", "SubChunk"], 2, "--waterfall lists requests"),
        ([RECORDING, "--from", "soon"], 2, "'soon' is not a moment of a recording"),
        (["embedded:flat"], 2, "embedded:flat:1 is not a recording"),
        (["./none.cscope"], 6, "does not exist"),
        ([__file__], 6, "is not a recording"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_no_match_is_code_1_and_wrong_usage_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(app, ["packets", *arguments]) == code
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == bool(sentence)


# --------------------------------------------------------------------- test find


def test_what_is_found_is_code_0_in_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["find", "embedded:flat", "bedrock", "--box", "0,-64,0,32,-60,16", "--radius", "2", "--most", "3"]
    assert reported(app, arguments) == 0
    said = capsys.readouterr().out
    assert said.startswith("embedded:flat:1: 512 blocks of bedrock in 2 sub-chunks; 2 sub-chunks searched\n")
    assert said.endswith("blocks:\n  0,-64,0\n  0,-64,1\n  0,-64,2\n  and 509 more\n")
    assert reported(app, [*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["count"], len(report["blocks"]), report["more"], report["unknown"]) == (512, 3, 509, 0)


def test_nothing_found_is_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", "embedded:flat", "diamond_ore", "--radius", "2"]) == 1
    assert "no blocks of diamond_ore; " in capsys.readouterr().out


def test_a_recording_is_searched_as_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", RECORDING, "air", "--json"]) == 4, "24 sub-chunks had not arrived at its end"
    report = json.loads(capsys.readouterr().out)
    assert (report["settled"], report["unknown"]) == (False, 24)
    assert sum(each["count"] for each in report["subchunks"]) == report["count"] > 0


def test_find_where_nobody_is_is_one_sentence_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["find", "127.0.0.1:9", "stone", "--timeout", "0.01"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


PAGE = Path(__file__).parents[4] / "docs" / "reference" / "json.md"
OF_ONE_OBJECT = {
    "health": [RECORDING],
    "join": [RECORDING],
    "why": [RECORDING, "--at", "8,-60,8"],
    "find": [RECORDING, "stone"],
    "diff": [RECORDING, RECORDING],
}
FREE_KEYS = ("states", "layer1_states", "entity", "results", "metadata")
"""Fields whose value has keys of the world's making."""


def documented(command: str) -> list[list[str]]:
    """The fields of each type in the section of a command."""
    section = PAGE.read_text("utf-8").partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    return [re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) for part in section.split("\n### ")[1:]]


def keys_of(value: object) -> set[str]:
    if isinstance(value, list):
        return {key for each in value for key in keys_of(each)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {key for name, each in value.items() if name not in FREE_KEYS for key in keys_of(each)}


@pytest.mark.parametrize("command", OF_ONE_OBJECT)
def test_json_has_the_fields_of_the_reference(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    reported(app, [command, *OF_ONE_OBJECT[command], "--json"])
    said, types = json.loads(capsys.readouterr().out), documented(command)
    assert list(said) == types[0]
    assert keys_of(said) <= {field for fields in types for field in fields}


@pytest.mark.parametrize("waterfall", [False, True])
def test_json_of_packets_has_the_fields_of_the_reference(waterfall: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["packets", RECORDING, "--json", *(["--waterfall"] if waterfall else [])]) == 0
    said, (row, request, summary, *_) = json.loads(capsys.readouterr().out), documented("packets")
    assert list(said) == ["recording", "requests" if waterfall else "packets", "summary"]
    assert list(said["requests" if waterfall else "packets"][0]) == (request if waterfall else row)
    assert list(said["summary"]) == summary
