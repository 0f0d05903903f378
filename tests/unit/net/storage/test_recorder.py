"""The disk thread: what is put is in the file, whole, redacted, and the owner never waits."""

import threading
from pathlib import Path

import pytest

from net.bedrock import Codec, Login, NetworkStackLatency, ServerToClientHandshake
from net.recording import (
    FinishedRecord,
    Header,
    ReceivedRecord,
    Recording,
    SentRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
)
from net.recording.header import redacted
from net.storage import Recorder
from net.storage import recorder as turns_module

HEADER = Header(486, "bedrock", "embedded:flat:1")
CODEC = Codec()


def entries_of(path: Path) -> list[TimedRecord]:
    with Recording.open(path) as recording:
        found = list(recording.entries())
        assert recording.damages == ()
        return found


def test_what_is_put_is_in_the_file_after_close(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    recorder.put(
        [
            (1, TurnRecord(2.5)),
            (2, ReceivedRecord(b"\x22abc")),
            (3, NetworkStackLatency(7, False)),
            (3, TickRecord(0.1)),
        ]
    )
    recorder.close(3.5, 9)
    recorder.close(4.5, 10)
    said = SentRecord(CODEC.encode(NetworkStackLatency(7, False)))
    expected = [
        (1, TurnRecord(2.5)),
        (2, ReceivedRecord(b"\x22abc")),
        (3, said),
        (3, TickRecord(0.1)),
        (9, FinishedRecord(3.5)),
    ]
    assert entries_of(recorder.path) == [TimedRecord(*each) for each in expected]
    assert recorder.failure is None
    assert recorder.written_bytes == recorder.path.stat().st_size


def test_what_was_put_is_flushed_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "FLUSH_S", 0.0)
    flushed = threading.Event()
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    store = recorder._store

    def told(block: bytes) -> None:
        store(block)
        if block:
            flushed.set()

    monkeypatch.setattr(recorder, "_store", told)
    recorder.put([(1, TurnRecord(2.5)), (2, ReceivedRecord(b"\x22abc"))])
    assert flushed.wait(200.0)
    assert entries_of(recorder.path) == [TimedRecord(1, TurnRecord(2.5)), TimedRecord(2, ReceivedRecord(b"\x22abc"))], (
        "without a close"
    )
    recorder.close(3.0, 3)


def test_large_turns_become_several_blocks(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    packets = [ReceivedRecord(bytes((0x22, n)) + bytes(700_000)) for n in range(5)]
    recorder.put([(1, TurnRecord(1.0)), *((n, packet) for n, packet in enumerate(packets))])
    recorder.close(3.0, 3)
    heard = [entry.record for entry in entries_of(recorder.path) if isinstance(entry.record, ReceivedRecord)]
    assert heard == packets
    with Recording.open(recorder.path) as recording:
        assert len(recording.blocks) == 3
        assert [type(recording.read(n)[0].record) for n in range(3)] == [TurnRecord] * 3


def test_a_disk_that_fails_ends_the_recording_alone(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    recorder._file.close()
    recorder.put([(1, ReceivedRecord(b"\x22abc"))])
    recorder.close(1.0, 1)
    assert recorder.failure is not None
    recorder.put([(1, ReceivedRecord(b"\x22abc"))])


def test_a_queue_that_is_too_long_ends_the_recording_with_a_reason(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode, queued_bytes=1000)
    recorder.put([(1, ReceivedRecord(b"\x22" + bytes(2000)))])
    assert "too slow" in str(recorder.failure)
    recorder.close(1.0, 1)
    assert entries_of(recorder.path) == [TimedRecord(1, FinishedRecord(1.0))]


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        Recorder(tmp_path / "nowhere" / "a.cscope", HEADER, CODEC.encode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_with_the_files_name() -> None:
    with pytest.raises(OSError, match="No space left") as told:
        Recorder(Path("/dev/full"), HEADER, CODEC.encode)
    assert told.value.filename == "/dev/full"


def test_keys_and_tokens_never_reach_the_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    login = Login(486, '{"chain":["SECRET"]}', "SECRET" * 20)
    recorder.put(
        [(1, SentRecord(CODEC.encode(login))), (2, ReceivedRecord(CODEC.encode(ServerToClientHandshake("SECRET"))))]
    )
    recorder.close(1.0, 1)
    said, heard, _ = (entry.record for entry in entries_of(recorder.path))
    assert isinstance(said, SentRecord)
    assert isinstance(heard, ReceivedRecord)
    assert CODEC.decode(said.packet) == Login(486, "", "")
    assert CODEC.decode(heard.packet) == ServerToClientHandshake("")


def test_redaction_leaves_other_packets_and_odd_ones_alone() -> None:
    for packet in (b"", b"\xff\xff\xff\xff\xff\xff", b"\x22rest", CODEC.encode(NetworkStackLatency(1, True))):
        assert redacted(packet) == packet
    assert b"SECRET" not in redacted(b"\x01SECRET")
    assert b"SECRET" not in redacted(b"\x83\x00SECRET")


def test_a_disk_that_hangs_does_not_hold_up_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "CLOSE_S", 0.0)
    gate = threading.Event()
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    finish = recorder.finish
    monkeypatch.setattr(recorder, "finish", lambda *words: (gate.wait(), finish(*words)))
    recorder.close(3.5, 9)
    assert "has not taken the end" in str(recorder.failure)
    gate.set()
    recorder._turns._thread.join(60.0)
