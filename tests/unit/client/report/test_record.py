"""``record`` over UDP with the child process: files that are sources, and what a kill leaves."""

import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import client
from client.errors import SourceError, UsageError
from client.options import Options, parse_box
from client.report.dump import dump
from client.report.record import finish, record
from client.source import Embedded, Remote, WorldFile
from net.bedrock import LevelChunk, Login, StartGame, SubChunkEntry
from net.bedrock.codec import Codec
from net.recording.file import Recording
from net.recording.records import FinishedRecord, LoginRecord, ReceivedRecord
from net.space import ColumnPos
from tests.support.servers.hostile import Besieged
from tests.support.servers.process import running
from tests.support.session.virtual import VirtualSession

PATIENT_S = 280.0
BOX = parse_box("-8,-64,-8,24,128,8")
COMMAND = [sys.executable, "-c", "from render.cli import main; main()"]


def test_a_dump_of_a_recording_is_byte_for_byte_the_sources(tmp_path: Path) -> None:
    options = Options(radius=2, timeout_s=PATIENT_S)
    told: list[str] = []
    report = record(
        Embedded("hills", 1), tmp_path / "a.cscope", options, "settled", box=BOX, progress=lambda _, w: told.append(w)
    )
    assert (report.ended, report.complete, report.exit_code) == ("settled", True, 0)
    assert report.size_bytes == (tmp_path / "a.cscope").stat().st_size
    assert str(tmp_path / "a.cscope") in report.text()
    with Recording.open(tmp_path / "a.cscope") as recording:
        assert 0 < report.joined_s < report.seconds <= recording.duration_us / 1e6 + 0.001
    assert dump(Embedded("hills", 1), BOX, tmp_path / "live.npz", options).complete
    again = dump(WorldFile(tmp_path / "a.cscope"), BOX, tmp_path / "again.npz", options)
    assert again.complete
    assert (tmp_path / "live.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_a_recording_through_the_python_api_holds_the_login_without_its_tokens(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with client.connect("embedded:flat", radius=2, timeout_s=PATIENT_S, record=path) as live:
        assert live.wait_settled()
        expected = live.statistics()
    with Recording.open(path) as recording:
        records = [entry.record for entry in recording.entries()]
        assert recording.header.source == "embedded:flat:1"
    codec = Codec()
    greetings = [codec.decode(record.packet) for record in records if isinstance(record, LoginRecord)]
    assert greetings[0] == Login(486, "", "")
    assert any(
        isinstance(codec.decode(record.packet), StartGame) for record in records if isinstance(record, ReceivedRecord)
    )
    with client.connect(str(path)) as again:
        assert again.wait_settled()
        statistics = again.statistics()
        assert again.block((0, -61, 0)).name == "minecraft:grass"
        assert again.light((0, 0, 0)).lit
    assert statistics.session.states == expected.session.states
    assert statistics.session.ledger == expected.session.ledger
    assert statistics.session.messages == expected.session.messages


def test_what_the_server_does_wrong_is_told_below_the_line(tmp_path: Path) -> None:
    world = Besieged(LevelChunk(ColumnPos(0, 0), 0, None, None, None, b"\x01\x02" * 25 + b"\x00"))
    world.server.answer = lambda offset: SubChunkEntry(*offset, 3, b"")
    with world.connection(Options(radius=2, record=tmp_path / "a.cscope")) as connection:
        assert connection.wait_settled()
        report = finish(connection, tmp_path / "a.cscope", 0.125, "settled", True)
    first, *warnings = report.text().splitlines()
    assert f" s, joined after 0.1 s, {report.packets} packets of the server, " in first
    assert first.endswith("(ended: settled)")
    assert "the server: 24 sub-chunks were refused: wrong dimension" in warnings


def test_the_length_that_is_told_is_the_files(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with VirtualSession("flat:1").connection(Options(radius=1, record=path)) as connection:
        assert connection.wait_settled()
        report = finish(connection, path, 0.0, "settled", True)
    assert report.seconds > 0
    with Recording.open(path) as recording:
        assert report.seconds == pytest.approx(recording.duration_us / 1e6, abs=0.001)


def test_a_killed_recorder_leaves_a_source(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    arguments = ["record", "embedded:flat", "--out", str(path), "--radius", "2", "--timeout", str(PATIENT_S)]
    with running([*COMMAND, *arguments], stdout=subprocess.DEVNULL) as child:
        try:
            end = time.monotonic() + PATIENT_S
            while not _holds(path, blocks=3) and time.monotonic() < end:
                assert child.poll() is None
                select.select([], [], [], 0.05)
        finally:
            child.send_signal(signal.SIGKILL)
    assert _holds(path, blocks=3)
    with client.connect(str(path)) as again:
        again.wait_settled()
        assert again.states()["data"] == 49


def test_an_interrupt_ends_a_recording_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    arguments = ["record", "embedded:flat", "--out", str(path), "--radius", "1", "--timeout", str(PATIENT_S)]
    with running([*COMMAND, *arguments], stdout=subprocess.PIPE) as child:
        end = time.monotonic() + PATIENT_S
        while not _holds(path, blocks=3) and time.monotonic() < end:
            select.select([], [], [], 0.05)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=PATIENT_S)
    assert child.returncode == 0
    assert said.endswith("(ended: interrupted)\n")
    with Recording.open(path) as recording:
        assert isinstance(list(recording.entries())[-1].record, FinishedRecord)


def _holds(path: Path, blocks: int) -> bool:
    if not path.exists() or not path.stat().st_size:
        return False
    with Recording.open(path) as recording:
        return len(recording.blocks) >= blocks


def test_what_cannot_be_meant_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist, so"):
        record(Embedded("flat", 1), tmp_path / "nowhere" / "a.cscope", Options())
    with pytest.raises(UsageError, match="'never'"):
        record(Embedded("flat", 1), tmp_path / "a.cscope", Options(), until="never")


def test_an_older_recording_outlives_a_server_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    path.write_bytes(b"an older recording")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceError, match=f"Nothing listens at 127.0.0.1:{port}|did not answer"):
        record(Remote("127.0.0.1", port), path, Options(protocol=486, timeout_s=PATIENT_S))
    assert path.read_bytes() == b"an older recording"


def test_the_command_line_records_and_names_unreadable_files(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    arguments = ["record", "embedded:flat", "--out", str(path), "--until", "settled", "--radius", "1", "--json"]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"ended": "settled"' in done.stdout
    path.write_bytes(path.read_bytes()[:30])
    arguments = ["dump", str(path), "--box", "0,0,0,1,1,1", "--out", str(tmp_path / "x.npz")]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert done.stderr == f"chunkscope: {path} at byte 30: header is cut short: the file ends inside it.\n"
    assert not (tmp_path / "x.npz").exists()
